// What the files of the oracle share: the state of a run.
#ifndef TCPC_ORACLE_PRIVATE_H
#define TCPC_ORACLE_PRIVATE_H

#include "base/session.h"
#include "oracle/oracle.h"

// One side of a copy for one binding of the params.
struct side {
    const struct view *view;
    struct oracle_flat flat;           // of the layout
    struct oracle_flat coord;          // of the coordinates; n -1: there are none
    struct oracle_flat tensor;         // of the whole tensor; n -1: not known
    int64_t offset;                    // now
    int64_t buf;                       // of the image
    int64_t each;                      // elements that each thread has of a fragment, else 0
    int64_t from;                      // now: the tensor's first element in the buffer
    bool over;                         // now some of its coordinates are beyond "end"
    int64_t first[ORACLE_FLAT_MODES];  // now, of its first element: coordinates in the tensor
    int64_t end[ORACLE_FLAT_MODES];    // now, along each mode of the tensor: where the view ends
};

// The step of a pipeline that is being executed.
struct step {
    const struct pipeline *pipe;
    int64_t serial;  // of the last copy before the step
    const struct step *outer;
};

// A second run, for the words: who writes the element at which the first one found two writers.
struct watch {
    int64_t buf, at;
    const char *who;  // wrote it last, or NULL
    const struct copy *copy;
};

enum { ORACLE_LOOPS = 16 };

struct run {
    struct session *s;
    const struct plan *p;
    const struct kernel *k;
    struct ix_env env;
    int64_t *var;
    const struct sample_set *what;
    struct image *img;
    struct image *writer;  // who wrote an element: block << 32 | copy's serial number
    struct oracle_report *report;
    const struct copy *copy;
    int64_t nblock;  // that ran before
    int64_t serial;
    int64_t threads;
    struct side src, dst;
    const struct step *step;  // innermost, or NULL
    struct tile *tiles;       // of the copies that had one so far
    bool whole;               // every block and iteration is executed
    struct watch *watch;      // or NULL
    struct watch fault;       // where two writers met
    // With "watch", now: the coordinate of the destination, by mode without parentheses, and its
    // number among those of a thread
    int64_t crd[ORACLE_FLAT_MODES], value;
    const struct ix_var *loop[ORACLE_LOOPS];  // that run, outermost first
    int nloops;
    uint64_t asked;      // how often oracle_goes_on was
    int64_t most_pages;  // of "img"; "writer" has as many
};

// Walks the coordinates of a layout, and keeps the layout's value.
struct walk {
    const struct oracle_flat *f;
    int64_t at[ORACLE_FLAT_MODES];
    int order[ORACLE_FLAT_MODES];  // of the modes, fastest first
    int64_t value;
};

// Starts at the first coordinate, and goes to the next.
void oracle_walk(struct walk *w, const struct oracle_flat *f);
void oracle_step(struct walk *w);
// Goes on by "n" elements within the fastest mode.
void oracle_go_on(struct walk *w, int64_t n);
// How many elements from here on are next to each other in the fastest mode; at least 1.
static inline int64_t oracle_stretch(const struct walk *w) {
    int m = w->order[0];
    return w->f->n > 0 && w->f->stride[m] == 1 ? w->f->extent[m] - w->at[m] : 1;
}
// Makes modes one that go on where the one before ends.
void oracle_join(struct oracle_flat *f);
// Where both sides have the same modes, they go along the second one's neighbours first: it does
// not matter for what is copied, and is faster.
void oracle_go_along(struct walk *a, struct walk *b);
// Splits the modes of both sides until they are the same, as far as their extents divide.  The
// coordinates keep their order.
void oracle_split(struct side *a, struct side *b);

// Records the first thing that is wrong; returns false.
bool oracle_fail(struct run *r, enum oracle_kind kind, const struct tensor *t, int64_t offset,
                 const char *text);
const char *oracle_name(const struct tensor *t);
void oracle_set_thread(struct run *r, int thread);  // -1: none

// The element that is about to be moved: its coordinate in the destination, or in the view that is
// no fragment, and its number among those of a thread.
void oracle_remember(struct run *r, int n, const int64_t *crd, int64_t value);
// "(0,3)"
const char *oracle_coordinate(struct run *r, int n, const int64_t *at);
// "element (0,3) of 'B'", where it is about to be written.
const char *oracle_element(struct run *r, int64_t at);
// "value 2 of thread 5 in block (0,0,0)" of the copy that is being executed.
const char *oracle_who(struct run *r);

// What call "y" of an extern function leaves in its arguments; it must not read what nobody wrote.
bool oracle_call(struct run *r, const struct plan_call *y);
// The buffer of tensor "t".
int64_t oracle_buffer(const struct tensor *t);
// Whether "n" elements or statements more may be gone through.
bool oracle_has_room(struct run *r, int64_t n);
bool oracle_too_large(struct run *r);  // fails
// Asked in each loop that may be long, before each element that may be in another page: whether
// there is memory for it, and the session goes on.
static inline bool oracle_goes_on(struct run *r) {
    enum { EVERY = 1 << 14 };
    if (r->img->made > r->most_pages) return oracle_too_large(r);
    return ++r->asked % EVERY != 0 || !session_given_up(r->s) ||
           oracle_fail(r, ORACLE_GIVEN_UP, NULL, 0, "given up");
}
// Executes statements, and the pipeline "st", for the values that the variables have now.
bool oracle_body(struct run *r, const struct stmt *first);
bool oracle_pipeline(struct run *r, const struct stmt *st);
// The serial of the last copy before the step of the pipeline that fills "t"; -1 when none does.
int64_t oracle_since(const struct run *r, const struct tensor *t);
// Whether an element whose writer (see run.writer) is "writer" was written in that step.
static inline bool oracle_fresh(int64_t since, int64_t writer) {
    return since < 0 || (writer != IMAGE_POISON && (writer & UINT32_MAX) > since);
}
// Executes copy "c" for the values that the variables have now.
bool oracle_copy(struct run *r, const struct copy *c);
// The same of one between a tile of the block and the threads' frags, when both sides are prepared.
bool oracle_tile(struct run *r, const struct copy *c, bool by_warp);

// What copies of all kinds are made of.
// How many modes the layout has.
int oracle_rank(struct lay l);
bool oracle_no_value(struct run *r, const struct view *v);
// Evaluates where the view begins for the values that the variables have now.
bool oracle_locate(struct run *r, struct side *side);
// Makes "side" the thread's of the report, with all else as it is.
void oracle_turn_to_thread(struct run *r, struct side *side);
// Whether the coordinate "at" of the view, by mode without parentheses, is before where the view
// ends.
bool oracle_inside(const struct side *side, const int64_t *at);
// Moves elements that are "apart" on both sides, as far as nothing is to be said of them; at most
// "n".  Returns how many.
int64_t oracle_move_run(struct run *r, int64_t from, int64_t to, int64_t n, int64_t apart);
// Moves an element that may be outside the source's tensor, or the destination's.
bool oracle_move_if(struct run *r, int64_t from, bool is_from, int64_t to, bool is_to);

#endif
