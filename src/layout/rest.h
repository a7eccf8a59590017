/*
 * What a file holds beside the tables that are converted: <stoa/layout.h> lists and copies it.
 *
 * An object is named by the first of its paths. What lies in a table's group is the table's, but
 * for what a table does not list whose layout has such lists (stoa_layout_members).
 */
#ifndef STOA_LAYOUT_REST_H
#define STOA_LAYOUT_REST_H

#include "core/strings.h"
#include "layout/registry.h"

/* What was found, and its texts. */
typedef struct stoa_rest_item {
    stoa_rest shown;
    char *path;
    char *datatype;
    char *attributes;
    const char *table; /* that it is one more name of; NULL: of none */
} stoa_rest_item;

typedef struct stoa_rest_plan {
    const char *const *tables; /* paths of those that are converted */
    size_t n_tables;
    stoa_strings converted; /* their tokens, and after these: */
    stoa_buffer numbers;    /* size_t a token: its path among `tables` */
    stoa_strings left;      /* tokens of what is not copied: those, and what is hidden */
    stoa_buffer items;      /* of stoa_rest_item, in the order of their paths */
} stoa_rest_plan;

/*
 * @param root  of the file
 * @param plan  zeroed but for the tables, which are borrowed; cleared by the caller in every case
 */
stoa_status stoa_rest_plan_make(stoa_rest_plan *plan, hid_t root, stoa_error *err);
void stoa_rest_plan_clear(stoa_rest_plan *plan);
/* Whether an object is not copied; of stoa_other_storage. */
bool stoa_rest_plan_leaves(const void *plan, const H5O_token_t *token);

/* What is said of it, rest_words.c: "float64 · 3 x 4" of a dataset, or what its layout says of it
 * (NULL: nothing) in place of its type; "group". The caller's. */
stoa_status stoa_rest_describe(hid_t object, const char *said, char **words, stoa_error *err);
/* "run, comment": attributes that are not the layout's, NULL: of none. The caller's; NULL: there
 * are none. */
stoa_status stoa_rest_name_attributes(hid_t object, const stoa_layout *of, char **names,
                                      stoa_error *err);
/* "-> /t": where a soft or external link leads. The caller's; NULL: for want of memory. */
char *stoa_rest_target(hid_t group, const char *name, const H5L_info2_t *info);

#endif
