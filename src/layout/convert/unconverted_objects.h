/*
 * The objects of a file that no converted table holds. <stoa/layout.h> lists and copies them.
 *
 * An object is known by its first path. All that lies in a table's group belongs to the table. The
 * exception is layouts that list the members of a table (stoa_layout_members): there an unlisted
 * member is an object of its own.
 */
#ifndef STOA_LAYOUT_UNCONVERTED_OBJECTS_H
#define STOA_LAYOUT_UNCONVERTED_OBJECTS_H

#include "core/string_set.h"
#include "layout/registry.h"

/* An object that was found, and its strings. */
typedef struct stoa_unconverted_item {
    stoa_unconverted shown;
    char *path;
    char *datatype;
    char *attributes;
    const char *table; /* the table that it is one more name of, or NULL */
} stoa_unconverted_item;

typedef struct stoa_unconverted_plan {
    const char *const *tables; /* paths of the converted tables */
    size_t n_tables;
    stoa_string_set converted; /* their tokens */
    stoa_buffer numbers; /* size_t for each of these tokens: the index of its path in `tables` */
    /* Tokens of the objects that are not copied: converted tables and hidden objects. */
    stoa_string_set left;
    stoa_buffer items; /* of stoa_unconverted_item, ordered by path */
} stoa_unconverted_plan;

/*
 * @param root  of the file
 * @param plan  zeroed except for the tables, which are borrowed; the caller clears it, also on
 *              failure
 */
stoa_status stoa_unconverted_plan_make(stoa_unconverted_plan *plan, hid_t root, stoa_error *err);
void stoa_unconverted_plan_clear(stoa_unconverted_plan *plan);
/* Whether an object is not copied. A callback of stoa_other_storage. */
bool stoa_unconverted_plan_leaves(const void *plan, const H5O_token_t *token);

/* Describe an object (unconverted_words.c): "float64 · 3 x 4" for a dataset, "group" for a group.
 * `said` is what its layout says of it, in place of its type, or NULL. The caller frees the words.
 */
stoa_status stoa_unconverted_describe(hid_t object, const char *said, char **words,
                                      stoa_error *err);
/* "run, comment": the attributes that do not belong to the layout `of`, which may be NULL. The
 * caller frees the names. NULL if there are none. */
stoa_status stoa_unconverted_name_attributes(hid_t object, const stoa_layout *of, char **names,
                                             stoa_error *err);
/* "-> /t": the target of a soft or external link. The caller frees it. NULL if out of memory. */
char *stoa_unconverted_target(hid_t group, const char *name, const H5L_info2_t *info);

#endif
