#include "options.h"

#include <curl/curl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "usage: curl-limit URL [--requests N] [--concurrency C] [--bytes EACH] [--http2] [--fresh] [--keep-body]\n"
    "                      [--handoff] [--headers] [--token-bytes N] [--one-multi] [--cacert FILE]\n"
    "                      [--beside N --stream-url URL]\n"
    "       curl-limit URL --streams N [--seconds S]\n"
    "       curl-limit URL -o FILE\n"
    "       curl-limit --version\n"
    "Addresses are given by number, and the answer is one line of JSON.\n";

static const struct option words[] = {
    {"requests", required_argument, NULL, 'n'},   {"concurrency", required_argument, NULL, 'c'},
    {"bytes", required_argument, NULL, 'b'},      {"http2", no_argument, NULL, '2'},
    {"keep-body", no_argument, NULL, 'k'},        {"handoff", no_argument, NULL, 'h'},
    {"headers", no_argument, NULL, 'H'},          {"one-multi", no_argument, NULL, '1'},
    {"fresh", no_argument, NULL, 'f'},            {"cacert", required_argument, NULL, 'a'},
    {"streams", required_argument, NULL, 's'},    {"beside", required_argument, NULL, 'B'},
    {"stream-url", required_argument, NULL, 'u'}, {"seconds", required_argument, NULL, 't'},
    {"output", required_argument, NULL, 'o'},     {"token-bytes", required_argument, NULL, 'T'},
    {"version", no_argument, NULL, 'V'},          {NULL, 0, NULL, 0},
};

static void refuse(void) {
    fputs(usage, stderr);
    exit(2);
}

static size_t number(const char *word) {
    char *end;
    size_t value = strtoull(word, &end, 10);
    if (*end || end == word) refuse();
    return value;
}

Options options_of(int count, char **arguments) {
    Options options = {.requests = 10000, .concurrency = 64, .token_bytes = 40};
    int word;
    bool is_beside = false;
    while ((word = getopt_long(count, arguments, "o:", words, NULL)) != -1) {
        switch (word) {
        case 'n': options.requests = number(optarg); break;
        case 'c': options.concurrency = number(optarg); break;
        case 'b': options.bytes = number(optarg); break;
        case '2': options.http2 = true; break;
        case 'k': options.keeps_body = true; break;
        case 'h': options.hands_off = true; break;
        case 'H': options.says_more = true; break;
        case '1': options.has_one_multi = true; break;
        case 'f': options.fresh = true; break;
        case 'a': options.ca_file = optarg; break;
        case 'B': is_beside = true; __attribute__((fallthrough));
        case 's': options.streams = number(optarg); break;
        case 'u': options.stream_url = optarg; break;
        case 't': options.seconds = number(optarg); break;
        case 'o': options.output = optarg; break;
        case 'T': options.token_bytes = number(optarg); break;
        case 'V': puts(curl_version()); exit(0);
        default: refuse();
        }
    }
    if (optind != count - 1 || !options.concurrency || !options.requests) refuse();
    options.url = arguments[optind];
    if (options.streams && !is_beside) {
        options.requests = 0;
        options.stream_url = options.url;
    }
    if (options.streams && !options.stream_url) refuse();
    if (options.concurrency > options.requests) options.concurrency = options.requests;
    return options;
}
