#pragma once
#include "fleet.h"

/// The same, asked for by another thread, which is given the answers.
void handoff_run(uv_loop_t *, const Options *);
