#pragma once
#include <stdbool.h>
#include <uv.h>

#include "options.h"

/// So many transfers at once on a loop.
typedef struct Fleet Fleet;

typedef struct {
    bool is_right;
    size_t bytes;
    uint64_t nanoseconds;
} Answer;

typedef void Answered(void *context, Answer);

Fleet *fleet_new(uv_loop_t *, const Options *, Answered *, void *context);
/// Sends a request; no more than the options' concurrency may be under way.
void fleet_send(Fleet *);
void fleet_free(Fleet *);
