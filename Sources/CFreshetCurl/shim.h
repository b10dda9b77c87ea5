#pragma once
// The type checks are macros around the variadic calls, of no use to the functions below.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// libcurl reads its variadic arguments as the option's type says: a `long` where it says long, never an int. Swift can
// not call variadic functions, so there is one function here for each type.

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

// Whether a header field with this value would end before its end.
static inline int freshet_ends_line(const void *value, size_t count) {
    return count && (memchr(value, '\n', count) || memchr(value, '\r', count) || memchr(value, 0, count));
}

static inline curl_socket_t freshet_open_none(void *owner, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)owner, (void)purpose, (void)address;
    return CURL_SOCKET_BAD;
}

/// Has a transfer begin, with a buffer of that size, and get no socket.
static inline void freshet_begin_nowhere(long buffer) {
    CURL *easy = curl_easy_init();
    if (!easy) return;
    curl_easy_setopt(easy, CURLOPT_URL, "http://127.0.0.1/");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, buffer);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, freshet_open_none);
    curl_easy_perform(easy);
    curl_easy_cleanup(easy);
}

/// A socket for libcurl that no child process inherits; a negative errno if there is none to be had.
static inline int freshet_open_socket(const struct curl_sockaddr *address) {
#ifdef SOCK_CLOEXEC
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
    int fd = socket(address->family, address->socktype, address->protocol);
#endif
    return fd < 0 ? -errno : fd;
}

/// Has the kernel hold 256 KiB of what comes on a connection, where it would begin with 64 KiB, and leaves it to it to find
/// more. It gives more room when more is read in one round trip than fits, which nobody can who reads 64 KiB at a time; a
/// server over a short way then sends each piece only when the one before has been read, on the time of who reads. To ask
/// for a high mark makes the room, and it stays when the mark goes. SO_RCVBUF would end the kernel's own search.
static inline void freshet_widen(int fd) {
    int mark = 1 << 18;
    if (setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof mark)) return;
    mark = 1;
    setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof mark);
}

/// The port of a socket's own end; -1 if it has none.
static inline int freshet_local_port(int fd) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (getsockname(fd, (struct sockaddr *)&address, &length)) return -1;
    if (address.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&address)->sin_port);
    if (address.ss_family == AF_INET6) return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
    return -1;
}

/// The port of the socket's peer, whose address is written to `text`; negative if it has none of the internet's.
static inline int freshet_peer(int fd, char *text, size_t size) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (getpeername(fd, (struct sockaddr *)&address, &length)) return -1;
    if (address.ss_family == AF_INET) {
        const struct sockaddr_in *inet = (const struct sockaddr_in *)&address;
        return inet_ntop(AF_INET, &inet->sin_addr, text, size) ? ntohs(inet->sin_port) : -1;
    }
    if (address.ss_family == AF_INET6) {
        const struct sockaddr_in6 *inet = (const struct sockaddr_in6 *)&address;
        return inet_ntop(AF_INET6, &inet->sin6_addr, text, size) ? ntohs(inet->sin6_port) : -1;
    }
    return -1;
}

/// Whether a socket has a peer.
static inline int freshet_is_connected(int fd) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    return getpeername(fd, (struct sockaddr *)&address, &length) == 0;
}

/// Whether nothing has come on a connection, not even its end.
static inline int freshet_is_silent(int fd) {
    char byte;
    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

/// Takes what has come on a connection, without waiting for it.
static inline ssize_t freshet_take(int fd, void *bytes, size_t size) {
    return recv(fd, bytes, size, MSG_DONTWAIT);
}

/// How many bytes of what was sent on a TCP connection its peer has confirmed; -1 if the system does not say.
///
/// The number stands in the kernel's `struct tcp_info`, whose beginning never changes, behind what the C library knows of it.
static inline long long freshet_confirmed(int fd) {
#ifdef __linux__
    enum { tcp = 6, info = 11, place = 120 };
    unsigned char bytes[place + 8];
    socklen_t size = sizeof bytes;
    long long count;
    if (getsockopt(fd, tcp, info, bytes, &size) || size < sizeof bytes) return -1;
    memcpy(&count, bytes + place, sizeof count);
    return count;
#else
    return -1;
#endif
}

/// Ends a connection and takes what had come on it away, so that whoever looks next finds its end.
static inline void freshet_end_connection(int fd) {
    char rest[4096];
    shutdown(fd, SHUT_RDWR);
    for (int count = 0; count < 1024; count++)
        if (recv(fd, rest, sizeof rest, MSG_DONTWAIT) == 0) break;
}

/// OpenSSL's object for the connection of a transfer that runs; NULL if there is none, or another library's.
static inline const void *freshet_easy_openssl(CURL *easy) {
    const struct curl_tlssessioninfo *session = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session ||
        session->backend != CURLSSLBACKEND_OPENSSL)
        return NULL;
    return session->internals;
}

