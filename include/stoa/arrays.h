/* Plain C arrays as an Arrow stream, for every call that takes one. */
#ifndef STOA_ARRAYS_H
#define STOA_ARRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoa/arrow.h>
#include <stoa/error.h>

STOA_BEGIN_DECLS

/**
 * One column of a table, as an array of C. Members that are left out are NULL.
 *
 * `format` is how Arrow writes the type of the values, and says what `values` points to:
 *
 *     "c" "s" "i" "l"    int8_t, int16_t, int32_t, int64_t
 *     "C" "S" "I" "L"    uint8_t, uint16_t, uint32_t, uint64_t
 *     "f" "g"            float, double
 *     "e"                uint16_t: the bits of a float of 16
 *     "b"                bool
 *     "u"                const char *: strings in UTF-8 that end with a NUL; NULL is missing
 *     "U"                the same, where 65536 strings in a row may pass 2 GiB
 *     "w:N"              N bytes a value
 *     "tdD"              int32_t: days since 1970-01-01
 *     "tsU:ZONE"         int64_t: time since 1970-01-01T00:00:00 in UTC, or by the clock where ZONE
 *                        is empty; the unit U is s, m (milliseconds), u (microseconds) or n
 *     "tDU"              int64_t: a duration, of the same units
 */
typedef struct stoa_column_array {
    const char *name;
    const char *format;
    const void *values;      /**< of this many rows; NULL only if there are none */
    uint64_t n_rows;         /**< the same for every column */
    const bool *valid;       /**< of each row, whether it has a value; NULL: they all have one */
    const char *units;       /**< metadata "units" (HEP001 §8.5); not of times. NULL: none */
    const char *description; /**< metadata "description"; NULL: none */
} stoa_column_array;

/**
 * A stream of these columns: for stoa_table_write(), stoa_table_append() and others, or for another
 * library. `columns` and its texts are copied.
 *
 * What `values` and `valid` point to is borrowed, strings too. It must stay, and stay as it is,
 * until the stream and every batch that was taken from it are released. Numbers, times and "w:N"
 * are not copied: batches point into the array. Strings, bools and `valid` are put into Arrow's
 * form by batches of 65536 rows.
 *
 * @param[out] out  the caller's, who calls out->release; pulling from it fails with STOA_ERANGE if
 *                  65536 strings of "u" pass 2 GiB
 * @return STOA_EINVAL if there is no column, a column has no name, format or values, a name stands
 *         twice, or columns differ in n_rows; STOA_ETYPE for any other format
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_stream_of_arrays(const stoa_column_array *columns,
                                                           size_t n_columns,
                                                           struct ArrowArrayStream *out,
                                                           stoa_error *err);

STOA_END_DECLS

#endif
