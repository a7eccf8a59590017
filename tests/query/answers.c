/* Answers by their bits. */
#include "answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <stoa/memory.h>

#include "support/batches.h"

void answer_mix(uint64_t *hash, const void *bytes, size_t n)
{
    const uint8_t *from = bytes;

    for (size_t i = 0; i < n; i++) {
        *hash = (*hash ^ from[i]) * 0x100000001b3u;
    }
}

static void mix_column(uint64_t *hash, const stoa_view *view, int64_t n)
{
    stoa_view labels_of;
    const bool coded = view->type.kind == STOA_KIND_DICTIONARY;

    if (coded) {
        CHECK_OK(stoa_view_dictionary(view, &labels_of, NULL));
    }
    for (int64_t r = 0; r < n; r++) {
        const bool is_null = stoa_view_is_null(view, r);
        answer_mix(hash, &is_null, sizeof is_null);
        if (is_null) {
            continue;
        }
        if (coded || stoa_kind_is_string(view->type.kind)) {
            size_t length;
            const char *text = coded ? stoa_view_bytes(&labels_of, stoa_view_i64(view, r), &length)
                                     : stoa_view_bytes(view, r, &length);
            answer_mix(hash, text, length);
            answer_mix(hash, &length, sizeof length);
        } else if (stoa_kind_is_float(view->type.kind)) {
            const double value = stoa_view_f64(view, r);
            answer_mix(hash, &value, sizeof value);
        } else {
            const int64_t value = stoa_view_i64(view, r);
            answer_mix(hash, &value, sizeof value);
        }
    }
}

enum { MAX_COLUMNS = 64 };

static stoa_status drain(struct ArrowArrayStream *stream, answer *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {0};
    struct ArrowArray array = {0};
    uint64_t columns[MAX_COLUMNS];

    out->hash = ANSWER_SEED;
    out->content = ANSWER_SEED;
    for (size_t c = 0; c < MAX_COLUMNS; c++) {
        columns[c] = ANSWER_SEED;
    }
    STOA_TRY(stoa_stream_schema(stream, &schema, err));
    for (;;) {
        STOA_TRY(stoa_stream_next(stream, &array, err));
        if (array.release == NULL) {
            break;
        }
        out->n_rows += array.length;
        CHECK(array.n_children <= MAX_COLUMNS);
        for (int64_t c = 0; c < array.n_children; c++) {
            stoa_view view;
            CHECK_OK(stoa_view_of(schema.children[c], array.children[c], &view, NULL));
            mix_column(&out->hash, &view, array.length);
            mix_column(&columns[c], &view, array.length);
        }
        stoa_array_release(&array);
    }
    answer_mix(&out->content, columns, sizeof columns);

done:
    stoa_schema_release(&schema);
    return status;
}

answer answer_of(stoa_table *table, const stoa_query_options *options)
{
    stoa_status status = STOA_OK;
    stoa_query *query = NULL;
    struct ArrowArrayStream stream = {0};
    stoa_error err = STOA_ERROR_INIT;
    answer out = {.n_rows = 0};
    char *plan = NULL;

    STOA_TRY(stoa_query_open(table, options, &query, &err));
    STOA_TRY(stoa_query_run(query, &stream, &err));
    STOA_TRY(drain(&stream, &out, &err));
    STOA_TRY(stoa_query_explain(query, &plan, &err));

done:
    out.failed = status != STOA_OK;
    (void)snprintf(out.text, sizeof out.text, "%s", status == STOA_OK ? plan : err.message);
    stoa_free(plan);
    stoa_stream_release(&stream);
    stoa_query_close(query);
    return out;
}
