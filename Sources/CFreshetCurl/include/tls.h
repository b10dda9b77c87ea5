#pragma once
#include <curl/curl.h>

// libcurl does not report everything that OpenSSL knows of a connection. These functions ask OpenSSL itself, if libcurl
// reports that the connection is OpenSSL's and of the version that is loaded here.

/// Returns OpenSSL's object for the connection of a running transfer; NULL if there is none, or if it is of another
/// library.
const void *freshet_easy_openssl(CURL *easy);

/// Returns the protocol that ALPN has negotiated on the connection of a transfer that is about to be sent; `length` is 0 if
/// there is none.
///
/// libcurl reports it only with the response. OpenSSL knows it before.
const unsigned char *freshet_easy_alpn(CURL *easy, unsigned *length);

/// Whether the connection of a running transfer has TLS that the peer has not closed.
int freshet_easy_tls_is_open(CURL *easy);

/// Whether TLS has decrypted more bytes than were read on the connection of a running transfer.
int freshet_easy_tls_has_more(CURL *easy);

/// OpenSSL's errors about a server's certificate, by the numbers of CURLINFO_SSL_VERIFYRESULT.
extern const long freshet_certificate_unspecified;
extern const long freshet_certificate_not_yet_valid;
extern const long freshet_certificate_expired;
extern const long freshet_certificate_self_signed;
