// Prints plans.  Facts are printed as comments below what they are about, so that the other lines
// are the same after each pass.
#include "plan/print.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/session.h"
#include "plan/align.h"

static void print_layout(struct session *s, struct lay l, struct buf *b) {
    buf_puts(b, lay_valid(l) ? lay_text(&s->lay, l) : "?");
}

const char *plan_tv_text(struct session *s, const struct tiled_copy *tc) {
    if (!atom_is_collective(tc->atom.row)) return lay_text(&s->lay, tc->tv);
    return arena_printf(&s->arena, "%s read, %s written", lay_text(&s->lay, tc->tv_src),
                        lay_text(&s->lay, tc->tv_dst));
}

const char *plan_named_shape(struct session *s, const struct lay_tuple *shape,
                             const char *const *names) {
    if (!names || lay_is_leaf(shape)) return lay_tuple_text(&s->lay, shape);
    struct buf b;
    buf_init(&b);
    for (int i = 0; i < shape->rank; ++i) {
        buf_puts(&b, i ? "," : "(");
        if (names[i]) buf_printf(&b, "%s=", names[i]);
        buf_puts(&b, lay_tuple_text(&s->lay, shape->kid[i]));
    }
    buf_char(&b, ')');
    return buf_finish(&b, &s->arena);
}

const char *plan_named_layout(struct session *s, struct lay l, const char *const *names) {
    if (!names || !lay_valid(l)) return lay_valid(l) ? lay_text(&s->lay, l) : "?";
    const char *sw = l.sw.b ? arena_printf(&s->arena, "Sw<%d,%d,%d> o %s o ", l.sw.b, l.sw.m,
                                           l.sw.s, lay_int_text(&s->lay, l.offset))
                     : l.offset.num
                         ? arena_printf(&s->arena, "%s+", lay_int_operand(&s->lay, l.offset))
                         : "";
    return arena_printf(&s->arena, "%s%s:%s", sw, plan_named_shape(s, l.shape, names),
                        lay_tuple_text(&s->lay, l.stride));
}

static bool is_zero(const struct ix *e) {
    int64_t v;
    return ix_static(e, &v) && v == 0;
}

void plan_print_layout(struct session *s, const struct ix *offset, struct lay l, struct buf *b) {
    if (lay_valid(l) && l.sw.b) {
        buf_printf(b, "Sw<%d,%d,%d> o %s o ", l.sw.b, l.sw.m, l.sw.s, ix_text(s, offset));
        l = lay_inner(l);
    } else if (!is_zero(offset)) {
        buf_printf(b, "%s+", ix_text(s, offset));
    }
    print_layout(s, l, b);
}

// Prints where the view ends along each mode of its tensor.
static void print_limit(struct session *s, const struct view *v, struct buf *b) {
    buf_puts(b, " to (");
    for (int i = 0; i < lay_tuple_leaves(v->base->layout.shape); ++i)
        buf_printf(b, "%s%s", i ? "," : "", ix_text(s, v->limit[i]));
    buf_puts(b, ")");
}

static void print_view(struct session *s, const struct view *v, struct buf *b) {
    buf_puts(b, v->base->name);
    if (v->base->like) return;
    buf_puts(b, " {");
    plan_print_layout(s, v->offset, v->layout, b);
    if (lay_valid(v->coord)) {
        buf_puts(b, " at (");
        int n = lay_tuple_leaves(v->base->layout.shape);
        for (int i = 0; i < n; ++i)
            buf_printf(b, "%s%s", i ? "," : "", ix_text(s, v->coord_off[i]));
        buf_puts(b, ")+");
        print_layout(s, v->coord, b);
    }
    if (v->limit) print_limit(s, v, b);
    buf_puts(b, v->overhang ? " overhang}" : "}");
}

// Prints a copy on one line, without facts.
static void plan_print_copy(struct session *s, const struct copy *c, struct buf *b) {
    if (c->label) buf_printf(b, "%s: ", c->label);
    buf_puts(b, "copy ");
    print_view(s, &c->src, b);
    buf_puts(b, " -> ");
    print_view(s, &c->dst, b);
    if (c->tc) buf_printf(b, " with %s", c->tc->name ? c->tc->name : "tile(..)");
    if (!c->tc && c->atom) {
        buf_puts(b, " with ");
        buf_puts(b, atom_of(s, c->atom, c->atom->elem));
    }
    buf_char(b, ';');
}

// -- facts ----------------------------------------------------------------------------------------

static const char *level_text(enum level l) {
    switch (l) {
    case LEVEL_GRID: return "grid";
    case LEVEL_BLOCK: return "block";
    case LEVEL_WARP: return "warp";
    case LEVEL_THREAD: return "thread";
    }
    return "?";
}

