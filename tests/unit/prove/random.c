// Random questions to the prover, each judged by brute force: all values of the params, all instances, from the question's text.
// What is proven is so, and what is refuted has the witness that is named.  Of what is right few are not known.
//
// usage: random [COUNT [SEED]]: COUNT questions of each kind; what is not known is then only counted
#include "ask.h"
#include "brute.h"
#include "drawn.h"

enum { MOST_INSTANCES = 1500 };

// -- brute force ----------------------------------------------------------------------------------

struct instance {
    int64_t var[MOST_VARS], out[MOST_OUTS];
};

struct instances {
    int n;
    struct instance at[MOST_INSTANCES];
};

static bool names(const struct set *s, struct values *v, struct instance *x) {
    if (*s->cond && value_of(s->cond, v) < 0) return false;
    for (int i = 0; i < s->nvars; ++i) x->var[i] = v->of[(int)s->name[i]];
    for (int i = 0; i < s->nouts; ++i) x->out[i] = value_of(s->out[i], v);
    return true;
}

static void instances_from(const struct set *s, struct values *v, int i, struct instances *all) {
    if (i == s->nvars) {
        if (all->n < MOST_INSTANCES && names(s, v, &all->at[all->n])) ++all->n;
        return;
    }
    int64_t begin = value_of(s->begin[i], v), end = value_of(s->end[i], v);
    for (int64_t x = begin; x < end; ++x) {
        v->of[(int)s->name[i]] = x;
        instances_from(s, v, i + 1, all);
    }
}

static void instances_of(const struct set *s, const struct values *v, struct instances *all) {
    struct values mine = *v;
    all->n = 0;
    instances_from(s, &mine, 0, all);
}

