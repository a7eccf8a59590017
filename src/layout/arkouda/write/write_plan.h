/* The plan of a write: which objects a table becomes in a given form, and what each file holds of
 * them. */
#ifndef STOA_LAYOUT_ARKOUDA_WRITE_PLAN_H
#define STOA_LAYOUT_ARKOUDA_WRITE_PLAN_H

#include "layout/arkouda/write/write_object.h"
#include "layout/common/conversion.h"

typedef enum stoa_arkouda_form {
    STOA_ARKOUDA_COLUMNS,
    STOA_ARKOUDA_FRAME,
    STOA_ARKOUDA_LEVELS,
    STOA_ARKOUDA_GROUPS,
    STOA_ARKOUDA_VIEW
} stoa_arkouda_form;

typedef struct stoa_arkouda_plan {
    stoa_arkouda_form form;
    const char *name; /* of the single object; NULL if each column has its own */
    stoa_arkouda_entry *entries;
    size_t n_entries;
    size_t n_columns; /* of a DataFrame, without its index */
    bool has_index;   /* of a DataFrame: an index column; otherwise rows are numbered */
    int64_t *shape;   /* VIEW */
    size_t rank;
    uint64_t n_units;        /* rows; for a view, its elements */
    uint64_t units_of_a_row; /* 1 except for views */
} stoa_arkouda_plan;

/* STOA_EINVAL for an unknown form. */
stoa_status stoa_arkouda_form_of(const char *text, stoa_arkouda_form *form, stoa_error *err);

/*
 * @param source   with statistics of the rows; the plan borrows from it
 * @param name     the caller's name for the object; NULL if not given
 * @param n_files  number of files that will be written
 * @return STOA_ETYPE or STOA_ELOSS, naming the column that Arkouda cannot hold; STOA_EINVAL for a
 *         name that it cannot read
 */
stoa_status stoa_arkouda_plan_make(const stoa_layout_source *source, stoa_arkouda_form form,
                                   const char *name, uint64_t n_files, stoa_arkouda_plan *plan,
                                   stoa_error *err);
void stoa_arkouda_plan_clear(stoa_arkouda_plan *plan);

/* For an ArrayView: set the only entry, its shape, and the count of elements instead of rows
 * (Arkouda notes §L). */
stoa_status stoa_arkouda_plan_shape(stoa_arkouda_plan *plan, const stoa_layout_source *source,
                                    const char *name, stoa_error *err);
/* Whether the sizes need another pass over the rows: stoa_arkouda_plan_measure(). */
bool stoa_arkouda_plan_is_open(const stoa_arkouda_plan *plan, const stoa_layout_source *source,
                               uint64_t n_files);
/* Read all rows to find the sizes. */
stoa_status stoa_arkouda_plan_measure(stoa_arkouda_plan *plan, const stoa_layout_source *source,
                                      uint64_t n_files, stoa_error *err);
/* Choose the category for missing rows, once the labels in use are known. */
stoa_status stoa_arkouda_plan_settle(stoa_arkouda_plan *plan, stoa_error *err);

/* The view of a batch from which an entry is filled, and the range of its rows there. For an
 * ArrayView these are elements. */
stoa_status stoa_arkouda_plan_view(const stoa_arkouda_plan *plan, const stoa_arkouda_entry *entry,
                                   const stoa_view *rows, stoa_view *view, int64_t *first,
                                   int64_t *count, stoa_error *err);

#endif
