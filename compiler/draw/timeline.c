// Draws the schedule of a kernel's pipelines: a row for each slot of their buffers, time to the
// right, and whether the contents of a slot are in flight, there, or in use.
#include <inttypes.h>

#include "draw/timeline.h"

enum { MAX_PIPES = 8, SYNC_ROW = 0 };

enum standing { EMPTY, LOADING, UNDER_WAY, THERE, USED, READ };

struct slot {
    enum standing is;
    int64_t step;
    int group;  // number of the committed group, or -1: an ordinary copy
    bool read;  // by a copy of group "reader", until that is waited for
    int reader;
};

struct timeline {
    struct side_line *side;  // instead of all the rest: of roles
    struct picture *p;
    const struct stmt *st;
    const struct pipeline *pipe;
    struct slot slot[TIMELINE_ROWS];  // by tensor * stages + slot
    struct moment {
        enum standing is;
        int64_t step;
    } at[TIMELINE_ROWS][TIMELINE_COLUMNS];
    struct doing {
        enum { LOADS, USES, WAITS } what;
        int64_t step;
        struct sync_wait wait;
    } doing[TIMELINE_COLUMNS];
    int rows, columns, commits;
    bool stores;  // the kernel has copies that read shared memory until they are waited for
};

static struct slot *slot_of(struct timeline *t, const struct tensor *x, int64_t step) {
    for (int i = 0; i < t->pipe->ntensors; ++i)
        if (t->pipe->tensor[i] == x) return &t->slot[i * t->pipe->stages + step % t->pipe->stages];
    return NULL;
}

// Adds a column with the present contents of the slots.  Loads and uses end with it.
static void add_column(struct timeline *t, struct doing doing) {
    if (t->columns == TIMELINE_COLUMNS) return;
    int c = t->columns++;
    t->doing[c] = doing;
    for (int i = 0; i < t->rows - 1; ++i) {
        struct slot *x = &t->slot[i];
        t->at[i][c] = (struct moment){x->is, x->step};
        if (x->is == LOADING) x->is = UNDER_WAY;
        if (x->is == USED) x->is = x->read ? READ : THERE;
    }
}

static void add_sync(struct timeline *t, struct sync_wait x) {
    if (!sync_waits(x)) return;
    bool done = x.copies.kind == ARRIVAL_GROUP, joined = arrival_row(x.threads)->joins;
    for (int i = 0; i < t->rows - 1; ++i) {
        struct slot *y = &t->slot[i];
        bool plain = y->group < 0;
        if (y->is == UNDER_WAY && (plain ? joined : done && y->group < t->commits - x.copies.count))
            y->is = THERE;
        if (y->read && done && y->reader < t->commits - x.copies.count) {
            y->read = false;
            if (y->is == READ) y->is = THERE;
        }
    }
    add_column(t, (struct doing){WAITS, 0, x});
}

// -- statements -----------------------------------------------------------------------------------

static void load_list(struct timeline *t, const struct stmt *list, int64_t step, bool issues) {
    for (const struct stmt *x = list; x; x = x->next) {
        if (stmt_nests(x)) load_list(t, x->body, step, issues);
        bool commits = x->kind == STMT_COPY ? x->copy->facts.commit_after : x->commit_after;
        struct slot *s = x->kind == STMT_COPY ? slot_of(t, x->copy->dst.base, step) : NULL;
        if (s && issues)
            *s = (struct slot){LOADING, step, x->copy->facts.async ? t->commits : -1, false, 0};
        if (commits) ++t->commits;
    }
}

static void mark_used(struct timeline *t, const struct view *v, int64_t step, bool late,
                      bool *any) {
    struct slot *s = slot_of(t, v->base, step);
    if (!s) return;
    s->is = USED;
    if (late) {
        s->read = true;
        s->reader = t->commits;
    }
    *any = true;
}

// Ends the column with uses, if there is one.
static void end_use(struct timeline *t, int64_t step, bool *any) {
    if (*any) add_column(t, (struct doing){.what = USES, .step = step});
    *any = false;
}

