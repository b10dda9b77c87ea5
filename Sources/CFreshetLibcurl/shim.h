#pragma once
// The type checks are macros around the variadic calls. The functions of CFreshetCurl do not need them.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
