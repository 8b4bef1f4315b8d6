// Evaluates launchers (tcpc_launch.h) with the messages of the runtime and the arithmetic of C, in
// the order of the emitted text (emit/write_ix.c).
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "launch/launch.h"
#include "tcp_apart.h"
#include "tcp_messages.h"
#include "tcp_runtime.h"

_Static_assert((int)TCPC_LAUNCH_OK == TCP_OK && (int)TCPC_LAUNCH_NULL == TCP_ERR_NULL &&
                   (int)TCPC_LAUNCH_ALIGNMENT == TCP_ERR_ALIGNMENT &&
                   (int)TCPC_LAUNCH_PRECONDITION == TCP_ERR_PRECONDITION &&
                   (int)TCPC_LAUNCH_OVERLAP == TCP_ERR_OVERLAP &&
                   (int)TCPC_LAUNCH_GRID == TCP_ERR_GRID &&
                   (int)TCPC_MESSAGE_BYTES == TCP_ERROR_BYTES,
               "a status is that of the emitted launcher");

struct arguments {
    const struct tcpc_launch *l;
    const int64_t *param;
    const uint64_t *address;
};

// -- values ---------------------------------------------------------------------------------------

// Like the runtime's tcp_exact: records that a value exceeded 64 bits.
struct exact {
    int64_t value;
    bool lost;
};

static struct exact value_of(const int64_t *param, const struct tcpc_value *v);

static struct exact combine(const int64_t *param, const struct tcpc_expression *e) {
    struct exact r = value_of(param, &e->operand[0].of);
    for (int i = 1; i < e->n; ++i) {
        struct exact x = value_of(param, &e->operand[i].of);
        int64_t a = r.value;
        r.lost |= x.lost;
        if (e->op == EX_PRODUCT)
            r.lost |= __builtin_mul_overflow(a, x.value, &r.value);
        else if (e->op == EX_SUM && e->operand[i].minus)
            r.lost |= __builtin_sub_overflow(a, x.value, &r.value);
        else if (e->op == EX_SUM)
            r.lost |= __builtin_add_overflow(a, x.value, &r.value);
        else
            r.value = x.value <= 0 ? 0 : e->op == EX_MOD ? a % x.value : a / x.value;
    }
    return r;
}

static struct exact value_of(const int64_t *param, const struct tcpc_value *v) {
    const struct tcpc_expression *e = v->expression;
    if (!e) return (struct exact){v->number, false};
    switch (e->op) {
    case EX_NUMBER: return (struct exact){e->number, false};
    case EX_PARAM: return (struct exact){param[e->number], false};
    case EX_LOST: return (struct exact){0, true};
    case EX_SWIZZLE: {
        struct exact r = value_of(param, &e->operand[0].of);
        r.value = lay_swizzle_apply(e->sw, r.value);
        return r;
    }
    case EX_SUM:
    case EX_PRODUCT:
    case EX_DIV:
    case EX_MOD: break;
    }
    return combine(param, e);
}

int tcpc_value_at(const struct tcpc_value *v, const int64_t *param, int64_t *out) {
    struct exact x = value_of(param, v);
    *out = x.value;
    return !x.lost;
}

static int64_t number(const struct arguments *a, const struct tcpc_value *v) {
    return v->expression ? value_of(a->param, v).value : v->number;
}

static uint64_t address_of(const struct arguments *a, const struct tcpc_tensor *t) {
    size_t i = 0;
    while (a->l->tensor[i] != t) ++i;
    return a->address[i];
}

// -- checks ---------------------------------------------------------------------------------------

static bool any_zero(const struct arguments *a, const struct tcpc_values *x) {
    for (size_t i = 0; i < x->n; ++i)
        if (number(a, &x->value[i]) == 0) return true;
    return false;
}

static bool all_empty(const struct arguments *a, const struct tcpc_check *c) {
    for (size_t i = 0; i < c->nzeros; ++i)
        if (!any_zero(a, &c->zero[i])) return false;
    return true;
}

