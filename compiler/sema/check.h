// What the files of sema share: the state of one run, the symbol table, and the functions across
// files.
#ifndef TCPC_SEMA_CHECK_H
#define TCPC_SEMA_CHECK_H

#include "base/buf.h"
#include "base/session.h"
#include "plan/view.h"
#include "sema/sema.h"
#include "sema/value.h"

// -- symbols --------------------------------------------------------------------------------------
enum { MOST_THREADS = 1024, MOST_LOOPS = 32 };  // of a block; around a statement

enum symbol_kind {
    SYM_CONST,
    SYM_PARAM,
    SYM_LAYOUT,
    SYM_ATOM,
    SYM_TILED,
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
    const struct value *value;  // of a tensor too: the whole of it; NULL: see "tensor"
    struct tensor *tensor;
    const struct function *function;  // SYM_EXTERN
    const struct ast_param *param;    // SYM_PARAM: its declaration, for fix-its
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
    int compared;       // names that unknown ones were compared with
    bool *define_used;  // by index into options.defines
    struct label *labels;
    struct expectation **expect_end;
    struct kernel **kernel_end, **device_end;
    int nlocals;  // tensors that kernels own
    struct param **param;
    struct tensor **tensor;
    struct tiled_copy **tiled;
    struct relation **relation;
    const struct function **function;
    struct named_layout *layout;
    int cap_layout, cap_param, cap_tensor, cap_tiled, cap_relation, nrelations, cap_function;
    // in a kernel
    struct kernel *kernel;
    struct memo *memo;
    struct refusal *refused;
    int cap_local, loops;
    struct pipe_part *part;  // of a pipeline, innermost
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

// expr.c
const struct value *eval(struct sema *c, const struct ast_expr *e);
const struct value *eval_name(struct sema *c, const char *name, struct range at);
// Arithmetic and comparison of two integers.
const struct value *eval_int_op(struct sema *c, enum ast_op op, const struct value *a,
                                const struct value *b, const struct ast_expr *e);
bool eval_int64(struct sema *c, const struct ast_expr *e, const char *what, int64_t *out);
// An index expression in which params may stand, and what is known only when running.
const struct ix *eval_ix(struct sema *c, const struct ast_expr *e, const char *what);

// compare.c
const struct value *eval_compare(struct sema *c, enum ast_op op, const struct value *a,
                                 const struct value *b, const struct ast_expr *e);

// builtin.c
struct call {
    const struct ast_expr *e;
    const char *name;
    int n;
    const struct value *const *arg;  // keyword arguments are not among them
};
bool builtin_known(const char *name);
bool builtin_later(const char *name);  // one of the language that is not supported yet
void builtin_names(const char **names, int *n, int cap);  // appends
const struct value *builtin_call(struct sema *c, const char *name, const struct ast_expr *e);

// viewfn.c
struct coord *coord_of_value(struct sema *c, const struct value *v, struct range at);
const struct value *view_call(struct sema *c, const struct call *call);
const struct value *view_filter(struct sema *c, const struct call *call);
const struct value *view_compose(struct sema *c, const struct value *a, const struct value *b,
                                 const struct ast_expr *e);
// Whether "v" can be taken apart; reports when not.
bool view_whole(struct sema *c, const struct view *v, struct range at);
// The number "e" as an element of type "t"; reports "what" and gives NULL when it is none.
const struct constant *constant_of(struct sema *c, const struct ast_expr *e,
                                   const struct elem_type *t, const char *what);
// Whether the layout "f", made of "v", has other coordinates than "v": some lie outside.
bool view_reaches_out(struct sema *c, const struct view *v, struct lay f);
// Marks "made", which is "v" under "f", as reaching beyond the tensor, or beyond "v", where it
// does; "zipped": "f" is ((tile),(rest)).
void view_mark_overhang(struct sema *c, const struct view *v, struct lay f, bool zipped,
                        struct view *made);
// Marks the leaves of "v", divided by "t", that count tiles.
void view_mark_tiles(enum lay_divide_form form, const struct lay_tiler *t, struct view *v);
void warn_layout_tiler(struct sema *c, const struct value *tiler, const struct ast_expr *e,
                       const struct view *v);

// localfn.c
const struct value *view_local_tile(struct sema *c, const struct call *call);
const struct value *view_local_partition(struct sema *c, const struct call *call);
// names.c
// The names of the arguments of "e", NULL when they have none; reports those that are missing or
// there twice and returns false.
bool names_of_args(struct sema *c, const struct ast_expr *e, const char *const **out);
// "v", a tuple or layout, with "n" names for its modes; without them when it has not as many.
const struct value *names_give(struct sema *c, const struct value *v, const char *const *names,
                               int n);
// The coordinate in "v" that "e" gives by name; modes that it does not name stay.
const struct value *names_coord(struct sema *c, const struct view *v, const struct ast_expr *e);
// "v" with the names of "of", a tuple or layout whose modes are those of "v".
const struct value *names_from(struct sema *c, const struct value *v, const struct value *of);
// The names of the modes of what "f", made of the identity of "v", makes of it: a mode that is the
// whole of one named mode has its name.  NULL when none has one.
const char *const *names_derive(struct sema *c, const struct view *v, struct lay f);
// The names of "before" modes that have none, then, with "tiles", of the tiles of the first
// "divided" modes of "v", and of what is left of each mode of "v": the tile of a mode has its name,
// what is left of it where the tile has not.
const char *const *names_divide(struct sema *c, const struct view *v, int divided, bool tiles,
                                int before);
// Where both sides have names, brings the modes of the destination into the order of the source's;
// reports a name that it does not have and returns false.
bool names_match(struct sema *c, struct copy *y);

// partfn.c
const struct value *view_partition(struct sema *c, const struct call *call);
const struct value *view_retile(struct sema *c, const struct call *call);
// viewfn.c: "f"(args) where "f" is a view or a layout.
const struct value *eval_slice(struct sema *c, const struct value *f, const struct ast_expr *e);

// atom.c
bool atom_known(const char *name);
const struct value *atom_call(struct sema *c, const char *name, const struct ast_expr *e);
bool atom_later(const char *name);  // an atom of the language that is not supported yet
// Whether there are atoms 'NAME.PART'; and the error for it with a part that there is not, or none.
bool atom_family(struct sema *c, const char *name);
const struct value *atom_of_family(struct sema *c, const char *name, const char *part,
                                   struct range at);
// The atom that "e" names as 'cp_async.cg', or NULL.
const char *atom_member(struct sema *c, const struct ast_expr *e);
// Whether the copy "y" is one that atom "a" can do, as to spaces and architecture.
bool atom_check_copy(struct sema *c, const struct atom *a, const struct copy *y);

// tile.c
const struct value *tile_call(struct sema *c, const struct ast_expr *e);
// copy .. by "e", a layout of (thread, value) in the whole of what "y" copies, with accesses as
// wide as can be proven.
const struct value *tile_by(struct sema *c, const struct ast_expr *e, const struct copy *y);
// Whether "tc" can move elements of type "elem"; reports at "at" when not.
bool tile_check_elem(struct sema *c, const struct tiled_copy *tc, const struct elem_type *elem,
                     struct range at);

// Whether each element of the tile belongs to one thread and value, or each to equally many
// threads; reports at "at" the first that does not.
bool tile_check_owners(struct sema *c, const struct tiled_copy *tc, struct range at);
// Whether the copy "y" with a tiled copy writes each element once; reports two owners of one.
bool tile_check_writes(struct sema *c, const struct copy *y);

// Whether the layout "l" gives its places the numbers 0 .. size-1, each once; reports "what" at
// "at" when not.
bool tile_check_numbering(struct sema *c, struct lay l, struct range at, const char *what,
                          const char *noun);

// Whether a block and a tile hold the threads and values of "tc"; reports at "e" when not.
bool tile_check_size(struct sema *c, const struct tiled_copy *tc, const struct ast_expr *e);

// tile_sides.c
// Fills in what a thread of "tc", which is otherwise complete, reads and writes; reports at "at".
bool tile_sides(struct sema *c, struct tiled_copy *tc, struct range at);

// map.c
// Fills "tc" from the index map "e"; the tile has the shape "shape", given at "shape_at", or, when
// that is NULL, is what the map fills.  Reports and returns false when there was an error.
bool tile_by_map(struct sema *c, const struct ast_expr *e, const struct lay_tuple *shape,
                 struct range shape_at, struct tiled_copy *tc);
// The threads of the map "e"; reports and returns false when its names or ranges are wrong.
bool map_threads(struct sema *c, const struct ast_expr *e, int64_t *threads);
// map_copy.c
// The tiled copy that copies "y" by the index map "e".
const struct value *map_copy(struct sema *c, const struct ast_expr *e, const struct copy *y);

// prop.c
const struct value *prop_call(struct sema *c, const struct call *call);

// expect.c
void check_expect(struct sema *c, const struct ast_expect *x, struct range at);

// decl.c
void declare_all(struct sema *c, const struct ast_file *f);
bool check_ident_free(struct sema *c, const struct ast_ident *name);

// tensor.c
// The tensor that "t" declares, whose name is "name"; NULL when there was an error.
// Reports what speaks against the word of the 'readonly' formal "f", which is the tensor "t", in
// the list of a device function or of something else.
void check_readonly(struct sema *c, const struct ast_formal *f, bool device,
                    const struct tensor *t);
struct tensor *make_tensor(struct sema *c, struct ast_ident name, const struct ast_type *t,
                           const struct ast_expr *stages);

// kernel.c
void declare_kernel(struct sema *c, const struct ast_decl *d);
// The statements of the body of "up"; NULL: of the kernel's.
struct stmt *check_block(struct sema *c, const struct ast_block *b, struct stmt *up);
struct ix_var *make_var(struct sema *c, enum ix_var_kind kind, const char *name, const char *c_name,
                        struct lay_int lo, struct lay_int end);
// Fills begin, end and var of "loop" from "s"; without var when a bound was wrong.  False when it
// can be no loop.
bool loop_bounds(struct sema *c, const struct ast_stmt *s, struct stmt *loop);
// A further variable "name" with the range of "loop".
struct ix_var *loop_var(struct sema *c, const char *name, const struct stmt *loop);
// Whether a loop at hand may hold a further one; reports at "at" when not.
bool loop_fits(struct sema *c, struct range at);
// The tensor as the kernel at hand sees it: a global one that is among its arguments, its own
// instance of a shared one.
const struct value *kernel_tensor(struct sema *c, struct symbol *sym, struct range at);
// threads.c: sets threads and threads_given of c->kernel.
void kernel_make_threads(struct sema *c, const struct ast_fn *fn);

// pipeline.c
struct stmt *check_pipeline(struct sema *c, const struct ast_stmt *s);
// "v", the whole of a tensor with stages, or the slot that its name stands for in a pipeline.
struct view pipeline_slot(struct sema *c, struct view v, struct range at);

// extern.c
// What "path" names in the file at "from": a relative name counts from that file's folder.
const char *file_beside(struct sema *c, const char *from, const char *path);
void declare_extern(struct sema *c, const struct ast_decl *d);
void check_call(struct sema *c, const struct ast_stmt *s, struct stmt **out);
void check_fill(struct sema *c, const struct ast_stmt *s, struct stmt **out);

// copy.c
void check_copy(struct sema *c, const struct ast_stmt *s, struct stmt **out);

// uses.c
// Fills the params of "k": those on which its body, grid or tensors depend.
void collect_params(struct sema *c, struct kernel *k);
// Takes the tensors that no copy and no call touches from those that "k" owns.
void drop_untouched(struct sema *, struct kernel *k);
void collect_relation(struct sema *c, struct relation *r);

#endif
