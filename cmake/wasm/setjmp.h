// WebAssembly without exceptions cannot jump back: a call that runs out of memory ends the program.
#ifndef TCPC_WASM_SETJMP_H
#define TCPC_WASM_SETJMP_H

#include <stdlib.h>

typedef int jmp_buf[1];
#define setjmp(at)       (*(at) = 0)
#define longjmp(at, why) abort()

#endif