static void use_list(struct timeline *t, const struct stmt *list, int64_t step, bool *any) {
    for (const struct stmt *x = list; x; x = stmt_next(list, x)) {
        bool copy = x->kind == STMT_COPY, call = x->kind == STMT_CALL;
        if (sync_waits(x->before.wait)) end_use(t, step, any);
        add_sync(t, x->before.wait);
        if (copy) {
            mark_used(t, &x->copy->src, step, reads_late(x), any);
            mark_used(t, &x->copy->dst, step, false, any);
        }
        for (int i = 0; call && i < x->call->fn->nformals; ++i)
            mark_used(t, &x->call->view[i], step, false, any);
        if (copy && x->copy->facts.commit_after) ++t->commits;
    }
}

static void run(struct timeline *t, int64_t steps) {
    int64_t ahead = pipeline_ahead(t->pipe);
    if (ahead) add_sync(t, t->st->before.wait);
    for (int64_t n = 0; n < ahead && n < steps; ++n) {
        for (const struct stmt *x = t->st->body; x; x = x->next)
            if (x->load) load_list(t, x->body, n, true);
        add_column(t, (struct doing){.what = LOADS, .step = n});
    }
    for (int64_t n = 0; n < steps; ++n) {
        for (const struct stmt *x = stmt_first_part(t->st); x; x = stmt_part_after(x)) {
            bool any = false;
            if (!x->load) {
                use_list(t, x->body, n, &any);
                end_use(t, n, &any);
                continue;
            }
            add_sync(t, x->before.wait);
            load_list(t, x->body, n + ahead, n + ahead < steps);
            if (n + ahead < steps) add_column(t, (struct doing){.what = LOADS, .step = n + ahead});
        }
        add_sync(t, t->st->behind.wait);
    }
}

// -- the picture ----------------------------------------------------------------------------------

static void find(const struct stmt *list, const struct stmt **out, int *n) {
    for (const struct stmt *x = list; x; x = stmt_next(list, x))
        if (x->kind == STMT_PIPELINE && (x->pipe->ntensors || x->pipe->nroles) && *n < MAX_PIPES)
            out[(*n)++] = x;
}

static const char *heading(struct picture *p, const struct stmt *st, int64_t steps) {
    const char *range =
        picture_text(p, "%s %s in %s .. %s", st->pipe->nroles ? "roles" : "pipeline", st->var->name,
                     ix_text(p->s, st->begin), ix_text(p->s, st->end));
    if (st->pipe->nroles) return picture_text(p, "%s; drawn with %" PRId64 " steps", range, steps);
    return picture_text(p, "%s, %" PRId64 " stage%s; drawn with %" PRId64 " steps", range,
                        st->pipe->stages, st->pipe->stages == 1 ? "" : "s", steps);
}

static void name_rows(const struct timeline *t, struct pic_grid *g, const char *first) {
    const char **row = ARENA_ARRAY(&t->p->s->arena, const char *, t->rows);
    row[SYNC_ROW] = first;
    for (int i = 0; i < t->rows - 1; ++i)
        row[i + 1] = picture_text(t->p, "%s %d", t->pipe->tensor[i / (int)t->pipe->stages]->name,
                                  i % (int)t->pipe->stages);
    g->rows = t->rows;
    g->columns = t->columns;
    g->row_name = row;
}

static const int colour[] = {[EMPTY] = -1,        [LOADING] = HUE_LOAD, [UNDER_WAY] = HUE_LOAD,
                             [THERE] = HUE_READY, [USED] = HUE_USE,     [READ] = HUE_READ};

// What a wait says of copies that store: "read", "written", or nothing where there are none.
static const char *stores_until(const struct timeline *t, struct sync_wait x, const char *read,
                                const char *written) {
    if (!t->stores || !arrival_is(x.copies)) return "";
    return x.copies.written ? written : read;
}

