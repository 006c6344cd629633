// The door to libsystemd: the event loop, service notification, socket activation and 128-bit ids; and to the event
// descriptor that wakes the loop, which the C library's own module leaves out.
#pragma once
#include <sys/eventfd.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-id128.h>
#include <systemd/sd-journal.h>
