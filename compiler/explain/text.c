// Prints the explanation for people: for each copy a paragraph in CUDA's terms, and a table of what
// it follows from.
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/session.h"
#include "explain/private.h"
#include "kernel/launch.h"

enum { COLUMNS = 96, LABEL = 14, NOTE = 28 };

void explain_filled(struct buf *b, int indent, const char *label, const char *text) {
    buf_fill(b, ' ', indent);
    buf_puts(b, label);
    indent += (int)strlen(label);
    int column = indent;
    bool first = true;
    while (*text) {
        int n = (int)strcspn(text, " ");
        if (!first && column + 1 + n > COLUMNS) {
            buf_char(b, '\n');
            buf_fill(b, ' ', indent);
            column = indent;
            first = true;
        }
        if (!first) buf_char(b, ' ');
        column += n + !first;
        first = false;
        buf_write(b, text, (size_t)n);
        text += n;
        while (*text == ' ') ++text;
    }
    buf_char(b, '\n');
}

static void paragraph(struct buf *b, const char *text) {
    explain_filled(b, 2, "", text);
}

static const char *plural(int64_t n) {
    return n == 1 ? "" : "s";
}

static bool is_frag(const struct explained_side *x) {
    return strcmp(x->space, "frag") == 0;
}

static const char *place(struct session *s, const struct explained_side *x) {
    if (is_frag(x)) return arena_printf(&s->arena, "registers ('%s')", x->tensor);
    return arena_printf(&s->arena, "%s memory ('%s')", x->space, x->tensor);
}

// -- the paragraph --------------------------------------------------------------------------------

static void put_work(struct session *s, struct buf *b, const struct explained_copy *c) {
    const char *from = place(s, &c->src), *to = place(s, &c->dst);
    bool all = c->threads == c->role_threads, warp = c->tiler && c->lanes;
    if (!c->tiled && !c->tiler) {
        buf_printf(b, "Each of the %s%" PRId64 " threads%s copies %" PRId64,
                   c->lanes || !all ? "first " : "", c->lanes ? c->lanes : c->threads,
                   c->lanes ? " of each warp" : "", c->values);
        buf_printf(b, " element%s of its own, %s of %s, from %s to %s.", plural(c->values),
                   c->shape, c->elem, from, to);
    } else {
        if (warp)
            buf_printf(b, "In each warp the %s%" PRId64 " thread%s ", c->lanes < 32 ? "first " : "",
                       c->lanes, plural(c->lanes));
        else
            buf_printf(b, "%s %" PRId64 " thread%s of %s ", all ? "The" : "The first", c->threads,
                       plural(c->threads), c->whose);
        bool one = (warp ? c->lanes : c->threads) == 1;
        buf_printf(b, "%scop%s %s of %s from %s to %s%s.",
                   all && (!warp || c->lanes == 32) ? "" : "(the others skip it) ",
                   one ? "ies" : "y", c->shape, c->elem, from, to, one ? "" : " together");
        buf_printf(b, " In one round they cover %s, each thread %" PRId64 " element%s", c->tiler,
                   c->values, plural(c->values));
        if (c->nrounds > 1) buf_printf(b, "; the copy takes %" PRId64 " rounds", c->nrounds);
        buf_char(b, '.');
    }
    if (c->boxes) {
        buf_printf(b, " These are boxes of a tensor map: %s.", c->boxes);
        return;
    }
    if (c->together) {
        const struct explained_side *held = is_frag(&c->src) ? &c->src : &c->dst;
        const struct explained_side *rows = is_frag(&c->src) ? &c->dst : &c->src;
        buf_printf(b,
                   " The 32 lanes of a warp make %" PRId64
                   " access%s together: a lane addresses %d bits of '%s', and holds %d bits of "
                   "what is moved in '%s'.",
                   c->accesses, c->accesses == 1 ? "" : "es", rows->bits, rows->tensor, held->bits,
                   held->tensor);
        return;
    }
    if (c->src.elem == c->dst.elem)
        buf_printf(b,
                   " That makes %" PRId64 " access%s of %d bits (%d x %s) per thread on each side",
                   c->accesses, c->accesses == 1 ? "" : "es", c->bits, c->vec, c->elem);
    else
        buf_printf(
            b,
            " Each element is converted. That makes %" PRId64
            " load%s of %d bits (%d x %s) per thread, and as many stores of %d bits (%d x %s)",
            c->accesses, plural(c->accesses), c->src.bits, c->vec, c->src.elem, c->dst.bits, c->vec,
            c->dst.elem);
    if (is_frag(&c->src) || is_frag(&c->dst))
        buf_puts(b, "; the side in registers costs no memory access");
    buf_char(b, '.');
}

