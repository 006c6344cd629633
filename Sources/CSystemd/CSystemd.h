// The door to libsystemd: the event loop, service notification, socket activation, the journal and 128-bit ids; and to
// what the C library's own module leaves out: the event descriptor that wakes the loop, and memory that is a file.
#pragma once
#include <linux/memfd.h>
#include <sys/eventfd.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-id128.h>
#include <systemd/sd-journal.h>

// The C library declares it for _GNU_SOURCE only.
int memfd_create(const char *name, unsigned int flags);
