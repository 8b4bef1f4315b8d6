// The pages of --explain=NAME, one for each kind of message: docs/errors/NAME.md, which CMake
// embeds in the program.
#ifndef TCPC_TELL_PAGES_H
#define TCPC_TELL_PAGES_H

struct page {
    const char *name, *text;
};

extern const struct page pages[];
extern const int n_pages;

#endif
