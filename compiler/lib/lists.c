// The lists that tcpc.h has functions for.
#include <string.h>

#include "base/warnings.h"
#include "cost/warp.h"
#include "draw/draw.h"
#include "image/elem.h"
#include "layout/calc.h"
#include "lib/headers.h"
#include "lib/tcpc.h"
#include "plan/arch.h"
#include "plan/atoms.h"
#include "tell/pages.h"

// Copies "from", a structure of "size" bytes, to the caller's, which may be shorter or longer.
// Returns 1, for all of the functions below.
static int give(const void *from, size_t size, void *to) {
    size_t given, known;
    memcpy(&given, to, sizeof given);
    known = given < size ? given : size;
    memcpy(to, from, known);
    memcpy(to, &known, sizeof known);
    return 1;
}
#define GIVE(x, out) give(&(x), sizeof(x), out)

int tcpc_type_at(size_t i, struct tcpc_type *out) {
    if (i >= (size_t)n_elem_types) return 0;
    const struct elem_type *t = &elem_types[i];
    const struct tcpc_type x = {
        .name = t->name, .c_name = t->c_name, .bits = t->bits, .number = t->cls != ELEM_RAW};
    return GIVE(x, out);
}

int tcpc_atom_at(size_t i, struct tcpc_atom *out) {
    if (i >= (size_t)n_atom_rows) return 0;
    const struct atom_row *row = &atom_rows[i];
    struct tcpc_atom x = {.name = row->name,
                          .least_arch = row->min_arch,
                          .feature = row->feature,
                          .width = row->widths,
                          .threads = row->threads,
                          .asynchronous = row->completes == COMPLETES_BY_GROUP};
    while (x.nwidths < MOST_WIDTHS && row->widths[x.nwidths]) ++x.nwidths;
    return GIVE(x, out);
}

int tcpc_arch_at(size_t i, struct tcpc_arch *out) {
    const char *name = arch_at(i), *near;
    if (!name) return 0;
    int arch = arch_find(name, &near);
    const struct tcpc_arch x = {.name = name,
                                .number = arch,
                                .shared_bytes = arch_shared_bytes(arch),
                                .calibrated = cost_calibrated(arch)};
    return GIVE(x, out);
}

int tcpc_warning_at(size_t i, struct tcpc_warning *out) {
    if (i >= W_COUNT - 1) return 0;
    const struct warning_row *row = warning_row((int)i + 1);
    const struct tcpc_warning x = {.name = row->name, .help = row->help, .on = row->on};
    return GIVE(x, out);
}

int tcpc_operation_at(size_t i, struct tcpc_operation *out) {
    struct calc_operation op;
    if (i > 1 << 20 || !calc_operation((int)i, &op)) return 0;
    const struct tcpc_operation x = {.name = op.name,
                                     .arguments = op.args,
                                     .help = op.help,
                                     .in_eval = op.where != IN_PLAN,
                                     .in_plans = op.where != IN_CUTE};
    return GIVE(x, out);
}

int tcpc_header_at(size_t i, struct tcpc_header *out) {
    if (i >= (size_t)n_headers) return 0;
    const struct tcpc_header x = {.name = headers[i].name, .text = headers[i].text};
    return GIVE(x, out);
}

const char *tcpc_view_at(size_t i) {
    return i < N_DRAW_VIEWS ? draw_view_name((enum draw_view)i) : NULL;
}

const char *tcpc_page_at(size_t i) {
    return i < (size_t)n_pages ? pages[i].name : NULL;
}

const char *tcpc_page(const char *name) {
    for (int i = 0; name && i < n_pages; ++i)
        if (strcmp(pages[i].name, name) == 0) return pages[i].text;
    return NULL;
}
