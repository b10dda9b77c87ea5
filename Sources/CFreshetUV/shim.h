#pragma once
#include <signal.h>
#include <uv.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

// Swift imports neither macros that cast, as SIG_IGN does, nor variadic functions, as prctl is.

static inline void freshet_ignore_broken_pipes(void) {
    signal(SIGPIPE, SIG_IGN);
}

static inline void freshet_name_thread(const char *name) {
#ifdef __linux__
    prctl(PR_SET_NAME, name, 0, 0, 0);
#else
    (void)name;
#endif
}
