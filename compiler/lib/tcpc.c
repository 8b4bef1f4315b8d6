// The library's entry points (see tcpc.h): set up a session from the options, do the steps, and
// return the results as data.
#include "lib/tcpc.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/kept.h"
#include "base/session.h"
#include "base/warnings.h"
#include "compile/compile.h"
#include "explain/explain.h"
#include "kernel/kernel_ir.h"
#include "launch/launch.h"
#include "lib/cancel.h"
#include "lib/headers.h"
#include "lib/lib.h"
#include "plan/arch.h"
#include "plan/plan.h"
#include "planner/planner.h"
#include "sema/sema.h"

struct result {
    struct tcpc_result shown;  // first, because the caller gets a pointer to it
    struct session s;
    struct given given;  // the plan's text
    struct source_reader reader;
    struct tcpc_options options;
    struct watch watch;
    struct name_index index;
    char bug[sizeof((struct trap *)0)->bug];
    struct tcpc_message bug_message;
    const struct tcpc_message *bug_messages[1];
};

// -- imports --------------------------------------------------------------------------------------

// Adds the file "path" in "folder" as a source. Returns its number; -1 with errno set when there is
// none.
static int add_beside(struct session *s, const char *folder, const char *path) {
    const char *at = arena_printf(&s->arena, "%s/%s", folder, path);
    struct stat st;
    if (stat(at, &st) != 0) return -1;
    errno = ENOENT;
    return S_ISREG(st.st_mode) ? source_add_file(s, path, at) : -1;
}

static int read_import(const struct source_reader *reader, struct session *s, const char *path) {
    const struct tcpc_options *o = &((const struct result *)reader->user)->options;
    struct tcpc_text text = {0};
    int found = o->read ? o->read(o->user, path, &text) : 0;
    if (found > 0) return source_add(s, path, text.bytes ? text.bytes : "", text.size);
    errno = found < 0 ? EIO : ENOENT;
    for (size_t i = 0; !found && path[0] != '/' && i < o->nfolders; ++i) {
        int file = add_beside(s, o->folder[i], path);
        if (file >= 0 || errno != ENOENT) return file;
    }
    return -1;
}

// -- options --------------------------------------------------------------------------------------

bool lib_copy(struct session *s, const char *name, const void *from, void *to, size_t size) {
    size_t given, known;
    memcpy(&given, from, sizeof given);
    known = given < size ? given : size;
    if (given < sizeof given || given > 4096) {
        diag_error(s, RANGE_NONE, "the size of %s is not set: .size = sizeof(struct %s)", name,
                   name);
        return false;
    }
    for (size_t i = known; i < given; ++i) {
        if (((const char *)from)[i] == 0) continue;
        diag_error(s, RANGE_NONE, "%s sets byte %zu, but this library, %s, knows %zu bytes of it",
                   name, i, TCPC_VERSION, known);
        return false;
    }
    memset(to, 0, size);
    memcpy(to, from, known);
    return true;
}

static bool take_defines(struct session *s, const struct tcpc_options *o) {
    for (size_t i = 0; i < o->ndefines; ++i) {
        const struct tcpc_define *d = &o->define[i];
        if (!d->name || !*d->name || !d->value || !*d->value) {
            diag_error(s, RANGE_NONE, "a define has no %s", d->name && *d->name ? "value" : "name");
            return false;
        }
        session_define(s, d->name, strlen(d->name), d->value);
    }
    return true;
}

static bool take_options(struct session *s, const struct tcpc_options *o) {
    if (o->most_milliseconds < 0 || (o->most_milliseconds && !WATCH_THREADS)) {
        diag_error(s, RANGE_NONE, "a call may not take %" PRId64 " ms", o->most_milliseconds);
        return false;
    }
    if ((unsigned)o->emit > TCPC_EMIT_ALONE) {
        diag_error(s, RANGE_NONE, "what is to be emitted is no tcpc_emit: %d", (int)o->emit);
        return false;
    }
    const char *why = o->arch ? arch_unknown(&s->arena, o->arch) : NULL;
    if (why) {
        diag_error(s, RANGE_NONE, "%s", why);
        return false;
    }
    for (size_t i = 0; i < o->nwarnings; ++i)
        if (!diag_option(s, o->warning[i])) return false;
    s->options.arch = o->arch;
    s->options.proof_limit = o->proof_limit;
    s->options.no_line = o->no_line != 0;
    s->options.device = o->emit >= TCPC_EMIT_DEVICE;
    s->options.emitted = o->emitted;
    s->options.kept = (struct kept *)o->cache;  // it begins with one
    if (o->error_limit) s->diags.error_limit = o->error_limit < 0 ? 0 : o->error_limit;
    return take_defines(s, o);
}

