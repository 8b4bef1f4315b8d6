// `tcpc draw`: finds the subject, chooses the view, and draws.
#include <string.h>

#include "base/buf.h"
#include "base/command.h"
#include "base/escape.h"
#include "base/session.h"
#include "compile/compile.h"
#include "draw/subject.h"
#include "layout/algebra.h"
#include "syntax/foreign.h"
#include "tell/expression.h"
#include "tell/tell.h"

// -- the view -------------------------------------------------------------------------------------

static enum draw_view usual_view(const struct subject *u) {
    if (u->mma) return DRAW_OPERAND;
    if (u->tc) return DRAW_OWNERS;
    if (u->layout || u->tensor) return DRAW_LAYOUT;
    return u->copy ? DRAW_PATH : DRAW_FLOW;
}

static bool take_view(const struct drawing_request *q, const struct subject *u,
                      enum draw_view *out) {
    const char *known[N_DRAW_VIEWS];
    *out = usual_view(u);
    if (!q->view) return true;
    for (int i = 0; i < N_DRAW_VIEWS; ++i) {
        known[i] = draw_view_name((enum draw_view)i);
        *out = (enum draw_view)i;
        if (strcmp(q->view, known[i]) == 0) return true;
    }
    const char *near = diag_did_you_mean(q->view, known, N_DRAW_VIEWS);
    struct buf all;
    buf_init(&all);
    for (int i = 0; i < N_DRAW_VIEWS; ++i)
        buf_printf(&all, "%s%s", i == 0 ? "" : i + 1 < N_DRAW_VIEWS ? ", " : " and ", known[i]);
    option_error("there is no view '%s'; %s%s%s", q->view, near ? "did you mean '" : "",
                 near ? near : all.text, near ? "'?" : " are");
    buf_release(&all);
    return false;
}

static const char *subject_text(const struct subject *u) {
    if (u->mma) return "an operand";
    if (u->tc) return "a tiled copy";
    if (u->layout) return "a layout";
    if (u->tensor) return "a tensor";
    return u->copy ? "a copy" : u->kernel->device ? "a device function" : "a kernel";
}

static bool wrong_subject(const struct drawing_request *q, const struct subject *u,
                          enum draw_view view, const char *needs) {
    const char *hint = u->kernel && !u->copy && !u->tensor &&
                               (view == DRAW_PATH || view == DRAW_BANKS || view == DRAW_SECTORS)
                           ? "; give its copy a label and name that"
                           : "";
    option_error("view '%s' draws %s, and '%s' is %s%s", draw_view_name(view), needs, q->name,
                 subject_text(u), hint);
    return false;
}

// The names of the modes that the tile of "y" divides; NULL: they have none.
static const char *const *names_cut(const struct copy *y) {
    return copy_tiled_side(y)->names;
}

// Whether all copies in "list" that use "tc" divide modes with the same names; sets "names".
static bool agree(const struct stmt *list, const struct tiled_copy *tc, const char *const **names) {
    for (; list; list = list->next) {
        if (list->kind != STMT_COPY) {
            if (!agree(list->body, tc, names)) return false;
            continue;
        }
        if (list->copy->tc != tc) continue;
        const char *const *cut = names_cut(list->copy);
        if (!*names) *names = cut;
        for (int i = 0; cut && i < lay_tuple_rank(tc->tiler); ++i)
            if (cut[i] != (*names)[i]) return false;
        if (!cut) return false;
    }
    return true;
}

static const char *const *names_of_tiled(const struct plan *p, const struct tiled_copy *tc) {
    const char *const *names = NULL;
    for (const struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k))
        if (!agree(k->body, tc, &names)) return NULL;
    return names;
}

// Sets the subject of "r" as its view requires.
static bool fit_subject(const struct plan *p, const struct drawing_request *q, struct subject *u,
                        struct draw_request *r) {
    switch (r->view) {
    case DRAW_OWNERS:
    case DRAW_TV:
    case DRAW_INVERSE:
        r->tc = u->copy ? u->copy->tc : u->tc;
        // its tile has the modes that it divides
        r->names = u->copy ? names_cut(u->copy) : u->tc ? names_of_tiled(p, u->tc) : NULL;
        return r->tc || wrong_subject(q, u, r->view, "a tiled copy");
    case DRAW_LAYOUT:
    case DRAW_SWIZZLE:
    case DRAW_BANKS:
        if (u->layout || u->tensor) {
            r->layout = u->layout ? u->layout->layout : u->tensor->layout;
            r->tensor = u->tensor;
            r->names = u->tensor ? u->tensor->names : NULL;
            r->bits = u->tensor ? u->tensor->elem->bits : 0;
            return true;
        }
        if (r->view != DRAW_BANKS) return wrong_subject(q, u, r->view, "a layout or a tensor");
        break;
    case DRAW_OPERAND:
        r->tc = u->tc;
        r->mma = u->mma;
        r->operand = u->operand;
        return r->mma || wrong_subject(q, u, r->view, "an operand of a tiled MMA");
    case DRAW_PATH:
    case DRAW_SECTORS: break;
    case DRAW_FLOW:
    case DRAW_TIMELINE:
    case N_DRAW_VIEWS:
        r->kernel = u->copy || u->tensor ? NULL : u->kernel;
        return r->kernel || wrong_subject(q, u, r->view, "a kernel");
    }
    if (u->tc && !find_copy_by(p, u->tc, u)) {
        option_error("view '%s' draws a copy, and no kernel copies by '%s'",
                     draw_view_name(r->view), q->name);
        return false;
    }
    r->copy = u->copy;
    r->kernel = u->kernel;
    return r->copy ||
           wrong_subject(q, u, r->view, r->view == DRAW_BANKS ? "a layout or a copy" : "a copy");
}

