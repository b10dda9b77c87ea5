#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Memory for libcurl, which asks for some forty pieces a request and gives them back soon: each thread keeps what it is
// given back, by size, and hands it out again without a lock. The functions are those of the C library.

void *freshet_memory_allocate(size_t size);
void *freshet_memory_allocate_zeroed(size_t count, size_t size);
void *freshet_memory_resize(void *memory, size_t size);
char *freshet_memory_copy(const char *text);
void freshet_memory_free(void *memory);

/// A variable of the thread's that is found without a call, for which the few bytes have to be there when the program starts.
#define FRESHET_OF_THREAD _Thread_local __attribute__((tls_model("initial-exec")))

/// What this thread was given last.
extern FRESHET_OF_THREAD void *freshet_memory_latest_piece;
static inline void *freshet_memory_latest(void) { return freshet_memory_latest_piece; }

/// Keeps a piece readable, and as it is, after it has been given back, until it is unpinned.
void freshet_memory_pin(void *memory);
void freshet_memory_unpin(void *memory);

typedef struct {
    void *memory;
    unsigned char length;
    char beginning[15];
} freshet_header_note;

/// Notes that the latest piece is the one in which libcurl keeps a header line. For each line of each response, so in place.
static inline void freshet_memory_note_header(freshet_header_note *note, const void *line, size_t length) {
    note->memory = freshet_memory_latest_piece;
    if (length >= sizeof note->beginning) {
        // In two steps that overlap: compilers call a function for the odd size.
        note->length = sizeof note->beginning;
        memcpy(note->beginning, line, 8);
        memcpy(note->beginning + 7, (const char *)line + 7, 8);
    } else {
        note->length = (unsigned char)length;
        memcpy(note->beginning, line, length);
    }
}

/// Whether the noted piece does hold the beginning of that line, where libcurl has it.
int freshet_memory_holds_header(const freshet_header_note *note);