/// A function of OpenSSL's, which is in the process already if libcurl uses it; NULL if it is not found.
///
/// Looked up once for all threads, which come to the same.
static inline void *freshet_openssl_function(void **known, const char *name) {
    void *function = __atomic_load_n(known, __ATOMIC_RELAXED);
#ifdef __linux__
    if (!function) __atomic_store_n(known, function = dlsym(NULL, name), __ATOMIC_RELAXED);
#endif
    return function;
}

/// What ALPN has settled on for the connection of a transfer that is about to be sent; `length` is 0 if nothing.
///
/// libcurl gives it only with the response. OpenSSL knows it before.
static inline const unsigned char *freshet_easy_alpn(CURL *easy, unsigned *length) {
    static void *known;
    void (*get)(const void *, const unsigned char **, unsigned *);
    const void *ssl = freshet_easy_openssl(easy);
    const unsigned char *name = NULL;
    *length = 0;
    if (!ssl || !(get = freshet_openssl_function(&known, "SSL_get0_alpn_selected"))) return NULL;
    get(ssl, &name, length);
    return name;
}

/// Whether the connection of a transfer that runs has TLS that the peer has not closed.
static inline int freshet_easy_tls_is_open(CURL *easy) {
    static void *known;
    int (*get)(const void *);
    const void *ssl = freshet_easy_openssl(easy);
    if (!ssl || !(get = freshet_openssl_function(&known, "SSL_get_shutdown"))) return 0;
    // SSL_RECEIVED_SHUTDOWN.
    return !(get(ssl) & 2);
}

/// Whether TLS has decrypted more on the connection of a transfer that runs than was read.
static inline int freshet_easy_tls_has_more(CURL *easy) {
    static void *known;
    int (*get)(const void *);
    const void *ssl = freshet_easy_openssl(easy);
    if (!ssl || !(get = freshet_openssl_function(&known, "SSL_pending"))) return 0;
    return get(ssl) > 0;
}

/// Has a URL name its host in the ASCII form (IDNA), for which libcurl asks libidn2.
///
/// That reads names in the charset of the thread's locale, which a program that sets none has at ASCII.
static inline CURLUcode freshet_url_name_host_in_ascii(CURLU *url) {
#if LIBCURL_VERSION_NUM >= 0x075800
    char *host = NULL;
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
    CURLUcode code = curl_url_get(url, CURLUPART_HOST, &host, CURLU_PUNYCODE);
    if (utf8) {
        uselocale(before);
        freelocale(utf8);
    }
    if (code == CURLUE_OK) code = curl_url_set(url, CURLUPART_HOST, host, 0);
    curl_free(host);
    return code;
#else
    return CURLUE_LACKS_IDN;
#endif
}

// Macros that Swift does not import.
static const curl_socket_t freshet_socket_timeout = CURL_SOCKET_TIMEOUT;
static const curl_socket_t freshet_socket_bad = CURL_SOCKET_BAD;
static const size_t freshet_write_pause = CURL_WRITEFUNC_PAUSE;
static const size_t freshet_read_pause = CURL_READFUNC_PAUSE;
static const size_t freshet_read_abort = CURL_READFUNC_ABORT;
static const int freshet_pause_none = CURLPAUSE_CONT;
static const int freshet_pause_receiving = CURLPAUSE_RECV;
static const int freshet_pause_sending = CURLPAUSE_SEND;
static const CURLversion freshet_version_now = CURLVERSION_NOW;
static const long freshet_rtsp_receive = CURL_RTSPREQ_RECEIVE;
static const long freshet_rtsp_options = CURL_RTSPREQ_OPTIONS;
static const long freshet_http_1_1 = CURL_HTTP_VERSION_1_1;
static const long freshet_http_2_tls = CURL_HTTP_VERSION_2TLS;
static const int freshet_has_brotli = CURL_VERSION_BROTLI;
static const int freshet_has_zstd = CURL_VERSION_ZSTD;
