// Tests that a kernel passed before (see known.h).
#include "plan/known.h"

#include "base/kept.h"
#include "base/session.h"
#include "base/trap.h"
#include "plan/align.h"

// The layouts and alignments of tensors may depend on other kernels too.
static void put_tensor(struct session *s, struct digesting *d, const struct tensor *t) {
    digest_text(d, t->name);
    digest_text(d, lay_valid(t->layout) ? lay_text(&s->lay, t->layout) : NULL);
    digest_int(d, t->align);
    digest_int(d, align_known(t));
}

void known_text(struct session *s, struct kernel *k, struct digesting *text) {
    struct digest *out = ARENA_NEW(&s->arena, struct digest);
    digest_text(text, k->planned);
    for (int i = 0; i < k->nformals; ++i) put_tensor(s, text, k->formal[i].tensor);
    for (int i = 0; i < k->nlocal; ++i) put_tensor(s, text, k->local[i]);
    for (int i = 0; i < k->nparams; ++i) {
        const struct lay_sym *y = k->param[i]->sym;
        const int64_t number[] = {y->mul, y->declared, y->lo, y->hi};
        for (int j = 0; j < 4; ++j) digest_int(text, number[j]);
    }
    digest_int(text, s->trial);
    *out = digest_end(text);
    k->text = out;
}

bool known_passed(struct session *s, struct known *x) {
    struct digesting d;
    uint8_t result[KEPT_MOST];
    const struct kernel *k = x->k;
    if (!s->options.kept || !k->text) return false;
    digest_begin(&d);
    digest_bytes(&d, k->text->byte, sizeof k->text->byte);
    digest_text(&d, x->test);
    digest_text(&d, x->about);
    for (int i = 0; i < x->n; ++i)
        for (int j = 0; j < k->nparams; ++j) digest_int(&d, x->value[i][k->param[j]->sym->id]);
    digest_int(&d, x->n);
    x->key = digest_end(&d);
    x->told = s->diags.told;
    bool passed = s->options.kept->find(s->options.kept, &x->key, result) >= 0;
    if (x->counts) ++*(passed ? &k->count->kept : &k->count->done);
    return passed;
}

void known_keep(struct session *s, const struct known *x) {
    trap_poll();  // what was given up has no result
    if (s->options.kept && x->k->text && s->diags.told == x->told)
        s->options.kept->keep(s->options.kept, &x->key, NULL, 0);
}
