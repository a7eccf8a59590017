/* Create the HDF5 dataset of an Arrow field: datatype, fill, storage (HEP001 §8.3-§8.5). */
#ifndef STOA_COLUMN_CREATE_COLUMN_H
#define STOA_COLUMN_CREATE_COLUMN_H

#include <stoa/progress.h>

#include "column/column.h"
#include "column/type/domain.h"

/* Most bytes of a chunk of default length. One row is read at the price of its chunk. */
#define STOA_CHUNK_BYTES (UINT64_C(16) << 20)

/* So many rows, halved until a chunk of elements of that size has no more. */
uint64_t stoa_chunk_rows_limited(uint64_t n_rows, size_t size);

/* How a column's dataset is stored. */
typedef struct stoa_storage {
    uint64_t extent;
    uint64_t chunk_rows; /* 0: contiguous */
    bool is_fitted;      /* they are as many as the first rows need. Lists have more values than
                            rows, whose chunks are then fitted to them */
    bool is_limited;     /* chunks of large elements have fewer rows: STOA_CHUNK_BYTES */
    bool has_no_fill;    /* members of lists only: no element is missing, and any value is one */
    const char *codec;   /* see stoa_codec_apply() */
    bool is_coded;       /* strings only: stored as categories (STOA_COLUMN_ARROW_TYPE) */
    bool is_truth;       /* booleans only: FALSE and TRUE, while none is missing (§8.8 of July) */
    const char *fill;    /* chosen fill value, as text; NULL: one that is no value */
    bool prefers_ascii;  /* strings only: of ASCII, while no value needs UTF-8 */
    bool is_looked_up;   /* single rows will be read: this comes before the size */
} stoa_storage;

/*
 * Create the unlinked dataset of a column.
 *
 * @param field     type and metadata ("units", "units_vocabulary", "description") of the column
 * @param domain    of the values seen so far; decides string length and fill
 * @param sample    values to try codecs on; NULL: none
 * @param n_labels  for dictionaries and strings stored as categories: the number of labels; decides
 *                  the width of the codes
 * @return STOA_ETYPE if no HEP001 column holds the type; STOA_ELOSS if no fill value is left
 */
stoa_status stoa_column_create(hid_t group, const struct ArrowSchema *field,
                               const stoa_domain *domain, const stoa_view *sample,
                               uint64_t n_labels, const stoa_storage *storage, hid_t *dataset,
                               stoa_error *err);

/* Write attributes for what a dataset's type does not tell of its field: units, description,
 * extension type, time zone. */
stoa_status stoa_field_notes_write(hid_t dataset, const struct ArrowSchema *field, stoa_error *err);

/* The same for the group of a list column or of lists in it, whose values have notes of their own.
 * `units` are those of the innermost values (HEP001-2026-07 §9.6). */
stoa_status stoa_list_notes_write(hid_t group, const struct ArrowSchema *field, stoa_error *err);

/* Values that are yet to be written, as elements of the present datatype. They are shown as often
 * as `show` is called. */
typedef void (*stoa_elements_look)(void *looker, const uint8_t *elements, uint64_t n);
typedef struct stoa_elements_to_come {
    stoa_status (*show)(void *context, stoa_elements_look look, void *looker, stoa_error *err);
    void *context;
} stoa_elements_to_come;

/* What a column's new dataset has to hold. */
typedef struct stoa_rewriting {
    const stoa_domain *domain; /* of values yet to be written; NULL: none */
    uint64_t n_labels;
    uint64_t extent;
    const stoa_storage *storage; /* NULL: same chunks and filters; a contiguous dataset becomes
                                    chunked */
    bool fill_is_taken;          /* one of the values equals the present fill */
    const stoa_elements_to_come *to_come; /* these values; NULL: none */
} stoa_rewriting;

/*
 * Create an unlinked dataset like an open column's with another datatype or fill. Attributes are
 * copied, but valid_min and valid_max follow the fill.
 *
 * @param domain  of all values the new dataset will hold
 * @param fill    one element of the present datatype; NULL: the present one if a producer has
 *                chosen it, else one outside of the domain
 */
stoa_status stoa_column_rewrite_dataset(const stoa_column *column, const stoa_domain *domain,
                                        const stoa_rewriting *how, const void *fill, hid_t *dataset,
                                        stoa_error *err);

/*
 * Create an unlinked dataset of a column's first rows in another storage. The datatype, fill,
 * attributes and the bits of every element stay the same.
 *
 * @param storage  codec NULL: the same filters. Only chunked datasets have codecs
 */
stoa_status stoa_column_rewrite_storage(stoa_column *column, uint64_t n_rows,
                                        const stoa_storage *storage, const stoa_listener *listener,
                                        hid_t *dataset, stoa_error *err);

/*
 * Forget the original type (arrow/cast/original.h) of a column that gets values which it may not
 * hold.
 *
 * @param field  of the values; NULL: they are computed
 */
stoa_status stoa_column_keep_original(stoa_column *column, const struct ArrowSchema *field,
                                      stoa_error *err);

#endif
