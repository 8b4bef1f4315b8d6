// The slips that are rows and stand in one place: where '->' or '=' was expected, at an unknown word, at a '[' and at a '<'.
#include "syntax/slips.h"

#define BUFFER "tensor shared frag"
#define SQUARE "'[' is not part of the language; "
#define CUTE   "'$#' is C++ of CuTe; here it is '"

const struct slip_row slip_at_copy[] = {
    {"copy", "", "@ copy <$ ( TYPE ~ ) ~ $> ^ NAME",
     "a copy converts by itself, to the element type of its destination; there is no cast", " ",
     THEN_REST},
    {"copy", "", "@ copy <# NAME1 #> ^ PLAIN -> PLAIN $$ ;",
     "how a copy is done comes last: 'copy A -> B with $1;'", " | with $1", THEN_REST},
    {"copy", "", "@ copy <# < NAME1 > #> ^ PLAIN -> PLAIN $$ ;",
     "how a copy is done comes last: 'copy A -> B with $1;'", " | with $1", THEN_REST},
    {"copy", "", "@ copy <~ NAME1 ~> ^ NAME ANY -> ANY ;",
     "how a copy is done comes last: 'copy A -> B with $1;'", NULL, THEN_REST},
    {"copy", "", "@ copy <~ < NAME1 > ~> ^ NAME ANY -> ANY ;",
     "how a copy is done comes last: 'copy A -> B with $1;'", NULL, THEN_REST},
    {"copy", "", "@ $ copy EXPR1 ^ ~ with ~ EXPR2 -> PLAIN3 $ ;",
     "how a copy is done comes last: 'copy $1 -> $3 with $2'", "copy $1 -> $3 with $2", THEN_PAST},
    {"copy", "", "@ # copy EXPR1 ^ , EXPR2 , EXPR3 # ;", "a copy is 'copy $2 -> $3 with $1'",
     "copy $2 -> $3 with $1", THEN_PAST},
    {"copy", "", "@ $ copy EXPR1 ^ ~ = ~ PLAIN2 4:with|by ANY3 $ ;",
     "the source of a copy comes first: 'copy $2 -> $1 $4 $3'", "copy $2 -> $1 $4 $3", THEN_PAST},
    {"copy", "", "@ $ copy EXPR1 ^ ~ = ~ PLAIN2 $ ;",
     "the source of a copy comes first: 'copy $2 -> $1'", "copy $2 -> $1", THEN_PAST},
};
const int slip_n_copy = sizeof slip_at_copy / sizeof *slip_at_copy;

const struct slip_row slip_at_equals[] = {
    {"copy", "", "by # map ^ = #", "after 'by' comes the index map itself, without 'map='", ""},
    {"", "==", "^ # = #", "'=' does not compare; write '=='", "=="},
    {"", "=", "^ # == #", "'==' compares; a value is given by '='", "="},
};
const int slip_n_equals = sizeof slip_at_equals / sizeof *slip_at_equals;

const struct slip_row slip_at_statement[] = {
    {"", "", "@ ~ VECTOR2 ~ ^ NAME1 =",
     "what a thread holds is a fragment: 'frag $1 : $t2 like tc; copy A -> $1 with tc;'", NULL,
     THEN_STATEMENT},
    {"", "", "@ # FOREIGN|bool # ^ NAME1 =", "a 'let' has no type: 'let $1 = ..;'", "let"},
    {"", "", "@ ~ FOREIGN2 ~ ^ NAME1 [",
     "registers of a thread are 'frag $1 : $t2 (8);', shared memory is 'shared $1 : $t2 (8);'",
     NULL, THEN_STATEMENT},
    {"", "", "@ TENSOR1 ^ = NUM2 ;|EOL",
     "'fill s = $2;' writes a number to shared memory or a fragment; '$1' is written by a copy"},
    {"", "", "@ TENSOR1 ^ = REST2 ;|EOL",
     "a tensor is written by a copy: 'copy $2 -> $1 with ..;'"},
    {"", "", "@ ~ NAME ^ ( LIST ) ~ =",
     "elements are written by a copy: 'copy SOURCE -> $~ with TILED_COPY;'", NULL, THEN_STATEMENT},
    {"", "", "@ ~ NAME1 ~ ^ = load (",
     "what a thread holds is a fragment: 'frag $1 : f32 like tc; copy A -> $1 with tc;'"},
    {"", "", "@ ~ NAME1 ~ ^ = tl . load (",
     "what a thread holds is a fragment: 'frag $1 : f32 like tc; copy A -> $1 with tc;'"},
    {"", "", "@ ~ NAME1 ~ ^ = ANY NAME1",
     "a value cannot change; give the new value another name with 'let'"},
    {"", "", "@ ~ LET ~ ^ =", "a value cannot change; give the new value another name with 'let'"},
    {"", "", "@ $ ~ BUFFER1 ~ ^ = copy PLAIN2 4:with|by PLAIN3 $ ;",
     "a copy is 'copy $2 -> $1 $4 $3'", "copy $2 -> $1 $4 $3", THEN_PAST},
    {"", "", "@ $ ~ BUFFER1 ~ ^ = copy PLAIN2 $ ;", "a copy is 'copy $2 -> $1'", "copy $2 -> $1",
     THEN_PAST},
    {"", "", "@ NAME1 <$ ^ ~ = ~ $ copy", "a label ends with ':': '$1: copy'", ":", THEN_REST},
    {"", "", "@ $ $ ~ BUFFER1 ~ ^ = NUM ;", "a buffer is filled by 'fill $1 = ..;'", "fill "},
    {"", "", "@ ~ BUFFER1 ~ ^ =", "a buffer is filled by 'fill $1 = ..;'"},
    {"", "", "@ $ $ ~ NAME1 ~ ^ =", "a value is named by 'let': 'let $1 = ..;'", "let "},
};
const int slip_n_statement = sizeof slip_at_statement / sizeof *slip_at_statement;

