// A server of event streams for as many clients as the system lets in: streams that say a word and then nothing, or, with
// `--period MILLISECONDS`, streams with an event each period.
//
// Prints the port that it listens on, which `--port` may say, and ends when standard input does.
#define _GNU_SOURCE
#include <getopt.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "feed.h"

static const char word[] =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
    "Transfer-Encoding: chunked\r\n\r\nd\r\ndata: hello\n\n\r\n";

static const struct option words[] = {
    {"port", required_argument, NULL, 'p'}, {"period", required_argument, NULL, 'e'}, {NULL, 0, NULL, 0}};

static void need(int result, const char *what) {
    if (result >= 0) return;
    perror(what);
    exit(1);
}

static int listener(uint16_t port) {
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    // One that takes another's place finds the connections of that one still dying.
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(port)};
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
static void answer(Feed *feed, int client) {
    char piece[4096];
    ssize_t count = read(client, piece, sizeof piece - 1);
    if (count <= 0) {
        if (feed) feed_remove(feed, client);
        close(client);
    } else if (count >= 4 && !memcmp(piece + count - 4, "\r\n\r\n", 4)) {
        piece[count] = 0;
        if (feed) {
            feed_add(feed, client, piece);
        } else {
            need((int)write(client, word, sizeof word - 1), "write");
        }
    }
}

static rlim_t raise_limit_of_open_files(void) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur;
}

int main(int count, char **arguments) {
    uint16_t port = 0;
    int period = 0, option;
    while ((option = getopt_long(count, arguments, "", words, NULL)) != -1) {
        switch (option) {
        case 'p': port = (uint16_t)atoi(optarg); break;
        case 'e': period = atoi(optarg); break;
        default: fputs("usage: silent-server [--port PORT] [--period MILLISECONDS]\n", stderr); return 2;
        }
    }
    Feed *feed = period > 0 ? feed_new(period, (size_t)raise_limit_of_open_files()) : NULL;
    if (!feed) raise_limit_of_open_files();
    int listening = listener(port);
    int poll = epoll_create1(EPOLL_CLOEXEC);
    watch(poll, listening);
    watch(poll, STDIN_FILENO);
    struct epoll_event events[256];
    for (;;) {
        int ready = epoll_wait(poll, events, 256, feed ? feed_send(feed) : -1);
        for (int i = 0; i < ready; i++) {
            int descriptor = events[i].data.fd;
            if (descriptor == STDIN_FILENO) return 0;
            if (descriptor == listening) {
                accept_all(poll, listening);
            } else {
                answer(feed, descriptor);
            }
        }
    }
}
