/* Which objects a table becomes, by their form; and what each of the files holds of them. */
#ifndef STOA_LAYOUT_ARKOUDA_WRITE_PLAN_H
#define STOA_LAYOUT_ARKOUDA_WRITE_PLAN_H

#include "layout/arkouda/write_object.h"
#include "layout/job.h"

typedef enum stoa_arkouda_form {
    STOA_ARKOUDA_COLUMNS,
    STOA_ARKOUDA_FRAME,
    STOA_ARKOUDA_LEVELS,
    STOA_ARKOUDA_GROUPS,
    STOA_ARKOUDA_VIEW
} stoa_arkouda_form;

/* An object, or a child of one. */
typedef struct stoa_arkouda_entry {
    char *name;
    size_t position; /* of its column in the rows */
    bool is_mask;    /* where that column is missing */
    stoa_arkouda_column column;
    stoa_arkouda_labels labels;
    bool is_na_asked; /* whether rows have the label "N/A" is to be found out; and: */
    bool is_na_used;
    stoa_arkouda_sizes *sizes;  /* one a file */
    stoa_arkouda_object object; /* of the file that is written; closed else */
} stoa_arkouda_entry;

typedef struct stoa_arkouda_plan {
    stoa_arkouda_form form;
    const char *name; /* of the one object; NULL: of each column its own */
    stoa_arkouda_entry *entries;
    size_t n_entries;
    size_t n_columns; /* of a frame: without its index */
    bool has_index;   /* of a frame: a column; else rows are counted */
    int64_t *shape;   /* VIEW */
    size_t rank;
    uint64_t n_units;        /* rows; of a view its elements */
    uint64_t units_of_a_row; /* 1, but for views */
} stoa_arkouda_plan;

/* STOA_EINVAL for a form that there is not. */
stoa_status stoa_arkouda_form_of(const char *text, stoa_arkouda_form *form, stoa_error *err);

/*
 * @param source   what was learned of the rows; the plan borrows from it
 * @param name     of the object, as the caller wants it; NULL: not said
 * @param n_files  that there will be
 * @return STOA_ETYPE, STOA_ELOSS naming the column that Arkouda cannot hold; STOA_EINVAL for a name
 *         that it cannot read
 */
stoa_status stoa_arkouda_plan_make(const stoa_layout_source *source, stoa_arkouda_form form,
                                   const char *name, uint64_t n_files, stoa_arkouda_plan *plan,
                                   stoa_error *err);
void stoa_arkouda_plan_clear(stoa_arkouda_plan *plan);

/* Whether sizes are not known before the rows are read once more: stoa_arkouda_plan_measure(). */
bool stoa_arkouda_plan_is_open(const stoa_arkouda_plan *plan, const stoa_layout_source *source,
                               uint64_t n_files);
/* Read all rows for it. */
stoa_status stoa_arkouda_plan_measure(stoa_arkouda_plan *plan, const stoa_layout_source *source,
                                      uint64_t n_files, stoa_error *err);
/* Choose the category of missing rows, once that can be known. */
stoa_status stoa_arkouda_plan_settle(stoa_arkouda_plan *plan, stoa_error *err);

/* The view that an entry is filled from, of a batch, and where its rows [*first, *first + *count)
 * lie in it: those of a view are elements. */
stoa_status stoa_arkouda_plan_view(const stoa_arkouda_plan *plan, const stoa_arkouda_entry *entry,
                                   const stoa_view *rows, stoa_view *view, int64_t *first,
                                   int64_t *count, stoa_error *err);

#endif
