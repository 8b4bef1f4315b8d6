/* The grammar of .tcp, LALR(1) without conflicts.  Actions call constructors (syntax/build.h) and nothing else.

   Comparison is above `o`, so that the elements of `<..>` sit below it; an index map is no expression and comes only
   after `key=` and `by`; soft keywords are names wherever a name can come (see `name`).  Errors are turned into words in
   syntax/expected.c; recovery is at `;`, at `}` and after a block. */
%code requires {
#include "syntax/build.h"
}
%code {
#include "syntax/scan.h"
}

%define api.prefix {tcp_yy}
%define api.token.prefix {TOK_}
%define api.pure full
%define api.location.type {struct range}
%define parse.error custom
%define parse.lac full
%locations
%expect 0
%param {struct parser *p}

%initial-action { @$ = (struct range){(uint32_t)p->file, 0, 0}; }

%code {
static void tcp_yyerror(const struct range *at, struct parser *p, const char *message);
#define YYLLOC_DEFAULT(current, rhs, n) ((current) = build_span(rhs, n))
}

%union {
    struct number num;
    const char *text;
    struct ast_expr *expr;
    struct ast_ident ident;
    struct ast_arg arg;
    struct list list;
    enum ast_op op;
    struct range range;
    enum ast_dir dir;
    struct access access;
    enum space space;
    struct ast_type type;
    struct ast_formal formal;
    struct ast_expect expect;
    struct bounds bounds;
    struct how how;
    struct clauses clauses;
    struct fn_kind kind;
    struct ast_part part;
    struct ast_block *block;
    struct ast_stmt *stmt;
    struct ast_decl *decl;
}

%token START_FILE START_EXPR
%token TCP IMPORT CONST PARAM LAYOUT ATOM TILED_COPY TILED_MMA TENSOR EXPECT KERNEL DEVICE MANUAL EXTERN
%token OUT INOUT GLOBAL SHARED FRAG IN COPY FOR PIPELINE LET WITH BY
%token ARROW DOTDOT EQ NE LE GE O SW
%token <text> LIKE
%token <text> ARCH INDEX WHERE ALIGN GRID THREADS STAGES SWIZZLE PAD LOAD USE FROM FILL ASYNC CALL COMMIT WAIT SYNC WHEN WARPS
%token <text> ROLES BARRIER ARRIVE OF FENCE
%token <text> READONLY ALLOW MESH OVER
%token <text> ID STRING
%token <num> INT FLOAT

%type <ident> name kw label
%type <list> names warnings formals formal_list stmts parts roles tls args arg_list warps
%type <num> mod align
%type <bounds> range
%type <expr> where shape stages pad expr comp add lay mul un post prim
%type <type> buffer tensor_type
%type <ident> type
%type <range> arranged
%type <space> space
%type <expect> expect
%type <decl> decl fn
%type <kind> kind
%type <formal> formal
%type <dir> dir
%type <access> access
%type <clauses> clauses
%type <block> block
%type <stmt> stmt
%type <how> how
%type <part> part role
%type <op> rel
%type <arg> arg

%%

start: START_FILE file | START_EXPR expr { p->expr = $expr; };

file: %empty
    | file decl { build_decl(p, $decl); }
    | file error ';' { yyerrok; }
    | file error block { yyerrok; }
    | file error '}' { yyerrok; }
    ;

decl: TCP INT ';' { $$ = build_tcp(p, @$, $INT); }
    | ARCH ID ';' { $$ = build_arch(p, @$, build_ident($ID, @ID)); }
    | IMPORT STRING ';' { $$ = build_import(p, @$, $STRING, @STRING); }
    | CONST name '=' expr ';' { $$ = build_value(p, @$, D_CONST, $name, $expr); }
    | PARAM names ':' INDEX mod range where ';' { $$ = build_param(p, @$, $names, @INDEX, $mod, $range, $where); }
    | LAYOUT name '=' expr ';' { $$ = build_value(p, @$, D_LAYOUT, $name, $expr); }
    | ATOM name '=' expr ';' { $$ = build_value(p, @$, D_ATOM, $name, $expr); }
    | TILED_COPY name '=' expr ';' { $$ = build_value(p, @$, D_TILED_COPY, $name, $expr); }
    | TILED_MMA name '=' expr ';' { $$ = build_value(p, @$, D_TILED_MMA, $name, $expr); }
    | TENSOR name ':' tensor_type ';' { $$ = build_tensor(p, @$, $name, $tensor_type); }
    | MESH name '(' args ')' ';' { $$ = build_mesh(p, @$, build_names(p, (struct list){0}, $name), $args); }
    | MESH '(' names ')' '(' args ')' ';' { $$ = build_mesh(p, @$, $names, $args); }
    | expect { $$ = build_expect_decl(p, @$, $expect); }
    | fn
    | EXTERN DEVICE name '(' formals ')' FROM STRING ';'
      { $$ = build_extern(p, @$, range_join(@EXTERN, @6), $name, $formals, $STRING); }
    | ALLOW warnings decl[of] { $$ = build_allow_decl(p, range_join(@ALLOW, @warnings), $warnings, $of); }
    ;
