/*
 * Objects of LH5 that are written, batch by batch (LH5 notes §4, §7).
 *
 * Which object a column becomes, its type decides: numbers and times arrays, lists of fixed length
 * arrays of equal-sized arrays, other lists vectors, structs tables; the field metadata of lh5.h
 * bring back what was read.
 */
#ifndef STOA_LAYOUT_LH5_WRITER_H
#define STOA_LAYOUT_LH5_WRITER_H

#include "core/memory.h"
#include "core/threads.h"
#include "layout/common/writer.h"
#include "layout/lh5/common/datatype.h"
#include "layout/lh5/common/write_items.h"

/* All of a source as an object without a name, write.c: a table, or what it was before. */
stoa_status stoa_lh5_write(const stoa_layout_source *source, hid_t file, hid_t *object,
                           stoa_error *err);

/* --- datasets that grow, write_rows.c -------------------------------------------------------- */

/* What --missing may be of a column. */
#define STOA_LH5_MISSING "VALUE|nan|drop"

/* How datasets are stored (LH5 notes §5.1). */
typedef struct stoa_lh5_storage {
    bool shuffle;
    int level;           /* of deflate; 0: none */
    uint64_t chunk_rows; /* 0: what suits the rows */
    uint64_t most_rows;  /* more are not expected; 0: not known */
} stoa_lh5_storage;

/* A dataset that grows along its first dimension. */
typedef struct stoa_lh5_rows {
    hid_t dataset;
    int rank;
    hsize_t extent[H5S_MAX_RANK]; /* rows, items of a row along the others */
    hsize_t n_before;             /* rows that are appended to */
} stoa_lh5_rows;

/*
 * Make an array without rows.
 *
 * @param name      in `parent`; NULL: it has none yet, and lies in the parent's file
 * @param rank      0: a scalar, of the one row that is put
 * @param shape     of a row, `rank` - 1 numbers
 * @param datatype  what it says that it is
 */
stoa_status stoa_lh5_rows_make(hid_t parent, const char *name, hid_t type, int rank,
                               const hsize_t *shape, const char *datatype,
                               const stoa_lh5_storage *storage, stoa_lh5_rows *rows,
                               stoa_error *err);
/* n more rows. */
stoa_status stoa_lh5_rows_put(stoa_lh5_rows *rows, hid_t mem_type, uint64_t n, const void *items,
                              stoa_error *err);

/* Attributes that the writer says itself, of what it has made; NULL in the end. */
extern const char *const stoa_lh5_own[];
/* A text attribute as the real writers make it: of varying length, scalar (LH5 notes §3). */
stoa_status stoa_lh5_say(hid_t object, const char *name, const char *value, stoa_error *err);
/* A group without a name, if that is NULL. */
stoa_status stoa_lh5_make_group(hid_t parent, const char *name, hid_t *group, stoa_error *err);
/* --- which codec packs a column, write_codec.c ----------------------------------------------- */

typedef enum stoa_lh5_codec {
    STOA_LH5_NOT_PACKED,
    STOA_LH5_ULEB128,
    STOA_LH5_SIGCOMPRESS
} stoa_lh5_codec;

typedef struct stoa_lh5_packing {
    stoa_lh5_codec codec;
    int32_t shift;
    bool has_shift; /* it is said */
} stoa_lh5_packing;

/* "radware_sigcompress", "uleb128_zigzag_diff". */
const char *stoa_lh5_codec_name(stoa_lh5_codec codec);

/*
 * Understand 'COLUMN=CODEC,...,deflate:N'.
 *
 * @param codec  NULL: as the Python writer does
 * @return STOA_EINVAL naming what is not known
 */
stoa_status stoa_lh5_storage_of(const char *codec, stoa_lh5_storage *storage, stoa_error *err);
/* Every column that such a text names must be there: STOA_ENOTFOUND. */
stoa_status stoa_lh5_check_packed(const char *codec, const struct ArrowSchema *schema,
                                  stoa_error *err);
/*
 * How a field is packed: as the text says of it, or else its metadata.
 *
 * @param path  of the field, with the names that it lies in
 * @return STOA_ETYPE, STOA_ELOSS naming the column whose values the codec does not hold
 */
stoa_status stoa_lh5_packing_of(const char *codec, const char *path,
                                const struct ArrowSchema *field, const stoa_column_stats *stats,
                                stoa_lh5_packing *packing, stoa_error *err);

/* --- what a column is written as, write_sink.c ----------------------------------------------- */

/* What all columns of a table have in common. */
typedef struct stoa_lh5_target {
    const char *codec; /* of the options */
    stoa_lh5_storage storage;
    stoa_workers *workers;
    bool is_scalar; /* the one value of a table of one column */
} stoa_lh5_target;

