// zlib: its CRC-32, and gzip both ways.
#pragma once
#include <zlib.h>
