// The syntax tree: what the source says, before any name is looked up. Each construct of the
// grammar has one node kind, and each node its range in the source. Names are interned, so that
// comparing pointers compares names. Everything lives in the session's arena.
//
// The parser returns a complete tree: it leaves out declarations with a syntax error, no pointer is
// NULL unless it is marked "or NULL", and no expression is deeper than AST_MAX_DEPTH, so that walks
// may recurse.
#ifndef TCPC_SYNTAX_AST_H
#define TCPC_SYNTAX_AST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"
#include "hw/space.h"

struct buf;
struct session;

#define AST_MAX_DEPTH 256

struct ast_ident {
    const char *name;  // interned; NULL where the name is optional and absent
    struct range at;
};

// -- expressions ----------------------------------------------------------------------------------

enum ast_expr_kind {
    E_INT,    // ival
    E_FLOAT,  // fval; text keeps the spelling
    E_NAME,   // name
    E_WILD,   // _
    // (arg, ...); (x) has one element, () none. The parser accepts keyword arguments here.
    E_TUPLE,
    E_TILER,    // <arg, ...>
    E_SWIZZLE,  // Sw<arg[0], arg[1], arg[2]>
    E_CALL,     // lhs(arg, ...); a slice looks the same: L(_, 3)
    E_MEMBER,   // lhs.name
    E_NEG,      // -lhs
    E_BINARY,   // lhs op rhs
    E_LAYOUT,   // lhs : rhs
    E_BASIS,    // lhs @ basis; 8@1@0 is 8 times mode 1 within mode 0
    E_COMPOSE,  // arg[0] o arg[1] o ..., at least two
    E_MAP,      // lhs -> rhs; only as the value of a keyword argument and after "by"
    E_RANGE     // lhs .. rhs, without rhs; only as an argument or an element of a tuple
};

enum ast_op { OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE };

struct ast_expr;

struct ast_arg {
    struct ast_ident key;  // key=value; key.name is NULL for a plain argument
    struct ast_expr *value;
};

struct ast_expr {
    enum ast_expr_kind kind;
    enum ast_op op;  // E_BINARY
    int depth;       // 1 for a leaf
    struct range at;
    // E_MEMBER: the name after the dot; E_BINARY: the operator
    struct range name_at;
    const char *name;  // E_NAME, E_MEMBER
    const char *text;  // E_INT, E_FLOAT: as written (interned)
    int64_t ival;      // E_INT
    int64_t basis;     // E_BASIS
    double fval;       // E_FLOAT
    struct ast_expr *lhs, *rhs;
    struct ast_arg *arg;
    int nargs;
    bool trailing_comma;  // E_TUPLE, E_CALL
};

// -- parts of declarations and statements ---------------------------------------------------------

// "type space shape align": f16 global (M,K):(lda,1) align 16
struct ast_type {
    struct ast_ident elem;  // f16; the names of types are not looked up here
    enum space space;
    struct ast_expr *shape;  // the shape; when "like", the tensor to resemble
    bool like;
    int64_t align;  // 0: none given
    struct range align_at;
    struct ast_arg *over;  // "over (g: m)": which axes of a mesh cut which modes
    int nover;
    struct range over_at;  // empty where it is not written
    struct range at;
};

struct ast_expect {
    struct ast_expr *cond;
    const char *message;  // or NULL
};

struct ast_block;

enum ast_dir { DIR_NONE, DIR_OUT, DIR_INOUT };

// "NAMES : index % 8 in 1 .. 100 where ..", of a param or an argument.
struct ast_param {
    struct ast_ident *name;
    int nnames;
    struct range index_at;  // the word "index"
    int64_t mod;            // promised divisor; 0: none given
    struct range mod_at;
    struct ast_expr *lo, *hi;  // both NULL, or both given; inclusive
    struct ast_expr *where;    // or NULL
};

struct ast_formal {
    enum ast_dir dir;
    bool readonly;
    struct range readonly_at;  // the word 'readonly'
    struct ast_ident name;
    // "A"; "n : index"; "A : f16 shared ..."
    enum { FORMAL_NAME, FORMAL_INDEX, FORMAL_TENSOR } kind;
    struct ast_type type;           // FORMAL_TENSOR
    const struct ast_param *param;  // FORMAL_INDEX
    struct range at;
};

struct ast_fn {
    bool kernel;  // else a device function
    bool async, manual, external;
    struct ast_formal *formal;
    int nformals;
    struct ast_expr *grid, *threads, *when;  // or NULL
    struct ast_block *body;                  // NULL when external
    const char *from;                        // the file; only when external
    struct range head_at;                    // from the first keyword to the closing parenthesis
};

// -- statements -----------------------------------------------------------------------------------

enum ast_stmt_kind {
    S_SHARED,
    S_FRAG,
    S_COPY,
    S_FOR,
    S_PIPELINE,  // "pipeline"; with loop.roles, "roles"
    S_BARRIER,
    S_LET,
    S_CALL,
    S_FILL,
    S_EXPECT,
    S_SYNC,
    S_ARRIVE,
    S_AWAIT,  // "wait" of a barrier
    S_BYTES,  // "expect" of a barrier
    S_FENCE,
    S_COMMIT,
    S_WAIT
};

// nothing written; "with" and TILED_COPY or ATOM; "by" and TV_LAYOUT or MAP
enum ast_how { HOW_AUTO, HOW_WITH, HOW_BY };

struct ast_part {
    bool load;  // else a "use" part
    struct range at;
    struct ast_block *body;
    // of "roles": the name, NULL after an error, and the number of warps
    struct ast_ident role;
    struct ast_expr *warps;
};