// -- messages -------------------------------------------------------------------------------------

struct tcpc_place lib_place(struct session *s, struct range r) {
    struct tcpc_place p = {0};
    if (!source_known(s, r)) return p;
    struct range end = {r.file, r.end > r.begin ? r.end : r.begin, 0};
    p.file = s->sources.file[r.file].path;
    source_place(s, r, &p.line, &p.column);
    source_place(s, end, &p.end_line, &p.end_column);
    return p;
}

static const struct tcpc_message *message_of(struct session *s, const struct diag *d) {
    static const enum tcpc_severity severity[] = {
        [SEV_ERROR] = TCPC_ERROR, [SEV_WARNING] = TCPC_WARNING, [SEV_NOTE] = TCPC_NOTE};
    struct tcpc_message *m = ARENA_NEW(&s->arena, struct tcpc_message);
    *m = (struct tcpc_message){.size = sizeof *m,
                               .severity = severity[d->severity],
                               .at = lib_place(s, d->at),
                               .text = d->message,
                               .page = d->page};
    if (d->warning) m->page = m->warning = diag_warning_name(d->warning);
    for (const struct diag *n = d->note; n; n = n->next) ++m->nnotes;
    for (const struct fixit *f = d->fixit; f; f = f->next) ++m->nfixits;
    const struct tcpc_message **note =
        ARENA_ARRAY(&s->arena, const struct tcpc_message *, m->nnotes);
    const struct tcpc_fixit **fixit = ARENA_ARRAY(&s->arena, const struct tcpc_fixit *, m->nfixits);
    m->note = note;
    m->fixit = fixit;
    for (const struct diag *n = d->note; n; n = n->next) *note++ = message_of(s, n);
    for (const struct fixit *f = d->fixit; f; f = f->next) {
        struct tcpc_fixit *x = ARENA_NEW(&s->arena, struct tcpc_fixit);
        *x = (struct tcpc_fixit){sizeof *x, lib_place(s, f->at), f->replacement};
        *fixit++ = x;
    }
    return m;
}

static void show_messages(struct session *s, struct tcpc_result *out) {
    int n, errors = 0;
    struct diag **sorted = diag_sorted(s, &n);
    const struct tcpc_message **m = ARENA_ARRAY(&s->arena, const struct tcpc_message *, n);
    out->message = m;
    out->nerrors = (size_t)s->diags.nerrors;
    out->nwarnings = (size_t)s->diags.nwarnings;
    for (int i = 0; i < n; ++i) {
        bool error = sorted[i]->severity == SEV_ERROR;
        if (error && s->diags.error_limit > 0 && errors++ == s->diags.error_limit) break;
        m[out->nmessages++] = message_of(s, sorted[i]);
    }
}

// -- kernels --------------------------------------------------------------------------------------

static void show_launches(struct session *s, const struct kir *ir, struct tcpc_result *out) {
    size_t n = 0;
    for (const struct kir_kernel *k = ir->kernels; k; k = k->next) n += !k->device && k->first_case;
    const struct tcpc_launch **launch = ARENA_ARRAY(&s->arena, const struct tcpc_launch *, n);
    out->launch = launch;
    for (const struct kir_kernel *k = ir->kernels; k; k = k->next)
        if (!k->device && k->first_case) launch[out->nlaunches++] = launch_new(s, k->launch);
}

// Which of its cases "k" is, from 1 on; 0: there is one only.
static int case_number(const struct kernel *k) {
    int number = k->first_case != NULL;
    for (const struct kernel *c = k->first_case; c && c != k; c = c->next_case) ++number;
    return number;
}

static const struct tcpc_planned *planned_of(struct session *s, const struct kernel *k) {
    const char *text = k->planned, *next = k->next_case ? k->next_case->planned : NULL;
    struct tcpc_planned *p = ARENA_NEW(&s->arena, struct tcpc_planned);
    *p = (struct tcpc_planned){.size = sizeof *p,
                               .kernel = k->name,
                               .number = case_number(k),
                               .candidate = k->chosen->candidate,
                               .how = k->chosen->how,
                               .why = relayout_reasons(s, text),
                               .refused = k->chosen->refused,
                               .cost = k->chosen->cost,
                               .share = k->chosen->share,
                               .most = k->chosen->most,
                               .text = arena_strndup(&s->arena, text,
                                                     next ? (size_t)(next - text) : strlen(text))};
    struct explain_least least[2];
    if (explain_least(s, k, NULL, least)) {
        p->least_read = least[0].bytes;
        p->least_read_sectors = least[0].sectors;
        p->least_written = least[1].bytes;
        p->least_written_sectors = least[1].sectors;
    }
    return p;
}

