// The slips that are rows and stand in one place: where '->' or '=' was expected, at an unknown word, at a '[' and at a '<'.
#include "syntax/slips.h"

#define BUFFER   "tensor shared frag"
#define FUNCTION "kernel device manual async extern"
#define CALL     "!param " FUNCTION
#define VALUE    "layout atom tiled_copy tensor const tiled_mma let shared frag copy fill expect"
#define OPERAND  "1< WORD {* . WORD *} >1"
#define JOINED   "block|L1|L2|cp_async|ldmatrix|stmatrix"
#define SQUARE   "'[' is not part of the language; "
#define CUTE     "'$#' is C++ of CuTe; here it is '"
#define MORE     "{* & .|:: & WORD *}"  // words that are joined to the last one
#define ATOM     "no atom is called '$1'; did you mean '"

// clang-format off
const struct slip_row slip_at_copy[] = {
    {"copy", "", "@ copy <$ ( TYPE ~ ) ~ $> ^ NAME", "a copy converts by itself, to the element type of its destination; there is no cast", " ", THEN_REST},
    {"copy", "", "@ copy <# ?< NAME1 ?> #> ^ PLAIN -> PLAIN $$ ; OR @ copy <~ ?< NAME1 ?> ~> ^ NAME ANY -> ANY ;",
     "how a copy is done comes last: 'copy A -> B with $1;'", " | with $1", THEN_REST},
    {"copy", "", "@ $ copy EXPR1 ^ ~ with ~ EXPR2 -> PLAIN3 $ ;", "how a copy is done comes last: 'copy $1 -> $3 with $2'", "copy $1 -> $3 with $2", THEN_PAST},
    {"copy", "", "@ # copy EXPR1 ^ , EXPR2 , EXPR3 # ;", "a copy is 'copy $2 -> $3 with $1'", "copy $2 -> $3 with $1", THEN_PAST},
    {"copy", "", "@ $ copy EXPR1 ^ ~ = ~ PLAIN2 4:with|by ANY3 $ ;", "the source of a copy comes first: 'copy $2 -> $1 $4 $3'", "copy $2 -> $1 $4 $3",
     THEN_PAST},
    {"copy", "", "@ $ copy EXPR1 ^ ~ = ~ PLAIN2 $ ;", "the source of a copy comes first: 'copy $2 -> $1'", "copy $2 -> $1", THEN_PAST},
    {0},
};

const struct slip_row slip_at_equals[] = {
    {"copy", "", "by # map ^ = #", "after 'by' comes the index map itself, without 'map='", ""},
    {"shared frag", "", "@ shared|frag NAME1 : ANY ^ ~ = EXPR2 ~ ;", "a buffer has no value where it is declared; 'fill $1 = $2;' comes after it", NULL, THEN_REST},
    {"", "==", "^ # = #", "'=' does not compare; write '=='", "=="},
    {"", "=", "^ # == #", "'==' compares; a value is given by '='", "="},
    {0},
};