// The smallest bound besides the one that won.
static const struct explained_bound *next_bound(const struct explained_copy *c) {
    const struct explained_bound *least = NULL;
    for (int i = 0; i < N_BOUNDS; ++i)
        if (i != (int)c->won && c->bound[i].why && (!least || c->bound[i].bits < least->bits))
            least = &c->bound[i];
    return least;
}

static void put_width(struct buf *b, const struct explained_copy *c) {
    const struct explained_bound *won = &c->bound[c->won], *next = next_bound(c);
    if (c->boxes) return;
    if (c->together)
        buf_puts(b, "The instruction has only this width.");
    else if (c->won == BOUND_CONVERSION)
        buf_printf(b, "The wider side has the %d bits of the atom; the other has as many elements.",
                   c->bits);
    else if (c->won != BOUND_ATOM)
        buf_printf(b, "Wider accesses are not proven to be correct, because of the %s: %s.",
                   won->name, won->why);
    else if (c->bits >= 128)
        buf_puts(b, "No access is wider than that.");
    else if (next && next->bits <= c->bits)
        buf_printf(b, "That is the atom's width. A wider atom is not possible, because of the %s.",
                   next->name);
    else
        buf_printf(b, "That is the atom's width. A wider atom could move up to %" PRId64 " bits.",
                   next && next->bits < 128 ? next->bits : (int64_t)128);
}

// -- the table ------------------------------------------------------------------------------------

static void row(struct buf *b, const char *label, const char *value, const char *note) {
    if (!value) return;
    buf_printf(b, "  %-*s%s", LABEL, label, value);
    if (note) {
        int pad = NOTE - (int)strlen(value);
        buf_fill(b, ' ', pad > 2 ? pad : 2);
        buf_puts(b, note);
    }
    buf_char(b, '\n');
}

static const char *bytes_text(struct session *s, const struct explained_kernel *k,
                              const struct explained_copy *c) {
    const char *each = c->bytes ? ix_text(s, c->bytes) : "?";
    int64_t once;
    bool loop = !c->times || !ix_static(c->times, &once) || once != 1;
    const char *times = !loop ? ""
                        : c->times
                            ? arena_printf(&s->arena, " x %s iterations", ix_text(s, c->times))
                            : " in each iteration";
    const char *all =
        c->all_bytes ? arena_printf(&s->arena, ", %s in all blocks", ix_text(s, c->all_bytes)) : "";
    return arena_printf(&s->arena, "%s per %s%s%s", each, k->device ? "call" : "block", times, all);
}

static const char *side_text(struct session *s, const char *offset, const char *layout) {
    if (!layout) return NULL;
    return strcmp(offset, "0") == 0 ? layout : arena_printf(&s->arena, "%s + %s", offset, layout);
}

// Such as "gcd of base 16, offset 8, strides 64 = 8 bytes".
static const char *align_text(struct session *s, const struct align_terms *a, int64_t bits) {
    const char *offset = a->offset ? arena_printf(&s->arena, ", offset %" PRId64, a->offset) : "";
    const char *stride =
        a->stride ? arena_printf(&s->arena, ", strides %" PRId64 " (the worst is %s elements)",
                                 a->stride, lay_int_text(&s->lay, a->worst))
                  : "";
    return arena_printf(&s->arena,
                        "gcd of base %" PRId64 "%s, vectors %" PRId64 "%s = %" PRId64 " bytes",
                        a->base, offset, a->run, stride, bits / 8);
}

