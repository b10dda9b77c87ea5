#include "fleet.h"

#include <stdlib.h>

#include "multi.h"
#include "transfer.h"

/// libcurl walks through all connections of a multi at the end of each transfer.
static const size_t transfers_a_multi = 64;

struct Fleet {
    Answered *answered;
    void *context;
    CURLU *url;
    Multi **multis;
    size_t multi_count;
    Transfer *transfers;
    size_t transfer_count;
    /// Those that wait for a request.
    Transfer **free;
    size_t free_count;
};

static void finished(CURL *easy, CURLcode code) {
    Transfer *transfer = transfer_of(easy);
    Fleet *fleet = transfer->owner;
    Answer answer = {
        .is_right = transfer_is_right(transfer, code),
        .bytes = transfer->received,
        .nanoseconds = uv_hrtime() - transfer->began,
    };
    fleet->free[fleet->free_count++] = transfer;
    fleet->answered(fleet->context, answer);
}

Fleet *fleet_new(uv_loop_t *loop, const Options *options, Answered *answered, void *context) {
    Fleet *fleet = calloc(1, sizeof *fleet);
    fleet->answered = answered;
    fleet->context = context;
    fleet->url = url_of(options->url);
    fleet->transfer_count = options->concurrency;
    // What shares connections must find them.
    bool is_alone = options->http2 || options->has_one_multi;
    fleet->multi_count = is_alone ? 1 : (options->concurrency + transfers_a_multi - 1) / transfers_a_multi;
    size_t kept = is_alone && options->concurrency > transfers_a_multi ? options->concurrency : transfers_a_multi;
    fleet->multis = calloc(fleet->multi_count, sizeof(Multi *));
    for (size_t i = 0; i < fleet->multi_count; i++) {
        fleet->multis[i] = multi_new(loop, (long)(2 * kept), finished);
    }
    fleet->transfers = calloc(fleet->transfer_count, sizeof(Transfer));
    fleet->free = calloc(fleet->transfer_count, sizeof(Transfer *));
    for (size_t i = fleet->transfer_count; i-- > 0;) {
        transfer_init(&fleet->transfers[i], options, fleet->url, fleet);
        fleet->transfers[i].multi = fleet->multis[i % fleet->multi_count];
        fleet->free[fleet->free_count++] = &fleet->transfers[i];
    }
    return fleet;
}

void fleet_send(Fleet *fleet) {
    Transfer *transfer = fleet->free[--fleet->free_count];
    transfer_begin(transfer);
    multi_add(transfer->multi, transfer->easy);
}

void fleet_free(Fleet *fleet) {
    for (size_t i = 0; i < fleet->transfer_count; i++) transfer_free(&fleet->transfers[i]);
    for (size_t i = 0; i < fleet->multi_count; i++) multi_free(fleet->multis[i]);
    curl_url_cleanup(fleet->url);
    free(fleet->transfers);
    free(fleet->multis);
    free(fleet->free);
    free(fleet);
}
