#include "load.h"

#include "tally.h"

typedef struct {
    Fleet *fleet;
    Tally tally;
    uv_loop_t *loop;
    size_t requests;
    size_t unsent;
} Load;

static void answered(void *context, Answer answer) {
    Load *load = context;
    tally_add(&load->tally, answer);
    if (load->unsent) {
        load->unsent--;
        fleet_send(load->fleet);
    } else if (load->tally.count == load->requests) {
        uv_stop(load->loop);
    }
}

void load_run(uv_loop_t *loop, const Options *options) {
    Load load = {
        .loop = loop, .requests = options->requests, .unsent = options->requests - options->concurrency};
    load.fleet = fleet_new(loop, options, answered, &load);
    tally_begin(&load.tally, options->requests);
    for (size_t i = 0; i < options->concurrency; i++) fleet_send(load.fleet);
    uv_run(loop, UV_RUN_DEFAULT);
    tally_print(&load.tally);
    tally_free(&load.tally);
    fleet_free(load.fleet);
}
