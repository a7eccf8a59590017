/* One object of Arkouda in one file, filled row by row (Arkouda notes §E to §G). */
#ifndef STOA_LAYOUT_ARKOUDA_WRITE_OBJECT_H
#define STOA_LAYOUT_ARKOUDA_WRITE_OBJECT_H

#include "core/strings.h"
#include "hdf/ids.h"
#include "layout/arkouda/write_shape.h"

/* Of one column in one file: known before it is filled, for arrays do not grow. */
typedef struct stoa_arkouda_sizes {
    uint64_t n_rows;
    uint64_t n_items; /* lists */
    uint64_t n_bytes; /* strings, or those in lists, without the NUL behind each */
} stoa_arkouda_sizes;

/* The categories of a column, one more than its labels where none of these can stand for missing
 * rows. */
typedef struct stoa_arkouda_labels {
    const stoa_strings *texts;
    char *missing;   /* the one more; NULL: none */
    int64_t na_code; /* the category of missing rows */
    uint64_t n;      /* categories */
} stoa_arkouda_labels;

/* One of the files that an object lies in. */
typedef struct stoa_arkouda_locale {
    hid_t parent; /* the group that objects are made in */
    uint64_t k;
    uint64_t n;
} stoa_arkouda_locale;

/* Elements that are being filled. */
typedef struct stoa_arkouda_target {
    const stoa_arkouda_shape *shape;
    hid_t values;   /* numbers, bytes of strings */
    hid_t segments; /* strings; H5I_INVALID_HID: without offsets */
    hid_t *limbs;
    uint64_t n; /* elements that are in it */
    uint64_t n_bytes;
} stoa_arkouda_target;

typedef struct stoa_arkouda_object {
    const stoa_arkouda_column *column;
    const stoa_arkouda_labels *labels;
    hid_t segments; /* lists */
    uint64_t n_rows;
    stoa_arkouda_target target; /* rows; the items of lists */
} stoa_arkouda_object;

/* None is open. */
#define STOA_ARKOUDA_NO_OBJECT                                                                     \
    {                                                                                              \
        .segments = H5I_INVALID_HID, .target = {                                                   \
            .values = H5I_INVALID_HID,                                                             \
            .segments = H5I_INVALID_HID                                                            \
        }                                                                                          \
    }

typedef struct stoa_arkouda_making {
    const char *name;
    stoa_arkouda_sizes sizes;
    const stoa_arkouda_labels *labels; /* of a Categorical */
    bool is_plain; /* without the kinds that a key, or a level of an index, has not: §H, §J.1 */
    bool no_offsets;
} stoa_arkouda_making;

/* Make it; stoa_arkouda_object_close() is right after any failure. All that is given is borrowed
 * until then. */
stoa_status stoa_arkouda_object_make(const stoa_arkouda_locale *locale,
                                     const stoa_arkouda_column *column,
                                     const stoa_arkouda_making *making, stoa_arkouda_object *object,
                                     stoa_error *err);
/* Rows [first, first + count) of a view, behind those that are in it. */
stoa_status stoa_arkouda_object_put(stoa_arkouda_object *object, const stoa_view *view,
                                    int64_t first, int64_t count, stoa_error *err);
stoa_status stoa_arkouda_object_close(stoa_arkouda_object *object, stoa_status status,
                                      stoa_error *err);

/* What rows [first, first + count) of a view add to the sizes. */
stoa_status stoa_arkouda_measure(const stoa_arkouda_column *column, const stoa_view *view,
                                 int64_t first, int64_t count, stoa_arkouda_sizes *sizes,
                                 stoa_error *err);

#endif
