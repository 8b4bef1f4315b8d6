// Memory spaces, and element types.
#ifndef TCPC_PLAN_TYPES_H
#define TCPC_PLAN_TYPES_H

#include "image/elem.h"

enum space { MEM_GLOBAL, MEM_SHARED, MEM_FRAG };
const char *space_name(enum space s);

// The place of tensors in "s", for messages: "in global memory", "in registers".
const char *space_place(enum space s);

#endif
