// Writes a plan with every choice written down, for `tcpc explain --plan`.
//
// Keeps the text of the plan, with its comments and names.  What the compiler chose or computed
// replaces the original text: constants given on the command line, the architecture, layouts,
// alignments, tiled copies, grids and threads.  Imported files are inserted where they are
// imported.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "explain/private.h"
#include "kernel/kernel_ir.h"
#include "plan/print.h"
#include "syntax/ast.h"
#include "syntax/format.h"
#include "syntax/parse.h"

// Replaces bytes [begin, end) of a file by "text".
struct edit {
    uint32_t begin, end;
    const char *text;
    // sorted by begin, then by time
    struct edit *next;
};

struct seen {
    const char *real;
    struct seen *next;
};

struct writer {
    struct session *s;
    const struct plan *plan;
    const struct kir *kir;
    struct edit *edits, *last;           // for the current file; the last one made
    struct seen *seen;                   // files already inserted
    const struct define *const *define;  // sorted by name
    struct mention *mention;             // of the plan's tensors, sorted by name
    int nmentions;
};

static void replace(struct writer *w, uint32_t begin, uint32_t end, const char *text) {
    struct edit *e = ARENA_NEW(&w->s->arena, struct edit);
    struct edit **at = w->last && w->last->begin < begin ? &w->last->next : &w->edits;
    while (*at && (*at)->begin <= begin) {
        if (end > begin && (*at)->begin == begin && (*at)->end == end) return;  // already done
        at = &(*at)->next;
    }
    *e = (struct edit){begin, end, text, *at};
    *at = w->last = e;
}

static void replace_range(struct writer *w, struct range r, const char *text) {
    replace(w, r.begin, r.end, text);
}

// -- tensors --------------------------------------------------------------------------------------

static bool same_place(struct range a, struct range b) {
    return a.file == b.file && a.begin == b.begin;
}

static const struct tensor *tensor_at(const struct writer *w, struct range at) {
    for (int i = 0; i < w->plan->ntensors; ++i)
        if (same_place(w->plan->tensor[i]->at, at)) return w->plan->tensor[i];
    for (const struct kernel *k = plan_next(w->plan, NULL); k; k = plan_next(w->plan, k)) {
        for (int i = 0; i < k->nlocal; ++i)
            if (same_place(k->local[i]->at, at)) return k->local[i];
        for (int i = 0; i < k->nformals; ++i)
            if (same_place(k->formal[i].tensor->at, at)) return k->formal[i].tensor;
    }
    return NULL;
}

// Whether a layout names its modes; it is then kept as written.
static bool names_modes(const struct ast_expr *e) {
    for (int i = 0; i < e->nargs; ++i)
        if (e->arg[i].key.name || names_modes(e->arg[i].value)) return true;
    return false;
}

// Whether a stride is computed from params.  Written out, it would be independent of the extent
// that it is computed from, so such a layout is also kept as written.
static bool computes_strides(const struct lay_tuple *stride) {
    for (int i = 0; !lay_is_leaf(stride) && i < stride->rank; ++i)
        if (computes_strides(stride->kid[i])) return true;
    for (int i = 0; lay_is_leaf(stride) && i < stride->leaf.nsyms; ++i)
        if (!stride->leaf.syms[i]->name) return true;
    return false;
}

// The alignment of "t" that all launchers and device functions require; 0 if they differ or there
// are none.
static int align_asked(const struct writer *w, const struct tensor *t) {
    int align = 0;
    for (const struct kir_kernel *k = w->kir->kernels; k; k = k->next) {
        int asked = explain_align(k, t);
        if (asked && k->narrower) return 0;  // with a promise, variants would disappear
        if (align && asked && align != asked) return 0;
        if (asked) align = asked;
    }
    return align;
}

static void pin_type(struct writer *w, struct range name, const struct ast_type *type,
                     bool stages) {
    const struct tensor *t = tensor_at(w, name);
    if (!t || type->like || t->spread) return;
    if (!stages && lay_valid(t->layout) && !names_modes(type->shape) &&
        !computes_strides(t->layout.stride))
        replace_range(w, type->shape->at, plan_named_layout(w->s, t->layout, t->names));
    int align = t->space == MEM_GLOBAL && !type->align ? align_asked(w, t) : 0;
    if (align)
        replace(w, type->shape->at.end, type->shape->at.end,
                arena_printf(&w->s->arena, " align %d", align));
}

