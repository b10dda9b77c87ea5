#pragma once

/// Starts counting what the process allocates, on any thread.
void allocations_start(void);

/// Ends the count. Returns how often memory was asked for, or -1 where the allocator cannot be stood in for.
long allocations_stop(void);
