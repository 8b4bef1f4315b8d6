// random_sync [--first SEED] [--plans N] [--mutants N] [--seconds S] [--print SEED] [--pipelines B] [--kinds B]
// [[--define NAME=VALUE].. PLAN]..: order, in this process.  Random kernels must compile, which
// includes that the race checker finds nothing in them; and where one barrier or wait is left out,
// or waits for one group less, it must find something, and the proof must find it in the plan.  Of
// each PLAN likewise, with the constants that stand before it.
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/session.h"
#include "check/announced.h"
#include "check/order.h"
#include "compile/compile.h"
#include "gen_sync.h"
#include "image/image.h"
#include "in_process.h"
#include "judge_order.h"
#include "kernel/kernel_ir.h"
#include "kir_change.h"
#include "lower/lower.h"
#include "machine/values.h"
#include "pass/sync/private.h"
#include "pass/sync/schedule.h"
#include "plan/bind.h"

enum { MAX_DEFINED = 8, MAX_KINDS = 32 };

static long mutants, missed;
static struct kind {
    const char *what;
    long changes, harmless;
} kind[MAX_KINDS];
static long harmless;  // the judge says that they are right
static long rings[3];  // numbers of rings that were changed: noticed, right all the same, unnoticed
static const char *defined[MAX_DEFINED];  // NAME=VALUE, for the next plan
static int ndefined;

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Whether the checker finds something wrong, for some values of the params.
static bool found(struct session *s, const struct plan *p, const struct kir_kernel *k) {
    const int64_t *choice[3];
    int n = announced_fault(k) ? 0 : plan_choices(s, p, 3, choice);
    for (int i = 0; i < n; ++i) {
        struct order_fault f;
        if (!order_check(s, k, choice[i], i == 0, &f)) return true;
    }
    return n == 0;
}

// Whether "k", in which the check finds nothing wrong, is right by the judge, for some values of the params; else
// sets "why".
static bool judged_right(struct session *s, const struct plan *p, const struct kir_kernel *k,
                         const char **why) {
    const int64_t *choice[3];
    int choices = plan_choices(s, p, 3, choice);
    for (int i = 0; i < choices; ++i) {
        enum judge_answer answer = judge_order(s, k, choice[i], why);
        if (answer == JUDGE_CANNOT_TELL) *why = "not known";
        if (answer != JUDGE_RIGHT) return false;
    }
    return true;
}

static struct kind *kind_of(const char *what) {
    int i = 0;
    while (i < MAX_KINDS - 1 && kind[i].what && strcmp(kind[i].what, what) != 0) ++i;
    kind[i].what = what;
    return &kind[i];
}

// A change of the code.
static void changed(struct session *s, const char *name, const struct plan *p,
                    const struct kir_kernel *k, const struct kir_node *n, const char *what) {
    const char *why;
    int line, column;
    ++mutants, ++kind_of(what)->changes;
    if (found(s, p, k)) return;
    if (judged_right(s, p, k, &why)) {
        ++harmless, ++kind_of(what)->harmless;
        return;
    }
    source_place(s, n->where, &line, &column);
    printf("%s: kernel %s: nothing is wrong with what is at line %d, %s (%s)\n", name, k->name,
           line, what, why);
    ++missed;
}

// A change of the plan that the proof does not notice: the code for it is judged.
static void unproven(struct session *s, const char *name, const struct plan *p,
                     const struct kernel *k, int sync, const char *what) {
    const char *why = "the check does";
    const struct kir *made = lower_plan(s, p);
    const struct kir_kernel *x = made ? made->kernels : NULL;
    while (x && strcmp(x->name, k->name) != 0) x = x->next;
    if (x && !found(s, p, x) && judged_right(s, p, x, &why)) {
        ++harmless, ++kind_of(what)->harmless;
        return;
    }
    printf("%s: kernel %s: the proof finds no fault with wait %d, %s (%s)\n", name, k->name, sync,
           what, why);
    ++missed;
}

