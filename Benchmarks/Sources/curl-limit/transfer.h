#pragma once
#include <curl/curl.h>
#include <stdint.h>

#include "options.h"

/// An easy handle that is kept, and its transfer.
typedef struct {
    CURL *easy;
    const Options *options;
    void *owner;
    uint64_t began;
    size_t received;
    /// The body, where it is kept.
    char *body;
    struct curl_slist *headers;
    /// The one that this is on: a `Multi`.
    void *multi;
} Transfer;

/// Sets all that its requests have in common.
void transfer_init(Transfer *, const Options *, CURLU *, void *owner);
/// Makes ready for the next request.
void transfer_begin(Transfer *);
/// Whether the answer that has ended is the right one, of the right length.
int transfer_is_right(const Transfer *, CURLcode);
void transfer_free(Transfer *);

static inline Transfer *transfer_of(CURL *easy) {
    char *transfer;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
    return (Transfer *)transfer;
}

/// Parsed once: libcurl parses what it is given as a string for each transfer.
CURLU *url_of(const char *text);
