// Expressions: tuples, layouts and names.  builtin.c and viewfn.c have calls, arith.c arithmetic,
// compare.c comparisons, compose.c compositions.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sema/expr/expr.h"
#include "sema/stmt/stmt.h"
#include "sema/tile/tile.h"
#include "sema/view/viewfn.h"
#include "syntax/foreign.h"

static bool is_basis(const struct value *v) {
    return v->kind == VAL_CALC && v->calc.kind == CALC_INT;
}

static const struct value *eval_tuple(struct sema *c, const struct ast_expr *e) {
    const char *const *names;
    if (!names_of_args(c, e, &names)) return &value_none;
    if (e->nargs > LAY_MAX_RANK)
        return FAIL(c, e->at, "a tuple of %d modes; the limit is %d", e->nargs, LAY_MAX_RANK);
    const struct value *kid[LAY_MAX_RANK];
    for (int i = 0; i < e->nargs; ++i) kid[i] = eval(c, e->arg[i].value);
    for (int i = 0; i < e->nargs; ++i)
        if (kid[i]->kind == VAL_NONE) return &value_none;
    // (x) is x for a value that tuples cannot contain
    if (e->nargs == 1 && kid[0]->kind != VAL_INT && kid[0]->kind != VAL_TUPLE &&
        kid[0]->kind != VAL_WILD && kid[0]->kind != VAL_RANGE && !is_basis(kid[0]) &&
        !e->trailing_comma) {
        if (!names) return kid[0];
        return FAIL(c, e->arg[0].key.at, "'%s' is the name of a mode, which %s is not", names[0],
                    value_kind_text(kid[0]));
    }
    return names_give(c, value_tuple(c, e->nargs, kid, e->at), names, e->nargs);
}

static const struct value *eval_tiler(struct sema *c, const struct ast_expr *e) {
    if (e->nargs > LAY_MAX_RANK)
        return FAIL(c, e->at, "a tiler of %d modes; the limit is %d", e->nargs, LAY_MAX_RANK);
    const struct lay_tiler *kid[LAY_MAX_RANK];
    bool whole = true;
    for (int i = 0; i < e->nargs; ++i) {
        const struct value *v = eval(c, e->arg[i].value);
        kid[i] = value_to_tiler(c, v, e->arg[i].value->at, "a mode of the tiler");
        whole &= kid[i] != NULL;
    }
    if (!whole) return &value_none;
    lay_clear_error(c->lay);
    const struct lay_tiler *t = lay_tiler_modes(c->lay, e->nargs, kid);
    if (!t) {
        sema_lay_error(c, e->at, "the tiler");
        return &value_none;
    }
    return value_calc(c, calc_of_tiler(t));
}

static const struct value *eval_swizzle(struct sema *c, const struct ast_expr *e) {
    static const char what[3][40] = {"the number of bits of a swizzle", "the base of a swizzle",
                                     "the shift of a swizzle"};
    int64_t v[3] = {0};
    for (int i = 0; i < 3; ++i)
        if (!eval_int64(c, e->arg[i].value, what[i], &v[i])) return &value_none;
    for (int i = 0; i < 3; ++i)
        if (v[i] < -63 || v[i] > 63)
            return FAIL(c, e->arg[i].value->at, "%s is %" PRId64 "; it must be in -63 .. 63",
                        what[i], v[i]);
    struct lay_swizzle sw = {(int8_t)v[0], (int8_t)v[1], (int8_t)v[2]};
    lay_clear_error(c->lay);
    if (!lay_swizzle_valid(c->lay, sw)) {
        sema_lay_error(c, e->at, "the swizzle");
        diag_note(c->s, e->at,
                  "a swizzle of rows of 128 bytes, 16 together, is 'Sw<3,4,3>' for elements of 8 "
                  "bits, 'Sw<3,3,3>' for 16 and 'Sw<3,2,3>' for 32");
        return &value_none;
    }
    return value_calc(c, (struct calc_value){.kind = CALC_SWIZZLE, .swizzle = sw});
}

// The declaration of "name".  NULL also for 'block', which has a value only with a part.
static struct symbol *find_declared(struct sema *c, const char *name) {
    struct symbol *sym = scope_find(c, name);
    return sym && sym->kind == SYM_BUILTIN && !sym->value ? NULL : sym;
}