// For text: the head of a column says what the step does.
static void fill_grid(const struct timeline *t, struct pic_grid *g) {
    static const char mark[][2] = {"", "L", "~", "=", "U", "R"};
    struct picture *p = t->p;
    const char **column = ARENA_ARRAY(&p->s->arena, const char *, t->columns + 1);
    name_rows(t, g, "");
    for (int c = 0; c < t->columns; ++c) {
        const struct doing *d = &t->doing[c];
        const char *wait =
            arrival_is(d->wait.copies)
                ? picture_text(p, "W%d%s", d->wait.copies.count, stores_until(t, d->wait, "r", "w"))
                : "";
        column[c] = d->what == WAITS
                        ? ""
                        : picture_text(p, "%c%" PRId64, d->what == LOADS ? 'l' : 'u', d->step);
        if (d->what == WAITS)
            picture_cell(p, pic_at(g, SYNC_ROW, c), -1, 0, "%s%s", wait,
                         arrival_is(d->wait.threads) ? "B" : "");
        for (int i = 0; i < t->rows - 1; ++i)
            if (t->at[i][c].is != EMPTY)
                picture_cell(p, pic_at(g, i + 1, c), colour[t->at[i][c].is], 0, "%s%" PRId64,
                             mark[t->at[i][c].is], t->at[i][c].step);
    }
    g->column_name = column;
}

// Adds the text for what the threads do in column "c".
static void add_doing(const struct timeline *t, struct pic_grid *g, int c) {
    const struct doing *d = &t->doing[c];
    char of[2][ARRIVAL_TEXT];
    struct pic_cell *cell = pic_at(g, SYNC_ROW, c);
    if (d->what != WAITS)
        picture_cell(t->p, cell, d->what == LOADS ? HUE_LOAD : HUE_USE, c, "%s %" PRId64,
                     d->what == LOADS ? "load" : "use", d->step);
    else
        picture_cell(t->p, cell, HUE_WAIT, c, "%s%s%s%s",
                     arrival_text(d->wait.copies, false, of[0]),
                     stores_until(t, d->wait, " read", ""),
                     arrival_is(d->wait.copies) && arrival_is(d->wait.threads) ? "\n" : "",
                     arrival_text(d->wait.threads, false, of[1]));
}

static void fill_bars(const struct timeline *t, struct pic_grid *g) {
    static const char word[][6] = {"", "load ", "load ", "", "use ", "read "};
    g->bars = true;
    name_rows(t, g, "threads");
    for (int c = 0; c < t->columns; ++c) {
        add_doing(t, g, c);
        for (int i = 0; i < t->rows - 1; ++i) {
            const struct moment *m = &t->at[i][c];
            int64_t tensor = 1 + i / t->pipe->stages;
            struct pic_cell *cell = pic_at(g, i + 1, c);
            if (m->is == EMPTY)
                *cell = (struct pic_cell){0, -1, tensor << 32};
            else
                picture_cell(t->p, cell, colour[m->is], tensor << 32 | m->step, "%s%" PRId64,
                             word[m->is], m->step);
        }
    }
}

// Of copies that store.
static void add_stores(struct picture *p, bool side, bool flat, bool slots) {
    if (p->format != DRAW_TEXT) {
        picture_key(p, HUE_READ, "read by a copy that stores, until a wait is passed");
        return;
    }
    if (flat || slots)
        picture_note(p, "R: a copy that stores reads the slot, until a wait is passed");
    if (side)
        picture_note(p, "read: a role waits until its copies have read what they store; written: "
                        "until they have written it");
    if (flat)
        picture_note(p,
                     "W1r: also until copies that store have read, W1w: until they have written");
}

