// Atoms: universal(128), auto(128, f32), cp_async.cg(16, l2=128).  Other atoms of the language are
// refused by name.
#include <string.h>

#include "plan/arch.h"
#include "sema/expr/expr.h"
#include "sema/tile/tile.h"

bool atom_known(const char *name) {
    return atom_find(name) != NULL;
}

// The atoms of family "name" for messages, "'cp_async.ca' or 'cp_async.cg'"; NULL if there is no
// such family.
static const char *family(struct sema *c, const char *name) {
    struct buf b;
    size_t n = strlen(name);
    int found = 0, all = 0;
    buf_init(&b);
    for (int i = 0; i < n_atom_rows; ++i)
        all += strncmp(atom_rows[i].name, name, n) == 0 && atom_rows[i].name[n] == '.';
    for (int i = 0; i < n_atom_rows; ++i) {
        const char *row = atom_rows[i].name;
        if (strncmp(row, name, n) != 0 || row[n] != '.') continue;
        buf_printf(&b, "%s'%s'", found == 0 ? "" : found + 1 == all ? " or " : ", ", row);
        ++found;
    }
    const char *text = buf_finish(&b, &c->s->arena);
    return found ? text : NULL;
}

bool atom_family(struct sema *c, const char *name) {
    return family(c, name) != NULL;
}

const struct value *atom_of_family(struct sema *c, const char *name, const char *part,
                                   struct range at) {
    const char *all = family(c, name);
    if (!part) return FAIL(c, at, "'%s' alone is not an atom; write %s", name, all);
    return FAIL(c, at, "'%s' has no part '%s'; write %s", name, part, all);
}

const char *atom_written(struct sema *c, const struct ast_expr *e) {
    if (e->kind == E_NAME) return e->name;
    if (e->kind != E_MEMBER) return NULL;
    const char *of = atom_written(c, e->lhs);
    return of ? sema_text(c, "%s.%s", of, e->name) : NULL;
}

const char *atom_member(struct sema *c, const struct ast_expr *e) {
    const struct ast_expr *first = e;
    while (first->kind == E_MEMBER) first = first->lhs;
    if (first == e || first->kind != E_NAME || scope_find(c, first->name)) return NULL;
    const char *name = atom_written(c, e);
    return name && atom_known(name) ? name : NULL;
}

static const char *width_list(struct sema *c, const struct atom_row *row) {
    struct buf b;
    buf_init(&b);
    for (int i = 0; i < MOST_WIDTHS && row->widths[i]; ++i)
        buf_printf(&b, "%s%d", i ? ", " : "", row->in_bytes ? row->widths[i] / 8 : row->widths[i]);
    return buf_finish(&b, &c->s->arena);
}

// The widths of a family for messages, "4, 8 or 16".
static const char *width_choice(struct sema *c, const struct atom_row *row) {
    struct buf b;
    buf_init(&b);
    for (int i = 0; i < MOST_WIDTHS && row->widths[i]; ++i) {
        bool last = i + 1 == MOST_WIDTHS || !row->widths[i + 1];
        buf_printf(&b, "%s%d", i == 0 ? "" : last ? " or " : ", ", row->widths[i] / 8);
    }
    return buf_finish(&b, &c->s->arena);
}

// Reports a width in bytes that the instruction does not have.
static void refuse_bytes(struct sema *c, const struct atom_row *row, int64_t bytes,
                         struct range at) {
    const struct atom_row *narrow = atom_narrower(row);
    if (atom_has_width(row, bytes)) {
        diag_error(c->s, at, "'%s' counts bytes; an access of %lld bits is %s(%lld)", row->name,
                   (long long)bytes, row->name, (long long)bytes / 8);
        diag_fixit(c->s, at, sema_text(c, "%lld", (long long)bytes / 8));
    } else if (bytes > 0 && bytes < narrow->widths[0] / 8) {
        diag_error(c->s, at,
                   "'%s' has no access of %lld byte%s: %s moves %s; for fewer, use universal(%lld)",
                   row->name, (long long)bytes, bytes == 1 ? "" : "s", row->family,
                   width_choice(c, narrow), (long long)bytes * 8);
    } else if (row != narrow && bytes > 0 && bytes < 64 && atom_has_width(narrow, bytes * 8)) {
        diag_error(c->s, at, "'%s' has no access of %lld bytes, only of %s: %s; write %s(%lld)",
                   row->name, (long long)bytes, width_list(c, row), row->why_widths, narrow->name,
                   (long long)bytes);
    } else {
        diag_error(c->s, at, "'%s' has no access of %lld bytes; it has %s", row->name,
                   (long long)bytes, width_list(c, row));
    }
    diag_page(c->s, row->page);
}