static const struct value *eval_name(struct sema *c, const struct ast_expr *e) {
    const char *name = e->name;
    struct range at = e->at;
    struct symbol *sym = find_declared(c, name);
    if (sym) scope_use(c, sym, at);
    if (sym && sym->tensor) return kernel_tensor(c, sym, at);
    if (sym && sym->kind == SYM_EXTERN)
        return FAIL(c, at,
                    "'%s' is an extern device function, which has no value; call it: call %s(..);",
                    name, name);
    if (sym && sym->asks_of) tensor_layout_read(c, sym->asks_of);
    if (sym) return sym->value;
    struct label *l = label_find(c, name, at);
    if (l) {
        uses_add_label(c, l, at);
        struct value *v = ARENA_NEW(&c->s->arena, struct value);
        v->kind = VAL_COPY;
        v->copy = l->copy;
        v->kernel = l->kernel;
        return v;
    }
    const struct elem_type *elem = elem_type_find(name);
    if (elem) {
        struct value *v = ARENA_NEW(&c->s->arena, struct value);
        v->kind = VAL_ELEM;
        v->elem = elem;
        return v;
    }
    static const char coordinates[][8] = {"tid", "lane", "warp", "block"};
    for (size_t i = 0; i < sizeof coordinates / sizeof *coordinates; ++i)
        if (name == intern(c->s, coordinates[i])) {
            if (c->kernel && c->kernel->tid && name == intern(c->s, "block"))
                return FAIL(
                    c, at,
                    "'block' is not a number; its axes are 'block.x', 'block.y' and 'block.z'");
            return FAIL(c, at, "'%s' has a value only in the body of a kernel", name);
        }
    if (atom_family(c, name) && !atom_known(name)) return atom_of_family(c, name, NULL, at);
    if (builtin_later(name)) return sema_not_yet_value(c, at, sema_text(c, "'%s'", name));
    if (!builtin_known(name) && atom_known(name)) return atom_fixed(c, name, e);
    if (builtin_known(name))
        return FAIL(c, at, "'%s' is called with arguments: %s(..)", name, name);
    return scope_unknown(c, name, at);
}

static const struct value *eval_member(struct sema *c, const struct ast_expr *e) {
    static const char axis[3][2] = {"x", "y", "z"};
    const char *atom = atom_member(c, e);
    if (atom) return atom_fixed(c, atom, e);
    if (e->lhs->kind == E_NAME) {
        const char *name = e->lhs->name;
        struct symbol *sym = find_declared(c, name);
        if (!sym && name == intern(c->s, "block") && c->kernel && c->kernel->tid) {
            for (int i = 0; i < 3; ++i)
                if (e->name == intern(c->s, axis[i]) && c->kernel->device)
                    return FAIL(c, e->at,
                                "a device function does not know its caller's blocks; give it an "
                                "index as an argument, 'n : index'");
                else if (e->name == intern(c->s, axis[i]))
                    return value_int(c, ix_var(c->s, c->kernel->block[i]));
            return FAIL(c, e->name_at, "'block' has no part '%s'; it has x, y and z", e->name);
        }
        if (!sym && atom_family(c, name)) return atom_of_family(c, name, e->name, e->at);
    }
    const struct value *v = eval(c, e->lhs);
    if (v->kind == VAL_NONE || suggest_part(c, e, v)) return &value_none;
    if (v->kind == VAL_COPY) {
        bool src = e->name == intern(c->s, "src"), dst = e->name == intern(c->s, "dst");
        if (!src && !dst)
            return FAIL(c, e->name_at, "the sides of a copy are 'src' and 'dst', not '%s'",
                        e->name);
        struct value *side = ARENA_NEW(&c->s->arena, struct value);
        *side = *v;
        side->kind = VAL_SIDE;
        side->dst = dst;
        return side;
    }
    bool tid = e->lhs->kind == E_NAME && e->lhs->name == intern(c->s, "tid");
    if (tid && e->name == intern(c->s, "x")) {
        diag_error(c->s, e->at, "'tid' is the number of a thread in its block, and has no parts");
        diag_fixit(c->s, e->at, "tid");
        return &value_none;
    }
    const struct foreign *w = foreign_find(FOREIGN_PART, e->name);
    if (!w) {
        diag_error(c->s, e->name_at, "%s has no part '%s'", value_kind_text(v), e->name);
        struct symbol *hides = e->lhs->kind == E_NAME ? find_declared(c, e->lhs->name) : NULL;
        if (hides && atom_family(c, hides->name))
            diag_note(c->s, hides->at,
                      "'%s' is %s that is declared here, and hides the atom '%s.%s'; rename it",
                      hides->name, symbol_kind_text(hides->kind), hides->name, e->name);
        return &value_none;
    }
    const char *ours = w->ours ? sema_text(c, w->ours, ast_expr_text(c->s, e->lhs)) : NULL;
    int rank = v->kind == VAL_VIEW && lay_valid(v->view.layout) ? lay_rank(v->view.layout) : 2;
    if (ours && rank != 2 && strncmp(w->ours, "select", 6) == 0)
        return FAIL(
            c, e->name_at,
            "%s has no part '%s'; 'select(A, (1,0))' has modes in another order, and '%s' has %d",
            value_kind_text(v), e->name, ast_expr_text(c->s, e->lhs), rank);
    const struct source *f = &c->s->sources.file[e->at.file];
    struct range all = e->at;
    size_t length;
    const char *mode = foreign_brackets(c->s, f->text + all.end, f->size - all.end, &length);
    bool called = ours && mode && f->text[all.end] == '(' && strncmp(ours, "select", 6) != 0;
    if (called) {  // "A.size(0)"
        all.end += (uint32_t)length;
        if (*mode) ours = sema_text(c, "%.*s, %s)", (int)strlen(ours) - 1, ours, mode);
    }
    diag_error(c->s, e->name_at, "%s has no part '%s'; %s%s%s", value_kind_text(v), e->name,
               ours ? "write '" : "", ours ? ours : w->help, ours ? "'" : "");
    if (ours) diag_fixit(c->s, all, ours);
    return &value_none;
}

