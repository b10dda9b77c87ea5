#pragma once
#include <curl/curl.h>

/// What libcurl says of itself, asked once: it writes each answer to the same memory.
const curl_version_info_data *freshet_version(void);

/// Whether libcurl does TLS with the OpenSSL that this program has loaded.
int freshet_has_openssl(void);
