#pragma once
// These are for Swift, whose module of the C library can't be imported by name on every system.
#include <errno.h>
#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

struct curl_sockaddr;

/// Opens a socket for libcurl that no child process inherits. Returns a negative errno if that fails.
///
/// Child processes inherit the two descriptors that each `curl_multi_init` of libcurl 7.88 opens for `curl_multi_wakeup`. No
/// function of libcurl returns them. Source: curl's issue 13618.
int freshet_open_socket(const struct curl_sockaddr *address);

/// Makes the kernel hold 256 KiB of received bytes on a connection, instead of 64 KiB at first. The kernel can still enlarge the
/// buffer further.
///
/// The kernel enlarges the buffer if more is read in one round trip than fits. A reader of 64 KiB at a time never achieves that.
/// On a short path, the server then sends each piece only after the previous one was read, which takes the reader's time. A high
/// low-water mark enlarges the buffer, and the size stays when the mark is lowered. SO_RCVBUF would stop the kernel's own tuning.
void freshet_widen(int fd);

/// Returns the local port of a socket; -1 if it has none.
int freshet_local_port(int fd);

/// Returns the port of the socket's peer, and writes the peer's address to `text`. Returns a negative number if the peer
/// has no internet address.
int freshet_peer(int fd, char *text, size_t size);

/// Whether a socket has a peer.
int freshet_is_connected(int fd);

/// Whether the other side has ended or reset a connection, and all bytes before that have been read.
int freshet_has_ended(int fd);

/// Whether the other side has reset a connection. Bytes from before the reset may be left to read.
int freshet_is_reset(int fd);

/// Makes the kernel hold back what is sent on a connection, or send it if `holds` is 0. Returns 0 if the kernel does so.
int freshet_cork(int fd, int holds);

/// Whether nothing has arrived on a connection, not even its end.
int freshet_is_silent(int fd);

/// Creates a socket of this machine that listens and does not wait. The system chooses its name, which is written to
/// `name`, in Linux's abstract name space, without a file. Returns a negative number if that fails.
int freshet_listen_apart(char *name, size_t size);

/// Reads the bytes that have arrived on a connection, without waiting for more.
ssize_t freshet_take(int fd, void *bytes, size_t size);

/// Returns how many of the bytes that were sent on a TCP connection its peer has acknowledged; -1 if the system does not
/// report it.
long long freshet_confirmed(int fd);

/// Ends a connection and removes the bytes that have arrived on it, so that the next reader finds its end.
/// If there are any, the connection is reset when its descriptor is closed.
void freshet_end_connection(int fd);