const struct slip_row slip_at_declaration[] = {
    {"", "", "^ FOREIGN2 * NAME1",
     "there are no pointers; a tensor is 'tensor $1 : $t2 global row(64,64);'", NULL, THEN_REST},
    {"", "", "$ ^ ~ 1:static|inline ~ $> kernel|device|const|layout",
     "write a declaration without '$1'", "", THEN_STOP},
    {"", "", "^ using|auto namespace", "a plan has no namespaces", NULL, THEN_REST},
    {"", "", "^ # using|auto # NAME1 = Layout|make_layout|ComposedLayout",
     "a layout is declared by 'layout $1 = ..;'", "layout"},
};
const int slip_n_declaration = sizeof slip_at_declaration / sizeof *slip_at_declaration;

const struct slip_row slip_at_unknown[] = {
    {"", "", "^ TYPE2 NAME1 [", "a tensor is declared: 'tensor $1 : $t2 global row(64,64);'", NULL,
     THEN_STATEMENT},
    {"", "", "^ FOREIGN1 NAME ;",
     "unknown declaration '$1'; a size is 'const N = 64;', or 'param N : index;' where it is known "
     "only at run time"},
    {"", "", "$ $ ^ NAME1 = ANY make_layout (",
     "unknown declaration '$1'; a layout is 'layout $1 = ..;'", "layout "},
    {"", "", "^ NAME1 = MODULE .",
     "unknown declaration '$1'; a tensor is 'tensor $1 : f32 global row(64,64);', and in a kernel "
     "'fill s = 0;' writes to shared memory and fragments"},
    {"", "", "^ # FOREIGN1 # NAME =",
     "unknown declaration '$1'; a constant is 'const NAME = VALUE;'", "const"},
    {"", "", "$ $ ^ NAME1 =", "unknown declaration '$1'; a constant is 'const NAME = VALUE;'",
     "const "},
};
const int slip_n_unknown = sizeof slip_at_unknown / sizeof *slip_at_unknown;

const struct slip_row slip_at_attribute[] = {
    {"", "", "^ # [ [ maybe_unused ] ] #",
     "there are no attributes; 'allow \"NAME\"' silences a warning", "allow \"unused\"", THEN_PAST},
    {"", "", "^ ~ [ [ LIST ] ] ~", "there are no attributes; 'allow \"NAME\"' silences a warning",
     NULL, THEN_PAST},
};
const int slip_n_attribute = sizeof slip_at_attribute / sizeof *slip_at_attribute;