static void print_part(struct session *s, const char *name, const struct part *p, struct buf *b,
                       int indent) {
    if (!p->offset) return;
    buf_fill(b, ' ', indent);
    buf_printf(b, "// %s %s+", name, ix_text(s, p->offset));
    print_layout(s, p->layout, b);
    if (p->sw.b) buf_printf(b, " under Sw<%d,%d,%d>", p->sw.b, p->sw.m, p->sw.s);
    buf_char(b, '\n');
}

const char *plan_condition_text(struct session *s, const struct predicate *p) {
    const char *what = p->src && p->dst ? "both sides" : p->of ? p->of->name : "the view";
    return arena_printf(&s->arena, "%s %s %s along mode %d of %s", ix_text(s, p->at),
                        p->front ? ">=" : "<", ix_text(s, p->limit), p->mode, what);
}

const char *plan_edge_text(struct session *s, const struct copy *c) {
    const struct copy_facts *f = &c->facts;
    struct buf b;
    if (f->npred == 0) return NULL;
    buf_init(&b);
    for (int i = 0; i < f->npred; ++i)
        buf_printf(&b, "%s%s", i ? ", " : "", plan_condition_text(s, &f->pred[i]));
    return buf_finish(&b, &s->arena);
}

static void print_edge(struct session *s, const struct copy *c, struct buf *b, int indent) {
    const struct copy_facts *f = &c->facts;
    buf_fill(b, ' ', indent);
    buf_printf(b, "// edge %s", f->edge == EDGE_ALWAYS ? "always" : "of some blocks");
    if (f->edge_bits)
        buf_printf(b, ", %d x %s = %d bit", f->edge_vec, c->src.base->elem->name, f->edge_bits);
    buf_printf(b, ": %s\n", plan_edge_text(s, c));
}

static void print_facts(struct session *s, const struct stmt *t, struct buf *b, int indent) {
    const struct copy *c = t->copy;
    const struct copy_facts *f = &c->facts;
    if (f->threads == 0) return;  // before pass "partition"
    buf_fill(b, ' ', indent);
    buf_printf(b, "// level %s, %" PRId64 " thread%s", level_text(f->level), f->threads,
               f->threads == 1 ? "" : "s");
    if (f->lanes) buf_printf(b, ", %" PRId64 " lanes of a warp", f->lanes);
    if (f->rounds) buf_printf(b, ", rounds %s", lay_tuple_text(&s->lay, f->rounds));
    if (f->group) buf_printf(b, ", asynchronous, group %d", f->group);
    const struct arrival before[] = {t->before.wait.copies, t->before.wait.threads};
    char text[ARRIVAL_TEXT];
    for (int i = 0; i < 2; ++i)
        if (t->before.point && arrival_is(before[i]))
            buf_printf(b, ", %s before", arrival_text(before[i], false, text));
    buf_char(b, '\n');
    print_part(s, "src", &f->src, b, indent);
    print_part(s, "dst", &f->dst, b, indent);
    if (f->by_map) {
        buf_fill(b, ' ', indent);
        buf_printf(b, "// by its map: %" PRId64 " times %" PRId64 " values\n", f->neach, f->run);
    }
    if (f->nmodes) {
        buf_fill(b, ' ', indent);
        buf_puts(b, "// modes");
        for (int i = 0; i < f->nmodes; ++i) {
            const struct copy_mode *m = &f->mode[i];
            buf_printf(b, " %" PRId64 ":%s", m->extent, lay_int_text(&s->lay, m->src));
            buf_printf(b, "|%s%s", lay_int_text(&s->lay, m->dst), m->rest ? " rest" : "");
        }
        buf_char(b, '\n');
    }
    if (f->edge != EDGE_NEVER) print_edge(s, c, b, indent);
    if (f->bits == 0) return;
    buf_fill(b, ' ', indent);
    buf_printf(b, "// vector %d x %s = %d bit, limited by %s\n", f->vec, c->src.base->elem->name,
               f->bits, bound_name(f->won));
}

// -- statements and declarations ------------------------------------------------------------------

static void print_call(struct session *s, const struct stmt *t, struct buf *b) {
    const struct plan_call *y = t->call;
    const struct function *fn = y->fn;
    if (y->fill) {
        buf_printf(b, "fill %s {", y->view[0].base->name);
        plan_print_layout(s, y->view[0].offset, y->view[0].layout, b);
        buf_printf(b, "} = %s;%s\n", y->fill->text,
                   arrival_is(t->before.wait.threads) ? "  // after a barrier" : "");
        return;
    }
    buf_printf(b, "call %s(", fn->name);
    for (int f = 0, n = 0; f + n < fn->nformals + fn->nindexes;) {
        if (f + n > 0) buf_puts(b, ", ");
        if (f < fn->nformals && (n == fn->nindexes || fn->formal[f].place < fn->index[n].place)) {
            const struct view *v = &y->view[f++];
            buf_printf(b, "%s + %s", v->base->name, ix_text(s, v->offset));
        } else {
            buf_puts(b, ix_text(s, y->index[n++]));
        }
    }
    buf_printf(b, ");%s\n", arrival_is(t->before.wait.threads) ? "  // after a barrier" : "");
}