warnings: STRING { $$ = build_names(p, (struct list){0}, build_ident($STRING, @STRING)); }
    | warnings ',' STRING { $$ = build_names(p, $1, build_ident($STRING, @STRING)); }
    ;

expect: EXPECT expr ';' { $$ = (struct ast_expect){$expr, NULL}; }
    | EXPECT expr ',' STRING ';' { $$ = (struct ast_expect){$expr, $STRING}; }
    ;

names: name { $$ = build_names(p, (struct list){0}, $name); }
    | names ',' name { $$ = build_names(p, $1, $name); }
    ;
mod: %empty { $$ = (struct number){0}; }
    | '%' INT { $$ = build_positive(p, $INT, "a promised divisor"); }
    ;
range: %empty { $$ = (struct bounds){0}; }
    | IN expr[lo] DOTDOT expr[hi] { $$ = (struct bounds){$lo, $hi}; }
    ;
where: %empty { $$ = NULL; }
    | WHERE expr { $$ = $expr; }
    ;

tensor_type: type space shape align { $$ = build_type(@$, $type, $space, $shape, false, $align); }
    | type space shape OVER '(' args ')' align
      { $$ = build_over(build_type(@$, $type, $space, $shape, false, $align), range_join(@OVER, @7), $args); }
    | type space LIKE expr align { $$ = build_type(@$, $type, $space, $expr, true, $align); }
    ;
type: ID { $$ = build_ident($ID, @ID); };
space: GLOBAL { $$ = MEM_GLOBAL; }
    | SHARED { $$ = MEM_SHARED; }
    | FRAG { $$ = MEM_FRAG; }
    ;
shape: expr;
align: %empty { $$ = (struct number){0}; }
    | ALIGN INT { $$ = build_positive(p, $INT, "an alignment"); }
    ;

fn: kind name '(' formals ')' clauses block
    { $$ = build_fn(p, range_join(@kind, @5), $kind, $name, $formals, $clauses, $block); };
kind: KERNEL { $$ = (struct fn_kind){.kernel = true}; }
    | DEVICE { $$ = (struct fn_kind){0}; }
    | ASYNC DEVICE { $$ = (struct fn_kind){.async = true}; }
    | MANUAL KERNEL { $$ = (struct fn_kind){.kernel = true, .manual = true}; }
    | MANUAL DEVICE { $$ = (struct fn_kind){.manual = true}; }
    ;
formals: %empty { $$ = (struct list){0}; }
    | formal_list
    ;
formal_list: formal { $$ = build_formals(p, (struct list){0}, $formal); }
    | formal_list ',' formal { $$ = build_formals(p, $1, $formal); }
    ;
formal: access name { $$ = build_formal(@$, $access, $name); }
    | access name ':' tensor_type { $$ = build_formal_tensor(@$, $access, $name, $tensor_type); }
    | name { $$ = build_formal(@$, (struct access){0}, $name); }
    | name ':' INDEX mod range where
      { $$ = build_formal_index(p, @$, $name, @INDEX, $mod, $range, $where); }
    | name ':' tensor_type { $$ = build_formal_tensor(@$, (struct access){0}, $name, $tensor_type); }
    ;
access: dir { $$ = (struct access){.dir = $dir}; }
    | READONLY { $$ = (struct access){.readonly = true, .at = @READONLY}; }
    | READONLY dir { $$ = (struct access){.dir = $dir, .readonly = true, .at = @READONLY}; }
    ;
dir: OUT { $$ = DIR_OUT; }
    | INOUT { $$ = DIR_INOUT; }
    ;
