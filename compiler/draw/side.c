// Draws the schedule of roles: a row for each role, for the barriers that hand over, and for the slots.
//
// Nobody knows how long a part takes.  Here issuing the loads of a step takes one column, all else two,
// and bytes that a barrier in memory counts come a column later.  What waits for what does not depend on that.
#include <inttypes.h>

#include "base/session.h"
#include "draw/timeline.h"
#include "plan/handover.h"

enum { ROLES = 8, ACTS = 64, TICKS_LOAD = 1, TICKS_USE = 2, ON_THE_WAY = 1 };

enum act_kind { ACT_COME, ACT_WAIT, ACT_READ, ACT_WORK };

// A thing that a role does in step g: it comes to barrier "of" for step g + by, waits for that, waits until
// the copies of step g + by have read what they store, if there is a step g + ticks (the "text" says so),
// or works for "ticks".
struct act {
    enum act_kind kind;
    int of, by, ticks;
    bool loads;
    const char *text;
};

struct role {
    const char *name;
    struct act act[ACTS];
    int n;
    int64_t steps;  // that it executes, "more" of them after the last one
    int64_t step;
    int at, spent;               // the present act, and the columns that it took
    int done[TIMELINE_COLUMNS];  // by step: the column in which its last work ended
    int64_t read;                // copies of the steps before this one have read what they store
};

// Barrier "of": how many roles come to it in a step, which came, and when that was complete.
struct meeting {
    const char *name;
    int slots, roles;
    bool memory;
    int came[TIMELINE_COLUMNS];
    int since[TIMELINE_COLUMNS];  // column in which the last one came, or its bytes do
    bool open[TIMELINE_COLUMNS];
};

struct side_line {
    struct picture *p;
    const struct stmt *st;
    struct role role[ROLES];
    struct meeting meeting[HANDOVER_LINES];
    int nroles, nmeetings, rows, columns;
    int64_t steps;
    struct mark {
        char
            is;  // of a role 'l', 'u', 'w'; of a slot 'L', '~', '=', 'U', 'R'; of a barrier '~', '='
        int64_t step;
        const char *text;  // of what is waited for
    } at[TIMELINE_ROWS][TIMELINE_COLUMNS];
};

static void add_act(struct role *r, struct act a) {
    if (r->n == ACTS) return;
    r->act[r->n++] = a;
}

static void add_work(struct role *r, bool loads) {
    add_act(r, (struct act){ACT_WORK, .ticks = loads ? TICKS_LOAD : TICKS_USE, .loads = loads});
}

// -- what the roles do ----------------------------------------------------------------------------

enum { FULL, EMPTY };

static void make_pipeline(struct side_line *x) {
    const struct pipeline *p = x->st->pipe;
    const struct handover *h = &p->handover;
    int slots = (int)p->stages;
    x->meeting[FULL] = (struct meeting){.name = "full", slots, p->nuses + 1, h->arrivals > 0};
    x->meeting[EMPTY] = (struct meeting){.name = "empty", slots, p->nuses, false};
    if (x->meeting[FULL].memory) x->meeting[FULL].roles = 1;
    x->nmeetings = 2;
    for (int i = 0; i < p->nuses; ++i) {
        struct role *r = &x->role[x->nroles++];
        *r = (struct role){.name = p->use[i].name, .steps = x->steps};
        if (!h->arrivals) add_act(r, (struct act){ACT_COME, FULL});
        add_act(r, (struct act){ACT_WAIT, FULL});
        add_work(r, false);
        bool waits = h->waits & 1u << i;
        if (waits) add_act(r, (struct act){ACT_READ, EMPTY, 0, (int)h->ahead, .text = "read"});
        add_act(r, (struct act){ACT_COME, EMPTY});
    }
    struct role *r = &x->role[x->nroles++];
    *r = (struct role){.name = "load", .steps = x->steps + h->behind};
    add_act(r, (struct act){ACT_WAIT, EMPTY, -(int)h->ahead});
    add_work(r, true);
    add_act(r, (struct act){ACT_COME, FULL, -(int)h->behind});
}

static int meeting_of(struct side_line *x, const struct barrier *b) {
    for (int i = 0; i < x->nmeetings; ++i)
        if (x->meeting[i].name == b->name) return i;
    if (x->nmeetings == HANDOVER_LINES) return -1;
    x->meeting[x->nmeetings] = (struct meeting){.name = b->name, b->stages};
    return x->nmeetings++;
}

