// The spaces of memory, and the types of elements.
#ifndef TCPC_PLAN_TYPES_H
#define TCPC_PLAN_TYPES_H

#include "image/elem.h"

enum space { MEM_GLOBAL, MEM_SHARED, MEM_FRAG };
const char *space_name(enum space s);

// Where a tensor in "s" is: "in global memory", "in registers".
const char *space_place(enum space s);

#endif
