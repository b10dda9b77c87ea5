#pragma once
#include <stdint.h>

// Observes the connections that OpenSSL makes for libcurl. It reports floods, and the alerts of the other side, of which libcurl
// keeps only the text. An HTTP/2 server can send frames without end that belong to no request. libcurl reads them as fast as they
// arrive and hands out nothing, so only the request's own time limit would end that.

struct freshet_tls_connection;

/// The observer that all connections of a multi report to. A connection is OpenSSL's `SSL`.
struct freshet_tls_observer {
    /// The number of records that were sent, on all connections.
    unsigned long sent_records;
    void *owner;
    /// Called when an alert of RFC 8446, section 6, has arrived on the connection.
    void (*alerted)(void *owner, const void *connection, int alert);
    /// Called when the connection floods, with the number of bytes since something was last handed out or sent. Returns whether
    /// the connection ends.
    int (*flooded)(void *owner, const void *connection, uint64_t bytes);
};

/// Observes the connection of `context`, an `SSL_CTX`. libcurl makes one context for each connection, and frees it before
/// `observer`.
void freshet_tls_observe(struct freshet_tls_observer *observer, void *context);

/// Records that a transfer receives or sends something over `connection`, OpenSSL's `SSL`; `NULL` if there is none. libcurl often
/// reads and writes the records in other calls.
void freshet_tls_moved(const void *connection);

/// The alert with which the other side ends TLS.
extern const long freshet_alert_close_notify;

/// The alert that says that the side that ends TLS has not finished. It is no error. Source: RFC 8446 section 6.1.
extern const long freshet_alert_user_canceled;

/// The alert of a server that requires a certificate of the client.
extern const long freshet_alert_certificate_required;
