#pragma once
#include <stdint.h>

#include "fleet.h"

/// What has become of the requests, and what it took.
typedef struct {
    size_t count;
    size_t errors;
    size_t bytes;
    /// Of each, in microseconds.
    uint32_t *latencies;
    uint64_t began;
    double processor_began;
} Tally;

/// Begins to take the time.
void tally_begin(Tally *, size_t requests);
void tally_add(Tally *, Answer);
/// Prints the line of JSON.
void tally_print(Tally *);
void tally_free(Tally *);

/// Seconds of this process on the processor, the system's part included.
double processor_seconds(void);
/// Resident memory of this process now.
size_t resident_bytes(void);