clauses: %empty { $$ = (struct clauses){0}; }
    | clauses GRID expr { $$ = build_clause(p, $1, CLAUSE_GRID, @GRID, $expr); }
    | clauses THREADS expr { $$ = build_clause(p, $1, CLAUSE_THREADS, @THREADS, $expr); }
    | clauses WHEN expr { $$ = build_clause(p, $1, CLAUSE_WHEN, @WHEN, $expr); }
    ;

block: '{' stmts '}' { $$ = build_block(p, @$, $stmts); }
    | '{' stmts error '}' { yyerrok; $$ = build_block(p, @$, $stmts); }
    ;
stmts: %empty { $$ = (struct list){0}; }
    | stmts stmt { $$ = build_stmts(p, $1, $stmt); }
    | stmts error ';' { yyerrok; $$ = $1; }
    | stmts error block { yyerrok; $$ = $1; }
    ;
stmt: SHARED name ':' buffer arranged stages ';' { $$ = build_buffer(p, @$, S_SHARED, $name, $buffer, $arranged, $stages); }
    | FRAG name ':' buffer ';' { $$ = build_buffer(p, @$, S_FRAG, $name, $buffer, (struct range){0}, NULL); }
    | label COPY expr[src] ARROW expr[dst] how pad ';' { $$ = build_copy(p, @$, $label, $src, $dst, $how, $pad); }
    | FOR name IN expr[lo] DOTDOT expr[hi] block { $$ = build_loop(p, @$, S_FOR, $name, (struct bounds){$lo, $hi}, $block, (struct list){0}); }
    | PIPELINE name IN expr[lo] DOTDOT expr[hi] warps '{' parts '}'
      { $$ = build_warps(build_loop(p, @$, S_PIPELINE, $name, (struct bounds){$lo, $hi}, NULL, $parts), @warps, $warps); }
    | PIPELINE name IN expr[lo] DOTDOT expr[hi] warps '{' error '}'
      { yyerrok; $$ = build_warps(build_loop(p, @$, S_PIPELINE, $name, (struct bounds){$lo, $hi}, NULL, (struct list){0}), @warps, $warps); }
    | PIPELINE name IN expr[lo] DOTDOT expr[hi] warps '{' parts error '}'
      { yyerrok; $$ = build_warps(build_loop(p, @$, S_PIPELINE, $name, (struct bounds){$lo, $hi}, NULL, $parts), @warps, $warps); }
    | ROLES name IN expr[lo] DOTDOT expr[hi] '{' roles '}'
      { $$ = build_roles(build_loop(p, @$, S_PIPELINE, $name, (struct bounds){$lo, $hi}, NULL, $8)); }
    | ROLES name IN expr[lo] DOTDOT expr[hi] '{' error '}'
      { yyerrok; $$ = build_roles(build_loop(p, @$, S_PIPELINE, $name, (struct bounds){$lo, $hi}, NULL, (struct list){0})); }
    | ROLES name IN expr[lo] DOTDOT expr[hi] '{' roles error '}'
      { yyerrok; $$ = build_roles(build_loop(p, @$, S_PIPELINE, $name, (struct bounds){$lo, $hi}, NULL, $8)); }
    | BARRIER ID stages ';' { $$ = build_barrier(p, @$, build_ident($ID, @ID), $stages); }
    | ARRIVE ID OF expr ';' { $$ = build_named(p, @$, S_ARRIVE, build_ident($ID, @ID), $expr); }
    | SYNC ID OF expr ';' { $$ = build_named(p, @$, S_SYNC, build_ident($ID, @ID), $expr); }
    | WAIT ID OF expr ';' { $$ = build_named(p, @$, S_AWAIT, build_ident($ID, @ID), $expr); }
    | EXPECT ID OF expr[of] ',' expr[bytes] ';' { $$ = build_bytes(build_named(p, @$, S_BYTES, build_ident($ID, @ID), $of), $bytes); }
    | FENCE ';' { $$ = build_plain(p, @$, S_FENCE, 0); }
    | LET name '=' expr ';' { $$ = build_let(p, @$, $name, $expr); }
    | CALL name '(' args ')' ';' { $$ = build_call_stmt(p, @$, $name, $args); }
    | FILL expr[target] '=' expr[value] ';' { $$ = build_fill(p, @$, $target, $value); }
    | expect { $$ = build_expect(p, @$, $expect); }
    | SYNC ';' { $$ = build_plain(p, @$, S_SYNC, 0); }
    | COMMIT ';' { $$ = build_plain(p, @$, S_COMMIT, 0); }
    | WAIT INT ';' { $$ = build_plain(p, @$, S_WAIT, $INT.value); }
    | ALLOW warnings stmt[of] { $$ = build_allow_stmt(p, range_join(@ALLOW, @warnings), $warnings, $of); }
    ;
