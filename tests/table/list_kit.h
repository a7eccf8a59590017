/* List columns made by libhdf5 alone (HEP001-2026-07 §9), good ones and bad ones, and their rows as
 * text. */
#ifndef STOA_TESTS_TABLE_LIST_KIT_H
#define STOA_TESTS_TABLE_LIST_KIT_H

#include "table/kit.h"

/* Make a group with CLASS and, unless NULL, KIND. */
void list_group(hid_t file, const char *path, const char *class, const char *kind);
/* The group of a list column or of lists in it. */
void list_column(hid_t file, const char *path);
/* Make a dataset of one dimension. `fill`: one element, or NULL. Both are in `type`. */
void list_dataset(hid_t file, const char *path, hid_t type, hsize_t n, const void *values,
                  const void *fill);
/* Make OFFSETS, or a MASK of FALSE (0) and TRUE (1), in a group. */
void list_offsets(hid_t file, const char *group, hsize_t n, const uint64_t *offsets);
void list_mask(hid_t file, const char *group, hsize_t n, const int8_t *mask);
#define LIST_OFFSETS(file, group, ...)                                                             \
    list_offsets((file), (group), sizeof(uint64_t[]){__VA_ARGS__} / sizeof(uint64_t),              \
                 (const uint64_t[]){__VA_ARGS__})
#define LIST_MASK(file, group, ...)                                                                \
    list_mask((file), (group), sizeof(int8_t[]){__VA_ARGS__} / sizeof(int8_t),                     \
              (const int8_t[]){__VA_ARGS__})

/* Rows [first, first + count) as text, in a buffer that the next call reuses: "[1,null] null
 * ['a']". A struct is "{x:1,y:2}". */
const char *list_text(stoa_column *column, uint64_t first, uint64_t count);
/* The same of an Arrow array. */
const char *list_array_text(const struct ArrowSchema *schema, const struct ArrowArray *array,
                            int64_t first, int64_t count);

#endif
