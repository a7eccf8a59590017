/* A column: one open dataset of a table, with its type, attributes and rows (HEP001 §8). */
#ifndef STOA_COLUMN_COLUMN_H
#define STOA_COLUMN_COLUMN_H

#include <stoa/column.h>

#include "arrow/cast/original.h"
#include "core/threads.h"
#include "hdf/chunk/chunk_writer.h"
#include "hdf/file/idle.h"
#include "hdf/metadata/types.h"
#include "hdf/read/checked_reader.h"
#include "hdf/read/compound_rows.h"
#include "hdf/read/direct.h"

/*
 * Attribute of Stoa's own: the Arrow type that a column presents where HEP001 cannot express it.
 *
 * "utf8"      on a categorical column: its categories are only the storage of strings. Arrow
 *             shows the column as strings.
 * "duration"  on a column of integers: they are lengths of time, counted in the column's units.
 * "int8"      or another number type, on a column of numbers: the type they had before they were
 *             widened because no value was left for missing. All values fit into it. Arrow shows
 *             it as field metadata.
 */
#define STOA_COLUMN_ARROW_TYPE STOA_ORIGINAL_NUMBER
#define STOA_COLUMN_DURATION "duration"
/* Attribute: the Arrow extension type of the field that the column comes from, "w:16
 * arrow.uuid". */
#define STOA_COLUMN_EXTENSION "stoa_arrow_extension"
#define STOA_COLUMN_EXTENSION_ITEM "item:" /* prefix of the type if the list's items have it */
#define STOA_COLUMN_EXTENSION_METADATA "stoa_arrow_extension_metadata"
/* The same for the items of a list that has an extension type itself. */
#define STOA_COLUMN_ITEM_EXTENSION "stoa_arrow_item_extension"
#define STOA_COLUMN_ITEM_EXTENSION_METADATA "stoa_arrow_item_extension_metadata"

/* Attribute of Stoa's own on a categorical column: the path of its categories relative to the
 * table, for programs that cannot follow CATEGORIES, "CATEGORIES/label". */
#define STOA_COLUMN_CATEGORIES_PATH "stoa_categories_path"

/* Attribute of Stoa's own on a column of UTC times (§8.6): the time zone they are shown in, as
 * "Europe/Berlin" or "+02:00". Arrow has one; HEP001 has no attribute for it. */
#define STOA_COLUMN_TIME_ZONE "stoa_time_zone"

/* Rows that a layout reads itself (foreign.h). Unless stated otherwise, the functions are called
 * only where libhdf5 may be called, and for rows below the column's number of rows. */
typedef struct stoa_column_source {
    /* Read elements in memory form, for a column with an element type. Their variable-length parts
     * belong to libhdf5. A source sets either this */
    stoa_status (*read_elements)(void *context, uint64_t first, uint64_t count, void *out,
                                 stoa_error *err);
    /* or this, which reads an array of the column's schema. */
    stoa_status (*read_array)(void *context, uint64_t first, uint64_t count, struct ArrowArray *out,
                              stoa_error *err);
    /*
     * Decide whether rows can be read without libhdf5, if that is known only after a look at the
     * datasets. Called where libhdf5 may be called, repeatedly, with the same answer each time.
     * NULL: they cannot.
     *
     * @param read_context         the column's read context
     * @param[out] is_free  whether `read_free` may be used from now on
     */
    stoa_status (*prepare)(void *context, stoa_read_context *read_context, bool *is_free,
                           stoa_error *err);
    /* Read an array, on any thread. The thread has both scratches to itself from call to call. */
    stoa_status (*read_free)(void *context, stoa_scratch *a, stoa_scratch *b, uint64_t first,
                             uint64_t count, struct ArrowArray *out, stoa_error *err);
    /* Read lists without their items, as arrays of `bare_schema`: where they lie, and which are
     * missing. The items are of the null type. NULL: it reads no lists, or cannot. `scratch` is as
     * in stoa_list_numbers. */
    stoa_status (*read_bare)(void *context, stoa_scratch *scratch, uint64_t first, uint64_t count,
                             struct ArrowArray *out, stoa_error *err);
    const struct ArrowSchema *bare_schema; /* owned by the context */
    void (*close)(void *context);          /* NULL: there is no source */
    void *context;
    bool is_free;  /* never calls libhdf5: any number of threads may read at once */
    bool is_sound; /* its offsets and codes have been checked already */
} stoa_column_source;

