#include "check/announced.h"

// The open group on a way through the code.
struct group {
    bool said, copied;  // its bytes were announced; a copy was issued
    int64_t left;       // of the announced bytes
    const char *fault;
};

static void walk(const struct kir_kernel *k, const struct kir_node *list, struct group *g);

static void fail(struct group *g, const char *fault) {
    if (!g->fault) g->fault = fault;
}

static void run_loop(const struct kir_kernel *k, const struct kir_node *n, struct group *g) {
    struct group body = *g;
    int64_t begin, end;
    walk(k, n->body, &body);
    int64_t each = g->left - body.left;
    bool same = body.said == g->said && body.copied == g->copied && each == 0;
    if (body.fault) fail(g, body.fault);
    if (same || body.fault || (!g->said && !body.said)) {
        g->copied |= body.copied;
        return;
    }
    if (!g->said || !body.said) {
        fail(g, "a group that is announced in another iteration of a loop");
    } else if (!ix_static(n->begin, &begin) || !ix_static(n->end, &end)) {
        fail(g, "announced bytes of a loop without a known number of iterations");
    } else {
        g->left -= end > begin ? (end - begin) * each : 0;
        g->copied |= body.copied;
    }
}

// A step that does not exist has no copies, and need not announce that.
static bool is_nothing(const struct group *done, const struct group *g) {
    return done->said && done->left == 0 && !g->said && !g->copied;
}

static void run_ways(const struct kir_kernel *k, const struct kir_node *n, struct group *g) {
    // roles have groups of their own
    struct group a = n->roles ? (struct group){0} : *g, b = a;
    walk(k, n->body, &a);
    walk(k, n->orelse, &b);
    if (!n->roles) *g = is_nothing(&b, &a) ? b : a;
    if (b.fault) fail(g, b.fault);
    if (a.fault) fail(g, a.fault);
    if (n->roles) return;
    bool same = a.said == b.said && a.left == b.left;
    if (!same && !is_nothing(&a, &b) && !is_nothing(&b, &a))
        fail(g, "announced bytes that depend on what is executed");
    g->copied = a.copied || b.copied;
}

static void walk(const struct kir_kernel *k, const struct kir_node *list, struct group *g) {
    for (const struct kir_node *n = list; n && !g->fault; n = n->next) {
        int64_t bytes = kir_counted_bytes(n);
        if (n->kind == KIR_ANNOUNCE) {
            if (g->said || g->copied) fail(g, "bytes that are announced behind a copy, or twice");
            g->said = true;
            g->left = n->count;
        } else if (bytes) {
            if (g->said && (n->nconds || n->cut)) fail(g, "announced bytes of a copy of a part");
            g->copied = true;
            g->left -= g->said ? bytes : 0;
        } else if (kir_ends_counted(k, n)) {
            if (g->said != n->announced || g->left != 0)
                fail(g, "another number of bytes than was announced");
            g->said = g->copied = false;
            g->left = 0;
        } else if (n->kind == KIR_FOR) {
            run_loop(k, n, g);
        } else if (n->kind == KIR_IF) {
            run_ways(k, n, g);
        } else {
            walk(k, n->body, g);
        }
    }
}

const char *announced_fault(const struct kir_kernel *k) {
    struct group g = {0};
    walk(k, k->body, &g);
    return g.fault;
}
