#pragma once
#include <curl/curl.h>
#include <uv.h>

/// libcurl's descriptors in a libuv loop.
///
/// libcurl takes each socket out and puts it in again around every request, and the kernel's set is costly to change:
/// what is taken out stays watched, "parked", unless it fires, until libcurl closes the descriptor.
typedef struct Socket Socket;

typedef struct {
    uv_loop_t *loop;
    /// What is wanted of a socket has come.
    void (*fired)(void *context, curl_socket_t, int mask);
    void *context;
    Socket **by_descriptor;
    size_t count;
} Sockets;

/// - Parameter what: `CURL_POLL_IN` and so on; `CURL_POLL_REMOVE` parks it.
void sockets_watch(Sockets *, curl_socket_t, int what);
/// Stops watching, and closes the descriptor.
int sockets_close(Sockets *, curl_socket_t);
void sockets_free(Sockets *);
