/* A categories dataset being written to: labels numbered, new ones added (HEP001 §8.7). */
#ifndef STOA_COLUMN_CODEBOOK_H
#define STOA_COLUMN_CODEBOOK_H

#include "column/known_labels.h"
#include "core/strings.h"
#include "hdf/types.h"

/* Beyond these the values of a column are no categories, unless somebody says that they are: */
#define STOA_CODEBOOK_LABELS 262144
#define STOA_CODEBOOK_BYTES ((size_t)8 * 1024 * 1024)
/* and where each label stands for fewer values, on average. */
#define STOA_CODEBOOK_REPEATS 4

/* Code books are held in memory: more labels than this, or more bytes of them in the file, are
 * damage. */
#define STOA_CODEBOOK_MOST_LABELS ((uint64_t)1 << 31)
#define STOA_CODEBOOK_MOST_BYTES ((uint64_t)1 << 30)

/* Start from STOA_CODEBOOK_INIT; free with stoa_codebook_clear(). */
typedef struct stoa_codebook {
    hid_t dataset;           /* H5I_INVALID_HID until first written */
    stoa_element element;    /* of the labels */
    stoa_strings labels;     /* number = code; fixed-size labels by their bytes */
    stoa_known_labels known; /* the last ones that were looked up, and their codes */
    uint32_t n_stored;       /* labels that are in the dataset */
    bool is_string;
    bool has_duplicates; /* a stored label stands twice (allowed, notes C8) */
    bool was_replaced;   /* the dataset is another object now: references must follow */
    bool is_limited;     /* see stoa_codebook_limit() */
    bool is_over;        /* labels had to be left out: the codes are worth nothing any more */
    uint64_t max_labels;
    uint64_t max_bytes;
    size_t longest; /* label, of a limited one */
} stoa_codebook;

#define STOA_CODEBOOK_INIT                                                                         \
    {                                                                                              \
        .dataset = H5I_INVALID_HID, .element = {.mem_type = H5I_INVALID_HID }                      \
    }

/* Load the labels of a dataset; its id is duplicated. */
stoa_status stoa_codebook_open(hid_t dataset, stoa_codebook *book, stoa_error *err);
/* Start one for labels of an Arrow type: strings of any kind. */
stoa_status stoa_codebook_start(const struct ArrowSchema *labels, stoa_codebook *book,
                                stoa_error *err);
/* Add labels; one that is there already, or is not UTF-8, is STOA_EINVAL. */
stoa_status stoa_codebook_add(stoa_codebook *book, const char *const *labels, size_t n,
                              stoa_error *err);
/* Let the book take up no more than so many labels, of so many bytes, than a reader would believe,
 * or than a NUL byte allows: past that it is_over, and new labels are left out. */
void stoa_codebook_limit(stoa_codebook *book, uint64_t max_labels, uint64_t max_bytes);
/* Whether the labels are the book's first ones, in their order, as those of a stream's every batch
 * are once the first has been seen: codes are the same in both then. */
bool stoa_codebook_begins_with(const stoa_codebook *book, const stoa_view *labels);
/* Codes for every label of a view (n codes into `codes`, room for view->length; -1 for a null
 * label), adding those that are new. */
stoa_status stoa_codebook_codes(stoa_codebook *book, const stoa_view *labels, int64_t *codes,
                                stoa_error *err);
/* Make a dataset of all labels, linked nowhere, which the book is of from then on; it has the
 * attributes of the one before. STOA_ETYPE unless labels are strings, STOA_ELOSS if one stands
 * twice. */
stoa_status stoa_codebook_create(stoa_codebook *book, hid_t loc, stoa_error *err);
/* Write what is new into group `categories` under `name`; makes, extends or (longer labels than the
 * dataset's type holds, no room to grow) replaces the dataset. */
stoa_status stoa_codebook_store(stoa_codebook *book, hid_t categories, const char *name,
                                stoa_error *err);
void stoa_codebook_clear(stoa_codebook *book);

#endif
