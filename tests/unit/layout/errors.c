// What is refused, and in which words: one expression a message, and the limits.  A value that is
// out of reach of the calculator's notation is asked for directly below.
#include "layout/gen.h"
#include "layout/text.h"

static struct lay_ctx ctx;
static struct block block;

static const struct {
    char text[140], message[110];
} cases[] = {
    // composition
    {"composition((4,6,8):(2,3,5), 6:3)",
     "'(4,6,8):(2,3,5)' has no composition with '6:3': '(2,3):(6,3)' would give 3"},
    {"composition((4,6,8):(2,3,5), 6:3)", "; 2:3 is possible"},
    {"composition((8,2):(2,1), 9:4)",
     "which has room for 2 of 9; coordinate 2 has no image; 8:4 is possible"},
    {"composition((8,2):(2,1), 4:12)", "coordinate 1 moves along two modes at once"},
    {"(4,8) o <2,2,2>", "the tiler '<2,2,2>' has more modes than '(4,8):(1,4)'"},
    {"(M,K):(lda,1) o 128:1", "neither divides the other for all values of the symbols"},
    {"((3,N),4):((1,5),7) o ((2,2)):((1,2))",
     "that can be proven: its modes may carry into each other"},
    {"(3,5):(5,1) o (Sw<1,0,1> o 0 o (4,2):(1,4))", "it does not keep the bits together"},
    // divides and products
    {"logical_divide((4,8,2,2,2):(1,4,2,2,1), 9223372036854775807)", "has no composition with"},
    {"zipped_divide((12,(4,8)):(7,(1,30)), 128)", "the nearest tile is 144"},
    {"zipped_divide((12,(4,8)):(7,(1,30)), 128)", "cannot be divided by '128:1'"},
    {"logical_divide(4:1, (4,2))", "the tiler '(4,2)' has more modes than '4:1'"},
    {"logical_divide(64, Sw<1,0,1> o 0 o 8:1)",
     "the swizzled layout 'Sw<1,0,1> o 0 o 8:1' cannot be a tiler"},
    {"blocked_product((5,5):(1,15), (4,2):(2,1))",
     "would give 75 at coordinate 2, where the value"},
    {"logical_product((3):(12), (4):(8))",
     "'(3):(12)' times '(4):(8)' has no result: the copies are in the complement, and '(12,3)"},
    {"logical_product((2,2):(1,4), (2,2):(1,-1))", "the copies would overlap"},
    {"tile_to_shape((4,8), 32)", "'(4,8):(1,4)' has more modes than the shape '32' to tile"},
    {"tile_to_shape((2,4):(4,1), (5,4,1))",
     "'(2,4,1):(4,1,0)' does not tile the shape '(5,4,1)': mode 0, 2 does not divide 5"},
    // complement and inverses
    {"complement((4,2):(1,1))", "overlaps the modes with smaller strides"},
    {"complement((2,2):(2,5), 20)",
     "no complement that fills 20: nothing can reach 4, since the stride of the mode 2:5 is no"},
    {"complement((4,2):(1,10), M)", "that fills M: nothing can reach 8 .. 9, since"},
    {"logical_divide(20:1, (2,2):(2,5))", "has no complement that fills 20"},
    {"complement(4:-1, 8)", "'4:-1' has no complement: the mode 4:-1 has a negative stride"},
    {"complement((4,4):(lda,K), 64)",
     "the complement of '(4,4):(lda,K)' needs the order of its strides"},
    {"complement((4,4):(1,8*lda), M)",
     "the divisor of ceil_div(M,32*lda) must be a number or a const"},
    {"complement((3,4):(1,8*lda), M)",
     "not known to be a multiple of what the modes before it span"},
    {"complement(4:1, 0)", "has no room in '0'"},
    {"left_inverse((2,4):(4,3))", "its stride 3 does not divide the next larger one"},
    {"left_inverse((2,8):(1,-2))", "its stride -2 is negative"},
    {"left_inverse((5,7):(4,1))", "it has the value 4 at coordinate 20 and at 1"},
    {"left_inverse(6:0)", "'6:0' has no left inverse: it has the value 0 at coordinate 0 and at 1"},
    {"left_inverse((4,3):(1,0))", "it has the value 0 at coordinate 0 and at 4"},
    {"left_inverse((4,4):(1,2))", "it has the value 2 at coordinate 2 and at 4"},
    {"left_inverse((M,4):(1,8))",
     "left_inverse needs static layouts, but the extent 'M' is not static"},
    {"left_inverse((4,4):(1,lda))",
     "left_inverse needs static layouts, but the stride 'lda' is not static"},
    {"left_inverse(Sw<1,0,1> o 8 o 8:1)", "has no left inverse: its offset is not 0"},
    {"left_inverse(Sw<2,0,2> o 0 o (8,8):(8,1))",
     "the bits that the swizzle moves do not stay together"},
    // views
    {"right_inverse(3+(8):(1))", "takes a layout that begins at 0, but '3+(8):(1)' begins at 3"},
    {"complement(M+4:1, 8)", "begins at M"},
    {"get_1d_coord(3+(4,4):(1,4), 5)", "'get_1d_coord' takes a layout that begins at 0"},
    {"max_common_vector(4:1, 3+4:1)", "'3+4:1' is a view, not a layout"},
    {"upcast(2, 3+(4,4):(1,4))", "'2' does not divide '3'"},
    {"idx2crd(8, 3+(3,4):(4,1))", "'3+(3,4):(4,1)' is a view, not a layout"},
    {"ceil_div(100, 3+8:1)", "'3+8:1' is a view, not a layout"},
    {"crd2idx((1,1), 3+(4,4):(1@0,1@1))",
     "'(1,1)' is a coordinate; an offset cannot be added to it"},
    {"slice(Sw<2,0,3> o M o (4,6):(1,4), (_,5))", "has an offset that is not static"},
    // shapes
    {"(4,8):(1,4,5)",
     "the shape '(4,8)' and the stride '(1,4,5)' differ in form: each extent has one stride"},
    {"(4,0):(1,4)", "the extent '0' is not a positive integer"},
    {"4:_", "'_' cannot be a stride"},
    {"ceil_div((4,4), (2,2,2))", "'(4,4)' has fewer modes than its divisor '(2,2,2)'"},
    {"ceil_div(4, 0)", "the divisor '0' of ceil_div is not positive"},
    {"ceil_div(4@1, 2)", "ceil_div needs two numbers, not '4@1' and '2'"},
    {"ceil_div(8, M)", "must be a number or a const"},
    {"round_up((4,4), (2,2,2))", "'(4,4)' has fewer modes than '(2,2,2)'"},
    {"round_up((16,4), 12)",
     "'(16,4)' cannot be rounded up to multiples of '12': the profiles differ"},
    {"shape_div((4,6), (4,2,1))", "'(4,6)' and '(4,2,1)' differ in rank"},
    {"shape_div((3,8), 8)", "neither of '3' and '8' divides the other"},
    {"compact_col_major((4,8), (1,2,3))",
     "the shape '(4,8)' and the start '(1,2,3)' differ in rank"},
    {"make_ordered_layout((2,4), (0,1,2))",
     "the shape '(2,4)' and the order '(0,1,2)' differ in rank"},
    {"make_identity_layout(((((2,2)))))", "an identity layout of more than three nested levels"},
    {"make_layout(4:1, 8, Sw<1,0,1>)", "'Sw<1,0,1>' is a swizzle, not a layout"},
    {"domain_distribute((M,4), 2)", "domain_distribute needs a static shape and number"},
    {"with_shape((4,8), (4,4))", "'(4,8):(1,4)' has 32 elements and the shape '(4,4)' has 16"},
    {"coalesce((4,8), (1,1,1))", "the profile '(1,1,1)' has more modes than '(4,8):(1,4)'"},
    // modes
    {"get((4,8), 2)", "'(4,8):(1,4)' has no mode 2; its rank is 2"},
    {"get((4,8), M)", "'M' does not name a mode"},
    {"group_modes((4,8), 1, 4)", "'(4,8):(1,4)' has no modes 1 to 4; its rank is 2"},
    {"take((4,8), 2, 2)", "'(4,8):(1,4)' has no modes 2 to 2; its rank is 2"},
    {"select((4,8), (0,(1)))", "'(0,(1))' is not a list of modes"},
    {"append_to_rank((4,8,2), 2)", "of rank 3 cannot be padded to rank 2"},
    {"zip(((4,8),(2,2,2)))", "differ in rank and cannot be zipped"},
    {"zip((4,8), (2,2,2))",
     "'(4,8):(1,4)' and '(2,2,2):(1,2,4)' differ in rank and cannot be zipped"},
    {"unflatten((2,3), ((1),1,1))", "has fewer modes than the profile has leaves"},
    {"unflatten((2,3,4), (1,(1)))", "has 3 modes and the profile '(1,(1))' 2 leaves"},
    {"make_layout(Sw<1,0,1> o 0 o 8:1, 4:1)", "cannot be a mode of another"},
    {"composed_eval(Sw<1,0,1>, -9223372036854775807, 2:-1, 1)", "does not fit into 64 bits"},
    // coordinates
    {"crd2idx((1,2,3), (4,4):(1,4))", "the coordinate '(1,2,3)' does not fit the shape '(4,4)'"},
    {"crd2idx((_,1), (4,4):(1,4))", "'_' is not a coordinate"},
    {"crd2idx(M, (4,4):(1,4))", "the coordinate 'M' over the extent '4' needs static numbers"},
    {"crd2idx(M, Sw<1,0,1> o 0 o 8:1)", "the value of 'Sw<1,0,1> o 0 o 8:1' is not static"},
    {"idx2crd(M, 4, 2)", "idx2crd needs static numbers and extents of at least 1"},
    {"idx2crd(5, (2,0,3))", "the extent '0' is not a positive integer"},
    {"idx2crd(4, (4,4), (1,2,3))",
     "the shape '(4,4)' and the stride '(1,2,3)' differ in form: each extent has one stride"},
    {"local_tile((8,8), (4,4), (0,0,0))",
     "the coordinate '(0,0,0)' has more modes than the tiles, 2"},
    {"local_tile((8,8), (4,4,2), (0,0,0), (_,1))",
     "the projection '(_,1)' does not fit the tiler '(4,4,2)'"},
    {"local_tile((8,8), (4,4,2), (0,0), (_,1,1))", "the projection '(_,1,1)' does not fit '(0,0)'"},
    {"slice(Sw<3,3,3> o 0 o (8,64):(64,1), (M,_))", "has an offset that is not static"},
    // widths and swizzles
    {"upcast(4, (5,3):(3,1))",
     "the stride '3' and the 4 elements that become one: neither divides the other"},
    {"upcast(0, 4:1)", "the width of elements cannot change by 0"},
    {"upcast(M, 4:1)", "upcast needs a static number of elements"},
    {"downcast(M, 4:1)", "downcast needs a static number of elements"},
    {"downcast(16, 12:8)", "'12:8' has no contiguous elements that could become narrower"},
    {"recast_layout(12b, 8b, 4:1)", "elements of 12 bits cannot be recast to elements of 8 bits"},
    {"upcast_swizzle(3, Sw<3,3,3>)", "the width of a swizzle changes by powers of two, not by 3"},
    {"downcast_swizzle(2, Sw<0,62,0>)", "does not fit in 62 bits"},
    {"swizzle_apply(Sw<2,0,1>, 5)",
     "Sw<2,0,1> moves 2 bits; its shift, the last number, must be at least that"},
    {"swizzle_apply(Sw<-1,3,3>, 5)", "Sw<-1,3,3> has a negative number of bits; only its shift"},
    {"swizzle_apply(Sw<1,-3,3>, 5)", "Sw<1,-3,3> has a negative number of bits"},
    {"swizzle_apply(Sw<20,20,30>, 5)", "Sw<20,20,30> does not fit in 62 bits"},
    {"make_swizzle(9223372036854775807, 9223372036854775807)",
     "Sw<63,0,0> moves 63 bits; its shift, the last number, must be at least that"},
    {"make_swizzle(12, 1)", "the masks 12 and 1 differ in their number of bits"},
    {"make_swizzle(5, 40)", "the bits of the masks 5 and 40 are not neighbours"},
    {"Sw<2,3,3> o (Sw<2,3,4> o 0 o 64:1)",
     "the swizzle Sw<2,3,3> does not merge with 'Sw<2,3,4> o 0 o 64:1'"},
    // integers and overflow
    {"size((4294967296,4294967296))", "the result does not fit into 64 bits"},
    {"4611686018427387904*2", "the result does not fit into 64 bits"},
    {"9223372036854775807+1", "the result does not fit into 64 bits"},
    {"cosize((4,4611686018427387904):(1,4))", "the result does not fit into 64 bits"},
    {"coalesce((4294967296,4294967296):(1,4294967296))", "the result does not fit into 64 bits"},
    {"composition(4:4611686018427387904, 4:4)", "the result does not fit into 64 bits"},
    {"downcast(8, (4,2):(4611686018427387904,1))", "the result does not fit into 64 bits"},
    {"99999999999999999999", "the number at column 1 does not fit into 64 bits"},
    {"M/3", "'3' does not divide 'M' for all values of the symbols"},
    {"M+K", "'M+K' is a sum, not one term"},
    {"cosize((2,4):(lda,K))", "'lda' and '3*K' do not add up to one term"},
    {"cosize((M,4):(2,1))", "the cosize is not one term: the extent 'M' is not static"},
    {"_*4", "'_' is a tuple, not an integer"},
    {"1@1*2@0", "expected the end at column 4, before '*2@0'"},
    {"M*M*M*M*M*M*M*M*M*M*M*M*M*M*M*M*M", "a product of more than 16 symbols"},
    {"1@2@3@4@5", "expected the number of a mode"},
    {"1@31@1", "a basis element names at most three nested modes, each below 31"},
    // the reader
    {"", "expected a value at the end"},
    {"(4,", "expected a value at the end"},
    {"(4 8)", "expected ',' or ')' at column 4, before '8)'"},
    {"4:1 4", "expected the end at column 5"},
    {"nothing(4)", "there is no operation 'nothing'"},
    {"size(true)", "'true' is a truth value, not a layout"},
    {"size()", "'size' takes 1 to 2 arguments, not 0"},
    {"flatten()", "'flatten' takes 1 argument, not 0"},
    {"crd2crd(1)", "'crd2crd' takes 3 arguments, not 1"},
    {"ceil_div(4, 0)", "the divisor '0' of ceil_div is not positive"},
    {"ceil_div(_, 4)", "ceil_div needs two numbers, not '_' and '4'"},
    {"recast(16b, 0b, 4:1)", "elements of 16 bits cannot be recast to elements of 0 bits"},
    {"recast(4:1, f16, fx)", "argument 3 of 'recast' is 'fx', not a static width"},
    {"4 o 3+4:1", "expected no offset within a composition at the end"},
    {"3+Sw<1,0,1>", "expected a layout after the offset at the end"},
    {"4 o 4 o 4 o 4 o 4 o 4 o 4 o 4 o 4 o 4 o 4 o 4 o 4 o 4 o 4 o 4 o 4 o 4 o 4 o 4 o 4 o 4 o 4 o "
     "4 "
     "o 4 o 4 o 4 o 4 o 4 o 4 o 4 o 4 o 4",
     "expected fewer than 32 terms"},
    {"--------------------------------------------------------------------4",
     "expected fewer signs"},
    {"(4,8):Sw<1,0,1>", "expected a shape and a stride around ':'"},
    {"(M(4),2)", "expected a value at column 3, before '(4),2)'"},
    {"4 ? 4", "expected the end at column 3"},
    {"(?)", "expected a value at column 2"},
    {"<4 4>", "expected ',' or '>' at column 4"},
    {"composition(4:1)", "'composition' takes at least 2 arguments, not 1"},
    {"take((4,8), M, 2)", "argument 2 of 'take' is 'M', not a static integer"},
    {"Sw<1,2>", "a swizzle has three numbers within 62 bits"},
    {"Sw<99,2,3>", "a swizzle has three numbers within 62 bits"},
    {"Layout<Shape<_4>>>", "expected the end at column 7, before"},
    {"((((((((((((((((((4))))))))))))))))))", "the limits are 256 and 16"},
};

