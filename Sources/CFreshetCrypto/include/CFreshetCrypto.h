#pragma once
#include <stddef.h>
#include <stdint.h>

/// A private key of libcrypto.
typedef struct evp_pkey_st freshet_key;

enum freshet_key_kind { FRESHET_KEY_OTHER, FRESHET_KEY_P256, FRESHET_KEY_RSA };

/// All functions that return int give 1, or 0 if libcrypto refuses, unless their comment says otherwise.
int freshet_sha256(const uint8_t *bytes, size_t count, uint8_t digest[32]);
int freshet_hmac_sha256(const uint8_t *key, size_t key_count, const uint8_t *bytes, size_t count, uint8_t code[32]);
int freshet_random(uint8_t *bytes, size_t count);

/// Creates a P-256 key; NULL if libcrypto refuses.
freshet_key *freshet_key_generate_p256(void);
/// Reads a key in PEM: PKCS #8, SEC 1 or PKCS #1, without a passphrase. NULL if there is none.
freshet_key *freshet_key_from_pem(const char *pem, size_t count);
/// Writes the key as PEM (PKCS #8). The caller passes the result to free(). NULL if libcrypto refuses.
char *freshet_key_pem(const freshet_key *key);
void freshet_key_free(freshet_key *key);
enum freshet_key_kind freshet_key_kind(const freshet_key *key);
/// Returns the bits of the modulus or of the curve.
int freshet_key_bits(const freshet_key *key);
/// Writes the coordinates of a P-256 key's public point.
int freshet_key_point(const freshet_key *key, uint8_t x[32], uint8_t y[32]);
/// Writes the modulus and the exponent of an RSA key into buffers of at least 1024 and 8 bytes.
int freshet_key_modulus(const freshet_key *key, uint8_t *n, size_t *n_count, uint8_t *e, size_t *e_count);

/// Signs with SHA-256: ECDSA in the form r || s (64 bytes), or RSASSA-PKCS1-v1_5.
///
/// \param count the size of the buffer, and afterwards of the signature. 1024 bytes are always enough.
int freshet_sign(freshet_key *key, const uint8_t *bytes, size_t bytes_count, uint8_t *signature, size_t *count);

/// Seals with AES-256-GCM, with a nonce of 12 bytes and a tag of 16.
int freshet_aes_gcm_seal(
    const uint8_t key[32], const uint8_t nonce[12], const uint8_t *header, size_t header_count, const uint8_t *plain,
    size_t plain_count, uint8_t *sealed, uint8_t tag[16]);
/// Opens a sealed message. Also returns 0 if the bytes or the header differ from those that were sealed.
int freshet_aes_gcm_open(
    const uint8_t key[32], const uint8_t nonce[12], const uint8_t *header, size_t header_count, const uint8_t *sealed,
    size_t sealed_count, const uint8_t tag[16], uint8_t *plain);
