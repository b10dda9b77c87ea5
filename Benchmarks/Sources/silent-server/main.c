// A server of event streams that say a word and then nothing, for as many clients as the system lets in.
//
// Prints the port that it listens on, and ends when standard input does.
#define _GNU_SOURCE
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static const char word[] =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
    "Transfer-Encoding: chunked\r\n\r\ne\r\ndata: hello\n\n\r\n";

static void need(int result, const char *what) {
    if (result >= 0) return;
    perror(what);
    exit(1);
}

static int listener(void) {
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    need(bind(descriptor, (struct sockaddr *)&address, size), "bind");
    need(listen(descriptor, 4096), "listen");
    need(getsockname(descriptor, (struct sockaddr *)&address, &size), "getsockname");
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return descriptor;
}

static void watch(int poll, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    need(epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event), "epoll_ctl");
}

static void accept_all(int poll, int listening) {
    int client;
    while ((client = accept4(listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) watch(poll, client);
}

/// The requests of these measurements come in one piece, so the end of one is the end of a piece.
static void answer(int client) {
    char piece[4096];
    ssize_t count = read(client, piece, sizeof piece);
    if (count <= 0) {
        close(client);
    } else if (count >= 4 && !memcmp(piece + count - 4, "\r\n\r\n", 4)) {
        need((int)write(client, word, sizeof word - 1), "write");
    }
}

int main(void) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    int listening = listener();
    int poll = epoll_create1(EPOLL_CLOEXEC);
    watch(poll, listening);
    watch(poll, STDIN_FILENO);
    struct epoll_event events[256];
    for (;;) {
        int count = epoll_wait(poll, events, 256, -1);
        for (int i = 0; i < count; i++) {
            int descriptor = events[i].data.fd;
            if (descriptor == STDIN_FILENO) return 0;
            if (descriptor == listening) {
                accept_all(poll, listening);
            } else {
                answer(descriptor);
            }
        }
    }
}