/* Opens a column that only its layout knows, when it is first needed (column/read/foreign.h). */
typedef struct stoa_column_opener {
    stoa_status (*open)(void *context, struct stoa_column **column, stoa_error *err);
    void (*close)(void *context); /* NULL: there is no opener */
    void *context;
} stoa_column_opener;

typedef struct stoa_generation stoa_generation;                 /* index/common/tokens.h */
typedef struct stoa_learned stoa_learned;                       /* learned.h */
typedef struct stoa_zones stoa_zones;                           /* zones.h */
typedef struct stoa_learned_dictionary stoa_learned_dictionary; /* learned_dictionary.h */

/* Field metadata that a layout adds to a column and HEP001 does not define. */
typedef struct stoa_field_metadata {
    char *key;
    char *value;
} stoa_field_metadata;

/* Append an entry to the n of a field. Key and value are copied. Nothing is added if the value is
 * NULL. */
stoa_status stoa_field_metadata_add(stoa_field_metadata **metadata, size_t *n, const char *key,
                                    const char *value, stoa_error *err);
void stoa_field_metadata_free(stoa_field_metadata *metadata, size_t n);

/*
 * What a list column is made of, or a level of lists below it (HEP001-2026-07 §9). The members are
 * columns of their own. They have as many rows as the level has entries, and may have a longer
 * extent.
 *
 * - Entry i of HEP001 is [offsets[i], offsets[i + 1]) of `values`. Other layouts store only ends.
 * - `values` is a dataset, or the lists of the next level, whose own `list` is set.
 * - A level of strings (§9.4) has `is_text` and its CHARS as values.
 */
typedef struct stoa_list {
    stoa_column *offsets; /* n_rows + 1 numbers, or ends. NULL: the column is not loaded */
    stoa_column *mask;    /* FALSE where an entry is missing (§9.3); NULL: none is */
    stoa_column *values;  /* n_rows: the last offset */
    bool is_text;
    bool is_ends;     /* offsets has the end of each entry, without a leading zero (LH5) */
    unsigned depth;   /* levels above this one */
    int32_t width;    /* values of each entry that is not missing, which makes fixed-size lists; 0:
                         any number */
    const char *rule; /* what defines the offsets, for messages; static storage */
    /* Open the members. NULL: another layout has opened them. */
    stoa_status (*load)(stoa_column *column, stoa_error *err);
} stoa_list;

