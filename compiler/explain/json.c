// Prints the explanation for programs.  The fields are stable: docs/explain-json.md lists them, and
// a change of their meaning raises EXPLAIN_SCHEMA.
#include "base/buf.h"
#include "base/json_write.h"
#include "base/session.h"
#include "cost/copy.h"
#include "explain/private.h"
#include "kernel/launch.h"

// Writes a number if it is known, otherwise an expression of the params as text, otherwise null.
static void put_amount(struct session *s, struct json *j, const char *key, const struct ix *e) {
    int64_t n;
    if (e && ix_static(e, &n))
        json_int(j, key, n);
    else
        json_text(j, key, e ? ix_text(s, e) : NULL);
}

// -- the fields -----------------------------------------------------------------------------------

static void put_align(struct json *j, const struct align_terms *a) {
    json_enter(j, "alignment", '{');
    json_int(j, "base", a->base);
    json_int(j, "offset", a->offset);
    json_int(j, "run", a->run);
    json_int(j, "stride", a->stride);
    json_int(j, "promised", a->promised);
    json_leave(j, '}');
}

static void put_count(struct json *j, const struct explained_count *x) {
    json_enter(j, NULL, '{');
    json_text(j, "what", x->name);
    json_int(j, "access_min", x->access_min);
    json_int(j, "access_max", x->access_max);
    json_int(j, "access_least", x->access_least);
    json_int(j, "total_min", x->total_min);
    json_int(j, "total_max", x->total_max);
    json_int(j, "total_least", x->total_least);
    json_int(j, "percent", x->percent);
    json_leave(j, '}');
}

static void put_cost(struct json *j, const struct explained_cost *c) {
    if (!c->cost) return;
    struct explained_count count[EXPLAINED_COUNTS];
    int n = explain_counts(c, count);
    json_enter(j, "cost", '{');
    json_text(j, "class", cost_class_name(c->cost->class));
    json_int(j, "arch", c->arch);
    json_int(j, "measured", c->measured);
    json_int(j, "instructions", c->cost->instructions);
    json_enter(j, "counts", '[');
    for (int i = 0; i < n; ++i) put_count(j, &count[i]);
    json_leave(j, ']');
    json_text(j, "values", c->values);
    json_text(j, "why_values", c->other_params);
    json_text(j, "why_range", c->loose);
    json_leave(j, '}');
}

static void put_side(struct json *j, const char *key, const struct explained_side *x,
                     int64_t accesses) {
    json_enter(j, key, '{');
    json_text(j, "tensor", x->tensor);
    json_text(j, "space", x->space);
    json_text(j, "view", x->view);
    json_text(j, "offset", x->offset);
    json_text(j, "layout", x->layout);
    json_text(j, "swizzle", x->swizzle);
    json_text(j, "tv", x->tv);
    json_enter(j, "thread", '{');
    json_text(j, "offset", x->part_offset);
    json_text(j, "layout", x->part);
    json_leave(j, '}');
    json_text(j, "elem", x->elem);
    json_int(j, "bits", x->bits);
    json_text(j, "instruction", x->instruction);
    json_int(j, "instructions", accesses);
    put_align(j, &x->align);
    put_cost(j, &x->cost);
    json_leave(j, '}');
}

static void put_width(struct json *j, const struct explained_copy *c) {
    json_enter(j, "width", '{');
    json_int(j, "bits", c->bits);
    json_int(j, "elements", c->vec);
    json_text(j, "limited_by", c->bound[c->won].name);
    json_enter(j, "variants", '[');
    for (int i = 0; i < c->nvariants; ++i) json_int(j, NULL, c->variant[i].bits);
    json_leave(j, ']');
    json_enter(j, "bounds", '[');
    for (int i = 0; i < N_BOUNDS; ++i) {
        const struct explained_bound *x = &c->bound[i];
        if ((i == BOUND_PREDICATE || i == BOUND_CONVERSION) && !x->why) continue;
        json_enter(j, NULL, '{');
        json_text(j, "name", x->name);
        if (x->bits >= BOUND_NONE)
            json_text(j, "bits", NULL);
        else
            json_int(j, "bits", x->bits);
        json_text(j, "why", x->why);
        json_leave(j, '}');
    }
    json_leave(j, ']');
    json_leave(j, '}');
}

static void put_edge(struct json *j, const struct explained_copy *c) {
    if (!c->edge) return;
    json_enter(j, "edge", '{');
    json_text(j, "where", c->edge);
    json_text(j, "blocks", c->edge_always ? "all" : "some");
    json_int(j, "bits", c->edge_bits);
    json_int(j, "elements", c->edge_vec);
    json_text(j, "why", c->edge_why);
    json_text(j, "pad", c->pad);
    json_leave(j, '}');
}