// Writes the swizzle that `swizzle auto` has chosen, which is already in the tree.
static void pin_swizzle(struct writer *w, const struct ast_stmt *st) {
    const struct ast_expr *shape = st->buffer.type.shape;
    struct buf b;
    buf_init(&b);
    ast_print_expr(&b, shape);
    struct range at = range_join(shape->at, st->buffer.swizzle_at);
    replace_range(w, at, buf_finish(&b, &w->s->arena));
}

// -- tiled copies ---------------------------------------------------------------------------------

// Extends "at" to the "by" before it; false if something else is directly before it.
static bool with_by(const struct writer *w, struct range *at) {
    const char *text = w->s->sources.file[at->file].text;
    uint32_t i = at->begin;
    while (i > 0 && strchr(" \t\n", text[i - 1])) --i;
    if (i < 2 || memcmp(text + i - 2, "by", 2) != 0) return false;
    at->begin = i - 2;
    return true;
}

// Whether a copy in "list" with "tc" uses only its map, although the map is a layout of the tile.
static bool goes_by_map(const struct stmt *list, const struct tiled_copy *tc) {
    for (const struct stmt *st = list; st; st = stmt_next(list, st)) {
        if (st->kind == STMT_COPY && st->copy->facts.by_map && st->copy->tc &&
            same_place(st->copy->tc->at, tc->at))
            return true;
    }
    return false;
}

static bool needs_map(const struct writer *w, const struct tiled_copy *tc) {
    if (!tc->map) return false;
    for (const struct kernel *k = plan_next(w->plan, NULL); k; k = plan_next(w->plan, k))
        if (goes_by_map(k->body, tc)) return true;
    return !lay_valid(tc->tv);
}

static void pin_tiled(struct writer *w, const struct tiled_copy *tc, int file) {
    struct lay_ctx *x = &w->s->lay;
    struct arena *a = &w->s->arena;
    if (!tc || tc->at.file != (uint32_t)file || tc->at.end == tc->at.begin) return;
    const struct atom *atom = &tc->atom;
    const char *how;
    if (lay_valid(tc->thr) && lay_valid(tc->val))
        how = arena_printf(a, "thr=%s, val=%s", lay_text(x, tc->thr), lay_text(x, tc->val));
    else if (needs_map(w, tc))
        how = arena_printf(a, "map=%s, tile=%s", tc->map->text, lay_tuple_text(x, tc->map->tile));
    else
        how = arena_printf(a, "tv=%s, tile=%s", lay_text(x, tc->tv), lay_tuple_text(x, tc->tiler));
    struct range at = tc->at;
    if (tc->by && !with_by(w, &at)) return;
    replace_range(w, at,
                  arena_printf(a, "%stile(%s, %s)", tc->by ? "with " : "",
                               atom_of(w->s, atom, atom->elem), how));
}

static void pin_used(struct writer *w, const struct stmt *list, int file) {
    for (const struct stmt *st = list; st; st = stmt_next(list, st))
        if (st->kind == STMT_COPY) pin_tiled(w, st->copy->tc, file);
}

// -- declarations ---------------------------------------------------------------------------------

static void pin_block(struct writer *w, const struct ast_block *b) {
    for (int i = 0; b && i < b->nstmts; ++i) {
        const struct ast_stmt *st = b->stmt[i];
        if (st->kind == S_SHARED && st->buffer.swizzle_at.end)
            pin_swizzle(w, st);
        else if (st->kind == S_SHARED || st->kind == S_FRAG)
            pin_type(w, st->name.at, &st->buffer.type, st->buffer.stages != NULL);
        else if (st->kind == S_FOR)
            pin_block(w, st->loop.body);
        else if (st->kind == S_PIPELINE)
            for (int p = 0; p < st->loop.nparts; ++p) pin_block(w, st->loop.part[p].body);
    }
}

static const struct kernel *kernel_of(const struct writer *w, const struct ast_decl *d) {
    const struct kernel *k = plan_next(w->plan, NULL);
    while (k && !same_place(k->at, d->name.at)) k = plan_next(w->plan, k);
    return k;
}

// A tensor of the current file, and what mentions it.
struct mention {
    const struct ast_decl *tensor;
    bool planned, other;  // kernels written by the planner; anything else
};