struct stoa_column {
    char *name;
    char *place;         /* FILE:PATH for error messages; NULL: use the name */
    hid_t dataset;       /* may not be open yet if only the name was noted: stoa_column_reach(). Of
                            a list column of HEP001: its group */
    hid_t group;         /* group to open it from in that case; borrowed */
    hid_t home;          /* group of its table, borrowed; invalid if it is not known */
    bool is_one_of_many; /* its dataset is closed as soon as possible */
    H5O_token_t token;   /* identifies the dataset, if a table found it */
    bool is_loaded;      /* what follows was read, see stoa_column_load() */
    char *damage;        /* why its layout could not open it; NULL if it could */
    stoa_column_opener opener; /* opens it when it is loaded; see stoa_column_note_foreign() */
    stoa_element element;      /* of the dataset */
    stoa_type type;   /* as presented in Arrow, with times, bools and categories resolved */
    uint8_t *fill;    /* one element in memory form; NULL: undefined, so no row is missing */
    bool fill_is_nan; /* every NaN is missing (§8.5) */
    bool is_time;     /* integers with `UNIT since EPOCH` units, or durations */
    stoa_time_units time;
    char *units;            /* attributes (§8.6), NULL where absent */
    char *units_vocabulary; /* own or inherited from the table (§7.4) */
    char *description;
    char *extension; /* Arrow extension type, "FORMAT NAME"; applies to that format only */
    char *extension_metadata;
    char *item_extension; /* of a list's items, if the list has one itself */
    char *item_extension_metadata;
    char *narrower;     /* type of its numbers before they were widened; NULL: not widened */
    uint8_t *valid_min; /* one element each in memory form, NULL where absent (§8.5) */
    uint8_t *valid_max;
    uint64_t extent;
    uint64_t chunk_rows;              /* 0: not chunked */
    bool is_guarded;                  /* its chunks have been checked as far as is cheap */
    stoa_checked_reader reader;       /* reads its chunks from then on */
    stoa_learned *zones;              /* a stoa_zones; NULL: not searched yet */
    stoa_learned *complete;           /* see complete.h; NULL: not read yet */
    stoa_learned *learned_dictionary; /* a stoa_learned_dictionary; NULL: not asked for yet, or
                                         there is none */
    stoa_read_context
        *read_context;           /* read context shared with other columns; borrowed, may be NULL */
    stoa_generation *generation; /* of the table, for its indexes; borrowed, NULL: of no table */
    stoa_idle *idle;             /* set if the file is locked only during each use; borrowed */
    stoa_workers *workers;       /* worker threads for its indexes; borrowed, may be NULL */
    stoa_chunk_writer *writer;   /* writes its chunks; NULL until the first write */
    uint64_t n_rows;             /* NROWS as last set by the table */
    uint64_t n_stored_bytes;     /* cached if the dataset cannot change: */
    bool has_stored_bytes;       /* libhdf5 visits all chunks to compute it */
    hid_t categories;            /* categories dataset (§8.7), or H5I_INVALID_HID */
    bool has_read_categories;    /* they were read and closed, if it is one of many */
    bool is_ordered;             /* the categories are ordered (§8.7) */
    bool is_text;                /* categorical, but presented as strings: STOA_COLUMN_ARROW_TYPE */
    bool has_old_references;     /* its table's references are of H5T_STD_REF_OBJ, also new ones */
    struct ArrowArray dictionary; /* its labels or an enum's members; release == NULL if neither */
    struct ArrowSchema dictionary_schema;
    bool has_distinct_labels;  /* no two of them are equal, as a query found; false: not known */
    bool has_label_ends;       /* a query found the least and the largest text of the labels, */
    int64_t label_ends[2];     /* whose codes are these; -1: all are missing */
    stoa_list *list;           /* set for list columns, from noting on: column/list/list.h */
    const char *outer_units;   /* of the list column that it is a member of; borrowed. They are its
                                  own if it has none */
    stoa_column_source source; /* reads its rows; source.close == NULL: none */
    struct ArrowSchema source_schema; /* of the arrays that the source reads */
    /* Of a column of another layout than HEP001 (foreign.h): */
    bool is_foreign;
    stoa_row_member member; /* the compound member it reads; member.rows == NULL: none */
    stoa_column *mask;      /* rows where this is not 0 are missing as well; may be NULL */
    char *zone;             /* time zone of its times; NULL: see column->time */
    bool has_labels;        /* codes whose labels are in no categories dataset */
    stoa_field_metadata *metadata;
    size_t n_metadata;
};

/*
 * Make a column of a dataset without reading anything: only the name, NROWS and the vocabulary are
 * noted. So a table of thousands of columns opens at once, and columns that are not used may be
 * damaged.
 *
 * @param dataset     taken over in every case
 * @param vocabulary  the table's units_vocabulary, or NULL
 */
stoa_status stoa_column_note(hid_t dataset, const char *name, uint64_t n_rows,
                             const char *vocabulary, stoa_column **column, stoa_error *err);
/* The same for a dataset that is opened by its name in `group` when it is first needed. The group
 * is borrowed, and nothing in it may change. Thousands of open ids cost more than what is read from
 * the datasets. */
