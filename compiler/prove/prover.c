// The prover: the isl context and the limits of its work.
#include <isl/options.h>
#include <isl/version.h>

#include "base/session.h"
#include "prove/private.h"

// WIDE: with numbers of this many bits, an operation takes twice as long as with small ones.
enum { LEAST_LIMIT = 10000, WIDE = 96 };

static void abort_context(void *of) {
    isl_ctx_abort(of);
}

static void free_context(void *of) {
    isl_ctx_free(of);
}

struct prover *prover_new(struct session *s, const struct prove_promise *promise, int npromises) {
    struct prover *p = ARENA_NEW(&s->arena, struct prover);
    *p = (struct prover){.s = s, .promise = promise, .npromises = npromises};
    p->ctx = isl_ctx_alloc();
    if (!p->ctx) memory_out();
    p->work = (struct trap_work){abort_context, free_context, p->ctx, NULL};
    trap_work_add(&p->work);
    isl_options_set_on_error(p->ctx, ISL_ON_ERROR_CONTINUE);
    p->limit = s->options.proof_limit ? s->options.proof_limit : PROVE_LIMIT;
    isl_ctx_set_max_operations(p->ctx, p->limit);
    return p;
}

void prover_allow(struct prover *p, unsigned long limit) {
    unsigned long width = (unsigned long)p->width, n = limit / (1 + width * width / (WIDE * WIDE));
    isl_ctx_set_max_operations(p->ctx, n ? n : 1);  // 0 would be no limit
}

void prover_begin(struct prover *p) {
    p->term = NULL;
    p->why = NULL;
    p->width = 0;
    prover_allow(p, p->limit);
    isl_ctx_reset_operations(p->ctx);
}

void prover_widens(struct prover *p, int width) {
    if (width <= p->width) return;
    p->width = width;
    prover_allow(p, p->limit);
}

int prover_tries(struct prover *p, int width) {
    int before = p->width;
    if (isl_ctx_last_error(p->ctx) == isl_error_alloc) memory_out();
    isl_ctx_reset_error(p->ctx);
    isl_ctx_reset_operations(p->ctx);
    p->width = width;
    prover_allow(p, p->limit);
    return before;
}

void prover_again(struct prover *p) {
    bool last = !p->lean || !p->left_out;
    if (isl_ctx_last_error(p->ctx) == isl_error_quota && p->limit >= LEAST_LIMIT && last)
        p->limit /= 4;
    prover_tries(p, 0);
}

bool prover_asks(struct prover *p, enum prove_answer r) {
    bool first = !p->lean && !p->left_out, again = p->lean && p->left_out && r != PROVE_YES;
    p->lean = first;
    p->left_out = again;
    return first || again;
}

void prover_free(struct prover *p) {
    if (!p->ctx) return;
    recall_release(&p->recall);
    trap_work_drop(&p->work);
    isl_ctx_free(p->ctx);
    p->ctx = NULL;
}

// When isl gives up, it may still return a set, but a wrong one.
bool prover_gave_up(const struct prover *p) {
    return isl_ctx_last_error(p->ctx) != isl_error_none;
}

static const char OUT_OF_STEPS[] = "the proof takes more steps than it may (--proof-limit)";
static const char TOO_WIDE[] =
    "the proof takes more steps than it may with this many quotients and remainders by large "
    "numbers, which make each step slow (--proof-limit)";

static const char *const fixed[] = {NULL, OUT_OF_STEPS, TOO_WIDE};
enum { FIXED = sizeof fixed / sizeof *fixed };

int prover_why_kind(const struct prover *p) {
    for (int i = 0; i < FIXED; ++i)
        if (p->why == fixed[i]) return i;
    return -1;
}

void prover_set_why_kind(struct prover *p, int kind) {
    p->why = fixed[kind];
}

const char *prover_steps(const struct prover *p) {
    return p->width < WIDE ? OUT_OF_STEPS : TOO_WIDE;
}

const char *prover_why(const struct prover *p) {
    return p->why ? p->why : "neither a proof nor a counterexample was found";
}

void prover_set_why(struct prover *p, const char *why) {
    p->why = why;
}

bool prover_out_of_steps(const struct prover *p) {
    return p->why == OUT_OF_STEPS || p->why == TOO_WIDE;
}

const char *prove_version(void) {
    return isl_version();
}
