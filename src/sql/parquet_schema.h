/* What Parquet's metadata and DuckDB's types say of an Arrow schema; see sql/parquet.h. */
#ifndef STOA_SQL_PARQUET_SCHEMA_H
#define STOA_SQL_PARQUET_SCHEMA_H

#include "arrow/build.h"

/* The key of the metadata. Its value is a schema message of Arrow's IPC format, in base 64. */
#define STOA_PARQUET_SCHEMA "ARROW:schema"

/* Append the value for a schema. */
stoa_status stoa_parquet_encode_schema(const struct ArrowSchema *schema, stoa_buffer *text,
                                       stoa_error *err);
/* Read such a value, which is untrusted.
 * @param[out] schema  released if it is not a schema; the call fails only if memory runs out */
stoa_status stoa_parquet_decode_schema(const char *text, size_t length, struct ArrowSchema *schema,
                                       stoa_error *err);

/* Append DuckDB's type for a field, as in `DECIMAL(9,2)[]`. Lists of a fixed size are lists of any
 * size unless `keeps_sizes`. STOA_ETYPE if it has none. */
stoa_status stoa_sql_type(stoa_buffer *sql, const struct ArrowSchema *field, bool keeps_sizes,
                          stoa_error *err);
/* Whether a field is, or has in it, a list of a fixed size. */
bool stoa_sql_has_fixed_list(const struct ArrowSchema *field);

#endif
