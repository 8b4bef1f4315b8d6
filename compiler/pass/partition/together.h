// The accesses of collective atoms, which the lanes of a warp make together.  Shared by the passes
// "partition" and "predicate".
#ifndef TCPC_PASS_PARTITION_TOGETHER_H
#define TCPC_PASS_PARTITION_TOGETHER_H

#include "pass/instances/instances.h"
#include "pass/partition/modes.h"

// Removes the elements of one access, the first ones, from "val", a thread's values on one side of
// "c".  Returns false if the algebra has no result.
bool together_split(struct session *s, const struct copy *c, bool src, struct lay *val,
                    struct lay *access);
// An access as a mode of a thread's values: the same on both sides, because the instruction, and no
// layout, says which elements they are.
struct joint_mode together_mode(const struct copy *c);
// A stride for this mode along mode "mode" of the coordinates "access" of a lane's elements.  Times
// the extent it is no less than what they span.
struct lay_int together_step(struct session *s, const struct copy *c, struct lay access, int mode);
// Checks that "p" holds for all lanes of a warp or for none; says so if not.
bool together_exist(struct session *s, struct prover *prover, const struct kernel *k,
                    const struct around *around, const struct copy *c, const struct predicate *p);

#endif
