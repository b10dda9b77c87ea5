#pragma once
#include <stddef.h>
#include <stdint.h>
#include <time.h>

// A server of HTTP/2 that sends frames as fast as they are read, and nothing for any request, holds libcurl in one act: as long
// as there is more to read and nothing to hand out, it reads on. OpenSSL says of each record that it reads, and in libcurl's
// loop nobody else is asked. What is said of OpenSSL here is what its interface promises to keep.

struct freshet_flood {
    /// What libcurl has read last in this act; NULL before it has read.
    const void *connection;
    /// The records since, up to the last that had something for a transfer.
    unsigned records;
    /// When the clock was looked at last, and how long such records have come in this act without an end; nanoseconds.
    int64_t latest, lasted;
    /// Fails the transfers on a connection, and says whether there are any.
    int (*cut)(const void *connection, void *owner);
    void *owner;
    /// SSL_set_shutdown.
    void (*set_shutdown)(void *connection, int what);
};

enum {
    // The clock is looked at once in so many; what is honest has something for a transfer within fewer.
    freshet_flood_step = 16,
    freshet_flood_limit = 1000000000,
};

static inline void freshet_flood_look(struct freshet_flood *flood, void *connection) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    int64_t now = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
    if (flood->records > freshet_flood_step) flood->lasted += now - flood->latest;
    flood->latest = now;
    if (flood->lasted < freshet_flood_limit) return;
    flood->lasted = 0;
    // SSL_RECEIVED_SHUTDOWN: as if the server had said that it sends no more, which is the end of reading.
    if (flood->cut(connection, flood->owner)) flood->set_shutdown(connection, 2);
}

/// OpenSSL's callback for what it reads and writes.
static inline void freshet_flood_note(int isWritten, int version, int kind, const void *bytes, size_t count,
                                      void *connection, void *context) {
    struct freshet_flood *flood = context;
    // SSL3_RT_HEADER: once a record.
    if (isWritten || kind != 256) return;
    if (flood->connection != connection) {
        flood->connection = connection;
        flood->records = 0;
        flood->lasted = 0;
    }
    if (++flood->records % freshet_flood_step == 0) freshet_flood_look(flood, connection);
}

/// Has the connections of `context`, an SSL_CTX, watched, which has to be gone before `flood` is; not if this OpenSSL can't.
static inline void freshet_flood_watch(struct freshet_flood *flood, void *context) {
    static void *known[3];
    void (*set_callback)(void *, void (*)(int, int, int, const void *, size_t, void *, void *));
    long (*control)(void *, int, long, void *);
    set_callback = freshet_openssl_function(&known[0], "SSL_CTX_set_msg_callback");
    control = freshet_openssl_function(&known[1], "SSL_CTX_ctrl");
    flood->set_shutdown = freshet_openssl_function(&known[2], "SSL_set_shutdown");
    if (!set_callback || !control || !flood->set_shutdown) return;
    // SSL_CTRL_SET_MSG_CALLBACK_ARG.
    if (control(context, 16, 0, flood)) set_callback(context, freshet_flood_note);
}
