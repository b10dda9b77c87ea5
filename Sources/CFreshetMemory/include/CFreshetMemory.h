#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Memory functions for libcurl, which allocates about forty pieces per request and frees them soon. Each thread keeps freed
// pieces by size, and hands them out again without a lock. The functions are those of the C library.

void *freshet_memory_allocate(size_t size);
void *freshet_memory_allocate_zeroed(size_t count, size_t size);
void *freshet_memory_resize(void *memory, size_t size);
char *freshet_memory_copy(const char *text);
void freshet_memory_free(void *memory);

/// A variable of a thread that is found without a function call. Its few bytes must be available when the program starts.
#define FRESHET_OF_THREAD _Thread_local __attribute__((tls_model("initial-exec")))

/// The piece that this thread has allocated last.
extern FRESHET_OF_THREAD void *freshet_memory_latest_piece;
static inline void *freshet_memory_latest(void) { return freshet_memory_latest_piece; }

/// Keeps a piece readable and unchanged after it was freed, until it is unpinned.
void freshet_memory_pin(void *memory);
void freshet_memory_unpin(void *memory);

typedef struct {
    void *memory;
    unsigned char length;
    char beginning[15];
} freshet_header_note;

/// Records that the latest piece is the one in which libcurl keeps a header line. It is inline, because it runs for each
/// line of each response.
static inline void freshet_memory_note_header(freshet_header_note *note, const void *line, size_t length) {
    note->memory = freshet_memory_latest_piece;
    if (length >= sizeof note->beginning) {
        // Two copies overlap, because compilers call a function for the odd size.
        note->length = sizeof note->beginning;
        memcpy(note->beginning, line, 8);
        memcpy(note->beginning + 7, (const char *)line + 7, 8);
    } else {
        note->length = (unsigned char)length;
        memcpy(note->beginning, line, length);
    }
}

/// Whether the recorded piece holds the beginning of that line at a place where libcurl can have it.
int freshet_memory_holds_header(const freshet_header_note *note);
