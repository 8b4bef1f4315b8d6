// Prints the explanation for programs.  The fields are stable: docs/explain-json.md lists them, and
// a change of their meaning raises EXPLAIN_SCHEMA.
#include <inttypes.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/session.h"
#include "cost/copy.h"
#include "explain/private.h"
#include "kernel/launch.h"

enum { EXPLAIN_SCHEMA = 1 };

// -- writing JSON ---------------------------------------------------------------------------------

struct json {
    struct session *s;
    struct buf *b;
    int depth;
    bool first;  // nothing was written in the innermost bracket
};

static void begin(struct json *j, const char *key) {
    if (!j->first) buf_char(j->b, ',');
    if (j->depth) buf_char(j->b, '\n');
    buf_fill(j->b, ' ', 2 * j->depth);
    if (key) {
        buf_json_string(j->b, key);
        buf_puts(j->b, ": ");
    }
    j->first = false;
}

static void enter(struct json *j, const char *key, char bracket) {
    begin(j, key);
    buf_char(j->b, bracket);
    j->depth++;
    j->first = true;
}

static void leave(struct json *j, char bracket) {
    j->depth--;
    if (!j->first) {
        buf_char(j->b, '\n');
        buf_fill(j->b, ' ', 2 * j->depth);
    }
    buf_char(j->b, bracket);
    j->first = false;
}

static void put_text(struct json *j, const char *key, const char *text) {
    begin(j, key);
    if (text)
        buf_json_string(j->b, text);
    else
        buf_puts(j->b, "null");
}

static void put_number(struct json *j, const char *key, int64_t n) {
    begin(j, key);
    buf_printf(j->b, "%" PRId64, n);
}

// Writes a number if it is known, otherwise an expression of the params as text, otherwise null.
static void put_amount(struct json *j, const char *key, const struct ix *e) {
    int64_t n;
    if (e && ix_static(e, &n))
        put_number(j, key, n);
    else
        put_text(j, key, e ? ix_text(j->s, e) : NULL);
}

// -- the fields -----------------------------------------------------------------------------------

static void put_align(struct json *j, const struct align_terms *a) {
    enter(j, "alignment", '{');
    put_number(j, "base", a->base);
    put_number(j, "offset", a->offset);
    put_number(j, "run", a->run);
    put_number(j, "stride", a->stride);
    put_number(j, "promised", a->promised);
    leave(j, '}');
}

static void put_count(struct json *j, const struct explained_count *x) {
    enter(j, NULL, '{');
    put_text(j, "what", x->name);
    put_number(j, "access_min", x->access_min);
    put_number(j, "access_max", x->access_max);
    put_number(j, "access_least", x->access_least);
    put_number(j, "total_min", x->total_min);
    put_number(j, "total_max", x->total_max);
    put_number(j, "total_least", x->total_least);
    put_number(j, "percent", x->percent);
    leave(j, '}');
}

static void put_cost(struct json *j, const struct explained_cost *c) {
    if (!c->cost) return;
    struct explained_count count[EXPLAINED_COUNTS];
    int n = explain_counts(c, count);
    enter(j, "cost", '{');
    put_text(j, "class", cost_class_name(c->cost->class));
    put_number(j, "arch", c->arch);
    put_number(j, "measured", c->measured);
    put_number(j, "instructions", c->cost->instructions);
    enter(j, "counts", '[');
    for (int i = 0; i < n; ++i) put_count(j, &count[i]);
    leave(j, ']');
    put_text(j, "values", c->values);
    put_text(j, "why_values", c->other_params);
    put_text(j, "why_range", c->loose);
    leave(j, '}');
}

static void put_side(struct json *j, const char *key, const struct explained_side *x,
                     int64_t accesses) {
    enter(j, key, '{');
    put_text(j, "tensor", x->tensor);
    put_text(j, "space", x->space);
    put_text(j, "view", x->view);
    put_text(j, "offset", x->offset);
    put_text(j, "layout", x->layout);
    put_text(j, "swizzle", x->swizzle);
    put_text(j, "tv", x->tv);
    enter(j, "thread", '{');
    put_text(j, "offset", x->part_offset);
    put_text(j, "layout", x->part);
    leave(j, '}');
    put_text(j, "elem", x->elem);
    put_number(j, "bits", x->bits);
    put_text(j, "instruction", x->instruction);
    put_number(j, "instructions", accesses);
    put_align(j, &x->align);
    put_cost(j, &x->cost);
    leave(j, '}');
}

