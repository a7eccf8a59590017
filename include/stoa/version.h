/* Which Stoa this process runs with, and what it knows by name, for shells and bindings. */
#ifndef STOA_VERSION_H
#define STOA_VERSION_H

#include <stddef.h>
#include <stoa/error.h>

STOA_BEGIN_DECLS

/** The library's version, "MAJOR.MINOR.PATCH"; static storage. */
STOA_API const char *stoa_version(void);
/** The same as a number that grows: MAJOR * 10000 + MINOR * 100 + PATCH. */
STOA_API unsigned stoa_version_number(void);

/* Names, in static storage: the i-th, counted from 0; NULL after the last. */

/** Codecs of columns, as stoa_column_options.codec takes them; "deflate" and "zstd" also take a
 *  level, "zstd:9" (docs/codecs.md). */
STOA_API const char *stoa_codec_name(size_t i);
/** Layouts that tables are written in, as stoa_layout_options.layout takes them. */
STOA_API const char *stoa_layout_name(size_t i);
/** Kinds of search index, as stoa_index_add() takes them. */
STOA_API const char *stoa_index_kind_name(size_t i);
/** Functions of expressions: of rows, and those that only lists have (docs/query.md). */
STOA_API const char *stoa_function_name(size_t i);
/** Aggregates, as stoa_query_options.aggregates takes them. */
STOA_API const char *stoa_aggregate_name(size_t i);

STOA_END_DECLS

#endif