const struct slip_row slip_at_square[] = {
    {"", "", "Sw ^ # [ LIST1 ] #", SQUARE "a swizzle is 'Sw<$1>'", "<$1>", THEN_PAST},
    {"", "", "# mode = ^ [ INT1 ] #", SQUARE "a mode is a number, '$1'", "$1", THEN_PAST},
    {"", "", "in ^ # [ EXPR1 , EXPR2 ] #", SQUARE "a range is 'in $1 .. $2'", "$1 .. $2",
     THEN_PAST},
    {"", "", "in ^ ~ [ LIST ] ~", SQUARE "a range is 'in 1 .. 100'", NULL, THEN_PAST},
    {"", "", "block ^ # [ 0 ] #", SQUARE "this axis is 'block.x'", ".x", THEN_PAST},
    {"", "", "block ^ # [ 1 ] #", SQUARE "this axis is 'block.y'", ".y", THEN_PAST},
    {"", "", "block ^ # [ 2 ] #", SQUARE "this axis is 'block.z'", ".z", THEN_PAST},
    {"", "", "block ^ ~ [ LIST ] ~",
     SQUARE "the axes of 'block' are 'block.x', 'block.y' and 'block.z'", NULL, THEN_PAST},
    {"", "", "$ NAME1 . shape ^ ~ [ INT2 ] ~ $", SQUARE "this extent is 'size($1, $2)'",
     "size($1, $2)", THEN_PAST},
    {"", "", "@ ~ NAME1 ^ [ LIST ] ~ = NUM2 ;",
     "one statement writes all elements of a buffer: 'fill $1 = $2;'", NULL, THEN_LINE},
    {"", "", "@ ~ NAME1 ^ [ LIST ] ~ = - NUM2 ;",
     "one statement writes all elements of a buffer: 'fill $1 = -$2;'", NULL, THEN_LINE},
    {"", "", "@ ~ NAME1 ^ [ LIST ] ~ = NAME2 [|(|< LIST ]|)|> ;",
     "one copy writes the elements of all threads: 'copy $2 -> $1 with TILED_COPY;'", NULL,
     THEN_LINE},
    {"", "", "@ ~ NAME1 ^ [ LIST ] ~ = ANY ;",
     "one copy writes the elements of all threads: 'copy SOURCE -> $1 with TILED_COPY;'", NULL,
     THEN_LINE},
    {"shared", "", "@ shared NAME ^ # [ EXPR1 ] # : WORD (|row|col|Sw REST $$ ;",
     SQUARE "the slots of a buffer are 'stages $1'", "| stages $1", THEN_MARKED},
    {"shared frag", "", "@ shared|frag NAME ^ # [ EXPR1 ] # : WORD $$",
     SQUARE "the shape comes last: '($1)'", "| ($1)", THEN_MARKED},
    {"shared frag", "", "@ shared|frag NAME ^ # [ EXPR1 ] [ EXPR2 ] # : WORD $$",
     SQUARE "the shape comes last: 'row($1,$2)'", "| row($1,$2)", THEN_MARKED},
    {"shared frag", "", "@ shared|frag NAME ^ # [ EXPR1 ] [ EXPR2 ] [ EXPR3 ] # : WORD $$",
     SQUARE "the shape comes last: 'row($1,$2,$3)'", "| row($1,$2,$3)", THEN_MARKED},
    {"tensor", "", "@ tensor NAME ^ # [ EXPR1 ] # : WORD WORD $$",
     SQUARE "the shape comes last: '($1)'", "| ($1)", THEN_MARKED},
    {"tensor", "", "@ tensor NAME ^ # [ EXPR1 ] [ EXPR2 ] # : WORD WORD $$",
     SQUARE "the shape comes last: 'row($1,$2)'", "| row($1,$2)", THEN_MARKED},
    {"tensor", "", "@ tensor NAME ^ # [ EXPR1 ] [ EXPR2 ] [ EXPR3 ] # : WORD WORD $$",
     SQUARE "the shape comes last: 'row($1,$2,$3)'", "| row($1,$2,$3)", THEN_MARKED},
    {"", "", "= ^ ~ [ LIST ] ( LIST ) EXPR ~",
     "an index map is '(t:128, v:8) -> (t / 16, t % 16 * 8 + v)'", NULL, THEN_PAST},
    {"tensor", "", ": WORD1 ^ # [ LIST2 ] # WORD !( $$",
     SQUARE "the shape comes last: '$1 global ($2)'", "| ($2)", THEN_MARKED},
    {"tensor", "", ": WORD1 ^ # [ EXPR2 ] [ EXPR3 ] # WORD !( $$",
     SQUARE "the shape comes last: '$1 global row($2,$3)'", "| row($2,$3)", THEN_MARKED},
    {"tensor", "", ": WORD1 ^ # [ LIST2 ] # ;", SQUARE "the shape comes last: '$1 global ($2)'",
     " global ($2)", THEN_PAST},
    {"tensor", "", ": WORD1 ^ # [ EXPR2 ] [ EXPR3 ] # ;",
     SQUARE "the shape comes last: '$1 global row($2,$3)'", " global row($2,$3)", THEN_PAST},
    {"tensor", "", ": WORD1 ^ ~ [ LIST2 ] ~ ![", SQUARE "the shape comes last: '$1 global ($2)'",
     NULL, THEN_PAST},
    {"tensor", "", ": WORD1 ^ ~ [ EXPR2 ] [ EXPR3 ] ~",
     SQUARE "the shape comes last: '$1 global row($2,$3)'", NULL, THEN_PAST},
};
const int slip_n_square = sizeof slip_at_square / sizeof *slip_at_square;

