/* Plain C arrays as an Arrow stream, for every call that has a stream parameter, and casts of
 * streams. */
#ifndef STOA_ARRAYS_H
#define STOA_ARRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoa/arrow.h>
#include <stoa/error.h>

STOA_BEGIN_DECLS

/**
 * One column of a table, as a C array. Unset members are NULL.
 *
 * `format` is the Arrow format of the values, and determines what `values` points to:
 *
 *     "c" "s" "i" "l"    int8_t, int16_t, int32_t, int64_t
 *     "C" "S" "I" "L"    uint8_t, uint16_t, uint32_t, uint64_t
 *     "f" "g"            float, double
 *     "e"                uint16_t: the bits of a 16-bit float
 *     "b"                bool
 *     "u"                const char *: NUL-terminated strings in UTF-8; NULL is missing
 *     "U"                the same, if 65536 consecutive strings may exceed 2 GiB
 *     "w:N"              N bytes per value
 *     "tdD"              int32_t: days since 1970-01-01
 *     "tsU:ZONE"         int64_t: time since 1970-01-01T00:00:00 in UTC, or in local time if ZONE
 *                        is empty; the unit U is s, m (milliseconds), u (microseconds) or n
 *     "tDU"              int64_t: a duration, of the same units
 */
typedef struct stoa_column_array {
    const char *name;
    const char *format;
    const void *values;      /**< n_rows values; NULL only if there are no rows */
    uint64_t n_rows;         /**< the same for every column */
    const bool *valid;       /**< for each row, whether it has a value; NULL: all rows have */
    const char *units;       /**< metadata "units" (HEP001 §8.5); not for times. NULL: none */
    const char *description; /**< metadata "description"; NULL: none */
} stoa_column_array;

/**
 * Make a stream of these columns, for stoa_table_write(), stoa_table_append() and others, or for
 * another library. `columns` and its texts are copied.
 *
 * The memory that `values` and `valid` point to is borrowed, including strings. It must not change
 * until the stream and every batch read from it are released. Numbers, times and "w:N" are not
 * copied: batches point to the array. Strings, bools and `valid` are converted in batches of 65536
 * rows.
 *
 * @param[out] out  yours; call out->release. Reading from it fails with STOA_ERANGE if 65536
 *                  strings of "u" exceed 2 GiB
 * @return STOA_EINVAL if there is no column, a column has no name, format or values, a name occurs
 *         twice, or columns differ in n_rows; STOA_ETYPE for any other format
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_stream_of_arrays(const stoa_column_array *columns,
                                                           size_t n_columns,
                                                           struct ArrowArrayStream *out,
                                                           stoa_error *err);

/**
 * Replace a stream by one whose columns have other Arrow types, with the same values.
 *
 * Times of day, decimals and binary come back as what they were when they were written, although
 * HEP001 stores them as durations, numbers and lists. So do numbers that are stored in a wider type
 * to have room for a fill value. Columns that `requested` names get its types instead: another
 * width of numbers, unit of times, kind of offsets, or the values of a dictionary. A type that the
 * values are not cast to is ignored, as Arrow's PyCapsule interface wants it.
 *
 * @param[in,out] stream  of batches, such as that of stoa_query_run(); released on failure
 * @param requested       a struct of columns, borrowed for the call; NULL: none
 * @return STOA_ENOMEM, or an error of the stream. Reading from it fails with STOA_ELOSS for a
 *         value that the type does not hold
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_stream_cast(struct ArrowArrayStream *stream,
                                                      const struct ArrowSchema *requested,
                                                      stoa_error *err);

/**
 * The schema of the stream that stoa_stream_cast() makes.
 *
 * @param rows      a struct of columns, as stoa_table_schema() or a stream has it; borrowed
 * @param[out] out  yours; call out->release
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_schema_cast(const struct ArrowSchema *rows,
                                                      const struct ArrowSchema *requested,
                                                      struct ArrowSchema *out, stoa_error *err);

/**
 * Cast the columns of one batch.
 *
 * @param rows           of the batch
 * @param cast           what stoa_schema_cast() made of `rows`
 * @param[in,out] batch  its columns are replaced, after a failure in part
 * @return STOA_ELOSS for a value that the type does not hold; STOA_EINVAL for another batch
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_batch_cast(const struct ArrowSchema *rows,
                                                     const struct ArrowSchema *cast,
                                                     struct ArrowArray *batch, stoa_error *err);

STOA_END_DECLS

#endif
