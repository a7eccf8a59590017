/*
 * Write LH5 objects, batch by batch (LH5 notes §4, §7).
 *
 * The Arrow type of a column decides its object. Numbers and times become arrays, lists of fixed
 * length become arrays of equal-sized arrays, other lists become vectors, and structs become
 * tables. The field metadata of lh5.h restore what was read.
 */
#ifndef STOA_LAYOUT_LH5_WRITER_H
#define STOA_LAYOUT_LH5_WRITER_H

#include "core/memory.h"
#include "core/threads.h"
#include "layout/common/writer.h"
#include "layout/lh5/common/datatype.h"
#include "layout/lh5/common/write_items.h"

/* Write all of a source as an anonymous object: a table, or the kind of object it was before. See
 * write.c. */
stoa_status stoa_lh5_write(const stoa_layout_source *source, hid_t file, hid_t *object,
                           stoa_error *err);

/* --- growing datasets, write_rows.c ----------------------------------------------------------- */

/* Valid values of --missing for a column. */
#define STOA_LH5_MISSING "VALUE|nan|drop"

/* How datasets are stored (LH5 notes §5.1). */
typedef struct stoa_lh5_storage {
    bool shuffle;
    int level;           /* deflate level; 0: no deflate */
    uint64_t chunk_rows; /* 0: chosen to suit the rows */
    uint64_t most_rows;  /* upper bound of the expected rows; 0: unknown */
} stoa_lh5_storage;

/* A dataset that grows along its first dimension. */
typedef struct stoa_lh5_rows {
    hid_t dataset;
    int rank;
    hsize_t extent[H5S_MAX_RANK]; /* rows first, then the shape of a row */
    hsize_t n_before;             /* rows that were there before an append */
} stoa_lh5_rows;

/*
 * Create an array without rows.
 *
 * @param name      name in `parent`; NULL: anonymous, in the parent's file
 * @param rank      0: a scalar, whose value is the one row that is put
 * @param shape     shape of a row, `rank` - 1 numbers
 * @param datatype  value of its attribute 'datatype'
 */
stoa_status stoa_lh5_rows_make(hid_t parent, const char *name, hid_t type, int rank,
                               const hsize_t *shape, const char *datatype,
                               const stoa_lh5_storage *storage, stoa_lh5_rows *rows,
                               stoa_error *err);
/* Create a scalar and write its value. */
stoa_status stoa_lh5_scalar_put(hid_t parent, const char *name, hid_t type, hid_t mem_type,
                                const void *value, const char *datatype, stoa_error *err);
/* Append n rows. */
stoa_status stoa_lh5_rows_put(stoa_lh5_rows *rows, hid_t mem_type, uint64_t n, const void *items,
                              stoa_error *err);

/* Names of the attributes that the writer itself sets; ends with NULL. */
extern const char *const stoa_lh5_own[];
/* Write a text attribute as the real writers do: scalar, of variable length (LH5 notes §3). */
stoa_status stoa_lh5_write_text(hid_t object, const char *name, const char *value, stoa_error *err);
/* Write a type as the attribute 'datatype', as stoa_lh5_datatype_compose() spells it. */
stoa_status stoa_lh5_say_datatype(hid_t object, const stoa_lh5_datatype *type, stoa_error *err);
/* Create a group; anonymous if `name` is NULL. */
stoa_status stoa_lh5_make_group(hid_t parent, const char *name, hid_t *group, stoa_error *err);
/* --- the codec of a column, write_codec.c ----------------------------------------------------- */

typedef enum stoa_lh5_codec {
    STOA_LH5_NOT_PACKED,
    STOA_LH5_ULEB128,
    STOA_LH5_SIGCOMPRESS
} stoa_lh5_codec;

typedef struct stoa_lh5_packing {
    stoa_lh5_codec codec;
    int32_t shift;
    bool has_shift; /* the shift was given */
} stoa_lh5_packing;

/* "radware_sigcompress", "uleb128_zigzag_diff". */
const char *stoa_lh5_codec_name(stoa_lh5_codec codec);

/*
 * Parse 'COLUMN=CODEC,...,deflate:N'.
 *
 * @param codec  NULL: store as the Python writer does
 * @return STOA_EINVAL naming the unknown part
 */
stoa_status stoa_lh5_storage_of(const char *codec, stoa_lh5_storage *storage, stoa_error *err);
/* Check that every column that the codec text names exists; STOA_ENOTFOUND otherwise. */
stoa_status stoa_lh5_check_packed(const char *codec, const struct ArrowSchema *schema,
                                  stoa_error *err);
/*
 * How a field is packed: as the codec text says, otherwise as its metadata say.
 *
 * @param path  path of the field, with the names of its parents
 * @return STOA_ETYPE or STOA_ELOSS naming the column if the codec cannot hold its values
 */
stoa_status stoa_lh5_packing_of(const char *codec, const char *path,
                                const struct ArrowSchema *field, const stoa_column_stats *stats,
                                stoa_lh5_packing *packing, stoa_error *err);

/* --- the object of a column, write_sink.c ----------------------------------------------------- */

/* Settings shared by all columns of a table. */
typedef struct stoa_lh5_target {
    const char *codec; /* codec text of the options */
    stoa_lh5_storage storage;
    stoa_workers *workers;
    bool is_scalar; /* write the only value of a one-column table as a scalar */
} stoa_lh5_target;