// What memory holds after "k".
static struct image *values_of(struct session *s, const struct plan *p,
                               const struct kir_kernel *k) {
    const int64_t *choice[1];
    const struct kernel *of = plan_find_kernel(p, k->name);
    struct image *img = image_new();
    struct sample_set all = {.all_blocks = true, .all_iterations = true};
    for (int i = 0; i < of->nformals; ++i)
        if (of->formal[i].dir != ARG_OUT) image_set_input(img, of->formal[i].tensor->id);
    if (plan_choices(s, p, 1, choice) == 1 && kir_run(s, k, choice[0], &all, img, NULL)) {
        image_free(img);
        return NULL;
    }
    return img;
}

static bool any(void *user, int64_t buf) {
    (void)user;
    (void)buf;
    return true;
}

// Whether the values are others than "right", or the code does not run.
static bool differs(struct session *s, const struct plan *p, const struct kir_kernel *k,
                    const struct image *right) {
    struct image *now = values_of(s, p, k);
    struct image_diff d;
    bool is = !now || !image_equal(right, now, any, NULL, &d);
    if (now) image_free(now);
    return is;
}

static bool is_named(const struct kir_node *n) {
    return (n->kind == KIR_WAIT || n->kind == KIR_ARRIVE) && n->arrival.kind == ARRIVAL_NAMED;
}

// Spoils what roles wait for: a named barrier, its number (of a role's own one any that is free), its count,
// whether its threads wait, the condition around it, and the slot with which a loop begins.  "last": it is at the end.
static void spoil_roles(struct session *s, const char *name, const struct plan *p,
                        const struct kir_kernel *k, struct kir_node *n, bool last) {
    static const char *const what[] = {
        "left out",          "with the next number", "with the last number",
        "with more threads", "with fewer threads",   "without waiting"};
    const struct kir_node was = *n;
    for (int i = 0; is_named(n) && i < 6; ++i) {
        if ((i == 1 || i == 2) && ix_static(n->index, NULL)) continue;
        if (i == 5 && (last || n->kind == KIR_ARRIVE)) continue;
        if (i == 0) n->kind = KIR_COMMENT;
        if (i == 1 || i == 2) n->index = ix_add(s, n->index, ix_int(s, i == 1 ? 1 : -1));
        if (i == 3 || i == 4) n->arrival.count += i == 3 ? 32 : -32;
        if (i == 5) n->kind = KIR_ARRIVE;
        changed(s, name, p, k, n, what[i]);
        *n = was;
    }
    bool around = n->kind == KIR_IF && n->nconds == 1 && n->body && is_named(n->body);
    for (int by = -1; around && by < 2; by += 2) {
        struct kir_cond cond = *n->cond;
        cond.b = ix_add(s, cond.b, ix_int(s, by));
        n->cond = &cond;
        changed(s, name, p, k, n, "where there is another one");
        *n = was;
    }
    for (int i = 0; n->nrings && i < n->nrings; ++i) {
        struct kir_ring ring[4];
        bool role = n->body && (is_named(n->body) || n->body->kind == KIR_IF);
        if (!role || n->nrings > 4 || n->ring[i].size == 1) continue;
        memcpy(ring, n->ring, sizeof *ring * (size_t)n->nrings);
        // where all slots of a role are others, the order may be right, and the values are not
        struct image *right = values_of(s, p, k);
        ring[i].first = (ring[i].first + 1) % ring[i].size;
        n->ring = ring;
        bool noticed = right && differs(s, p, k, right);
        if (right) image_free(right);
        if (noticed) ++mutants, ++kind_of("with the next slot")->changes;
        if (!noticed) changed(s, name, p, k, n, "with the next slot");
        *n = was;
    }
}

