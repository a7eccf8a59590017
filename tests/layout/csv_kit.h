/* Shared by the tests of the CSV reader: files made from literals, and streams as text. */
#ifndef STOA_TESTS_CSV_KIT_H
#define STOA_TESTS_CSV_KIT_H

#include <stoa/csv.h>
#include <stoa/export.h>

/* Create a file in the test's directory; returns its path. */
const char *kit_file(const char *name, const void *bytes, size_t n);
/* The same from a string literal, which may hold NUL bytes. */
#define KIT_CSV(literal) kit_file("t.csv", literal, sizeof(literal) - 1)

/* All rows of a file in a format; valid until the next call. Fails the test if the file cannot be
 * read. `options` may be NULL. */
const char *kit_text(const char *path, const stoa_csv_options *options, stoa_text_format format);
/* "name:format ..." of each column. "/u" follows the format of a dictionary. */
const char *kit_schema(const char *path, const stoa_csv_options *options);
/* The error of opening a file, as "where: message" without the directory. Checks its status. */
const char *kit_failure(const char *path, const stoa_csv_options *options, stoa_status expected);
/* The text of a stream, which is taken over. */
const char *kit_stream_text(struct ArrowArrayStream *stream, stoa_text_format format);

#endif