// The warnings that a statement or declaration turns off: allow "versioned", "shadow".
struct ast_allow {
    const struct ast_ident *name;
    int n;
    struct range at;  // from 'allow' to the last name; empty when there is no 'allow'
};

struct ast_stmt {
    enum ast_stmt_kind kind;
    struct range at;  // without "allow"
    struct ast_allow allow;
    // S_SHARED S_FRAG S_FOR S_PIPELINE S_BARRIER S_ARRIVE S_AWAIT S_BYTES S_LET S_CALL; S_SYNC, or NULL; S_COPY: the label, NULL if there is none
    struct ast_ident name;
    union {
        struct {
            struct ast_type type;     // "space" is set, "align" is 0
            struct ast_expr *stages;  // S_SHARED; or NULL
            // S_SHARED: the words "swizzle auto", which ask for the cheapest arrangement of
            // "shape"; empty when they are absent
            struct range swizzle_at;
            bool chosen;  // swizzles_choose has put its choice into "shape"
        } buffer;         // S_SHARED, S_FRAG
        struct {
            struct ast_expr *src, *dst;
            enum ast_how how;
            struct ast_expr *with;  // HOW_WITH, HOW_BY (where it may be an E_MAP); else NULL
            struct ast_expr *pad;   // or NULL
        } copy;
        struct {
            struct ast_expr *lo, *hi;
            struct ast_block *body;  // S_FOR
            struct ast_part *part;   // S_PIPELINE
            int nparts;
            struct ast_arg *warps;  // S_PIPELINE: of each role
            int nwarps;
            struct range warps_at;  // empty: it has no roles
            bool roles;             // S_PIPELINE: "roles", whose parts are all named
        } loop;
        struct ast_expr *value;   // S_LET
        struct ast_expr *stages;  // S_BARRIER; or NULL
        struct {
            struct ast_expr *of;     // the step; NULL: of a barrier of the block
            struct ast_expr *bytes;  // S_BYTES
        } named;                     // S_ARRIVE, S_AWAIT, S_BYTES, S_SYNC
        struct {
            struct ast_arg *arg;
            int nargs;
        } call;
        struct {
            struct ast_expr *target, *value;
        } fill;
        struct ast_expect expect;
        int64_t wait;  // S_WAIT: groups that may stay in flight
    };
};

struct ast_block {
    struct range at;  // from { to }
    struct ast_stmt **stmt;
    int nstmts;
};

// -- declarations ---------------------------------------------------------------------------------

enum ast_decl_kind {
    D_TCP,
    D_ARCH,
    D_IMPORT,
    D_CONST,
    D_PARAM,
    D_LAYOUT,
    D_ATOM,
    D_TILED_COPY,
    D_TILED_MMA,
    D_TENSOR,
    D_MESH,
    D_EXPECT,
    D_FN
};

struct ast_decl {
    enum ast_decl_kind kind;
    struct range at;  // without "allow"
    struct ast_allow allow;
    // D_ARCH (sm_90) D_CONST D_LAYOUT D_ATOM D_TILED_COPY D_TILED_MMA D_TENSOR D_FN
    struct ast_ident name;
    union {
        int64_t version;  // D_TCP
        struct {
            const char *path;
            struct range path_at;
        } import;
        struct ast_expr *value;  // D_CONST, D_LAYOUT, D_ATOM, D_TILED_COPY, D_TILED_MMA
        struct ast_param param;
        struct ast_type type;  // D_TENSOR
        struct {
            struct ast_ident *name;  // of its axes
            int nnames;
            struct ast_arg *size;
            int nsizes;
        } mesh;  // D_MESH
        struct ast_expect expect;
        struct ast_fn fn;
    };
};

struct ast_comment {
    struct range at;  // without the newline after a // comment
    bool block;       // /* */
};

struct ast_file {
    int file;  // index into the session's sources
    struct ast_decl **decl;
    int ndecls;
    struct ast_comment *comment;  // in the order of the source
    int ncomments;
    int nerrors;  // syntax errors reported
};

// Whether pipeline "st" has "warps (..)".
static inline bool ast_has_roles(const struct ast_stmt *st) {
    return st->loop.warps_at.begin < st->loop.warps_at.end;
}
// The range "at", extended to the 'allow' in front of it.
struct range ast_whole(struct range at, const struct ast_allow *allow);
// The end of the run of functions with one name that starts at declaration "first": the cases of
// one function. For any other declaration, first + 1.
int ast_cases_end(const struct ast_file *f, int first);

// Whether a function of "f" calls "name".
bool ast_is_called(const struct ast_file *f, const char *name);
// A copy of "b" with all places in source "file", for a call of its function.
struct ast_block *ast_block_again(struct session *s, const struct ast_block *b, int file);

// -- printing -------------------------------------------------------------------------------------

const char *ast_op_text(enum ast_op op);
// The word that begins a declaration with a value: "const".
const char *ast_value_word(enum ast_decl_kind kind);
// "text" as a string of the source, with its quotes.
void ast_print_string(struct buf *b, const char *text);
// The word that begins a statement that names a barrier: "sync".
const char *ast_word(enum ast_stmt_kind kind);
// Prints the expression as source text in canonical spelling, which parses back to the same tree.
void ast_print_expr(struct buf *b, const struct ast_expr *e);
// The same, but writes byte 1 for each blank where the formatter may break the line.
void ast_print_expr_breakable(struct buf *b, const struct ast_expr *e);
const char *ast_expr_text(struct session *s, const struct ast_expr *e);
// Prints the tree for --emit=ast: one node per line, children indented by two.
void ast_dump(struct buf *b, const struct session *s, const struct ast_file *f);
// Whether two expressions are equal apart from places and spelling.
bool ast_expr_equal(const struct ast_expr *a, const struct ast_expr *b);

#endif