static void show_planned(struct session *s, const struct plan *plan, struct tcpc_result *out) {
    size_t n = 0;
    for (const struct kernel *k = plan->kernels; k; k = k->next) n += k->chosen != NULL;
    const struct tcpc_planned **planned = ARENA_ARRAY(&s->arena, const struct tcpc_planned *, n);
    out->planned = planned;
    for (const struct kernel *k = plan->kernels; k; k = k->next)
        if (k->chosen) planned[out->nplanned++] = planned_of(s, k);
}

static void show_work(struct session *s, const struct plan *plan, struct tcpc_result *out) {
    size_t n = 0;
    for (const struct kernel *k = plan_next(plan, NULL); k; k = plan_next(plan, k)) ++n;
    const struct tcpc_work **work = ARENA_ARRAY(&s->arena, const struct tcpc_work *, n);
    out->work = work;
    for (const struct kernel *k = plan_next(plan, NULL); k; k = plan_next(plan, k)) {
        struct tcpc_work *w = ARENA_NEW(&s->arena, struct tcpc_work);
        *w = (struct tcpc_work){.size = sizeof *w,
                                .kernel = k->name,
                                .number = case_number(k),
                                .done = k->count->done,
                                .kept = k->count->kept};
        work[out->nworks++] = w;
    }
}

// -- the entry ------------------------------------------------------------------------------------

static void show_files(struct session *s, struct tcpc_result *out) {
    const char **file = ARENA_ARRAY(&s->arena, const char *, s->sources.n);
    out->file = file;
    for (int i = 0; i < s->sources.n; ++i)
        if (!s->sources.file[i].made && !s->sources.file[i].copied)
            file[out->nfiles++] = s->sources.file[i].path;
}

// What a caller asks for: a plan, or a relayout, or a question about a plan.
struct request {
    const struct tcpc_options *options;
    const struct tcpc_question *question;  // or NULL
    const struct tcpc_block *block;        // or
    const struct tcpc_relayout *relayout;  // or
    const char *name, *text;
    size_t size;
};

// Makes a plan of the relayout that "q" asks for. False after an error.
static bool plan_relayout(struct session *s, struct request *q) {
    int candidate;
    q->text = lib_relayout_text(s, q->relayout, &s->options.tuned, &candidate);
    if (!q->text) return false;
    q->name = arena_printf(&s->arena, "%s.tcp", s->options.tuned);
    q->size = strlen(q->text);
    s->options.no_line = true;
    // another candidate is as good, unless this one was asked for
    s->options.candidate = candidate;
    if (candidate == 0) s->options.tuned = NULL;
    for (int w = 1; w < W_COUNT; ++w) s->diags.off[w] |= !warning_row(w)->planned;
    return true;
}

static enum tcpc_status compile(struct result *r, struct trap *trap, struct request q) {
    static const enum product products[] = {
        [TCPC_EMIT_CUDA] = PRODUCT_CUDA,     [TCPC_EMIT_HEADER] = PRODUCT_HEADER,
        [TCPC_EMIT_KERNEL] = PRODUCT_KERNEL, [TCPC_EMIT_PLAN] = PRODUCT_PLAN,
        [TCPC_EMIT_AST] = PRODUCT_AST,       [TCPC_EMIT_DEVICE] = PRODUCT_CUDA,
        [TCPC_EMIT_ALONE] = PRODUCT_CUDA};
    struct session *s = &r->s;
    session_init(s);
    if (q.options && !lib_copy(s, "tcpc_options", q.options, &r->options, sizeof r->options))
        return TCPC_BAD_OPTION;
    if (!take_options(s, &r->options)) return TCPC_BAD_OPTION;
    watch_begin(&r->watch, trap, r->options.canceller, r->options.most_milliseconds);
    if (q.relayout && !plan_relayout(s, &q)) return TCPC_BAD_OPTION;
    r->given = (struct given){q.name, q.text, q.size, NULL};
    r->shown.plan =
        (struct tcpc_text){arena_strndup(&s->arena, q.text ? q.text : "", q.size), q.size};
    r->reader = (struct source_reader){read_import, r};
    s->sources.given = &r->given;
    s->sources.reader = &r->reader;
    if (r->options.names) s->index = &r->index;
    if (q.question) return lib_ask(s, q.name, r->shown.plan, q.question, &r->shown.output);
    if (q.block) return lib_trace(s, q.name, q.block, &r->shown);
    struct compiled c;
    if (compile_product(s, q.name, products[r->options.emit], &c) != 0) return TCPC_WRONG;
    const char *text = c.text;
    if (r->options.emit == TCPC_EMIT_ALONE) text = headers_inside(&s->arena, text);
    r->shown.output = (struct tcpc_text){text, strlen(text)};
    if (c.kir) show_launches(s, c.kir, &r->shown);
    if (c.plan) show_planned(s, c.plan, &r->shown);
    if (c.plan && r->options.cache) show_work(s, c.plan, &r->shown);
    return TCPC_OK;
}