static void check_cases(void) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        block_reset(&block, &ctx);
        lay_param(&ctx, "M", 1, 1, (int64_t)1 << 40);
        lay_param(&ctx, "K", 1, 1, (int64_t)1 << 40);
        lay_param(&ctx, "N", 1, 1, (int64_t)1 << 40);
        lay_param(&ctx, "lda", 8, 8, (int64_t)1 << 40);
        struct calc_value v = calc_of_text(&ctx, cases[i].text);
        const char *got = v.kind == CALC_NONE ? ctx.error : calc_text(&ctx, v, CALC_STYLE_TCP);
        CHECK(v.kind == CALC_NONE && strstr(got, cases[i].message),
              "\"%s\": wanted \"%s\", got \"%s\"", cases[i].text, cases[i].message, got);
    }
}

#define REFUSED(message)                                                                           \
    do {                                                                                           \
        CHECK(ctx.error &&strstr(ctx.error, message), "got \"%s\"", ctx.error ? ctx.error : "");   \
        lay_clear_error(&ctx);                                                                     \
    } while (0)

static struct lay parse(const char *text) {
    return lay_parse(&ctx, text);
}

static const struct lay_tuple *leaves(int n) {
    const struct lay_tuple *kid[LAY_MAX_RANK];
    for (int i = 0; i < n && i < LAY_MAX_RANK; ++i) kid[i] = lay_leaf_of(&ctx, 1 + i % 3);
    return lay_tuple(&ctx, n, kid);
}

