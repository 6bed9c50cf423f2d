// SHA-256 (FIPS 180-4) of tokens, and the message authentication code of sign-in cookies (RFC 2104). Compiles with nettle 3.8 and 3.10.
#pragma once
#include <nettle/hmac.h>
#include <nettle/sha2.h>
#include <stddef.h>
#include <stdint.h>

/// Writes the 32 bytes of the code of a message.
static inline void outrider_hmac_sha256(
    const uint8_t *key, size_t key_count, const uint8_t *message, size_t count, uint8_t code[32]) {
  struct hmac_sha256_ctx context;
  hmac_sha256_set_key(&context, key_count, key);
  hmac_sha256_update(&context, count, message);
  hmac_sha256_digest(&context, SHA256_DIGEST_SIZE, code);
}