static void put_copy(struct session *s, struct json *j, const struct explained_copy *c) {
    json_enter(j, NULL, '{');
    json_text(j, "label", c->label);
    json_text(j, "text", c->text);
    json_text(j, "file", c->path);
    json_int(j, "line", c->line);
    json_int(j, "column", c->column);
    json_text(j, "executed_by", c->level);
    if (c->role) json_text(j, "role", c->role);
    json_int(j, "threads", c->threads);
    if (c->lanes)
        json_int(j, "lanes", c->lanes);
    else
        json_text(j, "lanes", NULL);
    json_text(j, "elem", c->elem);
    json_text(j, "shape", c->shape);
    json_text(j, "atom", c->atom);
    json_text(j, "tiled_copy", c->tiled);
    json_text(j, "thr", c->thr);
    json_text(j, "val", c->val);
    json_text(j, "tiler", c->tiler);
    json_text(j, "tv", c->tv);
    json_text(j, "map", c->map);
    json_int(j, "values", c->values);
    json_text(j, "boxes", c->boxes);
    json_text(j, "rounds", c->rounds);
    json_int(j, "rounds_total", c->nrounds);
    put_side(j, "source", &c->src, c->accesses);
    put_side(j, "destination", &c->dst, c->accesses);
    put_width(j, c);
    json_enter(j, "bytes", '{');
    put_amount(s, j, "block_once", c->bytes);
    put_amount(s, j, "times", c->times);
    put_amount(s, j, "all", c->all_bytes);
    json_leave(j, '}');
    json_text(j, "barrier", c->barrier);
    json_int(j, "group", c->group);
    json_int(j, "pending", c->pending);
    json_text(j, "wait", c->wait);
    put_edge(j, c);
    json_leave(j, '}');
}

static void put_tensor(struct json *j, const struct explained_tensor *t) {
    json_enter(j, NULL, '{');
    json_text(j, "name", t->name);
    json_text(j, "elem", t->elem);
    json_text(j, "space", t->space);
    json_text(j, "direction", t->direction);
    json_text(j, "layout", t->layout);
    json_text(j, "declared", t->declared);
    json_int(j, "align", t->align);
    if (t->local) {
        json_int(j, "at", t->at);
        json_int(j, "bytes", t->nbytes);
    }
    json_leave(j, '}');
}

static void put_variant(struct session *s, struct json *j, const struct kir_variant *v) {
    json_enter(j, NULL, '{');
    json_int(j, "bits", v->bits);
    json_int(j, "tag", v->tag);
    json_enter(j, "conditions", '[');
    for (int i = 0; i < v->nwhen; ++i) {
        const struct kir_condition *c = &v->when[i];
        json_enter(j, NULL, '{');
        json_text(j, "tensor", c->tensor ? c->tensor->name : NULL);
        json_text(j, "value", c->tensor ? NULL : ix_text(s, c->value));
        json_int(j, "multiple", c->by);
        json_text(j, "unless", c->unless ? ix_text(s, c->unless) : NULL);
        json_leave(j, '}');
    }
    json_leave(j, ']');
    json_leave(j, '}');
}

static void put_texts(struct json *j, const char *key, const char *const *text, int n) {
    json_enter(j, key, '[');
    for (int i = 0; i < n; ++i) json_text(j, NULL, text[i]);
    json_leave(j, ']');
}

static void put_pipeline(struct json *j, const struct explained_pipeline *p) {
    json_enter(j, NULL, '{');
    json_text(j, "text", p->text);
    json_int(j, "line", p->line);
    json_int(j, "stages", p->stages);
    if (p->roles) json_text(j, "roles", p->roles);
    if (p->roles) put_texts(j, "handover", p->handover, p->nhandover);
    json_enter(j, "buffers", '[');
    for (int i = 0; i < p->nrings; ++i) {
        json_enter(j, NULL, '{');
        json_text(j, "name", p->ring[i].name);
        json_int(j, "stage_bytes", p->ring[i].stage_bytes);
        json_int(j, "bytes", p->ring[i].bytes);
        json_leave(j, '}');
    }
    json_leave(j, ']');
    put_texts(j, "prologue", p->prologue, p->nprologue);
    put_texts(j, "step", p->step, p->nsteps);
    json_int(j, "groups", p->groups);
    json_int(j, "waits", p->waits);
    json_int(j, "barriers", p->barriers);
    json_int(j, "groups_under_way", p->under_way);
    if (p->bytes_under_way < 0)
        json_text(j, "bytes_under_way", NULL);
    else
        json_int(j, "bytes_under_way", p->bytes_under_way);
    json_leave(j, '}');
}

static void put_sync(struct json *j, const struct explained_sync *x) {
    json_enter(j, NULL, '{');
    json_text(j, "place", x->place);
    json_int(j, "line", x->line);
    json_int(j, "pending", arrival_is(x->wait.copies) ? x->wait.copies.count : -1);
    json_int(j, "barriers", arrival_is(x->wait.threads));
    json_int(j, "stands", x->stands);
    json_enter(j, "reasons", '[');
    for (int i = 0; i < x->nreasons; ++i) {
        const struct explained_reason *r = &x->reason[i];
        json_enter(j, NULL, '{');
        json_text(j, "of", r->wait ? "wait" : "barrier");
        json_text(j, "text", r->text);
        json_text(j, "buffer", r->buffer);
        json_text(j, "earlier", r->earlier_writes ? "write" : "read");
        json_int(j, "earlier_line", r->earlier_line);
        json_text(j, "later", r->later_writes ? "write" : "read");
        json_int(j, "later_line", r->later_line);
        json_leave(j, '}');
    }
    json_leave(j, ']');
    json_leave(j, '}');
}

