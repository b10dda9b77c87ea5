#pragma once
#include <curl/curl.h>

/// Has a URL name its host in the ASCII form (IDNA), for which libcurl asks libidn2.
///
/// That reads names in the charset of the thread's locale, which a program that sets none has at ASCII.
CURLUcode freshet_url_name_host_in_ascii(CURLU *url);
