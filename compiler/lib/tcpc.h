/* The compiler as a library: a plan in memory becomes CUDA C in memory.
 *
 *   struct tcpc_options o = {.size = sizeof o, .arch = "sm_90"};
 *   struct tcpc_result *r;
 *   if (tcpc_compile("copy.tcp", text, size, &o, &r) == TCPC_OK)
 *       fwrite(r->output.bytes, 1, r->output.size, file);
 *   for (size_t i = 0; r && i < r->nmessages; ++i) puts(r->message[i]->text);
 *   tcpc_free(r);
 *
 * A call leaves nothing but its result, writes to no stream, ends no process, and reads no
 * file but from the folders that its options name.  Calls in different threads do not affect each
 * other.  Each needs some 100 KiB of stack.
 *
 * Memory: where malloc returns NULL to the compiler, tcpc_compile frees all that it took and
 * returns TCPC_NO_MEMORY.  isl, the library of integer sets that does the proofs, cannot promise
 * that: it does not check all that malloc returns, and what it holds when memory is exhausted
 * elsewhere is leaked.
 *
 * Plain C99; Linux and other systems with POSIX threads and locales.
 *
 * A program that was compiled with an older header runs with a newer library: a structure that may
 * grow begins with its size in bytes (tcpc_launch.h), and symbols have versions.  A structure that
 * you make has to be zeroed but for its size ("= {.size = sizeof o}"): each option then has the
 * command's default. */
#ifndef TCPC_H
#define TCPC_H

#include "tcpc_launch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "size" bytes.  In texts of the library a NUL follows, which "size" does not count. */
struct tcpc_text {
    const char *bytes;
    size_t size;
};

/* -- what is asked for ------------------------------------------------------------------------- */

enum tcpc_emit {
    TCPC_EMIT_CUDA,   /* a .cu file: kernels and launchers */
    TCPC_EMIT_HEADER, /* a .cuh file: device functions, and the launchers' declarations */
    TCPC_EMIT_KERNEL, /* for people: the Kernel IR, */
    TCPC_EMIT_PLAN,   /* the plan with what the passes found, */
    TCPC_EMIT_AST,    /* the syntax tree; their forms change with the compiler */
    /* As CUDA, without launchers; kernels are extern "C".  For NVRTC and the driver's API, with
     * the result's launches. */
    TCPC_EMIT_DEVICE
};

struct tcpc_define {
    const char *name, *value; /* of a const, over the plan's own: "TILE", "64" */
};

/* Finds the text of an import.  "name" is as messages show it: the path in the import after the
 * folder in the name of what imports it, "sub/b.tcp" where "sub/a.tcp" imports "b.tcp".  Returns 1
 * with the text in "*text", which has to stay until tcpc_compile returns; 0 when it has no text of
 * that name; -1 when it cannot be read.  It may call tcpc_compile, but not leave by longjmp or
 * an exception. */
typedef int tcpc_read(void *user, const char *name, struct tcpc_text *text);

struct tcpc_options {
    size_t size; /* sizeof(struct tcpc_options) */
    enum tcpc_emit emit;
    const char *arch;                 /* "sm_90", over the plan's own; NULL: that, or sm_80 */
    const struct tcpc_define *define; /* "ndefines" of them */
    size_t ndefines;
    const char *const *warning; /* "nwarnings" options as the command has them: "-Wno-unused",
                                   "-Werror=vectorize", "-w", the later ones over those before */
    size_t nwarnings;
    unsigned long proof_limit; /* operations that a proof may take; 0: 250000 */
    int error_limit;           /* errors that are reported; 0: 20; negative: all */
    int no_line;               /* not 0: no #line in what is emitted */
    const char *emitted;       /* the name that #line gives what is emitted; NULL: after the plan */
    /* Imports are asked of "read" (NULL: of nobody), then looked for in the folders, in their
     * order; an import with an absolute path is asked of "read" alone.  Two names are one text when
     * they are equal without their "." and "..". */
    tcpc_read *read;
    void *user; /* handed to "read" */
    const char *const *folder;
    size_t nfolders;
};

/* -- what comes out ---------------------------------------------------------------------------- */

enum tcpc_status {
    TCPC_OK,
    TCPC_WRONG,      /* the plan is wrong, or an import cannot be read: messages say why */
    TCPC_BAD_OPTION, /* an option is wrong: a message says which */
    TCPC_NO_MEMORY,  /* there is no result */
    TCPC_BUG         /* the compiler is broken: the only message says where */
};

enum tcpc_severity { TCPC_ERROR, TCPC_WARNING, TCPC_NOTE };

/* A place is in a text: lines and columns from 1 on, columns in bytes, the end after the last one.
 * All are 0, and "file" is NULL, for what is in no text. */
struct tcpc_place {
    const char *file; /* as it is named to tcpc_compile, or by an import */
    int line, column, end_line, end_column;
};

/* An edit that fixes what the message is about: "text" replaces what is there. */
struct tcpc_fixit {
    size_t size;
    struct tcpc_place at;
    const char *text;
};

struct tcpc_message {
    size_t size;
    enum tcpc_severity severity; /* a warning that -Werror makes an error is TCPC_ERROR */
    struct tcpc_place at;
    const char *text;
    const char *warning; /* the name in -WNAME, or NULL */
    const char *page;    /* `tcpc --explain=PAGE` says more; or NULL */
    const struct tcpc_message *const *note;
    size_t nnotes; /* notes have none */
    const struct tcpc_fixit *const *fixit;
    size_t nfixits; /* the edits of one message or note belong together */
};

struct tcpc_result {
    size_t size;
    enum tcpc_status status;
    struct tcpc_text output; /* what was asked for; empty, and never NULL, unless TCPC_OK */
    const struct tcpc_message *const *message; /* by file, line and column; warnings when TCPC_OK */
    size_t nmessages;
    size_t nerrors, nwarnings; /* all of them, beyond "error_limit" too */
    /* One for each name of a kernel, when TCPC_OK and for what is made of Kernel IR: CUDA, header,
     * kernel, device.  tcpc_launch_keep makes one outlive the result. */
    const struct tcpc_launch *const *launch;
    size_t nlaunches;
    const char *const *file; /* names of the texts that were read, the plan's own first */
    size_t nfiles;
};

/* Compiles the "size" bytes at "text", a plan that is called "name" in messages and in what is
 * emitted.  "options": NULL for the defaults.  "*out" becomes the result, which is the caller's to
 * free with tcpc_free and holds all that it points to; NULL with TCPC_NO_MEMORY.  Returns its
 * status. */
TCPC_API enum tcpc_status tcpc_compile(const char *name, const char *text, size_t size,
                                       const struct tcpc_options *options,
                                       struct tcpc_result **out);

/* Frees a result; NULL is allowed. */
TCPC_API void tcpc_free(struct tcpc_result *r);

/* "MAJOR.MINOR.PATCH" */
TCPC_API const char *tcpc_version(void);

#ifdef __cplusplus
}
#endif

#endif
