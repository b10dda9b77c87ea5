#pragma once
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

// Swift imports neither macros with casts, such as SIG_IGN, nor variadic functions, such as prctl.

static inline void freshet_ignore_broken_pipes(void) {
    signal(SIGPIPE, SIG_IGN);
}

// Runs `body` on a detached thread. Returns an error number, or 0.
static inline int freshet_start_detached(void *(*body)(void *)) {
    pthread_attr_t attributes;
    pthread_t thread;
    int result = pthread_attr_init(&attributes);
    if (result) return result;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    result = pthread_create(&thread, &attributes, body, NULL);
    pthread_attr_destroy(&attributes);
    return result;
}

// In Swift, SOCK_STREAM has another type than the field of `addrinfo`.
static const int freshet_stream_socket = SOCK_STREAM;

static inline void freshet_name_thread(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}

// Whether the descriptor is a terminal, and not the other end of one: opening the other end again would make another
// terminal.
static inline int freshet_is_terminal(int descriptor) {
    unsigned number;
    if (!ioctl(descriptor, TIOCGPTN, &number)) return 0;
    return isatty(descriptor);
}

// Reads the next bytes of a socket without waiting, whatever mode it is in.
static inline ssize_t freshet_receive(int socket, void *bytes, size_t count) {
    return recv(socket, bytes, count, MSG_DONTWAIT);
}

static inline ssize_t freshet_send(int socket, const void *bytes, size_t count) {
    return send(socket, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
}