static void put_width(struct json *j, const struct explained_copy *c) {
    enter(j, "width", '{');
    put_number(j, "bits", c->bits);
    put_number(j, "elements", c->vec);
    put_text(j, "limited_by", c->bound[c->won].name);
    enter(j, "variants", '[');
    for (int i = 0; i < c->nvariants; ++i) put_number(j, NULL, c->variant[i].bits);
    leave(j, ']');
    enter(j, "bounds", '[');
    for (int i = 0; i < N_BOUNDS; ++i) {
        const struct explained_bound *x = &c->bound[i];
        if ((i == BOUND_PREDICATE || i == BOUND_CONVERSION) && !x->why) continue;
        enter(j, NULL, '{');
        put_text(j, "name", x->name);
        if (x->bits >= BOUND_NONE)
            put_text(j, "bits", NULL);
        else
            put_number(j, "bits", x->bits);
        put_text(j, "why", x->why);
        leave(j, '}');
    }
    leave(j, ']');
    leave(j, '}');
}

static void put_edge(struct json *j, const struct explained_copy *c) {
    if (!c->edge) return;
    enter(j, "edge", '{');
    put_text(j, "where", c->edge);
    put_text(j, "blocks", c->edge_always ? "all" : "some");
    put_number(j, "bits", c->edge_bits);
    put_number(j, "elements", c->edge_vec);
    put_text(j, "why", c->edge_why);
    put_text(j, "pad", c->pad);
    leave(j, '}');
}

static void put_copy(struct json *j, const struct explained_copy *c) {
    enter(j, NULL, '{');
    put_text(j, "label", c->label);
    put_text(j, "text", c->text);
    put_text(j, "file", c->path);
    put_number(j, "line", c->line);
    put_number(j, "column", c->column);
    put_text(j, "executed_by", c->level);
    put_number(j, "threads", c->threads);
    if (c->lanes)
        put_number(j, "lanes", c->lanes);
    else
        put_text(j, "lanes", NULL);
    put_text(j, "elem", c->elem);
    put_text(j, "shape", c->shape);
    put_text(j, "atom", c->atom);
    put_text(j, "tiled_copy", c->tiled);
    put_text(j, "thr", c->thr);
    put_text(j, "val", c->val);
    put_text(j, "tiler", c->tiler);
    put_text(j, "tv", c->tv);
    put_text(j, "map", c->map);
    put_number(j, "values", c->values);
    put_text(j, "rounds", c->rounds);
    put_number(j, "rounds_total", c->nrounds);
    put_side(j, "source", &c->src, c->accesses);
    put_side(j, "destination", &c->dst, c->accesses);
    put_width(j, c);
    enter(j, "bytes", '{');
    put_amount(j, "block_once", c->bytes);
    put_amount(j, "times", c->times);
    put_amount(j, "all", c->all_bytes);
    leave(j, '}');
    put_text(j, "barrier", c->barrier);
    put_number(j, "group", c->group);
    put_number(j, "pending", c->pending);
    put_text(j, "wait", c->wait);
    put_edge(j, c);
    leave(j, '}');
}

static void put_tensor(struct json *j, const struct explained_tensor *t) {
    enter(j, NULL, '{');
    put_text(j, "name", t->name);
    put_text(j, "elem", t->elem);
    put_text(j, "space", t->space);
    put_text(j, "direction", t->direction);
    put_text(j, "layout", t->layout);
    put_number(j, "align", t->align);
    if (t->local) {
        put_number(j, "at", t->at);
        put_number(j, "bytes", t->nbytes);
    }
    leave(j, '}');
}

static void put_variant(struct json *j, const struct kir_variant *v) {
    enter(j, NULL, '{');
    put_number(j, "bits", v->bits);
    put_number(j, "tag", v->tag);
    enter(j, "conditions", '[');
    for (int i = 0; i < v->nwhen; ++i) {
        const struct kir_condition *c = &v->when[i];
        enter(j, NULL, '{');
        put_text(j, "tensor", c->tensor ? c->tensor->name : NULL);
        put_text(j, "value", c->tensor ? NULL : ix_text(j->s, c->value));
        put_number(j, "multiple", c->by);
        leave(j, '}');
    }
    leave(j, ']');
    leave(j, '}');
}

static void put_texts(struct json *j, const char *key, const char *const *text, int n) {
    enter(j, key, '[');
    for (int i = 0; i < n; ++i) put_text(j, NULL, text[i]);
    leave(j, ']');
}

static void put_pipeline(struct json *j, const struct explained_pipeline *p) {
    enter(j, NULL, '{');
    put_text(j, "text", p->text);
    put_number(j, "line", p->line);
    put_number(j, "stages", p->stages);
    enter(j, "buffers", '[');
    for (int i = 0; i < p->nrings; ++i) {
        enter(j, NULL, '{');
        put_text(j, "name", p->ring[i].name);
        put_number(j, "stage_bytes", p->ring[i].stage_bytes);
        put_number(j, "bytes", p->ring[i].bytes);
        leave(j, '}');
    }
    leave(j, ']');
    put_texts(j, "prologue", p->prologue, p->nprologue);
    put_texts(j, "step", p->step, p->nsteps);
    put_number(j, "groups", p->groups);
    put_number(j, "waits", p->waits);
    put_number(j, "barriers", p->barriers);
    put_number(j, "groups_under_way", p->under_way);
    if (p->bytes_under_way < 0)
        put_text(j, "bytes_under_way", NULL);
    else
        put_number(j, "bytes_under_way", p->bytes_under_way);
    leave(j, '}');
}