static int by_name(const void *a, const void *b) {
    uintptr_t x = (uintptr_t)((const struct mention *)a)->tensor->name.name;
    uintptr_t y = (uintptr_t)((const struct mention *)b)->tensor->name.name;
    return x < y ? -1 : x > y;
}

static struct mention *mention_of(const struct writer *w, const char *name) {
    const struct ast_decl key = {.name = {.name = name}};
    const struct mention x = {.tensor = &key};
    if (!w->nmentions) return NULL;
    return bsearch(&x, w->mention, (size_t)w->nmentions, sizeof x, by_name);
}

// Whether the planner's text takes the place of "k".  That of a copy between devices has params that
// no plan declares, so this one stays a copy.
static bool written_anew(const struct kernel *k) {
    return k->planned && !k->mesh;
}

// Records the tensors that the words of "d" mention.
static void note_words(struct writer *w, const struct ast_decl *d) {
    static const char in_words[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    const struct kernel *k = d->kind == D_FN ? kernel_of(w, d) : NULL;
    const char *text = w->s->sources.file[d->at.file].text, *end = text + d->at.end;
    for (const char *p = text + d->at.begin; p < end;) {
        size_t n = strspn(p, in_words);
        struct mention *x = n ? mention_of(w, intern_n(w->s, p, n)) : NULL;
        if (x && x->tensor != d) *(k && written_anew(k) ? &x->planned : &x->other) = true;
        p += n ? n : 1;
    }
}

static void find_mentions(struct writer *w, const struct ast_file *f) {
    w->mention = ARENA_ARRAY(&w->s->arena, struct mention, f->ndecls + 1);
    w->nmentions = 0;
    for (int i = 0; i < f->ndecls; ++i)
        if (f->decl[i]->kind == D_TENSOR) w->mention[w->nmentions++].tensor = f->decl[i];
    qsort(w->mention, (size_t)w->nmentions, sizeof *w->mention, by_name);
    for (int i = 0; i < f->ndecls; ++i) note_words(w, f->decl[i]);
}

// Whether only kernels written by the planner mention the tensor "d": their text has its own
// tensors.
static bool taken_by_planned(const struct writer *w, const struct ast_decl *d) {
    const struct mention *x = mention_of(w, d->name.name);
    return x && x->planned && !x->other;
}

static void pin_fn(struct writer *w, const struct ast_decl *d) {
    struct session *s = w->s;
    const struct ast_fn *fn = &d->fn;
    const struct kernel *k = kernel_of(w, d);
    for (int i = 0; i < fn->nformals; ++i)
        if (fn->formal[i].kind == FORMAL_TENSOR)
            pin_type(w, fn->formal[i].name.at, &fn->formal[i].type, false);
    pin_block(w, fn->body);
    if (!k) return;
    if (k->mesh) return;
    if (written_anew(k)) {  // the kernel's 'allow' follows the comments of its new text
        struct range all = ast_whole(d->at, &d->allow);
        const char *head = k->planned;
        while (strncmp(head, "//", 2) == 0) head = strchr(head, '\n') + 1;
        replace_range(w, all,
                      arena_printf(&s->arena, "%.*s%.*s%s", (int)(head - k->planned), k->planned,
                                   (int)(d->at.begin - all.begin),
                                   s->sources.file[all.file].text + all.begin, head));
        return;
    }
    const char *grid =
        arena_printf(&s->arena, "(%s,%s,%s)", lay_int_text(&s->lay, k->grid[0]),
                     lay_int_text(&s->lay, k->grid[1]), lay_int_text(&s->lay, k->grid[2]));
    const char *threads = arena_printf(&s->arena, "%" PRId64, k->threads);
    uint32_t end = fn->head_at.end;
    if (fn->grid)
        replace_range(w, fn->grid->at, grid);
    else if (!k->device)
        replace(w, end, end, arena_printf(&s->arena, " grid %s", grid));
    if (fn->threads)
        replace_range(w, fn->threads->at, threads);
    else
        replace(w, end, end, arena_printf(&s->arena, " threads %s", threads));
}

static void pin_const(struct writer *w, const struct ast_decl *d) {
    int first, end = defines_of(w->define, w->s->options.ndefines, d->name.name, &first);
    if (end > first) replace_range(w, d->value->at, w->define[end - 1]->text);
}

static const char *edited(struct writer *w, const struct ast_file *f, bool imported);

// The text of an imported file; empty if it was already inserted.
static const char *imported(struct writer *w, const struct ast_decl *d) {
    struct session *s = w->s;
    const char *from = s->sources.file[d->at.file].path, *path = d->import.path;
    const char *slash = strrchr(from, '/');
    if (path[0] != '/' && slash)
        path = arena_printf(&s->arena, "%.*s%s", (int)(slash - from + 1), from, path);
    char *real = realpath(path, NULL);
    const char *key = intern(s, real ? real : path);
    free(real);
    for (const struct seen *x = w->seen; x; x = x->next)
        if (x->real == key) return "";
    struct seen *x = ARENA_NEW(&s->arena, struct seen);
    *x = (struct seen){key, w->seen};
    w->seen = x;
    for (int i = 0; i < s->sources.n; ++i)
        if (strcmp(s->sources.file[i].path, path) == 0) return edited(w, parse_source(s, i), true);
    BUG("import '%s' has not been read", path);
}

static void pin_decl(struct writer *w, const struct ast_decl *d, bool in_import) {
    const char *arch = w->plan->arch_name;
    switch (d->kind) {
    case D_TCP:
        if (in_import) replace_range(w, d->at, "");
        break;
    case D_ARCH: replace_range(w, in_import ? d->at : d->name.at, in_import ? "" : arch); break;
    case D_IMPORT: break;  // edited() has handled it
    case D_CONST: pin_const(w, d); break;
    case D_TENSOR: pin_type(w, d->name.at, &d->type, false); break;
    case D_FN:
        if (in_import)
            replace_range(w, ast_whole(d->at, &d->allow), "");
        else
            pin_fn(w, d);
        break;
    case D_PARAM:
    case D_LAYOUT:
    case D_ATOM:
    case D_TILED_COPY:
    case D_TILED_MMA:
    case D_MESH:
    case D_EXPECT: break;
    }
}

// The text of "f" with its edits.
static const char *edited(struct writer *w, const struct ast_file *f, bool in_import) {
    struct session *s = w->s;
    struct edit *outer = w->edits;
    bool has_arch = false;
    w->edits = w->last = NULL;
    if (!in_import) find_mentions(w, f);
    for (int i = 0; i < f->ndecls; ++i) {
        has_arch |= f->decl[i]->kind == D_ARCH;
        if (f->decl[i]->kind == D_IMPORT)
            replace_range(w, f->decl[i]->at, imported(w, f->decl[i]));
        else if (f->decl[i]->kind == D_TENSOR && !in_import && taken_by_planned(w, f->decl[i]))
            replace_range(w, ast_whole(f->decl[i]->at, &f->decl[i]->allow), "");
        else
            pin_decl(w, f->decl[i], in_import);
    }
    for (int i = 0; i < w->plan->ntiled; ++i) pin_tiled(w, w->plan->tiled[i], f->file);
    for (const struct kernel *k = plan_next(w->plan, NULL); k; k = plan_next(w->plan, k))
        pin_used(w, k->body, f->file);
    if (!in_import && !has_arch && f->ndecls)
        replace(w, f->decl[0]->at.end, f->decl[0]->at.end,
                arena_printf(&s->arena, "\narch %s;", w->plan->arch_name));
    const struct source *src = &s->sources.file[f->file];
    struct buf b;
    buf_init(&b);
    uint32_t at = 0;
    for (const struct edit *e = w->edits; e; e = e->next) {
        if (e->begin < at) continue;  // inside a part that was replaced
        buf_write(&b, src->text + at, e->begin - at);
        buf_puts(&b, e->text);
        at = e->end;
    }
    buf_write(&b, src->text + at, src->size - at);
    w->edits = outer;
    w->last = NULL;
    return buf_finish(&b, &s->arena);
}

const char *explain_source(struct session *s, const struct plan *p, const struct kir *ir,
                           const struct ast_file *file) {
    struct writer w = {s, p, ir, NULL, NULL, NULL, session_defines(s), NULL, 0};
    const char *text = edited(&w, file, false);
    int index = source_add(s, "<plan>", text, strlen(text));
    if (index < 0) {
        diag_error(s, RANGE_NONE, "the plan is too long to be written");
        return NULL;
    }
    return format_source(s, index);
}
