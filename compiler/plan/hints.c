// The table of cache hints (PTX ISA, "Cache Operators" and "Cache Eviction Priority Hints").
#include "plan/hints.h"

#include "base/session.h"

const struct hint_row hint_rows[] = {
    {"nc", NULL, HINT_NC, HINT_WAY},
    {"cg", "TCP_CG", HINT_CG, HINT_L1},
    {"cs", "TCP_CS", HINT_CS, HINT_L1},
    {"L1.evict_first", "TCP_L1_EVICT_FIRST", HINT_L1_EVICT_FIRST, HINT_L1},
    {"L1.evict_last", "TCP_L1_EVICT_LAST", HINT_L1_EVICT_LAST, HINT_L1},
    {"L1.evict_unchanged", "TCP_L1_EVICT_UNCHANGED", HINT_L1_EVICT_UNCHANGED, HINT_L1},
    {"L1.no_allocate", "TCP_L1_NO_ALLOCATE", HINT_L1_NO_ALLOCATE, HINT_L1},
    {"L2.evict_first", "TCP_L2_EVICT_FIRST", HINT_L2_EVICT_FIRST, HINT_L2, .min_arch = 80},
    {"L2.evict_last", "TCP_L2_EVICT_LAST", HINT_L2_EVICT_LAST, HINT_L2, .min_arch = 80},
};
const int n_hint_rows = sizeof hint_rows / sizeof hint_rows[0];

const char *hints_text(struct session *s, unsigned hints) {
    const char *text = "";
    for (int i = 0; i < n_hint_rows; ++i)
        if (hints & hint_rows[i].bit)
            text = arena_printf(&s->arena, "%s%s%s", text, text[0] ? "." : "", hint_rows[i].word);
    return text;
}

const char *hints_in_c(struct session *s, unsigned hints, int l2) {
    const char *text = NULL;
    for (int i = 0; i < n_hint_rows; ++i)
        if (hints & hint_rows[i].bit && hint_rows[i].c_name)
            text = arena_printf(&s->arena, "%s%s%s", text ? text : "", text ? " | " : "",
                                hint_rows[i].c_name);
    if (l2)
        text = arena_printf(&s->arena, "%s%sTCP_L2_%dB", text ? text : "", text ? " | " : "", l2);
    return text;
}
