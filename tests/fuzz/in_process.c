#include "in_process.h"

#include "base/diag.h"

// isl loses some of its own memory where its operations run out inside a parametric minimum, which
// the low FUZZ_PROOF_LIMIT makes frequent.  The name is the leak sanitizer's.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libisl\nleak:libgmp\n";
}

void trial_begin(struct trial *t, const char *text, size_t size) {
    static const char path[] = "no-such-folder/plan.tcp";
    session_init(&t->s);
    t->given = (struct given){path, text, size, NULL};
    t->s.sources.given = &t->given;
    t->s.options.no_line = true;
    t->s.options.proof_limit = FUZZ_PROOF_LIMIT;
    t->status = compile_product(&t->s, path, PRODUCT_CUDA, &t->c);
    bool wrong = t->s.diags.nerrors > 0;
    if ((t->status != 0) != wrong)
        BUG("exit status %d and %d errors", t->status, t->s.diags.nerrors);
    struct buf b;
    buf_init(&b);
    diag_print_text(&t->s, &b, true);
    if (wrong && !b.len) BUG("no message");
    diag_print_json(&t->s, &b);
    buf_release(&b);
}

void trial_end(struct trial *t) {
    session_release(&t->s);
}