// Leaves out an arrival at a barrier in memory, or makes it come twice.
static void spoil_memory(struct session *s, const char *name, const struct plan *p,
                         const struct kir_kernel *k, struct kir_node *n) {
    const struct kir_node was = *n;
    struct kir_node twice = *n;
    for (int i = 0; kir_arrives_in_memory(n) && i < 2; ++i) {
        if (i == 0) n->kind = KIR_COMMENT;
        if (i == 1) n->next = &twice;
        changed(s, name, p, k, n, i == 0 ? "in memory, left out" : "in memory, said twice");
        *n = was;
    }
}

// Changes how many arrivals end a phase.
static void spoil_counts(struct session *s, const char *name, const struct plan *p,
                         struct kir_kernel *k) {
    for (int i = 0; i < 2 * k->nmemory; ++i) {
        int *count = &k->memory[i / 2].arrivals, by = i % 2 ? 1 : -1;
        *count += by;
        changed(s, name, p, k, k->body, "in memory, with another count of its init");
        *count -= by;
    }
}

// Puts a barrier, or an arrival for another role, before the last accesses that it follows in "list"; in a list that arrives
// in memory, before all of them.
static void spoil_place(struct session *s, const char *name, const struct plan *p,
                        const struct kir_kernel *k, struct kir_node *list) {
    bool all = false;
    for (const struct kir_node *n = list; n; n = n->next) all |= kir_arrives_in_memory(n);
    for (struct kir_node *n = list, *before = NULL; n; n = n->next) {
        const struct kir_node *at = n->kind == KIR_IF && !n->roles && n->body ? n->body : n;
        bool memory = kir_arrives_in_memory(at), joins = memory || kir_joins(at);
        if (joins && before) {
            const struct kir_node was = *n, first = *before;
            struct kir_node moved = first;
            *before = was;
            before->next = &moved;
            if (moved.next == n)
                moved.next = was.next;
            else
                n->kind = KIR_COMMENT;
            changed(s, name, p, k, before,
                    memory ? "in memory, before what it follows"
                           : "before the accesses that it follows");
            *n = was;
            *before = first;
        }
        if (kir_accesses(n) && !(all && before)) before = n;
        // of the arrivals of a step in memory each may come early
        if (joins && !memory) before = NULL;
    }
}

// Leaves out a fence.
static void spoil_fence(struct session *s, const char *name, const struct plan *p,
                        const struct kir_kernel *k, struct kir_node *n) {
    if (!n->arrival.fence) return;
    n->arrival.fence = false;
    changed(s, name, p, k, n, "without its fence");
    n->arrival.fence = true;
}

static void spoil(struct session *s, const char *name, const struct plan *p,
                  const struct kir_kernel *k, struct kir_node *list, bool last) {
    spoil_place(s, name, p, k, list);
    for (struct kir_node *n = list; n; n = n->next) {
        spoil(s, name, p, k, n->body, n->roles && n->cond->least);
        spoil(s, name, p, k, n->orelse, false);
        spoil_roles(s, name, p, k, n, last);
        spoil_memory(s, name, p, k, n);
        spoil_fence(s, name, p, k, n);
        struct issuer_change issuer = {0};
        while (issuer_change(&issuer, n)) changed(s, name, p, k, n, issuer.what);
        if (n->kind != KIR_WAIT) continue;
        bool counts = arrival_row(n->arrival)->most > 0;
        for (int loosened = 0; loosened < 1 + counts + n->arrival.written; ++loosened) {
            const struct kir_node was = *n;
            if (loosened == 1)
                ++n->arrival.count;
            else if (loosened)
                n->arrival.written = false;
            else
                n->kind = KIR_COMMENT;
            changed(s, name, p, k, n,
                    loosened == 2 ? "a wait until it was read alone"
                    : loosened    ? "a wait for one group less"
                    : counts      ? "a wait left out"
                                  : "a barrier left out");
            *n = was;
        }
    }
}