// Of roles: "side"; of pipelines without: "flat".
static void add_legend(struct picture *p, bool side, bool flat, bool slots) {
    if (side)
        picture_note(p,
                     "roles: drawn as if loads took one column and all else two; a role that waits "
                     "names the barrier; in memory: barrier and phase");
    if (side && p->format == DRAW_TEXT)
        picture_note(p, "barriers: ~ some have come, = all, and all bytes");
    if (side && !flat) {
        if (p->format == DRAW_TEXT && slots)
            picture_note(p, "each slot shows the step: L as its loads are issued, ~ in flight, = "
                            "there, U as it is used");
        return;
    }
    if (p->format == DRAW_TEXT) {
        picture_note(p, "l: a step's loads are issued, u: it is used; B: barrier, W1: wait until "
                        "one group is in flight");
        picture_note(p, "each slot shows the step: L as its loads are issued, ~ in flight, = "
                        "there, U as it is used");
        return;
    }
    picture_note(p,
                 "above what the threads do, below what each slot holds; the number is the step");
    picture_key(p, HUE_LOAD, "load: from its issue until a wait or barrier is passed");
    picture_key(p, HUE_READY, "there");
    picture_key(p, HUE_USE, "in use");
    picture_key(p, HUE_WAIT, "wait n: until n groups are in flight");
}

static int most(int a, int b) {
    return a > b ? a : b;
}

const char *view_timeline(struct picture *p, const struct draw_request *r) {
    const struct stmt *pipe[MAX_PIPES];
    int n = 0, rows = 0, columns = 0;
    find(r->kernel->body, pipe, &n);
    if (n == 0) return "it has no pipeline that fills buffers with stages";
    struct timeline *t = ARENA_ARRAY(&p->s->arena, struct timeline, n);
    const char **head = ARENA_ARRAY(&p->s->arena, const char *, n);
    int drawn = 0;
    bool side = false, flat = false, slots = false;
    for (int i = 0; i < n; ++i) {
        const struct ix *trips = ix_sub(p->s, pipe[i]->end, pipe[i]->begin);
        int64_t steps = 2 * pipeline_depth(pipe[i]->pipe) + 1, known;
        if (trips && ix_static(trips, &known) && known < steps) steps = known < 0 ? 0 : known;
        if (steps == 0) continue;
        struct timeline *x = &t[drawn];
        if (pipeline_has_roles(pipe[i]->pipe) || pipe[i]->pipe->nroles) {
            const char *why;
            x->side = side_run(p, pipe[i], steps, &why);
            if (!x->side) return why;
            head[drawn++] = heading(p, pipe[i], steps);
            rows = most(rows, side_rows(x->side));
            columns = most(columns, side_columns(x->side));
            side = true;
            slots |= !pipe[i]->pipe->nroles;
            continue;
        }
        flat = true;
        x->stores = r->kernel->stored != NULL;
        x->p = p;
        x->st = pipe[i];
        x->pipe = pipe[i]->pipe;
        x->rows = 1 + x->pipe->ntensors * (int)x->pipe->stages;
        if (x->rows > TIMELINE_ROWS)
            return picture_text(p, "a pipeline of it has more than %d slots", TIMELINE_ROWS - 1);
        head[drawn++] = heading(p, pipe[i], steps);
        run(x, steps);
        rows = most(rows, x->rows);
        columns = most(columns, x->columns);
    }
    if (drawn == 0) return "no pipeline of it has a step";
    const char *why = picture_grids(p, "the timeline", drawn, rows, columns);
    if (why) return why;
    for (int i = 0; i < p->ngrids; ++i) {
        p->grid[i].heading = head[i];
        if (t[i].side)
            side_fill(t[i].side, &p->grid[i]);
        else if (p->format == DRAW_TEXT)
            fill_grid(&t[i], &p->grid[i]);
        else
            fill_bars(&t[i], &p->grid[i]);
    }
    p->title = picture_text(p, "Timeline of kernel %s", r->kernel->name);
    for (int i = 0; i < drawn; ++i)
        if (t[i].side) side_note(t[i].side);
    add_legend(p, side, flat, slots);
    if (r->kernel->stored) add_stores(p, side, flat, slots);
    return NULL;
}