// Handles "(4,8):(8,1)(2,3)", in which only the stride would be called.
static const struct value *called_stride(struct sema *c, const struct ast_expr *e) {
    struct range from = {e->at.file, e->at.begin, e->at.begin},
                 to = {e->at.file, e->rhs->lhs->at.end, e->rhs->lhs->at.end};
    const char *text = ast_expr_text(c->s, e->rhs);
    diag_error(c->s, e->rhs->at,
               "'%s' calls the stride alone; put parentheses around a layout that is called", text);
    diag_fixit(c->s, from, "(");
    diag_fixit(c->s, to, ")");
    return &value_none;
}

static const struct value *eval_layout(struct sema *c, const struct ast_expr *e) {
    bool called = e->rhs->kind == E_CALL && e->rhs->lhs->kind == E_TUPLE;
    if (called) return called_stride(c, e);
    const struct value *s = empty_extents(c, eval(c, e->lhs), e->lhs->at), *d = eval(c, e->rhs);
    if (s->kind == VAL_NONE || d->kind == VAL_NONE) return &value_none;
    const struct lay_tuple *shape = value_to_tuple(c, names_drop(c, s), e->lhs->at, "a shape");
    d = names_sort(c, d, s, e->rhs, "the stride");
    if (d->kind == VAL_NONE) return d;
    c->of_strides = true;
    const struct lay_tuple *stride = value_to_tuple(c, d, e->rhs->at, "a stride");
    c->of_strides = false;
    if (!shape || !stride) return &value_none;
    lay_clear_error(c->lay);
    struct lay l = lay_make(c->lay, shape, stride);
    if (!lay_valid(l)) {
        sema_lay_error(c, e->at, "the layout");
        return &value_none;
    }
    return names_give(c, value_layout(c, l), s->names, s->rank);
}

static const struct value *eval_call(struct sema *c, const struct ast_expr *e) {
    const struct ast_expr *f = e->lhs;
    if (f->kind == E_NAME && (!scope_find(c, f->name) || shadowed_operation(c, e))) {
        if (names_by_colon(c, e)) return &value_none;
        if (builtin_has(c, f->name)) return builtin_call(c, f->name, e);
        if (atom_known(f->name)) return atom_call(c, f->name, e);
    }
    const char *atom = atom_member(c, f);
    if (atom) return atom_call(c, atom, e);
    const struct value *v = eval(c, f);
    shadowed_called(c, e);
    bool none = v->kind == VAL_NONE || call_lacks_colon(c, e, v);
    return none ? &value_none : eval_slice(c, v, e);
}

