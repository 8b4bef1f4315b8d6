// Do two kernels move the same data?  They do if their code is the same.  Otherwise both are
// executed, and their readers and writers are compared.
#include "check/equivalent.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "image/image.h"
#include "kernel/kernel_ir.h"
#include "machine/trace.h"
#include "machine/values.h"
#include "oracle/oracle.h"
#include "plan/bind.h"

enum { MAX_CHOICES = 3 };
#define WHOLE_LIMIT ((int64_t)1 << 22)  // most elements of all tensors for a complete comparison
// Limits for the steps of all comparisons of a plan, and for more steps per byte of its text.
// Steps are executed operations, compared elements, and bytes of code.
enum { PLAN_STEPS = 1 << 24, STEPS_A_BYTE = 1 << 10 };
// Limit for one comparison.  Each step may keep an element in memory until the end.
enum { MOST_STEPS = 9 << 20 };
// Limit for the pages of 2 KB of one side: its memory, its writers and its readers.  If all of
// WHOLE_LIMIT is written, adjacent elements take at most 2^15 pages.  Both sides together have at
// most 200 MB.
enum { MOST_PAGES = 3 << 14 };
// For large tensors, some blocks are executed as a test.
enum { PART_STEPS = 1 << 18 };

static const struct tensor *tensor_named(const struct kernel *k, const char *name) {
    for (int i = 0; i < k->nformals; ++i) {
        if (strcmp(k->formal[i].tensor->name, name) == 0) return k->formal[i].tensor;
    }
    return NULL;
}

static const struct tensor *tensor_by_id(const struct kernel *k, int id) {
    for (int i = 0; i < k->nformals; ++i) {
        if (k->formal[i].tensor->id == id) return k->formal[i].tensor;
    }
    return NULL;
}

static const struct kir_kernel *first_of(const struct kir *ir, const struct kernel *k) {
    for (const struct kir_kernel *x = ir->kernels; x; x = x->next)
        if (strcmp(x->name, k->name) == 0) return x;
    BUG("kernel '%s' has no code", k->name);
}

// The variant that runs for all values of the params.
static const struct kir_kernel *ir_of(const struct kir *ir, const struct kernel *k) {
    const struct kir_kernel *x = first_of(ir, k);
    while (x->next_case) x = x->next_case;
    while (x->narrower) x = x->narrower;
    return x;
}

// Such as "element 9 of 'B', at (1,0)".
static const char *element_text(struct session *s, const struct tensor *t, const int64_t *sym,
                                int64_t off) {
    struct oracle_flat f;
    const char *plain = arena_printf(&s->arena, "element %" PRId64 " of '%s'", off, t->name);
    if (!oracle_flatten(t->layout, sym, &f) || f.size > WHOLE_LIMIT) return plain;
    for (int64_t i = 0; i < f.size; ++i) {
        if (oracle_swizzle(f.sw, oracle_flat_at(&f, i) + f.offset) != off) continue;
        const char *at = "";
        int64_t rest = i;
        for (int m = 0; m < f.n; ++m) {
            at = arena_printf(&s->arena, "%s%s%" PRId64, at, m ? "," : "", rest % f.extent[m]);
            rest /= f.extent[m];
        }
        return arena_printf(&s->arena, "%s, at (%s),", plain, at);
    }
    return plain;
}

struct side {
    const struct kernel *k;
    struct image *img;
    struct kir_trace trace;
};

struct comparison {
    struct session *s;
    const struct plan *p;
    const struct kir *ir;
    const struct kernel *of_a, *of_b;
    const int64_t *sym;
    struct side a, b;
    int64_t *left;
    const char **open;
};

int64_t equivalent_steps(const struct session *s) {
    return PLAN_STEPS + STEPS_A_BYTE * source_bytes(s);
}

static const char *who(struct session *s, int64_t mark) {
    if (mark == IMAGE_POISON) return "nobody";
    return arena_printf(&s->arena, "thread %" PRId64 " of block %" PRId64, kir_writer_thread(mark),
                        kir_writer_block(mark));
}

static const struct constant *constant_by_id(const struct plan *p, int id) {
    for (const struct constant *k = p->constants; k; k = k->next)
        if (k->id == id) return k;
    BUG("no constant has the number %d", id);
}