static void put_moved(struct json *j, const struct explained_moved *x, bool counted) {
    json_enter(j, NULL, '{');
    json_text(j, "tensor", x->any.tensor);
    json_int(j, "bytes", x->any.bytes);
    json_int(j, "sectors_least", x->any.sectors);
    if (counted) {
        json_int(j, "sectors_min", x->sectors_lo);
        json_int(j, "sectors_max", x->sectors_hi);
    } else {
        json_text(j, "sectors_min", NULL);
        json_text(j, "sectors_max", NULL);
    }
    json_leave(j, '}');
}

static void put_cases(struct json *j, const struct explained_kernel *k) {
    json_enter(j, "cases", '[');
    for (int i = 0; i < k->nrows; ++i) {
        const struct explained_case *r = &k->row[i];
        json_enter(j, NULL, '{');
        json_int(j, "tag", r->tag);
        json_int(j, "line", r->line);
        json_int(j, "threads", r->threads);
        json_int(j, "bits", r->bits);
        json_text(j, "holds_if", r->when);
        if (k->taken_known)
            json_int(j, "taken", r->taken);
        else
            json_text(j, "taken", NULL);
        json_leave(j, '}');
    }
    json_leave(j, ']');
}

static void put_kernel(struct session *s, struct json *j, const struct explained_kernel *k) {
    json_enter(j, NULL, '{');
    json_text(j, "name", k->name);
    json_text(j, "file", k->path);
    json_int(j, "line", k->line);
    json_text(j, "kind", k->device ? "device" : "kernel");
    if (k->family) {
        json_text(j, "family", k->family);
        json_text(j, "numbers", k->numbers);
    }
    if (k->device) {
        json_text(j, "grid", NULL);
    } else {
        json_enter(j, "grid", '[');
        for (int i = 0; i < 3; ++i) put_amount(s, j, NULL, k->blocks[i]);
        json_leave(j, ']');
    }
    put_texts(j, "index", (const char *const *)k->index, k->nindexes);
    put_texts(j, "duties", k->duty, k->nduties);
    json_int(j, "threads", k->threads);
    json_int(j, "shared_bytes", k->smem_bytes);
    json_enter(j, "moves", '[');
    if (k->moves.known) {
        put_moved(j, &k->moves.read, k->moves.counted);
        put_moved(j, &k->moves.written, k->moves.counted);
    }
    json_leave(j, ']');
    json_enter(j, "tensors", '[');
    for (int i = 0; i < k->ntensors; ++i) put_tensor(j, &k->tensor[i]);
    json_leave(j, ']');
    json_enter(j, "variants", '[');
    for (int i = 0; i < k->nvariants; ++i) put_variant(s, j, &k->variant[i]);
    json_leave(j, ']');
    if (k->nrows) put_cases(j, k);
    json_enter(j, "copies", '[');
    for (int i = 0; i < k->ncopies; ++i) put_copy(s, j, &k->copy[i]);
    json_leave(j, ']');
    json_enter(j, "calls", '[');
    for (int i = 0; i < k->ncalls; ++i) {
        json_enter(j, NULL, '{');
        json_text(j, "text", k->call[i].text);
        json_int(j, "line", k->call[i].line);
        json_text(j, "barrier",
                  k->call[i].barrier ? "other threads may still be at its arguments" : NULL);
        json_leave(j, '}');
    }
    json_leave(j, ']');
    json_enter(j, "pipelines", '[');
    for (int i = 0; i < k->npipelines; ++i) put_pipeline(j, &k->pipeline[i]);
    json_leave(j, ']');
    json_enter(j, "syncs", '[');
    for (int i = 0; i < k->nsyncs; ++i) put_sync(j, &k->sync[i]);
    json_leave(j, ']');
    json_leave(j, '}');
}

void explain_print_json(struct session *s, const struct explanation *e, struct buf *out) {
    struct json j = json_to(out, JSON_LINES);
    json_enter(&j, NULL, '{');
    json_int(&j, "schema", EXPLAIN_SCHEMA);
    json_text(&j, "plan", e->plan->path);
    json_int(&j, "arch", e->plan->arch);
    json_enter(&j, "params", '[');
    for (int i = 0; i < e->plan->nparams; ++i) {
        const struct param *p = e->plan->param[i];
        if (p->sum) continue;
        json_enter(&j, NULL, '{');
        json_text(&j, "name", p->name);
        json_int(&j, "min", p->sym->lo);
        json_int(&j, "max", p->sym->hi);
        json_int(&j, "multiple", p->sym->mul);
        json_leave(&j, '}');
    }
    json_leave(&j, ']');
    json_enter(&j, "kernels", '[');
    for (int i = 0; i < e->nkernels; ++i) put_kernel(s, &j, &e->kernel[i]);
    json_leave(&j, ']');
    json_leave(&j, '}');
    buf_char(out, '\n');
}
