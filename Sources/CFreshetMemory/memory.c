#include "CFreshetMemory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PINNED = 1, LEFT = 2 };
/// The class of the pieces that no thread keeps.
enum { UNKEPT = UINT16_MAX };

/// The header before each piece. It has 16 bytes, as the alignment of the piece requires.
struct head {
    uint16_t class;
    uint16_t flags;
    // The room of its class in bytes. In a piece that is not kept, it is more than any thread keeps.
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

// The classes of up to 1 KiB have steps of 16 bytes, those of up to 256 KiB have steps of sixteenths of powers of two.
// Larger pieces are not kept. A handle of libcurl has a little over 5 KiB. Coarser steps would waste much of that, and
// there can be very many handles.
enum { STEP = 16, SMALL = 64, LARGEST = 256 * 1024, CLASSES = SMALL + 8 * 16 };
// The number of bytes that a thread keeps at most: the blocks of 5 and 64 KiB that about five hundred transfers have at a
// time.
enum { KEPT = 40 * 1024 * 1024 };
enum { AHEAD = 1024 * 1024 };

/// The pieces that a thread keeps.
struct store {
    // The number of bytes that the thread may keep in addition.
    size_t room_left;
    struct head *shelves[CLASSES];
};

// The store of a thread before it has freed its first piece, and after its end. It has no pieces and no room.
static struct store none;
static FRESHET_OF_THREAD struct store *store = &none;
FRESHET_OF_THREAD void *freshet_memory_latest_piece;
// The offset of the header line in libcurl's piece, as it was found last.
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

/// Creates the thread's store, which is freed when the thread ends.
///
/// Returns whether this call created it.
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

/// Allocates from glibc.
///
/// glibc enlarges the heap of a thread that is not the main one by no more than is requested: one system call for each page
/// or two. A larger piece that is allocated and freed at once leaves room for many. glibc maps the first such piece by
/// itself. After that one is freed, glibc puts the second one into the heap, and keeps twice as much at the heap's end.
static void *fresh(size_t size) {
    static _Thread_local size_t left;
    if (left < size) {
        left = AHEAD - AHEAD / 16;
        for (int piece = 0; piece < 2; piece++) {
            // `volatile` keeps the compiler from removing the unused allocation.
            void *volatile ahead = malloc(AHEAD);
            free(ahead);
        }
    }
    left -= size < left ? size : left;
    return malloc(size);
}

/// Allocates a piece if the thread keeps none of its size. It is a separate function, because the code that runs each time would
/// otherwise save and restore the registers that this needs.
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

/// Frees a piece for which there seems to be no room. The first call on a thread creates the store, and the piece can be
/// kept.
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
    // A pinned piece stays as it is.
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
    // libcurl does not keep status lines, so the piece is unknown then.
    if (!note->memory || (note->length >= 5 && memcmp(note->beginning, "HTTP/", 5) == 0)) return 0;
    const struct head *head = (const struct head *)note->memory - 1;
    // libcurl ends the name where the colon was, and does not keep the line's end.
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
