/* Arrow streams as text: CSV, TSV, JSON lines, JSON. */
#ifndef STOA_EXPORT_H
#define STOA_EXPORT_H

#include <stdint.h>
#include <stdio.h>
#include <stoa/arrow.h>
#include <stoa/error.h>
#include <stoa/progress.h>

STOA_BEGIN_DECLS

typedef enum stoa_text_format {
    STOA_TEXT_CSV,   /**< RFC 4180, LF line ends; missing is empty, an empty string is "" */
    STOA_TEXT_TSV,   /**< the same with tabs */
    STOA_TEXT_JSONL, /**< one object per line */
    STOA_TEXT_JSON,  /**< one array of objects */
    /** The same for spreadsheets. Text that begins with `=`, `+`, `-`, `@`, a tab or a line break
     * gets an apostrophe in front, because spreadsheets interpret it as a formula. */
    STOA_TEXT_CSV_NO_FORMULAS,
    STOA_TEXT_TSV_NO_FORMULAS,
    STOA_TEXT_MARKDOWN /**< a table of GitHub-flavoured Markdown, for people to read */
} stoa_text_format;

/**
 * Write a stream as text. The call consumes the stream; you still release it.
 *
 * - Floats have the fewest digits that read back equal. Others are nan, inf, -inf (JSON: the
 *   strings "NaN", "Infinity", "-Infinity"). int64 and uint64 are integers.
 * - Times are ISO 8601, opaque values hex digits, lists and structs JSON.
 *
 * @param[out] n_rows  rows written; may be NULL
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_text_write(struct ArrowArrayStream *stream,
                                                     stoa_text_format format, FILE *out,
                                                     const stoa_listener *listener,
                                                     uint64_t *n_rows, stoa_error *err);

STOA_END_DECLS

#endif
