#include "CFreshetCrypto.h"
#include <limits.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>

freshet_key *freshet_key_generate_p256(void) { return EVP_EC_gen("P-256"); }

static int no_passphrase(char *buffer, int size, int writing, void *context) {
    (void)buffer, (void)size, (void)writing, (void)context;
    return -1;
}

freshet_key *freshet_key_from_pem(const char *pem, size_t count) {
    if (count > INT_MAX) return NULL;
    BIO *bio = BIO_new_mem_buf(pem, (int)count);
    // Without this callback libcrypto asks for a passphrase on the terminal.
    EVP_PKEY *key = bio ? PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, NULL) : NULL;
    BIO_free(bio);
    return key;
}

char *freshet_key_pem(const freshet_key *key) {
    BIO *bio = BIO_new(BIO_s_mem());
    char *text = NULL;
    if (bio && PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL) == 1) {
        char *bytes = NULL;
        long count = BIO_get_mem_data(bio, &bytes);
        if (count > 0 && (text = malloc((size_t)count + 1))) {
            memcpy(text, bytes, (size_t)count);
            text[count] = 0;
        }
    }
    BIO_free(bio);
    return text;
}

void freshet_key_free(freshet_key *key) { EVP_PKEY_free(key); }

enum freshet_key_kind freshet_key_kind(const freshet_key *key) {
    char group[32];
    size_t count = 0;
    if (EVP_PKEY_is_a(key, "RSA")) return FRESHET_KEY_RSA;
    if (!EVP_PKEY_is_a(key, "EC")) return FRESHET_KEY_OTHER;
    if (EVP_PKEY_get_group_name(key, group, sizeof group, &count) != 1) return FRESHET_KEY_OTHER;
    return strcmp(group, "prime256v1") == 0 || strcmp(group, "P-256") == 0 ? FRESHET_KEY_P256 : FRESHET_KEY_OTHER;
}

int freshet_key_bits(const freshet_key *key) { return EVP_PKEY_get_bits(key); }

static int number(const freshet_key *key, const char *name, uint8_t *bytes, int count) {
    BIGNUM *value = NULL;
    int ok = EVP_PKEY_get_bn_param(key, name, &value) == 1 && BN_bn2binpad(value, bytes, count) == count;
    BN_free(value);
    return ok;
}

int freshet_key_point(const freshet_key *key, uint8_t x[32], uint8_t y[32]) {
    return number(key, OSSL_PKEY_PARAM_EC_PUB_X, x, 32) && number(key, OSSL_PKEY_PARAM_EC_PUB_Y, y, 32);
}

static int whole_number(const freshet_key *key, const char *name, uint8_t *bytes, size_t *count) {
    BIGNUM *value = NULL;
    int ok = EVP_PKEY_get_bn_param(key, name, &value) == 1 && (size_t)BN_num_bytes(value) <= *count;
    if (ok) *count = (size_t)BN_bn2bin(value, bytes);
    BN_free(value);
    return ok;
}

int freshet_key_modulus(const freshet_key *key, uint8_t *n, size_t *n_count, uint8_t *e, size_t *e_count) {
    return whole_number(key, OSSL_PKEY_PARAM_RSA_N, n, n_count) && whole_number(key, OSSL_PKEY_PARAM_RSA_E, e, e_count);
}

/// Converts a signature from DER, in which both numbers have their minimal length, to r || s of 64 bytes.
static int in_fixed_form(const uint8_t *der, size_t der_count, uint8_t *signature, size_t *count) {
    ECDSA_SIG *numbers = d2i_ECDSA_SIG(NULL, &der, (long)der_count);
    int ok = numbers && BN_bn2binpad(ECDSA_SIG_get0_r(numbers), signature, 32) == 32 &&
        BN_bn2binpad(ECDSA_SIG_get0_s(numbers), signature + 32, 32) == 32;
    ECDSA_SIG_free(numbers);
    *count = 64;
    return ok;
}

int freshet_sign(freshet_key *key, const uint8_t *bytes, size_t bytes_count, uint8_t *signature, size_t *count) {
    uint8_t made[1024];
    size_t made_count = sizeof made;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int ok = context && EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
        EVP_DigestSign(context, made, &made_count, bytes, bytes_count) == 1 && *count >= 64;
    EVP_MD_CTX_free(context);
    if (!ok) return 0;
    if (freshet_key_kind(key) == FRESHET_KEY_P256) return in_fixed_form(made, made_count, signature, count);
    if (made_count > *count) return 0;
    memcpy(signature, made, made_count);
    *count = made_count;
    return 1;
}