// The meaning of a tag of kernel "k": a number, or a name and an offset.
static const char *value_text(const struct comparison *c, const struct kernel *k, int64_t tag) {
    struct session *s = c->s;
    if (tag == IMAGE_POISON) return "nothing";
    if (image_is_constant(tag)) {
        const struct constant *n = constant_by_id(c->p, image_constant_of(tag));
        return arena_printf(&s->arena, "the number %s of %s%s", n->text, n->elem->name,
                            elem_tag_types(s, tag));
    }
    const struct tensor *t = image_is_opaque(tag) ? NULL : tensor_by_id(k, image_tag_tensor(tag));
    if (!t) return "what a function gave";
    return arena_printf(&s->arena, "element %" PRId64 " of '%s'%s", image_tag_offset(tag), t->name,
                        elem_tag_types(s, tag));
}

// Whether two tags name the same element.  Most are elements of tensors, which can be compared
// without making text.
static bool same_element(const struct side *x, int64_t one, const struct side *y, int64_t two) {
    if (one == IMAGE_POISON || image_is_constant(one) || image_is_opaque(one) ||
        two == IMAGE_POISON || image_is_constant(two) || image_is_opaque(two) ||
        image_tag_offset(one) != image_tag_offset(two) ||
        image_tag_types(one) != image_tag_types(two))
        return false;
    const struct tensor *t = tensor_by_id(x->k, image_tag_tensor(one)),
                        *u = tensor_by_id(y->k, image_tag_tensor(two));
    return t && u && strcmp(t->name, u->name) == 0;
}

// Checks that "y" wrote and read whatever "x" did.
static const char *compare(const struct comparison *c, const struct side *x, const struct side *y) {
    const char *found = NULL;
    for (int what = 0; what < 2 && !found; ++what) {
        struct image_iter it = image_begin(what ? x->trace.readers : x->trace.writer);
        struct image_entry e;
        while (!found && --*c->left > 0 && image_next(&it, &e)) {
            const struct tensor *t = tensor_by_id(x->k, (int)e.buf),
                                *u = t ? tensor_named(y->k, t->name) : NULL;
            if (!t || e.tag == IMAGE_POISON) continue;
            int64_t other = u ? image_load(what ? y->trace.readers : y->trace.writer,
                                           image_global(u->id), e.off)
                              : IMAGE_POISON;
            const char *element = other == e.tag ? NULL : element_text(c->s, t, c->sym, e.off);
            if (element && what) {
                found = arena_printf(
                    &c->s->arena,
                    "%s is read by different threads, or more often, in '%s' than in '%s'", element,
                    x->k->name, y->k->name);
            } else if (element) {
                found = arena_printf(&c->s->arena, "%s is written by %s in '%s', by %s in '%s'",
                                     element, who(c->s, e.tag), x->k->name, who(c->s, other),
                                     y->k->name);
            } else if (!what) {
                int64_t here = image_load(x->img, image_global(t->id), e.off),
                        there = image_load(y->img, image_global(u->id), e.off);
                if (same_element(x, here, y, there)) continue;
                const char *one = value_text(c, x->k, here), *two = value_text(c, y->k, there);
                if (strcmp(one, two) == 0) continue;
                found = arena_printf(&c->s->arena, "%s becomes %s in '%s', %s in '%s'",
                                     element_text(c->s, t, c->sym, e.off), one, x->k->name, two,
                                     y->k->name);
            }
        }
        image_end(&it);
    }
    return found;
}

static void open_side(struct side *x, const struct kernel *k) {
    *x = (struct side){k, image_new(), {image_new(), image_new()}};
    for (int i = 0; i < k->nformals; ++i) {
        if (k->formal[i].dir != ARG_OUT) image_set_input(x->img, k->formal[i].tensor->id);
    }
}

static void close_side(struct side *x) {
    image_free(x->img);
    image_free(x->trace.writer);
    image_free(x->trace.readers);
}

// -- the same code --------------------------------------------------------------------------------

