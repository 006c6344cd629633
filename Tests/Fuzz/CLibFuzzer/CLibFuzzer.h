// The door to libFuzzer's runtime: the entry for programs that have a main of their own.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Runs libFuzzer with the arguments of a command line, whose first one is the program's name.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