// Whether "y" issues loads into shared memory.
static bool issues(const struct stmt *y) {
    return y->kind == STMT_COPY && y->copy->src.base->space == MEM_GLOBAL &&
           space_is_shared(y->copy->dst.base->space);
}

static bool make_manual(struct side_line *x) {
    for (const struct stmt *part = x->st->body; part; part = part->next) {
        if (x->nroles == ROLES) return false;
        struct role *r = &x->role[x->nroles++];
        *r = (struct role){.name = part->role->name, .steps = x->steps};
        bool works = false, loads = true, late = false;
        for (const struct stmt *y = part->body; y; y = y->next) {
            bool waits = late && !y->barrier && y->kind == STMT_WAIT;  // for copies that store
            bool orders = stmt_orders(y);
            if (!orders) {
                works = true;
                loads &= issues(y);
            }
            late |= reads_late(y);
            if (works && (y->barrier || waits || !y->next)) {
                add_work(r, loads);
                works = false;
                loads = true;
            }
            if (waits)
                add_act(r, (struct act){.kind = ACT_READ,
                                        .text = y->arrival.written ? "written" : "read"});
            if (!y->barrier) continue;
            int of = meeting_of(x, y->barrier);
            if (of < 0) return false;
            ++x->meeting[of].roles;
            add_act(r, (struct act){ACT_COME, of, (int)y->of});
            if (y->kind == STMT_WAIT) add_act(r, (struct act){ACT_WAIT, of, (int)y->of});
        }
    }
    return true;
}

// -- time -----------------------------------------------------------------------------------------

// Whether a step of barrier "m" is over, in the present column; "all": those of the first and last steps,
// which some role leaves out, are.
static bool is_open(const struct side_line *x, struct meeting *m, int64_t step) {
    if (step < 0 || step >= x->steps || step >= TIMELINE_COLUMNS) return true;
    if (m->came[step] < m->roles) return false;
    return m->open[step] = !m->memory || x->columns > m->since[step] + ON_THE_WAY - 1;
}

static void come(struct side_line *x, struct meeting *m, int64_t step) {
    if (step < 0 || step >= x->steps || step >= TIMELINE_COLUMNS) return;
    if (++m->came[step] == m->roles) m->since[step] = x->columns;
}

// Whether a step of a barrier is one that all roles leave out, since for some it would be none.
static bool left_out(const struct side_line *x, int of, int64_t step) {
    for (int i = 0; i < x->nroles; ++i)
        for (int k = 0; k < x->role[i].n; ++k) {
            const struct act *a = &x->role[i].act[k];
            int64_t own = step - a->by;
            if (a->kind == ACT_COME && a->of == of && (own < 0 || own >= x->role[i].steps))
                return true;
        }
    return false;
}

static void next_act(struct role *r) {
    if (++r->at < r->n) return;
    r->at = 0;
    ++r->step;
}

// Whether role "r" works in this column; steps after the last one have no work.
static bool works(const struct side_line *x, const struct role *r) {
    return r->step < x->steps && r->act[r->at].kind == ACT_WORK;
}

// Whether the copies of a step of "r", and of those before it, have read what they store.
static bool have_read(const struct side_line *x, struct role *r, int64_t step) {
    if (step < r->read || step >= TIMELINE_COLUMNS) return true;
    if (x->columns <= r->done[step] + ON_THE_WAY) return false;
    r->read = step + 1;
    return true;
}

// Lets a role do what takes no time.  Returns whether it did something.
static bool goes_on(struct side_line *x, struct role *r) {
    if (r->step >= r->steps || works(x, r)) return false;
    const struct act *a = &r->act[r->at];
    int64_t step = r->step + a->by;
    if (a->kind == ACT_READ) {  // where nothing fills the slot again, nobody waits
        if (r->step + a->ticks < x->steps && !have_read(x, r, step)) return false;
    } else if (a->kind != ACT_WORK && !left_out(x, a->of, step)) {
        struct meeting *m = &x->meeting[a->of];
        if (a->kind == ACT_WAIT && !is_open(x, m, step)) return false;
        if (a->kind == ACT_COME) come(x, m, step);
    }
    next_act(r);
    return true;
}

static int slot_row(const struct side_line *x, int tensor, int64_t step) {
    return x->rows - (x->st->pipe->ntensors - tensor) * (int)x->st->pipe->stages +
           (int)(step % x->st->pipe->stages);
}

