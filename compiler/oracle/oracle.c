// Iterates over blocks and iterations for the oracle (see oracle.h); copy.c has the copies.
#include "base/session.h"
#include "layout/algebra.h"
#include "oracle/private.h"

// -- statements -----------------------------------------------------------------------------------

bool oracle_too_large(struct run *r) {
    return oracle_fail(r, ORACLE_TOO_LARGE, NULL, 0, "too many elements to compute one by one");
}

bool oracle_has_room(struct run *r, int64_t n) {
    enum { PAGE_STEPS = 8 };  // filling a page takes as long as this many elements
    int64_t most = r->what->most ? r->what->most : ORACLE_LIMIT;
    int64_t gone = r->report->moved + r->report->steps + PAGE_STEPS * r->img->begun;
    return gone <= most - n || oracle_too_large(r);
}

bool oracle_body(struct run *r, const struct stmt *first) {
    for (const struct stmt *st = first; st; st = st->next) {
        ++r->report->steps;
        if (!oracle_goes_on(r)) return false;
        if (st->kind == STMT_COPY) {
            if (!oracle_copy(r, st->copy)) return false;
            continue;
        }
        if (stmt_orders(st)) continue;
        if (st->kind == STMT_CALL) {
            if (!oracle_call(r, st->call)) return false;
            continue;
        }
        if (st->kind == STMT_PIPELINE || st->kind == STMT_PART) {
            int64_t all = r->together, first = r->first;
            r->together = stmt_threads(st, all);
            if (stmt_threads(st, 0)) r->first = stmt_first(st);
            bool ok = st->kind == STMT_PART ? oracle_body(r, st->body) : oracle_pipeline(r, st);
            r->together = all;
            r->first = first;
            if (!ok) return false;
            continue;
        }
        int64_t begin, end, pick[SAMPLE_AXIS];
        r->copy = NULL;
        if (!ix_eval(st->begin, &r->env, &begin) || !ix_eval(st->end, &r->env, &end))
            return oracle_fail(r, ORACLE_NO_VALUE, NULL, 0,
                               "a loop's bound has no value for these params");
        int npick = sample_axis(end - begin, pick);
        int64_t n = r->what->all_iterations ? end - begin : npick;
        if (r->nloops < ORACLE_LOOPS) r->loop[r->nloops] = st->var;
        ++r->nloops;
        for (int64_t i = 0; i < n; ++i) {
            if (!oracle_has_room(r, 1) || !oracle_goes_on(r)) return false;
            r->var[st->var->id] = begin + (r->what->all_iterations ? i : pick[i]);
            if (!oracle_body(r, st->body)) return false;
        }
        --r->nloops;
    }
    return true;
}

static bool run_block(struct run *r, const int64_t block[3]) {
    if (!oracle_has_room(r, 1) || !oracle_goes_on(r)) return false;
    ++r->report->steps;
    for (int a = 0; a < 3; ++a) {
        r->report->block[a] = block[a];
        if (r->k->block[a]) r->var[r->k->block[a]->id] = block[a];
    }
    image_drop_local(r->img);
    image_drop_local(r->writer);
    r->serial = 0;
    r->nloops = 0;
    r->together = r->k->threads;
    oracle_set_thread(r, -1);
    bool ok = oracle_body(r, r->k->body);
    ++r->nblock;
    for (int i = 0; i < MOST_RINGS; ++i) r->next_slot[i] = 0;
    return ok;
}

static bool run_blocks(struct run *r, const int64_t n[3]) {
    if (!r->what->all_blocks) {
        int64_t block[SAMPLE_BLOCKS][3];
        int count = sample_chosen(r->what, n, block);
        for (int i = 0; i < count; ++i)
            if (!run_block(r, block[i])) return false;
        return true;
    }
    int64_t b[3];
    for (b[2] = 0; b[2] < n[2]; ++b[2])
        for (b[1] = 0; b[1] < n[1]; ++b[1])
            for (b[0] = 0; b[0] < n[0]; ++b[0])
                if (!run_block(r, b)) return false;
    return true;
}

// Whether "t" has no element at coordinate "at", beyond the end of a shorter part.
static bool is_absent(const struct run *r, const struct tensor *t, const int64_t *at) {
    for (const struct shorter *x = t->shorter; x; x = x->next) {
        int64_t each, all, part = x->part < 0 ? 0 : at[x->part];
        if (lay_int_eval(x->each, r->env.sym, &each) && lay_int_eval(x->all, r->env.sym, &all) &&
            part + each * at[x->digit] >= all)
            return true;
    }
    return false;
}