stoa_status stoa_column_note_link(hid_t group, const char *name, uint64_t n_rows,
                                  const char *vocabulary, stoa_column **column, stoa_error *err);
/* The columns of a table that has more than this are one_of_many: an open dataset takes 25 KB. */
#define STOA_MANY_COLUMNS 1000
/* Default rows per chunk. A chunk and its output fit into the second-level cache, and an index has
 * only a few hundred entries for tens of millions of rows. */
#define STOA_CHUNK_ROWS UINT64_C(65536)
/* The fewest, in small tables and in those of many columns. */
#define STOA_LEAST_CHUNK_ROWS UINT64_C(1024)
/* The most values of one chunk of each column of a table, where that can be chosen: 256 MiB. So the
 * chunks of all columns can be in memory at a time. */
#define STOA_HELD_VALUES (UINT64_C(1) << 25)
/* Make sure that column->dataset is open. It is open in every loaded column, unless the column is
 * one of many and was read. */
stoa_status stoa_column_reach(const stoa_column *column, stoa_error *err);
/* Close the dataset of a column that is one of many, unless libhdf5 reads its rows. */
void stoa_column_let_go(stoa_column *column);
/* Open the dataset of a column by the name of a hard link in `group`. libhdf5's chunk cache gets 31
 * slots for it instead of 521. */
hid_t stoa_column_dataset_open(hid_t group, const char *name);
/*
 * Read the type, fill, attributes and categories, unless they were read before. Public calls load
 * the column themselves; the other functions expect a loaded column. Call it only where libhdf5 may
 * be called.
 *
 * @return STOA_EDATA if the dataset is not of rank 1 (§8.1) or cannot be read; a later call may
 *         succeed
 */
stoa_status stoa_column_load(const stoa_column *column, stoa_error *err);
/* Set the Arrow type from the element and the attributes, and column->time if the elements count
 * time. */
void stoa_column_resolve_type(stoa_column *column);
/* Read the extent and chunk length of the dataset, which must have one dimension (HEP001 §8.1). The
 * caller closes its creation properties. */
stoa_status stoa_column_read_shape(stoa_column *column, hid_t *dcpl, stoa_error *err);
void stoa_column_resolve_time(stoa_column *column);
/* Present the elements as durations. */
void stoa_column_resolve_duration(stoa_column *column, stoa_time_unit unit);
/* Whether the element and the units allow durations. */
bool stoa_column_has_duration_units(const stoa_column *column, stoa_time_unit *unit);
/* Open a categories dataset (§8.7) as a column of its labels, none of which is missing. Its type,
 * units and attributes are read as a column's; the rest of a column's functions do not apply.
 * `name` is that of the categorical column, for messages. */
stoa_status stoa_labels_open(hid_t dataset, const char *name, stoa_column **labels,
                             stoa_error *err);
/* Note and load a column. */
stoa_status stoa_column_open(hid_t dataset, const char *name, uint64_t n_rows,
                             const char *vocabulary, stoa_column **column, stoa_error *err);
void stoa_column_close(stoa_column *column);
/* Close what reads and writes the rows, after some were added. The rest stays true: what is learned
 * of rows, and datasets that are closed, are of files that are only read. */
void stoa_column_renew(stoa_column *column);
/* Drop everything that stoa_column_load() read. */
void stoa_column_unload(stoa_column *column);
/* Add the column's place or name to an error, see stoa_within(). Returns `status`. */
stoa_status stoa_column_at(const stoa_column *column, stoa_status status, stoa_error *err);
/* STOA_ERANGE if the rows pass NROWS. */
stoa_status stoa_column_check_rows(const stoa_column *column, uint64_t first, uint64_t count,
                                   stoa_error *err);

/* Add metadata of the column's field, as its layout defines it. Both strings are copied. A NULL
 * value adds nothing. */
stoa_status stoa_column_add_metadata(stoa_column *column, const char *key, const char *value,
                                     stoa_error *err);

/* Whether the column belongs to another layout than HEP001. Such a column is read-only. */
static inline bool stoa_column_is_foreign(const stoa_column *column)
{
    return column->is_foreign;
}