// Whether a part of role "i" touches buffer "t", or "late": a copy of it reads that until it is waited for.
static bool touches(const struct side_line *x, int i, const struct tensor *t, bool late) {
    for (const struct stmt *y = x->st->body; y; y = stmt_next(x->st->body, y)) {
        const struct stmt *part = y;
        while (part->up != x->st) part = part->up;
        if (part->load || stmt_side(part) != i) continue;
        bool reads = y->kind == STMT_COPY && y->copy->src.base == t;
        if (reads && (!late || reads_late(y))) return true;
        if (late) continue;
        if (y->kind == STMT_COPY && y->copy->dst.base == t) return true;
        for (int k = 0; y->kind == STMT_CALL && k < y->call->fn->nformals; ++k)
            if (y->call->view[k].base == t) return true;
    }
    return false;
}

// Whether a copy reads the slot of "t" that holds "step".
static bool is_read(const struct side_line *x, const struct tensor *t, int64_t step) {
    for (int i = 0; i < x->nroles; ++i)
        if (x->role[i].read <= step && touches(x, i, t, true)) return true;
    return false;
}

// What the slots hold in this column.
static void mark_slots(struct side_line *x) {
    const struct pipeline *p = x->st->pipe;
    int c = x->columns;
    for (int t = 0; t < p->ntensors; ++t) {
        for (int s = 0; s < p->stages && c > 0; ++s) {
            int row = slot_row(x, t, s);
            x->at[row][c] = x->at[row][c - 1];
            struct mark *m = &x->at[row][c];
            if (m->is == 'U' || m->is == 'R') m->is = is_read(x, p->tensor[t], m->step) ? 'R' : '=';
            if (m->is == 'L') m->is = '~';
            if (m->is == '~' && is_open(x, &x->meeting[FULL], m->step)) m->is = '=';
        }
        for (int i = 0; i < x->nroles; ++i) {
            const struct role *r = &x->role[i];
            const struct act *a = &r->act[r->at];
            if (!works(x, r)) continue;
            if (a->loads || touches(x, i, p->tensor[t], false))
                x->at[slot_row(x, t, r->step)][c] = (struct mark){a->loads ? 'L' : 'U', r->step};
        }
    }
}

// Of a barrier in memory its number and phase, of named ones the step for which some came, or all.
static void mark_meetings(struct side_line *x, int row) {
    bool manual = x->st->pipe->nroles > 0;
    for (int i = 0; i < x->nmeetings; ++i) {
        struct meeting *m = &x->meeting[i];
        for (int64_t g = 0; (manual || m->memory) && g < x->steps; ++g) {
            bool all = m->came[g] == m->roles, now = all && is_open(x, m, g);
            if (!m->came[g] || (now && x->columns > m->since[g] + (m->memory ? ON_THE_WAY : 0)))
                continue;
            int at = row + (manual ? (int)(g % m->slots) : 0);
            x->at[at][x->columns] = (struct mark){now ? '=' : '~', g};
            if (!now || m->memory) break;
        }
        row += manual ? m->slots : m->memory;
    }
}

// Executes a column; returns whether anything is left.
static bool column(struct side_line *x) {
    bool more = true, left = false;
    while (more) {
        more = false;
        for (int i = 0; i < x->nroles; ++i) more |= goes_on(x, &x->role[i]);
    }
    for (int i = 0; i < x->nroles; ++i) {
        struct role *r = &x->role[i];
        const struct act *a = &r->act[r->at];
        if (r->step >= r->steps) continue;
        left = true;
        bool work = works(x, r);
        x->at[i][x->columns] = (struct mark){work ? a->loads ? 'l' : 'u' : 'w', r->step,
                                             work      ? ""
                                             : a->text ? a->text
                                                       : x->meeting[a->of].name};
    }
    if (!left) return false;
    mark_meetings(x, x->nroles);
    if (!x->st->pipe->nroles) mark_slots(x);
    for (int i = 0; i < x->nroles; ++i) {
        struct role *r = &x->role[i];
        if (!works(x, r) || ++r->spent < r->act[r->at].ticks) continue;
        r->spent = 0;
        if (r->step < TIMELINE_COLUMNS) r->done[r->step] = x->columns;
        next_act(r);
    }
    return ++x->columns < TIMELINE_COLUMNS;
}

