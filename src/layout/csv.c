/*
 * CSV files as Arrow streams, in two passes: the first learns the types from every value, the
 * second hands out batches. Both judge rows by the same code, so that what one leaves out the other
 * does.
 *
 * Memory is bounded: a block of input, a row, a batch, and the capped sets of distinct values.
 */
#include <stdio.h>
#include <stdlib.h>
#include <stoa/csv.h>
#include <string.h>

#include "core/progress.h"
#include "layout/csv_columns.h"

#define DEFAULT_FIELD_BYTES ((size_t)16 * 1024 * 1024)
#define MAX_FIELD_BYTES ((size_t)1024 * 1024 * 1024) /* Arrow's 32-bit offsets end at two of it */
#define DEFAULT_BATCH_ROWS 65536
#define MAX_BATCH_BYTES ((uint64_t)64 * 1024 * 1024) /* a batch of wide rows ends here */
#define TELL_BYTES ((uint64_t)8 * 1024 * 1024)       /* how often the listener hears of us */
#define LIMIT_ROWS 256                               /* how often the sets are measured */

struct stoa_csv {
    char *name;               /* for messages */
    stoa_csv_options options; /* only its scalars; what it points to is the caller's */
    stoa_strings null_texts;
    stoa_input *input;
    stoa_csv_columns columns;
    stoa_csv_value *values; /* of the row being judged, one a column */

    stoa_csv_rows rows; /* the pass under way */
    bool is_second;
    bool has_header; /* in this pass */
    uint64_t n_rows; /* in this pass */
    uint64_t n_errors;
    uint64_t n_rows_first; /* in the first pass */
    uint64_t told;         /* position the listener knows of */

    bool has_stream;
    int64_t n_batch_rows; /* gathered in the builders */
    uint64_t n_batch_bytes;
    stoa_buffer ready; /* struct ArrowArray: batches not handed out yet, */
    size_t n_taken;    /* but for so many */
};

/* Judging rows ------------------------------------------------------------------------------ */

/* The start of a value, for messages. */
typedef struct excerpt {
    char text[48];
} excerpt;

static excerpt excerpt_of(const char *text, size_t length)
{
    excerpt e;
    const size_t room = sizeof e.text - 4;
    const size_t n = stoa_utf8_valid(text, length < room ? length : room);

    (void)snprintf(e.text, sizeof e.text, "%.*s%s", (int)n, text, n < length ? "..." : "");
    return e;
}

static stoa_status fail_ragged(const stoa_csv *csv, const stoa_csv_row *row, stoa_error *err)
{
    return stoa_fail(err, STOA_ESYNTAX, "line %llu: %zu field%s where the header has %zu",
                     (unsigned long long)row->line, row->n_fields, row->n_fields == 1 ? "" : "s",
                     csv->columns.n);
}

static stoa_status fail_value(const stoa_csv_column *column, const stoa_csv_row *row,
                              const stoa_csv_field *field, bool has_changed, stoa_error *err)
{
    char name[64];
    const char *text = stoa_csv_row_text(row, field);
    const unsigned long long line = field->line;

    if (field->flaw == STOA_CSV_HAS_NUL) {
        return stoa_fail(err, STOA_ESYNTAX,
                         "line %llu, column '%s': a NUL byte; is this a CSV file?", line,
                         column->name);
    }
    if (field->flaw == STOA_CSV_BAD_UTF8) {
        const size_t at = stoa_utf8_valid(text, field->length);
        return stoa_fail(err, STOA_ESYNTAX,
                         "line %llu, column '%s': byte 0x%02x after '%s' is not UTF-8; convert the "
                         "file to UTF-8",
                         line, column->name, (uint8_t)text[at], excerpt_of(text, at).text);
    }
    return stoa_fail(err, has_changed ? STOA_EDATA : STOA_ESYNTAX,
                     "line %llu, column '%s': '%s' is no %s%s", line, column->name,
                     excerpt_of(text, field->length).text, stoa_type_name(&column->type, name),
                     has_changed ? ": the file has changed since its types were found" : "");
}

static bool is_missing(const stoa_csv *csv, const stoa_csv_row *row, const stoa_csv_field *field)
{
    return !field->is_quoted && (field->length == 0 ||
                                 (csv->null_texts.count != 0 &&
                                  stoa_strings_find(&csv->null_texts, stoa_csv_row_text(row, field),
                                                    field->length, &(uint32_t){0})));
}

