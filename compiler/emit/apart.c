// Named barriers at which several roles wait.  PTX has two forms of the instruction: with ".aligned", all
// threads that wait have to execute the same one, as those of one role do.
#include "emit/emit_private.h"
#include "index/ix.h"
#include "kernel/kernel_ir.h"

struct waits {
    int of;              // at this barrier
    int64_t first, end;  // threads of the role that waits; end == 0: none so far
    bool apart;
};

// Looks at "list", which the threads first .. end - 1 execute.
static void look(const struct kir_node *list, int64_t first, int64_t end, struct waits *w) {
    for (const struct kir_node *n = list; n; n = n->next) {
        int64_t at;
        if (n->kind == KIR_IF && n->roles && ix_static(n->cond->b, &at)) {
            bool least = n->cond->least;
            look(n->body, least ? at : first, least ? end : at, w);
            look(n->orelse, least ? first : at, least ? at : end, w);
            continue;
        }
        look(n->body, first, end, w);
        look(n->orelse, first, end, w);
        if (n->kind != KIR_WAIT || n->arrival.kind != ARRIVAL_NAMED || n->arrival.of != w->of)
            continue;
        if (w->end == 0) {
            w->first = first;
            w->end = end;
        }
        w->apart |= w->first != first || w->end != end;
    }
}

const char *emit_named(const struct kir_kernel *k, const struct kir_node *n) {
    struct waits w = {.of = n->arrival.of};
    if (n->kind == KIR_ARRIVE) return "arrive";
    look(k->body, 0, INT64_MAX, &w);
    return w.apart ? "meet" : "sync";
}
