// Cache hints of an atom: ld=cs, st=L1.no_allocate.L2.evict_first.
#include <string.h>

#include "sema/tile/tile.h"

// The hints that an atom takes for messages, "nc, cg, cs".
static const char *words(struct sema *c, unsigned allowed) {
    const char *text = "";
    for (int i = 0; i < n_hint_rows; ++i)
        if (allowed & hint_rows[i].bit)
            text = sema_text(c, "%s%s%s", text, text[0] ? ", " : "", hint_rows[i].word);
    return text;
}

// The row whose word "text" begins with, up to the end of a word; the longest one.
static const struct hint_row *begins(const char *text) {
    for (int i = 0; i < n_hint_rows; ++i) {
        size_t n = strlen(hint_rows[i].word);
        if (strncmp(text, hint_rows[i].word, n) == 0 && (!text[n] || text[n] == '.'))
            return &hint_rows[i];
    }
    return NULL;
}

bool atom_hints(struct sema *c, const struct ast_arg *arg, bool ld, struct atom *a) {
    const char *key = ld ? "ld" : "st", *text = atom_written(c, arg->value);
    unsigned allowed = ld ? a->row->ld : a->row->st, *hints = ld ? &a->ld : &a->st;
    struct range at = arg->value->at;
    if (!text) {
        diag_error(c->s, at, "'%s=' of '%s' takes the words %s, with '.' between them", key,
                   a->row->name, words(c, allowed));
        return false;
    }
    const struct hint_row *of_kind[HINT_L2 + 1] = {NULL};
    for (const char *p = text; *p;) {
        const struct hint_row *row = begins(p);
        if (!row || !(row->bit & allowed)) {
            diag_error(c->s, at, "'%s=' of '%s' has no word '%s'; it has %s", key, a->row->name,
                       row ? row->word : p, words(c, allowed));
            return false;
        }
        if (of_kind[row->kind]) {
            diag_error(c->s, at,
                       "'%s' and '%s' are hints of the same kind; an access takes one of them",
                       of_kind[row->kind]->word, row->word);
            return false;
        }
        of_kind[row->kind] = row;
        *hints |= row->bit;
        p += strlen(row->word);
        p += *p == '.';
    }
    return true;
}

// Whether the loads (or stores) of a copy are accesses to global memory, to which hints apply.
static bool check_side(struct sema *c, const struct atom *a, const struct copy *y, bool ld) {
    unsigned hints = ld ? a->ld : a->st;
    const struct tensor *t = ld ? y->src.base : y->dst.base;
    const char *said = ld && !hints
                           ? sema_text(c, "l2=%d", a->l2)
                           : sema_text(c, "%s=%s", ld ? "ld" : "st", hints_text(c->s, hints));
    if (!hints && !(ld && a->l2)) return true;
    if (t->space != MEM_GLOBAL) {
        diag_error(c->s, y->how_at, "'%s' is for %s global memory, but the %s '%s' is in %s", said,
                   ld ? "loads from" : "stores to", ld ? "source" : "destination", t->name,
                   t->space == MEM_FRAG ? "registers" : "shared memory");
        diag_note(c->s, a->at, "the atom is declared here");
        return false;
    }
    for (int i = 0; i < n_hint_rows; ++i) {
        const struct hint_row *row = &hint_rows[i];
        if (!(row->bit & hints) || c->plan->arch >= row->min_arch) continue;
        diag_error(c->s, y->how_at, "the hint '%s' needs sm_%d; this plan is for sm_%d", row->word,
                   row->min_arch, c->plan->arch);
        return false;
    }
    if (!(hints & HINT_NC)) return true;
    for (int i = 0; i < c->kernel->nformals; ++i) {
        const struct formal *f = &c->kernel->formal[i];
        if (f->tensor != t || formal_is_constant(c->kernel, f)) continue;
        diag_error(c->s, y->how_at,
                   f->dir == ARG_IN ? "'ld=nc' needs a tensor that is not written while the kernel "
                                      "runs, but the caller of '%s' "
                                      "may write '%s': it is not 'readonly'"
                                    : "'ld=nc' needs a tensor that is not written while the kernel "
                                      "runs, but '%s' writes '%s'",
                   c->kernel->name, t->name);
        diag_note(c->s, f->at, "'%s' is an argument here", t->name);
        return false;
    }
    return true;
}

bool atom_check_hints(struct sema *c, const struct atom *a, const struct copy *y) {
    return check_side(c, a, y, true) && check_side(c, a, y, false);
}