bool atom_takes(struct sema *c, const struct atom_row *row, int elem_bits, struct range at) {
    if (!row->most_elem || elem_bits <= row->most_elem) return true;
    diag_error(c->s, at,
               "'%s' gives each lane %d bits of a row at a time, which hold no element of %d bits",
               row->name, row->most_elem, elem_bits);
    diag_page(c->s, row->page);
    return false;
}

// Reads l2=BYTES.
static bool prefetch(struct sema *c, const struct ast_arg *arg, struct atom *a) {
    int64_t bytes;
    if (!eval_int64(c, arg->value, "the hint 'l2='", &bytes)) return false;
    a->l2 = (int)bytes;
    if (bytes == 64 || bytes == 128 || bytes == 256) return true;
    diag_error(c->s, arg->value->at, "'l2=%lld': the L2 cache fetches 64, 128 or 256 bytes",
               (long long)bytes);
    return false;
}

// Reports that the atom has no argument of the name of "arg": "universal(bits=128)", "L2=128".
static void no_argument(struct sema *c, const struct atom_row *row, const struct ast_arg *arg) {
    const char *name = arg->key.name;
    bool l2 = row->prefetches && strcmp(name, "L2") == 0,
         width = strcmp(name, "bits") == 0 || strcmp(name, "bytes") == 0;
    const char *takes = row->prefetches ? "'l2='" : NULL;
    if (row->st) takes = takes ? sema_text(c, "'st=' and %s", takes) : "'st='";
    if (row->ld)
        takes = takes ? sema_text(c, row->st ? "'ld=', %s" : "'ld=' and %s", takes) : "'ld='";
    if (l2)
        diag_error(c->s, arg->key.at, "'%s' takes no argument called 'L2'; did you mean 'l2'?",
                   row->name);
    else if (width && !row->fixed)
        diag_error(c->s, arg->key.at, "the width of '%s' has no name", row->name);
    else
        diag_error(c->s, arg->key.at,
                   takes ? "'%s' takes no argument called '%s', but %s"
                         : "'%s' takes no argument called '%s'",
                   row->name, name, takes);
    if (l2) diag_fixit(c->s, arg->key.at, "l2");
    if (width && !l2 && !row->fixed)
        diag_fixit(c->s, (struct range){arg->key.at.file, arg->key.at.begin, arg->value->at.begin},
                   "");
}

// The arguments after the width, from "first" on.
static bool more_args(struct sema *c, const struct ast_expr *e, int first, struct atom *a) {
    const struct atom_row *row = a->row;
    for (int i = first; i < e->nargs; ++i) {
        const struct ast_arg *arg = &e->arg[i];
        if (arg->key.name) {
            if (row->prefetches && arg->key.name == intern(c->s, "l2")) {
                if (!prefetch(c, arg, a)) return false;
                continue;
            }
            bool ld = row->ld && arg->key.name == intern(c->s, "ld");
            if (ld || (row->st && arg->key.name == intern(c->s, "st"))) {
                if (!atom_hints(c, arg, ld, a)) return false;
                continue;
            }
            no_argument(c, row, arg);
            return false;
        }
        const struct value *v = eval(c, arg->value);
        if (v->kind == VAL_NONE) return false;
        if (v->kind == VAL_ELEM && i > first) {
            diag_error(c->s, arg->value->at, "'%s' takes one element type", row->name);
            return false;
        }
        if (v->kind != VAL_ELEM || i > first) {
            diag_error(c->s, arg->value->at,
                       "the %s argument of '%s' must be an element type, not %s",
                       first ? "second" : "first", row->name, value_kind_text(v));
            return false;
        }
        a->elem = v->elem;
        if (!atom_takes(c, row, a->elem->bits, arg->value->at)) return false;
        if (row->exact && (a->bits < a->elem->bits || a->bits % a->elem->bits != 0)) {
            diag_error(c->s, e->at, "'%s' of %d bits cannot move a whole '%s', which has %d",
                       row->name, a->bits, a->elem->name, a->elem->bits);
            return false;
        }
    }
    return true;
}