buffer: type shape { $$ = build_type(@$, $type, MEM_SHARED, $shape, false, (struct number){0}); }
    | type LIKE expr { $$ = build_type(@$, $type, MEM_SHARED, $expr, true, (struct number){0}); }
    ;
label: %empty { $$ = (struct ast_ident){0}; }
    | name ':' { $$ = $name; }
    ;
arranged: %empty { $$ = (struct range){0}; }
    | SWIZZLE ID { $$ = build_swizzle_auto(p, @$, @ID, $ID); }
    ;
stages: %empty { $$ = NULL; }
    | STAGES expr { $$ = $expr; }
    ;
pad: %empty { $$ = NULL; }
    | PAD expr { $$ = $expr; }
    ;
how: %empty { $$ = (struct how){HOW_AUTO, NULL}; }
    | WITH expr { $$ = (struct how){HOW_WITH, $expr}; }
    | BY expr { $$ = (struct how){HOW_BY, $expr}; }
    | BY expr[from] ARROW expr[to] { $$ = (struct how){HOW_BY, build_pair(p, range_join(@from, @to), E_MAP, $from, $to)}; }
    ;
warps: %empty { $$ = (struct list){0}; }
    | WARPS '(' args ')' { $$ = $args; }
    ;
parts: part { $$ = build_parts(p, (struct list){0}, $part); }
    | parts part { $$ = build_parts(p, $1, $part); }
    ;
part: LOAD block { $$ = (struct ast_part){.load = true, .at = @$, .body = $block}; }
    | USE block { $$ = (struct ast_part){.at = @$, .body = $block}; }
    | error block { yyerrok; $$ = (struct ast_part){.at = @$, .body = $block}; }
    ;
roles: role { $$ = build_parts(p, (struct list){0}, $role); }
    | roles role { $$ = build_parts(p, $1, $role); }
    ;
role: name '(' expr ')' block { $$ = (struct ast_part){.at = @$, .body = $block, .role = $name, .warps = $expr}; }
    | error block { yyerrok; $$ = (struct ast_part){.at = @$, .body = $block}; }
    ;

expr: comp
    | comp[lhs] rel comp[rhs] { $$ = build_binary(p, @$, @rel, $rel, $lhs, $rhs); }
    ;
rel: EQ { $$ = OP_EQ; }
    | NE { $$ = OP_NE; }
    | LE { $$ = OP_LE; }
    | GE { $$ = OP_GE; }
    | '<' { $$ = OP_LT; }
    | '>' { $$ = OP_GT; }
    ;
comp: add
    | comp[lhs] O add[rhs] { $$ = build_compose(p, @$, $lhs, $rhs); }
    ;
add: lay
    | add[lhs] '+' lay[rhs] { $$ = build_binary(p, @$, @2, OP_ADD, $lhs, $rhs); }
    | add[lhs] '-' lay[rhs] { $$ = build_binary(p, @$, @2, OP_SUB, $lhs, $rhs); }
    ;
lay: mul
    | mul[shape] ':' mul[stride] { $$ = build_pair(p, @$, E_LAYOUT, $shape, $stride); }
    ;
mul: un
    | mul[lhs] '*' un[rhs] { $$ = build_binary(p, @$, @2, OP_MUL, $lhs, $rhs); }
    | mul[lhs] '/' un[rhs] { $$ = build_binary(p, @$, @2, OP_DIV, $lhs, $rhs); }
    | mul[lhs] '%' un[rhs] { $$ = build_binary(p, @$, @2, OP_MOD, $lhs, $rhs); }
    | mul[coef] '@' INT[mode] { $$ = build_basis(p, @$, $coef, $mode); }
    ;
un: post
    | '-' un[of] { $$ = build_pair(p, @$, E_NEG, $of, NULL); }
    ;
post: prim
    | post[callee] '(' args ')' { $$ = build_call(p, @$, E_CALL, $callee, $args); }
    | post[of] '.' name { $$ = build_member(p, @$, $of, $name); }
    ;
