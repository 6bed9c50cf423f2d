// zlib, for CRC-32 and for gzip compression and decompression.
#pragma once
#include <zlib.h>
