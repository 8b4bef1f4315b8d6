// Asking whether arrangements are accepted (see asked.h).
#include "autoswizzle/asked.h"

#include <string.h>

#include "autoswizzle/rearrange.h"
#include "base/session.h"
#include "steps/steps.h"

// Looks for errors that refuse a buffer's arrangement, answers TAKEN_NOT for these buffers and
// gives them the plain layout again. False when no error is of this kind.
static bool put_back(struct asked *x, const struct session *t, struct swizzle_choice *choice,
                     char *answer) {
    bool any = false;
    for (const struct diag *d = t->diags.first; d; d = d->next) {
        int i = d->severity == SEV_ERROR ? layer_asker(x->plain, d->at) : -1;
        if (i < x->first || i >= x->end || answer[i - x->first] != TAKEN_IS) continue;
        answer[i - x->first] = TAKEN_NOT;
        choice[i] = (struct swizzle_choice){0};
        any = true;
    }
    return any;
}

// Compiles "choice" up to the last step that asks for layouts. On failure, "*again" says whether
// put_back removed a buffer, so that another compilation may succeed.
static bool compile(struct asked *x, struct swizzle_choice *choice, char *answer, bool *again) {
    struct session t;
    struct compiled now;
    steps_again(x->c, &t, &now);
    t.diags.error_limit = 0;
    now.swizzle = choice;
    now.nswizzles = x->n;
    now.only_at = x->only_at;
    now.only_chosen = !x->only_at;
    bool ok = !steps_until(&now, STEP_CALLS);
    *again = !ok && put_back(x, &t, choice, answer);
    session_release(&t);
    return ok;
}

static char *ask(struct asked *x, int k) {
    struct session *s = x->c->s;
    char *answer = ARENA_ARRAY(&s->arena, char, x->end - x->first + 1);
    struct swizzle_choice *choice = ARENA_ARRAY(&s->arena, struct swizzle_choice, x->n);
    for (int i = x->first; i < x->end; ++i) {
        if (!layer_asked(x->plain, i) || k >= x->nfrom[i]) continue;
        choice[i] = x->from[i][k];
        answer[i - x->first] = TAKEN_IS;
    }
    for (bool again = true; again;) {
        *x->text += x->bytes;
        enum taken rest = *x->text > x->most ? TAKEN_TOO_MUCH : TAKEN_ALONE;
        if (rest == TAKEN_ALONE && compile(x, choice, answer, &again)) break;
        again &= rest == TAKEN_ALONE && memchr(answer, TAKEN_IS, (size_t)(x->end - x->first));
        if (again) continue;
        for (int i = 0; i < x->end - x->first; ++i)
            if (answer[i] == TAKEN_IS) answer[i] = (char)rest;
        break;
    }
    return answer;
}

enum taken asked_taken(struct asked *x, int i, int k) {
    if (!x->column[k]) x->column[k] = ask(x, k);
    return (enum taken)x->column[k][i - x->first];
}