prim: INT { $$ = build_int(p, @$, $INT); }
    | FLOAT { $$ = build_float(p, @$, $FLOAT); }
    | name { $$ = build_name(p, @$, $name); }
    | '_' { $$ = build_wild(p, @$); }
    | '(' args ')' { $$ = build_call(p, @$, E_TUPLE, NULL, $args); }
    | '<' tls '>' { $$ = build_call(p, @$, E_TILER, NULL, $tls); }
    | SW '<' add[b] ',' add[m] ',' add[s] '>' { $$ = build_swizzle(p, @$, $b, $m, $s); }
    ;
tls: comp { $$ = build_args(p, (struct list){0}, build_arg((struct ast_ident){0}, $comp)); }
    | tls ',' comp { $$ = build_args(p, $1, build_arg((struct ast_ident){0}, $comp)); }
    ;
args: %empty { $$ = (struct list){0}; }
    | arg_list
    | arg_list ',' { $$ = $1; $$.trailing_comma = true; }
    ;
arg_list: arg { $$ = build_args(p, (struct list){0}, $arg); }
    | arg_list ',' arg { $$ = build_args(p, $1, $arg); }
    ;
arg: expr { $$ = build_arg((struct ast_ident){0}, $expr); }
    | expr[lo] DOTDOT expr[hi] { $$ = build_arg((struct ast_ident){0}, build_pair(p, @$, E_RANGE, $lo, $hi)); }
    | kw '=' expr { $$ = build_arg($kw, $expr); }
    | kw '=' expr[lo] DOTDOT expr[hi] { $$ = build_arg($kw, build_pair(p, range_join(@lo, @hi), E_RANGE, $lo, $hi)); }
    | kw '=' expr[from] ARROW expr[to]
      { $$ = build_arg($kw, build_pair(p, range_join(@from, @to), E_MAP, $from, $to)); }
    ;
kw: name
    | LIKE { $$ = build_ident($LIKE, @LIKE); }
    ;
name: ID { $$ = build_ident($1, @1); }
    | THREADS { $$ = build_ident($1, @1); }
    | GRID { $$ = build_ident($1, @1); }
    | STAGES { $$ = build_ident($1, @1); }
    | SWIZZLE { $$ = build_ident($1, @1); }
    | LOAD { $$ = build_ident($1, @1); }
    | USE { $$ = build_ident($1, @1); }
    | ALIGN { $$ = build_ident($1, @1); }
    | PAD { $$ = build_ident($1, @1); }
    | WHERE { $$ = build_ident($1, @1); }
    | WHEN { $$ = build_ident($1, @1); }
    | WARPS { $$ = build_ident($1, @1); }
    | ROLES { $$ = build_ident($1, @1); }
    | BARRIER { $$ = build_ident($1, @1); }
    | ARRIVE { $$ = build_ident($1, @1); }
    | OF { $$ = build_ident($1, @1); }
    | FENCE { $$ = build_ident($1, @1); }
    | INDEX { $$ = build_ident($1, @1); }
    | ARCH { $$ = build_ident($1, @1); }
    | FROM { $$ = build_ident($1, @1); }
    | FILL { $$ = build_ident($1, @1); }
    | ASYNC { $$ = build_ident($1, @1); }
    | CALL { $$ = build_ident($1, @1); }
    | COMMIT { $$ = build_ident($1, @1); }
    | WAIT { $$ = build_ident($1, @1); }
    | SYNC { $$ = build_ident($1, @1); }
    | READONLY { $$ = build_ident($1, @1); }
    | ALLOW { $$ = build_ident($1, @1); }
    | MESH { $$ = build_ident($1, @1); }
    | OVER { $$ = build_ident($1, @1); }
    ;

%%

// The token whose symbol is "symbol"; the generated tables go the other way only.
static int token_of(yysymbol_kind_t symbol)
{
    for (int token = 0; token <= TOK_FLOAT; token++)
        if (YYTRANSLATE(token) == symbol) return token;
    return TOK_TCP_YYUNDEF;
}

static int yyreport_syntax_error(const yypcontext_t *context, struct parser *p)
{
    yysymbol_kind_t symbol[YYNTOKENS];
    int expected[YYNTOKENS];
    int n = yypcontext_expected_tokens(context, symbol, YYNTOKENS);
    for (int i = 0; i < n; i++) expected[i] = token_of(symbol[i]);
    expected_report(p, expected, n);
    return 0;
}

// Called when the parser's stack is full, the only error that is not a syntax error.
static void tcp_yyerror(const struct range *at, struct parser *p, const char *message)
{
    (void)message;
    expected_too_deep(p, *at);
}
