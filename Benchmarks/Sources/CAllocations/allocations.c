#include "allocations.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

// glibc lets a program define the allocator's functions; the whole process calls these then, the Swift runtime too.
#ifdef __GLIBC__

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static _Atomic(bool) counting;
static _Atomic(long) count;

static inline void counted(void) {
    if (atomic_load_explicit(&counting, memory_order_relaxed)) {
        atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    }
}

void *malloc(size_t size) {
    counted();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    counted();
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    counted();
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
    counted();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    counted();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    counted();
    void *memory = __libc_memalign(alignment, size);
    if (!memory) return ENOMEM;
    *result = memory;
    return 0;
}

void allocations_start(void) {
    atomic_store(&count, 0);
    atomic_store(&counting, true);
}

long allocations_stop(void) {
    atomic_store(&counting, false);
    return atomic_load(&count);
}

#else

void allocations_start(void) {}

long allocations_stop(void) { return -1; }

#endif