static void print_stmts(struct session *s, const struct stmt *t, struct buf *b, int indent) {
    for (; t; t = t->next) {
        buf_fill(b, ' ', indent);
        if (t->kind == STMT_COPY) {
            plan_print_copy(s, t->copy, b);
            buf_char(b, '\n');
            print_facts(s, t, b, indent + 2);
            continue;
        }
        if (t->kind == STMT_CALL) {
            print_call(s, t, b);
            continue;
        }
        if (stmt_orders(t)) {
            char text[ARRIVAL_TEXT];
            const char *word = arrival_text(t->arrival, t->kind == STMT_ARRIVE, text);
            buf_printf(b, "%s;\n",
                       t->barrier                         ? stmt_named(s, t)
                       : t->arrival.kind == ARRIVAL_BLOCK ? "sync"
                                                          : word);
            continue;
        }
        if (t->kind == STMT_PART) {
            buf_printf(b, "%s {%s\n", stmt_role(t),
                       arrival_is(t->before.wait.threads) ? "  // after a barrier in each step"
                                                          : "");
        } else {
            buf_printf(b, "%s %s in %s .. ",
                       t->kind == STMT_FOR ? "for"
                       : t->pipe->nroles   ? "roles"
                                           : "pipeline",
                       t->var->name, ix_text(s, t->begin));
            buf_printf(b, "%s {", ix_text(s, t->end));
            if (t->kind == STMT_FOR)
                buf_puts(b, arrival_is(t->before.wait.threads) ? "  // after a barrier\n" : "\n");
        }
        if (t->kind == STMT_PIPELINE) {
            buf_printf(b, "  // %" PRId64 " stage%s%s%s\n", t->pipe->stages,
                       t->pipe->stages == 1 ? "" : "s",
                       arrival_is(t->before.wait.threads) ? ", a barrier before its first loads"
                                                          : "",
                       arrival_is(t->behind.wait.threads) ? ", a barrier after each step" : "");
        }
        print_stmts(s, t->body, b, indent + 2);
        buf_fill(b, ' ', indent);
        buf_puts(b, "}\n");
    }
}

static void print_type(struct session *s, const struct tensor *t, struct buf *b, bool with_space) {
    buf_printf(b, "%s : %s ", t->name, t->elem->name);
    if (with_space) buf_printf(b, "%s ", space_name(t->space));
    if (t->like)
        buf_printf(b, "like %s", t->like->name ? t->like->name : "tile(..)");
    else
        buf_puts(b, plan_named_layout(s, t->layout, t->names));
    bool own = space_is_shared(t->space) && !t->outside;  // the compiler places it
    if (t->align || own) buf_printf(b, " align %" PRId64, align_known(t));
}

static void print_param(const struct param *p, struct buf *b) {
    const struct lay_sym *y = p->sym;
    buf_printf(b, "param %s : index", p->name);
    if (y->mul > 1) buf_printf(b, " %% %" PRId64, y->mul);
    buf_printf(b, " in %" PRId64 " .. %" PRId64 ";\n", y->lo, y->hi);
}

int64_t plan_nboxes(const struct copy_boxes *b) {
    int64_t n = 1;
    for (int i = 0; i < b->nloops; ++i) n *= b->loop[i].extent;
    return n;
}

const char *plan_boxes_text(struct session *s, const struct copy *c) {
    const struct copy_boxes *b = c->facts.boxes;
    const struct tensor *t = copy_boxed(c)->base;
    const char *box = "", *along = "";
    // modes in the order of the plan
    for (int mode = 0, n = 0; mode < lay_tuple_leaves(t->layout.shape); ++mode)
        for (int i = 0; i < b->rank; ++i) {
            if (b->mode[i] != mode || b->box[i] == 1) continue;
            box = arena_printf(&s->arena, "%s%s%" PRId64, box, n ? "x" : "", b->box[i]);
            along = arena_printf(&s->arena, "%s%smode %d", along, n++ ? ", " : "", mode);
        }
    for (int i = 0; i < b->rank; ++i) {
        if (b->mode[i] >= 0) continue;
        box = arena_printf(&s->arena, "%sx%" PRId64, box, b->box[i]);
        along = arena_printf(&s->arena, "%s, again", along);
    }
    const char *text = arena_printf(&s->arena, "%" PRId64 " of %s along %s of %s", plan_nboxes(b),
                                    box, along, t->name);
    return b->swizzle ? arena_printf(&s->arena, "%s, swizzled by %d bytes", text, b->swizzle)
                      : text;
}

