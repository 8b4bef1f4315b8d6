// What the grammar's actions call: constructors of the tree, and the small values that travel up
// the parser's stack. Private to this module and the grammar.
#ifndef TCPC_SYNTAX_BUILD_H
#define TCPC_SYNTAX_BUILD_H

#include "syntax/ast.h"

struct parser;

struct number {
    int64_t value;
    double real;
    const char *text;  // as written
    struct range at;
};

// A growing array in the arena. Its creator knows the type of its items.
struct list {
    void *items;
    int n, cap;
    bool trailing_comma;
};

struct bounds {
    struct ast_expr *lo, *hi;
};

struct how {
    enum ast_how kind;
    struct ast_expr *expr;
};

enum clause { CLAUSE_GRID, CLAUSE_THREADS, CLAUSE_WHEN, CLAUSES };
struct clauses {
    struct ast_expr *of[CLAUSES];  // or NULL
};

// The words before a formal's name.
struct access {
    enum ast_dir dir;
    bool readonly;
    struct range at;  // the word 'readonly'
};

struct fn_kind {
    bool kernel, async, manual;
};

// The range of a rule's "n" symbols, from rhs[1] to rhs[n], without empty ranges at its ends.
struct range build_span(const struct range *rhs, int n);

struct ast_ident build_ident(const char *name, struct range at);
struct ast_arg build_arg(struct ast_ident key, struct ast_expr *value);
struct list build_args(struct parser *p, struct list l, struct ast_arg arg);
struct list build_names(struct parser *p, struct list l, struct ast_ident name);
struct list build_formals(struct parser *p, struct list l, struct ast_formal formal);
struct list build_stmts(struct parser *p, struct list l, struct ast_stmt *stmt);
struct list build_parts(struct parser *p, struct list l, struct ast_part part);

struct ast_expr *build_int(struct parser *p, struct range at, struct number num);
struct ast_expr *build_float(struct parser *p, struct range at, struct number num);
struct ast_expr *build_name(struct parser *p, struct range at, struct ast_ident name);
// A node of two parts, or of one, and a node with arguments: a tuple, a tiler or a call.
struct ast_expr *build_pair(struct parser *p, struct range at, enum ast_expr_kind kind,
                            struct ast_expr *lhs, struct ast_expr *rhs);
struct ast_expr *build_call(struct parser *p, struct range at, enum ast_expr_kind kind,
                            struct ast_expr *lhs, struct list args);
struct ast_expr *build_wild(struct parser *p, struct range at);
struct ast_expr *build_swizzle(struct parser *p, struct range at, struct ast_expr *b,
                               struct ast_expr *m, struct ast_expr *s);
struct ast_expr *build_member(struct parser *p, struct range at, struct ast_expr *of,
                              struct ast_ident name);
struct ast_expr *build_binary(struct parser *p, struct range at, struct range op_at, enum ast_op op,
                              struct ast_expr *lhs, struct ast_expr *rhs);
struct ast_expr *build_basis(struct parser *p, struct range at, struct ast_expr *coef,
                             struct number mode);
// Appends "rhs" to "lhs" if that is a composition without parentheses; else makes a new
// composition.
struct ast_expr *build_compose(struct parser *p, struct range at, struct ast_expr *lhs,
                               struct ast_expr *rhs);

// Returns "num", and reports an error when it is 0. "what" is the subject of the message: "an
// alignment".
struct number build_positive(struct parser *p, struct number num, const char *what);
struct ast_type build_type(struct range at, struct ast_ident elem, enum space space,
                           struct ast_expr *shape, bool like, struct number align);
// Gives "type" its clause "over", at "at".
struct ast_type build_over(struct ast_type type, struct range at, struct list over);
struct ast_formal build_formal(struct range at, struct access access, struct ast_ident name);
struct ast_formal build_formal_index(struct parser *p, struct range at, struct ast_ident name,
                                     struct range index_at, struct number mod, struct bounds bounds,
                                     struct ast_expr *where);
struct ast_formal build_formal_tensor(struct range at, struct access access, struct ast_ident name,
                                      struct ast_type type);
