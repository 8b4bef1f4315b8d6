// The form of a line (see line.h).

#include "planner/form.h"

static void choose_lines(struct candidates *list) {
    struct line found[LINES];
    struct rows rows[ROWS_MOST];
    int n = rows_choose(list->r, rows) > 0 ? 0 : line_choose(list->r, found);
    for (int i = 0; i < n; ++i) {
        struct candidate c = {&form_line, found[i].threads, 0, true, .line = found[i]};
        candidates_add(list, i, &c);
    }
    if (n == 0) return;
    list->row.r = *list->r;
    list->row.r.rank = 1;
    list->row.r.mode[0] = (struct relayout_mode){.extent = found->extent, .src = 1, .dst = 1};
}

static const struct hole *holes(const struct text *t) {
    const struct line *k = &t->of->line;
    int64_t all = line_elements(k);
    int es = bytes_of(t->r, true), bits = t->r->type->bits;
    const struct hole all_holes[] = {
        {"fast", k->order[0], NULL},
        {"read", k->load * es, NULL},
        {"written", k->store * es, NULL},
        {"blocks", (k->extent + all - 1) / all, NULL},
        {"store", k->store, NULL},
        {"store bits", k->store * bits, NULL},
        {"load", k->load, NULL},
        {"load bits", k->load * bits, NULL},
        {"loads", k->store / k->load, NULL},
        {"threads", k->threads, NULL},
        {"times", k->times, NULL},
        {"turn", k->threads * k->store, NULL},
        {"all", all, NULL},
        {"steps", k->store / k->load * k->times, NULL},
        {"type", 0, t->r->type->name},
        {"row", t->r->mode[k->order[0]].extent, NULL},
        {"vectors", 0, k->load > 1 ? " / <load>" : ""},
        {"slice", 0, text_slice(t, k->order, t->r->rank, k->order[0], k->extent % all != 0)},
        {"place", 0,
         k->times == 1 ? "<store>*tid + <load>*i$"
                       : "<turn>*(i$ / <loads>) + <store>*tid + <load>*(i$ % <loads>)"},
        {0}};
    return text_keep(t, all_holes);
}

const struct form form_line = {
    .choose = choose_lines,
    .holes = holes,
    .how = "<all> in a row, <threads> threads, <read> and <written> bytes, registers",
    .reasons =
        "// Mode <fast> is the fast one of both sides. The destination has no gaps: a tile is a "
        "part of all its elements.\n"
        "// Elements go straight through registers, read by <read> bytes and written by "
        "<written>.\n",
    .grid = "(<blocks>)",
    // a thread's stores are as far apart as all threads write at once
    .body = "  let wr$ = tile(universal(<store bits>), "
            "tv=(<threads>,(<store>,<times>)):(<store>,(1,<turn>)), tile=(<all>));\n"
            "  frag r$ : <type> (<load>,<steps>);\n"
            "  for i$ in 0 .. <steps> {\n"
            "    let e$ = <all>*block.x + <place>;\n"
            "    copy local_tile(<slice>, (<load>), (e$ % <row><vectors>)) -> r$(_,i$) "
            "with universal(<load bits>);\n"
            "  }\n"
            "  copy r$ -> local_tile(<dst>, (<all>), (block.x)) with wr$;\n",
};
