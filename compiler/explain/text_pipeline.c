// Explains pipelines and roles, as text.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "explain/private.h"

static const char *plural(int64_t n) {
    return n == 1 ? "" : "s";
}

// Such as "wait 1, barrier, load s, commit, for i { use s, barrier }".
static void put_events(struct buf *b, const char *const *text, int n) {
    bool opened = true;
    for (int i = 0; i < n; ++i) {
        buf_printf(b, "%s%s", i == 0 ? "" : opened || *text[i] == '}' ? " " : ", ", text[i]);
        opened = text[i][strlen(text[i]) - 1] == '{';
    }
}

static void put_handover(struct buf *b, const struct explained_pipeline *p) {
    for (int i = 0; i < p->nhandover; ++i) {
        const char *text = p->handover[i] + strcspn(p->handover[i], ":") + 2;
        char label[64];
        snprintf(label, sizeof label, "%.*s", (int)(text - p->handover[i]), p->handover[i]);
        explain_filled(b, 4, label, text);
    }
}

void explain_print_pipeline(const struct explained_kernel *k, const struct explained_pipeline *p,
                            struct buf *b) {
    struct buf text;
    int64_t ahead = p->roles ? 0 : p->ahead, bytes = 0;
    buf_init(&text);
    if (p->manual) {
        buf_printf(b, "  %s, in line %d\n", p->text, p->line);
        explain_filled(b, 4, "roles: ", p->roles);
        put_handover(b, p);
        put_events(&text, p->step, p->nsteps);
        explain_filled(b, 4, "each step: ", text.text);
        buf_release(&text);
        return;
    }
    buf_printf(b, "  %s, %" PRId64 " stage%s, in line %d\n", p->text, p->stages, plural(p->stages),
               p->line);
    for (int i = 0; i < p->nrings; ++i) {
        const struct explained_ring *r = &p->ring[i];
        buf_printf(&text, "%s %" PRId64 " x %" PRId64 " bytes, ", r->name, p->stages,
                   r->stage_bytes);
        bytes += r->bytes;
    }
    buf_printf(&text, "%" PRId64 " of the kernel's %" PRId64 " bytes of shared memory", bytes,
               k->smem_bytes);
    explain_filled(b, 4, "buffers: ", text.text);
    if (p->roles) explain_filled(b, 4, "roles: ", p->roles);
    put_handover(b, p);
    if (ahead > 0) {
        buf_clear(&text);
        if (ahead > 1) buf_printf(&text, "%" PRId64 " times: ", ahead);
        put_events(&text, p->prologue, p->nprologue);
        explain_filled(b, 4, "prologue: ", text.text);
    }
    buf_clear(&text);
    put_events(&text, p->step, p->nsteps);
    explain_filled(b, 4, "each step: ", text.text);
    if (ahead > 0) {
        buf_clear(&text);
        if (ahead > 1)
            buf_printf(&text, "the last %" PRId64 " steps load nothing", ahead);
        else
            buf_puts(&text, "the last step loads nothing");
        if (p->groups) buf_puts(&text, "; empty groups are committed, so that the waits hold");
        explain_filled(b, 4, "drain: ", text.text);
    }
    buf_clear(&text);
    if (p->roles) buf_puts(&text, "each role waits for the others once in a step");
    if (!p->roles || p->waits + p->barriers > 0)
        buf_printf(&text, "%s%d wait%s and %d barrier%s per step%s", p->roles ? "; " : "", p->waits,
                   plural(p->waits), p->barriers, plural(p->barriers),
                   p->roles ? " are for its own copies and threads" : "");
    if (p->groups) {
        buf_printf(&text, "; at most %d of its groups in flight", p->under_way);
        if (p->bytes_under_way >= 0)
            buf_printf(&text, ", %" PRId64 " bytes per block", p->bytes_under_way);
    }
    explain_filled(b, 4, "cost: ", text.text);
    buf_release(&text);
}
