#include "CFreshetMemory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "piece.h"

// Where libcurl's buffers begin, as what the C library gives to all that is large: on a page.
enum { PAGE = 4096 };

/// The page before a buffer, at the end of which its head is, as before every piece.
struct front {
    atomic_size_t holders;
    char unused[PAGE - sizeof(atomic_size_t) - sizeof(struct head)];
    struct head head;
};

// Where libcurl's code goes on once it has been given a transfer's buffer.
static _Atomic(const void *) asking;
// What the probe of this thread has seen.
static _Thread_local int probing, seen;
static _Thread_local const void *seen_at;

static _Thread_local struct front *mine;
static pthread_key_t ending;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void leave(struct front *front) {
    if (atomic_fetch_sub_explicit(&front->holders, 1, memory_order_acq_rel) == 1) free(front);
}

static void clear(void *front) {
    mine = NULL;
    leave(front);
}

static void prepare(void) { pthread_key_create(&ending, clear); }

static struct front *made(void) {
    pthread_once(&once, prepare);
    struct front *front = aligned_alloc(PAGE, (sizeof *front + FRESHET_BUFFER + 1 + PAGE - 1) / PAGE * PAGE);
    if (!front) return NULL;
    atomic_init(&front->holders, 1);
    front->head = (struct head){.class = UNKEPT, .flags = SHARED, .room = UINT32_MAX};
    front->head.size = FRESHET_BUFFER + 1;
    if (pthread_setspecific(ending, front) != 0) {
        free(front);
        return NULL;
    }
    return mine = front;
}

void *freshet_buffer(const void *caller) {
    if (probing) {
        seen++;
        seen_at = caller;
        return NULL;
    }
    if (caller != atomic_load_explicit(&asking, memory_order_relaxed)) return NULL;
    struct front *front = mine ? mine : made();
    if (!front) return NULL;
    atomic_fetch_add_explicit(&front->holders, 1, memory_order_relaxed);
    return &front->head + 1;
}

void freshet_buffer_left(struct head *head) {
    leave((struct front *)((char *)(head + 1) - sizeof(struct front)));
}

int freshet_memory_learn_buffer(void (*ask_once)(void)) {
    probing = 1;
    seen = 0;
    ask_once();
    probing = 0;
    if (seen != 1) return 0;
    atomic_store_explicit(&asking, seen_at, memory_order_relaxed);
    return 1;
}

size_t freshet_memory_buffer_holders(void) {
    // The thread is one.
    return mine ? atomic_load_explicit(&mine->holders, memory_order_relaxed) - 1 : 0;
}