// The limits of rank, leaves and text, and what only C can ask for.
static void check_limits(void) {
    block_reset(&block, &ctx);
    const struct lay_tuple *wide = leaves(LAY_MAX_RANK), *four[5];
    CHECK(wide != NULL, "rank 64");
    CHECK(leaves(LAY_MAX_RANK + 1) == NULL, "rank 65");
    REFUSED("a tuple of rank 65; the limit is 64");
    for (int i = 0; i < 5; ++i) four[i] = wide;
    const struct lay_tuple *full = lay_tuple(&ctx, 4, four);
    CHECK(full != NULL, "256 leaves");
    CHECK(lay_tuple(&ctx, 5, four) == NULL, "320 leaves");
    REFUSED("a tuple of 320 leaves and depth 2");
    struct lay l = lay_make_col(&ctx, wide), all = lay_make_row(&ctx, full);
    CHECK(l.shape != NULL && all.shape == NULL, "6^84 overflows");
    REFUSED("the result does not fit into 64 bits");
    l = lay_make(&ctx, wide, wide);
    all = lay_make(&ctx, full, full);
    CHECK(lay_flatten(&ctx, all).shape == NULL, "a flat tuple of 256");
    REFUSED("a tuple of rank 256; the limit is 64");
    CHECK(lay_append(&ctx, l, l).shape == NULL, "rank 65");
    REFUSED("a layout of rank 65; the limit is 64");
    struct lay many[LAY_MAX_RANK + 1];
    int modes[LAY_MAX_RANK + 1] = {0};
    for (int i = 0; i <= LAY_MAX_RANK; ++i) many[i] = lay_mode(&ctx, l, 0);
    CHECK(lay_join(&ctx, LAY_MAX_RANK + 1, many).shape == NULL, "rank 65");
    REFUSED("a layout of rank 65; the limit is 64");
    CHECK(lay_select(&ctx, l, LAY_MAX_RANK + 1, modes).shape == NULL, "65 modes");
    REFUSED("65 modes selected; the limit is 64");
    const struct lay_tiler *kid[LAY_MAX_RANK + 1];
    for (int i = 0; i <= LAY_MAX_RANK; ++i) kid[i] = lay_tiler_any(&ctx);
    CHECK(lay_tiler_modes(&ctx, LAY_MAX_RANK + 1, kid) == NULL, "tiler of rank 65");
    REFUSED("a tiler of rank 65; the limit is 64");
    struct lay half = lay_make(&ctx, leaves(40), leaves(40));
    CHECK(lay_flat_divide(&ctx, half, lay_tiler_shape(&ctx, leaves(40))).shape == NULL, "rank 80");
    REFUSED("a result of rank over 64");
    const struct lay_tuple *any[LAY_MAX_RANK], *deep[2];
    for (int i = 0; i < LAY_MAX_RANK; ++i) any[i] = lay_any(&ctx);
    deep[0] = deep[1] = lay_tuple(&ctx, LAY_MAX_RANK, any);
    struct lay two = lay_join(&ctx, 2, (struct lay[]){l, l});
    CHECK(lay_slice(&ctx, two, lay_tuple(&ctx, 2, deep)).layout.shape == NULL, "rank 128");
    REFUSED("a slice of rank over 64");
    // compositions of many pieces, and long texts
    const struct lay_tuple *two20[20], *power[20], *big[40], *one[40];
    for (int64_t i = 0, d = 1; i < 20; ++i, d *= 3) {
        two20[i] = lay_leaf_of(&ctx, 2);
        power[i] = lay_leaf_of(&ctx, d);
    }
    for (int i = 0; i < 40; ++i) {
        big[i] = lay_leaf_of(&ctx, 1 << 20);
        one[i] = lay_leaf_of(&ctx, 1);
    }
    struct lay many_modes = lay_make(&ctx, lay_tuple(&ctx, 20, two20), lay_tuple(&ctx, 20, power));
    struct lay many_steps = lay_make(&ctx, lay_tuple(&ctx, 40, big), lay_tuple(&ctx, 40, one));
    CHECK(lay_compose(&ctx, many_modes, many_steps).shape == NULL, "760 pieces");
    REFUSED("a composition of more than 512 pieces");
    static char name[8001];
    memset(name, 'x', 8000);
    const struct lay_tuple *sym = lay_leaf(&ctx, lay_int_sym(&ctx, lay_param(&ctx, name, 1, 1, 9)));
    const struct lay_tuple *syms[LAY_MAX_RANK];
    for (int i = 0; i < LAY_MAX_RANK; ++i) syms[i] = sym;
    const struct lay_tuple *row = lay_tuple(&ctx, LAY_MAX_RANK, syms), *rows[3] = {row, row, row};
    lay_tuple_text(&ctx, lay_tuple(&ctx, 3, rows));
    REFUSED("more than 1048576 characters to print");
    char text[400] = "0";
    for (int i = 0; i < 70; ++i) strcat(text, ",1");
    char list[420];
    snprintf(list, sizeof list, "(%s)", text);
    CHECK(lay_parse_tuple(&ctx, list) == NULL, "71 elements");
    REFUSED("a list of more than 64 elements");
    memset(list, '(', 100);
    list[100] = 0;
    CHECK(lay_parse_tuple(&ctx, list) == NULL, "100 parentheses");
    REFUSED("more than 64 levels of nesting");
    CHECK(calc_table(&ctx, calc_of_layout(parse("8192:1"))) == NULL, "8192 entries");
    REFUSED("has 8192 entries; a table has at most 4096");
    calc_text(&ctx, calc_of_layout(parse("P:1")), CALC_STYLE_CUTE);
    REFUSED("a C++ type needs static integers, but 'P' is not static");
}

