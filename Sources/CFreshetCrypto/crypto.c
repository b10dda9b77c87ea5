#include "CFreshetCrypto.h"
#include <limits.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

int freshet_sha256(const uint8_t *bytes, size_t count, uint8_t digest[32]) {
    return EVP_Digest(bytes, count, digest, NULL, EVP_sha256(), NULL) == 1;
}

int freshet_hmac_sha256(const uint8_t *key, size_t key_count, const uint8_t *bytes, size_t count, uint8_t code[32]) {
    unsigned int length = 32;
    return key_count <= INT_MAX && HMAC(EVP_sha256(), key, (int)key_count, bytes, count, code, &length) != NULL;
}

int freshet_random(uint8_t *bytes, size_t count) {
    return count <= INT_MAX && RAND_bytes(bytes, (int)count) == 1;
}

int freshet_aes_gcm_seal(
    const uint8_t key[32], const uint8_t nonce[12], const uint8_t *header, size_t header_count, const uint8_t *plain,
    size_t plain_count, uint8_t *sealed, uint8_t tag[16]) {
    if (header_count > INT_MAX || plain_count > INT_MAX) return 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int count = 0;
    int ok = context && EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce) == 1 &&
        EVP_EncryptUpdate(context, NULL, &count, header, (int)header_count) == 1 &&
        EVP_EncryptUpdate(context, sealed, &count, plain, (int)plain_count) == 1 &&
        EVP_EncryptFinal_ex(context, sealed + count, &count) == 1 &&
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, 16, tag) == 1;
    EVP_CIPHER_CTX_free(context);
    return ok;
}

int freshet_aes_gcm_open(
    const uint8_t key[32], const uint8_t nonce[12], const uint8_t *header, size_t header_count, const uint8_t *sealed,
    size_t sealed_count, const uint8_t tag[16], uint8_t *plain) {
    if (header_count > INT_MAX || sealed_count > INT_MAX) return 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int count = 0;
    int ok = context && EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce) == 1 &&
        EVP_DecryptUpdate(context, NULL, &count, header, (int)header_count) == 1 &&
        EVP_DecryptUpdate(context, plain, &count, sealed, (int)sealed_count) == 1 &&
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, 16, (void *)tag) == 1 &&
        EVP_DecryptFinal_ex(context, plain + count, &count) == 1;
    EVP_CIPHER_CTX_free(context);
    return ok;
}
