/* Names of types for people. */
#ifndef STOA_CLI_TYPE_NAME_H
#define STOA_CLI_TYPE_NAME_H

#include <stoa/arrow.h>

/* A type name such as "int16", "timestamp[ms, Europe/Berlin]", "category" or "list of float32". The
 * caller frees it. */
char *cli_type_name(const struct ArrowSchema *schema);

#endif
