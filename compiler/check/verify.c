// Tests lowering on every compile: compares Kernel IR with the meaning of the plan, for a few
// values of the params, blocks and iterations.
//
// What is executed, for up to three choices of the params, and one more for the widest variant: a
// small kernel completely; of a larger one, the blocks and iterations given in image/sample.h; of a
// pipeline of S stages, its first 2 * S + 2 steps.  After all blocks that represent a grid of
// several were executed once, other choices execute only the first and the last.  All choices share
// BUDGET.  If a block takes much of it, only one is executed for a choice, the first or the last.
// When the budget is spent, one execution is enough of a block and a later one, and of each
// variant.  The order of accesses is tested for the widest and the narrowest variant, with one
// choice.  The widths of integers are tested for each variant, in two blocks, with params as large
// as possible.  Asynchronous copies complete as late as possible, and once as early as possible
// (see compare).
//
// This is a test of lowering by samples.  The passes have proven that the plan keeps its promises.
#include "check/verify.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/session.h"
#include "image/image.h"
#include "layout/algebra.h"
#include "machine/values.h"
#include "oracle/oracle.h"
#include "plan/bind.h"
#include "plan/known.h"

enum { MAX_CHOICES = sizeof((struct verify_choices *)0)->choice / sizeof(int64_t *) };
// most elements of a kernel's tensors for executing it completely
#define WHOLE_LIMIT ((int64_t)1 << 14)
// elements moved for a kernel, besides what is executed in any case
#define BUDGET      ((int64_t)1 << 16)
#define BLOCK_LIMIT ((int64_t)1 << 20)  // a block that moves more elements is not executed
// Limit for the pages of an image, since distant elements are in separate pages.  Two images exist
// at once: the oracle's, with its writers, or the oracle's and the machine's.  A page has 2 KB, so
// both have at most 136 MB.  If several blocks exceed the limit, a single one is executed.
#define MOST_PAGES ((int64_t)1 << 15)
// Most elements and statements of an execution, whatever was expected.
#define MOST_STEPS (4 * BLOCK_LIMIT)

// The state shared by all executions of a kernel.
struct test {
    struct session *s;
    const struct plan *p;
    const struct kernel *k;
    const struct kir_kernel *x;  // its widest variant
    const int *own;              // for each variant: its choice
    bool *was_early;             // for each variant: executed with copies that complete early
    int64_t left;                // budget left
    int choices;                 // choices still to come
    bool executed, later;        // a block was executed; a block other than the first was
    bool several;                // all blocks that represent a grid of several were executed
    bool large;                  // several blocks exceeded the limit of pages
};

static bool written_or_local(void *user, int64_t buf) {
    const struct kernel *k = user;
    for (int i = 0; i < k->nformals; ++i) {
        if (image_global(k->formal[i].tensor->id) == buf) return k->formal[i].dir != ARG_IN;
    }
    return true;
}

static const char *tag_text(struct session *s, const struct kernel *k, int64_t tag) {
    if (tag == IMAGE_POISON) return "nothing";
    if (image_is_constant(tag)) return "a constant";
    for (int i = 0; i < k->nformals; ++i) {
        const struct tensor *t = k->formal[i].tensor;
        if (t->id == image_tag_tensor(tag)) {
            return arena_printf(&s->arena, "element %" PRId64 " of '%s'%s", image_tag_offset(tag),
                                t->name, elem_tag_types(s, tag));
        }
    }
    return "something else";
}

static const char *buffer_text(struct session *s, const struct kernel *k, int64_t buf) {
    for (int i = 0; i < k->nformals; ++i) {
        if (image_global(k->formal[i].tensor->id) == buf) {
            return arena_printf(&s->arena, "'%s'", k->formal[i].tensor->name);
        }
    }
    for (int i = 0; i < k->nlocal; ++i) {
        if (image_shared(k->local[i]->id) == buf)
            return arena_printf(&s->arena, "'%s'", k->local[i]->name);
    }
    return "a fragment";
}