// Prints the two sides next to each other.
static void put_sides(struct session *s, struct buf *b, const struct explained_copy *c) {
    enum { ROWS = 6 };
    static const char label[ROWS][16] = {"", "memory", "view", "swizzle", "TV", "one thread"};
    const char *text[ROWS][2];
    int width = 0;
    for (int i = 0; i < 2; ++i) {
        const struct explained_side *x = i ? &c->dst : &c->src;
        text[0][i] = i ? "destination" : "source";
        text[1][i] = arena_printf(&s->arena, "%s %s", x->space, x->tensor);
        text[2][i] = side_text(s, x->offset, x->layout);
        text[3][i] = x->swizzle;
        text[4][i] = x->tv;
        text[5][i] = side_text(s, x->part_offset, x->part);
    }
    const char *access[2];
    for (int i = 0; i < 2; ++i)
        access[i] = arena_printf(&s->arena, "%" PRId64 " x %s", c->accesses,
                                 (i ? &c->dst : &c->src)->instruction);
    for (int r = 0; r < ROWS; ++r) {
        int n = text[r][0] ? (int)strlen(text[r][0]) : 1;
        if (n > width) width = n;
    }
    if ((int)strlen(access[0]) > width) width = (int)strlen(access[0]);
    buf_char(b, '\n');
    for (int r = 0; r < ROWS; ++r) {
        if (!text[r][0] && !text[r][1]) continue;
        buf_printf(b, "  %-*s%-*s  %s\n", LABEL, label[r], width, text[r][0] ? text[r][0] : "-",
                   text[r][1] ? text[r][1] : "-");
    }
    buf_printf(b, "  %-*s%-*s  %s\n", LABEL, "a thread runs", width, access[0], access[1]);
}

// Such as "128, 64, 32 bits"; NULL if the copy is the same in all variants.
static const char *variants_text(struct session *s, const struct explained_copy *c) {
    const char *text = NULL;
    int last = 0;
    bool differ = false;
    for (int i = 0; i < c->nvariants; ++i) {
        int bits = c->variant[i].bits;
        differ |= i > 0 && bits != c->variant[0].bits;
        if (bits != last)
            text = arena_printf(&s->arena, "%s%s%d", text ? text : "", text ? ", " : "", bits);
        last = bits;
    }
    return differ ? arena_printf(&s->arena, "%s bits", text) : NULL;
}

static void put_bounds(struct session *s, struct buf *b, const struct explained_copy *c) {
    buf_printf(b, "\n  %-*s%d bits = %d x %s\n", LABEL, "width", c->bits, c->vec, c->wider);
    row(b, "in variants", variants_text(s, c), "chosen at launch; below: the widest");
    for (int i = 0; i < N_BOUNDS; ++i) {
        const struct explained_bound *x = &c->bound[i];
        if (!x->why) continue;
        buf_printf(b, "  %s ", i == (int)c->won ? "limit:  " : "        ");
        if (x->bits >= BOUND_NONE)
            buf_printf(b, "%6s", "any");
        else
            buf_printf(b, "%6" PRId64, x->bits);
        const char *why = i == BOUND_SRC_ALIGN   ? align_text(s, &c->src.align, x->bits)
                          : i == BOUND_DST_ALIGN ? align_text(s, &c->dst.align, x->bits)
                                                 : x->why;
        buf_printf(b, "  %-36s %s\n", x->name, why);
    }
}

static void put_edge(struct buf *b, const struct explained_copy *c) {
    if (!c->edge) return;
    struct buf text;
    buf_init(&text);
    buf_printf(&text, "Its tiles reach beyond the tensor%s. Only elements with %s are accessed",
               c->edge_always ? " in every block" : "", c->edge);
    if (c->pad) buf_printf(&text, ", the others become %s", c->pad);
    if (c->boxes)
        buf_puts(&text, ". The hardware does that, so no box has a guard.");
    else
        buf_printf(&text, ". A guarded access has %d bits (%d x %s), because %s.", c->edge_bits,
                   c->edge_vec, c->elem, c->edge_why);
    if (c->edge_apart && !c->boxes)
        buf_puts(&text, " Blocks whose tile is completely inside have no guards.");
    paragraph(b, text.text);
    buf_release(&text);
}

