// The limit: what libcurl on libuv does with nothing above it.
#include <curl/curl.h>
#include <signal.h>
#include <sys/resource.h>
#include <uv.h>

#include "download.h"
#include "handoff.h"
#include "load.h"
#include "options.h"
#include "streams.h"

static void raise_limit_of_open_files(void) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int count, char **arguments) {
    Options options = options_of(count, arguments);
    raise_limit_of_open_files();
    signal(SIGPIPE, SIG_IGN);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    uv_loop_t loop;
    uv_loop_init(&loop);
    Streams *streams = options.streams ? streams_open(&loop, &options) : NULL;
    if (streams && !options.requests) {
        streams_hold(streams);
    } else if (options.output) {
        download_run(&loop, &options);
    } else if (options.hands_off) {
        handoff_run(&loop, &options);
    } else {
        load_run(&loop, &options);
    }
    if (streams) streams_free(streams);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    curl_global_cleanup();
}