static void set_inputs(const struct kernel *k, struct image *img) {
    for (int i = 0; i < k->nformals; ++i) {
        if (k->formal[i].dir != ARG_OUT) image_set_input(img, k->formal[i].tensor->id);
    }
}

// Reports that the meaning of a plan cannot be computed: numbers are too large, or a value was
// converted too often.  The passes have excluded all other reasons.
static void report_run(struct session *s, const struct kernel *k,
                       const struct oracle_report *report) {
    if (report->kind != ORACLE_NO_VALUE)
        BUG("kernel '%s' does not do what was proven: %s", k->name, report->text);
    diag_error(s, report->copy ? report->copy->at : k->at, "%s", report->text);
    if (report->tensor)
        diag_note(s, report->tensor->at, "'%s' is declared here", report->tensor->name);
}

// Elements that one block moves in at most "trips" iterations of a loop, plus the work for its
// statements; saturates at INT64_MAX / 2.
static int64_t moved(struct session *s, const struct kernel *k, const struct stmt *list,
                     const int64_t *sym, int64_t trips) {
    int64_t sum = 0;
    for (const struct stmt *x = list; x; x = x->next) {
        int64_t n = 0, times = trips, lo, end;
        if (stmt_orders(x)) continue;
        if (x->kind == STMT_COPY) {
            struct lay l =
                lay_valid(x->copy->dst.layout) ? x->copy->dst.layout : x->copy->src.layout;
            bool by_thread = x->copy->facts.level == LEVEL_THREAD;
            times = by_thread ? k->threads : 1;
            if (!lay_valid(l) || !lay_int_eval(lay_size(&s->lay, l), sym, &n)) n = 0;
            if (n < k->threads && !by_thread) n = k->threads;
            // a tile is processed completely even if it reaches beyond the view
            const struct tiled_copy *tc = x->copy->tc;
            if (tc && n > 0 && n < tc->threads * tc->values) n = tc->threads * tc->values;
        } else if (x->kind == STMT_CALL) {
            times = 1;
            for (int i = 0; i < x->call->fn->nformals; ++i) {
                const struct view *v = &x->call->view[i];
                int64_t size, threads = v->base->space == MEM_FRAG ? k->threads : 1;
                if (lay_valid(v->layout) && lay_int_eval(lay_size(&s->lay, v->layout), sym, &size))
                    n += size * threads;
            }
        } else if (x->kind == STMT_PART) {
            n = moved(s, k, x->body, sym, trips);
            times = 1;
        } else {
            int64_t most = trips;
            if (x->kind == STMT_PIPELINE && trips < INT64_MAX)
                most = times = sample_steps(pipeline_depth(x->pipe));
            n = 1 + moved(s, k, x->body, sym, trips);
            if (lay_int_eval(x->var->lo, sym, &lo) && lay_int_valid(x->var->end) &&
                lay_int_eval(x->var->end, sym, &end) && end - lo < most) {
                times = end > lo ? end - lo : 0;
            }
        }
        if (__builtin_mul_overflow(n, times, &n) || __builtin_add_overflow(sum, n, &sum) ||
            sum > INT64_MAX / 2) {
            return INT64_MAX / 2;
        }
    }
    return sum;
}

// Whether asynchronous copies may complete early or late, or roles may execute in two orders.
static bool any_async(const struct kir_node *list) {
    for (const struct kir_node *n = list; n; n = n->next) {
        if (n->kind == KIR_ASYNC || n->roles || any_async(n->body) || any_async(n->orelse))
            return true;
    }
    return false;
}

