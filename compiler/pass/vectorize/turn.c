// What instructions that transpose can do where a tile is contiguous along the other mode.
#include <string.h>

#include "base/session.h"
#include "pass/vectorize/width.h"

// The same instruction that transposes, or does not; NULL: there is none.
static const struct atom_row *turned(const struct atom_row *row) {
    for (int i = 0; i < n_atom_rows; ++i) {
        const struct atom_row *x = &atom_rows[i];
        if (x == row || !atom_is_collective(x) || !atom_is_collective(row)) continue;
        if (strcmp(x->family, row->family) == 0 && x->widths[0] == row->widths[0]) return x;
    }
    return NULL;
}

// Whether a function gets "t". What it multiplies has a summed mode.
static bool is_operand(const struct kernel *k, const struct tensor *t) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i)
            if (st->call->view[i].base == t && !st->call->fill) return true;
    return false;
}

void turn_offer(struct session *s, const struct kernel *k, const struct copy *c, int number) {
    const struct atom *atom = copy_atom(c);
    const struct atom_row *other = turned(atom->row);
    bool src = space_is_shared(c->src.base->space);
    if (!other || !c->tc) return;
    const struct view *v = copy_side(c, src);
    const char *text = s->sources.file[v->at.file].text + v->at.begin, *name = v->base->name;
    // of a slice, whether the instruction or the order of the modes is meant, only the author knows
    if (strncmp(text, "select(", 7) == 0) {
        diag_note(s, v->at,
                  "its rows are contiguous without 'select'; with it, '%s' reads them as columns: "
                  "does the summed mode of '%s' come first, or last?",
                  other->name, name);
        return;
    }
    if (strncmp(text, "local_tile(", 11) == 0 && strstr(atom->row->name, ".trans") &&
        is_operand(k, copy_side(c, !src)->base)) {
        diag_note(s, v->at,
                  "'%s' reads its rows if the summed mode of '%s' comes last; if it comes first, "
                  "'select(local_tile(%s, ..), (1,0))' has it where '%s' needs it",
                  other->name, name, name, atom->row->name);
        return;
    }
    diag_note(s, atom->at, "with '%s' the lanes address rows along the other mode of '%s'",
              other->name, name);
    diag_fixit(s, atom->at, other->name);
    diag_claim(s, (struct claim){k->name, number, atom->bits, CHEAPER_NOT, false, true});
}

void turn_note_reader(struct session *s, const struct kernel *k, const struct copy *c) {
    const struct tensor *t = c->dst.base;
    int a = contiguous_mode(&s->lay, &c->src), b = contiguous_mode(&s->lay, &c->dst);
    if (!space_is_shared(t->space) || a < 0 || b < 0 || a == b) return;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        if (st->kind != STMT_COPY || st->copy->src.base != t) continue;
        const struct atom *atom = copy_atom(st->copy);
        const struct atom_row *other = turned(atom->row);
        if (!other) continue;
        bool fits = st->copy->facts.src_run * t->elem->bits >= atom->row->row_bits;
        diag_note(
            s, st->at,
            "'%s' is read here; if it is contiguous along the same mode as '%s', '%s' reads it",
            t->name, c->src.base->name, (fits ? other : atom->row)->name);
        return;
    }
}
