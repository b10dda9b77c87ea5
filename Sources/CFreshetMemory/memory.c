#include "CFreshetMemory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PINNED = 1, LEFT = 2 };
/// The class of what no thread keeps.
enum { UNKEPT = UINT16_MAX };

/// Before each piece: 16 bytes, as the alignment of what follows demands.
struct head {
    uint16_t class;
    uint16_t flags;
    // What its class has room for, in bytes, or more than any thread keeps.
    uint32_t room;
    union {
        struct head *next;
        size_t size;
    };
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KEEPS_NOTHING 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KEEPS_NOTHING 1
#endif
#endif

// Up to 1 KiB by 16 bytes, up to 256 KiB in sixteenths of powers of two; what is larger is not kept. A handle of libcurl's
// has a little over 5 KiB, of which coarser steps would waste much, and there may be very many.
enum { STEP = 16, SMALL = 64, LARGEST = 256 * 1024, CLASSES = SMALL + 8 * 16 };
// What a thread keeps at most, in bytes: the blocks of 5 and 64 KiB that some five hundred transfers have at a time.
enum { KEPT = 40 * 1024 * 1024 };
enum { AHEAD = 1024 * 1024 };

/// What a thread keeps.
struct store {
    // How much more there may be, in bytes.
    size_t room_left;
    struct head *shelves[CLASSES];
};

// Of a thread before it has given the first piece back, and after its end: nothing, and no room.
static struct store none;
static FRESHET_OF_THREAD struct store *store = &none;
FRESHET_OF_THREAD void *freshet_memory_latest_piece;
// Where libcurl has the line in its piece.
static _Thread_local size_t usual;
#ifndef KEEPS_NOTHING
static _Thread_local int is_asked;
static pthread_key_t ending;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void clear(void *memory) {
    struct store *mine = memory;
    store = &none;
    for (int class = 0; class < CLASSES; class++) {
        while (mine->shelves[class]) {
            struct head *head = mine->shelves[class];
            mine->shelves[class] = head->next;
            free(head);
        }
    }
    free(mine);
}

static void prepare(void) { pthread_key_create(&ending, clear); }

/// Has the thread give up what it keeps when it ends.
///
/// Returns whether it keeps anything only now.
static int opens(void) {
    if (is_asked) return 0;
    is_asked = 1;
    pthread_once(&once, prepare);
    struct store *mine = calloc(1, sizeof *mine);
    if (!mine) return 0;
    if (pthread_setspecific(ending, mine) != 0) {
        free(mine);
        return 0;
    }
    mine->room_left = KEPT;
    store = mine;
    return 1;
}
#endif

static unsigned class_of(size_t size) {
    if (size <= SMALL * STEP) return size ? (unsigned)((size - 1) / STEP) : 0;
    unsigned power = 63 - (unsigned)__builtin_clzll(size - 1);
    return SMALL + (power - 10) * 16 + (unsigned)(((size - 1) >> (power - 4)) & 15);
}

static size_t room_of(unsigned class) {
    if (class < SMALL) return (class + 1) * STEP;
    unsigned sixteenth = (class - SMALL) % 16, power = 10 + (class - SMALL) / 16;
    return (size_t)(17 + sixteenth) << (power - 4);
}

static size_t room(const struct head *head) { return head->class == UNKEPT ? head->size : head->room; }

/// glibc lets the heap of a thread that is not the main one grow by no more than is asked for: a call of the system for
/// each page or two. A larger piece, taken and given back at once, leaves room for many. The first such piece is mapped
/// by itself; when that is given back, glibc has the heap hold the second, and keep twice as much at its end.
static void *fresh(size_t size) {
    static _Thread_local size_t left;
    if (left < size) {
        left = AHEAD - AHEAD / 16;
        for (int piece = 0; piece < 2; piece++) {
            // Or the compiler would see that nothing comes of it, and leave it out.
            void *volatile ahead = malloc(AHEAD);
            free(ahead);
        }
    }
    left -= size < left ? size : left;
    return malloc(size);
}

/// A piece that no shelf has. Apart from what is done each time, which would else save and restore what this needs.
static __attribute__((noinline)) void *make(size_t size) {
    struct head *head;
    if (size > LARGEST) {
        if (size > SIZE_MAX - sizeof *head) return NULL;
        head = malloc(sizeof *head + size);
        if (!head) return NULL;
        head->class = UNKEPT;
        head->room = UINT32_MAX;
        head->size = size;
    } else {
        unsigned class = class_of(size);
        size_t room = room_of(class);
        head = fresh(sizeof *head + room);
        if (!head) return NULL;
        head->class = (uint16_t)class;
        head->room = (uint32_t)room;
    }
    head->flags = 0;
    return freshet_memory_latest_piece = head + 1;
}

static inline void *allocate(size_t size) {
    if (size > LARGEST) return make(size);
    struct store *mine = store;
    struct head **shelf = &mine->shelves[class_of(size)];
    struct head *head = *shelf;
    if (!head) return make(size);
    *shelf = head->next;
    mine->room_left += head->room;
    return freshet_memory_latest_piece = head + 1;
}

void *freshet_memory_allocate(size_t size) { return allocate(size); }

#ifndef KEEPS_NOTHING
static inline void keep(struct head *head, struct store *mine) {
    mine->room_left -= head->room;
    head->next = mine->shelves[head->class];
    mine->shelves[head->class] = head;
}
#endif

/// Gives a piece back for which there seems to be no room.
static __attribute__((noinline)) void let_go(struct head *head) {
#ifndef KEEPS_NOTHING
    if (opens() && store->room_left >= head->room) {
        keep(head, store);
        return;
    }
#endif
    free(head);
}

static inline void give_back(struct head *head) {
#ifndef KEEPS_NOTHING
    struct store *mine = store;
    if (mine->room_left >= head->room) {
        keep(head, mine);
        return;
    }
#endif
    let_go(head);
}

void freshet_memory_free(void *memory) {
    if (!memory) return;
    struct head *head = (struct head *)memory - 1;
    if (head->flags & PINNED) {
        head->flags |= LEFT;
        return;
    }
    give_back(head);
}

void *freshet_memory_allocate_zeroed(size_t count, size_t size) {
    size_t all;
    if (__builtin_mul_overflow(count, size, &all)) return NULL;
    void *memory = allocate(all);
    return memory ? memset(memory, 0, all) : NULL;
}

void *freshet_memory_resize(void *memory, size_t size) {
    if (!memory) return allocate(size);
    struct head *head = (struct head *)memory - 1;
    size_t before = room(head);
    // What is pinned stays as it is.
    if (size <= before && !(head->flags & PINNED)) return freshet_memory_latest_piece = memory;
    void *larger = allocate(size);
    if (!larger) return NULL;
    memcpy(larger, memory, before < size ? before : size);
    freshet_memory_free(memory);
    return larger;
}

char *freshet_memory_copy(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = allocate(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

void freshet_memory_pin(void *memory) { ((struct head *)memory - 1)->flags |= PINNED; }

void freshet_memory_unpin(void *memory) {
    struct head *head = (struct head *)memory - 1;
    int left = head->flags & LEFT;
    head->flags = 0;
    if (left) give_back(head);
}

int freshet_memory_holds_header(const freshet_header_note *note) {
    // Status lines are not kept, and then nothing is known.
    if (!note->memory || (note->length >= 5 && memcmp(note->beginning, "HTTP/", 5) == 0)) return 0;
    const struct head *head = (const struct head *)note->memory - 1;
    // libcurl ends the name where the colon was, and the line's end is not kept.
    const char *colon = memchr(note->beginning, ':', note->length);
    size_t length = colon ? (size_t)(colon - note->beginning) : note->length;
    if (length == 0 || head->class == UNKEPT) return 0;
    const char *piece = note->memory;
    size_t size = room(head) < 64 + length ? room(head) : 64 + length;
    if (usual >= 16 && usual + length <= size && memcmp(piece + usual, note->beginning, length) == 0) return 1;
    for (size_t place = 16; place + length <= size; place++) {
        if (memcmp(piece + place, note->beginning, length)) continue;
        usual = place;
        return 1;
    }
    return 0;
}
