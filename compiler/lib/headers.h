// The headers of the runtime that kernels include, which CMake embeds in the library.
#ifndef TCPC_LIB_HEADERS_H
#define TCPC_LIB_HEADERS_H

#include "tell/pages.h"

struct arena;

extern const struct page headers[];
extern const int n_headers;

// "text", which is emitted, with the headers that it uses in place of its #include.
const char *headers_inside(struct arena *a, const char *text);

#endif
