// Response files: a word @FILE on the command line is replaced by the words in FILE.
#ifndef TCPC_DRIVER_RESPONSE_H
#define TCPC_DRIVER_RESPONSE_H

#include <stdbool.h>

struct arena;

// Replaces each word @FILE of "argv" by the words of FILE, also inside response files.  Words are
// separated by white space; '...', "..." and a backslash quote.  Words after "--" are not changed.
// The NULL that ends the words is followed by the paths of the files and another NULL.  Allocates
// from "a".  Reports an error and returns false if something is wrong.
bool response_expand(struct arena *a, int *argc, char ***argv);

#endif
