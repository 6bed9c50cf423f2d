// zlib, for its CRC-32.
#pragma once
#include <zlib.h>