// Whether the bytes [at, at + bytes) of two tensors overlap.
static bool meet(const uint64_t at[2], const int64_t bytes[2]) {
    if (bytes[0] <= 0 || bytes[1] <= 0) return false;
    return at[0] + (uint64_t)bytes[0] > at[1] && at[1] + (uint64_t)bytes[1] > at[0];
}

// Whether the tensors of "c" are known to share no element, although their bytes overlap.
static bool interleave(const struct arguments *a, const struct tcpc_check *c) {
    tcp_mode mode[2][LAY_MAX_LEAVES];
    tcp_area area[2];
    for (int i = 0; i < 2; ++i) {
        const struct tcpc_tensor *t = c->tensor[i];
        int64_t bytes = t->element_bits / 8;
        for (size_t k = 0; k < t->nmodes; ++k)
            mode[i][k] =
                (tcp_mode){number(a, &t->mode[k]->extent), number(a, &t->mode[k]->stride) * bytes};
        area[i] = (tcp_area){address_of(a, t), (int)bytes, mode[i], (int)t->nmodes};
    }
    return tcp_apart(&area[0], &area[1]);
}

static bool fail(struct tcpc_call *out, enum tcpc_launch_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool fail(struct tcpc_call *out, enum tcpc_launch_status status, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    vsnprintf(out->message, sizeof out->message, format, ap);
    va_end(ap);
    out->status = status;
    return false;
}

static bool check_pointer(const struct arguments *a, const struct tcpc_tensor *t,
                          struct tcpc_call *out) {
    uint64_t at = address_of(a, t);
    int over = (int)(at & ((uint64_t)t->align - 1));
    if (!at) return fail(out, TCPC_LAUNCH_NULL, TCP_SAYS_NULL, a->l->name, t->name);
    if (over == 0) return true;
    return fail(out, TCPC_LAUNCH_ALIGNMENT, TCP_SAYS_ALIGNMENT, a->l->name, t->name, (int)t->align,
                (const void *)(uintptr_t)at, over, over == 1 ? "" : "s", (int)t->align);
}

static bool check_apart(const struct arguments *a, const struct tcpc_check *c,
                        struct tcpc_call *out) {
    uint64_t at[2];
    int64_t bytes[2];
    for (int i = 0; i < 2; ++i) {
        at[i] = address_of(a, c->tensor[i]);
        bytes[i] = number(a, &c->tensor[i]->bytes);
    }
    return !meet(at, bytes) || (c->interleaved && interleave(a, c)) ||
           fail(out, TCPC_LAUNCH_OVERLAP, TCP_SAYS_OVERLAP, a->l->name, c->tensor[0]->name,
                c->tensor[1]->name);
}

static bool compares(enum tcpc_relation r, int64_t x, int64_t y) {
    switch (r) {
    case TCPC_EQ: return x == y;
    case TCPC_NE: return x != y;
    case TCPC_LT: return x < y;
    case TCPC_LE: return x <= y;
    case TCPC_GT: return x > y;
    case TCPC_GE: break;
    }
    return x >= y;
}

// Whether the launcher continues after "c".
static bool passes(const struct arguments *a, const struct tcpc_check *c, struct tcpc_call *out) {
    const enum tcpc_launch_status bad = TCPC_LAUNCH_PRECONDITION;
    const char *name = a->l->name;
    const struct tcpc_param *p = c->param;
    long long x, y;
    switch (c->kind) {
    case TCPC_CHECK_RANGE:
        x = number(a, &p->value);
        return (p->least <= x && x <= p->most) || fail(out, bad, TCP_SAYS_RANGE, name, p->name, x,
                                                       (long long)p->least, (long long)p->most);
    case TCPC_CHECK_MULTIPLE:
        x = number(a, &p->value);
        return x % p->multiple == 0 ||
               fail(out, bad, TCP_SAYS_MULTIPLE, name, p->name, x, (long long)p->multiple);
    case TCPC_CHECK_FITS:
        return !value_of(a->param, &c->left).lost || fail(out, bad, TCP_SAYS_EXACT, name, c->text);
    case TCPC_CHECK_RELATION:
        x = number(a, &c->left);
        y = number(a, &c->right);
        return compares(c->relation, x, y) ||
               fail(out, bad, TCP_SAYS_RELATION, name, c->text, x, y);
    case TCPC_CHECK_NOTHING: return !all_empty(a, c);
    case TCPC_CHECK_POINTER:
    case TCPC_CHECK_APART: break;
    }
    if (c->nzeros && any_zero(a, c->zero)) return true;
    return c->kind == TCPC_CHECK_POINTER ? check_pointer(a, c->tensor[0], out)
                                         : check_apart(a, c, out);
}

// -- the launch -----------------------------------------------------------------------------------

static bool holds(const struct arguments *a, const struct tcpc_condition *c) {
    if (c->tensor) return address_of(a, c->tensor) % (uint64_t)c->multiple == 0;
    if (c->unless && number(a, c->unless) <= 1) return true;
    struct exact x = value_of(a->param, &c->value);
    return !x.lost && x.value % c->multiple == 0;
}

static const struct tcpc_variant *choose(const struct arguments *a) {
    size_t at = 0;
    for (; at + 1 < a->l->nvariants; ++at) {
        const struct tcpc_variant *v = a->l->variant[at];
        size_t i = 0;
        while (i < v->nconditions && holds(a, v->condition[i])) ++i;
        if (i == v->nconditions) break;
    }
    return a->l->variant[at];
}

const struct tcpc_variant *tcpc_launch_variant(const struct tcpc_launch *l, const int64_t *param,
                                               const uint64_t *address) {
    const struct arguments a = {l, param, address};
    return choose(&a);
}

static void put_arguments(const struct arguments *a, const struct tcpc_variant *v, char *to) {
    for (size_t i = 0; i < v->narguments; ++i) {
        const struct tcpc_argument *x = v->argument[i];
        if (x->map) continue;
        int64_t value = x->tensor ? 0 : number(a, &x->param->value);
        int32_t narrow = (int32_t)value;
        uint64_t at = x->tensor ? address_of(a, x->tensor) : 0;
        const void *from = x->tensor ? (void *)&at : x->bytes == 4 ? (void *)&narrow : &value;
        memcpy(to + x->offset, from, x->bytes);
    }
}

enum tcpc_launch_status tcpc_launch_evaluate(const struct tcpc_launch *l, const int64_t *param,
                                             const uint64_t *address, void *arguments,
                                             struct tcpc_call *out) {
    static const int64_t most[3] = {TCP_GRID_X, TCP_GRID_YZ, TCP_GRID_YZ};
    const struct arguments a = {l, param, address};
    // what the first tcpc_call had
    if (out->size < offsetof(struct tcpc_call, message) + sizeof out->message)
        return TCPC_LAUNCH_BAD_CALL;
    out->status = TCPC_LAUNCH_OK;
    out->variant = NULL;
    out->message[0] = 0;
    for (size_t i = 0; i < l->nchecks; ++i)
        if (!passes(&a, l->check[i], out)) return out->status;
    const struct tcpc_variant *v = choose(&a);
    int64_t grid[3];
    bool beyond = false, none = false;
    for (int i = 0; i < 3; ++i) {
        grid[i] = number(&a, v->grid[i]);
        out->grid[i] = (uint32_t)grid[i];
        beyond |= grid[i] < 0 || grid[i] > most[i];
        none |= grid[i] == 0;
    }
    if (beyond) {
        fail(out, TCPC_LAUNCH_GRID, TCP_SAYS_GRID, v->symbol, (long long)grid[0],
             (long long)grid[1], (long long)grid[2]);
    } else if (!none) {
        out->variant = v;
        if (arguments) put_arguments(&a, v, arguments);
    }
    return out->status;
}

// -- tensor maps ----------------------------------------------------------------------------------

static uint64_t map_address(const struct arguments *a, const struct tcpc_map *m) {
    return address_of(a, m->tensor) + (uint64_t)number(a, &m->offset);
}

// Whether the map's tensor has no element.
static bool is_empty(const struct arguments *a, const struct tcpc_map *m) {
    bool empty = false;
    for (int i = 0; i < m->rank; ++i) empty |= number(a, &m->extent[i]) == 0;
    return empty;
}

// The rules of a map, with the messages of the runtime (tcp_check_map).
static bool map_holds(const struct arguments *a, const struct tcpc_map *m, struct tcpc_call *out) {
    const char *kernel = a->l->name, *tensor = m->tensor->name;
    uint64_t at = map_address(a, m);
    if (at == 0) return fail(out, TCPC_LAUNCH_NULL, TCP_SAYS_NULL, kernel, tensor);
    if (at % 16)
        return fail(out, TCPC_LAUNCH_ALIGNMENT, TCP_SAYS_MAP_ADDRESS, kernel, tensor, (void *)at,
                    (int)(at % 16));
    for (int i = 0; i < m->rank; ++i) {
        int64_t extent = number(a, &m->extent[i]), stride = number(a, &m->stride[i]);
        if (extent < 1 || extent > (int64_t)1 << 32)
            return fail(out, TCPC_LAUNCH_PRECONDITION, TCP_SAYS_MAP_EXTENT, kernel, tensor, i,
                        (long long)extent);
        if (i == 0 || extent == 1) continue;
        if (stride % 16)
            return fail(out, TCPC_LAUNCH_PRECONDITION, TCP_SAYS_MAP_STRIDE, kernel, tensor, i,
                        (long long)stride, (long long)(stride + 15) / 16 * 16);
        if (stride < 0 || stride >= (int64_t)1 << 40)
            return fail(out, TCPC_LAUNCH_PRECONDITION, TCP_SAYS_MAP_FAR, kernel, tensor, i,
                        (long long)stride);
    }
    return true;
}

enum tcpc_launch_status tcpc_launch_map(const struct tcpc_launch *l, const struct tcpc_map *map,
                                        const int64_t *param, const uint64_t *address,
                                        struct tcpc_map_call *out, struct tcpc_call *call) {
    enum { SMALL = 128 * 1024 };
    const struct arguments a = {l, param, address};
    bool small = true;
    if (call->size < offsetof(struct tcpc_call, message) + sizeof call->message ||
        out->size < sizeof *out)
        return TCPC_LAUNCH_BAD_CALL;
    call->status = TCPC_LAUNCH_OK;
    call->message[0] = 0;
    bool empty = is_empty(&a, map);
    if (!empty && !map_holds(&a, map, call)) return call->status;
    *out = (struct tcpc_map_call){.size = out->size,
                                  .type = map->type,
                                  .rank = (uint32_t)map->rank,
                                  .address = empty ? 0 : map_address(&a, map)};
    for (int i = 0; i < map->rank; ++i) {
        int64_t extent = empty ? 1 : number(&a, &map->extent[i]), size;
        int64_t stride = extent == 1 ? TCPC_MAP_ZEROS : number(&a, &map->stride[i]);
        out->extent[i] = (uint64_t)extent;
        if (i) out->stride[i - 1] = (uint64_t)stride;
        out->box[i] = (uint32_t)map->box[i];
        out->step[i] = 1;
        small &=
            !__builtin_mul_overflow(extent, i ? stride : map->element_bytes, &size) && size < SMALL;
    }
    while (16 << out->swizzle < map->swizzle_bytes) ++out->swizzle;
    while (32 << out->promotion < map->l2_bytes) ++out->promotion;
    out->clear = small;
    return call->status;
}