static const struct value *atom_value(struct sema *c, const struct atom *a) {
    struct value *v = ARENA_NEW(&c->s->arena, struct value);
    v->kind = VAL_ATOM;
    v->atom = a;
    return v;
}

const struct value *atom_uncalled(struct sema *c, const char *name, struct range at) {
    const struct atom_row *row = atom_find(name);
    int widest = 0;
    for (int i = 0; i < MOST_WIDTHS && row->widths[i]; ++i) widest = row->widths[i];
    return FAIL(c, at, "'%s' is called with its %s: %s(%d)", name, row->in_bytes ? "bytes" : "bits",
                name, row->in_bytes ? widest / 8 : widest);
}

const struct value *atom_fixed(struct sema *c, const char *name, const struct ast_expr *e) {
    const struct atom_row *row = atom_find(name);
    if (!row->fixed) return atom_uncalled(c, name, e->at);
    struct atom *a = ARENA_NEW(&c->s->arena, struct atom);
    int widest = 0;
    while (row->alone && widest + 1 < MOST_WIDTHS && row->widths[widest + 1]) ++widest;
    *a = (struct atom){.row = row, .bits = row->widths[widest], .at = e->at};
    if (e->kind == E_CALL && row->alone && (e->nargs == 0 || !e->arg[0].key.name))
        return FAIL(c, e->at,
                    row->ld ? "'%s' takes hints alone: 'copy A -> s with %s(ld=L2.evict_first)'"
                            : "'%s' takes no arguments: 'copy A -> B with %s'",
                    name, name);
    if (e->kind == E_CALL && !row->alone && e->nargs != 1)
        return FAIL(c, e->at, "'%s' takes only an element type: %s(f16); given: %d arguments", name,
                    name, e->nargs);
    return e->kind != E_CALL || more_args(c, e, 0, a) ? atom_value(c, a) : &value_none;
}

const struct value *atom_call(struct sema *c, const char *name, const struct ast_expr *e) {
    const struct atom_row *row = atom_find(name);
    if (row->fixed) return atom_fixed(c, name, e);
    int most = 2 + row->prefetches + (row->ld != 0) + (row->st != 0);
    if (e->nargs < 1 || e->nargs > most)
        return FAIL(c, e->at,
                    "'%s' takes the %s of an access and, optionally, an element type; here %s %d "
                    "argument%s",
                    name, row->in_bytes ? "bytes" : "bits", e->nargs == 1 ? "is" : "are", e->nargs,
                    e->nargs == 1 ? "" : "s");
    if (e->arg[0].key.name) {
        no_argument(c, row, &e->arg[0]);
        return &value_none;
    }
    int64_t width;
    struct range width_at = e->arg[0].value->at;
    if (!eval_int64(c, e->arg[0].value, sema_text(c, "the width of '%s'", name), &width))
        return &value_none;
    if (row->in_bytes ? width < 1 || width > 64 || !atom_has_width(row, width * 8)
                      : !atom_has_width(row, width)) {
        if (row->in_bytes)
            refuse_bytes(c, row, width, width_at);
        else
            diag_error(
                c->s, width_at,
                width > 0 && width < 8
                    ? "'%s' has no access of %lld bits; it counts bits, not elements, and has %s"
                    : "'%s' has no access of %lld bits; it has %s",
                name, (long long)width, width_list(c, row));
        return &value_none;
    }
    struct atom *a = ARENA_NEW(&c->s->arena, struct atom);
    *a = (struct atom){.row = row, .bits = (int)width * (row->in_bytes ? 8 : 1), .at = e->at};
    return more_args(c, e, 1, a) ? atom_value(c, a) : &value_none;
}

// -- what an atom asks of a copy ------------------------------------------------------------------

// The bits of a plain access that is as wide as one of "a".
static int plain_bits(const struct atom *a) {
    return a->row->alone ? a->row->widths[0] : a->bits;
}

