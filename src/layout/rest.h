/*
 * What a file holds beside the tables that are converted: <stoa/layout.h> lists and copies it.
 *
 * An object is named by the first of its paths. What lies in a table's group is the table's, but
 * for what the datatype of an LH5 table does not list (LH5 notes §2.2).
 */
#ifndef STOA_LAYOUT_REST_H
#define STOA_LAYOUT_REST_H

#include <stoa/layout.h>

#include "core/strings.h"

/* What was found, and its texts. */
typedef struct stoa_rest_item {
    stoa_rest shown;
    char *path;
    char *datatype;
    char *attributes;
} stoa_rest_item;

typedef struct stoa_rest_plan {
    const char *const *tables; /* paths of those that are converted */
    size_t n_tables;
    stoa_strings converted; /* their tokens, and after these: */
    stoa_buffer numbers;    /* size_t a token: its path among `tables` */
    stoa_strings left;      /* tokens of what is not copied: those, and indexes of PyTables */
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

#endif
