// Pipelines in the oracle: steps in order, and the parts of each step in order (see oracle.h).
// That is the complete meaning of a pipeline.  Nothing from an earlier step is in a step's slot.
#include "base/session.h"
#include "oracle/private.h"

bool oracle_pipeline(struct run *r, const struct stmt *st) {
    const struct pipeline *pipe = st->pipe;
    int64_t begin, end;
    r->copy = NULL;
    if (!ix_eval(st->begin, &r->env, &begin) || !ix_eval(st->end, &r->env, &end))
        return oracle_fail(r, ORACLE_NO_VALUE, NULL, 0,
                           "a pipeline's bound has no value for these params");
    int64_t most = sample_steps(pipeline_depth(pipe));
    if (!r->what->all_iterations && end - begin > most) end = begin + most;
    struct step step = {pipe, 0, r->step};
    const struct handover *h = &pipe->handover;
    int64_t first = h->carries ? r->next_slot[h->ring] : 0;
    r->step = &step;
    if (r->nloops < ORACLE_LOOPS) r->loop[r->nloops] = st->var;
    ++r->nloops;
    bool ok = true;
    for (int64_t n = begin; ok && n < end && (ok = oracle_has_room(r, 1)); ++n) {
        step.serial = r->serial;
        r->var[st->var->id] = r->var[pipe->load_var->id] = n;
        if (pipe->slot)
            r->var[pipe->slot->id] = r->var[pipe->load_slot->id] =
                (first + n - begin) % pipe->stages;
        ok = oracle_body(r, st->body);
    }
    if (h->carries && h->turns && begin < end)
        r->next_slot[h->ring] = (first + end - begin) % pipe->stages;
    r->step = step.outer;
    --r->nloops;
    return ok;
}

int64_t oracle_since(const struct run *r, const struct tensor *t) {
    for (const struct step *step = r->step; step; step = step->outer) {
        for (int i = 0; i < step->pipe->ntensors; ++i) {
            if (step->pipe->tensor[i] == t) return step->serial;
        }
    }
    return -1;
}
