#pragma once
#include <stddef.h>
#include <stdint.h>

// Brotli's decoder, for which no package has to be installed: libcurl brings the library along where it decodes `br`. Without
// it nothing here can tell whether a body in that coding is whole.

typedef struct BrotliDecoderStateStruct *freshet_brotli_decoder;

enum freshet_brotli_result {
    freshet_brotli_failed,
    freshet_brotli_done,
    freshet_brotli_needs_input,
    freshet_brotli_needs_output,
};

/// NULL where the library is not there.
freshet_brotli_decoder freshet_brotli_make(void);
void freshet_brotli_free(freshet_brotli_decoder decoder);

/// Decodes as much as there is and fits; moves `next` and `count` on, and lessens `space` by what it writes to `out`.
enum freshet_brotli_result freshet_brotli_decode(freshet_brotli_decoder decoder, const uint8_t **next, size_t *count,
                                                 uint8_t *out, size_t *space);
