#include "tls.h"
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include "version.h"

const long freshet_certificate_unspecified = X509_V_ERR_UNSPECIFIED;
const long freshet_certificate_not_yet_valid = X509_V_ERR_CERT_NOT_YET_VALID;
const long freshet_certificate_expired = X509_V_ERR_CERT_HAS_EXPIRED;
const long freshet_certificate_self_signed = X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT;

const void *freshet_easy_openssl(CURL *easy) {
    const struct curl_tlssessioninfo *session = NULL;
    if (!freshet_has_openssl() || curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session ||
        session->backend != CURLSSLBACKEND_OPENSSL)
        return NULL;
    return session->internals;
}

const unsigned char *freshet_easy_alpn(CURL *easy, unsigned *length) {
    const SSL *ssl = freshet_easy_openssl(easy);
    const unsigned char *name = NULL;
    *length = 0;
    if (ssl) SSL_get0_alpn_selected(ssl, &name, length);
    return name;
}

int freshet_easy_tls_is_open(CURL *easy) {
    const SSL *ssl = freshet_easy_openssl(easy);
    return ssl && !(SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN);
}

int freshet_easy_tls_has_more(CURL *easy) {
    const SSL *ssl = freshet_easy_openssl(easy);
    return ssl && SSL_pending(ssl) > 0;
}