// What copies as "a" cannot: "universal(128)".  A copy that names an atom alone needs a tiled copy then.
static const char *plain_text(struct sema *c, const struct atom *a) {
    return sema_text(c, "use %suniversal(%d) here", a->row->alone ? "a tiled copy of " : "",
                     plain_bits(a));
}

// The direction for messages, such as "from global to shared memory", "from shared memory to a
// fragment".
static const char *way(struct sema *c, const struct atom_row *row) {
    enum space from = MEM_GLOBAL, to = MEM_GLOBAL;
    while (!(row->src_spaces & 1u << from)) ++from;
    while (!(row->dst_spaces & 1u << to)) ++to;
    if (from == MEM_FRAG) return sema_text(c, "from a fragment to %s memory", space_name(to));
    if (to == MEM_FRAG) return sema_text(c, "from %s memory to a fragment", space_name(from));
    return sema_text(c, "from %s to %s memory", space_name(from), space_name(to));
}

// Whether "tc" could make copy "y": by memory, width and size of the tile.
static bool could_copy(struct sema *c, const struct tiled_copy *tc, const struct copy *y) {
    const struct atom_row *row = tc->atom.row;
    if (!(row->src_spaces & 1u << y->src.base->space) ||
        !(row->dst_spaces & 1u << y->dst.base->space) || !tc->tiler)
        return false;
    for (int i = 0; i < 2; ++i) {
        const struct view *v = copy_side(y, i == 0);
        if (tc->atom.bits % v->base->elem->bits) return false;
        if (v->base->space == MEM_FRAG) continue;  // its shape is a thread's part
        int n = lay_tuple_rank(tc->tiler);
        if (!lay_valid(v->layout) || lay_rank(v->layout) != n) return false;
        for (int m = 0; m < n; ++m) {
            const struct lay_tuple *tile = lay_tuple_get(c->lay, tc->tiler, m);
            struct lay_int all = lay_size(c->lay, lay_mode(c->lay, v->layout, m));
            lay_clear_error(c->lay);
            if (!lay_is_leaf(tile) || !lay_int_static(tile->leaf) ||
                !lay_int_divisible(all, tile->leaf.num))
                return false;
        }
    }
    return true;
}

// The only tiled copy so far that is not used and could make "y"; or NULL.
static const char *unused_copy(struct sema *c, const struct copy *y) {
    const char *found = NULL;
    for (const struct symbol *sym = c->last; sym; sym = sym->prev) {
        if (sym->used || sym->imported || !sym->value || sym->value->kind != VAL_TILED) continue;
        if (!could_copy(c, sym->value->tc, y)) continue;
        if (found) return NULL;
        found = sym->name;
    }
    return found;
}

// The atom of one thread that copies by boxes, or by rows, as "row" does, and between the spaces of "y".
static const char *opposite(const struct atom_row *row, const struct copy *y) {
    for (const struct atom_row *r = atom_rows; r < atom_rows + n_atom_rows; ++r)
        if (r->alone && r->boxes == row->boxes && r->src_spaces & 1u << y->src.base->space &&
            r->dst_spaces & 1u << y->dst.base->space)
            return r->name;
    return NULL;
}

static bool in_space(struct sema *c, const struct atom *a, const struct copy *y, bool dst) {
    const struct view *v = copy_side(y, !dst);
    unsigned spaces = dst ? a->row->dst_spaces : a->row->src_spaces;
    if (spaces & 1u << v->base->space) return true;
    const char *other = y->tc && !atom_is_collective(a->row) ? unused_copy(c, y) : NULL;
    const char *back = a->row->alone ? opposite(a->row, y) : NULL;
    const char *mend = other  ? sema_text(c, "is '%s' meant, which nothing uses yet?", other)
                       : back ? sema_text(c, "is '%s' meant?", back)
                       : !atom_is_collective(a->row) ? plain_text(c, a)
                       : v->base->space == MEM_GLOBAL
                           ? (spaces & 1u << MEM_FRAG ? "copy it through a fragment"
                                                      : "copy it through shared memory")
                           : "use a tiled copy of 'auto' or 'universal' here";
    diag_error(c->s, v->at, "%s copies %s, but the %s '%s' is %s; %s", a->row->family,
               way(c, a->row), dst ? "destination" : "source", v->base->name,
               space_place(v->base->space), mend);
    diag_page(c->s, a->row->page);
    diag_note(c->s, a->at, "the atom is declared here");
    return false;
}

