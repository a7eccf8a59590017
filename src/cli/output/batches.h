/* Runs a query whose result the command itself reads. */
#ifndef STOA_CLI_BATCHES_H
#define STOA_CLI_BATCHES_H

#include "arrow/read.h"
#include "cli/common/cli.h"

/* Called with each batch of the result, a view of a struct. */
typedef stoa_status cli_batch_visit(void *context, const stoa_view *rows, stoa_error *err);
stoa_status cli_each_batch(stoa_table *table, const stoa_query_options *options,
                           cli_batch_visit *visit, void *context, stoa_error *err);

#endif
