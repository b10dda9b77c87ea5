#pragma once
#include <stddef.h>
#include <stdint.h>

/// Streams with an event each period.
///
/// An event's ID is the number of its period since 1970, so that a server that takes another's place goes on where that one
/// was, and knows what a client has missed who says which event it had last.
typedef struct Feed Feed;

/// - Parameter most: descriptors that there may be.
Feed *feed_new(int period, size_t most);
/// Begins to answer `request`: with what it has missed, if it has a `Last-Event-ID`, else with the next event.
void feed_add(Feed *, int client, const char *request);
void feed_remove(Feed *, int client);
/// Sends what is due.
///
/// - Returns: the milliseconds until the next is.
int feed_send(Feed *);
