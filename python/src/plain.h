/* Arrow types that the library does not take, as types that it takes with the same values: views of
 * strings and bytes, as Polars and DuckDB have them, and days that are counted in milliseconds. */
#ifndef PYSTOA_PLAIN_H
#define PYSTOA_PLAIN_H

#include <stdbool.h>
#include <stoa/arrow.h>

/* Whether the schema has such types, at any depth. */
bool pystoa_plain_is_needed(const struct ArrowSchema *schema);

/* Replace the types in a schema that pystoa_schema_copy() made; false if memory ran out. */
bool pystoa_plain_schema(struct ArrowSchema *schema);

/**
 * Replace the values of a batch, which you own.
 *
 * @param schema  of the batch as its producer has it
 * @return NULL; after a failure, what is wrong
 */
const char *pystoa_plain_array(const struct ArrowSchema *schema, struct ArrowArray *array);

#endif
