// What a kernel between devices has besides.  In the plan, the parts of a tensor are in one memory, and
// the part of device n begins at n times a param.  In emitted code each part has an address, so the
// number of the device is taken out of the offsets here.  It has to be the same in a whole block.
#include <string.h>

#include "base/digest.h"
#include "base/session.h"
#include "layout/algebra.h"
#include "lower/private.h"

static bool speaks_of(const struct lay_tuple *t, const struct lay_sym *y) {
    bool any = false;
    for (int i = 0; i < t->rank; ++i) any |= speaks_of(t->kid[i], y);
    for (int i = 0; lay_is_leaf(t) && i < t->leaf.nsyms; ++i) any |= t->leaf.syms[i] == y;
    return any;
}

// The device in whose part "v" is.
static const struct ix *device_of(struct session *s, const struct view *v,
                                  const struct lay_sym *apart) {
    const struct ix *e = v->offset, *sum = ix_int(s, 0);
    struct lay_int one;
    if (speaks_of(v->layout.stride, apart)) BUG("a copy has elements of several devices");
    if (e->op != IX_SUM) {
        if (ix_monomial(e, &one) && one.nsyms == 1 && one.syms[0] == apart)
            return ix_int(s, one.num);
        if (ix_speaks_of(e, apart)) BUG("the device of a copy is not known");
        return sum;
    }
    for (int i = 0; i < e->nterms; ++i) {
        struct lay_int k = e->term[i].coef;
        bool is = k.nsyms == 1 && k.syms[0] == apart && k.den == 1;
        const struct ix *atom = e->term[i].atom ? e->term[i].atom : ix_int(s, 1);
        if (!is && ix_speaks_of(ix_scale(s, atom, k), apart))
            BUG("the device of a copy is not known");
        if (is) sum = ix_add(s, sum, ix_scale(s, atom, lay_int(k.num)));
    }
    return sum;
}

// The digits of the number of a device by which its part of the tensor differs from others.
static const struct ix *own_part(struct session *s, const struct spread *x, const struct ix *rank) {
    const struct ix *sum = ix_int(s, 0);
    for (int i = 0; i < x->mesh->naxes; ++i) {
        if (x->mode[i] < 0) continue;
        const struct ix *digit =
            ix_mod(s, ix_div(s, rank, lay_int(x->mesh->step[i])), lay_int(x->mesh->size[i]));
        sum = ix_add(s, sum, ix_scale(s, digit, lay_int(x->mesh->step[i])));
    }
    return sum;
}

// Sets "out->device" to the device whose part of formal "f" the copies of "k" access.
static void find_device(struct lowering *w, const struct kernel *k, const struct formal *f,
                        struct kir_kernel *to, struct kir_tensor *out) {
    struct session *s = w->s;
    const struct spread *x = f->declared->spread;
    const struct ix *rank = ix_var(s, k->block[2]), *device = NULL;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        for (int i = 0; st->kind == STMT_COPY && i < 2; ++i) {
            const struct view *v = i ? &st->copy->dst : &st->copy->src;
            if (v->base != f->tensor) continue;
            const struct ix *here = device_of(s, v, x->apart->sym);
            if (device && !ix_equal(device, here)) BUG("copies of a block are on several devices");
            device = here;
        }
    }
    bool own = k->mesh->devices == 1 ||
               (device && ix_equal(device, f->dir == ARG_IN ? own_part(s, x, rank) : rank));
    if (own) return;
    if (f->dir == ARG_IN) BUG("'%s' is read from another device", f->tensor->name);
    to->across = true;
    out->device = device ? device : rank;
    out->own_c_name = names_take(&w->names, arena_printf(&s->arena, "%s_own", f->tensor->name));
}

void lower_mesh(struct lowering *w, const struct kernel *k, struct kir_kernel *out) {
    struct session *s = w->s;
    struct digesting d;
    out->devices = k->mesh->devices;
    out->mesh = names_take(&w->names, "mesh");
    names_take(&w->names, arena_printf(&s->arena, "%s_call", out->mesh));
    for (int i = 0; i < k->nformals; ++i) {
        struct lay_int n = lay_size(&s->lay, k->formal[i].declared->spread->part);
        out->tensor[i].part_span = ix_lay(s, n);
        find_device(w, k, &k->formal[i], out, &out->tensor[i]);
    }
    digest_begin(&d);
    for (const struct kernel *c = k->first_case ? k->first_case : k; c; c = c->next_case)
        digest_text(&d, c->planned);
    struct digest all = digest_end(&d);
    memcpy(&out->digest, all.byte, sizeof out->digest);
}