typedef struct stoa_lh5_sink stoa_lh5_sink;
struct stoa_lh5_sink {
    const stoa_lh5_target *target; /* borrowed, as is the field */
    const struct ArrowSchema *field;
    stoa_lh5_datatype said; /* datatype that the field's metadata declare; empty: none */
    stoa_lh5_datatype is;   /* datatype that is written; its names belong to `said`, or are NULL */
    hid_t group;            /* the object, except for arrays */
    stoa_lh5_rows rows;     /* of arrays; for vectors and packed columns, the end of each row */
    stoa_lh5_items items;   /* of arrays */
    uint64_t n_items;       /* items of vectors, or bytes of packed columns, written so far */
    stoa_lh5_packing packing;
    stoa_lh5_rows bytes;  /* of packed columns */
    stoa_lh5_rows sizes;  /* of packed columns: samples of each row, if rows differ */
    stoa_lh5_sink *parts; /* the items of vectors; the columns of tables */
    size_t n_parts;
};

/*
 * Create the object of a column.
 *
 * @param parent, name  as in stoa_lh5_rows_make()
 * @param path          path of the column, for messages
 * @param n_rows        expected rows
 * @param[out] sink     closed by the caller with stoa_lh5_sink_close(), after a failure as well
 * @return STOA_ETYPE or STOA_ELOSS naming the column that cannot be written
 */
stoa_status stoa_lh5_sink_make(const stoa_lh5_target *target, hid_t parent, const char *name,
                               const char *path, const struct ArrowSchema *field,
                               const stoa_column_stats *stats, uint64_t n_rows, stoa_lh5_sink *sink,
                               stoa_error *err);
/* Append all rows of a view of the field. */
stoa_status stoa_lh5_sink_put(stoa_lh5_sink *sink, const stoa_view *view, stoa_error *err);
/* Append to n sinks. Sink i gets child positions[i] of the struct `rows`; if `positions` is NULL,
 * child i. */
stoa_status stoa_lh5_sinks_put(stoa_lh5_sink *sinks, size_t n, const size_t *positions,
                               const stoa_view *rows, stoa_error *err);
stoa_status stoa_lh5_sink_close(stoa_lh5_sink *sink, stoa_status status, stoa_error *err);
/* Allocate n closed sinks; free them with free(). NULL if memory runs out. */
stoa_lh5_sink *stoa_lh5_sinks(size_t n);
/* Allocate the n parts of a sink. */
stoa_status stoa_lh5_sink_parts(stoa_lh5_sink *sink, size_t n, stoa_error *err);
/* The datatype text of a sink. The spelling of the field's metadata is kept if it means the same.
 * The caller frees it with free(). */
stoa_status stoa_lh5_sink_spell(const stoa_lh5_sink *sink, char **text, stoa_error *err);
/* Parse the datatype that a field's metadata declare into `said`; an invalid one is ignored. */
stoa_status stoa_lh5_sink_parse_type(stoa_lh5_sink *sink, const struct ArrowSchema *field,
                                     stoa_error *err);
/* The group or dataset of a sink; borrowed. */
hid_t stoa_lh5_sink_object(const stoa_lh5_sink *sink);

/* Check that lists of fields can hold a name; STOA_ETYPE naming the column otherwise. */
stoa_status stoa_lh5_check_name(const char *name, const char *path, stoa_error *err);

/* Arrays of items, or of lists of fixed length, write_array.c. */
stoa_status stoa_lh5_array_make(stoa_lh5_sink *sink, hid_t parent, const char *name,
                                const char *path, const stoa_column_stats *stats, uint64_t n_rows,
                                stoa_error *err);
stoa_status stoa_lh5_array_put(stoa_lh5_sink *sink, const stoa_view *view, stoa_error *err);

/* Whether a field's metadata have a value under a key. */
bool stoa_lh5_says(const struct ArrowSchema *field, const char *key, const char *value);
/* Write the attributes that the metadata hold, attributes.c. The first writes those of a field's
 * object. The second writes those of a table's object and of the groups in it, and restores the
 * order of their fields. */
stoa_status stoa_lh5_write_attributes(hid_t object, const struct ArrowSchema *field,
                                      stoa_error *err);
stoa_status stoa_lh5_write_part_attributes(hid_t object, const struct ArrowSchema *schema,
                                           stoa_error *err);

/* Copy all attributes of an object and of its parts to what they were converted to,
 * unconverted_objects.c. `to` keeps its own datatype and codec. References are not
 * copied. */
stoa_status stoa_lh5_copy_attributes(hid_t from, hid_t to, stoa_error *err);

/* Packed columns, that is lists of encoded integers, write_packed.c. */
stoa_status stoa_lh5_packed_make(stoa_lh5_sink *sink, hid_t parent, const char *name,
                                 uint64_t n_rows, stoa_error *err);
stoa_status stoa_lh5_packed_put(stoa_lh5_sink *sink, const stoa_view *view, stoa_error *err);

/* Add names to the list of fields of a group, lists.c. A struct lists the new names too. A group
 * without a datatype becomes a struct that lists all its members. Groups of other kinds stay as
 * they are (LH5 notes §2.2). */
stoa_status stoa_lh5_list_in(hid_t group, const char *const *names, size_t n, stoa_error *err);
/* Do the same in every group on the way to each path. */
stoa_status stoa_lh5_list_all(hid_t loc, const char *const *paths, size_t n, stoa_error *err);
/* Take the fields that a group does not have out of its type. */
void stoa_lh5_drop_absent(hid_t group, stoa_lh5_datatype *type);

/* Histograms, write_histogram.c. The first tells whether the rows are all the bins of one
 * histogram. */
bool stoa_lh5_is_binned(const stoa_layout_source *source);
stoa_status stoa_lh5_write_histogram(const stoa_layout_source *source,
                                     const stoa_lh5_storage *storage, hid_t group, stoa_error *err);

#endif
