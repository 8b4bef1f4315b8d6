// Evaluates launchers (kernel/launch.h) with the messages of the runtime and the arithmetic of C,
// in the order of the emitted text (emit/write_ix.c).
#include "kernel/evaluate.h"

#include <stdarg.h>
#include <stdio.h>

#include "kernel/kernel_ir.h"
#include "tcp_apart.h"
#include "tcp_messages.h"

struct arguments {
    const struct kir_launch *l;
    const int64_t *param;
    const uint64_t *address;
};

// -- values ---------------------------------------------------------------------------------------

// Like the runtime's tcp_exact: records that a value exceeded 64 bits.
struct exact {
    int64_t value;
    bool lost;
};

static struct exact add(struct exact a, struct exact b) {
    struct exact r = {0, a.lost || b.lost};
    r.lost |= __builtin_add_overflow(a.value, b.value, &r.value);
    return r;
}

static struct exact subtract(struct exact a, struct exact b) {
    struct exact r = {0, a.lost || b.lost};
    r.lost |= __builtin_sub_overflow(a.value, b.value, &r.value);
    return r;
}

static struct exact multiply(struct exact a, struct exact b) {
    struct exact r = {0, a.lost || b.lost};
    r.lost |= __builtin_mul_overflow(a.value, b.value, &r.value);
    return r;
}

// The quotient, or with "rest" the remainder.
static struct exact divide(struct exact a, struct exact b, bool rest) {
    struct exact r = {0, a.lost || b.lost};
    if (b.value > 0) r.value = rest ? a.value % b.value : a.value / b.value;
    return r;
}

static struct exact just(int64_t value) {
    return (struct exact){value, false};
}

static struct exact value_of_int(const struct arguments *a, struct lay_int x);
static struct exact value_of(const struct arguments *a, const struct ix *e);

static struct exact value_of_sym(const struct arguments *a, const struct lay_sym *y) {
    if (!y->name) return divide(add(value_of_int(a, y->of), just(y->by - 1)), just(y->by), false);
    for (int i = 0; i < a->l->nparams; ++i) {
        const struct kir_param *p = &a->l->param[i];
        if (p->sym == y) return p->sum ? value_of(a, p->sum) : just(a->param[i]);
    }
    return (struct exact){0, true};
}

static struct exact value_of_int(const struct arguments *a, struct lay_int x) {
    struct exact r = just(x.num);
    for (int i = 0; i < x.nsyms; ++i) r = multiply(r, value_of_sym(a, x.syms[i]));
    return x.den == 1 ? r : divide(r, just(x.den), false);
}

static struct exact value_of(const struct arguments *a, const struct ix *e) {
    struct exact r = just(0);
    switch (e->op) {
    case IX_VAR: return (struct exact){0, true};
    case IX_DIV:
    case IX_MOD: return divide(value_of(a, e->a), value_of_int(a, e->k), e->op == IX_MOD);
    case IX_SWZ:
        r = value_of(a, e->a);
        r.value = lay_swizzle_apply(e->sw, r.value);
        return r;
    case IX_SUM: break;
    }
    for (int i = 0; i < e->nterms; ++i) {
        struct ix_term t = e->term[ix_written(e, i)];
        bool minus = i > 0 && ix_take_minus(&t.coef);
        struct exact x = value_of_int(a, t.coef);
        if (t.atom) x = multiply(x, value_of(a, t.atom));
        r = i == 0 ? x : minus ? subtract(r, x) : add(r, x);
    }
    return r;
}

static uint64_t address_of(const struct arguments *a, const struct kir_tensor *t) {
    return a->address[t - a->l->tensor];
}

static int64_t param_value(const struct arguments *a, const struct kir_param *p) {
    return p->sum ? value_of(a, p->sum).value : a->param[p - a->l->param];
}

// -- checks ---------------------------------------------------------------------------------------

static bool any_zero(const struct arguments *a, struct kir_extents x) {
    for (int i = 0; i < x.n; ++i) {
        if (value_of(a, x.extent[i]).value == 0) return true;
    }
    return false;
}

static bool all_empty(const struct arguments *a, const struct kir_check *c) {
    for (int i = 0; i < c->nempty; ++i) {
        if (!any_zero(a, c->empty[i])) return false;
    }
    return true;
}

// Whether the bytes [at, at + bytes) of two tensors overlap.
static bool meet(const uint64_t at[2], const int64_t bytes[2]) {
    if (bytes[0] <= 0 || bytes[1] <= 0) return false;
    return at[0] + (uint64_t)bytes[0] > at[1] && at[1] + (uint64_t)bytes[1] > at[0];
}

// Whether the tensors of "c" are known to share no element, although their bytes overlap.
static bool interleave(const struct arguments *a, const struct kir_check *c) {
    tcp_mode mode[2][LAY_MAX_LEAVES];
    tcp_area area[2];
    for (int i = 0; i < 2; ++i) {
        const struct kir_tensor *t = c->tensor[i];
        for (int k = 0; k < t->nextents; ++k)
            mode[i][k] =
                (tcp_mode){value_of(a, t->extent[k]).value, value_of(a, t->stride[k]).value};
        area[i] = (tcp_area){address_of(a, t), t->elem->bits / 8, mode[i], t->nextents};
    }
    return tcp_apart(&area[0], &area[1]);
}

