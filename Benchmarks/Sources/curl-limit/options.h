#pragma once
#include <stdbool.h>
#include <stddef.h>

/// What the command line asks for.
typedef struct {
    const char *url;
    size_t requests;
    size_t concurrency;
    /// How long each answer must be; 0 takes any length.
    size_t bytes;
    bool http2;
    /// Each request has the headers that a client with a token and with content codings sends.
    bool says_more;
    /// How long the token is in those headers.
    size_t token_bytes;
    /// All requests go through one multi handle, however many there are at a time.
    bool has_one_multi;
    /// Each answer's body is gathered in a buffer of its own, as a caller would.
    bool keeps_body;
    /// Another thread asks, and is given the answers.
    bool hands_off;
    /// A new connection for each request.
    bool fresh;
    const char *ca_file;
    /// Silent event streams that are open all the while.
    size_t streams;
    const char *stream_url;
    /// How long they are held when there is nothing else to do.
    size_t seconds;
    /// Where the body goes.
    const char *output;
} Options;

/// Ends the process with a word on how it is used if the arguments make no sense.
Options options_of(int count, char **arguments);
