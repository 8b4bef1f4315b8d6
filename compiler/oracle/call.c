// Extern functions in the oracle: they read and write what their declarations say, and the written
// values are unknown.
#include "base/session.h"
#include "oracle/private.h"

// The elements of an argument that one thread passes.
struct passed {
    const struct tensor *t;
    const struct oracle_flat *flat;
    int64_t offset;  // of the view
    // the buffer of the image, and the offset of the thread's first element in it
    int64_t buf, from;
    int arg;
};

static bool unread(struct run *r, const struct plan_call *y, const struct passed *x, int64_t at,
                   const char *why) {
    return oracle_fail(r, ORACLE_POISON, x->t, at - x->from,
                       arena_printf(&r->s->arena, "element %lld of '%s' is given to '%s'%s",
                                    (long long)(at - x->from), oracle_name(x->t), y->fn->name,
                                    why));
}

// Whether the "n" elements from "at" on were written, as far as that is visible here.
static bool are_written(struct run *r, const struct passed *x, int64_t since, int64_t at,
                        int64_t n) {
    const int64_t *tag = image_at(r->img, x->buf, at, false), *writer = tag;
    if (since >= 0) writer = image_at(r->writer, x->buf, at, false);
    bool ok = true;
    for (int64_t i = 0; i < n; ++i) ok &= tag[i] != IMAGE_POISON;
    for (int64_t i = 0; since >= 0 && i < n; ++i) ok &= oracle_fresh(since, writer[i]);
    return ok;
}

// Passes "n" elements of one page, from "at" on, to the function.
static bool give(struct run *r, const struct plan_call *y, const struct passed *x, int64_t at,
                 int64_t n) {
    int64_t since = oracle_since(r, x->t);
    if (are_written(r, x, since, at, n)) return true;
    for (int64_t i = at; i < at + n; ++i) {
        if (image_load(r->img, x->buf, i) == IMAGE_POISON)
            return unread(r, y, x, i, " before anything was written to it");
        if (!oracle_fresh(since, image_load(r->writer, x->buf, i)))
            return unread(r, y, x, i, ", but not filled in that step of the pipeline");
    }
    return true;
}

// Whether none of the "n" elements of a global tensor from "at" on was written before.
static bool are_new(struct run *r, const struct passed *x, int64_t at, int64_t n) {
    const int64_t *writer = image_at(r->writer, x->buf, at, false);
    for (int64_t i = 0; x->t->space == MEM_GLOBAL && i < n; ++i)
        if (writer[i] != IMAGE_POISON)
            return oracle_fail(r, ORACLE_COLLISION, x->t, at + i,
                               arena_printf(&r->s->arena, "element %lld of '%s' is written twice",
                                            (long long)(at + i), oracle_name(x->t)));
    return true;
}

// Fills "n" elements of one page, from "at" on, with the function's unknown values.
static void take(struct run *r, const struct plan_call *y, const struct passed *x, int64_t at,
                 int64_t n) {
    int64_t first = y->fill ? image_constant(y->fill->id) : image_opaque(y->fn->id, x->arg, at);
    int64_t each = y->fill ? 0 : 1, me = r->nblock << 32 | r->serial;
    int64_t *tag = image_at(r->img, x->buf, at, true);
    int64_t *writer = image_at(r->writer, x->buf, at, true);
    for (int64_t i = 0; i < n; ++i) tag[i] = first + i * each;
    for (int64_t i = 0; i < n; ++i) writer[i] = me;
}

static bool touch(struct run *r, const struct plan_call *y, const struct passed *x) {
    enum dir dir = y->fn->formal[x->arg].dir;
    bool gives = dir != ARG_OUT && r->whole;
    struct walk w;
    ++r->report->steps;
    if (!gives && dir == ARG_IN) return true;
    if (!oracle_has_room(r, x->flat->size)) return false;
    r->report->steps += x->flat->size;
    oracle_walk(&w, x->flat);
    for (int64_t i = 0; i < x->flat->size;) {
        int64_t n = x->flat->sw.b ? 1 : oracle_stretch(&w);
        int64_t at = x->from + oracle_swizzle(x->flat->sw, w.value + x->flat->offset + x->offset);
        int64_t room = IMAGE_PAGE - (at & (IMAGE_PAGE - 1));
        if (n > room) n = room;
        if (!oracle_goes_on(r) || (gives && !give(r, y, x, at, n))) return false;
        if (dir != ARG_IN && !y->fill && !are_new(r, x, at, n)) return false;
        if (dir != ARG_IN) take(r, y, x, at, n);
        if (n > 1) oracle_go_on(&w, n - 1);
        oracle_step(&w);
        i += n;
    }
    return true;
}

static bool touch_by(struct run *r, const struct plan_call *y, int i, const struct oracle_flat *f,
                     int64_t each, int thread) {
    const struct tensor *t = y->view[i].base;
    struct passed x = {.t = t, .flat = f, .buf = oracle_buffer(t), .arg = i};
    x.from = image_own(r->first + thread, each, 0);
    oracle_set_thread(r, thread);
    if (!ix_eval(y->view[i].offset, &r->env, &x.offset)) {
        return oracle_fail(r, ORACLE_NO_VALUE, t, 0,
                           arena_printf(&r->s->arena,
                                        "the place of '%s' has no value for these params",
                                        oracle_name(t)));
    }
    return touch(r, y, &x);
}

bool oracle_call(struct run *r, const struct plan_call *y) {
    ++r->serial;
    for (int i = 0; i < y->fn->nformals; ++i) {
        struct oracle_flat f;
        const struct view *v = &y->view[i];
        if (!oracle_flatten(v->layout, r->env.sym, &f)) {
            return oracle_fail(r, ORACLE_NO_VALUE, v->base, 0,
                               "an argument has no extent for these params");
        }
        oracle_join(&f);
        bool own = v->base->space == MEM_FRAG || ix_depends_if(v->offset, ix_is_thread);
        int64_t each = oracle_each(r->s, v->base);
        for (int t = 0; t < (own ? r->together : 1); ++t) {
            if (!touch_by(r, y, i, &f, each, t)) return false;
        }
    }
    oracle_set_thread(r, -1);
    return true;
}
