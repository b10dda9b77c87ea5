#pragma once
// The type checks are macros around the variadic calls, of no use to the functions of CFreshetCurl.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
