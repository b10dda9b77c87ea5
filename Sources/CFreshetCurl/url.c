#include "url.h"
#include <locale.h>

CURLUcode freshet_url_name_host_in_ascii(CURLU *url) {
    char *host = NULL;
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
    CURLUcode code = curl_url_get(url, CURLUPART_HOST, &host, CURLU_PUNYCODE);
    if (utf8) {
        uselocale(before);
        freelocale(utf8);
    }
    if (code == CURLUE_OK) code = curl_url_set(url, CURLUPART_HOST, host, 0);
    curl_free(host);
    return code;
}
