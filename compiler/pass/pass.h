// The passes, in the order of pass_list.  Each fills fields of the plan that nobody else writes; a
// pass that finds the plan wrong says so in the diagnostics and returns false.
#ifndef TCPC_PASS_PASS_H
#define TCPC_PASS_PASS_H

#include <stdbool.h>

struct session;
struct plan;

struct pass {
    const char *name;
    bool (*run)(struct session *s, struct plan *p);
    const char *what;  // one line of help
};

extern const struct pass pass_list[];
extern const int n_passes;

bool pass_partition(struct session *s, struct plan *p);
bool pass_calls(struct session *s, struct plan *p);
bool pass_predicate(struct session *s, struct plan *p);
bool pass_vectorize(struct session *s, struct plan *p);
bool pass_shared(struct session *s, struct plan *p);
bool pass_coverage(struct session *s, struct plan *p);
bool pass_defined(struct session *s, struct plan *p);
bool pass_races(struct session *s, struct plan *p);
bool pass_sync(struct session *s, struct plan *p);
bool pass_expect(struct session *s, struct plan *p);

#endif
