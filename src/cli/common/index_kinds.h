/* --index: the kinds of search indexes, and lists of columns that get one. */
#ifndef STOA_CLI_INDEX_KINDS_H
#define STOA_CLI_INDEX_KINDS_H

#include <stoa/table.h>

#include "cli/common/args.h"

/* The names of the kinds that can be built, as on the command line. */
extern const char *const cli_index_kinds[];
#define CLI_INDEX_KINDS "minmax, sorted, bitmap, bloom"
bool cli_is_index_kind(const char *name);
/* Split the value of --index, "A[:KIND],B", NULL for none, into entries that the args own; false,
 * after a message, if a kind does not exist. */
bool cli_index_list(cli_args *args, const char *text, const stoa_column_index **list, size_t *n);

#endif
