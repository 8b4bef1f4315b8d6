// Estimates what `tcpc run` needs for a kernel, before anything is allocated or executed (see
// program.h).
#include <inttypes.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "oracle/oracle.h"
#include "run/program.h"

// Limit for the program's buffers: a tensor's copies before and after the run, and what an output
// must contain for each element.
#define MOST_BYTES ((int64_t)1 << 34)
enum { BUFFERS = 3, EXPECTED = 8 };
// Limit for a block's own memory, 256 MB.  Registers and shared memory fill a hundredth of that,
// but elements of fragments may be far apart.
enum { BLOCK_PAGES = 1 << 17 };
// The number of moved elements is estimated, and the oracle has its own limit ORACLE_LIMIT, so only
// what is far beyond is refused here.
#define MOST_MOVED (4 * ORACLE_LIMIT)
// On the host, some millions of elements are moved in a second without optimization.
#define LONG_MOVED ((int64_t)1 << 21)

int64_t run_storage(const struct oracle_flat *f) {
    int64_t last = f->offset;
    if (f->size == 0) return 0;
    for (int i = 0; i < f->n; ++i) {
        int64_t reach;
        if (__builtin_mul_overflow(f->extent[i] - 1, f->stride[i], &reach) ||
            (reach > 0 && __builtin_add_overflow(last, reach, &last)))
            return -1;
    }
    if (f->sw.b > 0) {  // a swizzle permutes within blocks of this size
        int64_t block = (int64_t)1 << (f->sw.m + f->sw.b + (f->sw.s < 0 ? -f->sw.s : f->sw.s));
        last += block - 1 - last % block;
    }
    return last < ((int64_t)1 << 40) ? last + 1 : -1;
}

int64_t run_pages(const struct run_case *c, const struct kernel *k) {
    int64_t sum = BLOCK_PAGES;
    for (int i = 0; i < k->nformals; ++i) {
        struct oracle_flat f;
        if (k->formal[i].dir == ARG_IN) continue;
        if (oracle_flatten(k->formal[i].tensor->layout, c->sym_values, &f))
            sum += run_storage(&f) / IMAGE_PAGE + 1;
    }
    return sum;
}

// Elements and iterations of "list", with the values "env" of the variables around it and each
// loop's variable in the middle; INT64_MAX / 2: that many or more.
static int64_t moved(struct session *s, const struct kernel *k, const struct stmt *list,
                     struct ix_env *env, int64_t *var) {
    int64_t sum = 0;
    for (const struct stmt *x = list; x; x = x->next) {
        int64_t n = 1, times = 1, begin, end;
        if (x->kind == STMT_COPY) {
            const struct view *v = lay_valid(x->copy->dst.layout) ? &x->copy->dst : &x->copy->src;
            if (!lay_valid(v->layout) ||
                !lay_int_eval(lay_size(&s->lay, v->layout), env->sym, &n) || n < 1)
                n = 1;
            if (x->copy->facts.level == LEVEL_THREAD) times = copy_team(x->copy, k->threads);
        } else if (x->kind == STMT_PART) {
            n = moved(s, k, x->body, env, var);
        } else if (stmt_loops(x)) {
            if (!ix_eval(x->begin, env, &begin) || !ix_eval(x->end, env, &end) || end <= begin)
                continue;
            times = end - begin;
            var[x->var->id] = begin + times / 2;
            n = 1 + moved(s, k, x->body, env, var);
        }
        if (__builtin_mul_overflow(n, times, &n) || __builtin_add_overflow(sum, n, &sum) ||
            sum > INT64_MAX / 2)
            return INT64_MAX / 2;
    }
    return sum;
}

// The same for all blocks, estimated from one in the middle of the grid.
static int64_t moved_by(struct session *s, const struct kernel *k, const int64_t *sym) {
    int64_t *var = ARENA_ARRAY(&s->arena, int64_t, k->end_var + 1), blocks = 1, all;
    struct ix_env env = {var, sym};
    for (int a = 0; a < 3; ++a) {
        int64_t n;
        if (!lay_int_eval(k->grid[a], sym, &n) || n < 1) return 0;
        if (__builtin_mul_overflow(blocks, n, &blocks)) return INT64_MAX;
        if (k->block[a]) var[k->block[a]->id] = n / 2;
    }
    return __builtin_mul_overflow(blocks, moved(s, k, k->body, &env, var), &all) ? INT64_MAX : all;
}

const char *run_instead(const struct run_case *c) {
    return c->plan->nparams
               ? "set smaller params with --param NAME=N"
               : "make an extent a param or a const, and set it with --param NAME=N or -D NAME=N";
}

const char *run_too_large(struct session *s, const struct run_case *c, const struct kernel *k,
                          bool check) {
    const struct formal *largest = NULL;
    int64_t bytes = 0, most = 0;
    for (int i = 0; i < k->nformals; ++i) {
        const struct tensor *t = k->formal[i].tensor;
        struct oracle_flat f;
        int64_t own;
        if (!oracle_flatten(t->layout, c->sym_values, &f)) continue;  // reported by run_write_main
        own = run_storage(&f);
        if (own < 0) own = (int64_t)1 << 40;  // or more
        own *= BUFFERS * (t->elem->bits / 8) + (k->formal[i].dir != ARG_IN ? EXPECTED : 0);
        if (own >= most) {
            most = own;
            largest = &k->formal[i];
        }
        if (__builtin_add_overflow(bytes, own, &bytes)) bytes = INT64_MAX;
    }
    if (bytes > MOST_BYTES)
        return arena_printf(&s->arena,
                            "kernel '%s' needs %" PRId64 " GB of the host's memory, %" PRId64
                            " GB of it for '%s'; the limit is %" PRId64 " GB: %s",
                            k->name, bytes >> 30, most >> 30, largest->tensor->name,
                            MOST_BYTES >> 30, run_instead(c));
    int64_t n = check ? moved_by(s, k, c->sym_values) : 0;
    if (n > MOST_MOVED)
        return arena_printf(&s->arena,
                            "kernel '%s' moves about %" PRId64
                            " elements, which are compared one by one; the limit is %" PRId64
                            ": %s",
                            k->name, n, ORACLE_LIMIT, run_instead(c));
    return NULL;
}

bool run_is_long(struct session *s, const struct run_case *c, const struct kernel *k) {
    return moved_by(s, k, c->sym_values) > LONG_MOVED;
}
