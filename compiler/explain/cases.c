// The cases and variants of a kernel in the order in which the launcher tries them, and which one it takes.
#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/session.h"
#include "explain/private.h"
#include "kernel/kernel_ir.h"
#include "plan/bind.h"

static int count_rows(const struct kernel *k) {
    int n = 0;
    for (const struct kernel *c = k; c; c = c->next_case) n += c->nvariants;
    return n;
}

// "M = 64, N = 32"; NULL: the kernel has no params.
static const char *values_text(struct session *s, const struct kernel *k, const int64_t *value) {
    const char *text = NULL;
    for (int i = 0; value && i < k->nparams; ++i) {
        const struct param *m = k->param[i];
        if (m->sum || m->apart) continue;
        text = arena_printf(&s->arena, "%s%s%s = %" PRId64, text ? text : "", text ? ", " : "",
                            m->name, value[m->sym->id]);
    }
    return text;
}

void explain_cases(struct session *s, const struct kernel *k, const struct kir_kernel *ir,
                   const int64_t *value, struct explained_kernel *x) {
    int n = count_rows(k);
    bool known = value || ir->ngiven == 0, taken = false;
    if (k->device || n < 2 || (k->first_case && k->first_case != k)) return;
    x->row = ARENA_ARRAY(&s->arena, struct explained_case, n);
    x->values = values_text(s, k, value);
    if (!value) value = ARENA_ARRAY(&s->arena, int64_t, s->lay.next_sym + 1);
    for (const struct kernel *c = k; c; c = c->next_case, ir = ir->next) {
        int line, column;
        source_place(s, c->at, &line, &column);
        for (int v = 0; v < c->nvariants; ++v) {
            const struct variant *of = &c->variant[v];
            const char *when = ir->variant[v].when_text;
            bool holds = known && !taken && plan_holds(of->when, of->nwhen, value);
            x->row[x->nrows++] = (struct explained_case){
                of->tag, line, of->bits, c->threads, when ? when : "always holds", holds};
            taken |= holds;
        }
    }
    x->taken_known = known;
}

void explain_print_taken(struct session *s, const struct explained_kernel *k, struct buf *b) {
    const char *text = "--param NAME=N says which one it takes.", *with = "It";
    if (k->nrows == 0) return;
    if (k->values) with = arena_printf(&s->arena, "With %s it", k->values);
    for (int i = 0; k->taken_known && i < k->nrows; ++i) {
        const struct explained_case *r = &k->row[i];
        if (!r->taken) continue;
        text = k->is_case ? arena_printf(&s->arena, "%s takes case %d", with, r->tag)
                          : arena_printf(&s->arena, "%s takes that of %d bits", with, r->bits);
        text = arena_printf(&s->arena, "%s, if the tensors are aligned as that asks.", text);
    }
    explain_filled(b, 4, "", text);
}

void explain_print_cases(struct session *s, const struct explained_kernel *k, struct buf *b) {
    if (k->nrows == 0 || !k->is_case) return;
    buf_printf(b, "kernel %s has %d cases; the launcher takes the first one that holds\n", k->name,
               k->nrows);
    buf_puts(b, "    case   line  threads      widest  it holds if\n");
    for (int i = 0; i < k->nrows; ++i) {
        const struct explained_case *r = &k->row[i];
        buf_printf(b, "  %s %4d %6d  %7" PRId64 "  %5d bits  %s\n", r->taken ? "*" : " ", r->tag,
                   r->line, r->threads, r->bits, r->when);
    }
    explain_print_taken(s, k, b);
    buf_char(b, '\n');
}
