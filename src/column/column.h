/* One open column dataset (HEP001 §8). */
#ifndef STOA_COLUMN_COLUMN_H
#define STOA_COLUMN_COLUMN_H

#include <stoa/column.h>

#include "core/threads.h"
#include "hdf/chunk_writer.h"
#include "hdf/direct.h"
#include "hdf/idle.h"
#include "hdf/packed.h"
#include "hdf/rows.h"
#include "hdf/types.h"

/* An attribute of Stoa's own: on a categorical column "utf8" where its labels are how strings are
 * kept, and no type that anybody chose, so that Arrow shows it as strings; on a column of integers
 * "duration" where they are lengths of time, counted in its units, and not just any numbers; on one
 * of numbers the type that they had, "int8", where that has no value left to stand for missing:
 * Arrow shows it as metadata of this name. */
#define STOA_COLUMN_ARROW_TYPE "stoa_arrow_type"
#define STOA_COLUMN_DURATION "duration"
/* The extension type of the Arrow field that a column was made of: "w:16 arrow.uuid". */
#define STOA_COLUMN_EXTENSION "stoa_arrow_extension"
#define STOA_COLUMN_EXTENSION_ITEM "item:" /* before the type, where a list's items have it */
#define STOA_COLUMN_EXTENSION_METADATA "stoa_arrow_extension_metadata"
/* The same of the items of a list that has one, too. */
#define STOA_COLUMN_ITEM_EXTENSION "stoa_arrow_item_extension"
#define STOA_COLUMN_ITEM_EXTENSION_METADATA "stoa_arrow_item_extension_metadata"

/* Another one on a column of UTC times (§8.6): the zone that they are shown in, which Arrow has and
 * HEP001 has no word for: "Europe/Berlin", "+02:00". */
#define STOA_COLUMN_TIME_ZONE "stoa_time_zone"

/* Rows that a layout reads in its own way (foreign.h). Called where libhdf5 may be called, for rows
 * below the column's. */
typedef struct stoa_column_source {
    /* Elements in memory form, for a column that has an element; its variable-length parts are
     * libhdf5's. Either this, */
    stoa_status (*read_elements)(void *context, uint64_t first, uint64_t count, void *out,
                                 stoa_error *err);
    /* or an array of the column's schema. */
    stoa_status (*read_array)(void *context, uint64_t first, uint64_t count, struct ArrowArray *out,
                              stoa_error *err);
    /* Where rows may be had without libhdf5, but that is not known before the datasets are looked
     * at: a look, where libhdf5 may be called; again and again, and the same each time. NULL: no.
     *
     * @param shelf         the column's
     * @param[out] is_free  whether `read_free` may be used from now on */
    stoa_status (*prepare)(void *context, stoa_shelf *shelf, bool *is_free, stoa_error *err);
    /* An array, on any thread, which has these two for itself from call to call. */
    stoa_status (*read_free)(void *context, stoa_scratch *a, stoa_scratch *b, uint64_t first,
                             uint64_t count, struct ArrowArray *out, stoa_error *err);
    void (*close)(void *context); /* NULL: nobody reads */
    void *context;
    bool is_free;  /* calls no libhdf5: any number of threads may read */
    bool is_sound; /* its offsets and codes are checked, and need not be once more */
} stoa_column_source;

typedef struct stoa_learned stoa_learned; /* learned.h */
typedef struct stoa_zones stoa_zones;     /* zones.h */
typedef struct stoa_lexicon stoa_lexicon; /* lexicon.h */

/* What a layout says of a column that is not HEP001's to say: field metadata. */
typedef struct stoa_column_remark {
    char *key;
    char *value;
} stoa_column_remark;

/* One more of n, both copied; nothing, where the value is NULL. */
stoa_status stoa_remark_add(stoa_column_remark **remarks, size_t *n, const char *key,
                            const char *value, stoa_error *err);
void stoa_remarks_free(stoa_column_remark *remarks, size_t n);

