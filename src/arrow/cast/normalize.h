/*
 * Arrow types that HDF5 tables have no place for, as types with the same values:
 *
 *   views of strings and bytes    large strings and large binaries
 *   views of lists                large lists
 *   run-end encoded               the values, repeated
 *   date64                        date32; a value that is no whole day is refused
 *   time32, time64                durations since midnight
 *   decimals without a fraction   int64; a value beyond it is refused
 *   other decimals                float64; a value of more digits than it keeps is refused
 *   intervals of days and less    durations in microseconds; one with months, or with nanoseconds
 *                                 between them, is refused
 *   maps                          lists of structs
 *   null                          strings
 *   dictionaries of these, and of binary, lists and structs: the values
 *
 * Unions and other intervals are refused by name. What the new type does not tell is noted
 * (arrow/cast/original.h).
 */
#ifndef STOA_ARROW_NORMALIZE_H
#define STOA_ARROW_NORMALIZE_H

#include "arrow/build.h"

/* Whether the columns have none of these types, nor any that is noted. */
bool stoa_schema_is_normal(const struct ArrowSchema *rows);

/*
 * Make a stream of normal types over another one.
 *
 * @param stream       of batches; borrowed by the new stream
 * @param rows         its schema
 * @param keeps_nulls  whether the type null stays: rows of any column may be of it
 * @param[out] out     yours
 * @return STOA_ETYPE for a type that is refused
 */
stoa_status stoa_stream_normalize(struct ArrowArrayStream *stream, const struct ArrowSchema *rows,
                                  bool keeps_nulls, struct ArrowArrayStream *out, stoa_error *err);
/*
 * Get the schema of a stream, and another stream if that is not normal.
 *
 * @param[in,out] stream  becomes `normal`, if that is made
 * @param[out] normal     yours; left alone if the stream is normal
 * @param[out] rows       of what *stream is then; yours
 */
stoa_status stoa_stream_make_normal(struct ArrowArrayStream **stream, bool keeps_nulls,
                                    struct ArrowArrayStream *normal, struct ArrowSchema *rows,
                                    stoa_error *err);

#endif
