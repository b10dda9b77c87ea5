#pragma once
// For Swift, whose module of the C library can't be imported by name on every system.
#include <errno.h>
#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

struct curl_sockaddr;

/// A socket for libcurl that no child process inherits; a negative errno if there is none to be had.
int freshet_open_socket(const struct curl_sockaddr *address);

/// Has the kernel hold 256 KiB of what comes on a connection, where it would begin with 64 KiB, and leaves it to it to find
/// more. It gives more room when more is read in one round trip than fits, which nobody can who reads 64 KiB at a time; a
/// server over a short way then sends each piece only when the one before has been read, on the time of who reads. To ask
/// for a high mark makes the room, and it stays when the mark goes. SO_RCVBUF would end the kernel's own search.
void freshet_widen(int fd);

/// The port of a socket's own end; -1 if it has none.
int freshet_local_port(int fd);

/// The port of the socket's peer, whose address is written to `text`; negative if it has none of the internet's.
int freshet_peer(int fd, char *text, size_t size);

/// Whether a socket has a peer.
int freshet_is_connected(int fd);

/// Whether the other side has ended or reset a connection, and all that came before has been read.
int freshet_has_ended(int fd);

/// Has the kernel hold back what is sent on a connection, or send it; 0 if it does.
int freshet_cork(int fd, int holds);

/// Whether nothing has come on a connection, not even its end.
int freshet_is_silent(int fd);

/// A socket of this machine that listens, and does not wait, under a name that the system chooses and that is written to `name`:
/// in Linux's abstract name space, without a file. A negative number if there is none to be had.
int freshet_listen_apart(char *name, size_t size);

/// Takes what has come on a connection, without waiting for it.
ssize_t freshet_take(int fd, void *bytes, size_t size);

/// How many bytes of what was sent on a TCP connection its peer has confirmed; -1 if the system does not say.
long long freshet_confirmed(int fd);

/// Ends a connection and takes what had come on it away, so that whoever looks next finds its end.
void freshet_end_connection(int fd);
