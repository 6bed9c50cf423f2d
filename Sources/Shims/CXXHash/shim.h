// The hash of the collector's records: XXH3 with 128 bits in the canonical (big-endian) form.
#pragma once
#include <stdint.h>
#include <xxhash.h>

/// Writes the canonical 16 bytes of the XXH3 128-bit hash.
static inline void outrider_xxh3_128(const void *bytes, size_t count, uint8_t hash[16]) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes, count));
  for (int i = 0; i < 16; i++) hash[i] = canonical.digest[i];
}
