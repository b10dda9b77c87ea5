#pragma once
#include <stddef.h>
#include <stdint.h>

enum { PINNED = 1, LEFT = 2, SHARED = 4 };
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

/// Whether whoever asks for so much may ask for the buffer that transfers share.
static inline int may_be_buffer(size_t size) {
    return size == FRESHET_BUFFER + 1 || size == FRESHET_SHORT_BUFFER + 1;
}

/// The thread's shared buffer, if the call for it comes from where libcurl asks for a transfer's.
void *freshet_buffer(const void *caller);
/// Takes it back from one that has it.
void freshet_buffer_left(struct head *head);
