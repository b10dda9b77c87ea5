#include "brotli.h"

// These are the documented functions of <brotli/decode.h>, whose state is opaque. They are declared here and not included,
// so that building Freshet does not need libbrotli-dev. They are weak, so that a program also runs with a libcurl that has
// no Brotli.
typedef struct BrotliDecoderStateStruct BrotliDecoderState;
typedef enum {
    BROTLI_DECODER_RESULT_ERROR = 0,
    BROTLI_DECODER_RESULT_SUCCESS = 1,
    BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT = 2,
    BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT = 3
} BrotliDecoderResult;
typedef void *(*brotli_alloc_func)(void *opaque, size_t size);
typedef void (*brotli_free_func)(void *opaque, void *address);

__attribute__((weak)) BrotliDecoderState *BrotliDecoderCreateInstance(brotli_alloc_func allocate, brotli_free_func release,
                                                                      void *opaque);
__attribute__((weak)) BrotliDecoderResult BrotliDecoderDecompressStream(BrotliDecoderState *state, size_t *available_in,
                                                                        const uint8_t **next_in, size_t *available_out,
                                                                        uint8_t **next_out, size_t *total_out);
__attribute__((weak)) void BrotliDecoderDestroyInstance(BrotliDecoderState *state);

freshet_brotli_decoder freshet_brotli_make(void) {
    if (!BrotliDecoderCreateInstance || !BrotliDecoderDecompressStream || !BrotliDecoderDestroyInstance) return NULL;
    return BrotliDecoderCreateInstance(NULL, NULL, NULL);
}

void freshet_brotli_free(freshet_brotli_decoder decoder) { BrotliDecoderDestroyInstance(decoder); }

enum freshet_brotli_result freshet_brotli_decode(freshet_brotli_decoder decoder, const uint8_t **next, size_t *count,
                                                 uint8_t *out, size_t *space) {
    switch (BrotliDecoderDecompressStream(decoder, count, next, space, &out, NULL)) {
    case BROTLI_DECODER_RESULT_SUCCESS: return freshet_brotli_done;
    case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT: return freshet_brotli_needs_input;
    case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: return freshet_brotli_needs_output;
    default: return freshet_brotli_failed;
    }
}