static bool fail(struct launch_result *out, tcp_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool fail(struct launch_result *out, tcp_status status, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    vsnprintf(out->message, sizeof out->message, format, ap);
    va_end(ap);
    out->status = status;
    return false;
}

static bool check_pointer(const struct arguments *a, const struct kir_tensor *t,
                          struct launch_result *out) {
    uint64_t at = address_of(a, t);
    int over = (int)(at % (uint64_t)t->align);
    if (!at) return fail(out, TCP_ERR_NULL, TCP_SAYS_NULL, a->l->name, t->name);
    if (over == 0) return true;
    return fail(out, TCP_ERR_ALIGNMENT, TCP_SAYS_ALIGNMENT, a->l->name, t->name, t->align,
                (const void *)(uintptr_t)at, over);
}

// Whether the launcher continues after "c".
static bool passes(const struct arguments *a, const struct kir_check *c,
                   struct launch_result *out) {
    const char *name = a->l->name;
    const struct kir_param *p = c->param;
    const struct kir_relation *r = c->relation;
    long long x = p ? param_value(a, p) : r ? value_of(a, r->a).value : 0;
    long long y = r ? value_of(a, r->b).value : 0;
    switch (c->kind) {
    case KIR_CHECK_RANGE:
        return (p->lo <= x && x <= p->hi) || fail(out, TCP_ERR_PRECONDITION, TCP_SAYS_RANGE, name,
                                                  p->name, x, (long long)p->lo, (long long)p->hi);
    case KIR_CHECK_MULTIPLE:
        return x % p->mul == 0 || fail(out, TCP_ERR_PRECONDITION, TCP_SAYS_MULTIPLE, name, p->name,
                                       x, (long long)p->mul);
    case KIR_CHECK_EXACT:
        return !value_of(a, c->value).lost ||
               fail(out, TCP_ERR_PRECONDITION, TCP_SAYS_EXACT, name, c->what);
    case KIR_CHECK_SUM: return true;
    case KIR_CHECK_RELATION:
        return ix_compares(r->op, x, y) ||
               fail(out, TCP_ERR_PRECONDITION, TCP_SAYS_RELATION, name, r->text, x, y);
    case KIR_CHECK_NOTHING: return !all_empty(a, c);
    case KIR_CHECK_POINTER: return any_zero(a, c->unless) || check_pointer(a, c->tensor[0], out);
    case KIR_CHECK_OVERLAP: break;
    }
    if (any_zero(a, c->unless)) return true;
    uint64_t at[2];
    int64_t bytes[2];
    for (int i = 0; i < 2; ++i) {
        at[i] = address_of(a, c->tensor[i]);
        bytes[i] = value_of(a, c->bytes[i]).value;
    }
    return !meet(at, bytes) || (c->between && interleave(a, c)) ||
           fail(out, TCP_ERR_OVERLAP, TCP_SAYS_OVERLAP, name, c->tensor[0]->name,
                c->tensor[1]->name);
}

// -- the launch -----------------------------------------------------------------------------------

const struct kir_variant *launch_choose(const struct kir_launch *l, const int64_t *param,
                                        const uint64_t *address) {
    const struct arguments a = {l, param, address};
    const struct kir_variant *v = l->variant;
    for (; v < l->variant + l->nvariants - 1; ++v) {
        bool fits = true;
        for (int i = 0; i < v->nwhen; ++i) {
            const struct kir_condition *c = &v->when[i];
            struct exact x = c->tensor ? just(0) : value_of(&a, c->value);
            bool idle = c->unless && value_of(&a, c->unless).value <= 1;
            fits &= c->tensor ? address_of(&a, c->tensor) % (uint64_t)c->by == 0
                              : idle || (!x.lost && x.value % c->by == 0);
        }
        if (fits) break;
    }
    return v;
}

void launch_evaluate(const struct kir_launch *l, const int64_t *param, const uint64_t *address,
                     struct launch_result *out) {
    const struct arguments a = {l, param, address};
    *out = (struct launch_result){.status = TCP_OK};
    for (int i = 0; i < l->nchecks; ++i) {
        if (!passes(&a, &l->check[i], out)) return;
    }
    const struct kir_variant *v = launch_choose(l, param, address);
    static const int64_t most[3] = {TCP_GRID_X, TCP_GRID_YZ, TCP_GRID_YZ};
    bool beyond = false, none = false;
    for (int i = 0; i < 3; ++i) {
        out->grid[i] = value_of_int(&a, v->kernel->grid[i]).value;
        beyond |= out->grid[i] < 0 || out->grid[i] > most[i];
        none |= out->grid[i] == 0;
    }
    if (beyond) {
        fail(out, TCP_ERR_GRID, TCP_SAYS_GRID, v->function, (long long)out->grid[0],
             (long long)out->grid[1], (long long)out->grid[2]);
    } else if (!none) {
        out->variant = v;
        out->threads = v->kernel->threads;
        out->shared_bytes = v->kernel->smem_bytes;
    }
}