// Compares the code with the meaning.  If every iteration is executed, asynchronous copies complete
// as late as possible, because a wait counts all their groups.  Otherwise, and with "early" also,
// they complete immediately.
static void compare(struct session *s, const struct kernel *k, const struct kir_kernel *x,
                    const int64_t *sym, struct sample_set what, const struct image *meant,
                    bool early) {
    bool async = any_async(x->body);
    if (!kir_has_ends(x, sym)) return;
    for (int i = async && !what.all_iterations; i < 1 + (async && (early || !what.all_iterations));
         ++i) {
        struct image *made = image_new();
        set_inputs(k, made);
        what.early = i == 1;
        const char *why = kir_run(s, x, sym, &what, made, NULL);
        struct image_diff d;
        if (why) {
            BUG("the code for kernel '%s' makes a wrong access: %s", k->name, why);
        } else if (!image_equal(meant, made, written_or_local, (void *)k, &d)) {
            BUG("the code for kernel '%s' puts %s into element %" PRId64
                " of %s, where the plan means %s",
                k->name, tag_text(s, k, d.b), d.off, buffer_text(s, k, d.buf), tag_text(s, k, d.a));
        }
        image_free(made);
    }
}

static int64_t blocks_of(const struct kernel *k, const int64_t *sym) {
    int64_t blocks = 1;
    for (int i = 0; i < 3; ++i) {
        int64_t n;
        if (!lay_int_eval(k->grid[i], sym, &n) || __builtin_mul_overflow(blocks, n, &blocks))
            return INT64_MAX;
    }
    return blocks;
}

// Chooses how much to execute for the params' values "sym", choice "number".  False: nothing,
// because it would take too long.
static bool choose_sample(struct test *x, const int64_t *sym, int number, struct sample_set *what) {
    const struct kernel *k = x->k;
    int64_t blocks = blocks_of(k, sym), whole = moved(x->s, k, k->body, sym, INT64_MAX);
    int64_t block = moved(x->s, k, k->body, sym, SAMPLE_AXIS), sum, share = x->left / x->choices--;
    *what = (struct sample_set){.most = MOST_STEPS, .pages = MOST_PAGES};
    if (!x->large && oracle_elements(x->s, k, sym) <= WHOLE_LIMIT &&
        !__builtin_mul_overflow(blocks, whole + 1, &sum) && sum <= share) {
        what->all_blocks = what->all_iterations = true;
        x->left -= sum;
        return true;
    }
    // a block and a later one are executed in any case, and so are variants that have only this
    // choice
    bool needed = !x->executed || (!x->later && blocks > 1);
    for (int i = 1; i < k->nvariants && !needed; ++i) needed = x->own[i] == number;
    if (block > BLOCK_LIMIT || (!needed && block > share)) return false;
    int64_t several = blocks < SAMPLE_BLOCKS ? blocks : SAMPLE_BLOCKS;
    // all iterations of these blocks are executed if no loop exceeds its sample
    what->all_iterations = block > 0 && whole == block;
    if (x->several || x->large || several * block > share) {
        bool alone = !x->executed && x->choices == 0 && block <= BLOCK_LIMIT / 4;
        bool both = !x->large && (2 * block <= share || alone);
        what->first_block = both || !x->executed;
        what->last_block = both || x->executed;
        several = both ? 2 : 1;
    }
    x->left -= several * block < x->left ? several * block : x->left;
    return true;
}

// Computes the meaning of all of "what"; if that has too many pages, of one block.
static bool find_meaning(struct test *x, const int64_t *sym, struct sample_set *what,
                         struct image **meant, struct oracle_report *report) {
    *meant = image_new();
    if (oracle_run(x->s, x->p, x->k, sym, what, *meant, report)) return true;
    bool one = what->first_block != what->last_block || blocks_of(x->k, sym) < 2;
    if (report->kind != ORACLE_TOO_LARGE || one) return false;
    x->large = true;
    image_free(*meant);
    *meant = image_new();
    what->all_blocks = false;
    what->first_block = !x->executed;
    what->last_block = x->executed;
    return oracle_run(x->s, x->p, x->k, sym, what, *meant, report);
}

