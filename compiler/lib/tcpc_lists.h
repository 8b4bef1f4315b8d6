/* What there is: types, atoms, architectures, warnings, operations, headers, drawings, pages.  tcpc.h
 * includes this header; a program includes that one. */
#ifndef TCPC_LISTS_H
#define TCPC_LISTS_H

#include "tcpc_launch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each of these functions fills in number "i" of a list, counted from 0, as far as the "size" that
 * the caller set goes, and returns 0 when there is no such number.  Texts are never freed. */

struct tcpc_type {
    size_t size;
    const char *name;   /* "f16" */
    const char *c_name; /* in the emitted code */
    int bits;
    int number; /* not 0: a number, which can be converted; 0: raw bits */
};
TCPC_API int tcpc_type_at(size_t i, struct tcpc_type *out);

struct tcpc_atom {
    size_t size;
    const char *name; /* "cp_async.cg" */
    int least_arch;   /* 80: sm_80; 0: all */
    char feature;     /* 'a': of that architecture alone, as sm_90a; 'f': of its family; 0 */
    const int *width; /* bits of an access, ascending */
    size_t nwidths;
    int threads;      /* that make an access together: 1 or 32 */
    int asynchronous; /* not 0: its data arrive with a wait */
};
TCPC_API int tcpc_atom_at(size_t i, struct tcpc_atom *out);

struct tcpc_arch {
    size_t size;
    const char *name;     /* "sm_90a" */
    int number;           /* 90 */
    int64_t shared_bytes; /* that a block may have */
    int calibrated;       /* not 0: its costs were measured */
};
TCPC_API int tcpc_arch_at(size_t i, struct tcpc_arch *out);

struct tcpc_warning {
    size_t size;
    const char *name; /* as in -Wunused */
    const char *help;
    int on; /* not 0: without an option */
};
TCPC_API int tcpc_warning_at(size_t i, struct tcpc_warning *out);

struct tcpc_operation {
    size_t size;
    const char *name, *arguments, *help;
    int in_eval, in_plans; /* not 0: may be used there */
};
TCPC_API int tcpc_operation_at(size_t i, struct tcpc_operation *out);

/* A header that kernels include, as nvrtcCreateProgram takes it. */
struct tcpc_header {
    size_t size;
    const char *name; /* "tcp_device.cuh" */
    const char *text;
};
TCPC_API int tcpc_header_at(size_t i, struct tcpc_header *out);

/* NULL when there is no such number. */
TCPC_API const char *tcpc_view_at(size_t i);
TCPC_API const char *tcpc_page_at(size_t i);

/* The page of a message, in Markdown: of tcpc_message.page; NULL: there is none. */
TCPC_API const char *tcpc_page(const char *name);

#ifdef __cplusplus
}
#endif

#endif
