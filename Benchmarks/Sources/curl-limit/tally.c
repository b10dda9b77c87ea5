#include "tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

void tally_begin(Tally *tally, size_t requests) {
    *tally = (Tally){.latencies = calloc(requests, sizeof(uint32_t))};
    tally->processor_began = processor_seconds();
    tally->began = uv_hrtime();
}

void tally_add(Tally *tally, Answer answer) {
    tally->latencies[tally->count++] = (uint32_t)(answer.nanoseconds / 1000);
    tally->bytes += answer.bytes;
    tally->errors += !answer.is_right;
}

static int ascending(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

void tally_print(Tally *tally) {
    double seconds = (double)(uv_hrtime() - tally->began) / 1e9;
    double processor = processor_seconds() - tally->processor_began;
    double count = (double)tally->count;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    qsort(tally->latencies, tally->count, sizeof(uint32_t), ascending);
    printf(
        "{\"name\": \"limit\", \"requests\": %zu, \"seconds\": %.6f, \"rps\": %.1f, \"cpu_s\": %.6f, "
        "\"cpu_us_per_request\": %.3f, \"peak_rss_kb\": %ld, \"errors\": %zu, \"p50_us\": %u, \"p99_us\": %u, "
        "\"bytes\": %zu}\n",
        tally->count, seconds, count / seconds, processor, processor / count * 1e6, usage.ru_maxrss, tally->errors,
        tally->latencies[tally->count / 2], tally->latencies[tally->count * 99 / 100], tally->bytes);
}

void tally_free(Tally *tally) {
    free(tally->latencies);
}

double processor_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

size_t resident_bytes(void) {
    long whole, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &whole, &resident) != 2) resident = 0;
    if (file) fclose(file);
    return (size_t)resident * (size_t)sysconf(_SC_PAGESIZE);
}