// Whether the groups of "row" are counted as those of the kernel's other copies.  Barriers in memory count
// apart from the hardware; a wait is for both.
static bool counts_with_others(struct sema *c, const struct atom_row *row, const struct copy *y) {
    const struct atom_row **first_at = row->counter      ? &c->kernel->counted
                                       : row->reads_late ? &c->kernel->stored
                                                         : &c->kernel->groups;
    if (row->completes != COMPLETES_BY_GROUP) return true;
    if (!*first_at) *first_at = row;
    const struct atom_row *first = *first_at;
    if (strcmp(first->commit, row->commit) == 0 && strcmp(first->wait, row->wait) == 0) return true;
    diag_error(c->s, y->how_at,
               "'%s' counts its groups apart from those of '%s', which '%s' uses, too; use one of "
               "the two",
               row->name, first->name, c->kernel->name);
    diag_page(c->s, row->page);
    return false;
}

// Whether the kernel is one in which one thread may copy a tile by "row".
static bool may_be_alone(struct sema *c, const struct atom_row *row, const struct copy *y) {
    for (int i = 0; i < c->kernel->nformals; ++i) {
        const struct formal *f = &c->kernel->formal[i];
        if (row->reads_late || f->tensor != y->src.base || f->dir == ARG_IN) continue;
        diag_error(c->s, y->src.at,
                   "not yet supported: '%s' from '%s', which the kernel writes, too; take "
                   "cp_async.cg(16)",
                   row->name, y->src.base->name);
        diag_page(c->s, row->page);
        return false;
    }
    return true;
}

// Refuses a row of the table that lacks what the later steps need.
static bool is_complete(struct sema *c, const struct atom_row *row, struct range at) {
    const char *lacks = atom_lacks(row);
    if (lacks) diag_error(c->s, at, "'%s' cannot be used: its row has no %s", row->name, lacks);
    return !lacks;
}

bool atom_check_copy(struct sema *c, const struct atom *a, const struct copy *y) {
    if (!is_complete(c, a->row, y->how_at) || !in_space(c, a, y, false) ||
        !in_space(c, a, y, true) || !atom_check_hints(c, a, y))
        return false;
    if (a->row->raw && y->pad && y->pad->bits != 0) {
        diag_error(c->s, y->how_at,
                   "%s fills with 0 where there is no source, but 'pad' is %s; %s, or 'pad 0'",
                   a->row->family, y->pad->text, plain_text(c, a));
        diag_page(c->s, a->row->page);
        return false;
    }
    const struct tensor *from = y->src.base, *to = y->dst.base;
    if (a->row->raw && from->elem != to->elem) {
        const char *mend =
            !atom_is_collective(a->row) ? plain_text(c, a)
            : from->space == MEM_FRAG
                ? sema_text(c, "convert first, from '%s' to a fragment of %s", from->name,
                            to->elem->name)
                : sema_text(c, "load a fragment of %s, and convert from that to '%s'",
                            from->elem->name, to->name);
        diag_error(c->s, y->how_at,
                   "%s moves bytes and does not convert, but '%s' holds %s and '%s' holds %s; %s",
                   a->row->family, from->name, from->elem->name, to->name, to->elem->name, mend);
        diag_page(c->s, a->row->page);
        return false;
    }
    const struct atom_row *row = a->row;
    if (row->elems && !atom_has_elem(row, to->elem->name)) {
        diag_error(c->s, y->how_at, "'%s' has no form for %s; it has %s", row->name, to->elem->name,
                   row->elems);
        diag_page(c->s, row->page);
        return false;
    }
    if (!arch_has(c->plan->arch_name, row->min_arch, row->feature)) {
        if (row->feature)
            diag_error(c->s, y->how_at, "'%s' needs sm_%d%c; this plan is for %s", row->name,
                       row->min_arch, row->feature, c->plan->arch_name);
        else
            diag_error(c->s, y->how_at, "'%s' needs sm_%d; this plan is for sm_%d", row->name,
                       row->min_arch, c->plan->arch);
        diag_page(c->s, row->page);
        return false;
    }
    return counts_with_others(c, row, y) && (!row->alone || may_be_alone(c, row, y));
}
