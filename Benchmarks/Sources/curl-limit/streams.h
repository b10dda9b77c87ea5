#pragma once
#include <uv.h>

#include "options.h"

/// Event streams, whose bytes are counted.
typedef struct Streams Streams;

/// Opens all of them, and returns when each has said its word.
Streams *streams_open(uv_loop_t *, const Options *);
/// Holds them for the options' seconds, and prints what they cost.
void streams_hold(Streams *);
void streams_free(Streams *);
