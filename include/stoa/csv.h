/* CSV and TSV files as Arrow streams: types inferred over the whole file. */
#ifndef STOA_CSV_H
#define STOA_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoa/arrow.h>
#include <stoa/error.h>
#include <stoa/progress.h>

STOA_BEGIN_DECLS

/** How to treat a row that cannot be read. */
typedef enum stoa_csv_on_error {
    STOA_CSV_STOP, /**< the read fails, naming file, line, column and value */
    STOA_CSV_SKIP, /**< the row is omitted and counted */
    STOA_CSV_NULL  /**< the value becomes missing and is counted; rows are padded or truncated */
} stoa_csv_on_error;

/** A setting of one column, such as its type or its units. */
typedef struct stoa_csv_pair {
    const char *column;
    const char *value;
} stoa_csv_pair;

/** How a CSV file is read. Start from STOA_CSV_OPTIONS_INIT. */
typedef struct stoa_csv_options {
    size_t size;
    char delimiter;                /**< 0: tab for .tsv, else the one of comma, semicolon, tab and
                                      bar that the first lines have equally often */
    const char *const *null_texts; /**< fields that mean "missing", in addition to the empty one */
    size_t n_null_texts;
    const stoa_csv_pair *types; /**< overrides: int8..uint64, float32, float64, bool, string,
                                     timestamp, duration, date, category */
    size_t n_types;
    const stoa_csv_pair *units; /**< units of columns, for the field metadata */
    size_t n_units;
    const char *const *category; /**< columns that always become categorical: of strings, or of
                                    values of the type that `types` gives */
    size_t n_category;
    const char *const *no_category; /**< string columns that never do; "*" for all */
    size_t n_no_category;
    stoa_csv_on_error on_error;
    size_t max_field_bytes; /**< longer fields are errors; 0: 16 MiB */
    uint64_t batch_rows;    /**< rows in a batch; 0: 64 Ki */
    stoa_listener listener;
    unsigned threads;   /**< number of parser threads; 0: one per processor */
    size_t block_bytes; /**< approximate bytes that a thread parses at a time; 0: 256 KiB */
    bool no_header;     /**< the first row has values; columns are called column_1, column_2 ... */
    uint64_t n_skipped; /**< lines left out at the start of each file */
    char comment;       /**< lines that begin with it are left out; 0: none */
    char decimal;       /**< the decimal point: ',' or 0, a point */
    const char *encoding;    /**< of the text, as iconv_open() takes it; NULL: UTF-8 */
    const char *date_format; /**< of dates and times that are not ISO 8601: %d.%m.%Y %H:%M, with
                                  %Y %y %m %d %e %j %b %B %H %I %p %M %S %f %z %T %D %F %%; NULL:
                                  none */
    const char *const *more; /**< further files, whose rows follow; they have the same
                                header, unless by_name is set */
    size_t n_more;
    size_t n_known_types; /**< the last of `types`: columns that the text need not have */
    bool by_name; /**< columns of the files are matched by name: their headers may have another
                     order, and a column that a file lacks is missing there */
    bool strict;  /**< refuse a column that is, for example, an integer in one file and text in
                     another. Each file is read once more */
    void (*on_remark)(void *context, const char *text); /**< gets a text about each key of JSON
                                                             lines that is no column; may be NULL */
    void *remark_context;
} stoa_csv_options;

#define STOA_CSV_OPTIONS_INIT                                                                      \
    {                                                                                              \
        sizeof(stoa_csv_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, STOA_CSV_STOP, 0, 0, {0, 0}, 0, \
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0                                               \
    }

/** A CSV file being read. Use a handle, and its stream, from one thread at a time. Different
 * threads may use different handles at the same time. */
typedef struct stoa_csv stoa_csv;

/**
 * Open a CSV file and infer its types from all of it (one pass over the file).
 *
 * `name` may end in `.gz` or `.zst`; "-" is standard input, kept in an unnamed temporary file.
 *
 * @return STOA_ESYNTAX for malformed CSV (ragged rows, bad quotes, NUL, bad UTF-8, an over-long
 *         field), STOA_EDATA if there is no header row, STOA_EINVAL for a bad option
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_csv_open(const char *name,
                                                   const stoa_csv_options *options, stoa_csv **csv,
                                                   stoa_error *err);

/** The rows as a stream (the second pass). A reader has one stream; release it before closing. */
STOA_MUST_CHECK STOA_API stoa_status stoa_csv_stream(stoa_csv *csv, struct ArrowArrayStream *out,
                                                     stoa_error *err);

/** Number of rows omitted or values set missing so far, as on_error requests. */
STOA_API uint64_t stoa_csv_n_errors(const stoa_csv *csv);
/**
 * What the user should know about the text: names that the header repeats, and columns that a few
 * values keep from being numbers or times. Complete at the end of the stream.
 *
 * @return remark i, borrowed; NULL past the last
 */
STOA_API const char *stoa_csv_remark(const stoa_csv *csv, size_t i);
STOA_API void stoa_csv_close(stoa_csv *csv);

STOA_END_DECLS

#endif
