#pragma once
#include <stddef.h>
#include <stdint.h>

// Brotli's decoder. It needs no package, because a libcurl that decodes `br` loads the library. Without the library, it is not
// known whether a body in that coding is complete.

typedef struct BrotliDecoderStateStruct *freshet_brotli_decoder;

enum freshet_brotli_result {
    freshet_brotli_failed,
    freshet_brotli_done,
    freshet_brotli_needs_input,
    freshet_brotli_needs_output,
};

/// Creates a decoder; NULL if the library is not loaded.
freshet_brotli_decoder freshet_brotli_make(void);
void freshet_brotli_free(freshet_brotli_decoder decoder);

/// Decodes as much as there is and fits. Advances `next`, and reduces `count` and `space` by the bytes that it reads and
/// writes.
enum freshet_brotli_result freshet_brotli_decode(freshet_brotli_decoder decoder, const uint8_t **next, size_t *count,
                                                 uint8_t *out, size_t *space);
