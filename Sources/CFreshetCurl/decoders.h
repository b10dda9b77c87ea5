#pragma once
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// The decoders that libcurl has with it do not tell it whether coded data has come to its end. These look for that alone, and
// throw away what they decode. They are in the process already where libcurl uses them, and are found there; what is said of
// their parts here is what their interfaces promise to keep.

struct freshet_zlib_stream {
    const unsigned char *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *msg;
    void *state, *zalloc, *zfree, *opaque;
    int data_type;
    unsigned long adler, reserved;
};
struct freshet_zstd_buffer {
    void *bytes;
    size_t size, position;
};

enum freshet_coding { freshet_deflate, freshet_brotli, freshet_zstd };

struct freshet_decoder {
    enum freshet_coding coding;
    // Whether the data has come to its end, and whether that can't be told.
    int has_ended, has_failed;
    unsigned long long decoded;
    void *state;
    struct freshet_zlib_stream zlib;
};

static inline void *freshet_found(const char *name) {
#ifdef __linux__
    return dlsym(NULL, name);
#else
    return NULL;
#endif
}

// `bits`: 15 as RFC 1950 has it, -15 for the bare data of RFC 1951, which some servers send.
static inline int freshet_begin_inflating(struct freshet_decoder *decoder, int bits) {
    int (*begin)(struct freshet_zlib_stream *, int, const char *, int);
    *(void **)&begin = freshet_found("inflateInit2_");
    memset(&decoder->zlib, 0, sizeof decoder->zlib);
    return begin && !begin(&decoder->zlib, bits, "1", (int)sizeof decoder->zlib);
}

static inline void freshet_decoder_free(struct freshet_decoder *decoder) {
    void (*end)(void *);
    *(void **)&end = freshet_found(decoder->coding == freshet_deflate  ? "inflateEnd"
                                   : decoder->coding == freshet_brotli ? "BrotliDecoderDestroyInstance"
                                                                       : "ZSTD_freeDStream");
    if (decoder->coding != freshet_deflate && decoder->state) end(decoder->state);
    if (decoder->coding == freshet_deflate && decoder->zlib.state) end(&decoder->zlib);
    free(decoder);
}

/// NULL if the coding can't be decoded here.
static inline struct freshet_decoder *freshet_decoder_make(enum freshet_coding coding) {
    void *(*brotli)(void *, void *, void *);
    void *(*zstd)(void);
    struct freshet_decoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder) return NULL;
    decoder->coding = coding;
    if (coding == freshet_deflate) {
        if (freshet_begin_inflating(decoder, 15)) return decoder;
    } else if (coding == freshet_brotli) {
        *(void **)&brotli = freshet_found("BrotliDecoderCreateInstance");
        if (brotli && (decoder->state = brotli(NULL, NULL, NULL))) return decoder;
    } else {
        *(void **)&zstd = freshet_found("ZSTD_createDStream");
        if (zstd && (decoder->state = zstd())) return decoder;
    }
    freshet_decoder_free(decoder);
    return NULL;
}

static inline void freshet_inflate(struct freshet_decoder *decoder, const unsigned char *bytes, size_t count,
                                   unsigned long long limit, unsigned char *out, size_t size) {
    int (*step)(struct freshet_zlib_stream *, int);
    int (*end)(void *);
    int isFirst = !decoder->zlib.total_in;
    *(void **)&step = freshet_found("inflate");
    *(void **)&end = freshet_found("inflateEnd");
    decoder->zlib.next_in = bytes;
    decoder->zlib.avail_in = (unsigned int)count;
    do {
        decoder->zlib.next_out = out;
        decoder->zlib.avail_out = (unsigned int)size;
        int code = step(&decoder->zlib, 0);
        decoder->decoded += size - decoder->zlib.avail_out;
        if (code == 1) decoder->has_ended = 1;
        if (code == -3 && isFirst && !decoder->decoded) {
            isFirst = 0;
            end(&decoder->zlib);
            if (!freshet_begin_inflating(decoder, -15)) decoder->has_failed = 1;
            decoder->zlib.next_in = bytes;
            decoder->zlib.avail_in = (unsigned int)count;
            continue;
        }
        if ((code && code != -5) || decoder->decoded > limit) decoder->has_failed = !decoder->has_ended;
    } while (!decoder->has_ended && !decoder->has_failed && (decoder->zlib.avail_in || !decoder->zlib.avail_out));
}

static inline void freshet_unbrotli(struct freshet_decoder *decoder, const unsigned char *bytes, size_t count,
                                    unsigned long long limit, unsigned char *out, size_t size) {
    int (*step)(void *, size_t *, const unsigned char **, size_t *, unsigned char **, size_t *);
    int code;
    *(void **)&step = freshet_found("BrotliDecoderDecompressStream");
    do {
        unsigned char *next = out;
        size_t left = size;
        code = step(decoder->state, &count, &bytes, &left, &next, NULL);
        decoder->decoded += size - left;
        if (code == 1) decoder->has_ended = 1;
        if (!code || decoder->decoded > limit) decoder->has_failed = !decoder->has_ended;
    } while (code == 3 && !decoder->has_failed);
}

static inline void freshet_unzstd(struct freshet_decoder *decoder, const unsigned char *bytes, size_t count,
                                  unsigned long long limit, unsigned char *out, size_t size) {
    size_t (*step)(void *, struct freshet_zstd_buffer *, struct freshet_zstd_buffer *);
    unsigned (*isError)(size_t);
    struct freshet_zstd_buffer from = {(void *)bytes, count, 0}, to;
    *(void **)&step = freshet_found("ZSTD_decompressStream");
    *(void **)&isError = freshet_found("ZSTD_isError");
    size_t code;
    do {
        to = (struct freshet_zstd_buffer){out, size, 0};
        code = step(decoder->state, &to, &from);
        decoder->decoded += to.position;
        // Another frame may follow.
        decoder->has_ended = !code;
        if (isError(code) || decoder->decoded > limit) decoder->has_failed = 1;
    } while (!decoder->has_failed && (from.position < from.size || (code && to.position == to.size)));
}

/// - `limit`: how much it may become; what becomes more is let be.
static inline void freshet_decoder_take(struct freshet_decoder *decoder, const void *bytes, size_t count,
                                        unsigned long long limit) {
    unsigned char out[16384];
    if (decoder->has_failed || (decoder->has_ended && decoder->coding != freshet_zstd) || !count) return;
    if (decoder->coding == freshet_deflate) freshet_inflate(decoder, bytes, count, limit, out, sizeof out);
    if (decoder->coding == freshet_brotli) freshet_unbrotli(decoder, bytes, count, limit, out, sizeof out);
    if (decoder->coding == freshet_zstd) freshet_unzstd(decoder, bytes, count, limit, out, sizeof out);
}
