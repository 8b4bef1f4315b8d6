// Shared by the folders of sema: the state of a run, and the symbol table.
#ifndef TCPC_SEMA_STATE_H
#define TCPC_SEMA_STATE_H

#include "base/buf.h"
#include "base/session.h"
#include "plan/view.h"
#include "sema/expr/value.h"
#include "sema/sema.h"

// -- symbols --------------------------------------------------------------------------------------
enum { MOST_THREADS = 1024, MOST_LOOPS = 32 };  // in a block; around a statement

enum symbol_kind {
    SYM_CONST,
    SYM_PARAM,
    SYM_LAYOUT,
    SYM_ATOM,
    SYM_TILED,
    SYM_MMA,
    SYM_TENSOR,
    SYM_AXIS,  // of a mesh
    SYM_KERNEL,
    SYM_EXTERN,
    SYM_LET,
    SYM_INDEX,  // an argument of a device function
    SYM_LOOP,
    SYM_MAP,  // a name in an index map
    SYM_BARRIER,
    SYM_BUILTIN  // tid and its like
};

struct symbol {
    const char *name;
    enum symbol_kind kind;
    struct range at;
    int depth;  // 0: top level
    bool used;
    bool imported;             // declared by another file than the main one
    bool hidden;               // a kernel's coordinate hides it, and there was a warning
    struct range shadowed_at;  // where a declaration hides it that there was a warning for
    // also of a tensor: all of it; NULL: see "tensor"
    const struct value *value;
    struct tensor *tensor;
    struct barrier *barrier;          // SYM_BARRIER
    const struct mesh *mesh;          // SYM_AXIS
    const struct function *function;  // SYM_EXTERN; of a device function: its arguments
    const struct ast_fn *fn;          // of a device function that can be called: its text
    const struct ast_param *param;    // SYM_PARAM: its declaration, for fix-its
    struct tensor *asks_of;  // SYM_LET: the tensor whose layout its value depends on; or NULL
    const struct rounded *rounded;  // SYM_LET, SYM_CONST: see rounded_find
    struct indexed_name *indexed;   // its entry in the index of names, or NULL
    struct symbol *outer;           // the symbol that this one hides, or NULL
    struct symbol *prev;            // the symbol declared before this one
};

struct label {
    const char *name;
    struct range at;
    const struct kernel *kernel;
    const struct inlining *call;  // the call whose statement it labels; or NULL
    struct copy *copy;
    struct indexed_name *indexed;  // its entry in the index of names, or NULL
    struct label *next;
};

struct import {
    const char *real;  // resolved path
    bool open;         // being read: importing it again is a cycle
    struct range at;
    struct import *next;
};

// A tile(...) expression of a kernel that was evaluated before the body, to find the number of
// threads.
struct memo {
    const struct ast_expr *e;
    const struct value *value;
    struct memo *next;
};

// A tiled copy whose values were reported as too few.
struct refusal {
    struct range at;
    struct refusal *next;
};

// What an unknown name probably is, for the note that says how to declare it.
struct sought {
    bool sizes;           // each one is a number
    struct range tensor;  // where it is used as a tensor
    struct range formal;  // where it is used as an argument
    struct range how;     // where it is used as a tiled copy or an atom
};

// The part of a pipeline that is being checked.
struct pipe_part {
    const struct pipeline *pipe;
    const struct ix_var *slot;  // NULL: there is one slot
    struct pipe_part *outer;
};

// The role of a manual kernel that is being checked, the variable of its steps, and how many loops are
// around its statements.
struct manual_role {
    const char *name;
    const struct ix_var *step;
    int loops;
};

// A call of a device function whose statements are being checked.
struct inlining {
    const struct symbol *callee;
    int floor;  // the depth of the caller's names, which its statements do not see
    const struct inlining *outer;
};

// A kernel or function of an imported file, which only names it.
struct imported_fn {
    struct ast_ident name;
    const struct imported_fn *next;
};

// A file whose declarations were checked.
struct checked_file {
    const struct ast_file *of;
    const struct checked_file *next;
};

// A file with an import that is being read.
struct importer {
    const struct ast_file *file;
    const struct importer *outer;
};

