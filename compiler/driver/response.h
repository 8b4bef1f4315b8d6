// Response files: a word @FILE on the command line stands for the words in FILE.
#ifndef TCPC_DRIVER_RESPONSE_H
#define TCPC_DRIVER_RESPONSE_H

#include <stdbool.h>

struct arena;

// Replaces each word @FILE of "argv" by the words of FILE, also those in it, in memory of "a".
// Words are set apart by white space; '...', "..." and a backslash keep what they quote together.
// Words after "--" stay as they are.  After the NULL that ends the words are the paths of the
// files, with another NULL.  Returns false after saying what is wrong.
bool response_expand(struct arena *a, int *argc, char ***argv);

#endif
