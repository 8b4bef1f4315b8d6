// mma(m16n8k16.f32.f16.f16.f32, warps=L, tile=S): an instruction of mma.sync for several warps; and
// operand_A, operand_B and operand_C, which say which thread holds which of its elements.
#include "plan/mma.h"

#include <inttypes.h>
#include <string.h>

#include "sema/expr/expr.h"
#include "sema/tile/tile.h"
#include "syntax/foreign.h"

enum { MOST_WARPS = 32, MOST_TILE = 1 << 12 };

static const struct mma_row *find_row(struct sema *c, const struct ast_expr *e) {
    const char *text = atom_written(c, e);
    const struct mma_row *row = text ? mma_find(text) : NULL;
    if (row && c->plan->arch >= row->min_arch) return row;
    if (row) {
        diag_error(c->s, e->at, "'%s' needs sm_%d; this plan is for sm_%d", text, row->min_arch,
                   c->plan->arch);
        return NULL;
    }
    const char *list[MMA_MOST_ROWS];
    for (int i = 0; i < n_mma_rows; ++i) list[i] = mma_name(c->s, &mma_rows[i]);
    const char *near = text ? foreign_mma(c->s, text) : NULL;
    if (near && !mma_find(near)) near = NULL;
    if (!near && text) near = diag_did_you_mean(text, list, n_mma_rows);
    const struct foreign *w = e->kind == E_NAME ? foreign_find(FOREIGN_VALUE, e->name) : NULL;
    if (text && strncmp(text, "m64n", 4) == 0) w = foreign_find(FOREIGN_VALUE, "wgmma");
    if (near)
        diag_error(c->s, e->at, "no instruction is called '%s'; did you mean '%s'?", text, near);
    else if (w && w->help)
        diag_error(c->s, e->at, "no instruction is called '%s'; %s", text, w->help);
    else
        diag_error(c->s, e->at,
                   "the first argument of 'mma' is an instruction with the types of D, A, B and C: "
                   "m16n8k16.f32.f16.f16.f32");
    if (near) diag_fixit(c->s, e->at, near);
    return NULL;
}

// Sets the numbers of the warps, by (m,n,k).
static bool set_warps(struct sema *c, const struct ast_arg *a, struct tiled_mma *x) {
    if (!a) {
        const struct lay_tuple *one = lay_leaf_of(c->lay, 1);
        x->warps =
            lay_make_col(c->lay, lay_tuple(c->lay, 3, (const struct lay_tuple *[]){one, one, one}));
        return true;
    }
    const struct value *v = eval(c, a->value);
    if (v->kind == VAL_NONE || !names_none(c, v, a->value->at, "'warps='") ||
        layout_lacks_colon(c, a->value, v))
        return false;
    x->warps = value_to_layout(c, v, a->value->at, "'warps='");
    if (!lay_valid(x->warps)) return false;
    if (lay_rank(x->warps) != 3 || !lay_static(x->warps) || x->warps.sw.b) {
        diag_error(c->s, a->value->at,
                   "'warps=' takes the warps along M, N and K, such as warps=(4,1,1), not %s",
                   lay_text(c->lay, x->warps));
        return false;
    }
    if (!tile_check_numbering(c, x->warps, a->value->at, "'warps='", "warp")) return false;
    if (lay_size(c->lay, x->warps).num > MOST_WARPS) {
        diag_error(c->s, a->value->at, "%" PRId64 " warps; a block has at most %d",
                   lay_size(c->lay, x->warps).num, MOST_WARPS);
        return false;
    }
    return true;
}

// Sets the extents of the tile and the order of its coordinates from "a"; without "a", the tile of
// one instruction for each warp.
static bool set_tile(struct sema *c, const struct ast_arg *a, struct tiled_mma *x) {
    static const char axes[] = "MNK";
    const struct mma_shape *shape = mma_shape_of(x->row);
    const int size[] = {shape->m, shape->n, shape->k};
    const struct lay_tiler *t = NULL;
    if (a) {
        const struct value *v = eval(c, a->value);
        if (v->kind == VAL_NONE) return false;
        t = value_to_tiler(c, v, a->value->at, "'tile='");
        if (!t) return false;
        if ((t->kind != LAY_TILER_SHAPE && t->kind != LAY_TILER_MODES) || t->rank != 3) {
            diag_error(
                c->s, a->value->at,
                "'tile=' takes the extents along M, N and K, such as tile=(64,16,16), not %s",
                lay_tiler_text(c->lay, t));
            return false;
        }
    }
    for (int i = 0; i < 3; ++i) {
        int64_t covered = size[i] * lay_size(c->lay, lay_mode(c->lay, x->warps, i)).num;
        x->tile[i] = covered;
        x->order[i] = lay_layout_invalid();
        if (!t || t->kid[i]->kind == LAY_TILER_ANY) continue;
        struct lay part = t->kid[i]->layout;
        if (!lay_valid(part) || !lay_static(part) || part.sw.b) {
            diag_error(c->s, a->value->at, "'tile=' has no number along %c", axes[i]);
            return false;
        }
        x->tile[i] = lay_size(c->lay, part).num;
        if (x->tile[i] < 1 || x->tile[i] > MOST_TILE || x->tile[i] % covered != 0) {
            diag_error(c->s, a->value->at,
                       "'tile=' has %" PRId64 " along %c, where %" PRId64
                       " warps of %s cover %" PRId64 "; it must be a multiple of that",
                       x->tile[i], axes[i], covered / size[i], x->row->shape, covered);
            return false;
        }
        bool plain = part.shape->rank < 0 && lay_int_is(part.stride->leaf, 1);
        if (plain) continue;
        if (!tile_check_numbering(c, part, a->value->at, "the order in 'tile='", "coordinate"))
            return false;
        x->order[i] = part;
    }
    return true;
}