static bool bind_params(struct session *s, const struct plan *p, const struct drawing_request *q,
                        struct draw_request *r) {
    if (p->nparams == 0 && q->params.n == 0) return true;
    return (r->sym_values = tell_params(s, p, &q->params)) != NULL;
}

// Whether the options are of this view; says which is not.
static bool options_fit(const struct drawing_request *q, const struct draw_request *r) {
    const char *option = NULL, *use = NULL;
    if (q->threaded && r->view != DRAW_PATH)
        option = "--thread", use = "view 'path'";
    else if (q->values && r->view != DRAW_OWNERS)
        option = "--values", use = "view 'owners'";
    else if (q->type && (r->view != DRAW_BANKS || r->copy))
        option = "--type", use = "view 'banks' of a layout";
    if (option)
        option_error("'%s' is for %s, and this is '%s'%s", option, use, draw_view_name(r->view),
                     r->copy && r->view == DRAW_BANKS ? " of a copy" : "");
    return !option;
}

static bool take_type(const struct drawing_request *q, struct draw_request *r) {
    if (!q->type) return true;
    const struct elem_type *t = elem_type_find(q->type);
    if (!t) {
        const char *near = foreign_type(q->type);
        if (!near) near = foreign_ours(FOREIGN_BITS, q->type);
        option_error("'--type' takes an element type, not '%s'; %s '%s'%s", q->type,
                     near ? "did you mean" : "such as", near ? near : "f16", near ? "?" : "");
        return false;
    }
    r->bits = t->bits;
    return true;
}

// Whether "t" has params.  Basis elements, 1@0, are no params: their values are coordinates.
static bool has_names(const struct lay_tuple *t) {
    if (lay_is_leaf(t)) return t->leaf.nsyms > 0;
    for (int i = 0; i < t->rank; ++i)
        if (has_names(t->kid[i])) return true;
    return false;
}

// The layout that "text" is; a shape without strides is compact, and a view begins at its offset.
static bool layout_of(struct session *s, const char *text, struct lay *out) {
    struct calc_value v = expression_value(s, text, NULL);
    if (v.kind == CALC_INT || v.kind == CALC_TUPLE)
        *out = lay_make_col(&s->lay, v.tuple);
    else if (v.kind == CALC_LAYOUT || (v.kind == CALC_VIEW && v.layout.sw.b == 0))
        *out = v.layout;
    else if (v.kind == CALC_NONE)
        *out = (struct lay){0};
    else {
        option_error(
            v.kind == CALC_SWIZZLE
                ? "'%s' is a swizzle without a layout; 'Sw<3,3,3> o 0 o (8,64):(64,1)' has one"
                : "'%s' is not a layout",
            text);
        return false;
    }
    if (v.kind == CALC_VIEW && lay_valid(*out)) out->offset = lay_sum_int(&s->lay, v.offset);
    if (lay_valid(*out) && !has_names(out->shape) && !has_names(out->stride) &&
        lay_int_static(out->offset))
        return true;
    option_error("'%s' is neither a plan nor a layout: %s", text,
                 lay_valid(*out) ? "it has names, whose values only a plan gives"
                 : s->lay.error  ? shown(&s->arena, s->lay.error)
                                 : "it has no value");
    return false;
}

// -- the drawing ----------------------------------------------------------------------------------

static int draw_it(struct session *s, const struct plan *p, const struct drawing_request *q,
                   struct draw_request *r, struct buf *out) {
    r->format = q->format;
    r->color = q->color;
    r->wide = q->wide;
    const char *why = draw(s, p, r, out);
    return why ? option_error("'%s' cannot be drawn: %s", r->name, why) : EXIT_RIGHT;
}

static int draw_plan(struct session *s, const struct drawing_request *q, struct buf *out) {
    struct compiled c;
    compile_begin(&c, s, q->path);
    int code = steps_until(&c, STEP_SEMA);
    if (code != EXIT_RIGHT) return code;
    const struct plan *p = c.plan;
    struct subject u;
    struct draw_request r = {.name = q->name, .values = q->values, .thread = q->thread};
    code = q->name ? find_subject(s, p, q->name, &u) : no_subject(s, p);
    if (code != EXIT_RIGHT) return code;
    if (!take_view(q, &u, &r.view) || !fit_subject(p, q, &u, &r) || !options_fit(q, &r) ||
        !bind_params(s, p, q, &r) || !take_type(q, &r))
        return EXIT_USAGE;
    // only the passes know these
    if (r.kernel || (u.tensor && u.tensor->space == MEM_FRAG)) {
        if ((code = steps_until(&c, STEP_EXPECT)) != EXIT_RIGHT) return code;
        if (u.tensor) r.layout = u.tensor->layout;
    }
    return draw_it(s, p, q, &r, out);
}

static int draw_expression(struct session *s, const struct drawing_request *q, struct buf *out) {
    struct named_layout named = {.name = q->name};
    struct subject u = {.layout = &named};
    struct draw_request r = {.name = q->name};
    if (!layout_of(s, q->name, &named.layout) || !take_view(q, &u, &r.view) ||
        !fit_subject(NULL, q, &u, &r) || !options_fit(q, &r) || !take_type(q, &r))
        return EXIT_USAGE;
    return draw_it(s, NULL, q, &r, out);
}

int tell_drawing(struct session *s, const struct drawing_request *q, struct buf *out) {
    return q->path ? draw_plan(s, q, out) : draw_expression(s, q, out);
}