typedef struct stoa_lh5_sink stoa_lh5_sink;
struct stoa_lh5_sink {
    const stoa_lh5_target *target; /* borrowed, as the field is */
    const struct ArrowSchema *field;
    stoa_lh5_datatype said; /* by the field's metadata; empty: nothing */
    stoa_lh5_datatype is;   /* names are those of `said`, or NULL */
    hid_t group;            /* of all but arrays */
    stoa_lh5_rows rows;     /* of arrays; of vectors and packed ones, where each ends */
    stoa_lh5_items items;   /* of arrays */
    uint64_t n_items;       /* of vectors, bytes of packed ones: so many so far */
    stoa_lh5_packing packing;
    stoa_lh5_rows bytes;  /* of packed ones */
    stoa_lh5_rows sizes;  /* samples of each, where they differ */
    stoa_lh5_sink *parts; /* of vectors the items; of tables the columns */
    size_t n_parts;
};

/*
 * @param parent, name  as stoa_lh5_rows_make() has them
 * @param path          of the column, for messages
 * @param n_rows        that are expected
 * @param[out] sink     the caller's, closed by stoa_lh5_sink_close(), after a failure as well
 * @return STOA_ETYPE, STOA_ELOSS naming the column that cannot be such an object
 */
stoa_status stoa_lh5_sink_make(const stoa_lh5_target *target, hid_t parent, const char *name,
                               const char *path, const struct ArrowSchema *field,
                               const stoa_column_stats *stats, uint64_t n_rows, stoa_lh5_sink *sink,
                               stoa_error *err);
/* All rows of a view of the field. */
stoa_status stoa_lh5_sink_put(stoa_lh5_sink *sink, const stoa_view *view, stoa_error *err);
/* n sinks, each of the struct's child that its position says; NULL: the first to the first, and so
 * on. */
stoa_status stoa_lh5_sinks_put(stoa_lh5_sink *sinks, size_t n, const size_t *positions,
                               const stoa_view *rows, stoa_error *err);
stoa_status stoa_lh5_sink_close(stoa_lh5_sink *sink, stoa_status status, stoa_error *err);
/* n sinks that are closed: free(). NULL when memory runs out. */
stoa_lh5_sink *stoa_lh5_sinks(size_t n);
/* n parts. */
stoa_status stoa_lh5_sink_parts(stoa_lh5_sink *sink, size_t n, stoa_error *err);
/* What it says that it is, as its field's metadata spell it if they mean the same; the caller's
 * (free()). */
stoa_status stoa_lh5_sink_spell(const stoa_lh5_sink *sink, char **text, stoa_error *err);
/* What a field's metadata say of its type, if that is one. */
stoa_status stoa_lh5_sink_look(stoa_lh5_sink *sink, const struct ArrowSchema *field,
                               stoa_error *err);
/* The group or dataset; borrowed. */
hid_t stoa_lh5_sink_object(const stoa_lh5_sink *sink);

/* A name that the lists of fields can hold: STOA_ETYPE naming the column else. */
stoa_status stoa_lh5_check_name(const char *name, const char *path, stoa_error *err);

/* Arrays, write_array.c: of items, or of lists of fixed length of them. */
stoa_status stoa_lh5_array_make(stoa_lh5_sink *sink, hid_t parent, const char *name,
                                const char *path, const stoa_column_stats *stats, uint64_t n_rows,
                                stoa_error *err);
stoa_status stoa_lh5_array_put(stoa_lh5_sink *sink, const stoa_view *view, stoa_error *err);

/* Attributes that came along as metadata, attributes.c: of a field's object; of an object of a
 * table's, and the groups in it, the order of their fields as well. */
stoa_status stoa_lh5_say_attributes(hid_t object, const struct ArrowSchema *field, stoa_error *err);
stoa_status stoa_lh5_say_parts(hid_t object, const struct ArrowSchema *schema, stoa_error *err);

/* All attributes of an object and of what lies in it, unconverted_objects.c, to what has become of
 * them; `to` has its own type and codec. References wait (reference_attributes.h). */
stoa_status stoa_lh5_copy_attributes(hid_t from, hid_t to, stoa_error *err);

/* Packed columns, write_packed.c: lists of integers. */
stoa_status stoa_lh5_packed_make(stoa_lh5_sink *sink, hid_t parent, const char *name,
                                 uint64_t n_rows, stoa_error *err);
stoa_status stoa_lh5_packed_put(stoa_lh5_sink *sink, const stoa_view *view, stoa_error *err);

/* Lists of fields, lists.c. A struct lists more fields; a group that says nothing yet, all that it
 * has. Groups that are something else are let be (LH5 notes §2.2). */
stoa_status stoa_lh5_list_in(hid_t group, const char *const *names, size_t n, stoa_error *err);
/* The same in all groups on the way to each path. */
stoa_status stoa_lh5_list_all(hid_t loc, const char *const *paths, size_t n, stoa_error *err);

/* Histograms, write_histogram.c: whether the rows are the bins of one, all of them. */
bool stoa_lh5_is_binned(const stoa_layout_source *source);
stoa_status stoa_lh5_write_histogram(const stoa_layout_source *source,
                                     const stoa_lh5_storage *storage, hid_t group, stoa_error *err);

#endif