const struct slip_row slip_at_statement[] = {
    {"", "", "@ ~ VECTOR2 ~ ^ NAME1 =", "what a thread holds is a fragment: 'frag $1 : $t2 like tc; copy A -> $1 with tc;'", NULL, THEN_STATEMENT},
    {"", "", "@ # FOREIGN|bool # ^ NAME1 = OR @ # constexpr|static ^ {* constexpr|const|static *} FOREIGN|auto # NAME1 =",
     "a 'let' has no type: 'let $1 = ..;'", "let"},
    {"", "", "@ ~ FOREIGN2 ~ ^ NAME1 [", "registers of a thread are 'frag $1 : $t2 (8);', shared memory is 'shared $1 : $t2 (8);'", NULL, THEN_STATEMENT},
    {"", "", "@ TENSOR1 ^ = NUM2 ;|EOL", "'fill s = $2;' writes a number to shared memory or a fragment; '$1' is written by a copy"},
    {"", "", "@ ~ NAME ^ = call ~ REST ;", "a function has no value; its outputs are among its arguments: 'call f(A, B);'", NULL, THEN_STATEMENT},
    {"", "", "@ ~ BUFFER1 ^ +|-|*|/ & = ~ REST OR @ ~ TENSOR1 ^ +|-|*|/ & = ~ REST", "a plan copies elements, and does not compute with them; a device function does: 'call f($1, ..);'", NULL,
     THEN_STATEMENT},
    {"", "", "@ ~ NAME1 ^ +|- & +|- ~ OR @ ~ NAME1 ^ +|-|*|/ & = ~ REST", "a value cannot change; name the new one: 'let NAME = $1 + 1;', and a loop counts by itself", NULL,
     THEN_STATEMENT},
    {"", "", "@ TENSOR1 ^ = REST2 ;|EOL", "a tensor is written by a copy: 'copy $2 -> $1 with ..;'"},
    {"", "", "@ ~ NAME ^ ( LIST ) ~ =", "elements are written by a copy: 'copy SOURCE -> $~ with TILED_COPY;'", NULL, THEN_STATEMENT},
    {"", "", "@ ~ NAME1 ~ ^ = {? tl . ?} load (", "what a thread holds is a fragment: 'frag $1 : f32 like tc; copy A -> $1 with tc;'"},
    {"", "", "@ ~ NAME1 ~ ^ = ANY NAME1 OR @ ~ LET ~ ^ =", "a value cannot change; give the new value another name with 'let'"},
    {"", "", "@ $ ~ BUFFER1 ~ ^ = copy PLAIN2 4:with|by PLAIN3 $ ;", "a copy is 'copy $2 -> $1 $4 $3'", "copy $2 -> $1 $4 $3", THEN_PAST},
    {"", "", "@ $ ~ BUFFER1 ~ ^ = copy PLAIN2 $ ;", "a copy is 'copy $2 -> $1'", "copy $2 -> $1", THEN_PAST},
    {"", "", "@ NAME1 <$ ^ ~ = ~ $ copy", "a label ends with ':': '$1: copy'", ":", THEN_REST},
    {"", "", "@ $ $ ~ BUFFER1 ~ ^ = NUM ; OR @ ~ BUFFER1 ~ ^ =", "a buffer is filled by 'fill $1 = ..;'", "fill "},
    {"", "", "@ $ $ ~ NAME1 ~ ^ =", "a value is named by 'let': 'let $1 = ..;'", "let "},
    {"", "", "@ $ $ ~ FUNCTION1 ~ ^ (", "a device function is called by 'call $1(..);'", "call "},
    {"", "", "@ ~ mma ~ ^ (", "a plan copies; 'copy s -> r with tile(ldmatrix.x4, like=operand_A(M));' loads an operand"},
    {"", "", "@ ~ NAME1 ~ ^ (", "unknown statement '$1'; 'call' is for a device function that is declared above"},
    {0},
};

const struct slip_row slip_at_joined[] = {
    {"", "", "@ $ ~ WORD & ^ .|:: {* & WORD & .|:: *} & copy ~ ( EXPR1 , EXPR2 ) $", "there is no '$~' here; write 'copy $1 -> $2'", "copy $1 -> $2", THEN_REST},
    {"", "", "@ $ ~ WORD & ^ .|:: {* & WORD & .|:: *} & copy ~ ( EXPR1 , EXPR2 , EXPR3 ) $", "there is no '$~' here; write 'copy $2 -> $3 with $1'",
     "copy $2 -> $3 with $1", THEN_REST},
    {"", "", "@ # 1< WORD & ^ .|:: {* & WORD & .|:: *} & >1 copy # !(|.|::", "names have no '$1' before them here", "copy", THEN_REST},
    {"", "", "@ ~ WORD & ^ . & copy_to|copy_|copy_from ~", "there is no '$~' here; a copy is 'copy A -> B'"},
    {0},
};

const struct slip_row slip_at_declaration[] = {
    {"", "", "^ FOREIGN2 * NAME1", "there are no pointers; a tensor is 'tensor $1 : $t2 global row(64,64);'", NULL, THEN_REST},
    {"", "", "$ ^ ~ 1:static|inline ~ $> kernel|device|const|layout", "write a declaration without '$1'", "", THEN_STOP},
    {"", "", "^ $ ~ 1:constexpr|static|inline ~ {* constexpr|const|static *} FOREIGN|auto $ NAME =",
     "unknown declaration '$1'; a constant is 'const NAME = VALUE;'", "const"},
    {"", "", "^ using|auto namespace", "a plan has no namespaces", NULL, THEN_REST},
    {"", "", "^ # using|auto # NAME1 = Layout|make_layout|ComposedLayout", "a layout is declared by 'layout $1 = ..;'", "layout"},
    {0},
};