struct stoa_column {
    char *name;
    char *place; /* FILE:PATH, for those whom an error is told; NULL: no more than the name is known
                  */
    hid_t dataset;        /* not open where only the name was noted: see stoa_column_reach() */
    hid_t group;          /* where it is found then; borrowed */
    bool is_one_of_many;  /* which do without their datasets as soon as they can */
    H5O_token_t token;    /* of the dataset, where a table found it */
    bool is_loaded;       /* what follows was read: see stoa_column_load() */
    stoa_element element; /* of the dataset */
    stoa_type type;       /* as presented in Arrow: times, bools and categories resolved */
    uint8_t *fill;        /* one element in memory form; NULL: undefined, nothing is missing */
    bool fill_is_nan;     /* then every NaN is missing (§8.5) */
    bool is_time;         /* integers with `UNIT since EPOCH` units, or durations */
    stoa_time_units time;
    char *units;            /* attributes (§8.6), NULL where absent */
    char *units_vocabulary; /* own or inherited from the table (§7.4) */
    char *description;
    char *extension; /* of its Arrow field, "FORMAT NAME": counts where that has this format */
    char *extension_metadata;
    char *item_extension; /* of a list's items, where the list has one, too */
    char *item_extension_metadata;
    char *narrower;     /* the type that its numbers had; NULL: this one */
    uint8_t *valid_min; /* one element each in memory form, NULL where absent (§8.5) */
    uint8_t *valid_max;
    uint64_t extent;
    uint64_t chunk_rows;          /* 0: not chunked */
    bool is_guarded;              /* its chunks have been looked at, as far as that is cheap */
    stoa_packed packed;           /* and are read through this from then on */
    stoa_learned *zones;          /* a stoa_zones; NULL: nobody has searched it */
    stoa_learned *lexicon;        /* a stoa_lexicon; NULL: nobody has asked, or it has none */
    stoa_shelf *shelf;            /* what it shares with other columns; borrowed, may be NULL */
    stoa_idle *idle;              /* of a table that locks nothing between its uses; borrowed */
    stoa_workers *workers;        /* that may help with its indexes; borrowed, may be NULL */
    stoa_chunk_writer *writer;    /* and written through this; NULL until they are */
    uint64_t n_rows;              /* NROWS as the table last set it */
    uint64_t n_stored_bytes;      /* of a dataset that nobody can change, once somebody asked; */
    bool has_stored_bytes;        /* libhdf5 walks over all chunks to add them up */
    hid_t categories;             /* categories dataset (§8.7), or H5I_INVALID_HID */
    bool has_read_categories;     /* which is closed again: it is one of many */
    bool is_ordered;              /* the order of the categories means something (§8.7) */
    bool is_text;                 /* categories, but strings to everybody: STOA_COLUMN_ARROW_TYPE */
    struct ArrowArray dictionary; /* its labels, or an enum's; release == NULL if neither */
    struct ArrowSchema dictionary_schema;
    /* A column of a table that is not HEP001's (foreign.h): */
    bool is_foreign;
    stoa_row_member member; /* its rows are members of others; member.rows == NULL: they are not */
    struct stoa_column *mask;  /* its rows are missing where those are not 0; NULL: no more are */
    char *zone;                /* of its times; NULL: as column->time says */
    bool has_labels;           /* codes of labels that no categories dataset holds */
    stoa_column_source source; /* its rows are read so; source.close == NULL: they are not */
    struct ArrowSchema source_schema; /* of arrays */
    stoa_column_remark *remarks;
    size_t n_remarks;
};

/*
 * A dataset as a column of which nothing is known but its name, its NROWS and its vocabulary: a
 * table of thousands of columns opens at once, and those that nobody asks for may be damaged.
 *
 * @param dataset     taken over in every case
 * @param vocabulary  the table's units_vocabulary, or NULL
 */
stoa_status stoa_column_note(hid_t dataset, const char *name, uint64_t n_rows,
                             const char *vocabulary, stoa_column **column, stoa_error *err);
/* The same for a dataset that is opened when it is first needed, by its name in `group`, which is
 * borrowed and in which nothing changes. Thousands of open ids cost more than what is read of the
 * datasets. */
stoa_status stoa_column_note_link(hid_t group, const char *name, uint64_t n_rows,
                                  const char *vocabulary, stoa_column **column, stoa_error *err);
/* More columns than this are one_of_many: an open dataset takes 25 KB. */
#define STOA_MANY_COLUMNS 1000
/* Have column->dataset; whatever is loaded has it, unless it is one of many that were read. */
stoa_status stoa_column_reach(const stoa_column *column, stoa_error *err);
/* One of many does without it, unless libhdf5 reads its rows. */
void stoa_column_let_go(stoa_column *column);
/* A dataset that is open to be a column's: libhdf5's cache of its chunks knows a few of them,
 * instead of having a place for each of 521. The name is a hard link's in `group`. */
hid_t stoa_column_dataset_open(hid_t group, const char *name);
/*
 * Read everything else, unless it was read before: type, fill, attributes, categories. The public
 * calls do so themselves; the others are for columns that were loaded. Call it where libhdf5 may be
 * called.
 *
 * @return STOA_EDATA if it is not of rank 1 (§8.1) or cannot be read; it may be tried again
 */
stoa_status stoa_column_load(const stoa_column *column, stoa_error *err);
/* Which Arrow type presents the elements, by the element and the attributes; column->time, where it
 * is known that they count time. */
