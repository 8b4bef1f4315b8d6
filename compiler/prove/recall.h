// Answers that an earlier compilation found, by a digest of the whole question (base/kept.h).
//
// A digest has everything that an answer depends on: the sets with their expressions, what is known of
// variables and params and in which order they were made, the promises, and the operations that isl may
// take.  Numbers of variables and params differ between compilations, so a question counts its own from
// 0 on, in the order in which it names them; a witness is kept by these.
#ifndef TCPC_PROVE_RECALL_H
#define TCPC_PROVE_RECALL_H

#include "base/digest.h"
#include "prove/prove.h"

// A question, or several that are about the same variables and params.
struct recall {
    struct digesting sum;
    struct digest key;
    int left;  // how much larger the question may get; below 0: it is too large
    const struct ix_var **var;
    const struct lay_sym **sym;
    int nvars, nsyms, cap_vars, cap_syms;
};

// Says where a structure has got another size, where pointers have 8 bytes.
#define RECALL_SIZE(type, bytes)                                                                   \
    _Static_assert(sizeof(void *) != 8 || sizeof(type) == (bytes), "a digest has all of " #type)

enum recall_kind {
    RECALL_NONE,
    RECALL_AT_LEAST,
    RECALL_ONCE,
    RECALL_APART,
    RECALL_ALL_ONCE,
    RECALL_WHOLE,
    RECALL_WRITTEN,
    RECALL_NOT_STALE,
    RECALL_READ,
    RECALL_ORDER,
    RECALL_PAIR,
    RECALL_ENDS
};

// Begins the digest of a question of "p".  False if nothing is kept.
bool recall_begin(struct prover *p, enum recall_kind kind, struct prove_witness *w);
// Begins a digest with what all questions of "p" depend on now.
void recall_restart(struct recall *x, const struct prover *p, enum recall_kind kind);
// Adds to it.
void recall_int(struct recall *x, int64_t value);
void recall_ix(struct recall *x, const struct ix *e);
void recall_set(struct recall *x, const struct prove_set *set);
// Adds the order of variables and params, and ends the digest.
void recall_end(struct recall *x);
void recall_release(struct recall *x);
// Ends the digest of the question of "p", and asks for its answer.  If that is not known, the caller finds
// it and calls recall_keep, which returns it.
bool recall_find(struct prover *p, enum prove_answer *r, struct prove_witness *w);
enum prove_answer recall_keep(struct prover *p, enum prove_answer r, const struct prove_witness *w);

// A result as bytes.  Both stop, with "bad" set, where it has no room or no more bytes.
struct recall_bytes {
    uint8_t byte[2048];
    int n, end;
    bool bad;
};
void recall_put(struct recall_bytes *b, int64_t x);
int64_t recall_get(struct recall_bytes *b);
// Why the last answer is not known, and what that leaves of the limit.
void recall_put_state(struct recall_bytes *b, const struct prover *p);
void recall_get_state(struct recall_bytes *b, struct prover *p);
void recall_put_witness(struct recall_bytes *b, const struct recall *x,
                        const struct prove_witness *w);
void recall_get_witness(struct recall_bytes *b, struct prover *p, const struct recall *x,
                        struct prove_witness *w);
// The result for "key", a question about what "x" names; false if there is none.  Counts what is asked.
bool recall_look(struct prover *p, const struct recall *x, const struct digest *key,
                 struct recall_bytes *b);
void recall_store(struct prover *p, const struct digest *key, const struct recall_bytes *b);

#endif