static void put_sync(struct json *j, const struct explained_sync *x) {
    enter(j, NULL, '{');
    put_text(j, "place", x->place);
    put_number(j, "line", x->line);
    put_number(j, "pending", x->wait);
    put_number(j, "barriers", x->barrier);
    put_number(j, "stands", x->stands);
    enter(j, "reasons", '[');
    for (int i = 0; i < x->nreasons; ++i) {
        const struct explained_reason *r = &x->reason[i];
        enter(j, NULL, '{');
        put_text(j, "of", r->wait ? "wait" : "barrier");
        put_text(j, "text", r->text);
        put_text(j, "buffer", r->buffer);
        put_text(j, "earlier", r->earlier_writes ? "write" : "read");
        put_number(j, "earlier_line", r->earlier_line);
        put_text(j, "later", r->later_writes ? "write" : "read");
        put_number(j, "later_line", r->later_line);
        leave(j, '}');
    }
    leave(j, ']');
    leave(j, '}');
}

static void put_kernel(struct json *j, const struct explained_kernel *k) {
    enter(j, NULL, '{');
    put_text(j, "name", k->name);
    put_text(j, "file", k->path);
    put_number(j, "line", k->line);
    put_text(j, "kind", k->device ? "device" : "kernel");
    if (k->device) {
        put_text(j, "grid", NULL);
    } else {
        enter(j, "grid", '[');
        for (int i = 0; i < 3; ++i) put_amount(j, NULL, k->blocks[i]);
        leave(j, ']');
    }
    enter(j, "index", '[');
    for (int i = 0; i < k->nindexes; ++i) put_text(j, NULL, k->index[i]);
    leave(j, ']');
    enter(j, "duties", '[');
    for (int i = 0; i < k->nduties; ++i) put_text(j, NULL, k->duty[i]);
    leave(j, ']');
    put_number(j, "threads", k->threads);
    put_number(j, "shared_bytes", k->smem_bytes);
    enter(j, "tensors", '[');
    for (int i = 0; i < k->ntensors; ++i) put_tensor(j, &k->tensor[i]);
    leave(j, ']');
    enter(j, "variants", '[');
    for (int i = 0; i < k->nvariants; ++i) put_variant(j, &k->variant[i]);
    leave(j, ']');
    enter(j, "copies", '[');
    for (int i = 0; i < k->ncopies; ++i) put_copy(j, &k->copy[i]);
    leave(j, ']');
    enter(j, "calls", '[');
    for (int i = 0; i < k->ncalls; ++i) {
        enter(j, NULL, '{');
        put_text(j, "text", k->call[i].text);
        put_number(j, "line", k->call[i].line);
        put_text(j, "barrier",
                 k->call[i].barrier ? "other threads may still be at its arguments" : NULL);
        leave(j, '}');
    }
    leave(j, ']');
    enter(j, "pipelines", '[');
    for (int i = 0; i < k->npipelines; ++i) put_pipeline(j, &k->pipeline[i]);
    leave(j, ']');
    enter(j, "syncs", '[');
    for (int i = 0; i < k->nsyncs; ++i) put_sync(j, &k->sync[i]);
    leave(j, ']');
    leave(j, '}');
}

void explain_print_json(struct session *s, const struct explanation *e, struct buf *out) {
    struct json j = {s, out, 0, true};
    enter(&j, NULL, '{');
    put_number(&j, "schema", EXPLAIN_SCHEMA);
    put_text(&j, "plan", e->plan->path);
    put_number(&j, "arch", e->plan->arch);
    enter(&j, "params", '[');
    for (int i = 0; i < e->plan->nparams; ++i) {
        const struct param *p = e->plan->param[i];
        enter(&j, NULL, '{');
        put_text(&j, "name", p->name);
        put_number(&j, "min", p->sym->lo);
        put_number(&j, "max", p->sym->hi);
        put_number(&j, "multiple", p->sym->mul);
        leave(&j, '}');
    }
    leave(&j, ']');
    enter(&j, "kernels", '[');
    for (int i = 0; i < e->nkernels; ++i) put_kernel(&j, &e->kernel[i]);
    leave(&j, ']');
    leave(&j, '}');
    buf_char(out, '\n');
}