static void put_copy(struct session *s, struct buf *b, const struct explained_kernel *k,
                     const struct explained_copy *c) {
    const char *head = c->label ? arena_printf(&s->arena, "%s: %s", c->label, c->text) : c->text;
    buf_printf(b, "\n%-72s %s:%d\n", head, shown(&s->arena, c->path), c->line);
    struct buf text;
    buf_init(&text);
    put_work(s, &text, c);
    paragraph(b, text.text);
    buf_clear(&text);
    put_width(&text, c);
    if (text.len) paragraph(b, text.text);
    buf_release(&text);
    if (c->group && c->reads_late)
        paragraph(b,
                  arena_printf(&s->arena,
                               "It is asynchronous, in group %d. The threads continue, and '%s' is "
                               "read until the one that issued it has waited for the group.",
                               c->group, c->src.tensor));
    else if (c->group)
        paragraph(b, arena_printf(&s->arena,
                                  "It is asynchronous, in group %d. The threads continue, and wait "
                                  "for the group where its bytes are needed.",
                                  c->group));
    if (c->wait)
        paragraph(b,
                  arena_printf(&s->arena, "%s a thread waits until %s, because %s.",
                               c->wait_at_head ? "At the head of the step" : "Before it",
                               c->pending == 0 ? "no group is in flight"
                               : c->pending == 1
                                   ? "no more than 1 group is in flight"
                                   : arena_printf(&s->arena, "no more than %d groups are in flight",
                                                  c->pending),
                               c->wait));
    if (c->barrier)
        paragraph(b, arena_printf(&s->arena, "A barrier comes before it, because %s.", c->barrier));
    put_edge(b, c);
    buf_char(b, '\n');
    row(b, "executed by", c->level,
        c->lanes ? arena_printf(&s->arena, "%" PRId64 " of 32 threads of each warp", c->lanes)
                 : arena_printf(&s->arena, "%" PRId64 " of %" PRId64 " threads", c->threads,
                                c->role_threads));
    row(b, c->tiler ? "tile" : "values", arena_printf(&s->arena, "%s %s", c->shape, c->elem), NULL);
    row(b, "bytes", bytes_text(s, k, c), NULL);
    row(b, "tiled copy", c->tiled, NULL);
    row(b, "atom", c->atom, NULL);
    row(b, "thr", c->thr, "how the threads are arranged");
    row(b, "val", c->val, "what each thread holds");
    row(b, "tiler", c->tiler, "what one round covers");
    row(b, "rounds", c->rounds, "the number of rounds, along each mode of the tile");
    row(b, "TV", c->tv_sides, "(thread, value) -> place in the tile, first mode fastest");
    row(b, "index map", c->map, NULL);
    row(b, "for example", c->example, NULL);
    put_sides(s, b, c);
    explain_print_costs(s, c, b);
    put_bounds(s, b, c);
}

static void put_sync(struct buf *b, const struct explained_sync *x) {
    buf_printf(b, "    line %d, %s: ", x->line, x->place);
    char text[ARRIVAL_TEXT];
    bool both = arrival_is(x->wait.copies) && arrival_is(x->wait.threads);
    buf_printf(b, "%s%s", arrival_text(x->wait.copies, false, text), both ? ", " : "");
    buf_printf(b, "%s\n", arrival_text(x->wait.threads, false, text));
    if (x->nreasons == 0 && x->phases)
        explain_filled(b, 6, "", "no thread is two phases behind a barrier in memory");
    for (int i = 0; i < x->nreasons; ++i) {
        const struct explained_reason *r = &x->reason[i];
        explain_filled(b, 6,
                       r->wait    ? "wait: "
                       : r->fence ? "fence, barrier: "
                                  : "barrier: ",
                       r->text);
    }
}

// The planner sorts and merges the modes: how the plan has them.
static void put_declared(struct session *s, const struct explained_kernel *k, struct buf *b) {
    const char *text = NULL;
    for (int i = 0; i < k->ntensors; ++i)
        if (k->tensor[i].declared)
            text = arena_printf(&s->arena, "%s '%s' is %s",
                                text ? arena_printf(&s->arena, "%s,", text) : "", k->tensor[i].name,
                                k->tensor[i].declared);
    if (text)
        explain_filled(b, 4, "modes: ",
                       arena_printf(&s->arena, "the planner sorted or merged them; in the plan%s.",
                                    text));
}

