#pragma once
#include <uv.h>

#include "options.h"

/// Writes the answer's body into a file as it comes, and prints what it took.
void download_run(uv_loop_t *, const Options *);