void stoa_column_resolve_type(stoa_column *column);
/* Extent and chunk length of the dataset, which must have one dimension (HEP001 §8.1). */
stoa_status stoa_column_read_shape(stoa_column *column, stoa_error *err);
void stoa_column_resolve_time(stoa_column *column);
/* The elements are durations. */
void stoa_column_resolve_duration(stoa_column *column, stoa_time_unit unit);
/* Whether they could be, by the element and the units. */
bool stoa_column_has_duration_units(const stoa_column *column, stoa_time_unit *unit);
/* Note and load. */
stoa_status stoa_column_open(hid_t dataset, const char *name, uint64_t n_rows,
                             const char *vocabulary, stoa_column **column, stoa_error *err);
void stoa_column_close(stoa_column *column);
/* Back to what was noted. */
void stoa_column_unload(stoa_column *column);
/* stoa_at() the column. */
stoa_status stoa_column_at(const stoa_column *column, stoa_status status, stoa_error *err);
/* STOA_ERANGE where the rows pass NROWS. */
stoa_status stoa_column_check_rows(const stoa_column *column, uint64_t first, uint64_t count,
                                   stoa_error *err);

/* What its layout says of a column, for the field's metadata; both are copied. A value of NULL is
 * nothing said. */
stoa_status stoa_column_remark_on(stoa_column *column, const char *key, const char *value,
                                  stoa_error *err);

/* Whether the column is no HEP001 dataset: such a one is read alone. */
static inline bool stoa_column_is_foreign(const stoa_column *column)
{
    return column->is_foreign;
}

/* Whether its rows are the elements of its dataset, whoever's that is. */
static inline bool stoa_column_is_dataset(const stoa_column *column)
{
    return column->member.rows == NULL && column->source.close == NULL;
}

static inline bool stoa_column_is_categorical(const stoa_column *column)
{
    return column->categories >= 0 || column->has_read_categories || column->has_labels;
}

/* As stoa_column_schema() and stoa_column_read(), but every categorical column is a dictionary,
 * those of strings (is_text) included: what a query computes with. */
stoa_status stoa_column_coded_schema(const stoa_column *column, struct ArrowSchema *out,
                                     stoa_error *err);
stoa_status stoa_column_read_coded(stoa_column *column, uint64_t first, uint64_t count,
                                   struct ArrowArray *out, stoa_error *err);

/* Rows [first, first + count) as elements in memory form (stoa_alloc'ed, the caller's; variable
 * parts are reclaimed by stoa_element_reclaim). Rows up to the extent may be read. */
stoa_status stoa_column_read_elements(stoa_column *column, uint64_t first, uint64_t count,
                                      void **elements, stoa_error *err);
/* The same into memory of the caller's, for elements without variable parts. */
stoa_status stoa_column_read_into(stoa_column *column, uint64_t first, uint64_t count, void *block,
                                  stoa_error *err);
/* Set a bit for each element that the canonical missing-value test calls missing (§8.5); *missing
 * is NULL if there is none. */
stoa_status stoa_column_missing(const stoa_column *column, const void *elements, uint64_t count,
                                uint8_t **missing, uint64_t *n_missing, stoa_error *err);

/* Bytes that its rows take up in the file. */
uint64_t stoa_column_stored_bytes(const stoa_column *column);
/* Rows that are read or written at most where hardly any was ever written. */
#define STOA_UNWRITTEN_ROWS ((uint64_t)1 << 30)
/* STOA_ERANGE where more are to be, of a column that has stored less than a byte for 2^20 rows: a
 * file of a few KiB can say that it has 2^62. */
stoa_status stoa_column_may_be_scanned(const stoa_column *column, uint64_t n_rows, stoa_error *err);
/* STOA_ERANGE where its chunks have over 64 MiB, which libhdf5 would make up whole, and it has
 * stored less than a byte for 2^20 of theirs. */
stoa_status stoa_column_may_be_rewritten(const stoa_column *column, stoa_error *err);
/* The column's rows past libhdf5, looked for once; borrowed, NULL where libhdf5 must read. */
stoa_status stoa_column_direct(stoa_column *column, const stoa_direct **direct, stoa_error *err);
/* Have column->writer. */
stoa_status stoa_column_open_writer(stoa_column *column, stoa_error *err);
void stoa_column_close_writer(stoa_column *column);
/* Write elements in memory form into rows [first, first + count) of the extent. The last chunk is
 * held until another one is written, or until it is flushed: before the column is read, reloaded or
 * committed. */
stoa_status stoa_column_write_elements(stoa_column *column, uint64_t first, uint64_t count,
                                       const void *elements, stoa_error *err);
stoa_status stoa_column_flush(stoa_column *column, stoa_error *err);
/* Forget what is held. */
void stoa_column_discard(stoa_column *column);

/* Whether values of the column have the order of §10.5. */
bool stoa_column_is_ordered(const stoa_column *column);

/* The stored code of entry `position` of the dictionary: itself for categoricals, the member's code
 * for enums. */
int64_t stoa_column_code(const stoa_column *column, int64_t position);

#endif