/* Read a row's fields into csv->values: the ones that cannot be read are missing, and counted. */
static stoa_status judge_fields(stoa_csv *csv, const stoa_csv_row *row, bool *is_skipped,
                                stoa_error *err)
{
    size_t changed = SIZE_MAX; /* a column whose inferred type does not hold what it once held */

    for (size_t k = 0; k < csv->columns.n; k++) {
        const stoa_csv_column *column = &csv->columns.items[k];
        const stoa_csv_field *field = k < row->n_fields ? &row->fields[k] : NULL;
        stoa_csv_value *value = &csv->values[k];

        if (field == NULL || is_missing(csv, row, field)) {
            *value = (stoa_csv_value){.is_missing = true};
            continue;
        }
        if (field->flaw == STOA_CSV_SOUND &&
            stoa_csv_value_parse(&column->type, &column->labels, stoa_csv_row_text(row, field),
                                 field->length, value)) {
            continue;
        }
        if (csv->is_second && !column->is_typed && field->flaw == STOA_CSV_SOUND) {
            changed = k; /* unless the first pass left this row out, for another field's sake */
            continue;
        }
        if (csv->options.on_error == STOA_CSV_STOP) {
            return fail_value(column, row, field, false, err);
        }
        csv->n_errors++;
        if (csv->options.on_error == STOA_CSV_SKIP) {
            *is_skipped = true;
            return STOA_OK;
        }
        *value = (stoa_csv_value){.is_missing = true};
    }
    return changed == SIZE_MAX
               ? STOA_OK
               : fail_value(&csv->columns.items[changed], row, &row->fields[changed], true, err);
}

/* Read a row into csv->values, as far as on_error lets it pass. */
static stoa_status judge(stoa_csv *csv, const stoa_csv_row *row, bool *is_skipped, stoa_error *err)
{
    *is_skipped = false;
    if (row->n_fields != csv->columns.n && row->n_fields != 0) {
        if (csv->options.on_error == STOA_CSV_STOP) {
            return fail_ragged(csv, row, err);
        }
        csv->n_errors++;
        if (csv->options.on_error == STOA_CSV_SKIP) {
            *is_skipped = true;
            return STOA_OK;
        }
    }
    return judge_fields(csv, row, is_skipped, err);
}

/* What becomes of a row --------------------------------------------------------------------- */

static stoa_status learn_row(stoa_csv *csv, stoa_error *err)
{
    stoa_status status = STOA_OK;

    for (size_t k = 0; k < csv->columns.n; k++) {
        stoa_csv_column *column = &csv->columns.items[k];
        const stoa_csv_value *value = &csv->values[k];
        const bool is_open = !column->is_typed || column->type.kind == STOA_KIND_STRING ||
                             column->type.kind == STOA_KIND_TIMESTAMP;
        if (is_open && !value->is_missing) {
            STOA_TRY(stoa_csv_guess_add(&column->guess, value->text, value->length, err));
        }
    }
    if (csv->n_rows % LIMIT_ROWS == 0) {
        stoa_csv_columns_limit(&csv->columns);
    }

done:
    return status;
}

static stoa_status finish_batch(stoa_csv *csv, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray batch = {.release = NULL};

    STOA_TRY(stoa_buffer_reserve(&csv->ready, sizeof batch, err));
    STOA_TRY(stoa_csv_columns_batch(&csv->columns, csv->n_batch_rows, &batch, err));
    STOA_TRY(stoa_buffer_append(&csv->ready, &batch, sizeof batch, err));
    csv->n_batch_rows = 0;
    csv->n_batch_bytes = 0;

done:
    return status;
}

static stoa_status keep_row(stoa_csv *csv, stoa_error *err)
{
    stoa_status status = STOA_OK;

    for (size_t k = 0; k < csv->columns.n; k++) {
        stoa_csv_column *column = &csv->columns.items[k];
        const stoa_csv_value *value = &csv->values[k];
        STOA_TRY(stoa_csv_builder_add(&column->builder, &column->type, value, err));
        csv->n_batch_bytes += sizeof(int64_t);
        csv->n_batch_bytes += column->type.kind == STOA_KIND_STRING ? value->length : 0;
    }
    csv->n_batch_rows++;
    if ((uint64_t)csv->n_batch_rows == csv->options.batch_rows ||
        csv->n_batch_bytes >= MAX_BATCH_BYTES) {
        STOA_TRY(finish_batch(csv, err));
    }

done:
    return status;
}