// Makes "what" the only message of "r".
static void show_end(struct result *r, const char *what) {
    snprintf(r->bug, sizeof r->bug, "%s", what);
    r->bug_message = (struct tcpc_message){
        .size = sizeof r->bug_message, .severity = TCPC_ERROR, .text = r->bug};
    r->bug_messages[0] = &r->bug_message;
    r->shown.message = r->bug_messages;
    r->shown.nmessages = r->shown.nerrors = 1;
}

// An error that a command would print.
static void take_error(void *to, const char *line) {
    diag_error(to, RANGE_NONE, "%s", line);
}

// Compiles into "r", which must be zeroed. False when memory ran out.
static bool compile_trapped(struct result *r, struct request q) {
    struct trap trap;
    trap_set(&trap);
    trap.say = take_error;
    trap.to = &r->s;
    int trapped = setjmp(trap.at);
    if (!trapped) {
        r->shown.status = compile(r, &trap, q);
        trap_poll();  // what was aborted may have reported errors
        show_messages(&r->s, &r->shown);
        lib_show_names(&r->s, &r->index, &r->shown);
        show_files(&r->s, &r->shown);
    } else {
        watch_end(&r->watch);
        bool late = r->watch.late;
        trap_free(&trap);
        memset(r, 0, sizeof *r);
        bool bug = trapped == TRAPPED_BUG;
        r->shown.status = bug ? TCPC_BUG : TCPC_CANCELLED;
        show_end(r, bug    ? trap.bug
                    : late ? "the call takes more time than it may"
                           : "the call was cancelled");
    }
    watch_end(&r->watch);
    if (!r->shown.output.bytes) r->shown.output.bytes = "";
    if (!r->shown.plan.bytes) r->shown.plan.bytes = "";
    r->shown.size = sizeof r->shown;
    trap_end(&trap);
    return trapped != TRAPPED_MEMORY;
}

static enum tcpc_status result_of(struct request q, struct tcpc_result **out) {
    *out = NULL;
    struct result *r = calloc(1, sizeof *r);
    // the C locale, so that numbers are read and written as the language defines them
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), was;
    bool ok = r && plain;
    if (ok) {
        was = uselocale(plain);
        ok = compile_trapped(r, q);
        uselocale(was);
    }
    if (plain) freelocale(plain);
    if (!ok) {
        free(r);
        return TCPC_NO_MEMORY;
    }
    *out = &r->shown;
    return r->shown.status;
}

enum tcpc_status tcpc_compile(const char *name, const char *text, size_t size,
                              const struct tcpc_options *options, struct tcpc_result **out) {
    return result_of((struct request){.options = options, .name = name, .text = text, .size = size},
                     out);
}

enum tcpc_status tcpc_ask(const char *name, const char *text, size_t size,
                          const struct tcpc_options *options, const struct tcpc_question *question,
                          struct tcpc_result **out) {
    const struct request q = {
        .options = options, .question = question, .name = name, .text = text, .size = size};
    return result_of(q, out);
}

enum tcpc_status tcpc_trace_block(const char *name, const char *text, size_t size,
                                  const struct tcpc_options *options,
                                  const struct tcpc_block *block, struct tcpc_result **out) {
    const struct request q = {
        .options = options, .block = block, .name = name, .text = text, .size = size};
    return result_of(q, out);
}

enum tcpc_status tcpc_compile_relayout(const struct tcpc_relayout *relayout,
                                       const struct tcpc_options *options,
                                       struct tcpc_result **out) {
    return result_of((struct request){.options = options, .relayout = relayout}, out);
}

void tcpc_free(struct tcpc_result *result) {
    struct result *r = (struct result *)result;
    if (!r) return;
    for (size_t i = 0; i < r->shown.nlaunches; ++i) tcpc_launch_free(r->shown.launch[i]);
    session_release(&r->s);
    free(r);
}

const char *tcpc_version(void) {
    return TCPC_VERSION;
}
