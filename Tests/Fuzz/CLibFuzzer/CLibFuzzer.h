// libFuzzer's entry point for programs with their own main.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Runs libFuzzer with the arguments of a command line, the first of which is the program's name.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