static stoa_status take_header(stoa_csv *csv, const stoa_csv_row *row, stoa_error *err)
{
    csv->has_header = true;
    if (csv->is_second) {
        return row->n_fields == csv->columns.n
                   ? STOA_OK
                   : stoa_fail(err, STOA_EDATA,
                               "the header has changed since the file was first read");
    }
    csv->values = stoa_alloc(row->n_fields, sizeof *csv->values);
    if (csv->values == NULL) {
        return stoa_fail_memory(err);
    }
    return stoa_csv_columns_make(&csv->columns, row, &csv->options, err);
}

/* Blank lines: nothing, but in a file of one column a missing value. */
static stoa_status take_row(void *context, const stoa_csv_row *row, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_csv *csv = context;
    bool is_skipped;

    if (row->n_fields == 0 && (!csv->has_header || csv->columns.n > 1)) {
        return STOA_OK;
    }
    if (!csv->has_header) {
        return take_header(csv, row, err);
    }
    STOA_TRY(judge(csv, row, &is_skipped, err));
    if (!is_skipped) {
        csv->n_rows++;
        STOA_TRY(csv->is_second ? keep_row(csv, err) : learn_row(csv, err));
    }

done:
    return status;
}

/* Passes ------------------------------------------------------------------------------------ */

static stoa_status tell(stoa_csv *csv, stoa_error *err)
{
    const stoa_progress progress = {
        .stage = csv->is_second ? "reading" : "scanning",
        .rows = csv->n_rows,
        .total_rows = csv->n_rows_first,
        .bytes = stoa_input_used(csv->input),
        .total_bytes = stoa_input_total(csv->input),
    };

    csv->told = csv->rows.position;
    return stoa_tell(&csv->options.listener, &progress, err);
}

static stoa_status begin_pass(stoa_csv *csv, stoa_error *err)
{
    csv->has_header = false;
    csv->n_rows = 0;
    csv->n_errors = 0;
    csv->told = 0;
    return stoa_csv_rows_begin(&csv->rows, csv->input, csv->options.delimiter,
                               csv->options.max_field_bytes, take_row, csv, err);
}

/* One more block of the pass under way. */
static stoa_status go_on(stoa_csv *csv, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n_ready = csv->ready.size;

    STOA_TRY(stoa_csv_rows_more(&csv->rows, err));
    if (csv->rows.position - csv->told >= TELL_BYTES || csv->ready.size != n_ready ||
        csv->rows.at_end) {
        STOA_TRY(tell(csv, err));
    }

done:
    return status;
}

static stoa_status scan(stoa_csv *csv, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(begin_pass(csv, err));
    while (!csv->rows.at_end) {
        STOA_TRY(go_on(csv, err));
    }
    if (!csv->has_header) {
        STOA_FAIL(err, STOA_EDATA, "the file is empty: there is no header row");
    }
    STOA_TRY(stoa_csv_columns_settle(&csv->columns, err));
    csv->n_rows_first = csv->n_rows;

done:
    stoa_csv_rows_end(&csv->rows);
    return status;
}

/* Opening ----------------------------------------------------------------------------------- */

static bool ends_with(const char *text, size_t length, const char *end)
{
    const size_t n = strlen(end);

    return length >= n && memcmp(text + length - n, end, n) == 0;
}

/* A tab for .tsv and .tab, also below a compression's suffix. */
static char delimiter_of(const char *name)
{
    static const char *const packed[] = {".gz", ".zst"};
    size_t length = strlen(name);

    for (size_t i = 0; i < sizeof packed / sizeof packed[0]; i++) {
        if (ends_with(name, length, packed[i])) {
            length -= strlen(packed[i]);
            break;
        }
    }
    return ends_with(name, length, ".tsv") || ends_with(name, length, ".tab") ? '\t' : ',';
}

