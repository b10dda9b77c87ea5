#include "version.h"
#include <openssl/crypto.h>
#include <pthread.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const curl_version_info_data *version;
static int has_openssl;

// The name tells OpenSSL from the libraries that derive from it. curl_sslbackend has one number for all of them.
static void ask(void) {
    static const char name[] = "OpenSSL/";
    version = curl_version_info(CURLVERSION_NOW);
    const char *used = version->ssl_version;
    has_openssl = used && !strncmp(used, name, sizeof name - 1) &&
                  !strcmp(used + sizeof name - 1, OpenSSL_version(OPENSSL_VERSION_STRING));
}

const curl_version_info_data *freshet_version(void) {
    pthread_once(&once, ask);
    return version;
}

int freshet_has_openssl(void) {
    pthread_once(&once, ask);
    return has_openssl;
}
