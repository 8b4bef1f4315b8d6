// Shared by the files of the oracle: the state of a run.
#ifndef TCPC_ORACLE_PRIVATE_H
#define TCPC_ORACLE_PRIVATE_H

#include "base/session.h"
#include "base/trap.h"
#include "oracle/oracle.h"

// One side of a copy for given values of the params.
struct side {
    const struct view *view;
    struct oracle_flat flat;    // the layout
    struct oracle_flat coord;   // the coordinates; n == -1: none
    struct oracle_flat tensor;  // the complete tensor; n == -1: not known
    int64_t offset;             // current offset
    int64_t buf;                // buffer of the image
    int64_t each;               // elements of a fragment for each thread; otherwise 0
    int64_t from;               // currently: the tensor's first element in the buffer
    bool over;                  // currently, some coordinates are before "begin" or beyond "end"
    // current coordinates of its first element in the tensor
    int64_t first[ORACLE_FLAT_MODES];
    // current begin and end of the view along each mode of the tensor
    int64_t begin[ORACLE_FLAT_MODES], end[ORACLE_FLAT_MODES];
};

// The step of a pipeline being executed.
struct step {
    const struct pipeline *pipe;
    int64_t serial;  // serial number of the last copy before the step
    const struct step *outer;
};

// For a second run, for messages: finds who writes the element at which the first run found two
// writers.
struct watch {
    int64_t buf, at;
    const char *who;  // the last writer, or NULL
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
    struct image *writer;  // writer of each element: block << 32 | serial number of the copy
    struct oracle_report *report;
    const struct copy *copy;
    int64_t nblock;  // number of blocks executed before
    int64_t serial;
    int64_t together;  // threads that execute the current statement
    int64_t first;     // .. and the first of them
    struct side src, dst;
    const struct step *step;  // the innermost one, or NULL
    struct tile *tiles;       // tiles of the copies executed so far
    bool whole;               // every block and iteration is executed
    struct watch *watch;      // or NULL
    struct watch fault;       // the place with two writers
    // With "watch": the current coordinate of the destination, by flattened mode, and its number
    // among those of a thread.
    int64_t crd[ORACLE_FLAT_MODES], value;
    int64_t next_slot[MOST_RINGS];            // by ring: where its next pipeline begins
    const struct ix_var *loop[ORACLE_LOOPS];  // variables of the current loops, outermost first
    int nloops;
    uint64_t asked;      // how often oracle_goes_on was called
    int64_t most_pages;  // limit for "img"; "writer" may have as many
};

// Iterates over the coordinates of a layout, with the layout's value.
struct walk {
    const struct oracle_flat *f;
    int64_t at[ORACLE_FLAT_MODES];
    int order[ORACLE_FLAT_MODES];  // of the modes, fastest first
    int64_t value;
};

// oracle_walk starts at the first coordinate; oracle_step goes to the next one.
void oracle_walk(struct walk *w, const struct oracle_flat *f);
void oracle_step(struct walk *w);
// Advances by "n" elements within the fastest mode.
void oracle_go_on(struct walk *w, int64_t n);
// How many elements from here on are adjacent in the fastest mode; at least 1.
static inline int64_t oracle_stretch(const struct walk *w) {
    int m = w->order[0];
    return w->f->n > 0 && w->f->stride[m] == 1 ? w->f->extent[m] - w->at[m] : 1;
}
// Merges modes that continue each other.
void oracle_join(struct oracle_flat *f);
// If both sides have the same modes, changes the order so that the second one's adjacent elements
// come first.  The order does not matter for a copy, and this is faster.
void oracle_go_along(struct walk *a, struct walk *b);
// Splits the modes of both sides until they are equal, as far as their extents divide.  Keeps the
// order of coordinates.
void oracle_split(struct side *a, struct side *b);

// Records the first error; returns false.
bool oracle_fail(struct run *r, enum oracle_kind kind, const struct tensor *t, int64_t offset,
                 const char *text);
const char *oracle_name(const struct tensor *t);
void oracle_set_thread(struct run *r, int thread);  // -1: none

// Records the element that is about to be moved: its coordinate in the destination (or in the view
// that is not a fragment), and its number among those of a thread.
void oracle_remember(struct run *r, int n, const int64_t *crd, int64_t value);
// Text of a coordinate: "(0,3)".
const char *oracle_coordinate(struct run *r, int n, const int64_t *at);
// Text of the element that is about to be written: "element (0,3) of 'B'".
const char *oracle_element(struct run *r, int64_t at);
// Text of the current writer: "value 2 of thread 5 in block (0,0,0)".
const char *oracle_who(struct run *r);

// Executes call "y" of an extern function: its arguments get unknown values.  It must not read
// elements that were not written.
bool oracle_call(struct run *r, const struct plan_call *y);
// The buffer of tensor "t".
int64_t oracle_buffer(const struct tensor *t);
// Whether "n" more elements or statements are within the limit.
bool oracle_has_room(struct run *r, int64_t n);
// reports an error
bool oracle_too_large(struct run *r);
// Called in each possibly long loop, before each element that may be in another page: whether there
// is memory for it, and the session was not interrupted.
static inline bool oracle_goes_on(struct run *r) {
    enum { EVERY = 64 };
    if (r->img->made > r->most_pages) return oracle_too_large(r);
    if (++r->asked % EVERY != 0) return true;
    trap_poll();
    return !session_given_up(r->s) || oracle_fail(r, ORACLE_GIVEN_UP, NULL, 0, "given up");
}
// Execute statements, and the pipeline "st", for the current values of variables.
bool oracle_body(struct run *r, const struct stmt *first);
bool oracle_pipeline(struct run *r, const struct stmt *st);
// The serial number of the last copy before the step of the pipeline that fills "t"; -1: there is
// none.
int64_t oracle_since(const struct run *r, const struct tensor *t);
// Whether an element with the writer "writer" (see run.writer) was written in that step.
static inline bool oracle_fresh(int64_t since, int64_t writer) {
    return since < 0 || (writer != IMAGE_POISON && (writer & UINT32_MAX) > since);
}
// Executes copy "c" for the current values of variables.
bool oracle_copy(struct run *r, const struct copy *c);
// Executes a copy between a tile of the block and the threads' frags, after both sides are
// prepared.
bool oracle_tile(struct run *r, const struct copy *c, bool by_warp);

// For all kinds of copies:
// The number of modes of the layout.
int oracle_rank(struct lay l);
bool oracle_no_value(struct run *r, const struct view *v);
// Computes the begin of the view for the current values of variables.
bool oracle_locate(struct run *r, struct side *side);
// Changes "side" to that of the report's thread.
void oracle_turn_to_thread(struct run *r, struct side *side);
// Whether the coordinate "at" of the view, by flattened mode, is where the view has elements.
bool oracle_inside(const struct side *side, const int64_t *at);
// Moves elements with distance "apart" on both sides, at most "n", until one needs a report.
// Returns how many it moved.
int64_t oracle_move_run(struct run *r, int64_t from, int64_t to, int64_t n, int64_t apart);
// Moves an element that may be outside the tensor of the source or of the destination.
bool oracle_move_if(struct run *r, int64_t from, bool is_from, int64_t to, bool is_to);

#endif
