#pragma once
#if __has_include(<hiredis/hiredis.h>)
#include <hiredis/hiredis.h>
#else
#error "the trait Redis needs libhiredis: apt-get install libhiredis-dev"
#endif
