#pragma once
#include <stdint.h>

// What OpenSSL tells of the connections that it makes for libcurl: the alerts of the other side, of which libcurl keeps the
// words alone, and floods. A server of HTTP/2 can send frames without an end that are for no request. libcurl reads them as
// fast as they come and hands out nothing, so that no limit of time but the request's own ends it.

struct freshet_tls_connection;

/// What all connections of a multi report to. A connection is OpenSSL's `SSL`.
struct freshet_tls_observer {
    /// The connection that a record was read from last.
    struct freshet_tls_connection *current;
    void *owner;
    /// An alert of RFC 8446, section 6, has come on the connection.
    void (*alerted)(void *owner, const void *connection, int alert);
    /// The connection floods. Returns whether anybody uses it.
    int (*flooded)(void *owner, const void *connection);
};

/// Has the connection of `context`, an `SSL_CTX`, observed, of which libcurl makes one for each; it is gone before `observer` is.
void freshet_tls_observe(struct freshet_tls_observer *observer, void *context);

/// Something was handed out to a transfer, or sent by one.
void freshet_tls_moved(struct freshet_tls_observer *observer);

/// The alert of a server that wants to see a certificate of the client.
extern const long freshet_alert_certificate_required;