// Leaves out or loosens each wait of kernel "k" in the plan, and asks the proof.
static void spoil_plan(struct session *s, const char *name, const struct plan *p,
                       struct kernel *k) {
    struct schedule *x = ARENA_ROOM(&s->arena, struct schedule, 1);
    struct schedule_fault f = {.quiet = true};
    struct prover *prover = instances_prover(s, p, k);
    schedule_make(s, p, k, prover, x);
    for (int i = -1; i < x->program.nsyncs; ++i) {
        struct arrival none = arrival_none, *at = i < 0 ? &none : x->sync[i].at, was = *at;
        bool counts = arrival_row(was)->most > 0;
        if (i >= 0 && !arrival_is(was)) continue;
        for (int loosened = 0; loosened < 1 + counts + was.fence + was.written; ++loosened) {
            *at = arrival_none;
            if (loosened) *at = was;
            if (loosened == 1) at->count += counts, at->fence = false;
            if (loosened == 2) at->written = false;
            bool right = schedule_in_order(x, &f) && sync_side_by_side(x) && sync_phases_kept(s, k);
            // the ring's own barriers: a role needs them if its threads hand data to others of it
            bool own = at == &x->together && right;
            const char *what = !loosened       ? "proof: left out"
                               : loosened == 2 ? "proof: until it was read alone"
                               : counts        ? "proof: for one group less"
                                               : "proof: without its fence";
            if (i >= 0 && !own) ++mutants, ++kind_of(what)->changes;
            if (i < 0 && !right) {
                printf("%s: kernel %s: the proof finds a fault\n", name, k->name);
                ++missed;
            }
            if (i >= 0 && right && !own) unproven(s, name, p, k, i, what);
            *at = was;
        }
    }
    schedule_free(x);
    prover_free(prover);
}

// Whether a ring stays right: a wait for more groups, a later announcement, other numbers of barriers.
static bool stays_right(const struct pipeline *p, struct handover was) {
    const struct handover *h = &p->handover;
    bool later = h->behind == was.behind + 1 && h->pending < 0 && p->stages > 1;
    return h->pending == was.pending - 1 || later || h->full != was.full || h->empty != was.empty;
}

// Changes each number of the rings of "k" by one, and asks the proof of that ring.
static void spoil_rings(const char *name, const struct kernel *k) {
    for (struct stmt *x = k->body; x; x = stmt_next(k->body, x)) {
        if (x->kind != STMT_PIPELINE || !pipeline_has_roles(x->pipe)) continue;
        struct handover *h = &x->pipe->handover, was = *h;
        if (sync_ring_fault(x->pipe))
            printf("%s: kernel %s: a fault in a ring\n", name, k->name), ++missed;
        for (int i = 0; i < 15; ++i) {
            int by = i % 2 ? 1 : -1;
            if (i / 2 == 0) h->full += by;
            if (i / 2 == 1) h->empty += by;
            if (i / 2 == 2) h->threads += 32 * by;
            if (i / 2 == 3) h->ahead += by;
            if (i / 2 == 4) h->behind += by;
            if (i == 12) h->fence = h->issuer = false;
            if (i == 13) h->full_fence = false;
            if (i == 14) h->waits = 0;
            if (i / 2 == 5) h->pending += was.pending < 0 ? 0 : by;
            bool changed = memcmp(h, &was, sizeof was) != 0, noticed = sync_ring_fault(x->pipe);
            bool right = stays_right(x->pipe, was);
            *h = was;
            if (!changed) continue;
            rings[noticed ? 0 : right ? 1 : 2]++;
            if (noticed || right) continue;
            printf("%s: kernel %s: the proof finds no fault with change %d of a ring\n", name,
                   k->name, i);
            ++missed;
        }
    }
}