static const struct value *eval_float(struct sema *c, const struct ast_expr *e) {
    double value = strtod(e->text, NULL), most = 9007199254740992.0;
    if (value < 0 || value > most || value != (double)(int64_t)value)
        return FAIL(c, e->at, "'%s' is not an integer", e->text);
    const char *ours = sema_text(c, "%" PRId64, (int64_t)value);
    diag_error(c->s, e->at, "'%s' is not an integer; write '%s'", e->text, ours);
    diag_fixit(c->s, e->at, ours);
    return &value_none;
}

// 8@1@0: 8 elements of mode 1 inside mode 0.
static const struct value *eval_basis(struct sema *c, const struct ast_expr *e) {
    int path[4], n = 0;
    const struct ast_expr *of = e;
    for (; of->kind == E_BASIS; of = of->lhs) {
        if (of->basis < 0 || of->basis >= LAY_MAX_RANK)
            return FAIL(c, of->at, "mode %" PRId64 " of a basis element is outside 0 .. %d",
                        of->basis, LAY_MAX_RANK - 1);
        if (n < 4) path[n++] = (int)of->basis;
    }
    struct lay_int i;
    if (!value_to_lay_int(c, eval(c, of), of->at, "the coefficient of a basis element", &i))
        return &value_none;
    lay_clear_error(c->lay);
    i = lay_int_basis(c->lay, i, n, path);
    if (lay_int_valid(i)) return value_lay_int(c, i);
    sema_lay_error(c, e->at, "the basis element");
    return &value_none;
}

static const struct value *value_of(struct sema *c, const struct ast_expr *e) {
    switch (e->kind) {
    case E_INT: return value_static(c, e->ival);
    case E_FLOAT: return eval_float(c, e);
    case E_NAME: return eval_name(c, e);
    case E_WILD: return value_of_tuple(c, lay_any(c->lay));
    case E_TUPLE: return eval_tuple(c, e);
    case E_TILER: return eval_tiler(c, e);
    case E_SWIZZLE: return eval_swizzle(c, e);
    case E_CALL: return eval_call(c, e);
    case E_MEMBER: return eval_member(c, e);
    case E_NEG: return eval_neg(c, e);
    case E_BINARY: return eval_binary(c, e);
    case E_LAYOUT: return eval_layout(c, e);
    case E_BASIS: return eval_basis(c, e);
    case E_COMPOSE: return eval_compose(c, e);
    case E_RANGE: {
        const struct ix *begin = eval_ix(c, e->lhs, "the start of a range");
        const struct ix *end = eval_ix(c, e->rhs, "the end of a range");
        return begin && end ? value_range(c, begin, end) : &value_none;
    }
    case E_MAP: return FAIL(c, e->at, "an index map goes in 'tile(ATOM, map=..)' or after 'by'");
    }
    BUG("an expression of kind %d", e->kind);
}

// A value without kind must have an error: otherwise its statement would be omitted silently.
const struct value *eval(struct sema *c, const struct ast_expr *e) {
    bool step = c->options && (e->kind == E_CALL || e->kind == E_COMPOSE);
    c->nested += step;
    const struct value *v = value_of(c, e);
    c->nested -= step;
    if (step) evaluate_step(c, e, v);
    if (v->kind == VAL_NONE && c->s->diags.nerrors == 0)
        BUG("an expression without a value and without an error");
    return v;
}

bool eval_int64(struct sema *c, const struct ast_expr *e, const char *what, int64_t *out) {
    return value_to_int64(c, eval(c, e), e->at, what, out);
}

const struct ix *eval_ix(struct sema *c, const struct ast_expr *e, const char *what) {
    const struct value *v = eval(c, e), *u = value_unwrap(v);
    if (u->kind == VAL_INT) return u->ix;
    if (v->kind != VAL_NONE)
        diag_error(c->s, e->at, "%s must be an integer, not %s", what, value_kind_text(v));
    return NULL;
}
