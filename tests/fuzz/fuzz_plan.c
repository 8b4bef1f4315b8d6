// Any bytes as a plan, as far as the emitted text: no crash, no hang, and a plan that is refused is
// refused in words.
#include <string.h>

#include "base/diag.h"
#include "emit/emit.h"
#include "in_process.h"
#include "kernel/kernel_ir.h"
#include "plan/print.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct trial t;
    trial_begin(&t, (const char *)data, size);
    if (t.status == 0) {
        struct buf b;
        buf_init(&b);
        plan_print(&t.s, t.c.plan, &b);
        kir_print(&t.s, t.c.kir, &b);
        emit_header(&t.s, t.c.kir, &b);
        buf_release(&b);
        if (strlen(t.c.text) == 0) BUG("no text is emitted");
    }
    trial_end(&t);
    return 0;
}