static bool same(const int64_t *a, const int64_t *b, int n) {
    return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

// -- questions ------------------------------------------------------------------------------------

enum kind { NONE, ONCE, APART, WHOLE, WRITTEN, NKINDS };
static const char *const kind_name[] = {"none", "once", "apart", "whole", "written"};
// So many of those drawn without arguments may be not known although they are so.
static const int most_unknown[] = {9, 21, 21, 11, 26};

struct question_text {
    enum kind kind;
    struct params params;
    struct set set[3];
    int nsets, nequal, ndiffer;
    char extent[MOST_OUTS][TEXT];
    int common[3], equal[3], before[3];  // of writes: set 0 is what is read
};

static struct instances found[3];

static bool precedes(const struct question_text *q, int i, const struct instance *write,
                     const struct instance *read) {
    if (!same(write->var, read->var, q->equal[i]) || !same(write->out, read->out, q->set[0].nouts))
        return false;
    for (int k = 0; k < q->common[i]; ++k)
        if (write->var[k] != read->var[k]) return write->var[k] < read->var[k];
    return q->before[i];
}

static bool is_written(const struct question_text *q, const struct instance *read) {
    for (int i = 1; i < q->nsets; ++i)
        for (int k = 0; k < found[i].n; ++k)
            if (precedes(q, i, &found[i].at[k], read)) return true;
    return false;
}

static bool meet(const struct question_text *q, const struct instance *a,
                 const struct instance *b) {
    return same(a->out, b->out, q->set[0].nouts) && same(a->var, b->var, q->nequal) &&
           (q->ndiffer == 0 || !same(a->var + q->nequal, b->var + q->nequal, q->ndiffer));
}

static bool is_named(const struct question_text *q, const int64_t *element) {
    for (int i = 0; i < q->nsets; ++i)
        for (int k = 0; k < found[i].n; ++k)
            if (same(found[i].at[k].out, element, q->set[0].nouts)) return true;
    return false;
}

// Whether these values of the params refute it: with "a", "b" or "element" not NULL, just this instance, these two or this element.
static bool refuted(const struct question_text *q, const struct values *v, const struct instance *a,
                    const struct instance *b, const int64_t *element) {
    for (int i = 0; i < q->nsets; ++i) instances_of(&q->set[i], v, &found[i]);
    const struct instances *x = &found[0], *y = &found[q->kind == APART];
    int nvars = q->set[0].nvars, nother = q->set[q->kind == APART].nvars;
    if (q->kind == WHOLE) {
        int64_t at[MOST_OUTS] = {0};
        int64_t rows = value_of(q->extent[0], v), columns = value_of(q->extent[1], v);
        for (at[0] = 0; at[0] < rows; ++at[0])
            for (at[1] = 0; at[1] < columns; ++at[1])
                if ((!element || same(element, at, q->set[0].nouts)) && !is_named(q, at))
                    return true;
        return false;
    }
    for (int i = 0; i < x->n; ++i) {
        const struct instance *one = &x->at[i];
        if (a && !same(a->var, one->var, nvars)) continue;
        if (q->kind == NONE || (q->kind == WRITTEN && !is_written(q, one))) return true;
        if (q->kind != ONCE && q->kind != APART) continue;
        for (int k = 0; k < y->n; ++k) {
            if (b && !same(b->var, y->at[k].var, nother)) continue;
            if ((q->kind == APART || k != i) && meet(q, one, &y->at[k])) return true;
        }
    }
    return false;
}

static bool has_names(const struct set *s, const char *text) {
    for (; *text; ++text)
        if (islower(*text) && !memchr(s->name, *text, (size_t)s->nvars)) return false;
    return true;
}

static void question_draw(struct question_text *q, enum kind kind) {
    *q = (struct question_text){.kind = kind, .nsets = 1, .extent = {"1", "1"}};
    int nouts = 1 + draw(2);
    draw_params(&q->params);
    bool formed = draw(3) == 0;
    while (formed && q->params.n < 2) draw_params(&q->params);
    if (formed)
        nouts = draw_form(&q->set[0], q->extent);
    else
        draw_set(&q->set[0], &q->params, "ijkl", NULL, 0, nouts);
    if (kind == ONCE) q->nequal = draw(3) ? 0 : draw(q->set[0].nvars);
    if (kind == NONE && !*q->set[0].cond) draw_sum(q->set[0].cond, &q->set[0], &q->params, 2);
    if (kind == NONE) add_text(q->set[0].cond, "-%d", draw(30));
    if (kind == WHOLE)
        for (int i = 0; i < nouts && !formed; ++i) sprintf(q->extent[i], "%d", 1 + draw(3 - i));
    if (kind == APART || kind == WRITTEN || (kind == WHOLE && !formed && draw(2))) {
        int shared = kind == WHOLE ? 0 : draw(q->set[0].nvars + 1);
        draw_set(&q->set[1], &q->params, "uvwxyz", &q->set[0], shared, nouts);
        bool alike = draw(2);  // what is read is written, the other variables' names aside
        if (kind == WRITTEN && alike) {
            memcpy(q->set[1].end, q->set[0].end, sizeof q->set[1].end);
            memcpy(q->set[1].begin, q->set[0].begin, sizeof q->set[1].begin);
            memcpy(q->set[1].name, q->set[0].name, sizeof q->set[1].name);
            q->set[1].nvars = q->set[0].nvars;
            if (draw(3)) *q->set[1].cond = 0;
            if (draw(2)) strcpy(q->set[1].begin[q->set[1].nvars - 1], "0");
        }
        if (alike) memcpy(q->set[1].out, q->set[0].out, sizeof q->set[1].out);
        // all that a copied text names is there
        if (!has_names(&q->set[1], q->set[1].cond)) *q->set[1].cond = 0;
        struct set *x = &q->set[1];
        for (int i = 0; i < nouts; ++i)
            if (!has_names(x, x->out[i])) draw_sum(x->out[i], x, &q->params, 2);
        q->nsets = 2;
        q->nequal = draw(shared + 1);
        q->ndiffer = draw(shared - q->nequal + 1);
        q->common[1] = shared;
        q->equal[1] = draw(shared + 1);
        q->before[1] = draw(3) > 0;
    }
    if (kind == WRITTEN && draw(3) == 0) {
        int shared = draw(q->common[1] + 1);
        draw_set(&q->set[2], &q->params, "uvwxyz", &q->set[0], shared, nouts);
        q->nsets = 3;
        q->common[2] = shared;
        q->equal[2] = draw(shared + 1);
        q->before[2] = draw(2);
    }
}

static const char *question_words(const struct question_text *q) {
    static char text[4 * TEXT];
    int n = sprintf(text, "%s \"%s\" nequal %d ndiffer %d extent %s,%s", kind_name[q->kind],
                    q->params.text, q->nequal, q->ndiffer, q->extent[0], q->extent[1]);
    for (int i = 0; i < q->nsets; ++i) {
        char set[TEXT] = "";
        put_set(set, &q->set[i]);
        n += snprintf(text + n, sizeof text - (size_t)n, "\n  \"%s\" common %d equal %d before %d",
                      set, q->common[i], q->equal[i], q->before[i]);
    }
    return text;
}

static enum prove_answer put(struct ask *x, const struct question_text *q,
                             struct prove_witness *w) {
    struct prove_set set[3];
    struct prove_write write[3];
    const struct ix *extent[MOST_OUTS];
    for (int i = 0; i < q->nsets; ++i) {
        char *text = ARENA_ARRAY(&x->s.arena, char, TEXT);
        put_set(text, &q->set[i]);
        set[i] = ask_set(x, text);
        write[i] = (struct prove_write){&set[i], q->common[i], q->equal[i], q->before[i]};
    }
    for (int i = 0; i < MOST_OUTS; ++i) {
        x->at = q->extent[i];
        extent[i] = ask_sum(x);
    }
    switch (q->kind) {
    case NONE: return prove_none(x->prover, &set[0], w);
    case ONCE: return prove_once(x->prover, &set[0], q->nequal, w);
    case APART: return prove_apart(x->prover, &set[0], &set[1], q->nequal, q->ndiffer, w);
    case WHOLE: return prove_whole(x->prover, extent, q->set[0].nouts, set, q->nsets, w);
    default: return prove_written(x->prover, &set[0], write + 1, q->nsets - 1, w);
    }
}

static void take_instance(const struct ask *x, const struct set *s, const int64_t *var,
                          struct instance *to) {
    for (int i = 0; i < s->nvars; ++i) to->var[i] = var[x->var[(int)s->name[i]].id];
}

// Whether the witness refutes it, for all values of the params that it leaves open.
static bool witness_refutes(const struct ask *x, const struct question_text *q,
                            const struct prove_witness *w) {
    struct values v = {{0}};
    struct instance a = {{0}}, b = {{0}};
    bool ok = true, two = q->kind == ONCE || q->kind == APART;
    for (int i = 0; i < q->params.n; ++i) v.of[(int)q->params.name[i]] = q->params.lo[i];
    if (q->kind != WHOLE) take_instance(x, &q->set[0], w->var[0], &a);
    if (two) take_instance(x, &q->set[q->kind == APART], w->var[1], &b);
    do {
        bool meant = true;
        for (int i = 0; i < q->params.n; ++i) {
            int64_t named = w->sym[x->sym[(int)q->params.name[i]]->id];
            meant = meant && (named == INT64_MIN || named == v.of[(int)q->params.name[i]]);
        }
        if (meant)
            ok = ok && refuted(q, &v, q->kind == WHOLE ? NULL : &a, two ? &b : NULL,
                               q->kind == WHOLE ? w->out : NULL);
    } while (next_params(&q->params, &v));
    return ok;
}

static bool is_so(const struct question_text *q) {
    struct values v = {{0}};
    bool so = true;
    for (int i = 0; i < q->params.n; ++i) v.of[(int)q->params.name[i]] = q->params.lo[i];
    do so = so && !refuted(q, &v, NULL, NULL, NULL);
    while (next_params(&q->params, &v));
    return so;
}

static bool is_large(const struct question_text *q) {
    struct values v = {{0}};
    bool large = false;
    for (int i = 0; i < q->params.n; ++i) v.of[(int)q->params.name[i]] = q->params.hi[i];
    for (int i = 0; i < q->nsets; ++i) {
        instances_of(&q->set[i], &v, &found[i]);
        large = large || found[i].n == MOST_INSTANCES;
    }
    return large;
}

static void many(enum kind kind, int count, bool counted) {
    int right = 0, wrong = 0, unknown = 0;
    for (int i = 0; i < count; ++i) {
        struct question_text q;
        struct prove_witness w = {0};
        struct ask x;
        do question_draw(&q, kind);
        while (is_large(&q));
        bool so = is_so(&q);
        ask_begin(&x, q.params.text);
        enum prove_answer r = put(&x, &q, &w);
        bool ok = r == PROVE_UNKNOWN || (r == PROVE_YES) == so;
        if (ok && r == PROVE_NO) ok = witness_refutes(&x, &q, &w);
        CHECK(ok, "%s\n  is %sso; the answer is %s", question_words(&q), so ? "" : "not ",
              ask_answer(&x, r, NULL, NULL, &w));
        ask_end(&x);
        right += so;
        wrong += !so;
        unknown += so && r == PROVE_UNKNOWN;
    }
    printf("%s: %d right, of which %d are not known; %d wrong\n", kind_name[kind], right, unknown,
           wrong);
    CHECK(right * 10 > count && wrong * 10 > count, "%s: %d right, %d wrong", kind_name[kind],
          right, wrong);
    CHECK(!counted || unknown <= most_unknown[kind], "%s: %d not known", kind_name[kind], unknown);
}

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : 300;
    state = argc > 2 ? (uint32_t)atoi(argv[2]) : 20261123;
    for (int k = 0; k < NKINDS; ++k) many((enum kind)k, count, argc == 1);
    return check_done();
}
