#pragma once

// The headers of the system that Swift's module of the C library leaves out.

#include <errno.h>
#include <execinfo.h>
#include <linux/stat.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <termios.h>
#include <unistd.h>

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

/// Whether another job has the terminal of standard input, with settings of its own. To change them would stop this process.
static inline int freshet_is_in_background(void) {
    pid_t group = tcgetpgrp(STDIN_FILENO);
    return group > 0 && group != getpgrp();
}

static inline struct termios *freshet_prompt_settings(void) {
    static struct termios settings;
    return &settings;
}

/// Sets the terminal as the prompt needs it. It calls only functions that a handler may call. Source: signal-safety(7).
static inline void freshet_continue_prompt(int number) {
    int code = errno;
    if (!freshet_is_in_background()) tcsetattr(STDIN_FILENO, TCSANOW, freshet_prompt_settings());
    errno = code;
}

/// Sets the terminal now, and whenever the process continues after Ctrl-Z: the shell has changed it meanwhile. Ctrl-\ leaves no
/// file with the memory of the process, in which the secret is.
static inline void freshet_begin_prompt(const struct termios *settings) {
    struct rlimit none = {0};
    setrlimit(RLIMIT_CORE, &none);
    *freshet_prompt_settings() = *settings;
    signal(SIGCONT, freshet_continue_prompt);
    freshet_continue_prompt(SIGCONT);
}

static inline void freshet_end_prompt(void) { signal(SIGCONT, SIG_DFL); }

// The functions take this constant of an enumeration as an `int`.
static const int freshet_timer_absolute = TFD_TIMER_ABSTIME;

/// The attributes of a file, as `STATX_ATTR_…`; zero if the kernel does not know them. Swift's module of the C library lacks the call.
/// Source: statx(2).
static inline unsigned long long freshet_file_attributes(const char *path) {
    // `AT_FDCWD` and `AT_SYMLINK_NOFOLLOW`. Their header would take `stat` away from Swift's module.
    const int folder = -100, flags = 0x100;
    struct statx file = {0};
    long result = syscall(SYS_statx, folder, path, flags, 0, &file);
    return result == 0 ? file.stx_attributes : 0;
}

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
