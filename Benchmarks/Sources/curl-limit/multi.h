#pragma once
#include <curl/curl.h>
#include <uv.h>

/// A multi handle of libcurl's on a libuv loop.
typedef struct Multi Multi;

/// - Parameter easy: has been taken out of the multi, and may be added again at once.
typedef void Finished(CURL *easy, CURLcode);

/// - Parameter connections: how many are kept. Fewer than are in flight make each transfer open a new one.
Multi *multi_new(uv_loop_t *, long connections, Finished *);
void multi_add(Multi *, CURL *);
/// Takes out what has not ended.
void multi_remove(Multi *, CURL *);
/// Closes all connections; the loop has to run once more to let go of its handles.
void multi_free(Multi *);
