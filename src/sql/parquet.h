/*
 * Parquet files, read and written by DuckDB.
 *
 * The Arrow schema of the rows goes into the file's metadata as "ARROW:schema", where pyarrow,
 * Polars and pandas put it and look for it. So time zones, durations, categories, lists of a fixed
 * size, units and descriptions come back, although Parquet has no types for some of them.
 */
#ifndef STOA_SQL_PARQUET_H
#define STOA_SQL_PARQUET_H

#include <stdbool.h>
#include <stdio.h>
#include <stoa/arrow.h>
#include <stoa/error.h>
#include <stoa/progress.h>

#define STOA_PARQUET_CODECS "zstd[:1-22] (the default), snappy, gzip, lz4, brotli or none"

/* Whether --codec may say so. */
bool stoa_parquet_has_codec(const char *codec);

/* Reports what a file does not hold as it was: a column, and a sentence without the subject. */
typedef void stoa_parquet_remark(void *context, const char *column, const char *words);

/*
 * Write a stream as a Parquet file. The stream is consumed; the caller still releases it.
 *
 * @param codec        NULL: zstd
 * @param out          at its start. A regular file is written in place; for others, the file is
 * made whole before its bytes are copied
 * @param remark       may be NULL
 * @param[out] n_rows  may be NULL
 * @return STOA_ENOTFOUND without DuckDB; STOA_EINVAL if names of columns differ in case alone;
 * STOA_ETYPE for a type that Parquet or DuckDB does not have; STOA_EIO
 */
stoa_status stoa_parquet_write(struct ArrowArrayStream *stream, const char *codec, FILE *out,
                               stoa_parquet_remark *remark, void *context, uint64_t *n_rows,
                               stoa_error *err);

/* Whether a file begins as a Parquet file does. */
bool stoa_parquet_is_one(const char *file);

/* Several files as one. */
typedef struct stoa_parquet_files {
    const char *const *names; /* at least one; the schema is that of the first */
    size_t n;
    bool by_name; /* columns that a file lacks are missing there; else all files have the columns of
                     the first */
} stoa_parquet_files;

/*
 * Read the rows of files, one after the other.
 *
 * Strings that were categories become dictionaries, in alphabetical order, unless there are more
 * than 65,536 of them.
 *
 * @param[out] stream  yours
 * @return STOA_ENOTFOUND without DuckDB; STOA_EDATA and others with DuckDB's message
 */
stoa_status stoa_parquet_open(const stoa_parquet_files *files, struct ArrowArrayStream *stream,
                              stoa_error *err);

#endif
