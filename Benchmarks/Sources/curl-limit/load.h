#pragma once
#include "fleet.h"

/// Sends all requests from the loop, so many at a time, and prints what it took.
void load_run(uv_loop_t *, const Options *);
