#pragma once
#include <curl/curl.h>

/// libcurl's description of itself. It is read once, because libcurl writes each result to the same memory.
const curl_version_info_data *freshet_version(void);

/// Whether libcurl does TLS with the OpenSSL that this program has loaded.
int freshet_has_openssl(void);
