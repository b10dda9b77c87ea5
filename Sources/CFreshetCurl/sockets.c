#include "sockets.h"
#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>

int freshet_open_socket(const struct curl_sockaddr *address) {
#ifdef SOCK_CLOEXEC
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
    int fd = socket(address->family, address->socktype, address->protocol);
#endif
    return fd < 0 ? -errno : fd;
}

void freshet_widen(int fd) {
    int mark = 1 << 18;
    if (setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof mark)) return;
    mark = 1;
    setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof mark);
}

int freshet_local_port(int fd) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (getsockname(fd, (struct sockaddr *)&address, &length)) return -1;
    if (address.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&address)->sin_port);
    if (address.ss_family == AF_INET6) return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
    return -1;
}

int freshet_peer(int fd, char *text, size_t size) {
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

int freshet_is_connected(int fd) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    return getpeername(fd, (struct sockaddr *)&address, &length) == 0;
}

int freshet_is_silent(int fd) {
    struct pollfd state = {.fd = fd, .events = POLLIN};
    // A signal can interrupt the call.
    return poll(&state, 1, 0) <= 0;
}

int freshet_listen_apart(char *name, size_t size) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t length = sizeof address;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    // The system chooses a name for an address without one.
    if (bind(fd, (struct sockaddr *)&address, offsetof(struct sockaddr_un, sun_path)) == 0 && listen(fd, 1) == 0 &&
        getsockname(fd, (struct sockaddr *)&address, &length) == 0) {
        // A zero byte precedes the name.
        size_t count = length - offsetof(struct sockaddr_un, sun_path) - 1;
        if (count < size) {
            memcpy(name, address.sun_path + 1, count);
            name[count] = 0;
            return fd;
        }
    }
    close(fd);
    return -1;
}

ssize_t freshet_take(int fd, void *bytes, size_t size) {
    return recv(fd, bytes, size, MSG_DONTWAIT);
}

void freshet_end_connection(int fd) {
    char rest[4096];
    // The system resets a connection that is closed with unread bytes. Without the reset, a server that waits for room to
    // send more would wait for up to two minutes, because it does not notice the end.
    struct linger reset = {.l_onoff = 1, .l_linger = 0};
    if (recv(fd, rest, 1, MSG_PEEK | MSG_DONTWAIT) > 0) setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    shutdown(fd, SHUT_RDWR);
    for (int count = 0; count < 1024; count++)
        if (recv(fd, rest, sizeof rest, MSG_DONTWAIT) == 0) break;
}

int freshet_has_ended(int fd) {
    // A call of recv would remove the error of a reset, and libcurl would find an end that the server chose.
    int left = 0;
    return !freshet_is_silent(fd) && (ioctl(fd, FIONREAD, &left) != 0 || left == 0);
}

int freshet_is_reset(int fd) {
    struct pollfd state = {.fd = fd};
    return poll(&state, 1, 0) == 1 && (state.revents & (POLLHUP | POLLERR)) != 0;
}

int freshet_cork(int fd, int holds) {
#ifdef TCP_CORK
    return setsockopt(fd, IPPROTO_TCP, TCP_CORK, &holds, sizeof holds);
#else
    (void)fd, (void)holds;
    return -1;
#endif
}
