#include "cli/report/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "arrow/read.h"
#include "cli/common/args.h"
#include "cli/output/batches.h"
#include "cli/output/cell.h"

/* Bytes of a column that are packed to learn how well that goes. */
enum { MOST_BYTES = 65536 };

/* Blocks of rows. Each reads a chunk of each column, so tables of many columns have fewer. */
enum { BLOCKS = 128, FEW_BLOCKS = 16, MANY_COLUMNS = 200 };

typedef struct reading {
    cli_sample *samples;
    size_t n;
} reading;

static stoa_status add_label(cli_sample *s, const stoa_view *values, int64_t i, stoa_error *err)
{
    const uint32_t n_before = s->labels.count;
    uint32_t number = 0;

    if (stoa_kind_is_bytes(values->type.kind)) {
        size_t length = 0;
        const char *const bytes = stoa_view_bytes(values, i, &length);
        STOA_RETURN_NOT_OK(stoa_string_set_add(&s->labels, bytes, length, &number, err));
    } else { /* categories of numbers, and bools */
        char *text = NULL;
        STOA_RETURN_NOT_OK(cli_cell_text(values, i, &text, err));
        const stoa_status status =
            stoa_string_set_add(&s->labels, text, strlen(text), &number, err);
        free(text);
        STOA_RETURN_NOT_OK(status);
    }
    if (s->labels.count > n_before) {
        s->counts = cli_one_more(s->counts, n_before, sizeof *s->counts);
        s->counts[number] = 0;
    }
    s->counts[number]++;
    return STOA_OK;
}

static void add_number(cli_sample *s, const stoa_view *view, int64_t i)
{
    s->numbers = cli_one_more(s->numbers, s->n_numbers, sizeof *s->numbers);
    s->numbers[s->n_numbers++] =
        stoa_kind_is_float(view->type.kind)   ? (long double)stoa_view_f64(view, i)
        : view->type.kind == STOA_KIND_UINT64 ? (long double)(uint64_t)stoa_view_i64(view, i)
                                              : (long double)stoa_view_i64(view, i);
}

static bool is_number(stoa_kind kind)
{
    return stoa_kind_is_integer(kind) || stoa_kind_is_float(kind) || stoa_kind_is_ticks(kind);
}

static stoa_status add_column(cli_sample *s, const stoa_view *view, stoa_error *err)
{
    const size_t width = (size_t)stoa_kind_width(view->type.kind);
    const bool has_labels = view->type.kind == STOA_KIND_DICTIONARY;
    stoa_view labels = *view;

    s->type = view->type;
    s->n_rows += (uint64_t)view->length;
    if (has_labels) {
        STOA_RETURN_NOT_OK(stoa_view_dictionary(view, &labels, err));
    }
    for (int64_t i = 0; i < view->length; i++) {
        const int64_t at = has_labels && !stoa_view_is_null(view, i) ? stoa_view_i64(view, i) : i;
        if (stoa_view_is_null(view, i) || (has_labels && stoa_view_is_null(&labels, at))) {
            s->n_missing++;
        } else if (is_number(view->type.kind)) {
            add_number(s, view, i);
        } else if (has_labels || view->type.kind == STOA_KIND_BOOL ||
                   stoa_kind_is_string(view->type.kind)) {
            STOA_RETURN_NOT_OK(add_label(s, &labels, at, err));
        }
    }
    if (width > 0 && view->length > 0 && s->bytes.size < MOST_BYTES) {
        STOA_RETURN_NOT_OK(
            stoa_buffer_append(&s->bytes, (const char *)view->values + (size_t)view->offset * width,
                               (size_t)view->length * width, err));
    }
    return STOA_OK;
}

static stoa_status add_rows(void *context, const stoa_view *rows, stoa_error *err)
{
    const reading *const r = context;
    stoa_view column;

    for (size_t i = 0; i < r->n; i++) {
        STOA_RETURN_NOT_OK(stoa_view_child(rows, (int64_t)i, &column, err));
        STOA_RETURN_NOT_OK(add_column(&r->samples[i], &column, err));
    }
    return STOA_OK;
}

stoa_status cli_sample_read(stoa_table *table, cli_sample *samples, size_t n,
                            const stoa_listener *listener, stoa_error *err)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    const uint64_t n_rows = stoa_table_n_rows(table);
    const bool is_whole = n_rows <= CLI_SAMPLE_ROWS;
    const uint64_t n_blocks = is_whole                                     ? 1
                              : stoa_table_n_columns(table) > MANY_COLUMNS ? FEW_BLOCKS
                                                                           : BLOCKS;
    const uint64_t block = is_whole ? n_rows : CLI_SAMPLE_ROWS / n_blocks;
    reading r = {samples, n};
    char *columns = cli_copy("");
    stoa_status status = STOA_OK;

    for (size_t i = 0; i < n; i++) {
        char *const name = cli_quoted(samples[i].name);
        cli_append(&columns, "%s%s", i > 0 ? ", " : "", name);
        free(name);
    }
    options.columns = columns;
    options.listener = *listener;
    options.n_rows = block;
    for (uint64_t i = 0; i < n_blocks && n > 0; i++) {
        options.first_row = is_whole ? 0 : (n_rows - block) / (n_blocks - 1) * i;
        STOA_TRY(cli_each_batch(table, &options, add_rows, &r, err));
    }

done:
    free(columns);
    return status;
}

void cli_sample_clear(cli_sample *sample)
{
    free(sample->numbers);
    free(sample->counts);
    stoa_string_set_clear(&sample->labels);
    stoa_buffer_clear(&sample->bytes);
    *sample = (cli_sample){.name = NULL};
}

double cli_sample_ratio(const cli_sample *sample)
{
    const size_t width = (size_t)stoa_kind_width(sample->type.kind);
    const size_t n = width > 0 ? sample->bytes.size / width : 0;

    if (n < 1024) {
        return 0;
    }
    unsigned char *const planes = cli_resize(NULL, n * width, 1);
    uLongf packed = compressBound((uLong)(n * width));
    unsigned char *const out = cli_resize(NULL, packed, 1);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < width; k++) {
            planes[k * n + i] = sample->bytes.data[i * width + k];
        }
    }
    const bool is_done = compress2(out, &packed, planes, (uLong)(n * width), 1) == Z_OK;
    free(planes);
    free(out);
    return is_done ? (double)(n * width) / (double)packed : 0;
}
