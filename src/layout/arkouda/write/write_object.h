/* One Arkouda object in one file, which is filled row by row (Arkouda notes §E to §G). */
#ifndef STOA_LAYOUT_ARKOUDA_WRITE_OBJECT_H
#define STOA_LAYOUT_ARKOUDA_WRITE_OBJECT_H

#include "core/string_set.h"
#include "hdf/ids.h"
#include "layout/arkouda/write/write_type.h"

/* Sizes of one column in one file. They are known before it is filled, since arrays do not grow. */
typedef struct stoa_arkouda_sizes {
    uint64_t n_rows;
    uint64_t n_items; /* lists */
    uint64_t n_bytes; /* bytes of strings, or of strings in lists, without NULs */
} stoa_arkouda_sizes;

/* The categories of a column: its labels, and one more if no label can stand for missing rows. */
typedef struct stoa_arkouda_labels {
    const stoa_string_set *texts;
    char *missing;   /* the extra category; NULL if none */
    int64_t na_code; /* the category of missing rows */
    uint64_t n;      /* number of categories */
} stoa_arkouda_labels;

/* One of the files that hold an object. */
typedef struct stoa_arkouda_locale {
    hid_t parent; /* the group for new objects */
    uint64_t k;
    uint64_t n;
} stoa_arkouda_locale;

/* Elements that are being written. */
typedef struct stoa_arkouda_target {
    const stoa_arkouda_column_type *shape;
    stoa_arkouda_kind kind; /* ObjType of the elements */
    bool has_offsets;       /* strings */
    hid_t values;           /* numbers, or bytes of strings */
    hid_t segments;         /* strings; H5I_INVALID_HID without offsets */
    hid_t *limbs;
    uint64_t n; /* elements written so far */
    uint64_t n_bytes;
} stoa_arkouda_target;

typedef struct stoa_arkouda_object {
    hid_t segments; /* lists */
    uint64_t n_rows;
    stoa_arkouda_target target; /* rows, or the items of lists */
} stoa_arkouda_object;

/* An object with nothing open. */
#define STOA_ARKOUDA_NO_OBJECT                                                                     \
    {                                                                                              \
        .segments = H5I_INVALID_HID, .target = {                                                   \
            .values = H5I_INVALID_HID,                                                             \
            .segments = H5I_INVALID_HID                                                            \
        }                                                                                          \
    }

/* An object, or a child of one. */
typedef struct stoa_arkouda_entry {
    char *name;
    size_t position; /* of its column in the rows */
    bool is_mask;    /* marks the missing values of that column */
    stoa_arkouda_column column;
    stoa_arkouda_labels labels;
    /* Whether a pass over the rows must find out if a label "N/A" is in use. `is_na_used` is the
     * result. */
    bool is_na_asked;
    bool is_na_used;
    stoa_arkouda_sizes *sizes;  /* one for each file */
    stoa_arkouda_object object; /* of the current file; otherwise closed */
} stoa_arkouda_entry;

/*
 * Create the entry's object, which is open until it is closed. Call stoa_arkouda_object_close()
 * also on failure.
 *
 * @param is_plain    label it as a plain array. A key, or a level of an index, has no other kind:
 *                    §H, §J.1
 * @param no_offsets  leave out the offsets of strings, unless it is plain
 */
stoa_status stoa_arkouda_object_make(const stoa_arkouda_locale *locale, stoa_arkouda_entry *entry,
                                     bool is_plain, bool no_offsets, stoa_error *err);
/* Append rows [first, first + count) of a view. */
stoa_status stoa_arkouda_object_put(stoa_arkouda_entry *entry, const stoa_view *view, int64_t first,
                                    int64_t count, stoa_error *err);
stoa_status stoa_arkouda_object_close(stoa_arkouda_object *object, stoa_status status,
                                      stoa_error *err);

/* --- values (write_values.c) ----------------------------------------------------------------- */

/* Append elements [first, first + count) of a view to the target. */
stoa_status stoa_arkouda_put_values(stoa_arkouda_target *target, const stoa_view *view,
                                    int64_t first, int64_t count, stoa_error *err);
/* The same for codes: map the labels to the categories. */
stoa_status stoa_arkouda_put_codes(stoa_arkouda_target *target, const stoa_arkouda_labels *labels,
                                   const stoa_view *view, int64_t first, int64_t count,
                                   stoa_error *err);
/* The number of bytes of these strings. */
uint64_t stoa_arkouda_count_bytes(const stoa_view *view, int64_t first, int64_t count);

/* Add rows [first, first + count) of a view to the sizes. */
stoa_status stoa_arkouda_measure(const stoa_arkouda_column *column, const stoa_view *view,
                                 int64_t first, int64_t count, stoa_arkouda_sizes *sizes,
                                 stoa_error *err);

#endif
