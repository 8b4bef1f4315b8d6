// The functions that make views from views.
#ifndef TCPC_SEMA_VIEW_VIEWFN_H
#define TCPC_SEMA_VIEW_VIEWFN_H

#include "sema/state.h"

struct call;  // sema/expr/expr.h

// slicefn.c
struct coord *coord_of_value(struct sema *c, const struct value *v, struct range at);
// A slice of "v".  If it fails, reports an error; the result then has no value.
const struct value *view_sliced(struct sema *c, struct view v, const struct coord *crd,
                                const struct ast_expr *e);
// Whether "v" can be moved: no extent of it may be known only at run time; reports an error
// otherwise.
bool view_closed(struct sema *c, const struct view *v, struct range at);
// "f"(args), where "f" is a view or a layout.
const struct value *eval_slice(struct sema *c, const struct value *f, const struct ast_expr *e);

// viewfn.c
const struct value *view_call(struct sema *c, const struct call *call);
const struct value *view_filter(struct sema *c, const struct call *call);
const struct value *view_compose(struct sema *c, const struct value *a, const struct value *b,
                                 const struct ast_expr *e);
// Whether "v" can be divided further; reports an error otherwise.
bool view_whole(struct sema *c, const struct view *v, struct range at);
// Whether the layout "f", made from "v", has more coordinates than "v", so that some are outside.
bool view_reaches_out(struct sema *c, const struct view *v, struct lay f);
// Marks "made", which is "v" mapped by "f", if it reaches beyond its tensor, or beyond "v".
// "zipped": "f" is ((tile),(rest)).
void view_mark_overhang(struct sema *c, const struct view *v, struct lay f, bool zipped,
                        struct view *made);
// Marks those leaves of "v", which "t" divided, that count tiles.
void view_mark_tiles(struct sema *c, enum lay_divide_form form, const struct lay_tiler *t,
                     const struct view *of, struct view *v);
void warn_layout_tiler(struct sema *c, const struct value *tiler, const struct ast_expr *e,
                       const struct view *v);

// localfn.c
const struct value *view_local_tile(struct sema *c, const struct call *call);
const struct value *view_local_partition(struct sema *c, const struct call *call);

// partfn.c
const struct value *view_partition(struct sema *c, const struct call *call);
const struct value *view_retile(struct sema *c, const struct call *call);

#endif
