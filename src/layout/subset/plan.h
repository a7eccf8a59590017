/*
 * What happens to the objects of a file while a subset of it is written. The file is copied as a
 * whole (hdf/copy/clone.h). The datasets of a plan get another extent and a part of the elements.
 *
 * A layout fills the plan before anything is written. Paths are absolute.
 */
#ifndef STOA_LAYOUT_SUBSET_PLAN_H
#define STOA_LAYOUT_SUBSET_PLAN_H

#include "core/string_set.h"
#include "hdf/copy/clone.h"
#include "layout/subset/lines.h"

/* A selection in one dataset. */
typedef struct stoa_subset_item {
    const stoa_axis_lines *rows;    /* of its first dimension; NULL: all */
    const stoa_axis_lines *columns; /* of its second dimension; NULL: all */
    const uint32_t *codes; /* new values of integers in [0, n_codes); others stay; or NULL */
    uint64_t n_codes;
    bool are_ends;   /* integers that say where lists end, or begin and end */
    bool has_start;  /* ends: one more than there are lists, from 0 on */
    bool is_written; /* its elements are written by a step; `extent` is its length */
    uint64_t extent;
} stoa_subset_item;

/* Work on the copy when all objects exist. `from` and `to` are the root groups. */
typedef struct stoa_subset_step {
    stoa_status (*run)(void *context, hid_t from, hid_t to, stoa_error *err);
    void (*clear)(void *context); /* frees the context */
    void *context;
} stoa_subset_step;

typedef struct stoa_subset_plan {
    hid_t from;               /* the root group of the file; borrowed */
    stoa_string_set tokens;   /* of datasets that are changed */
    stoa_buffer items;        /* stoa_subset_item of each */
    stoa_string_set left;     /* tokens of objects that are left out */
    stoa_buffer steps;        /* stoa_subset_step */
    stoa_buffer owned;        /* stoa_axis_lines *: freed with the plan */
    stoa_buffer blocks;       /* void *: the same */
    stoa_other_storage inner; /* datasets that libhdf5 cannot copy */
} stoa_subset_plan;

/* Zero-initialise, set `from` and `inner`; clear it in every case. */
void stoa_subset_plan_clear(stoa_subset_plan *plan);

/* An axis of n lines of which none is kept yet, owned by the plan; NULL if memory runs out. */
stoa_axis_lines *stoa_subset_lines(stoa_subset_plan *plan, uint64_t n);
/* Own a block, also after a failure. */
stoa_status stoa_subset_own(stoa_subset_plan *plan, void *block, stoa_error *err);

/*
 * Select rows, or columns as well, of a dataset whose first dimensions these are.
 *
 * @param rows, columns  NULL: all. They must live as long as the plan
 * @return STOA_EDATA if the dataset has another extent; STOA_ELOSS if its elements are references,
 *         or lie in other files; STOA_EINVAL if another selection was made from it before
 */
stoa_status stoa_subset_select(stoa_subset_plan *plan, hid_t dataset, const stoa_axis_lines *rows,
                               const stoa_axis_lines *columns, stoa_error *err);
/* The same for rows of any selection. */
stoa_status stoa_subset_add(stoa_subset_plan *plan, hid_t dataset, const stoa_subset_item *item,
                            stoa_error *err);
/*
 * Select lists by the dataset that says where they end.
 *
 * @param rows       the lists; NULL: all, and *elements is NULL, too
 * @param has_start  the first of rows->n + 1 numbers is where the first list begins
 * @param n_elements  how many elements the lists have in all
 * @param[out] elements  those of the lists that are kept; owned by the plan
 * @return STOA_EDATA if the ends do not ascend, or exceed the elements
 */
stoa_status stoa_subset_select_lists(stoa_subset_plan *plan, hid_t ends,
                                     const stoa_axis_lines *rows, bool has_start,
                                     uint64_t n_elements, const stoa_axis_lines **elements,
                                     stoa_error *err);
/* Do not copy an object. */
stoa_status stoa_subset_leave(stoa_subset_plan *plan, hid_t object, stoa_error *err);
/* Add a step, whose context is cleared with the plan, also if this fails. */
stoa_status stoa_subset_add_step(stoa_subset_plan *plan, stoa_subset_step step, stoa_error *err);
/* Give an attribute of the copy at a path these integers, of which it has as many. */
stoa_status stoa_subset_set_attribute(stoa_subset_plan *plan, const char *path, const char *name,
                                      const uint64_t *values, size_t n, stoa_error *err);

/* The item of a dataset; NULL if it is copied as it is. */
const stoa_subset_item *stoa_subset_find(const stoa_subset_plan *plan, hid_t dataset);

/* Copy the file into the root group `to`, and run the steps. */
stoa_status stoa_subset_write(stoa_subset_plan *plan, hid_t to, const stoa_listener *listener,
                              uint64_t total_bytes, stoa_error *err);

/* --- dataset.c, ends.c ----------------------------------------------------------------------- */

/* Copy the selected elements. `copy` has their extent. */
stoa_status stoa_subset_copy_elements(const stoa_subset_item *item, hid_t source, hid_t copy,
                                      stoa_error *err);
stoa_status stoa_subset_copy_ends(const stoa_subset_item *item, hid_t source, hid_t copy,
                                  stoa_error *err);
/* Keep the elements of the lists that are kept. */
stoa_status stoa_subset_find_elements(hid_t ends, const stoa_axis_lines *rows, bool has_start,
                                      stoa_axis_lines *elements, stoa_error *err);

#endif