static void check_calls(void) {
    block_reset(&block, &ctx);
    const int64_t values[8] = {5};
    struct lay_int m = lay_int_sym(&ctx, lay_param(&ctx, "M", 1, 1, 100)),
                   any = lay_any(&ctx)->leaf;
    int64_t v;
    CHECK(lay_param(&ctx, "Q", 0, 1, 2) == NULL, "a multiple of 0");
    REFUSED("'Q' cannot be a multiple of 0 in 1 .. 2");
    CHECK(lay_param(&ctx, "Q", 8, 1, 7) == NULL, "no multiple of 8");
    REFUSED("no multiple of 8 is in the range of 'Q'");
    CHECK(!lay_int_valid(lay_int_mul(&ctx, any, lay_int(2))), "_ * 2");
    REFUSED("'_' is not a number");
    struct lay_int e0 = lay_int_basis(&ctx, lay_int(2), 1, (int[]){0});
    CHECK(!lay_int_valid(lay_int_mul(&ctx, e0, e0)), "2@0 * 2@0");
    REFUSED("two basis elements cannot be multiplied");
    CHECK(lay_parse_tuple(&ctx, "4:1") == NULL, "a layout");
    REFUSED("'4:1' is not a tuple");
    CHECK(lay_calc(&ctx, "nothing", 0, NULL).kind == CALC_NONE, "no operation");
    REFUSED("there is no operation 'nothing'");
    CHECK(lay_tuple_get(&ctx, leaves(3), 3) == NULL, "mode 3");
    REFUSED("'(1,2,3)' has no mode 3; its rank is 3");
    CHECK(!lay_eval(&ctx, parse("4:4611686018427387904"), 3, &v), "an overflow");
    REFUSED("a value of '4:4611686018427387904' does not fit into 64 bits");
    CHECK(!lay_eval_coord(&ctx, parse("4:M"), lay_leaf_of(&ctx, 2), &v), "a symbol");
    REFUSED("the value '2*M' of '4:M' is not static");
    struct lay_int third = lay_int_div(&ctx, lay_int_mul(&ctx, m, lay_int(3)), lay_int(3));
    CHECK(lay_int_equal(third, m), "3*M/3");
    struct lay_int even = lay_int_sym(&ctx, lay_param(&ctx, "E", 2, 2, 100));
    struct lay odd =
        lay_make(&ctx, lay_leaf(&ctx, lay_int_div(&ctx, even, lay_int(2))), lay_leaf_of(&ctx, 1));
    const int64_t wrong[8] = {5, 7};
    CHECK(lay_substitute(&ctx, odd, wrong).shape == NULL, "half of 7");
    REFUSED("'E/2' has no value for these numbers");
    CHECK(lay_int_eval(m, values, &v) && v == 5, "M = 5");
    struct lay_int nest = m;
    for (int i = 0; i < 12; ++i)
        nest = lay_int_mul(&ctx, lay_int_ceil_div(&ctx, nest, lay_int(3)), lay_int(2));
    CHECK(!lay_int_valid(nest), "twelve roundings");
    REFUSED("more than 8 nested ceil_div");
    struct lay s = lay_swizzled(&ctx, (struct lay_swizzle){1, 0, 1}, m, parse("8:1"));
    CHECK(!lay_eval(&ctx, s, 1, &v), "an offset with a symbol");
    REFUSED("a value needs static layouts, but the offset 'M' is not static");
}

int main(void) {
    block = block_make((size_t)64 << 20);
    check_cases();
    check_limits();
    check_calls();
    free(block.base);
    return check_done();
}
