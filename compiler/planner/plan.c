// Writes plans that are one relayout.
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "planner/text.h"

const struct fallback *fallback_of(const struct session *s, const char *kernel) {
    const struct fallback *f = s->options.fallbacks;
    while (f && strcmp(f->kernel, kernel) != 0) f = f->next;
    return f;
}

const char *relayout_plan_text(struct session *s, const struct relayout_plan *p, const char **why) {
    struct relayout r = p->r;
    struct relayout_chosen chosen[RELAYOUT_CASES];
    struct buf b;
    r.fallback = fallback_of(s, p->names.kernel);
    *why = relayout_loss(s, &r) < 0 ? relayout_too_slow : NULL;
    buf_init(&b);
    buf_puts(&b, p->head);
    if (!*why) *why = relayout_kernel(s, &r, &p->names, &b, chosen);
    const char *text = buf_finish(&b, &s->arena);
    return *why ? NULL : text;
}

// The tensor of a side, as one mode.
static const char *tensor(struct session *s, const struct relayout_plan *p, bool src) {
    const struct text t = {.s = s, .r = &p->r, .names = &p->names, .end = ""};
    return text_print(&t, "tensor %s_%s : %s global %s align %d;\n", p->names.kernel,
                      src ? "src" : "dst", type_of(&p->r, src)->name, text_layout(&t, &p->r, src),
                      tensor_align(&p->r, src));
}

const char *relayout_plan_copy(struct session *s, const struct relayout_plan *p) {
    const char *k = p->names.kernel, *left = p->r.index ? "group_modes(" : "";
    const char *of[2] = {"", ""};
    for (int i = 0; i < 2 && p->r.index; ++i)
        of[i] = arena_printf(&s->arena, ", 0, %d)", p->r.index->rank[i]);
    return arena_printf(&s->arena,
                        "%s%s%skernel %s(%s_src, out %s_dst) { copy %s%s_src%s -> %s%s_dst%s; }\n",
                        p->head, tensor(s, p, true), tensor(s, p, false), k, k, k, left, k, of[0],
                        left, k, of[1]);
}

const char *relayout_reasons(struct session *s, const char *text) {
    struct buf b;
    if (!text) return NULL;
    buf_init(&b);
    for (; strncmp(text, "// ", 3) == 0; text = strchr(text, '\n') + 1) {
        if (b.len) buf_char(&b, ' ');
        buf_write(&b, text + 3, strcspn(text + 3, "\n"));
    }
    return buf_finish(&b, &s->arena);
}
