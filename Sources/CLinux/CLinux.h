// Linux calls that the C library's own module leaves out.
#pragma once
#include <linux/memfd.h>
#include <stddef.h>
#include <sys/eventfd.h>

// The C library declares these for _GNU_SOURCE only.
int memfd_create(const char *name, unsigned int flags);
int pipe2(int ends[2], int flags);
int wcwidth(wchar_t character);
