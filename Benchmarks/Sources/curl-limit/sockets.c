#include "sockets.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct Socket {
    uv_poll_t poll;
    Sockets *sockets;
    curl_socket_t descriptor;
    int wanted;
    int watched;
};

static void fired(uv_poll_t *poll, int status, int events) {
    Socket *socket = poll->data;
    if (!socket->wanted) {
        uv_poll_stop(poll);
        socket->watched = 0;
        return;
    }
    int mask = 0;
    if (events & UV_READABLE) mask |= CURL_CSELECT_IN;
    if (events & UV_WRITABLE) mask |= CURL_CSELECT_OUT;
    if (status < 0) mask |= CURL_CSELECT_ERR;
    socket->sockets->fired(socket->sockets->context, socket->descriptor, mask);
}

static void grow(Sockets *sockets, size_t count) {
    if (count <= sockets->count) return;
    size_t wanted = count + count / 2;
    sockets->by_descriptor = realloc(sockets->by_descriptor, wanted * sizeof(Socket *));
    memset(sockets->by_descriptor + sockets->count, 0, (wanted - sockets->count) * sizeof(Socket *));
    sockets->count = wanted;
}

static Socket *make(Sockets *sockets, curl_socket_t descriptor) {
    Socket *socket = calloc(1, sizeof *socket);
    socket->sockets = sockets;
    socket->descriptor = descriptor;
    socket->poll.data = socket;
    uv_poll_init(sockets->loop, &socket->poll, descriptor);
    return socket;
}

void sockets_watch(Sockets *sockets, curl_socket_t descriptor, int what) {
    grow(sockets, (size_t)descriptor + 1);
    Socket **place = &sockets->by_descriptor[descriptor];
    if (!*place) {
        if (what == CURL_POLL_REMOVE) return;
        *place = make(sockets, descriptor);
    }
    Socket *socket = *place;
    socket->wanted = 0;
    if (what == CURL_POLL_REMOVE) return;
    if (what & CURL_POLL_IN) socket->wanted |= UV_READABLE;
    if (what & CURL_POLL_OUT) socket->wanted |= UV_WRITABLE;
    if (socket->wanted == socket->watched) return;
    socket->watched = socket->wanted;
    uv_poll_start(&socket->poll, socket->wanted, fired);
}

static void freed(uv_handle_t *handle) {
    free(handle->data);
}

int sockets_close(Sockets *sockets, curl_socket_t descriptor) {
    if ((size_t)descriptor < sockets->count && sockets->by_descriptor[descriptor]) {
        uv_close((uv_handle_t *)&sockets->by_descriptor[descriptor]->poll, freed);
        sockets->by_descriptor[descriptor] = NULL;
    }
    return close(descriptor);
}

void sockets_free(Sockets *sockets) {
    free(sockets->by_descriptor);
}