const struct slip_row slip_at_unknown[] = {
    {"", "", "^ TYPE2 NAME1 [", "a tensor is declared: 'tensor $1 : $t2 global row(64,64);'", NULL, THEN_STATEMENT},
    {"", "", "^ FOREIGN1 NAME ;", "unknown declaration '$1'; a size is 'const N = 64;', or 'param N : index;' where it is known only at run time"},
    {"", "", "$ $ ^ NAME1 = ANY make_layout (", "unknown declaration '$1'; a layout is 'layout $1 = ..;'", "layout "},
    {"", "", "^ NAME1 = MODULE .",
     "unknown declaration '$1'; a tensor is 'tensor $1 : f32 global row(64,64);', and in a kernel 'fill s = 0;' writes to shared memory and fragments"},
    {"", "", "^ # FOREIGN1 # NAME =", "unknown declaration '$1'; a constant is 'const NAME = VALUE;'", "const"},
    {"", "", "$ $ ^ NAME1 =", "unknown declaration '$1'; a constant is 'const NAME = VALUE;'", "const "},
    {0},
};

const struct slip_row slip_at_attribute[] = {
    {"", "", "^ # [ [ maybe_unused ] ] # OR ^ ~ [ [ LIST ] ] ~", "there are no attributes; 'allow \"NAME\"' silences a warning", "allow \"unused\"", THEN_PAST},
    {0},
};

const struct slip_row slip_at_square[] = {
    {"", "", "Sw ^ # [ LIST1 ] #", SQUARE "a swizzle is 'Sw<$1>'", "<$1>", THEN_PAST},
    {"", "", "# mode = ^ [ INT1 ] #", SQUARE "a mode is a number, '$1'", "$1", THEN_PAST},
    {"", "", "in ^ # [ EXPR1 , EXPR2 ] #", SQUARE "a range is 'in $1 .. $2'", "$1 .. $2", THEN_PAST},
    {"", "", "in ^ ~ [ LIST ] ~", SQUARE "a range is 'in 1 .. 100'", NULL, THEN_PAST},
    {"", "", "block ^ # [ 1:0|1|2 ] #", SQUARE "this axis is 'block.$x1'", ".$x1", THEN_PAST},
    {"", "", "<!. # {* WORD . *} block_idx ( ) ^ [ 1:0|1|2 ] #", SQUARE "this is 'block.$x1'", "block.$x1", THEN_PAST},
    {"", "", "<!. # {* WORD . *} thread_idx ( ) ^ [ 0 ] #", SQUARE "this is 'tid'", "tid", THEN_PAST},
    {"", "", "block ^ ~ [ LIST ] ~", SQUARE "the axes of 'block' are 'block.x', 'block.y' and 'block.z'", NULL, THEN_PAST},
    {"", "", "$ NAME1 . shape ^ ~ [ INT2 ] ~ $", SQUARE "this extent is 'size($1, $2)'", "size($1, $2)", THEN_PAST},
    {"", "", "@ ~ NAME1 ^ [ LIST ] ~ = 2< ?- NUM >2 ;", "one statement writes all elements of a buffer: 'fill $1 = $2;'", NULL, THEN_LINE},
    {"", "", "@ ~ NAME1 ^ [ LIST ] ~ = NAME2 [|(|< LIST ]|)|> ;", "one copy writes the elements of all threads: 'copy $2 -> $1 with TILED_COPY;'", NULL,
     THEN_LINE},
    {"", "", "@ ~ NAME1 ^ [ LIST ] ~ = ANY ;", "one copy writes the elements of all threads: 'copy SOURCE -> $1 with TILED_COPY;'", NULL, THEN_LINE},
    {"shared", "", "@ shared NAME ^ # [ EXPR1 ] # : WORD (|row|col|Sw REST $$ ;", SQUARE "the slots of a buffer are 'stages $1'", "| stages $1", THEN_MARKED},
    {"shared frag", "", "@ shared|frag NAME ^ # 1< [ EXPR ] {* [ EXPR ] *} >1 # : WORD $$", SQUARE "the shape comes last: '$r1'", "| $r1", THEN_MARKED},
    {"tensor", "", "@ tensor NAME ^ # 1< [ EXPR ] {* [ EXPR ] *} >1 # : WORD WORD $$", SQUARE "the shape comes last: '$r1'", "| $r1", THEN_MARKED},
    {"", "", "= ^ ~ [ LIST ] ( LIST ) EXPR ~", "an index map is '(t:128, v:8) -> (t / 16, t % 16 * 8 + v)'", NULL, THEN_PAST},
    {"tensor", "", ": WORD1 ^ # 2< [ LIST ] {* [ LIST ] *} >2 # global|shared|frag !( $$", SQUARE "the shape comes last: '$1 global $r2'", "| $r2",
     THEN_MARKED},
    {"tensor", "", ": WORD1 ^ # 2< [ LIST ] {* [ LIST ] *} >2 # ; OR : WORD1 ^ ~ 2< [ LIST ] {* [ LIST ] *} >2 ~",
     SQUARE "the shape comes last: '$1 global $r2'", " global $r2", THEN_PAST},
    {0},
};

