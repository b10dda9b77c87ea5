#include "sockets.h"

// This function has its own file, because the C library's <netinet/tcp.h> declares an older `struct tcp_info`, which lacks
// the number.
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

long long freshet_confirmed(int fd) {
    struct tcp_info info;
    socklen_t size = sizeof info;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size)) return -1;
    // An older kernel fills only a part of the structure.
    if (size < offsetof(struct tcp_info, tcpi_bytes_acked) + sizeof info.tcpi_bytes_acked) return -1;
    return (long long)info.tcpi_bytes_acked;
}
