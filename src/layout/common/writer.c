/* The input of a writer, and the messages about it (writer.h). */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "core/progress.h"
#include "core/sized_struct.h"
#include "hdf/ids.h"
#include "layout/common/writer.h"

static stoa_status tell_rows(const stoa_layout_source *source, uint64_t n_rows, stoa_error *err)
{
    return stoa_report_progress(
        &source->options->listener,
        &(stoa_progress){.stage = "writing", .rows = n_rows, .total_rows = source->n_rows}, err);
}

stoa_status stoa_layout_each_batch(const stoa_layout_source *source, stoa_layout_batch_visitor take,
                                   void *context, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray batch = {.release = NULL};
    stoa_view rows;

    for (uint64_t n = 0;; n += (uint64_t)rows.length) {
        STOA_TRY(stoa_stream_next(source->stream, &batch, err));
        if (batch.release == NULL) {
            break;
        }
        STOA_TRY(stoa_view_of(source->schema, &batch, &rows, err));
        if ((uint64_t)rows.length > source->n_rows - n) {
            STOA_FAIL(err, STOA_EDATA, "the table has grown while it was read");
        }
        STOA_TRY(take(context, &rows, n, err));
        stoa_array_release(&batch);
        STOA_TRY(tell_rows(source, n + (uint64_t)rows.length, err));
    }

done:
    stoa_array_release(&batch);
    return status;
}

stoa_status stoa_layout_refuse_missing(const char *column, uint64_t n_missing, const char *layout,
                                       const char *ways, stoa_error *err)
{
    return stoa_fail(err, STOA_ELOSS,
                     "column '%s' has %llu missing %s, which %s cannot hold; --missing '%s=%s' "
                     "says what %s",
                     column, (unsigned long long)n_missing, n_missing == 1 ? "value" : "values",
                     layout, column, ways,
                     strchr(ways, '|') != NULL ? "becomes of them" : "stands for them");
}

stoa_status stoa_layout_error_at(hid_t loc, const char *path, stoa_status status, stoa_error *err)
{
    if (status != STOA_OK) {
        char *file = stoa_hdf_name(loc, H5Fget_name);
        (void)stoa_at(err, status, "%s:%s", file != NULL ? file : "", path);
        free(file);
    }
    return status;
}

stoa_status stoa_layout_options_copy(const stoa_layout_options *options, stoa_layout_options *own,
                                     stoa_error *err)
{
    *own = (stoa_layout_options)STOA_LAYOUT_OPTIONS_INIT;
    return STOA_SIZED_COPY(own, options, listener, "STOA_LAYOUT_OPTIONS_INIT", err);
}

const char *stoa_layout_setting_of(const stoa_layout_options *options, const char *key)
{
    const char *value = NULL;

    for (size_t i = 0; i < options->n_settings; i++) {
        if (strcmp(options->settings[i].key, key) == 0) {
            value = options->settings[i].value != NULL ? options->settings[i].value : "";
        }
    }
    return value;
}
