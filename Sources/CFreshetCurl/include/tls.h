#pragma once
#include <curl/curl.h>

// libcurl does not tell everything that OpenSSL knows of a connection. OpenSSL itself is asked, where libcurl says that the
// connection is OpenSSL's, and of the version that is loaded here.

/// OpenSSL's object for the connection of a transfer that runs; NULL if there is none, or another library's.
const void *freshet_easy_openssl(CURL *easy);

/// What ALPN has settled on for the connection of a transfer that is about to be sent; `length` is 0 if nothing.
///
/// libcurl gives it only with the response. OpenSSL knows it before.
const unsigned char *freshet_easy_alpn(CURL *easy, unsigned *length);

/// Whether the connection of a transfer that runs has TLS that the peer has not closed.
int freshet_easy_tls_is_open(CURL *easy);

/// Whether TLS has decrypted more on the connection of a transfer that runs than was read.
int freshet_easy_tls_has_more(CURL *easy);

/// What OpenSSL finds wrong with a server's certificate, in the numbers of CURLINFO_SSL_VERIFYRESULT.
extern const long freshet_certificate_unspecified;
extern const long freshet_certificate_not_yet_valid;
extern const long freshet_certificate_expired;
extern const long freshet_certificate_self_signed;
