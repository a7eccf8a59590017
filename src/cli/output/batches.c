#include "cli/output/batches.h"

#include "arrow/build.h"

stoa_status cli_each_batch(stoa_table *table, const stoa_query_options *options,
                           cli_batch_visit *visit, void *context, stoa_error *err)
{
    struct ArrowArrayStream stream = {0};
    struct ArrowSchema schema = {0};
    struct ArrowArray batch = {0};
    stoa_query *query = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_query_open(table, options, &query, err));
    STOA_TRY(stoa_query_run(query, &stream, err));
    STOA_TRY(stoa_stream_schema(&stream, &schema, err));
    for (;;) {
        stoa_view rows;

        STOA_TRY(stoa_stream_next(&stream, &batch, err));
        if (batch.release == NULL) {
            break;
        }
        STOA_TRY(stoa_view_of(&schema, &batch, &rows, err));
        STOA_TRY(visit(context, &rows, err));
        stoa_array_release(&batch);
    }
done:
    stoa_array_release(&batch);
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
    stoa_query_close(query);
    return status;
}