// The code of "x" in all its variants, without heads and comments.  Tensors and variables appear by
// name; names of variables are unique in a kernel.
static char *code_of(struct session *s, const struct kir_kernel *x) {
    struct buf all, code;
    struct kir_kernel alone = *x;
    struct kir only = {.kernels = &alone};
    alone.next = NULL;
    buf_init(&all);
    buf_init(&code);
    kir_print(s, &only, &all);
    for (const char *line = all.text, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        next += *next == '\n';
        const char *first = line + strspn(line, " ");
        if (*first != ';' && first != line) buf_write(&code, line, (size_t)(next - line));
    }
    buf_release(&all);
    return buf_finish(&code, &s->arena);
}

static bool same_code(struct session *s, const struct kir *ir, const struct kernel *a,
                      const struct kernel *b, int64_t *left) {
    const char *x = code_of(s, first_of(ir, a)), *y = code_of(s, first_of(ir, b));
    *left -= (int64_t)(strlen(x) + strlen(y));
    return strcmp(x, y) == 0;
}

// -- by executing them ----------------------------------------------------------------------------

static bool is_whole(struct session *s, const struct kernel *k, const int64_t *sym) {
    return oracle_elements(s, k, sym) <= WHOLE_LIMIT;
}

static bool has_too_many_pages(const struct side *x) {
    return x->img->made + x->trace.writer->made + x->trace.readers->made > MOST_PAGES;
}

// Compares for the values "sym" of the params.  Sets "*open" to the reason if not everything was
// executed that should have been.
static const char *differ_for(const struct comparison *x, const int64_t *sym) {
    struct session *s = x->s;
    const struct kir *ir = x->ir;
    const struct kernel *a = x->of_a, *b = x->of_b;
    bool all = is_whole(s, a, sym) && is_whole(s, b, sym);
    int64_t given = all || *x->left < PART_STEPS ? *x->left : PART_STEPS, rest = given;
    struct comparison c = *x;
    c.sym = sym;
    c.left = &rest;
    struct sample_set what = {all, all, .pages = MOST_PAGES, .left = &rest};
    if (!kir_has_ends(ir_of(ir, a), sym) || !kir_has_ends(ir_of(ir, b), sym)) return NULL;
    open_side(&c.a, a);
    open_side(&c.b, b);
    const char *why = kir_run(s, ir_of(ir, a), sym, &what, c.a.img, &c.a.trace);
    if (!why && rest > 0) why = kir_run(s, ir_of(ir, b), sym, &what, c.b.img, &c.b.trace);
    if (!why && rest > 0) why = compare(&c, &c.a, &c.b);
    if (!why && rest > 0) why = compare(&c, &c.b, &c.a);
    if (!why && rest <= 0 && all && (has_too_many_pages(&c.a) || has_too_many_pages(&c.b)))
        *x->open =
            arena_printf(&s->arena,
                         "comparing '%s' and '%s' takes more than %d pages of memory for one of "
                         "them, because elements are far apart; use smaller strides",
                         a->name, b->name, MOST_PAGES);
    close_side(&c.a);
    close_side(&c.b);
    *x->left -= given - rest;
    return why;
}

// "'M' and 'N'", the params of both, each once.
static const char *params_of(struct session *s, const struct kir_kernel *x,
                             const struct kir_kernel *y, int *n) {
    const char **name = ARENA_ARRAY(&s->arena, const char *, x->ngiven + y->ngiven + 1), *text = "";
    for (int i = 0; i < x->ngiven + y->ngiven; ++i) {
        const char *one = i < x->ngiven ? x->param[i].name : y->param[i - x->ngiven].name;
        int k = 0;
        while (k < *n && strcmp(name[k], one) != 0) ++k;
        if (k == *n) name[(*n)++] = one;
    }
    for (int i = 0; i < *n; ++i)
        text = arena_printf(&s->arena, "%s%s'%s'", text,
                            i == 0       ? ""
                            : i < *n - 1 ? ", "
                                         : " and ",
                            name[i]);
    return text;
}