// Checks that every element of the out tensors was written.
static bool check_written(struct run *r) {
    r->copy = NULL;
    r->report->thread = -1;
    for (int i = 0; i < r->k->nformals; ++i) {
        const struct tensor *t = r->k->formal[i].tensor;
        struct oracle_flat f;
        if (r->k->formal[i].dir != ARG_OUT || t->space == MEM_FRAG) continue;
        if (r->k->device && t->space == MEM_GLOBAL) continue;  // its other calls write the rest
        if (!oracle_flatten(t->layout, r->env.sym, &f) || f.size > ORACLE_LIMIT)
            return oracle_fail(r, ORACLE_NO_VALUE, t, 0,
                               "the extents of an out tensor have no value for these params");
        struct walk w;
        oracle_walk(&w, &f);
        for (int64_t n = 0; n < f.size; ++n, oracle_step(&w)) {
            int64_t off = oracle_swizzle(f.sw, w.value + f.offset);
            if (!oracle_goes_on(r)) return false;
            if (is_absent(r, t, w.at)) continue;
            if (image_load(r->writer, image_global(t->id), off) == IMAGE_POISON)
                return oracle_fail(r, ORACLE_NEVER_WRITTEN, t, off,
                                   arena_printf(&r->s->arena,
                                                "element %s of 'out %s' is never written",
                                                oracle_coordinate(r, f.n, w.at), oracle_name(t)));
        }
    }
    return true;
}

static void set_inputs(const struct run *r) {
    for (int i = 0; i < r->k->nformals; ++i)
        if (r->k->formal[i].dir != ARG_OUT) image_set_input(r->img, r->k->formal[i].tensor->id);
}

// Executes again up to the place where two writers met, to find the first one.
static void name_writers(const struct run *first, const int64_t n[3]) {
    struct run r = *first;
    struct watch watch = first->fault;
    r.watch = &watch;
    r.nblock = 0;
    r.step = NULL;
    r.tiles = NULL;
    *r.report = (struct oracle_report){.thread = -1};
    r.img = image_new();
    r.writer = image_new();
    set_inputs(&r);
    if (run_blocks(&r, n)) BUG("two writers of an element that are not found again");
    image_free(r.writer);
    image_free(r.img);
}

bool oracle_run(struct session *s, const struct plan *p, const struct kernel *k,
                const int64_t *sym_values, const struct sample_set *what, struct image *img,
                struct oracle_report *report) {
    *report = (struct oracle_report){.thread = -1};
    struct run r = {.s = s, .p = p, .k = k, .what = what, .img = img, .report = report};
    struct arena_mark mark = arena_mark(&s->arena);
    r.var = ARENA_ROOM(&s->arena, int64_t, p->nvars + 1);
    for (int i = k->first_var; i < k->end_var; ++i) r.var[i] = 0;
    r.env = (struct ix_env){r.var, sym_values};
    r.whole = what->all_blocks && what->all_iterations;
    r.most_pages = what->pages ? what->pages : INT64_MAX;
    set_inputs(&r);
    int64_t n[3];
    for (int a = 0; a < 3; ++a)
        if (!lay_int_eval(k->grid[a], sym_values, &n[a]))
            return oracle_fail(&r, ORACLE_NO_VALUE, NULL, 0,
                               "the grid has no value for these params");
    r.writer = image_new();
    bool ok = run_blocks(&r, n) && (!r.whole || check_written(&r));
    image_free(r.writer);
    if (report->kind == ORACLE_TWICE || report->kind == ORACLE_COLLISION) name_writers(&r, n);
    if (ok) arena_rewind(&s->arena, mark);
    return ok;
}

int64_t oracle_elements(struct session *s, const struct kernel *k, const int64_t *sym_values) {
    int64_t sum = 0;
    for (int i = 0; i < k->nformals; ++i) {
        int64_t n;
        if (!lay_int_eval(lay_size(&s->lay, k->formal[i].tensor->layout), sym_values, &n) ||
            __builtin_add_overflow(sum, n, &sum)) {
            return INT64_MAX;
        }
    }
    return sum;
}