// Adds to "*last" the place of the last element; false if it does not fit 64 bits.
static bool add_place(const struct lay_tuple *shape, const struct lay_tuple *stride,
                      const int64_t *sym, int64_t *last) {
    int64_t n, d;
    if (lay_is_leaf(shape))
        return lay_int_eval(shape->leaf, sym, &n) && lay_int_eval(stride->leaf, sym, &d) &&
               !__builtin_mul_overflow(n > 0 ? n - 1 : 0, d, &n) &&
               !__builtin_add_overflow(*last, n, last);
    for (int i = 0; i < shape->rank; ++i)
        if (!add_place(shape->kid[i], stride->kid[i], sym, last)) return false;
    return true;
}

// Whether all tensors fit 64 bits; otherwise the launcher refuses these values.
static bool tensors_fit(const struct kernel *k, const int64_t *sym) {
    for (int i = 0; i < k->nformals; ++i) {
        const struct lay *l = &k->formal[i].tensor->layout;
        int64_t last = 0;
        if (lay_valid(*l) && !add_place(l->shape, l->stride, sym, &last)) return false;
    }
    return true;
}

// Tests choice "number": the widest variant, and those whose own choice it is.
static bool check_binding(struct test *x, const int64_t *sym, int number) {
    const struct kernel *k = x->k;
    struct sample_set what;
    struct image *meant;
    struct oracle_report report = {0};
    bool fits = tensors_fit(k, sym);
    if (!choose_sample(x, sym, number, &what) || !fits) return true;
    bool found = find_meaning(x, sym, &what, &meant, &report);
    bool ok = found || report.kind == ORACLE_TOO_LARGE;  // then it is not executed
    const struct kir_kernel *way = found ? x->x : NULL;
    if (!ok) report_run(x->s, k, &report);
    if (found) {
        x->executed = true;
        x->later = x->later || (blocks_of(k, sym) > 1 && (what.last_block || !what.first_block));
        x->several = x->several || (!what.first_block && !what.last_block && blocks_of(k, sym) > 1);
    }
    for (int i = 0; way; ++i, way = way->narrower) {
        const struct variant *v = k->nvariants ? &k->variant[i] : NULL;
        if (v && !plan_holds(v->when, v->nwhen, sym)) continue;
        if (i > 0 && x->own[i] != number) continue;
        compare(x->s, k, way, sym, what, meant, !x->was_early[i]);
        x->was_early[i] = true;
    }
    image_free(meant);
    return ok;
}

// The choice for executing variant "i": one for which the launcher takes it, if there is one,
// otherwise the last one that fulfils its conditions.
static int choice_of(const struct kernel *k, int i, const int64_t *const *choice, int n) {
    const struct variant *v = &k->variant[i], *wider = v - 1;
    int found = -1;
    for (int j = 0; j < n; ++j) {
        if (!plan_holds(v->when, v->nwhen, choice[j])) continue;
        found = j;
        if (!plan_holds(wider->when, wider->nwhen, choice[j])) break;
    }
    return found;
}

// Tests the order in the widest and the narrowest variant, each with the last choice for it: that
// one has whole tiles if any has.
static void check_order(struct session *s, const struct kernel *k, const struct kir_kernel *x,
                        int n, const int64_t *const *choice) {
    for (int i = 0; x; ++i, x = x->narrower) {
        const struct variant *v = k->nvariants ? &k->variant[i] : NULL;
        const int64_t *fit[MAX_CHOICES + 1];
        int nfit = 0;
        for (int j = 0; j < n; ++j) {
            // without blocks, nothing is executed and nothing was proven
            if (!k->device && blocks_of(k, choice[j]) < 1) continue;
            if (!v || plan_holds(v->when, v->nwhen, choice[j])) fit[nfit++] = choice[j];
        }
        if (i == 0 || !x->narrower) verify_order(s, k, x, nfit, fit);
    }
}

// Whether the caller of device function "k" may pass 0 for each index, with the params' values "sym".
static bool may_be_called(struct session *s, const struct kernel *k, const int64_t *sym) {
    const struct ix_env env = {ARENA_ARRAY(&s->arena, int64_t, s->next_var + 1), sym};
    for (const struct duty *d = k->duties; d; d = d->next) {
        int64_t a, b;
        if (!ix_eval(d->a, &env, &a) || !ix_eval(d->b, &env, &b) || a > b) return false;
    }
    return true;
}