// What was not executed although no difference was found; NULL: nothing.
static const char *left_out(struct session *s, const struct kir *ir, const struct kernel *a,
                            const struct kernel *b, const int64_t *sym) {
    const struct kir_kernel *x = ir_of(ir, a), *y = ir_of(ir, b);
    int nparams = 0;
    const char *params = params_of(s, x, y, &nparams);
    const char *what = arena_printf(
        &s->arena, "the code of '%s' and '%s' differs, but nothing differs when both are executed",
        a->name, b->name);
    if (nparams)
        return arena_printf(&s->arena, "%s for a few values of %s; %s it", what, params,
                            nparams > 1 ? "consts in their places decide"
                                        : "a const in its place decides");
    if (is_whole(s, a, sym) && is_whole(s, b, sym)) return NULL;
    return arena_printf(&s->arena,
                        "%s in some of their blocks; tensors of %" PRId64
                        " elements or fewer decide it",
                        what, WHOLE_LIMIT);
}

// Like kernels_differ, with at most "*left" steps.  "*known": they were enough.
static const char *differ_within(const struct comparison *c, bool *known) {
    struct session *s = c->s;
    const struct kernel *a = c->of_a, *b = c->of_b;
    int64_t *left = c->left;
    *c->open = NULL;
    *known = true;
    if (a->threads != b->threads) {
        return arena_printf(&s->arena, "'%s' has %" PRId64 " threads, '%s' has %" PRId64, a->name,
                            a->threads, b->name, b->threads);
    }
    for (int i = 0; i < 3; ++i) {
        if (lay_int_equal(a->grid[i], b->grid[i])) continue;
        const char *of_a = lay_int_text(&s->lay, a->grid[i]),
                   *of_b = lay_int_text(&s->lay, b->grid[i]);
        return arena_printf(&s->arena, "'%s' has %s blocks along %c, '%s' has %s", a->name, of_a,
                            'x' + i, b->name, of_b);
    }
    if (*left > 0 && same_code(s, c->ir, a, b, left)) return NULL;
    const int64_t *choice[MAX_CHOICES];
    int n = plan_choices(s, c->p, MAX_CHOICES, choice);
    for (int i = 0; *left > 0 && i < n; ++i) {
        const char *why = differ_for(c, choice[i]);
        if (why) return why;
    }
    *known = *left > 0;
    if (*known) *c->open = left_out(s, c->ir, a, b, n ? choice[0] : NULL);
    return NULL;
}

const char *kernels_differ(struct session *s, const struct plan *p, const struct kir *ir,
                           const struct kernel *a, const struct kernel *b, int64_t *left,
                           const char **open) {
    bool most = *left > MOST_STEPS, known;
    int64_t given = most ? MOST_STEPS : *left, rest = given;
    const struct comparison c = {
        .s = s, .p = p, .ir = ir, .of_a = a, .of_b = b, .left = &rest, .open = open};
    const char *why = differ_within(&c, &known);
    *left -= given - rest;
    if (known || *open) return why;
    *open =
        most ? arena_printf(&s->arena,
                            "to compare '%s' and '%s' takes more than %d steps; smaller tensors or "
                            "shorter loops take fewer",
                            a->name, b->name, MOST_STEPS)
             : arena_printf(&s->arena,
                            "the comparisons of kernels up to here take more than the %" PRId64
                            " steps that a plan of this length may; smaller tensors, shorter "
                            "loops or fewer comparisons take fewer",
                            equivalent_steps(s));
    return NULL;
}

bool check_equivalences(struct session *s, const struct plan *p, const struct kir *ir) {
    bool ok = true;
    int64_t left = equivalent_steps(s);
    for (const struct expectation *e = p->expects; e; e = e->next) {
        if (e->prop != PROP_EQUIVALENT) continue;
        const char *open, *why = kernels_differ(s, p, ir, e->kernel, e->kernel2, &left, &open);
        if (!why && !open) continue;
        ok = false;
        if (why)
            diag_error(s, e->at, "%s: %s", e->message ? e->message : "this does not hold", why);
        else
            diag_error(s, e->at, "%s: %s",
                       e->message ? e->message : "it is not known whether this holds", open);
        diag_note(s, e->kernel->at, "'%s' is declared here", e->kernel->name);
        diag_note(s, e->kernel2->at, "'%s' is declared here", e->kernel2->name);
    }
    return ok;
}
