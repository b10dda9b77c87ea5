#include "download.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "multi.h"
#include "tally.h"
#include "transfer.h"

typedef struct {
    Transfer transfer;
    uv_loop_t *loop;
    int file;
    CURLcode code;
} Download;

static size_t save(char *bytes, size_t size, size_t count, void *context) {
    (void)size;
    Download *download = context;
    size_t done = 0;
    while (done < count) {
        ssize_t written = write(download->file, bytes + done, count - done);
        if (written < 0) return 0;
        done += (size_t)written;
    }
    download->transfer.received += count;
    return count;
}

static void finished(CURL *easy, CURLcode code) {
    Download *download = transfer_of(easy)->owner;
    download->code = code;
    uv_stop(download->loop);
}

void download_run(uv_loop_t *loop, const Options *options) {
    Download download = {.loop = loop, .file = open(options->output, O_WRONLY | O_CREAT | O_TRUNC, 0644)};
    if (download.file < 0) {
        perror(options->output);
        exit(1);
    }
    CURLU *url = url_of(options->url);
    Multi *multi = multi_new(loop, 1, finished);
    transfer_init(&download.transfer, options, url, &download);
    curl_easy_setopt(download.transfer.easy, CURLOPT_WRITEDATA, &download);
    curl_easy_setopt(download.transfer.easy, CURLOPT_WRITEFUNCTION, save);
    Tally tally;
    tally_begin(&tally, 1);
    transfer_begin(&download.transfer);
    multi_add(multi, download.transfer.easy);
    uv_run(loop, UV_RUN_DEFAULT);
    close(download.file);
    tally_add(
        &tally,
        (Answer){
            .is_right = transfer_is_right(&download.transfer, download.code),
            .bytes = download.transfer.received,
            .nanoseconds = uv_hrtime() - download.transfer.began,
        });
    tally_print(&tally);
    tally_free(&tally);
    transfer_free(&download.transfer);
    multi_free(multi);
    curl_url_cleanup(url);
}