// Keeps those of the "n" choices with which "k" may be called; finds another one if there is none.
static int with_duties(struct session *s, const struct plan *p, const struct kernel *k,
                       const int64_t **choice, int n) {
    enum { LEAST = 16, MOST = 1 << 20 };
    int kept = 0;
    for (int i = 0; i < n; ++i)
        if (may_be_called(s, k, choice[i])) choice[kept++] = choice[i];
    for (int64_t most = LEAST; kept == 0 && most <= MOST; most *= 4) {
        const int64_t *value = plan_choose_great(s, p, NULL, 0, most);
        if (value && may_be_called(s, k, value)) choice[kept++] = value;
    }
    return kept;
}

// Tests with the "n" values "all" of the params, which are used for every kernel.
static bool check_kernel(struct session *s, const struct plan *p, const struct kernel *k,
                         const struct kir_kernel *x, const int64_t *const *all, int n) {
    const int64_t *choice[MAX_CHOICES + 1];
    for (int i = 0; i < n; ++i) choice[i] = all[i];
    bool wide = k->nvariants == 0;  // the widest variant has a choice
    for (int i = 0; i < n && !wide; ++i)
        wide = plan_holds(k->variant[0].when, k->variant[0].nwhen, choice[i]);
    if (n > 0 && !wide)
        choice[n++] = plan_choose_when(s, p, NULL, k->variant[0].when, k->variant[0].nwhen, 1);
    if (n == 0) {
        diag_error(s, k->at, "no values of the params satisfy all promises");
        return false;
    }
    if (k->duties && (n = with_duties(s, p, k, choice, n)) == 0) return true;
    // unordered accesses would also give wrong values
    check_order(s, k, x, n, choice);
    const char *narrow = widths_trouble(s, p, k, x);
    if (narrow) BUG("the code for kernel '%s' has too narrow a type: %s", k->name, narrow);
    int *own = ARENA_ARRAY(&s->arena, int, k->nvariants + 1);
    for (int i = 1; i < k->nvariants; ++i) own[i] = choice_of(k, i, choice, n);
    struct test test = {.s = s,
                        .p = p,
                        .k = k,
                        .x = x,
                        .own = own,
                        .was_early = ARENA_ARRAY(&s->arena, bool, k->nvariants + 1),
                        .left = BUDGET,
                        .choices = n};
    for (int i = 0; i < n; ++i) {
        if (!check_binding(&test, choice[i], i)) return false;
    }
    return true;
}

struct verify_choices verify_choose(struct session *s, const struct plan *p) {
    struct verify_choices all = {.n = 0};
    if (plan_next(p, NULL)) all.n = plan_choices(s, p, MAX_CHOICES, all.choice);
    return all;
}

static const char *text_of(struct session *s, const struct kir_kernel *x) {
    struct buf b;
    buf_init(&b);
    kir_print_kernel(s, x, &b);
    return buf_finish(&b, &s->arena);
}

bool verify_cases(struct session *s, const struct plan *p, const struct verify_choices *all,
                  const struct kernel *k, const struct kir_kernel *x) {
    bool ok = true;
    for (; x; k = plan_next(p, k), x = x->next) {
        struct session_mark mark = session_mark(s);
        struct known known = {
            .k = k, .test = "verify", .value = all->choice, .n = all->n, .counts = true};
        if (s->options.kept) known.about = text_of(s, x);
        if (!known_passed(s, &known)) {
            ok &= check_kernel(s, p, k, x, all->choice, all->n);
            known_keep(s, &known);
        }
        session_rewind(s, mark);
    }
    return ok;
}

bool verify_kernels(struct session *s, const struct plan *p, const struct kir *ir) {
    struct verify_choices all = verify_choose(s, p);
    return verify_cases(s, p, &all, plan_next(p, NULL), ir->kernels);
}
