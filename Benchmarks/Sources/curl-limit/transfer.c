#include "transfer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

static size_t count_bytes(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes, (void)size;
    ((Transfer *)context)->received += count;
    return count;
}

static size_t keep_bytes(char *bytes, size_t size, size_t count, void *context) {
    (void)size;
    Transfer *transfer = context;
    if (!transfer->body) {
        curl_off_t length;
        curl_easy_getinfo(transfer->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
        if (length < 0) return 0;
        transfer->body = malloc((size_t)length);
    }
    memcpy(transfer->body + transfer->received, bytes, count);
    transfer->received += count;
    return count;
}

static const char authorization[] = "Authorization: Bearer ";

static void say_more(Transfer *transfer) {
    // As long as the token that the others send.
    size_t length = transfer->options->token_bytes;
    char *token = malloc(sizeof authorization + length);
    memcpy(token, authorization, sizeof authorization);
    memset(token + sizeof authorization - 1, 't', length);
    token[sizeof authorization - 1 + length] = '\0';
    transfer->headers = curl_slist_append(NULL, token);
    free(token);
    curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, transfer->headers);
    curl_easy_setopt(transfer->easy, CURLOPT_ACCEPT_ENCODING, "gzip, deflate, br, zstd");
}

void transfer_init(Transfer *transfer, const Options *options, CURLU *url, void *owner) {
    CURL *easy = curl_easy_init();
    *transfer = (Transfer){.easy = easy, .options = options, .owner = owner};
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(easy, CURLOPT_CURLU, url);
    // Without it libcurl sets and resets the handling of SIGPIPE around each of its calls.
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    // With a directory of certificates libcurl reads all of them for each connection.
    curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    if (options->ca_file) curl_easy_setopt(easy, CURLOPT_CAINFO, options->ca_file);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 65536L);
    if (options->http2) {
        curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
        // Wait for the first connection and share it.
        curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
    } else {
        curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    }
    if (options->fresh) {
        curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
        curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
    }
    if (options->says_more) say_more(transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, options->keeps_body ? keep_bytes : count_bytes);
}

void transfer_begin(Transfer *transfer) {
    free(transfer->body);
    transfer->body = NULL;
    transfer->received = 0;
    transfer->began = uv_hrtime();
}

int transfer_is_right(const Transfer *transfer, CURLcode code) {
    if (code != CURLE_OK) return 0;
    long status;
    curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
    return status == 200 && (!transfer->options->bytes || transfer->received == transfer->options->bytes);
}

void transfer_free(Transfer *transfer) {
    curl_easy_cleanup(transfer->easy);
    curl_slist_free_all(transfer->headers);
    free(transfer->body);
}

CURLU *url_of(const char *text) {
    CURLU *url = curl_url();
    if (curl_url_set(url, CURLUPART_URL, text, 0)) {
        fprintf(stderr, "%s is no URL\n", text);
        exit(2);
    }
    return url;
}
