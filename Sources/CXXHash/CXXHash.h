// The door to xxHash: the 64-bit XXH3 that every block of the log carries.
#pragma once
#include <xxhash.h>
