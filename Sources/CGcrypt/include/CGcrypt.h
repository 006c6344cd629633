// The door to libgcrypt: HMAC-SHA256. It hides gcrypt.h, which would take over the declarations of sys/socket.h.
#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The size of a digest in bytes.
#define CGCRYPT_DIGEST_SIZE 32

/// Writes the HMAC-SHA256 of a text to `digest`, and returns whether that succeeded.
int cgcrypt_hmac_sha256(
    unsigned char *digest, const void *key, size_t key_length, const void *text, size_t text_length);

#ifdef __cplusplus
}
#endif