/* Whether its rows are lists of a group of HEP001. column->dataset is then that group: attributes
 * are on it, and no call for datasets may meet it. */
static inline bool stoa_column_is_list_group(const stoa_column *column)
{
    return column->list != NULL && column->list->load != NULL;
}

/* Whether its rows are the elements of its dataset, in any layout. */
static inline bool stoa_column_is_dataset(const stoa_column *column)
{
    return column->member.rows == NULL && column->source.close == NULL && column->list == NULL;
}

static inline bool stoa_column_is_categorical(const stoa_column *column)
{
    return column->categories >= 0 || column->has_read_categories || column->has_labels;
}

/* Like stoa_column_schema() and stoa_column_read(), but every categorical column is a dictionary,
 * even if it is presented as strings (is_text). Queries compute with these. */
stoa_status stoa_column_coded_schema(const stoa_column *column, struct ArrowSchema *out,
                                     stoa_error *err);
stoa_status stoa_column_read_coded(stoa_column *column, uint64_t first, uint64_t count,
                                   struct ArrowArray *out, stoa_error *err);

/* Read rows [first, first + count) as elements in memory form. They may pass NROWS up to the
 * extent. The caller frees the elements, and first reclaims variable parts with
 * stoa_element_reclaim(). */
stoa_status stoa_column_read_elements(stoa_column *column, uint64_t first, uint64_t count,
                                      void **elements, stoa_error *err);
/* The same into the caller's memory, for elements without variable parts. */
stoa_status stoa_column_read_into(stoa_column *column, uint64_t first, uint64_t count, void *block,
                                  stoa_error *err);
/* Set a bit for each element that is missing by the canonical missing-value test (§8.5). *missing
 * is NULL if no element is missing. */
stoa_status stoa_column_missing(const stoa_column *column, const void *elements, uint64_t count,
                                uint8_t **missing, uint64_t *n_missing, stoa_error *err);

/* Bytes that the column's rows take up in the file. */
uint64_t stoa_column_stored_bytes(const stoa_column *column);
/* Most rows that are read or written of a column in which hardly any row was ever written. */
#define STOA_UNWRITTEN_ROWS ((uint64_t)1 << 30)
/* STOA_ERANGE if n_rows exceeds that and the column has stored less than one byte per 2^20 rows. A
 * file of a few KiB can claim 2^62 rows. */
stoa_status stoa_column_may_be_scanned(const stoa_column *column, uint64_t n_rows, stoa_error *err);
/* STOA_ERANGE if a chunk has over 64 MiB and the column has stored less than one byte per 2^20
 * bytes of a chunk. libhdf5 would allocate such a chunk whole. */
stoa_status stoa_column_may_be_rewritten(const stoa_column *column, stoa_error *err);
/* The direct reader of the column's rows, which bypasses libhdf5. It is looked for only once.
 * Borrowed; NULL if libhdf5 must read. */
stoa_status stoa_column_direct(stoa_column *column, const stoa_direct **direct, stoa_error *err);
/* Make sure that column->writer is open. */
stoa_status stoa_column_open_writer(stoa_column *column, stoa_error *err);
void stoa_column_close_writer(stoa_column *column);
/* Write elements in memory form into rows [first, first + count) of the extent. The last chunk is
 * held until another one is written or the column is flushed. Flush before the column is read,
 * reloaded or committed. */
stoa_status stoa_column_write_elements(stoa_column *column, uint64_t first, uint64_t count,
                                       const void *elements, stoa_error *err);
stoa_status stoa_column_flush(stoa_column *column, stoa_error *err);
/* Drop the held chunk without writing it. */
void stoa_column_discard(stoa_column *column);

/* Whether values of the column are ordered (§10.5). */
bool stoa_column_is_ordered(const stoa_column *column);

/* The stored code of dictionary entry `position`: the same number for categoricals, the member's
 * code for enums. */
int64_t stoa_column_code(const stoa_column *column, int64_t position);

#endif