const struct value *mma_call(struct sema *c, const struct call *call) {
    const struct ast_expr *e = call->e;
    const struct ast_arg *warps = NULL, *tile = NULL;
    for (int i = 0; i < e->nargs; ++i) {
        const struct ast_arg *a = &e->arg[i];
        const char *key = a->key.name;
        if (i == 0 && !key) continue;
        const struct ast_arg **slot = key && strcmp(key, "warps") == 0  ? &warps
                                      : key && strcmp(key, "tile") == 0 ? &tile
                                                                        : NULL;
        if (i == 0 || !slot || *slot)
            return FAIL(c, key ? a->key.at : a->value->at,
                        "'mma' takes an instruction, 'warps=' and 'tile=', each once: "
                        "mma(m16n8k16.f32.f16.f16.f32, warps=(4,1,1), tile=(64,16,16))");
        *slot = a;
    }
    if (e->nargs == 0) return FAIL(c, e->at, "'mma' takes an instruction");
    struct tiled_mma *x = ARENA_NEW(&c->s->arena, struct tiled_mma);
    x->at = e->at;
    x->row = find_row(c, e->arg[0].value);
    if (!x->row || !set_warps(c, warps, x) || !set_tile(c, tile, x)) return &value_none;
    lay_clear_error(c->lay);
    if (!mma_make(c->s, x)) {
        sema_lay_error(c, e->at, "the tiled MMA");
        return &value_none;
    }
    struct value *v = ARENA_NEW(&c->s->arena, struct value);
    v->kind = VAL_MMA;
    v->mma = x;
    return v;
}

const struct value *operand_call(struct sema *c, const struct call *call) {
    const struct value *of = call->arg[0];
    if (of->kind != VAL_MMA)
        return FAIL(c, call->e->arg[0].value->at, "'%s' takes a tiled MMA, not %s", call->name,
                    value_kind_text(of));
    enum mma_operand which = (enum mma_operand)(call->name[strlen("operand_")] - 'A');
    struct value *v = ARENA_NEW(&c->s->arena, struct value);
    *v = *value_layout(c, of->mma->tv[which]);
    v->mma = of->mma;
    v->operand = which;
    return v;
}

bool mma_tile(struct sema *c, const struct ast_expr *e, struct tiled_copy *tc) {
    const struct value *v = eval(c, e);
    struct range at = e->at;
    if (v->kind == VAL_NONE) return false;
    if (v->kind == VAL_MMA || !v->mma) {
        diag_error(c->s, at,
                   "'like=' takes an operand of a tiled MMA: operand_A(mma), operand_B(mma) or "
                   "operand_C(mma), not %s",
                   value_kind_text(v));
        return false;
    }
    // accumulators may be converted before they are stored as matrices
    if (v->operand != MMA_C) tc->elem_bits = mma_elem(v->mma, (enum mma_operand)v->operand)->bits;
    return tile_set_tv(c, v, at, "'like='", v->mma->shape[v->operand], tc);
}

void mma_note_wider(struct sema *c, const struct tiled_mma *x, int operand, int64_t has,
                    int64_t times) {
    int64_t tile[3] = {x->tile[0], x->tile[1], x->tile[2]};
    tile[operand == MMA_B ? 1 : 0] *= times;
    diag_note(c->s, x->at,
              "of tile=(%" PRId64 ",%" PRId64 ",%" PRId64 ") a thread has %" PRId64
              " values of operand %c; of tile=(%" PRId64 ",%" PRId64 ",%" PRId64
              ") it has %" PRId64,
              x->tile[0], x->tile[1], x->tile[2], has, "ABC"[operand], tile[0], tile[1], tile[2],
              has * times);
}

void declare_mma(struct sema *c, const struct ast_decl *d) {
    const struct value *v = eval(c, d->value);
    if (v->kind != VAL_MMA && v->kind != VAL_NONE)
        v = FAIL(c, d->value->at,
                 "'%s' is %s; a tiled MMA is expected: mma(m16n8k16.f32.f16.f16.f32)", d->name.name,
                 value_kind_text(v));
    if (v->kind == VAL_MMA) {
        struct tiled_mma *x = ARENA_NEW(&c->s->arena, struct tiled_mma);
        *x = *v->mma;
        x->name = d->name.name;
        struct value *named = ARENA_NEW(&c->s->arena, struct value);
        *named = *v;
        named->mma = x;
        v = named;
        GROW(c, c->mma, c->plan->nmmas, c->cap_mma);
        c->mma[c->plan->nmmas++] = x;
    }
    scope_declare(c, d->name, SYM_MMA, v);
}
