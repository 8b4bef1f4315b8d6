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
 * other.  Each needs TCPC_STACK_BYTES of stack.
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
#include "tcpc_lists.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "size" bytes.  In texts of the library a NUL follows, which "size" does not count. */
struct tcpc_text {
    const char *bytes;
    size_t size;
};

enum { TCPC_STACK_BYTES = 256 * 1024 }; /* 110 KB are used, by gcc's release build */

/* -- what is asked for ------------------------------------------------------------------------- */

enum tcpc_emit {
    TCPC_EMIT_CUDA,   /* a .cu file: kernels and launchers */
    TCPC_EMIT_HEADER, /* a .cuh file: device functions, and the launchers' declarations */
    TCPC_EMIT_KERNEL, /* for people: the Kernel IR, */
    TCPC_EMIT_PLAN,   /* the plan with what the passes found, */
    TCPC_EMIT_AST,    /* the syntax tree; their forms change with the compiler */
    /* As CUDA, without launchers; kernels are extern "C".  For NVRTC and the driver's API, with
     * the result's launches. */
    TCPC_EMIT_DEVICE,
    TCPC_EMIT_ALONE /* the same with the headers inside that it uses; for NVRTC only */
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
    struct tcpc_canceller *canceller; /* NULL: the call cannot be cancelled */
    int64_t most_milliseconds;        /* that the call may take; 0: any */
    int names;                        /* not 0: the result has the names of the plan */
    struct tcpc_cache *cache;         /* NULL: nothing is kept for later calls */
};

/* What calls keep for later ones that have the same cache: what was proven and tested, by all that it
 * depends on.  A kernel that did not change, and that uses nothing that did, is not proven again, whatever
 * else changed in the plan.  Results are the same, byte for byte, as without a cache.  It is in memory
 * alone, of about "most_bytes" (0: 64 MiB; at least 64 KiB), and drops first what was not used for longest.
 * Calls in any threads may have it at the same time.  It belongs to the caller, and is freed when no call has
 * it any more.  NULL: no memory. */
struct tcpc_cache;
TCPC_API struct tcpc_cache *tcpc_cache_new(size_t most_bytes);
TCPC_API size_t tcpc_cache_bytes(struct tcpc_cache *c); /* that it has now */
TCPC_API void tcpc_cache_free(struct tcpc_cache *c);

/* Cancels calls: all that have it as an option, those that come later too.  tcpc_cancel may be called
 * by any thread, and by a signal's handler not; the calls then return TCPC_CANCELLED, in less than 50
 * ms.  It belongs to the caller, and is freed when no call has it any more.  NULL: no memory, or no threads
 * (WebAssembly). */
struct tcpc_canceller;
TCPC_API struct tcpc_canceller *tcpc_canceller_new(void);
TCPC_API void tcpc_cancel(struct tcpc_canceller *c);
TCPC_API void tcpc_canceller_free(struct tcpc_canceller *c);

/* -- what comes out ---------------------------------------------------------------------------- */

