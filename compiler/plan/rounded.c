// Reports quotients that lose a remainder (see rounded.h).
#include "plan/rounded.h"

#include <inttypes.h>
#include <string.h>

#include "base/session.h"
#include "base/warnings.h"

// The dividend is a multiple of some of the tile, which may be as large as that.
static bool is_smaller(const struct rounded *r) {
    return r->least > 1 && r->least < r->by && r->by % r->least == 0;
}

static void advise(struct session *s, const struct rounded *r) {
    const char *a = strchr(r->a, ' ') ? arena_printf(&s->arena, "(%s)", r->a) : r->a;
    if (is_smaller(r))
        diag_note(s, r->at,
                  "'%s' is a multiple of %" PRId64 "; for tiles of %" PRId64 " write '%s / %" PRId64
                  "', for tiles of %s '%s'",
                  r->a, r->least, r->least, a, r->least, r->b, r->up);
    else
        diag_fixit(s, r->at, r->up);
    if (r->param && r->by > 0)
        diag_note(s, r->param->at, "or declare that it is: 'param %s : index %% %" PRId64 ";'",
                  r->a, r->by);
}

void rounded_grid(struct session *s, const struct rounded *r) {
    bool plain = !is_smaller(r);
    diag_error(s, r->at,
               "nothing promises that '%s' is a multiple of %s, so the block for the last, "
               "incomplete tile may be missing%s%s%s",
               r->a, r->b, plain ? "; write '" : "", plain ? r->up : "", plain ? "'" : "");
    advise(s, r);
}

void rounded_lost(struct session *s, const struct rounded *r, const struct tensor *t) {
    int64_t n;
    if (ix_static(r->of, &n)) {
        diag_warn(s, W_REMAINDER, r->at,
                  "%s / %s is %" PRId64 ", and nothing reads the %" PRId64
                  " elements of '%s' that are left; write '%s'",
                  r->a, r->b, n / r->by, n % r->by, t->name, r->up);
        diag_fixit(s, r->at, r->up);
        return;
    }
    bool plain = !is_smaller(r);
    diag_warn(s, W_REMAINDER, r->at,
              "nothing promises that '%s' is a multiple of %s, and nothing reads the last, "
              "incomplete tile of '%s'%s%s%s",
              r->a, r->b, t->name, plain ? "; write '" : "", plain ? r->up : "", plain ? "'" : "");
    advise(s, r);
}
