// Judges the order of accesses of Kernel IR, for exactly the steps that given params have.
//
// It is for changed code that check/order.h finds nothing in, and shares only the machine with it. It forgets no access
// and leaves out no step, so it is slow. It knows threads, warps and what the runtime's functions do: who says
// that a group is there speaks for its own thread and for whom it met; a wait in memory lets the threads of a warp meet.
//
// Copies come after accesses of threads that have fenced since, and after reads if the thread that issues them has, when it
// knew that these are over. Where another thread has overwritten the memory in
// between, a fence anywhere on the way is enough: nobody sees what was there before (PTX asks for one along the path).
#ifndef TCPC_TESTS_RANDOM_JUDGE_ORDER_H
#define TCPC_TESTS_RANDOM_JUDGE_ORDER_H

#include "kernel/kernel_ir.h"

enum judge_answer {
    JUDGE_RIGHT,
    JUDGE_WRONG,
    JUDGE_CANNOT_TELL  // calls, accesses of warps together, or global memory that is read and written
};

// "why": of a wrong one.
enum judge_answer judge_order(struct session *s, const struct kir_kernel *k, const int64_t *sym,
                              const char **why);

#endif
