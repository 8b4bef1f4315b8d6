// The pages of --explain=NAME, one a kind of message: docs/errors/NAME.md, put into the program by
// CMake.
#ifndef TCPC_DRIVER_PAGES_H
#define TCPC_DRIVER_PAGES_H

struct page {
    const char *name, *text;
};

extern const struct page pages[];
extern const int n_pages;

#endif