struct sema {
    const struct checked_file *files;  // if results are kept; the last one is first
    const struct imported_fn *imported_fns;
    struct session *s;
    struct lay_ctx *lay;
    struct plan *plan;
    struct symbol **slot;  // hash table by name
    uint32_t cap, used;
    struct symbol *last;
    int depth;
    int errors_before;  // number of errors when sema began
    struct import *imports;
    const struct importer *importers;    // of the file being checked; the last one is first
    const struct ast_file *file;         // the one being checked
    bool imported;                       // it is not the main file
    const struct ast_fn *list;           // whose indexes are declared; NULL: none
    const struct ast_ident **declared;   // names declared in file "declared_of", sorted
    const struct ast_file *declared_of;  // NULL: not collected yet
    int ndeclared;
    int64_t steps;  // steps for all tiles so far
    struct sought sought;
    bool of_strides;    // strides are being converted, which may be negative
    bool may_be_empty;  // extents of the layout being evaluated may be the number 0
    struct shadowed_call *shadowed_calls;  // shadowed.c
    int nshadowed_calls;
    int compared;                  // how many names were compared with unknown ones
    bool *define_used;             // by index into options.defines
    const struct define **define;  // sorted by name (session_defines)
    struct range asks;             // the `expect` or `let` being checked; end 0: none
    struct tensor *asks_of;  // the tensor with `swizzle auto` whose layout it has read; or NULL
    struct label *labels;
    struct expectation **expect_end;
    struct kernel **kernel_end, **device_end;
    struct kernel *open_case;  // the kernel above, if it expects further cases; or NULL
    const char *lacks_formal;  // the last kernel of which an argument was refused; or NULL
    int nlocals;               // tensors of kernels so far
    struct param **param;
    struct tensor **tensor;
    struct tiled_copy **tiled;
    struct tiled_mma **mma;
    struct relation **relation;
    const struct function **function;
    struct named_layout *layout;
    int cap_layout, cap_param, cap_tensor, cap_tiled, cap_mma, cap_relation, nrelations,
        cap_function;
    int asked_again;  // how often relations were looked at again (multiples.c)
    // in a kernel:
    struct kernel *kernel;
    struct memo *memo;
    struct refusal *refused;
    int cap_local, loops;
    bool boxed;                      // it copies boxes of a tensor map
    const struct kernel_text *text;  // .. that is being checked
    int first_own;                   // index of the first of its own params
    int number;                      // of its mesh with a number of devices (mesh.number)
    struct pipe_part *part;          // the innermost part of a pipeline
    const struct manual_role *role;  // or NULL
    const struct inlining *call;     // or NULL
    int inlined;                     // statements of called functions
    // outside of a plan:
    bool alone;
    const struct calc_options *options;  // or NULL
    int nested;                          // depth of calls around the one being evaluated
};

// Reports an error at "at" and returns the value for an erroneous expression.
#define FAIL(c, at, ...) (diag_error((c)->s, (at), __VA_ARGS__), &value_none)
// Reports a feature of the language that this compiler does not support yet.
void sema_not_yet(struct sema *c, struct range at, const char *what);
const struct value *sema_not_yet_value(struct sema *c, struct range at, const char *what);
// Reports the layout library's error in "what".
void sema_lay_error(struct sema *c, struct range at, const char *what);
void *sema_grow(struct sema *c, void *array, int n, int *cap, size_t size);
#define GROW(c, array, n, cap) ((array) = sema_grow((c), (array), (n), &(cap), sizeof *(array)))
const char *sema_text(struct sema *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

// scope.c
// uses.c: the index of names, if the session has one
void uses_declare(struct sema *c, struct symbol *sym);
void uses_add(struct sema *c, const struct symbol *sym, struct range at);
void uses_add_label(struct sema *c, struct label *l, struct range at);
// Adds the argument "f" of an extern function, which is no symbol: the tensor "t", or an index.
void uses_add_argument(struct sema *c, const struct ast_formal *f, const struct tensor *t);
// Sets the type of "sym", which is complete.
void uses_type(struct sema *c, const struct symbol *sym);
void uses_finish(struct sema *c);

void scope_init(struct sema *c);
struct symbol *scope_find(struct sema *c, const char *name);
// Records that "sym" is used, by its name at "at".
static inline void scope_use(struct sema *c, struct symbol *sym, struct range at) {
    sym->used = true;
    uses_add(c, sym, at);
}
// Declares "name".  Reports an error and returns NULL if the same scope already has it.
struct symbol *scope_declare(struct sema *c, struct ast_ident name, enum symbol_kind kind,
                             const struct value *value);
// Declares the argument "name" of a called function as "value".
void scope_bind(struct sema *c, struct ast_ident name, enum symbol_kind kind,
                const struct value *value);
void scope_enter(struct sema *c);
void scope_leave(struct sema *c);
// Warns of top-level declarations of the main file that are not used.
void scope_finish(struct sema *c);
// below.c: the declaration of "name" further below "at" in the current file, or NULL.
const struct ast_ident *scope_below(struct sema *c, const char *name, struct range at);
// Whether the current file, or one that imports it, declares "name" at top level, above or below.
bool scope_comes(struct sema *c, const char *name);
const char *symbol_kind_text(enum symbol_kind kind);
// Reports that "name" is unknown, with the nearest known name.
const struct value *scope_unknown(struct sema *c, const char *name, struct range at);
struct label *label_find(struct sema *c, const char *name, struct range at);

#endif
