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

/// The sizes of buffers, in libcurl's count, that transfers share which use them one after the other.
enum { FRESHET_BUFFER = 64 * 1024, FRESHET_SHORT_BUFFER = 1024 };

/// Learns from where libcurl asks for a transfer's buffer, while `ask_once` has one transfer ask for one that is to be shared.
/// From then on transfers of one thread that ask for a buffer of these sizes all get the same.
///
/// Returns whether it is known.
int freshet_memory_learn_buffer(void (*ask_once)(void));

/// How many have this thread's buffer.
size_t freshet_memory_buffer_holders(void);

/// What this thread was given last.
extern FRESHET_OF_THREAD void *freshet_memory_latest_piece;
static inline void *freshet_memory_latest(void) { return freshet_memory_latest_piece; }

/// Keeps a piece readable, and as it is, after it has been given back, until it is unpinned.
void freshet_memory_pin(void *memory);
void freshet_memory_unpin(void *memory);

/// Whether a piece begins where a part of one does. What stands before that part may look as if it did.
int freshet_memory_begins(const void *part);

typedef struct {
    void *memory;
    unsigned char length;
    char beginning[15];
} freshet_header_note;

/// Notes that the latest piece is the one in which libcurl keeps a header line. For each line of each answer, so in place.
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

/// What the header lines of one of libcurl's handles come to.
typedef struct {
    /// Lines that certainly come next, if any do, and how many bytes they have with the one behind them, which `other` takes.
    const char *upcoming;
    size_t left;
    /// How many bytes of them have come.
    size_t seen;
    /// When the latest of them came, by the clock that stands at `clock`.
    int64_t latest;
    const int64_t *clock;
    /// Whether the latest line is to be noted, and the note.
    int notes;
    freshet_header_note note;
    /// Takes every other line, and says how much of it was taken.
    size_t (*other)(char *line, size_t count, void *owner);
    void *owner;
} freshet_header_lines;

/// libcurl's callback for header lines: most are known, and nobody need be called for them.
size_t freshet_header_lines_take(char *line, size_t size, size_t count, void *lines);

/// Whether the noted piece does hold the beginning of that line, where libcurl has it.
int freshet_memory_holds_header(const freshet_header_note *note);
