/* The categories of a column (HEP001 §8.7) while it is written: labels get codes, and new labels
 * are added to the categories dataset. Labels are strings, numbers, times or booleans. */
#ifndef STOA_COLUMN_CATEGORIES_H
#define STOA_COLUMN_CATEGORIES_H

#include "column/column.h"
#include "column/write/label_cache.h"
#include "core/string_set.h"
#include "hdf/metadata/types.h"

/* Limits for storing strings as categories on our own: labels, and the bytes of all labels. */
#define STOA_CATEGORIES_LABELS 262144
#define STOA_CATEGORIES_BYTES ((size_t)8 * 1024 * 1024)
/* and if each label stands for at least so many values, on average. */
#define STOA_CATEGORIES_REPEATS 4

/* Categories are held in memory. A file with more labels, or more bytes of labels, is damaged. */
#define STOA_CATEGORIES_MAX_LABELS ((uint64_t)1 << 31)
#define STOA_CATEGORIES_MAX_BYTES ((uint64_t)1 << 30)

/* Bytes of a label in a message, with its NUL. */
enum { STOA_LABEL_TEXT = 208 };

/* Start from STOA_CATEGORIES_INIT; free with stoa_categories_clear(). */
typedef struct stoa_categories {
    hid_t dataset;        /* H5I_INVALID_HID until the first write */
    stoa_element element; /* of the labels */
    stoa_string_set
        labels; /* indexed by code; numbers and other fixed-size labels as their bytes */
    stoa_label_cache known; /* the labels looked up last, with their codes */
    uint32_t n_stored;      /* labels already in the dataset */
    bool is_string;
    stoa_column *values; /* labels that are no strings: the dataset as a column; else NULL */
    bool is_unlinked;    /* the dataset exists, but has no name yet */
    bool has_duplicates; /* a stored label occurs twice (allowed, notes C8) */
    bool was_replaced;   /* the dataset was replaced: references to it must be updated */
    bool has_grown;      /* it has new labels: so must what columns say of them */
    bool prefers_ascii;  /* new datasets are of ASCII, while no label needs UTF-8 */
    bool is_limited;     /* see stoa_categories_limit() */
    bool is_over;        /* labels were left out, so the codes are invalid */
    uint64_t max_labels;
    uint64_t max_bytes;
    size_t longest; /* length of the longest label; only set if limited */
} stoa_categories;

#define STOA_CATEGORIES_INIT                                                                       \
    {                                                                                              \
        .dataset = H5I_INVALID_HID, .element = {.mem_type = H5I_INVALID_HID }                      \
    }

/* Load the labels of a dataset; its id is duplicated. `name` is that of a column, for messages. */
stoa_status stoa_categories_open(hid_t dataset, const char *name, stoa_categories *book,
                                 stoa_error *err);
/* Start empty categories for labels of an Arrow type, which must be strings of any kind. */
stoa_status stoa_categories_start(const struct ArrowSchema *labels, stoa_categories *book,
                                  stoa_error *err);
/* The same for labels that may also be numbers, times or booleans. Their dataset is created in the
 * file of `loc`. `name` is that of the column, for messages. */
stoa_status stoa_categories_start_any(hid_t loc, const char *name, const struct ArrowSchema *labels,
                                      stoa_categories *book, stoa_error *err);
/* Add labels. STOA_EINVAL if one exists already or is not UTF-8. */
stoa_status stoa_categories_add(stoa_categories *book, const char *const *labels, size_t n,
                                stoa_error *err);
/* Limit the number of labels and their bytes, also to what a reader accepts, and refuse labels with
 * NUL bytes. Beyond the limits is_over is set and new labels are left out. */
void stoa_categories_limit(stoa_categories *book, uint64_t max_labels, uint64_t max_bytes);
/* Whether the labels are the first labels of the categories, in the same order. Then their codes
 * are equal. This is the case for all batches of a stream once the first has been seen. */
bool stoa_categories_begins_with(const stoa_categories *book, const stoa_view *labels);
/* Look up the code of every label of a view, and add new labels. `codes` has room for view->length
 * codes; a null label gets -1. */
stoa_status stoa_categories_codes(stoa_categories *book, const stoa_view *labels, int64_t *codes,
                                  stoa_error *err);
/* Create an unlinked dataset of all labels with the attributes of the previous one. The categories
 * own it from then on. STOA_ELOSS if a label occurs twice. */
stoa_status stoa_categories_create(stoa_categories *book, hid_t loc, stoa_error *err);
/* Write new labels to the dataset `name` in group `categories`. The dataset is created, extended,
 * or replaced if the labels are too long for its type or it cannot grow. */
stoa_status stoa_categories_store(stoa_categories *book, hid_t categories, const char *name,
                                  stoa_error *err);
/* Label number `code` for messages. */
void stoa_categories_text(const stoa_categories *book, uint32_t code, char out[STOA_LABEL_TEXT]);
/*
 * Let a column refer to the categories: by CATEGORIES (HEP001 §8.7), by stoa_categories_path and,
 * if CF can say it, by `flag_values` and `flag_meanings` (cf_attributes.h).
 *
 * @param column  its dataset
 * @param name    of the categories dataset in the group CATEGORIES
 * @param is_old  the reference is of H5T_STD_REF_OBJ
 */
stoa_status stoa_categories_refer(const stoa_categories *book, hid_t column, const char *name,
                                  bool is_old, stoa_error *err);
/* Write stoa_categories_path alone. */
stoa_status stoa_categories_tell_path(hid_t column, const char *name, stoa_error *err);
void stoa_categories_clear(stoa_categories *book);

#endif
