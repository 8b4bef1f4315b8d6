// Every compile checks itself: Kernel IR against the plan's meaning, on a few values of the params,
// blocks and iterations.
//
// What is executed, for each of up to three choices of the params and one more for the widest
// variant: a small kernel wholly; of a larger one the blocks and iterations of base/sample.h, and
// of a pipeline of S stages its first 2 * S + 2 steps.  Once all blocks that stand for a grid of
// several were executed, the first and the last of another choice are enough; when a block takes
// long, the first.  Asynchronous copies arrive as late and as early as they can.
//
// This is a test of lowering, by sample.  That the plan keeps its promises the passes have proven.
#include "kernel/verify.h"

#include <inttypes.h>

#include "base/image.h"
#include "base/session.h"
#include "kernel/eval.h"
#include "layout/algebra.h"
#include "plan/plan_bind.h"
#include "plan/plan_run.h"

enum { MAX_CHOICES = 3 };
#define WHOLE_LIMIT                                                                                \
    ((int64_t)1 << 16)  // elements of its tensors: a kernel as small as this is executed wholly
#define MOVED_LIMIT                                                                                \
    ((int64_t)1 << 21)  // elements: the most that is moved for a check, but for a proof
#define BLOCK_LIMIT                                                                                \
    ((int64_t)1                                                                                    \
     << 19)  // elements: the most that one block moves in all its iterations, for a check

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

static void report_run(struct session *s, const struct kernel *k,
                       const struct plan_run_report *report) {
    diag_error(s, report->copy ? report->copy->at : k->at, "%s", report->text);
    if (report->tensor)
        diag_note(s, report->tensor->at, "'%s' is declared here", report->tensor->name);
    if (report->before && report->before != report->copy)
        diag_note(s, report->before->at, "it is written first here");
}

// Elements that one block moves, at most "trips" iterations of a loop; saturates at INT64_MAX / 2.
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
                most = times = sample_steps(x->pipe->stages);
            n = moved(s, k, x->body, sym, trips);
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

// Executes the first and the last block, which may be at the edge, with all iterations when that is
// not too much: what a block reads of its own it has written.
static bool check_block(struct session *s, const struct plan *p, const struct kernel *k,
                        const int64_t *sym) {
    if (k->nlocal == 0 || moved(s, k, k->body, sym, INT64_MAX) > BLOCK_LIMIT) return true;
    bool ok = true;
    for (int last = 0; last < 2 && ok; ++last) {
        struct sample_set what = {
            .all_iterations = true, .first_block = !last, .last_block = last == 1};
        struct image *img = image_new();
        struct plan_run_report report = {0};
        ok = plan_run(s, p, k, sym, &what, img, &report);
        if (!ok) report_run(s, k, &report);
        image_free(img);
    }
    return ok;
}

static bool any_async(const struct kir_node *list) {
    for (const struct kir_node *n = list; n; n = n->next) {
        if (n->kind == KIR_ASYNC || any_async(n->body) || any_async(n->orelse)) return true;
    }
    return false;
}

