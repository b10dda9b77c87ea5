#pragma once

// The headers of the system that Swift's module of the C library leaves out.

#if __has_include(<execinfo.h>)
#include <execinfo.h>
#else
// Musl has no backtraces.
static inline int backtrace(void **frames, int size) {
    (void)frames;
    (void)size;
    return 0;
}

static inline char **backtrace_symbols(void *const *frames, int size) {
    (void)frames;
    (void)size;
    return 0;
}
#endif

#include <signal.h>
#include <spawn.h>

/// Whether this process ignores a signal. Swift can't compare handlers, which are functions.
static inline int freshet_is_ignored(int number) {
    struct sigaction current;
    return sigaction(number, 0, &current) == 0 && current.sa_handler == SIG_IGN;
}

/// Lets a program start in a process group of its own, without blocked signals and with the default SIGPIPE. It would inherit
/// what the calling thread blocks, as threads of Dispatch do with nearly all signals, and that this process ignores SIGPIPE.
static inline void freshet_spawn_with_default_signals(posix_spawnattr_t *attributes) {
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(attributes, &signals);
    sigaddset(&signals, SIGPIPE);
    posix_spawnattr_setsigdefault(attributes, &signals);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

#if defined(__linux__)
#include <sys/timerfd.h>

// The functions take this constant of an enumeration as an `int`.
static const int freshet_timer_absolute = TFD_TIMER_ABSTIME;
#endif

#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>

/// Functions for the kernel's keyrings, which the C library lacks. Source: add_key(2), keyctl(2).
static inline long freshet_add_key(const char *description, const void *payload, size_t count, int keyring) {
    return syscall(SYS_add_key, "user", description, payload, count, keyring);
}

static inline long freshet_keyctl_link(int key, int keyring) { return syscall(SYS_keyctl, 8, key, keyring); }

static inline long freshet_keyctl_search(int keyring, const char *description) {
    return syscall(SYS_keyctl, 10, keyring, "user", description, 0);
}

static inline long freshet_keyctl_read(long key, void *payload, size_t count) {
    return syscall(SYS_keyctl, 11, key, payload, count);
}
#endif