static stoa_status take_options(stoa_csv *csv, const char *name, const stoa_csv_options *given,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_csv_options *options = &csv->options;

    *options = (stoa_csv_options)STOA_CSV_OPTIONS_INIT;
    if (given != NULL) {
        memcpy(options, given, given->size < sizeof *given ? given->size : sizeof *given);
    }
    if (options->delimiter == 0) {
        options->delimiter = delimiter_of(name);
    }
    if (strchr("\"\r\n", options->delimiter) != NULL || (uint8_t)options->delimiter >= 0x80) {
        STOA_FAIL(err, STOA_EINVAL,
                  "the delimiter must be an ASCII character other than a quote or line break");
    }
    if (options->max_field_bytes == 0) {
        options->max_field_bytes = DEFAULT_FIELD_BYTES;
    }
    if (options->max_field_bytes > MAX_FIELD_BYTES) {
        STOA_FAIL(err, STOA_EINVAL, "fields of more than %zu bytes cannot be allowed",
                  MAX_FIELD_BYTES);
    }
    if (options->batch_rows == 0) {
        options->batch_rows = DEFAULT_BATCH_ROWS;
    }
    for (size_t i = 0; i < options->n_null_texts; i++) {
        const char *text = options->null_texts[i];
        STOA_TRY(stoa_strings_add(&csv->null_texts, text, strlen(text), &(uint32_t){0}, err));
    }

done:
    return status;
}

stoa_status stoa_csv_open(const char *name, const stoa_csv_options *options, stoa_csv **csv,
                          stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char *shown = strcmp(name, "-") == 0 ? "standard input" : name;
    stoa_csv *self = stoa_alloc_zero(1, sizeof *self);

    *csv = NULL;
    if (self == NULL || (self->name = stoa_strdup(shown)) == NULL) {
        status = stoa_fail_memory(err);
        goto done;
    }
    STOA_TRY(take_options(self, name, options, err));
    STOA_TRY(stoa_input_open(name, &self->options.listener, &self->input, err));
    STOA_TRY(scan(self, err));
    *csv = self;
    self = NULL;

done:
    stoa_csv_close(self);
    return stoa_at(err, status, "%s", shown);
}

/* The stream -------------------------------------------------------------------------------- */

static stoa_status stream_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    const stoa_csv *csv = self;

    return stoa_csv_columns_schema(&csv->columns, out, err);
}

static bool take_ready(stoa_csv *csv, struct ArrowArray *out)
{
    struct ArrowArray *batches = (struct ArrowArray *)(void *)csv->ready.data;

    if (csv->n_taken == csv->ready.size / sizeof *batches) {
        csv->ready.size = 0;
        csv->n_taken = 0;
        return false;
    }
    stoa_array_move(&batches[csv->n_taken++], out);
    return true;
}

static stoa_status stream_next(void *self, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_csv *csv = self;

    out->release = NULL;
    while (!take_ready(csv, out)) {
        if (csv->rows.at_end) {
            if (csv->n_rows != csv->n_rows_first || stoa_input_has_changed(csv->input)) {
                STOA_FAIL(err, STOA_EDATA, "the file has changed since it was first read");
            }
            break;
        }
        STOA_TRY(go_on(csv, err));
        if (csv->rows.at_end && csv->n_batch_rows != 0) {
            STOA_TRY(finish_batch(csv, err));
        }
    }

done:
    return stoa_at(err, status, "%s", csv->name);
}

static void stream_release(void *self)
{
    stoa_csv *csv = self;
    struct ArrowArray batch;

    while (take_ready(csv, &batch)) {
        stoa_array_release(&batch);
    }
    stoa_csv_columns_discard(&csv->columns);
    stoa_csv_rows_end(&csv->rows);
}

stoa_status stoa_csv_stream(stoa_csv *csv, struct ArrowArrayStream *out, stoa_error *err)
{
    static const stoa_producer producer = {stream_schema, stream_next, stream_release};
    stoa_status status = STOA_OK;

    out->release = NULL;
    if (csv->has_stream) {
        STOA_FAIL(err, STOA_EINVAL, "the file's stream has been taken already");
    }
    csv->is_second = true;
    STOA_TRY(stoa_input_rewind(csv->input, err));
    STOA_TRY(begin_pass(csv, err));
    STOA_TRY(stoa_stream_make(out, &producer, csv, err));
    csv->has_stream = true;

done:
    return stoa_at(err, status, "%s", csv->name);
}

uint64_t stoa_csv_n_errors(const stoa_csv *csv)
{
    return csv->n_errors;
}

void stoa_csv_close(stoa_csv *csv)
{
    if (csv == NULL) {
        return;
    }
    stoa_csv_rows_end(&csv->rows);
    stoa_csv_columns_clear(&csv->columns);
    stoa_input_close(csv->input);
    stoa_strings_clear(&csv->null_texts);
    stoa_buffer_clear(&csv->ready);
    free(csv->values);
    free(csv->name);
    free(csv);
}