const struct slip_row slip_at_brackets[] = {
    {BUFFER, "", "^ # [ EXPR1 ] [ EXPR2 ] [ EXPR3 ] #",
     SQUARE "an array of C is 'row($1,$2,$3)' here", "row($1,$2,$3)", THEN_PAST},
    {BUFFER, "", "^ # [ EXPR1 ] [ EXPR2 ] #", SQUARE "an array of C is 'row($1,$2)' here",
     "row($1,$2)", THEN_PAST},
    {"", "", "^ # [ EXPR1 ] [ EXPR2 ] [ EXPR3 ] #", SQUARE "coordinates are '($1,$2,$3)'",
     "($1,$2,$3)", THEN_PAST},
    {"", "", "^ # [ EXPR1 ] [ EXPR2 ] #", SQUARE "coordinates are '($1,$2)'", "($1,$2)", THEN_PAST},
};
const int slip_n_brackets = sizeof slip_at_brackets / sizeof *slip_at_brackets;

const struct slip_row slip_at_angle[] = {
    {"", "", "^ # swizzle & < INT1 , INT2 , INT3 > # ?WORD ( LIST )",
     "a swizzle goes before the layout, 'Sw<$1,$2,$3> o 0 o LAYOUT'", "Sw<$1,$2,$3> o 0 o",
     THEN_LINE},
    {"", "", "^ # swizzle & < INT1 , INT2 , INT3 > #",
     "a swizzle goes before the layout, 'Sw<$1,$2,$3> o 0 o LAYOUT'", "Sw<$1,$2,$3> o 0 o",
     THEN_PAST},
    {"copy", "", "^ # convert|cast|static_cast|reinterpret_cast & < WORD > & ( EXPR1 ) #",
     "a copy converts by itself, to the element type of its destination; there is no cast", "$1",
     THEN_PAST},
    {"", "", "^ # 1:universal|auto & < INT2 > #",
     "the width of an atom goes in parentheses: '$1($2)'", "$1($2)", THEN_PAST},
};
const int slip_n_angle = sizeof slip_at_angle / sizeof *slip_at_angle;

const struct slip_row slip_at_template[] = {
    {"", "PLAN", "<!;|{|} ^ # 1:append|prepend & < INT2 > & ( LIST3 ) #",
     CUTE "$1_to_rank($3, $2)'", "$1_to_rank($3, $2)", THEN_PAST},
    {"", "PLAN", "<!;|{|} ^ # 1:downcast|upcast & < INT2 > & ( LIST3 ) #", CUTE "$1($3, $2)'",
     "$1($3, $2)", THEN_PAST},
    {"", "PLAN", "<!;|{|} ^ # group|group_modes & < INT1 , INT2 > & ( LIST3 ) #",
     CUTE "group_modes($3, $1, $2)'", "group_modes($3, $1, $2)", THEN_PAST},
    {"", "PLAN", "<!;|{|} ^ # take & < INT1 , INT2 > & ( LIST3 ) #", CUTE "take($3, $1, $2)'",
     "take($3, $1, $2)", THEN_PAST},
    {"", "PLAN", "<!;|{|} ^ # layout|tensor & < INT2 > & ( LIST3 ) #", CUTE "get($3, $2)'",
     "get($3, $2)", THEN_PAST},
    {"", "PLAN", "<!;|{|} ^ # select & < DIGITS1 > & ( LIST2 ) #", CUTE "select($2, ($1))'",
     "select($2, ($1))", THEN_PAST},
    {"", "PLAN", "<!;|{|} ^ # static_cast|reinterpret_cast & < FOREIGN > & ( LIST2 ) #",
     "'$#' is C++; here it is '$2'", "$2", THEN_PAST},
    {"", "PLAN", "<!;|{|} ^ # rank_v & < EXPR1 > # ;|,|)|{", CUTE "rank($1)'", "rank($1)",
     THEN_PAST},
    {"", "PLAN", "<!;|{|} ^ # size_v & < EXPR1 > # ;|,|)|{", CUTE "size($1)'", "size($1)",
     THEN_PAST},
    {"", "PLAN", "<!;|{|} ^ # cosize_v & < EXPR1 > # ;|,|)|{", CUTE "cosize($1)'", "cosize($1)",
     THEN_PAST},
    {"", "PLAN", "<!;|{|} ^ # depth_v & < EXPR1 > # ;|,|)|{", CUTE "depth($1)'", "depth($1)",
     THEN_PAST},
    {"", "PLAN", "<!;|{|} ^ # E & < INT1 > # ;|,|)|{", CUTE "1@$1'", "1@$1", THEN_PAST},
    {"", "PLAN", "<!;|{|} ^ # E & < INT1 , INT2 > # ;|,|)|{", CUTE "1@$2@$1'", "1@$2@$1",
     THEN_PAST},
};
const int slip_n_template = sizeof slip_at_template / sizeof *slip_at_template;