const struct slip_row slip_at_brackets[] = {
    {BUFFER, "", "^ # 1< [ EXPR ] [ EXPR ] {* [ EXPR ] *} >1 #", SQUARE "an array of C is '$r1' here", "$r1", THEN_PAST},
    {"", "", "^ # 1< [ EXPR ] [ EXPR ] {* [ EXPR ] *} >1 #", SQUARE "coordinates are '($,1)'", "($,1)", THEN_PAST},
    {0},
};

const struct slip_row slip_at_scope[] = {
    {BUFFER, "", ": MODULE & ^ ::", NULL},  // a type of another language
    {"", "", "# MODULE1 & ^ :: #", "names have no '$1::' before them here", ""},
    {"", "", "~ !" JOINED " NAME & ^ :: & HELPED1 ~", "there is no '$~' here; $h1", NULL, THEN_PAST},
    {"", "", "~ !" JOINED " NAME & ^ :: & WORD ~", "there is no '$~' here", NULL, THEN_PAST},
    {0},
};

const struct slip_row slip_at_quote[] = {
    {"", "", "import ^ # ' PATH1 ' #", "strings go in double quotes", "\"$1\"", THEN_PAST},
    {"", "", "<!import|allow|from|, ^ ~ $ “ $ & WORD & $ ” $ ~", "names have no quotes", ""},
    {"", "", "<!import|allow|from|, “ & WORD & ^ ”", NULL},
    {0},
};

const struct slip_row slip_at_bits[] = {
    {"", "", "(|,|=|:|@ " OPERAND " $ ^ ~ '& ~ MASK2 $ ;|,|) OR (|,|=|:|@ " OPERAND " ^ ~ '& ~ MASK2", "there is no '&'; '$1 & $2' is '$1 % $+2'", "% $+2"},
    {"", "", "^ ~ '& ~ MASK2", "there is no '&'; 't & $2' is 't % $+2'"},
    {"", "", "(|,|=|:|@ " OPERAND " $ ^ ~ < < ~ SHIFT2 $ ;|,|) OR (|,|=|:|@ " OPERAND " ^ ~ < < ~ SHIFT2", "there is no '<<'; '$1 << $2' is '$1 * $^2'",
     "* $^2"},
    {"", "", "^ ~ < < ~ SHIFT2", "there is no '<<'; 't << $2' is 't * $^2'"},
    {"", "", "(|,|=|:|@ " OPERAND " $ ^ ~ > > ~ SHIFT2 $ ;|,|) OR (|,|=|:|@ " OPERAND " ^ ~ > > ~ SHIFT2", "there is no '>>'; '$1 >> $2' is '$1 / $^2'",
     "/ $^2"},
    {"", "", "^ ~ > > ~ SHIFT2", "there is no '>>'; 't >> $2' is 't / $^2'"},
    {FUNCTION, "FORMALS", "(|, # NAME1 ^ '& # ,|)", "there are no references; an output is 'out $1'", "out $1", THEN_PAST},
    {"", "", "^ ~ '^ ~", "there is no '^'; there are '+', '-', '*', '/' and '%'"},
    {"", "", "^ ~ 1< <|> <|> >1 ~", "there is no '$1'; there are '*' and '/'"},
    {"", "", "^ ~ < <= ~", "there is no '<<'; there are '*' and '/'"},
    {"", "", "^ ~ * * ~", "there is no '**'; there are '*' and '/'"},
    {"", "", "^ ~ '& ~", "there is no '&'; the low bits are a remainder: 't & 15' is 't % 16'"},
    {0},
};

