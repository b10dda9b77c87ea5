#include "streams.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>

#include "multi.h"
#include "tally.h"
#include "transfer.h"

/// How many are being opened at a time, so that no listener's queue overflows.
static const size_t opened_at_once = 256;

typedef struct {
    CURL *easy;
    Streams *streams;
    int has_spoken;
} Stream;

struct Streams {
    uv_loop_t *loop;
    const Options *options;
    /// One of their own: libcurl walks through all connections of a multi at the end of each transfer.
    Multi *multi;
    CURLU *url;
    Stream *all;
    size_t begun;
    size_t open;
    size_t lost;
    double seconds;
    size_t bytes_each;
    size_t received;
};

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes, (void)size;
    Stream *stream = context;
    stream->streams->received += count;
    if (!stream->has_spoken) {
        stream->has_spoken = 1;
        if (++stream->streams->open + stream->streams->lost == stream->streams->options->streams) {
            uv_stop(stream->streams->loop);
        }
    }
    return count;
}

static void ended(CURL *easy, CURLcode code) {
    (void)code;
    char *stream;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &stream);
    Streams *streams = ((Stream *)stream)->streams;
    if (++streams->lost + streams->open == streams->options->streams) uv_stop(streams->loop);
}

static void begin(Streams *streams, Stream *stream) {
    CURL *easy = curl_easy_init();
    *stream = (Stream){.easy = easy, .streams = streams};
    curl_easy_setopt(easy, CURLOPT_PRIVATE, stream);
    curl_easy_setopt(easy, CURLOPT_CURLU, streams->url);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    // A stream finds no connection to share, and looking for one among ten thousand takes long.
    curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, stream);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
    multi_add(streams->multi, easy);
}

static void begin_more(uv_check_t *turn) {
    Streams *streams = turn->data;
    while (streams->begun < streams->options->streams
           && streams->begun < streams->open + streams->lost + opened_at_once) {
        begin(streams, &streams->all[streams->begun++]);
    }
}

Streams *streams_open(uv_loop_t *loop, const Options *options) {
    Streams *streams = calloc(1, sizeof *streams);
    streams->loop = loop;
    streams->options = options;
    streams->multi = multi_new(loop, 1L << 20, ended);
    streams->url = url_of(options->stream_url);
    streams->all = calloc(options->streams, sizeof(Stream));
    size_t resident = resident_bytes();
    uint64_t start = uv_hrtime();
    uv_check_t turn;
    uv_check_init(loop, &turn);
    turn.data = streams;
    uv_check_start(&turn, begin_more);
    begin_more(&turn);
    uv_run(loop, UV_RUN_DEFAULT);
    streams->seconds = (double)(uv_hrtime() - start) / 1e9;
    streams->bytes_each = (resident_bytes() - resident) / options->streams;
    uv_close((uv_handle_t *)&turn, NULL);
    uv_run(loop, UV_RUN_NOWAIT);
    fprintf(stderr, "%zu streams are open, %zu lost\n", streams->open, streams->lost);
    return streams;
}

static void time_is_up(uv_timer_t *timer) {
    uv_stop(timer->loop);
}

void streams_hold(Streams *streams) {
    double processor = processor_seconds();
    size_t received = streams->received;
    uv_timer_t timer;
    uv_timer_init(streams->loop, &timer);
    uv_timer_start(&timer, time_is_up, streams->options->seconds * 1000, 0);
    uv_run(streams->loop, UV_RUN_DEFAULT);
    printf(
        "{\"name\": \"limit\", \"streams\": %zu, \"open_s\": %.6f, \"rss_bytes_per_stream\": %zu, \"cpu_s\": %.6f, "
        "\"errors\": %zu, \"bytes\": %zu}\n",
        streams->open, streams->seconds, streams->bytes_each, processor_seconds() - processor, streams->lost,
        streams->received - received);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(streams->loop, UV_RUN_NOWAIT);
}

void streams_free(Streams *streams) {
    for (size_t i = 0; i < streams->begun; i++) {
        multi_remove(streams->multi, streams->all[i].easy);
        curl_easy_cleanup(streams->all[i].easy);
    }
    multi_free(streams->multi);
    curl_url_cleanup(streams->url);
    free(streams->all);
    free(streams);
}
