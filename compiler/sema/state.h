// What the folders of sema share: the state of one run, and the symbol table.
#ifndef TCPC_SEMA_STATE_H
#define TCPC_SEMA_STATE_H

#include "base/buf.h"
#include "base/session.h"
#include "plan/view.h"
#include "sema/expr/value.h"
#include "sema/sema.h"

// -- symbols --------------------------------------------------------------------------------------
enum { MOST_THREADS = 1024, MOST_LOOPS = 32 };  // of a block; around a statement

enum symbol_kind {
    SYM_CONST,
    SYM_PARAM,
    SYM_LAYOUT,
    SYM_ATOM,
    SYM_TILED,
    SYM_MMA,
    SYM_TENSOR,
    SYM_KERNEL,
    SYM_EXTERN,
    SYM_LET,
    SYM_LOOP,
    SYM_MAP,     // a name of an index map
    SYM_BUILTIN  // tid and its like
};

struct symbol {
    const char *name;
    enum symbol_kind kind;
    struct range at;
    int depth;  // 0: top level
    bool used;
    bool imported;              // declared by another file than the main one
    bool hidden;                // by what a kernel has, which is said
    struct range hidden_at;     // by what is there, which is said
    const struct value *value;  // of a tensor too: the whole of it; NULL: see "tensor"
    struct tensor *tensor;
    const struct function *function;  // SYM_EXTERN
    const struct ast_param *param;    // SYM_PARAM: its declaration, for fix-its
    struct tensor *asks_of;           // SYM_LET: whose layout its value is made of; or NULL
    struct symbol *outer;             // the symbol of that name that this one hides, or NULL
    struct symbol *prev;              // the symbol declared before this one
    uint32_t chain;                   // slot + 1 of the table
};

struct label {
    const char *name;
    struct range at;
    const struct kernel *kernel;
    struct copy *copy;
    struct label *next;
};

struct import {
    const char *real;  // resolved path
    bool open;         // being read: importing it again is a cycle
    struct range at;
    struct import *next;
};

// The tile(...) expressions of a kernel that were evaluated ahead of its body, to know its threads.
struct memo {
    const struct ast_expr *e;
    const struct value *value;
    struct memo *next;
};

// A tiled copy whose values were reported to be too few.
struct refusal {
    struct range at;
    struct refusal *next;
};

// What an unknown name would be, for the note that says how it is declared.
struct sought {
    bool sizes;           // each one a number
    struct range tensor;  // the one that is a tensor here
    struct range formal;  // the one that is an argument here
};

// The part of a pipeline that is being read.
struct pipe_part {
    const struct pipeline *pipe;
    const struct ix_var *slot;  // NULL: there is one
    struct pipe_part *outer;
};

struct sema {
    struct session *s;
    struct lay_ctx *lay;
    struct plan *plan;
    struct symbol **slot;  // hash table by name
    uint32_t cap, used;
    struct symbol *last;
    int depth;
    int errors_before;  // reported when sema began
    struct import *imports;
    const struct ast_file *file;         // the one being read
    bool imported;                       // it is not the main one
    const struct ast_ident **declared;   // in file "declared_of", sorted
    const struct ast_file *declared_of;  // NULL: nothing was looked for yet
    int ndeclared;
    int64_t steps;  // that the tiles up to here have taken
    struct sought sought;
    struct hidden_call *hidden_calls;  // hidden.c
    int nhidden_calls;
    int compared;                  // names that unknown ones were compared with
    bool *define_used;             // by index into options.defines
    const struct define **define;  // the same by name (session_defines)
    struct range asks;             // the `expect` or `let` that is looked at; end 0: none is
    struct tensor *asks_of;        // whose layout it has read, with `swizzle auto`; NULL: none's
    struct label *labels;
    struct expectation **expect_end;
    struct kernel **kernel_end, **device_end;
    struct kernel *open_case;  // the kernel above, which is to have further cases; or NULL
    int nlocals;               // tensors that kernels own
    struct param **param;
    struct tensor **tensor;
    struct tiled_copy **tiled;
    struct tiled_mma **mma;
    struct relation **relation;
    const struct function **function;
    struct named_layout *layout;
    int cap_layout, cap_param, cap_tensor, cap_tiled, cap_mma, cap_relation, nrelations,
        cap_function;
    // in a kernel
    struct kernel *kernel;
    struct memo *memo;
    struct refusal *refused;
    int cap_local, loops;
    struct pipe_part *part;  // of a pipeline, innermost
    // an expression outside of a plan
    bool alone;
    const struct calc_options *options;  // or NULL
    int nested;                          // calls around the one that is evaluated
};

// Reports an error at "at" and gives the value that stands for it.
#define FAIL(c, at, ...) (diag_error((c)->s, (at), __VA_ARGS__), &value_none)
// What the language has and this compiler does not have yet.
void sema_not_yet(struct sema *c, struct range at, const char *what);
const struct value *sema_not_yet_value(struct sema *c, struct range at, const char *what);
// Reports what the layout library said went wrong in "what".
void sema_lay_error(struct sema *c, struct range at, const char *what);
void *sema_grow(struct sema *c, void *array, int n, int *cap, size_t size);
#define GROW(c, array, n, cap) ((array) = sema_grow((c), (array), (n), &(cap), sizeof *(array)))
const char *sema_text(struct sema *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

// scope.c
void scope_init(struct sema *c);
struct symbol *scope_find(struct sema *c, const char *name);
// Declares "name"; when the same scope has it, reports that and returns NULL.
struct symbol *scope_declare(struct sema *c, struct ast_ident name, enum symbol_kind kind,
                             const struct value *value);
void scope_enter(struct sema *c);
void scope_leave(struct sema *c);
// Warns of what is declared at the top of the main file and never named.
void scope_finish(struct sema *c);
const char *symbol_kind_text(enum symbol_kind kind);
// Reports that nothing is called "name", with the nearest name that is.
const struct value *scope_unknown(struct sema *c, const char *name, struct range at);
struct label *label_find(struct sema *c, const char *name, struct range at);

#endif
