#include "observer.h"
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

const long freshet_alert_close_notify = SSL_AD_CLOSE_NOTIFY;
const long freshet_alert_user_canceled = SSL_AD_USER_CANCELLED;
const long freshet_alert_certificate_required = SSL_AD_CERTIFICATE_REQUIRED;

struct freshet_tls_connection {
    struct freshet_tls_observer *observer;
    // The number of records since something was last handed out or sent, and since the clock was last read.
    unsigned idle_records, unseen_records;
    // The number of bytes since something was last handed out or sent.
    uint64_t idle_bytes;
    // When the clock was last read, and for how long records have come that belong to no transfer; nanoseconds.
    int64_t latest, flooding;
};

enum {
    // The clock is read once per this many records. An honest server sends something for a transfer within as many.
    step = 16,
    // Fewer than `step` records in this time are no flood, and end one.
    silence = 500000000,
    limit = 1000000000,
};

static void look(struct freshet_tls_connection *connection, SSL *ssl) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    int64_t now = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
    int64_t span = now - connection->latest;
    connection->latest = now;
    // The responses to many requests can take many records before the first one is handed out. Time in which something was
    // handed out compensates for that.
    if (span > silence)
        connection->flooding = 0;
    else if (connection->idle_records > step)
        connection->flooding += span;
    else
        connection->flooding = connection->flooding > span ? connection->flooding - span : 0;
    if (connection->flooding < limit) return;
    connection->flooding = 0;
    // OpenSSL now reports that the server sends no more, so libcurl stops reading.
    if (connection->observer->flooded(connection->observer->owner, ssl, connection->idle_bytes))
        SSL_set_shutdown(ssl, SSL_RECEIVED_SHUTDOWN);
}

// OpenSSL's callback for what it reads and writes.
static void message(int isWritten, int version, int kind, const void *bytes, size_t count, SSL *ssl, void *context) {
    struct freshet_tls_connection *connection = context;
    (void)version;
    if (isWritten) {
        connection->observer->sent_records++;
        return;
    }
    if (kind == SSL3_RT_ALERT && count == 2)
        connection->observer->alerted(connection->observer->owner, ssl, ((const unsigned char *)bytes)[1]);
    // Each record has one header.
    if (kind != SSL3_RT_HEADER) return;
    connection->idle_records++;
    if (count >= SSL3_RT_HEADER_LENGTH)
        connection->idle_bytes += ((const unsigned char *)bytes)[3] << 8 | ((const unsigned char *)bytes)[4];
    if (++connection->unseen_records < step) return;
    connection->unseen_records = 0;
    look(connection, ssl);
}

// OpenSSL's callback for the end of a context.
static void ended(void *parent, void *held, CRYPTO_EX_DATA *data, int place, long argument, void *pointer) {
    (void)parent, (void)data, (void)place, (void)argument, (void)pointer;
    free(held);
}

// The index at which contexts hold their connection.
static int place = -1;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void take_place(void) { place = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, ended); }

void freshet_tls_moved(const void *ssl) {
    if (!ssl || place < 0) return;
    struct freshet_tls_connection *connection = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), place);
    if (connection) connection->idle_records = 0, connection->idle_bytes = 0;
}

void freshet_tls_observe(struct freshet_tls_observer *observer, void *context) {
    pthread_once(&once, take_place);
    struct freshet_tls_connection *connection = place < 0 ? NULL : calloc(1, sizeof *connection);
    if (!connection) return;
    connection->observer = observer;
    if (!SSL_CTX_set_ex_data(context, place, connection)) return free(connection);
    SSL_CTX_set_msg_callback_arg(context, connection);
    SSL_CTX_set_msg_callback(context, message);
}
