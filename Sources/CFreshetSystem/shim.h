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

#if defined(__linux__)
#include <sys/timerfd.h>

// An enumeration's constant that the functions take as an `int`.
static const int freshet_timer_absolute = TFD_TIMER_ABSTIME;
#endif