static void put_kernel(struct session *s, struct buf *b, const struct explained_kernel *k) {
    explain_print_cases(s, k, b);
    const char *head = arena_printf(&s->arena, "%s %s", k->device ? "device" : "kernel", k->name);
    buf_printf(b, "%-72s %s:%d\n", head, shown(&s->arena, k->path), k->line);
    if (k->device) {
        buf_printf(b, "  called by %" PRId64 " threads of a block with tid 0 .. %" PRId64,
                   k->threads, k->threads - 1);
        for (int i = 0; i < k->nindexes; ++i) buf_printf(b, "%s %s", i ? "," : " and", k->index[i]);
        buf_char(b, '\n');
        for (int i = 0; i < k->nduties; ++i)
            buf_printf(b, "    the caller guarantees that %s\n", k->duty[i]);
    } else {
        buf_printf(b,
                   "  grid (%s,%s,%s), %" PRId64 " threads per block, %" PRId64
                   " bytes of shared memory\n",
                   k->grid[0], k->grid[1], k->grid[2], k->threads, k->smem_bytes);
    }
    if (k->family) buf_printf(b, "  %s_launch takes it if %s\n", k->family, k->numbers);
    explain_print_planned(s, k, b);
    int name = 0, type = 0, layout = 0;
    for (int i = 0; i < k->ntensors; ++i) {
        const struct explained_tensor *t = &k->tensor[i];
        int n = (int)strlen(t->name), m = (int)(strlen(t->elem) + strlen(t->space)) + 1;
        int l = t->layout ? (int)strlen(t->layout) : 0;
        if (n > name) name = n;
        if (m > type) type = m;
        if (l > layout) layout = l;
    }
    for (int i = 0; i < k->ntensors; ++i) {
        const struct explained_tensor *t = &k->tensor[i];
        buf_printf(b, "    %-*s  %-*s  %-*s", name, t->name, type,
                   arena_printf(&s->arena, "%s %s", t->elem, t->space), layout,
                   t->layout ? t->layout : "");
        if (!t->local && t->align)
            buf_printf(b, "  %s, aligned to %" PRId64 " bytes", t->direction, t->align);
        else if (!t->local)
            buf_printf(b, "  %s, in registers", t->direction);
        else if (strcmp(t->space, "shared") == 0)
            buf_printf(b, "  %" PRId64 " bytes from byte %" PRId64, t->nbytes, t->at);
        else
            buf_printf(b, "  %" PRId64 " bytes of registers per thread", t->nbytes);
        buf_char(b, '\n');
    }
    put_declared(s, k, b);
    if (k->is_case)
        buf_puts(b, "  a case of the kernel; the launcher takes the first case that holds\n");
    else if (k->nvariants)
        buf_puts(b, "  variants; the launcher takes the first variant that holds\n");
    for (int i = 0; i < k->nvariants; ++i) {
        const struct kir_variant *v = &k->variant[i];
        buf_printf(b, "    %3d bits  %s\n", v->bits, v->when_text ? v->when_text : "always holds");
    }
    if (!k->is_case) explain_print_taken(s, k, b);
    for (int i = 0; i < k->npipelines; ++i) explain_print_pipeline(k, &k->pipeline[i], b);
    if (k->nsyncs) buf_puts(b, "  waits and barriers, and the accesses that each one orders\n");
    for (int i = 0; i < k->nsyncs; ++i) put_sync(b, &k->sync[i]);
    for (int i = 0; i < k->ncopies; ++i) put_copy(s, b, k, &k->copy[i]);
    for (int i = 0; i < k->ncalls; ++i) {
        const struct explained_call *c = &k->call[i];
        buf_printf(b, "\n%-72s %s:%d\n", c->text, shown(&s->arena, k->path), c->line);
        paragraph(
            b,
            c->barrier
                ? "A barrier comes before it, because other threads may still access its arguments."
                : "No barrier is needed before it.");
    }
}

void explain_print(struct session *s, const struct explanation *e, struct buf *out) {
    for (int i = 0; i < e->nkernels; ++i) {
        if (i) buf_puts(out, "\n\n");
        put_kernel(s, out, &e->kernel[i]);
    }
}
