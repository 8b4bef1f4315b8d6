// Writes plans that are one relayout.
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "planner/private.h"

const struct fallback *fallback_of(const struct session *s, const char *kernel) {
    const struct fallback *f = s->options.fallbacks;
    while (f && strcmp(f->kernel, kernel) != 0) f = f->next;
    return f;
}

const char *relayout_plan_text(struct session *s, const struct relayout_plan *p, const char **why) {
    struct relayout r = p->r;
    struct buf b;
    r.fallback = fallback_of(s, p->names.kernel);
    *why = relayout_loss(s, &r) < 0 ? relayout_too_slow : NULL;
    buf_init(&b);
    buf_puts(&b, p->head);
    if (!*why) *why = relayout_kernel(s, &r, &p->names, &b);
    const char *text = buf_finish(&b, &s->arena);
    return *why ? NULL : text;
}

static void tensor(struct buf *b, const struct relayout_plan *p, bool src) {
    const struct relayout *r = &p->r;
    const char *begin = r->begin[!src].text;
    buf_printf(b, "tensor %s_%s : %s global %s%s", p->names.kernel, src ? "src" : "dst",
               type_of(r, src)->name, begin ? begin : "", begin ? "+" : "");
    for (int m = 0; m < r->rank; ++m) buf_printf(b, "%s%" PRId64, m ? "," : "(", r->mode[m].extent);
    buf_puts(b, "):");
    for (int m = 0; m < r->rank; ++m)
        buf_printf(b, "%s%" PRId64, m ? "," : "(", src ? r->mode[m].src : r->mode[m].dst);
    buf_printf(b, ") align %d;\n", tensor_align(r, src));
}

const char *relayout_plan_copy(struct session *s, const struct relayout_plan *p) {
    const char *k = p->names.kernel;
    struct buf b;
    buf_init(&b);
    buf_puts(&b, p->head);
    tensor(&b, p, true);
    tensor(&b, p, false);
    buf_printf(&b, "kernel %s(%s_src, out %s_dst) { copy %s_src -> %s_dst; }\n", k, k, k, k, k);
    return buf_finish(&b, &s->arena);
}
