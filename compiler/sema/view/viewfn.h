// The functions that make views of views.
#ifndef TCPC_SEMA_VIEW_VIEWFN_H
#define TCPC_SEMA_VIEW_VIEWFN_H

#include "sema/state.h"

struct call;  // sema/expr/expr.h

// slicefn.c
struct coord *coord_of_value(struct sema *c, const struct value *v, struct range at);
// A slice of "v"; what cannot be sliced was reported and has no value.
const struct value *view_sliced(struct sema *c, struct view v, const struct coord *crd,
                                const struct ast_expr *e);
// Whether "v" can be moved: nothing of it needs an extent that only a run knows; reports when not.
bool view_closed(struct sema *c, const struct view *v, struct range at);
// "f"(args) where "f" is a view or a layout.
const struct value *eval_slice(struct sema *c, const struct value *f, const struct ast_expr *e);

// viewfn.c
const struct value *view_call(struct sema *c, const struct call *call);
const struct value *view_filter(struct sema *c, const struct call *call);
const struct value *view_compose(struct sema *c, const struct value *a, const struct value *b,
                                 const struct ast_expr *e);
// Whether "v" can be taken apart; reports when not.
bool view_whole(struct sema *c, const struct view *v, struct range at);
// Whether the layout "f", made of "v", has other coordinates than "v": some are outside.
bool view_reaches_out(struct sema *c, const struct view *v, struct lay f);
// Marks "made", which is "v" under "f", as reaching beyond the tensor, or beyond "v", where it
// does; "zipped": "f" is ((tile),(rest)).
void view_mark_overhang(struct sema *c, const struct view *v, struct lay f, bool zipped,
                        struct view *made);
// Marks the leaves of "v", divided by "t", that count tiles.
void view_mark_tiles(enum lay_divide_form form, const struct lay_tiler *t, struct view *v);
void warn_layout_tiler(struct sema *c, const struct value *tiler, const struct ast_expr *e,
                       const struct view *v);

// localfn.c
const struct value *view_local_tile(struct sema *c, const struct call *call);
const struct value *view_local_partition(struct sema *c, const struct call *call);

// partfn.c
const struct value *view_partition(struct sema *c, const struct call *call);
const struct value *view_retile(struct sema *c, const struct call *call);

#endif