const struct slip_row slip_at_angle[] = {
    {"", "", "^ # swizzle & < INT1 , INT2 , INT3 > # ?WORD ( LIST )", "a swizzle goes before the layout, 'Sw<$1,$2,$3> o 0 o LAYOUT'", "Sw<$1,$2,$3> o 0 o",
     THEN_LINE},
    {"", "", "^ # swizzle & < INT1 , INT2 , INT3 > #", "a swizzle goes before the layout, 'Sw<$1,$2,$3> o 0 o LAYOUT'", "Sw<$1,$2,$3> o 0 o", THEN_PAST},
    {"copy", "", "^ # convert|cast|static_cast|reinterpret_cast & < WORD > & ( EXPR1 ) #",
     "a copy converts by itself, to the element type of its destination; there is no cast", "$1", THEN_PAST},
    {"", "", "^ # 1:universal|auto & < INT2 > #", "the width of an atom goes in parentheses: '$1($2)'", "$1($2)", THEN_PAST},
    {0},
};

const struct slip_row slip_at_word[] = {
    {"", "", "^ # sw & < 1< INT , ?- INT , ?- INT >1 > #", "a swizzle is 'Sw', with a capital: 'Sw<$1>'", "Sw<$1>", THEN_PAST},
    {"", "", "^ # 'SW|sW|S & < 1< INT , ?- INT , ?- INT >1 > #", "a swizzle is written 'Sw<$1>'", "Sw<$1>", THEN_PAST},
    {"", "PLAN", "^ # {? MODULE . ?} Swizzle|make_swizzle ( 1< INT , ?- INT , ?- INT >1 ) #", "a swizzle is written 'Sw<$1>'", "Sw<$1>", THEN_PAST},
    {"", "PLAN", ". ^ # 1:cg|ca & < INT2 > #", "the width of an atom goes in parentheses: 'cp_async.$1($2)'", "$1($2)", THEN_PAST},
    {"", "PLAN", "<!;|{|} ^ # 1:append|prepend & < INT2 > & ( LIST3 ) #", CUTE "$1_to_rank($3, $2)'", "$1_to_rank($3, $2)", THEN_PAST},
    {"", "PLAN", "<!;|{|} ^ # 1:downcast|upcast & < INT2 > & ( LIST3 ) #", CUTE "$1($3, $2)'", "$1($3, $2)", THEN_PAST},
    {"", "PLAN", "<!;|{|} ^ # group|group_modes & < INT1 , INT2 > & ( LIST3 ) #", CUTE "group_modes($3, $1, $2)'", "group_modes($3, $1, $2)", THEN_PAST},
    {"", "PLAN", "<!;|{|} ^ # take & < INT1 , INT2 > & ( LIST3 ) #", CUTE "take($3, $1, $2)'", "take($3, $1, $2)", THEN_PAST},
    {"", "PLAN", "<!;|{|} ^ # layout|tensor & < INT2 > & ( LIST3 ) #", CUTE "get($3, $2)'", "get($3, $2)", THEN_PAST},
    {"", "PLAN", "<!;|{|} ^ # select & < DIGITS1 > & ( LIST2 ) #", CUTE "select($2, ($1))'", "select($2, ($1))", THEN_PAST},
    {"", "PLAN", "<!;|{|} ^ # static_cast|reinterpret_cast & < FOREIGN > & ( LIST2 ) #", "'$#' is C++; here it is '$2'", "$2", THEN_PAST},
    {"", "PLAN", "<!;|{|} ^ # 1:rank_v|size_v|cosize_v|depth_v & < EXPR2 > # ;|,|)|{", CUTE "$v1($2)'", "$v1($2)", THEN_PAST},
    {"", "PLAN", "<!;|{|} ^ # E & < INT1 > # ;|,|)|{", CUTE "1@$1'", "1@$1", THEN_PAST},
    {"", "PLAN", "<!;|{|} ^ # E & < INT1 , INT2 > # ;|,|)|{", CUTE "1@$2@$1'", "1@$2@$1", THEN_PAST},
    {"", "PLAN", "<!;|{|} ^ ~ UniversalCopy & < LIST > {? & ( LIST ) ?} ~ & ;|,|)|{",
     "'$~' is C++ of CuTe; here an atom has its width in bits: 'universal(128)'", NULL, THEN_PAST},
    {CALL, "PLAN", "<!;|{|} ^ ~ recast & < & FOREIGN1 > {? & ( LIST ) ?} ~ & ;|,|)|{",
     "'$~' is C++ of CuTe; here 'recast(L, FROM, $t1)' has both types, and gives a layout", NULL, THEN_PAST},
    {CALL, "PLAN", "<!;|{|} ^ ~ recast & < & !< TYPES > {? & ( LIST ) ?} ~ & ;|,|)|{",
     "'$~' is C++ of CuTe; here 'recast(L, FROM, TO)' has both types, and gives a layout", NULL, THEN_PAST},
    {CALL, "PLAN", "<!;|{|} ^ ~ WORD1 & < & !< TYPES > {? & ( LIST ) ?} & { & } ~", "'$~' is C++, and nothing is called '$1' here", NULL, THEN_PAST},
    {CALL, "PLAN", "<!;|{|} ^ ~ WORD1 & < & !< TYPES2 > & ( 3< EXPR {* , EXPR *} >3 ) ~",
     "nothing has arguments in '<' and '>' here; they go in parentheses: '$1($3, $2)'", NULL, THEN_PAST},
    {CALL, "PLAN", "<!;|{|} ^ ~ WORD1 & < & !< TYPES2 > {? & ( ) ?} ~ & ;|,|)|{",
     "nothing has arguments in '<' and '>' here; they go in parentheses: '$1($2)'", NULL, THEN_PAST},
    {"", "PLAN", "^ # L2 & .|:: & 1:64B|128B|256B # !.", "the prefetch of an access is 'l2=$i1'", "l2=$i1", THEN_PAST},
    {"", "PLAN", "^ ~ cp|cp_async {* & .|:: & WORD *} & .|:: & bulk {* & .|:: & WORD *} ~",
     "'$~' is no atom; TMA is 'copy A -> s with tma.load', without a tile, on sm_90", NULL, THEN_PAST},
    {"", "PLAN", "<!;|{|} ^ # 1< cp|cp_async " MORE " & .|:: & global|shared|tensor|64B|128B|256B " MORE " >1 {? & ( LIST2 ) ?} #", ATOM "cp_async.$c1($b2$l1)'?",
     "cp_async.$c1($b2$l1)", THEN_PAST},
    {"", "PLAN", "<!;|{|} ^ # 1< 2:ldmatrix|stmatrix " MORE " & .|:: & global|shared|tensor " MORE " >1 #", ATOM "$2.$o1'?", "$2.$o1", THEN_PAST},
    {"", "PLAN", "<!;|{|} ^ # 1< ld|st " MORE " & .|:: & global|shared|tensor " MORE " >1 #", ATOM "$a1'?", "$a1", THEN_PAST},
    {"", "PLAN", "<!;|{|} ^ # {* WORD & .|:: & *} 1:LdMatrix8x8x16bOp|StMatrix8x8x16bOp {? & ( LIST2 ) ?} #", ATOM "$m1.$n2'?", "$m1.$n2", THEN_PAST},
    {"", "PLAN", "^ # 1< WORD {* & . & WORD *} >1 & . & layout {? & ( & ) ?} & . & 2:shape|stride # !.", "a tensor has no part 'layout'; write '$2($1)'",
     "$2($1)", THEN_PAST},
    {"", "PLAN", "^ # 1< WORD {* & . & WORD *} >1 & . & layout {? & ( & ) ?} # !.", "a tensor has no part 'layout'; where a layout is expected, write '$1'",
     "$1", THEN_PAST},
    {VALUE, "", "^ # decltype & ( EXPR1 ) {? & { & } ?} #", "'$#' is C++; here it is '$1'", "$1", THEN_PAST},
    {VALUE, "", "^ # _|Underscore & { & } #", CUTE "_'", "_", THEN_PAST},
    {VALUE, "", "^ # WORD1 & { & } #", "nothing is constructed by '{}' here; write '$1'", "$1", THEN_PAST},
    {0},
};

const struct slip_row slip_at_level[] = {
    {"", "", "^ tensor", "'tensor' is declared at the top level, not in a block|a block has 'shared NAME : TYPE LAYOUT;' and 'frag NAME : TYPE LAYOUT;'"},
    {"", "", "^ $ ~ const ~ FOREIGN $ NAME", "'const' is declared at the top level, not in a block|'let' names a value in a block", "let"},
    {"", "", "^ # 1:const|layout #", "'$1' is declared at the top level, not in a block|'let' names a value in a block", "let"},
    {"", "", "^ WORD1", "'$1' is declared at the top level, not in a block"},
    {0},
};
// clang-format on
