// Builds the program of `tcpc run`: finds the compiler and the runtime, and runs the build command.
#ifndef TCPC_RUN_BUILD_H
#define TCPC_RUN_BUILD_H

#include <stdbool.h>

#include "run/process.h"

struct session;

struct toolchain {
    bool gpu;
    char compiler[512];       // its path
    char runtime[512];        // the folder of tcp_runtime.h
    char library[512];        // a host runtime that is already built; "" if there is none
    const char *arch;         // "sm_90"
    const char *plan_folder;  // where files of extern functions are searched
    bool optimize;            // on the host: optimizing pays because the program runs longer
    int candidates;           // of `tcpc tune`, each in its own file; 0: `tcpc run`
};

// Finds the compiler and the runtime.  "want" 0: for a GPU if there are nvcc and a GPU; 1: for a
// GPU, or it is an error; -1: for the host.  "why" names what needs a GPU.  "cxx" is the requested
// host compiler, or NULL.  Reports what is missing and returns false.
bool toolchain_find(struct toolchain *t, int want, const char *why, const char *cxx,
                    const char *arch);

// Builds "folder"/run from "folder"/plan.cu, or candidate_0.cu and so on, and "folder"/main.cpp.
// Reports errors, with the compiler's own messages, and returns the exit status.
int toolchain_build(struct session *s, const struct toolchain *t, const struct workplace *w);

// Runs the built program "argv" for at most "seconds".  Returns its exit status, but 1 for all
// others than 0 and 2, and reports if it ended in another way.
int toolchain_run(const struct workplace *w, const char *const *argv, int seconds);

#endif