// Compiles the file "path"; returns whether it was accepted.
static bool try_plan(const char *path, const char *name, bool mutate) {
    struct session s;
    struct compiled made;
    struct define defines[MAX_DEFINED];
    session_init(&s);
    for (int i = 0; i < ndefined; ++i) {
        const char *equal = strchr(defined[i], '=');
        defines[i].name = intern_n(&s, defined[i], (size_t)(equal - defined[i]));
        defines[i].text = equal + 1;
    }
    s.options.defines = defines;
    s.options.ndefines = ndefined;
    ndefined = 0;
    bool ok = compile_product(&s, path, PRODUCT_CUDA, &made) == 0;
    if (!ok) diag_print(&s, stdout);
    for (struct kir_kernel *k = ok && mutate ? made.kir->kernels : NULL; k; k = k->next) {
        spoil(&s, name, made.plan, k, k->body, false);
        spoil_counts(&s, name, made.plan, k);
    }
    for (struct kernel *k = ok && mutate ? plan_next(made.plan, NULL) : NULL; k;
         k = plan_next(made.plan, k)) {
        spoil_plan(&s, name, made.plan, k);
        spoil_rings(name, k);
    }
    session_release(&s);
    return ok;
}

static bool try_text(const char *text, const char *name, bool mutate) {
    char path[PLAN_PATH];
    int fd = plan_file(text, path);
    bool ok = try_plan(path, name, mutate);
    close(fd);
    return ok;
}

int main(int argc, char **argv) {
    long first = 1, plans = 0, spoilt = 0, limit = 600, print = -1, refused = 0, done = 0, n = 1;
    bool pipelines = true, kinds = false, failed = false;
    for (int i = 1; i < argc; ++i) {
        if (strncmp(argv[i], "--", 2) != 0 || i + 1 == argc) {
            failed |= !try_plan(argv[i], argv[i], true);
            ++done;
            continue;
        }
        if (strcmp(argv[i], "--define") == 0 && strchr(argv[i + 1], '=') &&
            ndefined < MAX_DEFINED) {
            defined[ndefined++] = argv[++i];
            continue;
        }
        long v = atol(argv[i + 1]);
        if (strcmp(argv[i], "--first") == 0) first = v;
        if (strcmp(argv[i], "--plans") == 0) plans = v;
        if (strcmp(argv[i], "--mutants") == 0) spoilt = v;
        if (strcmp(argv[i], "--seconds") == 0) limit = v;
        if (strcmp(argv[i], "--print") == 0) print = v;
        if (strcmp(argv[i], "--kernels") == 0) n = v;
        if (strcmp(argv[i], "--pipelines") == 0) pipelines = v != 0;
        if (strcmp(argv[i], "--kinds") == 0) kinds = v != 0;
        ++i;
    }
    if (print >= 0) {
        char *text = gen_sync((uint64_t)print, (int)n, true, pipelines);
        fputs(text, stdout);
        free(text);
        return 0;
    }
    const double until = seconds() + (double)limit;
    for (long i = 0; i < plans + spoilt && seconds() < until; ++i, ++done) {
        bool mutate = i < spoilt;
        char *text = gen_sync((uint64_t)(first + i), 1, mutate, pipelines), name[64];
        snprintf(name, sizeof name, "plan %ld", first + i);
        if (!try_text(text, name, mutate)) {
            printf("%s is right, and was refused:\n%s\n", name, text);
            ++refused;
        }
        free(text);
    }
    printf("%ld plans, %ld refused; %ld barriers and waits spoilt, %ld of them unnoticed\n", done,
           refused, mutants, missed);
    if (harmless > 0) printf("%ld changes are right all the same\n", harmless);
    for (int i = 0; kinds && i < MAX_KINDS && kind[i].what; ++i)
        printf("%s: %ld, %ld of them right all the same\n", kind[i].what, kind[i].changes,
               kind[i].harmless);
    if (rings[0] > 0)
        printf("numbers of rings changed: %ld noticed, %ld right all the same, %ld unnoticed\n",
               rings[0], rings[1], rings[2]);
    if (done < plans + spoilt) printf("stopped early: time is up\n");
    return failed || refused > 0 || missed > 0;
}
