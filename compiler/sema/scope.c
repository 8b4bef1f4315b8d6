// Names: a hash table, in which an inner declaration hides the outer one until its scope is left.
// Also the labels of copies, which are kept for the complete run.
#include <string.h>

#include "base/warnings.h"
#include "base/words.h"
#include "plan/mma.h"
#include "sema/expr/expr.h"
#include "sema/stmt/stmt.h"
#include "sema/tile/tile.h"
#include "syntax/foreign.h"

// Most names that did-you-mean compares for one unknown name, and for all of them.
enum { MOST_NAMES = 4096, MOST_COMPARED = 1 << 18 };

static uint32_t hash(const char *name) {
    return (uint32_t)(((uintptr_t)name >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 32);
}

static uint32_t slot_of(const struct sema *c, const char *name) {
    uint32_t i = hash(name) & (c->cap - 1);
    while (c->slot[i] && c->slot[i]->name != name) i = (i + 1) & (c->cap - 1);
    return i;
}

void scope_init(struct sema *c) {
    c->cap = 256;
    c->slot = ARENA_ARRAY(&c->s->arena, struct symbol *, c->cap);
}

// A slot keeps the name of a removed symbol (value: a symbol with depth -1), so that probing
// continues beyond it.
static void widen(struct sema *c) {
    struct symbol **old = c->slot;
    uint32_t n = c->cap;
    c->cap *= 2;
    c->slot = ARENA_ARRAY(&c->s->arena, struct symbol *, c->cap);
    for (uint32_t i = 0; i < n; ++i)
        if (old[i]) c->slot[slot_of(c, old[i]->name)] = old[i];
}

struct symbol *scope_find(struct sema *c, const char *name) {
    struct symbol *sym = c->slot[slot_of(c, name)];
    int floor = c->call ? c->call->floor : 0;
    while (sym && sym->depth > 0 && sym->depth <= floor) sym = sym->outer;
    return sym && sym->depth >= 0 ? sym : NULL;
}

const char *symbol_kind_text(enum symbol_kind kind) {
    switch (kind) {
    case SYM_CONST: return "a constant";
    case SYM_PARAM: return "a param";
    case SYM_LAYOUT: return "a layout";
    case SYM_ATOM: return "an atom";
    case SYM_TILED: return "a tiled copy";
    case SYM_MMA: return "a tiled MMA";
    case SYM_TENSOR: return "a tensor";
    case SYM_AXIS: return "an axis of a mesh";
    case SYM_KERNEL: return "a kernel";
    case SYM_EXTERN: return "an extern device function";
    case SYM_LET: return "a let";
    case SYM_INDEX: return "an index";
    case SYM_LOOP: return "a loop variable";
    case SYM_MAP: return "a name of an index map";
    case SYM_BARRIER: return "a barrier";
    case SYM_BUILTIN: return "a built-in coordinate";
    }
    return "a name";
}

// A kernel's coordinates are no declarations: for these the outer name is reported, once.
static void warn_shadowed(struct sema *c, struct symbol *outer, struct ast_ident name,
                          enum symbol_kind kind) {
    if (c->imported || c->s->sources.file[name.at.file].made) return;
    if (kind == SYM_BUILTIN) {
        if (outer->imported || outer->hidden) return;
        outer->hidden = true;
        diag_warn(c->s, W_SHADOW, outer->at,
                  "'%s' is %s; in a kernel, the coordinate '%s' hides it", name.name,
                  symbol_kind_text(outer->kind), name.name);
        diag_note(c->s, name.at, "in this kernel '%s' is a coordinate", name.name);
        return;
    }
    // an argument with a type in the list is the tensor of that name, like one without a type
    if (kind == SYM_TENSOR && outer->kind == SYM_TENSOR && c->depth == 1) return;
    // an index map of a copy is evaluated twice
    if (outer->shadowed_at.end == name.at.end && outer->shadowed_at.file == name.at.file) return;
    outer->shadowed_at = name.at;
    diag_warn(c->s, W_SHADOW, name.at, "'%s' is %s that hides %s of that name", name.name,
              symbol_kind_text(kind), symbol_kind_text(outer->kind));
    if (outer->kind != SYM_BUILTIN)
        diag_note(c->s, outer->at, "'%s' is %s here", name.name, symbol_kind_text(outer->kind));
}

static struct symbol *put(struct sema *c, struct ast_ident name, enum symbol_kind kind,
                          const struct value *value) {
    if (c->used * 2 >= c->cap) widen(c);
    uint32_t i = slot_of(c, name.name);
    struct symbol *sym = ARENA_NEW(&c->s->arena, struct symbol);
    *sym = (struct symbol){.name = name.name,
                           .kind = kind,
                           .at = name.at,
                           .depth = c->depth,
                           .imported = c->imported,
                           .value = value,
                           .outer = c->slot[i] && c->slot[i]->depth >= 0 ? c->slot[i] : NULL,
                           .prev = c->last};
    if (!c->slot[i]) c->used++;
    c->slot[i] = c->last = sym;
    uses_declare(c, sym);
    return sym;
}

struct symbol *scope_declare(struct sema *c, struct ast_ident name, enum symbol_kind kind,
                             const struct value *value) {
    struct symbol *outer = scope_find(c, name.name);
    if (outer && outer->depth == c->depth) {
        diag_error(c->s, name.at, "'%s' is declared twice", name.name);
        diag_note(c->s, outer->at, "'%s' is %s here", name.name, symbol_kind_text(outer->kind));
        return NULL;
    }
    if (outer) warn_shadowed(c, outer, name, kind);
    return put(c, name, kind, value);
}

void scope_bind(struct sema *c, struct ast_ident name, enum symbol_kind kind,
                const struct value *value) {
    put(c, name, kind, value)->used = true;
}

void scope_enter(struct sema *c) {
    c->depth++;
}

static void warn_unused(struct sema *c, const struct symbol *sym) {
    if (c->s->diags.nerrors > c->errors_before) return;  // the use may be in the wrong expression
    bool planner =
        c->text && c->text->planned;  // the arguments of the user's own text are asked of
    if (sym->used || sym->imported || planner || sym->kind == SYM_BUILTIN ||
        sym->kind == SYM_KERNEL || sym->kind == SYM_LOOP || sym->kind == SYM_MAP)
        return;
    int errors = c->s->diags.nerrors;
    diag_warn(c->s, W_UNUSED, sym->at, "'%s' is %s that nothing uses", sym->name,
              symbol_kind_text(sym->kind));
    // -Werror made it an error, which must not suppress others
    c->errors_before += c->s->diags.nerrors - errors;
}

void scope_finish(struct sema *c) {
    if (!c->plan->kernels) return;  // a file without kernels is for imports
    for (const struct symbol *sym = c->last; sym; sym = sym->prev) warn_unused(c, sym);
}

void scope_leave(struct sema *c) {
    while (c->last && c->last->depth == c->depth) {
        struct symbol *sym = c->last;
        warn_unused(c, sym);
        uses_type(c, sym);
        c->last = sym->prev;
        sym->depth = -1;
        c->slot[slot_of(c, sym->name)] = sym->outer ? sym->outer : sym;
    }
    c->depth--;
}

// Handles CUDA's indices: "threadIdx.x" is "tid", "blockIdx.x" is "block.x".
static bool cuda_index(struct sema *c, const char *name, struct range at) {
    bool thread = strcmp(name, "threadIdx") == 0;
    if (!thread && strcmp(name, "blockIdx") != 0) return false;
    const struct source *f = &c->s->sources.file[at.file];
    const char *ours = thread ? "tid" : "block", *text = f->text + at.end;
    size_t left = f->size - at.end;
    bool first = left >= 2 && memcmp(text, ".x", 2) == 0, member = left >= 1 && text[0] == '.';
    if (thread && member && !first) {
        diag_error(c->s, at,
                   "nothing is called '%s' here; 'tid' numbers the threads of a block; 'tid %% 16' "
                   "and 'tid / 16' are two axes of them",
                   name);
        return true;
    }
    diag_error(c->s, at, "nothing is called '%s' here; did you mean '%s'?", name,
               thread ? "tid" : "block.x");
    if (thread && first) at.end += 2;
    diag_fixit(c->s, at, thread || member ? ours : "block.x");
    return true;
}

// If "name" is a module, the word after it: 'size' of cute.size(A).  Extends "*at" to all of it.
// NULL if it is no module.
static const char *of_module(struct sema *c, const char *name, struct range *at) {
    const struct source *f = &c->s->sources.file[at->file];
    if (!foreign_module(name)) return NULL;
    do {
        uint32_t from = at->end + 1, to = from;
        if (at->end >= f->size || f->text[at->end] != '.') return NULL;
        to += (uint32_t)word_length(f->text + to);
        if (to == from) return NULL;
        name = intern_n(c->s, f->text + from, to - from);
        at->end = to;
    } while (foreign_module(name));
    return name;
}

// Handles "program_id(1)" and "program_id(axis=1)", the block's coordinate along y.  Extends "*at"
// to all of it.
static const char *program_id(struct sema *c, const char *name, struct range *at) {
    static const char *const axes[] = {"block.x", "block.y", "block.z"};
    const struct source *f = &c->s->sources.file[at->file];
    size_t length;
    if (strcmp(name, "program_id") != 0) return NULL;
    const char *inside = foreign_brackets(c->s, f->text + at->end, f->size - at->end, &length);
    if (inside && strncmp(inside, "axis=", 5) == 0) inside += 5;
    if (!inside || inside[0] < '0' || inside[0] > '2' || inside[1]) return NULL;
    at->end += (uint32_t)length;
    return axes[inside[0] - '0'];
}

// The text to write for the word "w" at "at" with its arguments; NULL if it is not a single text.
static const char *written_for(struct sema *c, const struct foreign *w, struct range *at) {
    const struct source *f = &c->s->sources.file[at->file];
    size_t length;
    const char *inside = foreign_brackets(c->s, f->text + at->end, f->size - at->end, &length);
    bool argument = strchr(w->ours, '%') != NULL;
    if (argument && (!inside || !*inside)) return NULL;
    if (!inside || f->text[at->end] != '(' || (!argument && *inside)) return w->ours;
    at->end += (uint32_t)length;
    return argument ? sema_text(c, w->ours, inside) : w->ours;
}

// Whether the name at "at" is called with a tensor: "squeeze(A)".
static bool called_with_tensor(struct sema *c, struct range at) {
    const struct source *f = &c->s->sources.file[at.file];
    size_t length, n = 0;
    const char *inside = foreign_brackets(c->s, f->text + at.end, f->size - at.end, &length);
    if (!inside || f->text[at.end] != '(') return false;
    n += word_length(inside + n);
    const struct symbol *sym = n ? scope_find(c, intern_n(c->s, inside, n)) : NULL;
    return sym && sym->tensor;
}

// Handles "universal(uint128_t)": a width given as a type.
static bool width_as_type(struct sema *c, const char *name, struct range at) {
    const struct elem_type *type = foreign_type(name) ? elem_type_find(foreign_type(name)) : NULL;
    const char *text = c->s->sources.file[at.file].text;
    static const char *const before[] = {"universal(", "auto("};
    for (int i = 0; type && i < 2; ++i) {
        size_t n = strlen(before[i]);
        if (at.begin < n || memcmp(text + at.begin - n, before[i], n) != 0) continue;
        const char *bits = sema_text(c, "%d", type->bits);
        diag_error(c->s, at, "the width of an access is a number of bits: '%s%s)'", before[i],
                   bits);
        diag_fixit(c->s, at, bits);
        return true;
    }
    return false;
}

// Handles words of CUDA C++, CuTe and others for values.
static bool foreign_name(struct sema *c, const char *name, struct range at) {
    if (cuda_index(c, name, at) || width_as_type(c, name, at)) return true;
    const struct source *f = &c->s->sources.file[at.file];
    struct range all = at;
    const char *member = of_module(c, name, &all);
    if (member) {
        name = member;
        at = all;
    }
    const struct foreign *w = foreign_find(FOREIGN_VALUE, name);
    const char *mma = foreign_mma(c->s, name);
    if (mma && mma_find(mma)) {
        const char *tiled = sema_text(c, "mma(%s)", mma);
        diag_error(c->s, at, "an instruction goes in a tiled MMA: '%s'", tiled);
        diag_fixit(c->s, at, tiled);
        return true;
    }
    size_t length = 0;
    const char *axis = program_id(c, name, &at);
    const char *type = foreign_type(name);
    const char *inside =
        type ? foreign_brackets(c->s, f->text + at.end, f->size - at.end, &length) : NULL;
    bool source = c->sought.tensor.end == at.end && at.end > 0;
    if (inside && *inside && f->text[at.end] == '(' && (source || called_with_tensor(c, at))) {
        diag_error(
            c->s, at,
            "a copy converts by itself, to the element type of its destination; there is no cast");
        at.end += (uint32_t)length;
        diag_fixit(c->s, at, inside);
        return true;
    }
    const char *ours = axis ? axis : w && w->ours ? written_for(c, w, &at) : type;
    uint32_t begin = all.end - (uint32_t)strlen(name);
    bool ptx = strcmp(name, "cp") == 0 && f->size - at.end > 6 &&
               memcmp(f->text + at.end, ".async", 6) == 0;
    const char *whole = foreign_expression(c->s, f->text + begin, f->size - begin, true, &length);
    if (whole) {
        at.end = begin + (uint32_t)length;
        ours = whole;
    } else if (name[0] == '_' && name[1] && !name[1 + strspn(name + 1, "0123456789")]) {
        ours = name + 1;
    } else if (ptx) {
        at.end += 6;
        ours = "cp_async";
    } else if (member && !w && (builtin_known(name) || atom_known(name))) {
        ours = name;
    }
    if (!ours && !w && !member) return false;
    if (ours && w && f->size - at.end > 2 && f->text[at.end] == '.' && f->text[at.end + 1] == 'x') {
        if (strcmp(ours, "tid") == 0) at.end += 2;
        if (strcmp(ours, "block.x") == 0) ours = "block";
    }
    const char *wrote = member ? intern_n(c->s, f->text + all.begin, all.end - all.begin) : name;
    if (ours)
        diag_error(c->s, at, "nothing is called '%s' here; did you mean '%s'?", wrote, ours);
    else if (w && w->help)
        diag_error(c->s, at, "nothing is called '%s' here; %s", wrote, w->help);
    else if (w)
        diag_error(c->s, at, "nothing is called '%s' here; write '%s'", wrote,
                   sema_text(c, w->ours, "A"));
    else
        diag_error(c->s, at, "nothing is called '%s' here", wrote);
    if (ours) diag_fixit(c->s, at, ours);
    return true;
}

// Notes how the unknown "name" would be declared.
static void note_declaration(struct sema *c, const char *name, struct range at) {
    const struct source *f = &c->s->sources.file[at.file];
    const char *next = f->text + at.end;
    size_t left = f->size - at.end;
    bool member = left > 4 && (memcmp(next, ".src", 4) == 0 || memcmp(next, ".dst", 4) == 0);
    if (called_with_tensor(c, at)) return;
    if (c->sought.tensor.end == at.end && at.end > 0)
        diag_note(
            c->s, at,
            "a tensor is declared above the kernel, 'tensor %s : f32 global (64,64);', and named "
            "in its list; a buffer is declared above the copy, 'shared %s : f32 (64,64);'",
            name, name);
    else if (c->sought.formal.end == at.end && at.end > 0)
        diag_note(
            c->s, at,
            "a kernel's list names tensors declared above, 'tensor %s : f32 global (64,64);'; a "
            "device function's list also declares its arguments: '%s : f32 shared (64,64)'",
            name, name);
    else if (member)
        diag_note(c->s, at, "to give a copy this name, write '%s: copy A -> B with tc;'", name);
    else if (c->sought.sizes && (left == 0 || !strchr("(.", *next)))
        diag_note(c->s, at,
                  "declare a size as 'const %s = 64;' if it is known when compiling, as 'param %s "
                  ": index;' if the launcher gets it",
                  name, name);
}

// Whether a block of this kernel declares "name", and ends before "at".
static bool left_scope(struct sema *c, const char *name, struct range at) {
    const struct symbol *sym = c->slot[slot_of(c, name)];
    if (!sym || sym->name != name || sym->depth >= 0 || !c->kernel || sym->at.file != at.file ||
        sym->at.begin > at.begin || sym->at.begin < c->kernel->at.begin)
        return false;
    diag_error(c->s, at, "nothing is called '%s' here: the block that declares it ends before this",
               name);
    diag_note(c->s, sym->at, "'%s' is declared here", name);
    return true;
}

const struct value *scope_unknown(struct sema *c, const char *name, struct range at) {
    const struct ast_ident *below = scope_below(c, name, at);
    for (int i = 0; c->list && i < c->list->nformals; ++i) {
        const struct ast_formal *f = &c->list->formal[i];
        if (f->kind != FORMAL_INDEX || f->name.name != name) continue;
        diag_error(c->s, at, "'%s' is used before its declaration in this list", name);
        diag_note(c->s, f->at, "'%s' is declared here; move it before what uses it", name);
        return &value_none;
    }
    if (below) {
        diag_error(c->s, at, "'%s' is used above its declaration", name);
        diag_note(c->s, below->at, "'%s' is declared here; move it up", name);
        return &value_none;
    }
    if (left_scope(c, name, at) || foreign_name(c, name, at)) return &value_none;
    const char *names[MOST_NAMES];
    int n = 0;
    bool how = c->sought.how.end == at.end && at.end > 0;
    for (struct symbol *sym = c->last; sym && n < MOST_NAMES / 2; sym = sym->prev)
        if (how ? sym->kind == SYM_TILED || sym->kind == SYM_ATOM
                : !c->kernel || sym->name != c->kernel->name)
            names[n++] = sym->name;
    bool lower = strpbrk(name, "abcdefghijklmnopqrstuvwxyz") != NULL;
    if (!how && (lower || !c->sought.sizes))
        builtin_names(names, &n, MOST_NAMES);  // MM is not a function
    const char *near = c->compared < MOST_COMPARED ? diag_did_you_mean(name, names, n) : NULL;
    c->compared += n;
    if (!near || strcmp(near, name) == 0) {  // the latter: an operation where a tensor is sought
        diag_error(c->s, at,
                   how && n > 0 ? "no tiled copy is called '%s'; there is '%s'"
                                : "nothing is called '%s' here",
                   name, n > 0 ? names[0] : "");
        if (how && n == 0)
            diag_note(c->s, at,
                      "'tiled_copy %s = tile(auto(128), thr=(8,16):(16,1), val=(1,4));' above the "
                      "kernel declares one",
                      name);
        note_declaration(c, name, at);
        return &value_none;
    }
    diag_error(c->s, at, "nothing is called '%s' here; did you mean '%s'?", name, near);
    diag_fixit(c->s, at, near);
    struct symbol *sym = scope_find(c, intern(c->s, near));
    if (sym && sym->kind != SYM_BUILTIN)
        diag_note(c->s, sym->at, "'%s' is %s here", near, symbol_kind_text(sym->kind));
    return &value_none;
}

struct label *label_find(struct sema *c, const char *name, struct range at) {
    struct label *found = NULL, *other = NULL;
    for (struct label *l = c->labels; l; l = l->next) {
        if (l->name != name || (c->kernel && l->kernel != c->kernel)) continue;
        if (l->call != c->call) continue;
        if (found)
            other = l;
        else
            found = l;
    }
    if (other) {
        diag_error(c->s, at,
                   "'%s' labels a copy in more than one kernel; write the expectation in the "
                   "kernel that is meant",
                   name);
        diag_note(c->s, found->at, "one is here");
        diag_note(c->s, other->at, "one is here");
    }
    return found;
}
