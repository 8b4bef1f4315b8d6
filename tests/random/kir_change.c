#include "kir_change.h"

bool kir_accesses(const struct kir_node *n) {
    bool any = n->bits > 0;
    for (int i = 0; i < 2 && !any; ++i)
        for (const struct kir_node *x = i ? n->orelse : n->body; x && !any; x = x->next)
            any = kir_accesses(x);
    return any;
}

bool kir_arrives_in_memory(const struct kir_node *n) {
    return n->kind == KIR_ARRIVE && n->arrival.kind == ARRIVAL_MEMORY;
}

bool kir_joins(const struct kir_node *n) {
    bool waits = n->kind == KIR_WAIT || n->kind == KIR_ARRIVE;
    return waits && arrival_row(n->arrival)->joins && n->arrival.kind != ARRIVAL_MEMORY;
}

bool issuer_change(struct issuer_change *c, struct kir_node *n) {
    static const char *const what[] = {"an announcement left out", "16 bytes more announced",
                                       "16 bytes less announced", "an announcement later"};
    const int i = c->next++;
    if (i == 0) c->was = *n;
    *n = c->was;
    if (n->kind == KIR_FENCE) {
        c->what = "without the fence of who issues";
        if (i > 0) return false;
        n->kind = KIR_COMMENT;
        return true;
    }
    if (n->kind != KIR_ANNOUNCE || n->count == 0 || i >= 3 + (n->next != NULL)) return false;
    c->what = what[i];
    if (i == 0) n->kind = KIR_COMMENT;
    if (i == 1 || i == 2) n->count += i == 1 ? 16 : -16;
    if (i < 3) return true;
    c->later = c->was;
    *n = *c->was.next;
    c->later.next = n->next;
    n->next = &c->later;
    return true;
}
