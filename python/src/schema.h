/* Arrow schemas, and the Python type Schema: a field, or all fields of a table. */
#ifndef PYSTOA_SCHEMA_H
#define PYSTOA_SCHEMA_H

#include "module.h"

/* A deep copy; false if memory ran out. */
bool pystoa_schema_copy(const struct ArrowSchema *from, struct ArrowSchema *out);

/* A Schema, which takes `schema` over, also if it fails. */
PyObject *pystoa_schema_new(const pystoa_state *state, struct ArrowSchema *schema);

/* A capsule "arrow_schema" with a copy. */
PyObject *pystoa_schema_capsule(const struct ArrowSchema *schema);

/* The type in words: "float64", "timestamp[ms, UTC]", "list<string>". */
PyObject *pystoa_schema_type(const struct ArrowSchema *schema);

/* A value of the metadata as str; None if there is no such key. */
PyObject *pystoa_schema_metadata(const struct ArrowSchema *schema, const char *key);

/* Add a key to the metadata of a copy that pystoa_schema_copy() made; false if memory ran out. */
bool pystoa_schema_note(struct ArrowSchema *schema, const char *key, const char *value);

#endif
