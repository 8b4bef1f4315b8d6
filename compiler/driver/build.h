// Building the program of `tcpc run`: which compiler, where the runtime is, and the command.
#ifndef TCPC_DRIVER_BUILD_H
#define TCPC_DRIVER_BUILD_H

#include <stdbool.h>

#include "driver/process.h"

struct session;

struct toolchain {
    bool gpu;
    char compiler[512];       // its path
    char runtime[512];        // the folder of tcp_runtime.h
    char library[512];        // the host runtime built beforehand, "" when there is none
    const char *arch;         // "sm_90"
    const char *plan_folder;  // where files of extern functions are looked for
    bool optimize;            // on the host: the program will run for longer than that takes
    int candidates;           // of `tcpc tune`, each with a file of its own; 0: `tcpc run`
};

// Finds compiler and runtime: for a GPU when nvcc and a GPU are there ("want" 0), always ("want" 1)
// or never (-1); "why" is what needs one then.  "cxx" is the host compiler that was asked for, or NULL.  Returns false after
// saying what is missing.
bool toolchain_find(struct toolchain *t, int want, const char *why, const char *cxx,
                    const char *arch);

// Builds "folder"/run from "folder"/plan.cu, or candidate_0.cu and so on, and "folder"/main.cpp.
// Returns the exit status, after
// saying what failed; the compiler's own words are printed too.
int toolchain_build(struct session *s, const struct toolchain *t, const struct workplace *w);

// Runs "argv", a program that was built, for at most "seconds".  Returns its exit status, which is
// 1 for any but 0 and 2, after saying how else it ended.
int toolchain_run(const struct workplace *w, const char *const *argv, int seconds);

#endif