struct side_line *side_run(struct picture *p, const struct stmt *st, int64_t steps,
                           const char **why) {
    struct side_line *x = ARENA_NEW(&p->s->arena, struct side_line);
    *x = (struct side_line){.p = p, .st = st, .steps = steps};
    *why = "it has too many roles, or barriers";
    if (!st->pipe->nroles)
        make_pipeline(x);
    else if (!make_manual(x))
        return NULL;
    x->rows = x->nroles;
    for (int i = 0; i < x->nmeetings; ++i)
        x->rows += st->pipe->nroles ? x->meeting[i].slots : x->meeting[i].memory;
    if (!st->pipe->nroles) x->rows += st->pipe->ntensors * (int)st->pipe->stages;
    *why = picture_text(p, "a pipeline of it has more than %d slots", TIMELINE_ROWS - 1);
    if (x->rows > TIMELINE_ROWS) return NULL;
    while (column(x)) continue;
    return x;
}

int side_rows(const struct side_line *x) {
    return x->rows;
}

int side_columns(const struct side_line *x) {
    return x->columns;
}

// -- the picture ----------------------------------------------------------------------------------

static const char *row_name(const struct side_line *x, int row) {
    const struct pipeline *p = x->st->pipe;
    if (row < x->nroles) return x->role[row].name;
    row -= x->nroles;
    for (int i = 0; i < x->nmeetings; ++i) {
        const struct meeting *m = &x->meeting[i];
        int n = p->nroles ? m->slots : m->memory;
        if (row < n) return m->memory ? "in memory" : picture_text(x->p, "%s %d", m->name, row);
        row -= n;
    }
    return picture_text(x->p, "%s %d", p->tensor[row / (int)p->stages]->name, row % (int)p->stages);
}

static int colour_of(char is) {
    switch (is) {
    case 'l':
    case 'L':
    case '~': return HUE_LOAD;
    case 'u':
    case 'U': return HUE_USE;
    case 'R': return HUE_READ;
    case 'w': return HUE_WAIT;
    case '=': return HUE_READY;
    default: return -1;
    }
}

static const char *cell_text(const struct side_line *x, int row, const struct mark *m, bool bars) {
    bool memory =
        row >= x->nroles && !x->st->pipe->nroles && x->meeting[FULL].memory && row == x->nroles;
    if (!m->is) return "";
    if (memory)
        return picture_text(x->p, "%s%" PRId64 ".%" PRId64,
                            bars           ? ""
                            : m->is == '~' ? "~"
                                           : "=",
                            m->step % arrival_barriers(x->st->pipe->stages),
                            m->step / arrival_barriers(x->st->pipe->stages));
    if (m->is == 'w') return m->text;
    const char *word = m->is == 'l' ? "load " : m->is == 'u' ? "use " : "";
    if (bars && row >= x->nroles)
        word = m->is == 'U' ? "use " : m->is == 'R' ? "read " : m->is == '=' ? "" : "load ";
    if (bars && x->st->pipe->nroles && row < x->nroles) word = "step ";
    return bars ? picture_text(x->p, "%s%" PRId64, word, m->step)
                : picture_text(x->p, "%c%" PRId64, m->is, m->step);
}

void side_fill(const struct side_line *x, struct pic_grid *g) {
    const char **row = ARENA_ARRAY(&x->p->s->arena, const char *, x->rows);
    const char **head = ARENA_ARRAY(&x->p->s->arena, const char *, x->columns + 1);
    bool bars = x->p->format != DRAW_TEXT;
    for (int c = 0; c < x->columns; ++c) head[c] = "";
    for (int r = 0; r < x->rows; ++r) row[r] = row_name(x, r);
    g->rows = x->rows;
    g->columns = x->columns;
    g->row_name = row;
    g->column_name = head;
    g->bars = bars;
    for (int r = 0; r < x->rows; ++r)
        for (int c = 0; c < x->columns; ++c) {
            const struct mark *m = &x->at[r][c];
            int64_t block = r < x->nroles ? 0 : 1 + r, what = m->is == 'w' ? 1 : 0;
            struct pic_cell *cell = pic_at(g, r, c);
            int64_t group = (r < x->nroles ? 0 : block) << 32 | (m->step + 1) << 1 | what;
            if (!m->is)
                *cell = (struct pic_cell){0, -1, (r < x->nroles ? 0 : block) << 32};
            else
                picture_cell(x->p, cell, colour_of(m->is), group, "%s", cell_text(x, r, m, bars));
        }
}

void side_note(const struct side_line *x) {
    const char *line[HANDOVER_LINES];
    int n = handover_tell(x->p->s, x->st, line);
    for (int i = 0; i < n; ++i) picture_note(x->p, "%s", line[i]);
}
