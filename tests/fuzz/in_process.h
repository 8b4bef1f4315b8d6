// Compiling bytes as a plan in process: nothing is read or written but memory.
#ifndef TCPC_FUZZ_IN_PROCESS_H
#define TCPC_FUZZ_IN_PROCESS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/session.h"
#include "base/source.h"
#include "compile/compile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// What proofs may take here, so that runs are short; tcpc itself gives them 400000 operations.
enum { FUZZ_PROOF_LIMIT = 3000 };

struct trial {
    struct session s;
    struct given given;
    struct compiled c;
    int status;
};

// Compiles "size" bytes of "text" into CUDA C, without #line.  An exit status that says other
// than the diagnostics, or diagnostics that cannot be printed, end the process.
void trial_begin(struct trial *t, const char *text, size_t size);
void trial_end(struct trial *t);

#endif