struct clauses build_clause(struct parser *p, struct clauses c, enum clause which, struct range at,
                            struct ast_expr *e);

struct ast_block *build_block(struct parser *p, struct range at, struct list stmts);
struct ast_stmt *build_plain(struct parser *p, struct range at, enum ast_stmt_kind kind,
                             int64_t wait);
struct ast_stmt *build_buffer(struct parser *p, struct range at, enum ast_stmt_kind kind,
                              struct ast_ident name, struct ast_type type, struct range swizzle_at,
                              struct ast_expr *stages);
// Checks "word", the word after "swizzle" at "word_at", which must be "auto". Both words are at
// "at", which is returned.
struct range build_swizzle_auto(struct parser *p, struct range at, struct range word_at,
                                const char *word);
struct ast_stmt *build_copy(struct parser *p, struct range at, struct ast_ident label,
                            struct ast_expr *src, struct ast_expr *dst, struct how how,
                            struct ast_expr *pad);
// A 'for' has a body, a 'pipeline' has parts.
struct ast_stmt *build_loop(struct parser *p, struct range at, enum ast_stmt_kind kind,
                            struct ast_ident name, struct bounds bounds, struct ast_block *body,
                            struct list parts);
// Gives pipeline "st" the roles "warps", written at "at".
struct ast_stmt *build_warps(struct ast_stmt *st, struct range at, struct list warps);
// Makes loop "st" that of "roles".
struct ast_stmt *build_roles(struct ast_stmt *st);
struct ast_stmt *build_barrier(struct parser *p, struct range at, struct ast_ident name,
                               struct ast_expr *stages);
// "arrive", "sync", "wait" or "expect" of barrier "name", of step "of".
struct ast_stmt *build_named(struct parser *p, struct range at, enum ast_stmt_kind kind,
                             struct ast_ident name, struct ast_expr *of);
// Gives the "expect" of a barrier the number of bytes.
struct ast_stmt *build_bytes(struct ast_stmt *st, struct ast_expr *bytes);
struct ast_stmt *build_let(struct parser *p, struct range at, struct ast_ident name,
                           struct ast_expr *value);
struct ast_stmt *build_call_stmt(struct parser *p, struct range at, struct ast_ident name,
                                 struct list args);
struct ast_stmt *build_fill(struct parser *p, struct range at, struct ast_expr *target,
                            struct ast_expr *value);
struct ast_stmt *build_expect(struct parser *p, struct range at, struct ast_expect expect);

// Returns "of" with the warnings "names" of an 'allow' added. The range "at" is that of the 'allow'
// and its names.
struct ast_stmt *build_allow_stmt(struct parser *p, struct range at, struct list names,
                                  struct ast_stmt *of);
struct ast_decl *build_allow_decl(struct parser *p, struct range at, struct list names,
                                  struct ast_decl *of);

void build_decl(struct parser *p, struct ast_decl *d);  // appends "d" to the file
struct ast_decl *build_tcp(struct parser *p, struct range at, struct number version);
struct ast_decl *build_arch(struct parser *p, struct range at, struct ast_ident name);
struct ast_decl *build_import(struct parser *p, struct range at, const char *path,
                              struct range path_at);
struct ast_decl *build_value(struct parser *p, struct range at, enum ast_decl_kind kind,
                             struct ast_ident name, struct ast_expr *value);
struct ast_decl *build_param(struct parser *p, struct range at, struct list names,
                             struct range index_at, struct number mod, struct bounds bounds,
                             struct ast_expr *where);
struct ast_decl *build_mesh(struct parser *p, struct range at, struct list names,
                            struct list sizes);
struct ast_decl *build_tensor(struct parser *p, struct range at, struct ast_ident name,
                              struct ast_type type);
struct ast_decl *build_expect_decl(struct parser *p, struct range at, struct ast_expect expect);
// "head_at": from the kind to the ')'.
struct ast_decl *build_fn(struct parser *p, struct range head_at, struct fn_kind kind,
                          struct ast_ident name, struct list formals, struct clauses clauses,
                          struct ast_block *body);
struct ast_decl *build_extern(struct parser *p, struct range at, struct range head_at,
                              struct ast_ident name, struct list formals, const char *from);

#endif
