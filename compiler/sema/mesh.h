// Meshes whose numbers of devices are params (numbers.c).  A mesh, a tensor and a kernel that depend on such a
// param are made for each number that its promise allows.
#ifndef TCPC_SEMA_MESH_H
#define TCPC_SEMA_MESH_H

#include "sema/state.h"

// How many numbers of devices a mesh may have.  Each gets a kernel.
enum { MESH_NUMBERS = 16 };

// Whether the promise of "p", the size of an axis at "at", fits a mesh; reports an error otherwise.
bool mesh_may_have(struct sema *c, const struct param *p, struct range at);
// Sets the steps of the numbers of devices.
void mesh_step(struct mesh *m);
// Makes a mesh for each number of devices that the params of "m" allow; false after an error.
bool mesh_number(struct sema *c, struct mesh *m);
// How names end that are of "m" alone: "_4", "_2_4"; "" if its sizes are no params.
const char *mesh_ending(struct sema *c, const struct mesh *m);
// Notes that an error at "at" is of "m" alone, if its sizes are params: "this is so if G == 4".
void mesh_note_number(struct sema *c, const struct mesh *m, struct range at);
// Whether no promise relates the params of "m" to others; reports an error otherwise.
bool mesh_promises(struct sema *c, const struct mesh *m);
// "l" with the numbers of "m" for its params; invalid after an error at "at".
struct lay mesh_layout(struct sema *c, struct lay l, const struct mesh *m, struct range at);

#endif
