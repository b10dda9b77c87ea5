#define _GNU_SOURCE
#include "feed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

/// The streams' times are spread over the period: so many have theirs together.
enum { slots = 100 };

typedef struct Stream Stream;

struct Stream {
    Stream *next, *previous;
    /// The ID of the event that was sent last.
    int64_t last;
    int slot;
};

struct Feed {
    /// In milliseconds.
    int64_t period;
    /// By descriptor.
    Stream *streams;
    size_t most;
    /// The heads of rings.
    Stream rings[slots];
    size_t begun;
    /// When the slot that is to be served next is due, in slots since 1970.
    int64_t due;
};

static const char head[] =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
    "Transfer-Encoding: chunked\r\n\r\n9\r\n: hello\n\n\r\n";

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

Feed *feed_new(int period, size_t most) {
    Feed *feed = calloc(1, sizeof *feed);
    feed->period = period < slots ? slots : period / slots * slots;
    feed->streams = calloc(most, sizeof(Stream));
    feed->most = most;
    for (int i = 0; i < slots; i++) feed->rings[i].next = feed->rings[i].previous = &feed->rings[i];
    feed->due = now() / (feed->period / slots) + 1;
    return feed;
}

/// The ID of the last event whose time has come.
static int64_t current(const Feed *feed, const Stream *stream, int64_t time) {
    return (time - stream->slot * (feed->period / slots)) / feed->period;
}

void feed_remove(Feed *feed, int client) {
    Stream *stream = &feed->streams[client];
    if (!stream->next) return;
    stream->next->previous = stream->previous;
    stream->previous->next = stream->next;
    stream->next = NULL;
}

/// Sends all of it, or makes an end: the rest of a piece would have to be kept.
static void put(Feed *feed, int client, const char *bytes, size_t count) {
    if (send(client, bytes, count, MSG_NOSIGNAL) == (ssize_t)count) return;
    feed_remove(feed, client);
    shutdown(client, SHUT_RDWR);
}

/// Sends the events up to `id`, many at a time.
static void bring_up_to(Feed *feed, int client, int64_t id) {
    Stream *stream = &feed->streams[client];
    char piece[8192];
    size_t size = 0;
    while (stream->next && stream->last < id) {
        stream->last++;
        char event[128];
        int length = snprintf(
            event, sizeof event, "id: %" PRId64 "\ndata: {\"number\": %" PRId64 ", \"text\": \"an event a period\"}\n\n",
            stream->last, stream->last);
        size += (size_t)snprintf(piece + size, sizeof piece - size, "%x\r\n%s\r\n", (unsigned)length, event);
        if (stream->last < id && size < sizeof piece - 2 * sizeof event) continue;
        put(feed, client, piece, size);
        size = 0;
    }
}

void feed_add(Feed *feed, int client, const char *request) {
    if ((size_t)client >= feed->most) return;
    Stream *stream = &feed->streams[client];
    if (stream->next) return;
    stream->slot = (int)(feed->begun++ % slots);
    int64_t id = current(feed, stream, now());
    const char *last = strcasestr(request, "\r\nLast-Event-ID:");
    stream->last = last ? strtoll(last + sizeof "\r\nLast-Event-ID:" - 1, NULL, 10) : id;
    Stream *ring = &feed->rings[stream->slot];
    stream->next = ring->next;
    stream->previous = ring;
    ring->next->previous = stream;
    ring->next = stream;
    put(feed, client, head, sizeof head - 1);
    bring_up_to(feed, client, id);
}

int feed_send(Feed *feed) {
    int64_t step = feed->period / slots;
    int64_t time = now();
    for (; feed->due * step <= time; feed->due++) {
        Stream *ring = &feed->rings[feed->due % slots];
        for (Stream *stream = ring->next, *next; stream != ring; stream = next) {
            next = stream->next;
            bring_up_to(feed, (int)(stream - feed->streams), current(feed, stream, time));
        }
    }
    return (int)(feed->due * step - time);
}
