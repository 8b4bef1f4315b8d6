// Alignments: promised by the plan, ensured by the compiler, or else that of the element.
#include "plan/align.h"

static int64_t element(const struct tensor *t) {
    return t->elem->bits / 8;
}

// Whether the compiler chooses where "t" is.
static bool placed(const struct tensor *t) {
    return t->space != MEM_GLOBAL && !t->outside;
}

int64_t align_known(const struct tensor *t) {
    if (t->align) return t->align;
    if (!placed(t)) return element(t);
    return space_is_shared(t->space) ? ALIGN_PLACED : ALIGN_ACCESS;
}

int64_t align_counted_on(const struct kernel *k, const struct tensor *t) {
    if (t->align || placed(t) || !k->device) return align_known(t);
    return space_is_shared(t->space) ? ALIGN_PLACED : ALIGN_ACCESS;
}

bool align_can_be(const struct kernel *k, const struct tensor *t, int64_t bytes) {
    if (align_known(t) % bytes == 0) return true;
    if (placed(t)) return space_is_shared(t->space) && bytes <= ALIGN_BLOCK;
    return k->device && !t->align;
}

int64_t align_offset(const struct view *v) {
    int64_t by = v->offset ? ix_divisor(v->offset) : 0, bytes;
    // if the product overflows, its factor "by" is a divisor too
    return __builtin_mul_overflow(by, element(v->base), &bytes) ? by : bytes;
}

int64_t align_of_formal(const struct formal *f) {
    return f->tensor->align ? f->tensor->align : element(f->tensor);
}

static int64_t for_call(const struct plan_call *y, const struct tensor *t) {
    int64_t most = 1;
    for (int i = 0; !y->fill && i < y->fn->nformals; ++i) {
        int64_t asked = align_of_formal(&y->fn->formal[i]);
        if (y->view[i].base == t && asked > most) most = asked;
    }
    return most;
}

int64_t align_for_calls(const struct kernel *k, const struct tensor *t) {
    int64_t most = 1;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        int64_t asked = st->kind == STMT_CALL ? for_call(st->call, t) : 1;
        if (asked > most) most = asked;
    }
    for (const struct inlined *x = k->inlined; x; x = x->next) {
        int64_t asked = for_call(x->call, t);
        if (asked > most) most = asked;
    }
    return most;
}
