// All that a result says, as one text, by which results are compared.
#ifndef TCPC_TESTS_LIB_SHOWN_H
#define TCPC_TESTS_LIB_SHOWN_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tcpc.h"

static inline const char *or_none(const char *text) {
    return text ? text : "-";
}

static inline void show_place(FILE *f, struct tcpc_place at) {
    fprintf(f, "%s:%d:%d-%d:%d ", or_none(at.file), at.line, at.column, at.end_line, at.end_column);
}

static inline void show_message(FILE *f, const struct tcpc_message *m) {
    show_place(f, m->at);
    fprintf(f, "%d %s [%s] [%s]\n", (int)m->severity, m->text, or_none(m->warning),
            or_none(m->page));
    for (size_t i = 0; i < m->nfixits; ++i) {
        show_place(f, m->fixit[i]->at);
        fprintf(f, "becomes '%s'\n", m->fixit[i]->text);
    }
    for (size_t i = 0; i < m->nnotes; ++i) show_message(f, m->note[i]);
}

static inline void show_value(FILE *f, const struct tcpc_value *v) {
    fprintf(f, " %" PRId64 " '%s' %d", v->number, or_none(v->text), v->expression != NULL);
}

static inline void show_check(FILE *f, const struct tcpc_check *c) {
    fprintf(f, "check %d '%s' %s %d %s %s %d", (int)c->kind, or_none(c->text),
            c->param ? c->param->name : "-", (int)c->relation,
            c->tensor[0] ? c->tensor[0]->name : "-", c->tensor[1] ? c->tensor[1]->name : "-",
            c->interleaved);
    show_value(f, &c->left);
    show_value(f, &c->right);
    for (size_t i = 0; i < c->nzeros; ++i) {
        fputs(" zero", f);
        for (size_t k = 0; k < c->zero[i].n; ++k) show_value(f, &c->zero[i].value[k]);
    }
    fputc('\n', f);
}

static inline void show_variant(FILE *f, const struct tcpc_variant *v) {
    fprintf(f, "variant %s %d %d '%s' %zu %" PRId64 " %" PRId64 " %" PRId64, v->symbol, v->bits,
            v->number, or_none(v->when), v->argument_bytes, v->threads, v->shared_bytes,
            v->shared_to_set);
    for (int i = 0; i < 3; ++i) show_value(f, v->grid[i]);
    for (size_t i = 0; i < v->nconditions; ++i) {
        const struct tcpc_condition *c = v->condition[i];
        fprintf(f, " when %s %% %" PRId64, c->tensor ? c->tensor->name : "-", c->multiple);
        show_value(f, &c->value);
        if (c->unless) show_value(f, c->unless);
    }
    for (size_t i = 0; i < v->narguments; ++i) {
        const struct tcpc_argument *a = v->argument[i];
        fprintf(f, " argument %s %zu %zu",
                a->tensor  ? a->tensor->name
                : a->param ? a->param->name
                           : "a map",
                a->offset, a->bytes);
    }
    fputc('\n', f);
}

static inline void show_tensor(FILE *f, const struct tcpc_tensor *t) {
    fprintf(f, "tensor %s %s %d %d %" PRId64 " %s %d", t->name, t->element, t->element_bits,
            (int)t->direction, t->align, t->layout, t->swizzled);
    show_value(f, &t->offset);
    show_value(f, &t->bytes);
    for (size_t k = 0; k < t->nmodes; ++k) {
        fprintf(f, " mode %s", or_none(t->mode[k]->name));
        show_value(f, &t->mode[k]->extent);
        show_value(f, &t->mode[k]->stride);
    }
    fputc('\n', f);
    if (t->declared) show_tensor(f, t->declared);
}

static inline void show_launch(FILE *f, const struct tcpc_launch *l) {
    fprintf(f, "launch %s %s %zu %zu %zu %zu %" PRId64 "\n", l->name, l->launcher, l->nparams,
            l->ncomputed, l->argument_bytes, l->argument_align, l->devices);
    for (size_t i = 0; i < l->ntensors; ++i) show_tensor(f, l->tensor[i]);
    for (size_t i = 0; i < l->nparams + l->ncomputed; ++i) {
        const struct tcpc_param *p = l->param[i];
        fprintf(f, "param %s %" PRId64 " %" PRId64 " %" PRId64, p->name, p->least, p->most,
                p->multiple);
        show_value(f, &p->value);
        fputc('\n', f);
    }
    for (size_t i = 0; i < l->nchecks; ++i) show_check(f, l->check[i]);
    for (size_t i = 0; i < l->nvariants; ++i) show_variant(f, l->variant[i]);
}

static inline void show_planned(FILE *f, const struct tcpc_planned *p) {
    fprintf(f, "planned %s %d %d %d %" PRId64 " %s\n", p->kernel, p->number, p->candidate, p->share,
            p->cost, or_none(p->most));
    fprintf(f, "%s\n%s\n%s\n%s\n", p->how, p->why, or_none(p->refused), p->text);
    fprintf(f, "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", p->least_read, p->least_written,
            p->least_read_sectors, p->least_written_sectors);
}

static inline void show_name(FILE *f, const struct tcpc_name *n) {
    show_place(f, n->at);
    fprintf(f, "name %s %s %s\n", n->name, n->kind, or_none(n->type));
    for (size_t i = 0; i < n->nuses; ++i) show_place(f, n->use[i]);
    fputc('\n', f);
}

// Everything but what was done for it.
static inline void show_result(FILE *f, const struct tcpc_result *r) {
    fprintf(f, "status %d, %zu errors, %zu warnings\n", (int)r->status, r->nerrors, r->nwarnings);
    for (size_t i = 0; i < r->nmessages; ++i) show_message(f, r->message[i]);
    for (size_t i = 0; i < r->nfiles; ++i) fprintf(f, "file %s\n", r->file[i]);
    for (size_t i = 0; i < r->nlaunches; ++i) show_launch(f, r->launch[i]);
    for (size_t i = 0; i < r->nplanned; ++i) show_planned(f, r->planned[i]);
    for (size_t i = 0; i < r->nnames; ++i) show_name(f, r->name[i]);
    fwrite(r->output.bytes, 1, r->output.size, f);
}

// The same as a text, for the caller to free; NULL for no result.
static inline char *shown(const struct tcpc_result *r) {
    char *text;
    size_t size;
    FILE *f = r ? open_memstream(&text, &size) : NULL;
    if (!f) return NULL;
    show_result(f, r);
    fclose(f);
    return text;
}

#endif