const char *plan_tiled_text(struct session *s, const struct tiled_copy *tc) {
    bool layout = lay_valid(tc->tv);
    return arena_printf(&s->arena, "tile(%s, %s=%s, tile=%s)", atom_of(s, &tc->atom, tc->atom.elem),
                        layout ? "tv" : "map",
                        layout    ? lay_text(&s->lay, tc->tv)
                        : tc->map ? tc->map->text
                                  : "?",
                        lay_tuple_text(&s->lay, tc->tiler));
}

static void print_kernel(struct session *s, const struct kernel *k, struct buf *b) {
    buf_printf(b, "kernel %s(", k->name);
    for (int i = 0; i < k->nformals; ++i) {
        static const char dir[3][8] = {"", "out ", "inout "};
        buf_printf(b, "%s%s%s%s", i ? ", " : "", k->formal[i].readonly ? "readonly " : "",
                   dir[k->formal[i].dir], k->formal[i].tensor->name);
    }
    buf_puts(b, ") grid (");
    for (int i = 0; i < 3; ++i)
        buf_printf(b, "%s%s", i ? "," : "", lay_int_text(&s->lay, k->grid[i]));
    buf_printf(b, ") threads %" PRId64 " {\n", k->threads);
    if (k->nparams) {
        buf_puts(b, "  // params");
        for (int i = 0; i < k->nparams; ++i) buf_printf(b, " %s", k->param[i]->name);
        buf_char(b, '\n');
    }
    for (int i = 0; i < k->nlocal; ++i) {
        const struct tensor *t = k->local[i];
        buf_printf(b, "  %s ", space_name(t->space));
        print_type(s, t, b, false);
        buf_puts(b, ";\n");
    }
    if (k->smem_bytes) buf_printf(b, "  // %" PRId64 " bytes of shared memory\n", k->smem_bytes);
    print_stmts(s, k->body, b, 2);
    buf_puts(b, "}\n");
}

static void print_expect(struct session *s, const struct expectation *x, struct buf *b) {
    static const char name[][20] = {
        [PROP_VECTOR_BITS_SRC] = "vector_bits",
        [PROP_VECTOR_BITS_DST] = "vector_bits",
        [PROP_ROUNDS] = "rounds",
        [PROP_INSTRUCTIONS] = "instructions",
        [PROP_SMEM_BYTES] = "smem_bytes",
        [PROP_SECTORS] = "sectors",
        [PROP_SECTORS_TOTAL] = "sectors_total",
        [PROP_REQUESTS_TOTAL] = "requests_total",
        [PROP_WAVEFRONTS] = "wavefronts",
        [PROP_WAVEFRONTS_TOTAL] = "wavefronts_total",
        [PROP_EQUIVALENT] = "equivalent",
    };
    bool dst = x->prop == PROP_VECTOR_BITS_DST || x->dst;
    bool side = x->prop == PROP_VECTOR_BITS_SRC || dst || property_is_cost(x->prop);
    if (x->prop == PROP_EQUIVALENT) {
        buf_printf(b, "expect equivalent(%s, %s);\n", x->kernel->name, x->kernel2->name);
        return;
    }
    buf_printf(b, "expect %s(%s%s) %s %s;\n", name[x->prop],
               x->copy     ? x->copy->label
               : x->kernel ? x->kernel->name
                           : "?",
               dst    ? ".dst"
               : side ? ".src"
                      : "",
               x->op, lay_tuple_text(&s->lay, x->value));
}

void plan_print(struct session *s, const struct plan *p, struct buf *b) {
    buf_puts(b, "// a dump, to be read by people: 'tcpc explain --plan' writes a plan\n");
    buf_printf(b, "tcp 1;\narch %s;\n", p->arch_name);
    for (int i = 0; i < p->nparams; ++i) print_param(p->param[i], b);
    for (int i = 0; i < p->nrelations; ++i) buf_printf(b, "// where %s\n", p->relation[i]->text);
    for (int i = 0; i < p->ntensors; ++i) {
        buf_puts(b, "tensor ");
        print_type(s, p->tensor[i], b, true);
        buf_puts(b, ";\n");
    }
    for (int i = 0; i < p->ntiled; ++i)
        buf_printf(b, "tiled_copy %s = %s;\n", p->tiled[i]->name, plan_tiled_text(s, p->tiled[i]));
    for (const struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k)) print_kernel(s, k, b);
    for (const struct expectation *x = p->expects; x; x = x->next) print_expect(s, x, b);
}