// The code does what is meant, also when asynchronous copies arrive as early as they can.
static void compare(struct session *s, const struct kernel *k, const struct kir_kernel *x,
                    const int64_t *sym, struct sample_set what, const struct image *meant) {
    int schedules = any_async(x->body) ? 2 : 1;
    for (int i = 0; i < schedules; ++i) {
        struct image *made = image_new();
        set_inputs(k, made);
        what.early = i == 1;
        const char *why = kir_run(s, x, sym, &what, made);
        struct image_diff d;
        if (why) {
            BUG("the code for kernel '%s' does what it must not: %s", k->name, why);
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

// How much is executed for the params' values "sym".  "several": other values had several blocks,
// and all that stand for them were executed; then the first and the last are enough, and of blocks
// that take long the first.  False when a block of a large kernel takes too long.
static bool choose_sample(struct session *s, const struct kernel *k, const int64_t *sym,
                          bool several, struct sample_set *what) {
    int64_t blocks = blocks_of(k, sym), whole = moved(s, k, k->body, sym, INT64_MAX);
    int64_t block = moved(s, k, k->body, sym, SAMPLE_AXIS), sum;
    bool small = plan_elements(s, k, sym) <= WHOLE_LIMIT;
    bool quick = !__builtin_mul_overflow(blocks, whole, &sum) && sum <= MOVED_LIMIT;
    *what = (struct sample_set){0};
    if (small && quick) {
        what->all_blocks = what->all_iterations = true;
        return true;
    }
    bool heavy = block > MOVED_LIMIT / SAMPLE_BLOCKS;
    what->first_block = heavy || several;
    what->last_block = what->first_block && !(heavy && (several || block > MOVED_LIMIT / 2));
    // the blocks that are executed have all their iterations when no loop has more than its sample
    what->all_iterations = block > 0 && whole == block;
    return small || block <= MOVED_LIMIT;
}

// "x" and those of its narrower variants whose own choice is "number"
static bool check_binding(struct session *s, const struct plan *p, const struct kernel *k,
                          const struct kir_kernel *x, const int64_t *sym, int number,
                          const int *own, bool *several) {
    struct sample_set what;
    if (!choose_sample(s, k, sym, *several, &what)) return true;
    *several = *several || (!what.first_block && blocks_of(k, sym) > 1);
    if (!what.all_iterations && !check_block(s, p, k, sym)) return false;
    struct image *meant = image_new();
    struct plan_run_report report = {0};
    bool ok = plan_run(s, p, k, sym, &what, meant, &report);
    if (!ok) {
        report_run(s, k, &report);
    } else {
        for (int i = 0; x; ++i, x = x->narrower) {
            const struct variant *v = k->nvariants ? &k->variant[i] : NULL;
            if (v && !plan_holds(v->when, v->nwhen, sym)) continue;
            if (i == 0 || own[i] == number) compare(s, k, x, sym, what, meant);
        }
    }
    image_free(meant);
    return ok;
}

// The choice that variant "i" is executed with: one that the launcher takes it for if there is one,
// else the last that keeps its conditions.
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

static bool check_kernel(struct session *s, const struct plan *p, const struct kernel *k,
                         const struct kir_kernel *x) {
    const int64_t *choice[MAX_CHOICES + 1];
    int n = plan_choices(s, p, MAX_CHOICES, choice);
    bool wide = k->nvariants == 0;  // whether the widest variant has a choice
    for (int i = 0; i < n && !wide; ++i)
        wide = plan_holds(k->variant[0].when, k->variant[0].nwhen, choice[i]);
    if (n > 0 && !wide)
        choice[n++] = plan_choose_when(s, p, NULL, k->variant[0].when, k->variant[0].nwhen, 1);
    if (n == 0) {
        diag_error(s, k->at, "no values of the params keep all that is promised of them");
        return false;
    }
    // what is not in order need not do what is meant
    const struct kir_kernel *way = x;
    for (int i = 0; way; ++i, way = way->narrower) {
        const int64_t *sym[MAX_CHOICES + 1];
        int holds = 0;
        for (int j = 0; j < n; ++j) {
            const struct variant *v = k->nvariants ? &k->variant[i] : NULL;
            if (!v || plan_holds(v->when, v->nwhen, choice[j])) sym[holds++] = choice[j];
        }
        if (!verify_order(s, k, way, holds, sym)) return false;
        if (k->manual) break;  // its variants have the same order
    }
    int *own = ARENA_ARRAY(&s->arena, int, k->nvariants + 1);
    for (int i = 1; i < k->nvariants; ++i) own[i] = choice_of(k, i, choice, n);
    bool several = false;
    for (int i = 0; i < n; ++i) {
        if (!check_binding(s, p, k, x, choice[i], i, own, &several)) return false;
    }
    return true;
}

bool verify_kernels(struct session *s, const struct plan *p, const struct kir *ir) {
    bool ok = true;
    const struct kir_kernel *x = ir->kernels;
    for (const struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k), x = x->next) {
        ok &= check_kernel(s, p, k, x);
    }
    return ok;
}
