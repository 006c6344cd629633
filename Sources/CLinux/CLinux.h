// Linux calls that the C library's own module leaves out.
#pragma once
#include <linux/memfd.h>
#include <malloc.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

// The C library declares these for _GNU_SOURCE only.
int memfd_create(const char *name, unsigned int flags);
int pipe2(int ends[2], int flags);
int wcwidth(wchar_t character);

// The C library declares its wrappers for _GNU_SOURCE only. Bit n of the mask stands for processor n.
static inline long clinux_set_affinity(unsigned long mask) {
  return syscall(SYS_sched_setaffinity, 0, sizeof mask, &mask);
}
static inline long clinux_get_affinity(unsigned long *mask) {
  return syscall(SYS_sched_getaffinity, 0, sizeof *mask, mask);
}
