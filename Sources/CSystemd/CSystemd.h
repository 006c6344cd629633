// The door to libsystemd: the event loop, service notification, socket activation and 128-bit ids.
#pragma once
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-id128.h>
#include <systemd/sd-journal.h>
