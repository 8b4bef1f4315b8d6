// The launcher that chooses a kernel by the number of devices, where a plan's kernel is one for each number.  It
// checks the numbers, and leaves all other checks to the launcher that it calls.
#include "base/session.h"
#include "lower/private.h"
#include "plan/c_names.h"
#include "plan/family.h"

struct choosing {
    struct session *s;
    const struct plan *p;
    const struct kernel *first, *last;
    const struct param *const *param;  // of the caller
    struct kir_kernel *head;
};

static const struct kir_param *param_of(const struct choosing *x, const struct param *q) {
    int i = 0;
    while (x->param[i] != q) ++i;
    return &x->head->param[i];
}

static struct kir_numbered numbered(const struct choosing *x, const struct kernel *k) {
    const struct kir_param **by = ARENA_ARRAY(&x->s->arena, const struct kir_param *, MESH_AXES);
    const struct kir_param **arg =
        ARENA_ARRAY(&x->s->arena, const struct kir_param *, k->ngiven + 1);
    int64_t *value = ARENA_ARRAY(&x->s->arena, int64_t, MESH_AXES);
    struct kir_numbered r = {.c_name = c_name_of_kernel(x->s, x->p, k)};
    for (int i = 0; i < k->mesh->naxes; ++i) {
        bool again = !k->mesh->by[i];
        for (int j = 0; j < i; ++j) again |= k->mesh->by[j] == k->mesh->by[i];
        if (again) continue;
        by[r.nvalues] = param_of(x, k->mesh->by[i]);
        value[r.nvalues++] = k->mesh->size[i];
    }
    for (int i = 0; i < k->ngiven; ++i) arg[r.nargs++] = param_of(x, k->param[i]);
    r.by = by;
    r.value = value;
    r.arg = arg;
    return r;
}

// Whether "e" is a number or speaks of nothing but the numbers of devices.
static bool is_foreign(struct lay_int x, const void *user) {
    const struct kernel *k = user;
    bool foreign = false;
    for (int i = 0; i < x.nsyms; ++i) {
        bool ours = false;
        for (int j = 0; j < k->mesh->naxes; ++j)
            ours |= k->mesh->by[j] && k->mesh->by[j]->sym == x.syms[i];
        foreign |= x.syms[i]->name ? !ours : is_foreign(x.syms[i]->of, user);
    }
    return foreign;
}

// Sets the checks of the launcher.
static void put_checks(const struct choosing *x, struct kir_launch *out) {
    const struct kernel *k = x->last;
    struct kir_check *check =
        ARENA_ARRAY(&x->s->arena, struct kir_check, 2 * x->head->nparams + x->head->nrelations + 1);
    for (int i = 0; i < x->head->nparams; ++i) {
        if (!family_number(k, x->param[i])) continue;
        const struct kir_param *p = &x->head->param[i];
        check[out->nchecks++] = (struct kir_check){.kind = KIR_CHECK_RANGE, .param = p};
        if (p->mul > 1)
            check[out->nchecks++] = (struct kir_check){.kind = KIR_CHECK_MULTIPLE, .param = p};
    }
    for (int i = 0; i < x->head->nrelations; ++i) {
        const struct kir_relation *r = &x->head->relation[i];
        if (ix_has_int(r->a, is_foreign, k) || ix_has_int(r->b, is_foreign, k)) continue;
        check[out->nchecks++] = (struct kir_check){.kind = KIR_CHECK_RELATION, .relation = r};
    }
    out->check = check;
}

const struct kir_numbers *lower_numbers(struct session *s, const struct plan *p,
                                        const struct kernel *last) {
    struct kir_kernel *head = ARENA_NEW(&s->arena, struct kir_kernel);
    struct kir_launch *launch = ARENA_NEW(&s->arena, struct kir_launch);
    struct kir_numbers *out = ARENA_NEW(&s->arena, struct kir_numbers);
    struct choosing x = {s, p, family_begin(p, last), last, NULL, head};
    struct kernel whole = *last;
    int n = 0;
    x.param = family_params(s, p, last, &n);
    whole.name = last->family;
    whole.param = (const struct param **)x.param;
    whole.nparams = whole.ngiven = n;
    struct lowering w = {.s = s, .plan = p, .kernel = &whole};
    names_init(&w.names, s);
    for (const struct kernel *k = x.first; k && k->family == last->family; k = k->next) {
        names_reserve(&w.names, arena_printf(&s->arena, "%s_launch", c_name_of_kernel(s, p, k)));
        if (!k->next_case) ++out->n;
    }
    head->name = whole.name;
    head->c_name = c_name_of_kernel(s, p, &whole);
    head->tensor = ARENA_ARRAY(&s->arena, struct kir_tensor, last->nformals + 1);
    for (int i = 0; i < last->nformals; ++i) {
        const struct tensor *t = last->formal[i].tensor;
        head->tensor[head->ntensors++] =
            (struct kir_tensor){.name = t->name,
                                .c_name = names_take(&w.names, t->name),
                                .elem = t->elem,
                                .written = last->formal[i].dir != ARG_IN,
                                .read = last->formal[i].dir != ARG_OUT};
    }
    lower_params(&w, p, &whole, head);
    head->devices = last->mesh->devices;
    head->mesh = names_take(&w.names, "mesh");
    head->launch = launch;
    *launch = (struct kir_launch){.name = head->name,
                                  .c_name = head->c_name,
                                  .tensor = head->tensor,
                                  .ntensors = head->ntensors,
                                  .param = head->param,
                                  .nparams = head->nparams,
                                  .ngiven = head->ngiven};
    put_checks(&x, launch);
    struct kir_numbered *at = ARENA_ARRAY(&s->arena, struct kir_numbered, out->n);
    int i = 0;
    for (const struct kernel *k = x.first; k && k->family == last->family; k = k->next)
        if (!k->next_case) at[i++] = numbered(&x, k);
    out->head = head;
    out->at = at;
    return out;
}
