#pragma once
// The type checks are macros around the variadic calls. The functions below do not need them.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <zlib.h>
#include "brotli.h"
#include "observer.h"
#include "sockets.h"
#include "tls.h"
#include "version.h"

// libcurl reads its variadic arguments by the type of the option: a `long` for an option of type long, never an int. Swift
// can't call variadic functions, so there is one function here for each type.

static inline CURLcode freshet_easy_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode freshet_easy_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode freshet_easy_set_pointer(CURL *easy, CURLoption option, const void *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode freshet_easy_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode freshet_easy_set_url(CURL *easy, const CURLU *value) {
    return curl_easy_setopt(easy, CURLOPT_CURLU, value);
}
static inline CURLcode freshet_easy_set_headers(CURL *easy, const struct curl_slist *value) {
    return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, value);
}
// The bytes are not copied.
static inline CURLcode freshet_easy_set_blob(CURL *easy, CURLoption option, void *bytes, size_t count) {
    struct curl_blob blob = {bytes, count, CURL_BLOB_NOCOPY};
    return curl_easy_setopt(easy, option, &blob);
}
static inline CURLcode freshet_easy_set_resolve(CURL *easy, const struct curl_slist *value) {
    return curl_easy_setopt(easy, CURLOPT_RESOLVE, value);
}
static inline CURLcode freshet_easy_set_on_body(CURL *easy, curl_write_callback value) {
    return curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, value);
}
static inline CURLcode freshet_easy_set_on_read(CURL *easy, curl_read_callback value) {
    return curl_easy_setopt(easy, CURLOPT_READFUNCTION, value);
}
static inline CURLcode freshet_easy_set_on_seek(CURL *easy, curl_seek_callback value) {
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, value);
}
static inline CURLcode freshet_easy_set_on_header(CURL *easy, curl_write_callback value) {
    return curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, value);
}
static inline CURLcode freshet_easy_set_on_debug(CURL *easy, curl_debug_callback value) {
    return curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, value);
}
static inline CURLcode freshet_easy_set_on_connected(CURL *easy, curl_prereq_callback value) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}
static inline CURLcode freshet_easy_set_on_progress(CURL *easy, curl_xferinfo_callback value) {
    return curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, value);
}
static inline CURLcode freshet_easy_set_open_socket(CURL *easy, curl_opensocket_callback value) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}
static inline CURLcode freshet_easy_set_close_socket(CURL *easy, curl_closesocket_callback value) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, value);
}

static inline CURLcode freshet_easy_set_on_tls(CURL *easy, curl_ssl_ctx_callback value) {
    return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, value);
}

static inline long freshet_easy_get_long(CURL *easy, CURLINFO info) {
    long value = 0;
    curl_easy_getinfo(easy, info, &value);
    return value;
}
static inline curl_off_t freshet_easy_get_offset(CURL *easy, CURLINFO info) {
    curl_off_t value = 0;
    curl_easy_getinfo(easy, info, &value);
    return value;
}
static inline void *freshet_easy_get_private(CURL *easy) {
    char *value = NULL;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &value);
    return value;
}

static inline CURLMcode freshet_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode freshet_multi_set_on_socket(CURLM *multi, curl_socket_callback value, void *context) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, value);
}
static inline CURLMcode freshet_multi_set_on_timer(CURLM *multi, curl_multi_timer_callback value, void *context) {
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, value);
}

// Whether the value contains a byte that would end a header field early.
static inline int freshet_ends_line(const void *value, size_t count) {
    return count && (memchr(value, '\n', count) || memchr(value, '\r', count) || memchr(value, 0, count));
}

// Macros that Swift does not import.
#if LIBCURL_VERSION_NUM >= 0x080600
static const CURLcode freshet_curle_too_large = CURLE_TOO_LARGE;
#else
// The loaded libcurl can be newer than this header.
static const CURLcode freshet_curle_too_large = (CURLcode)100;
#endif
static const curl_socket_t freshet_socket_timeout = CURL_SOCKET_TIMEOUT;
static const curl_socket_t freshet_socket_bad = CURL_SOCKET_BAD;
static const size_t freshet_write_pause = CURL_WRITEFUNC_PAUSE;
static const size_t freshet_read_pause = CURL_READFUNC_PAUSE;
static const size_t freshet_read_abort = CURL_READFUNC_ABORT;
static const int freshet_pause_none = CURLPAUSE_CONT;
static const int freshet_pause_receiving = CURLPAUSE_RECV;
static const int freshet_pause_sending = CURLPAUSE_SEND;
static const long freshet_rtsp_receive = CURL_RTSPREQ_RECEIVE;
static const long freshet_http_1_1 = CURL_HTTP_VERSION_1_1;
static const long freshet_http_2_tls = CURL_HTTP_VERSION_2TLS;
static const long freshet_http_2_at_once = CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
static const int freshet_has_brotli = CURL_VERSION_BROTLI;
static const int freshet_has_zstd = CURL_VERSION_ZSTD;
