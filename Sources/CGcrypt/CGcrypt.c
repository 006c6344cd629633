#include "CGcrypt.h"

#include <gcrypt.h>

int cgcrypt_hmac_sha256(
    unsigned char *digest, const void *key, size_t key_length, const void *text, size_t text_length) {
  // libsystemd may have prepared the library already. Both is harmless twice.
  gcry_check_version(NULL);
  if (!gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P)) {
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
  }
  gcry_buffer_t parts[2] = {
      {.len = key_length, .data = (void *)key},
      {.len = text_length, .data = (void *)text},
  };
  return gcry_md_hash_buffers(GCRY_MD_SHA256, GCRY_MD_FLAG_HMAC, digest, parts, 2) == 0;
}