enum tcpc_status {
    TCPC_OK,
    TCPC_WRONG,      /* the plan is wrong, or an import cannot be read: messages say why */
    TCPC_BAD_OPTION, /* an option is wrong: a message says which */
    TCPC_NO_MEMORY,  /* there is no result */
    TCPC_BUG,        /* the compiler is broken: the only message says where */
    TCPC_CANCELLED   /* by tcpc_cancel, or the time is used up: the only message says which */
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

/* What the planner took for a kernel that is one copy, or for one of its cases. */
struct tcpc_planned {
    size_t size;
    const char *kernel;  /* its name */
    int number;          /* of the case, from 1 on; 0: there is one only */
    int candidate;       /* the planner's choice: 0 is its best one */
    const char *how;     /* in one line that no other candidate has */
    const char *why;     /* the reasons, in sentences */
    const char *refused; /* the candidates before it that did not compile, and why, a line for each;
                            or NULL */
    int64_t cost;        /* predicted, to compare candidates of one relayout; 0: it is not known */
    const char *text;    /* what the planner wrote: the kernel's declaration */
    /* What any plan reads and writes: bytes of elements, and sectors of 32 bytes; all 0 where params
     * give them, or where it is not known. */
    int64_t least_read, least_written, least_read_sectors, least_written_sectors;
    int share;        /* predicted, in percent of memcpy on one H200; 0: it is not known */
    const char *most; /* what costs most besides the bytes, in words; or NULL */
};

/* What a call with a cache did for a kernel, for one of its cases, or for a device function. */
struct tcpc_work {
    size_t size;
    const char *kernel;
    int number;   /* of the case, from 1 on; 0: there is one only */
    int64_t done; /* questions and tests that were worked on; 0: it was not proven again */
    int64_t kept; /* those that the cache answered */
};

/* What a plan declares, in any of its texts: for editors. */
struct tcpc_name {
    size_t size;
    const char *name;
    const char *kind; /* "tensor", "constant", "param", "layout", "loop variable", "label", .. */
    /* In the notation of plans, "f16 global (64,32):(32,1)", "64", "tile(universal(128), ..)"; of a function
     * its arguments; of a label the elements that are copied; NULL in a wrong plan. */
    const char *type;
    struct tcpc_place at;         /* of the name in its declaration */
    const struct tcpc_place *use; /* of the name, sorted */
    size_t nuses;
};

enum tcpc_event_kind {
    TCPC_EVENT_ACCESS, /* threads copy from "from" to "to", each at its place; a fill has no "from" */
    TCPC_EVENT_REGISTERS, /* "to" are new registers without values */
    TCPC_EVENT_CALL, /* a function gets "from", or writes "to", which begins there: an event for each */
    TCPC_EVENT_ARRIVE, /* threads arrive, such as by a commit, */
    TCPC_EVENT_WAIT    /* or wait, such as at a barrier: "text" says for what */
};

enum tcpc_space {
    TCPC_GLOBAL,
    TCPC_SHARED,
    TCPC_REGISTERS
}; /* registers: each thread has its own */

struct tcpc_place_of { /* one side of an access */
    size_t size;
    const char *buffer; /* its name in the plan; of registers between a load and a store: theirs */
    enum tcpc_space space;
    int element_bits;
    const int64_t
        *at; /* by thread of the event: the first element, counted from the buffer's begin */
    const int64_t *element; /* .. and how far each element of the access is from the first one */
};

/* What the threads of a block do together: all of them do it before the next event begins. */
struct tcpc_event {
    size_t size;
    enum tcpc_event_kind kind;
    struct tcpc_place at; /* of the statement; in the planner's text where that wrote the kernel */
    const char *text;     /* CALL: the function; ARRIVE, WAIT: "barrier", "wait 1"; else NULL */
    const struct tcpc_place_of *from, *to; /* or NULL */
    int bits;                              /* of an access of a thread */
    int asynchronous; /* not 0: its data are there after a wait that completes its group */
    int together; /* not 0: the 32 lanes of a warp make it together, as ldmatrix: which lane gets
                         which element is not told */
    const int64_t *thread; /* the threads that do it, ascending */
    const int64_t *reads;  /* elements that each of them reads; it fills the others */
    size_t nthreads;
};

/* What a block of a launch does. */
struct tcpc_trace {
    size_t size;
    const char *kernel, *symbol; /* the variant that is launched */
    int64_t grid[3], threads;
    const struct tcpc_event *const *event;
    size_t nevents;
    int cut; /* not 0: there is more, beyond "most" */
};

struct tcpc_result {
    size_t size;
    enum tcpc_status status;
    struct tcpc_text output; /* what was asked for; empty, and never NULL, unless TCPC_OK */
    const struct tcpc_message *const *message; /* by file, line and column; warnings when TCPC_OK */
    size_t nmessages;
    size_t nerrors, nwarnings; /* all of them, beyond "error_limit" too */
    /* One for each name of a kernel, when TCPC_OK; none with TCPC_EMIT_PLAN and TCPC_EMIT_AST.
     * tcpc_launch_keep makes one outlive the result. */
    const struct tcpc_launch *const *launch;
    size_t nlaunches;
    const char *const *file; /* names of the texts that were read, the plan's own first */
    size_t nfiles;
    const struct tcpc_planned *const *planned; /* when TCPC_OK; none with TCPC_EMIT_AST */
    size_t nplanned;
    struct tcpc_text plan; /* the text that was compiled */
    /* With the option "names", by file, line and column.  Of a wrong plan they are not complete. */
    const struct tcpc_name *const *name;
    size_t nnames;
    /* With a cache: kernels, then device functions.  When TCPC_OK; none with TCPC_EMIT_AST. */
    const struct tcpc_work *const *work;
    size_t nworks;
    const struct tcpc_trace *trace; /* of tcpc_trace_block; NULL: nothing is launched */
};

/* The name that is declared or used at this place; NULL: none is.  Of several, as where the text of a
 * device function stands for a tensor of each caller, the first. */
TCPC_API const struct tcpc_name *tcpc_name_at(const struct tcpc_result *r, const char *file,
                                              int line, int column);

/* Compiles the "size" bytes at "text", a plan that is called "name" in messages and in what is
 * emitted.  "options": NULL for the defaults.  "*out" becomes the result, which is the caller's to
 * free with tcpc_free and holds all that it points to; NULL with TCPC_NO_MEMORY.  Returns its
 * status. */
TCPC_API enum tcpc_status tcpc_compile(const char *name, const char *text, size_t size,
                                       const struct tcpc_options *options,
                                       struct tcpc_result **out);

/* -- relayouts --------------------------------------------------------------------------------- */

/* An integer of a relayout: a number, or an expression of the relayout's params in the notation of
 * plans, "N" or "2*N + 8". */
struct tcpc_integer {
    int64_t number;   /* if "text" is NULL */
    const char *text; /* or NULL */
};

/* A param: an integer that is known only at the launch. */
struct tcpc_open {
    size_t size;
    const char *name;
    int64_t multiple;    /* of which it promises to be a multiple; 0: of 1 */
    int64_t least, most; /* its range; both 0: 1 .. 2^40 */
    const char *where;   /* a relation that it keeps, "ld >= N"; or NULL */
};

/* The source or the destination of a relayout. */
struct tcpc_side {
    size_t size;
    const char *element;               /* "f16" */
    const struct tcpc_integer *stride; /* of each mode, in elements; NULL: compact, the last mode
                                          is contiguous */
    struct tcpc_integer offset;        /* elements from the pointer to element (0,0,..) */
    int64_t align; /* bytes that the pointer is a multiple of, a power of 2; 0: only the element's,
                      and there may be variants for the addresses at the launch */
};

/* A copy of each element to another place.  With two types each is converted. */
struct tcpc_relayout {
    size_t size;
    const char *name; /* of the kernel; NULL: "relayout" */
    size_t rank;      /* at most 32 */
    const struct tcpc_integer *extent;
    const struct tcpc_side *from, *to;
    const struct tcpc_open *const *open;
    size_t nopen;
    int candidate; /* of the planner's choices, counted from 0; one that is asked for is not replaced
                      by another if it does not compile */
};

/* Plans the relayout, and compiles the plan as tcpc_compile does.  Its only kernel has two tensors,
 * the source and the destination, and the params in the order of "open"; the result's "planned"
 * says what was chosen. */
TCPC_API enum tcpc_status tcpc_compile_relayout(const struct tcpc_relayout *relayout,
                                                const struct tcpc_options *options,
                                                struct tcpc_result **out);

/* -- questions --------------------------------------------------------------------------------- */

/* What the commands of these names print; tcpc_ask says the same, byte for byte. */
enum tcpc_about {
    TCPC_EXPLAIN,     /* what was chosen for each copy, and why */
    TCPC_COUNT,       /* what the profiler would count for each launch */
    TCPC_DRAW,        /* a drawing of what "name" is in the plan */
    TCPC_DRAW_LAYOUT, /* the same where the text is no plan but a layout, as TCPC_EVAL takes it */
    TCPC_EVAL,        /* the value of the expression that the text is */
    TCPC_FORMAT       /* the plan in canonical format */
};

enum tcpc_form {
    TCPC_FORM_TEXT,
    TCPC_FORM_JSON,   /* of EXPLAIN, COUNT, EVAL */
    TCPC_FORM_SOURCE, /* of EXPLAIN: the plan, with every choice written out */
    TCPC_FORM_SVG,    /* of DRAW and DRAW_LAYOUT, */
    TCPC_FORM_TIKZ,
    TCPC_FORM_CUTE, /* of EVAL: in the notation of CuTe, */
    TCPC_FORM_PYCUTE
};

struct tcpc_setting {
    const char *name; /* of a param */
    int64_t value;
};

struct tcpc_question {
    size_t size;
    enum tcpc_about about;
    enum tcpc_form form;
    const char *name;                   /* EXPLAIN, COUNT, DRAW: of what; NULL: of all */
    const char *other;                  /* EXPLAIN: whether kernel "name" is equivalent to this */
    const struct tcpc_setting *setting; /* EXPLAIN, COUNT, DRAW: params that others than small */
    size_t nsettings;                   /* values are wanted for; each once */
    const char *view;                   /* DRAW, DRAW_LAYOUT: NULL is the usual one, */
    const char *type;                   /* .. the type of the elements, */
    int64_t thread;                     /* .. whose path is drawn, */
    int values;                         /* .. not 0: also the numbers of values */
    int steps, table; /* EVAL: also the steps; also the value at each coordinate */
};

/* Answers a question about the plan "text", as the result's output.  Wrong names are TCPC_BAD_OPTION.
 * With TCPC_WRONG there may be an output too: kernels that are not equivalent, counts of the other
 * kernels. */
TCPC_API enum tcpc_status tcpc_ask(const char *name, const char *text, size_t size,
                                   const struct tcpc_options *options,
                                   const struct tcpc_question *question, struct tcpc_result **out);

struct tcpc_block {
    size_t size;
    const char *kernel;                 /* NULL: the first one */
    const struct tcpc_setting *setting; /* params that others than small values are wanted for */
    size_t nsettings;
    int64_t block[3]; /* the block's coordinates; beyond the grid: TCPC_BAD_OPTION */
    size_t most;      /* threads of events that are told, counted in each event, and at least 1; 0:
                         65536 */
};

/* What a block of a kernel of the plan "text" does, by executing its code, as the result's "trace".  The
 * tensors start at multiples of 256 bytes. */
TCPC_API enum tcpc_status tcpc_trace_block(const char *name, const char *text, size_t size,
                                           const struct tcpc_options *options,
                                           const struct tcpc_block *block,
                                           struct tcpc_result **out);

/* Frees a result; NULL is allowed. */
TCPC_API void tcpc_free(struct tcpc_result *r);

/* "MAJOR.MINOR.PATCH" */
TCPC_API const char *tcpc_version(void);

#ifdef __cplusplus
}
#endif

#endif
