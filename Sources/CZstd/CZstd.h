// The door to zstd, which packs the blocks of sealed segments.
#pragma once
#include <zstd.h>
