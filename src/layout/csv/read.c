/*
 * Processes blocks of text on the fast path if they are regular, and row by row otherwise.
 *
 * Both paths give the same result. Only the slow path knows what to do with an invalid row, so the
 * fast path starts the block again on the slow path when it finds one.
 */
#include "layout/csv/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout/csv/infer_grid.h"
#include "layout/csv/parse_grid.h"

/* Checking rows ----------------------------------------------------------------------------- */

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

static stoa_status fail_ragged(const stoa_csv_pass *pass, const stoa_csv_row *row, stoa_error *err)
{
    return stoa_fail(err, STOA_ESYNTAX, "line %llu: %zu field%s where the header has %zu",
                     (unsigned long long)row->line, row->n_fields, row->n_fields == 1 ? "" : "s",
                     pass->columns->n);
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
                         "file to UTF-8, or name its encoding: --encoding latin1",
                         line, column->name, (uint8_t)text[at], excerpt_of(text, at).text);
    }
    return stoa_fail(err, has_changed ? STOA_EDATA : STOA_ESYNTAX,
                     "line %llu, column '%s': '%s' is no %s%s", line, column->name,
                     excerpt_of(text, field->length).text, stoa_type_name(&column->type, name),
                     has_changed ? ": the file has changed since its types were found" : "");
}

static bool is_missing(const stoa_csv_pass *pass, const stoa_csv_row *row,
                       const stoa_csv_field *field)
{
    return !field->is_quoted &&
           (field->length == 0 ||
            stoa_csv_is_null(pass->nulls, stoa_csv_row_text(row, field), field->length));
}

static bool parse_value(const stoa_csv_pass *pass, const stoa_csv_column *column, const char *text,
                        size_t length, stoa_csv_value *value)
{
    char own[STOA_CSV_SPELLING_BYTES];
    size_t n = 0;
    const bool is_respelled = pass->spelling != NULL && column->type.kind != STOA_KIND_STRING &&
                              column->type.kind != STOA_KIND_DICTIONARY &&
                              stoa_csv_respell(pass->spelling, text, length, own, &n);

    if (!is_respelled) {
        return stoa_csv_value_parse(&column->type, &column->labels, text, length, value);
    }
    const bool is = stoa_csv_value_parse(&column->type, &column->labels, own, n, value);
    value->text = text;
    value->length = length;
    return is;
}

/* Parse the fields of a row into `values`. Fields that cannot be parsed become missing, and are
 * counted. */
static stoa_status judge_fields(const stoa_csv_pass *pass, const stoa_csv_row *row,
                                stoa_csv_value *values, uint64_t *n_errors, bool *is_skipped,
                                stoa_error *err)
{
    const stoa_csv_columns *columns = pass->columns;
    size_t changed = SIZE_MAX; /* the column whose inferred type no longer holds its value */

    for (size_t k = 0; k < columns->n; k++) {
        const stoa_csv_column *column = &columns->items[k];
        const stoa_csv_field *field = k < row->n_fields ? &row->fields[k] : NULL;
        stoa_csv_value *value = &values[k];

        if (field == NULL || is_missing(pass, row, field)) {
            *value = (stoa_csv_value){.is_missing = true};
            continue;
        }
        if (field->flaw == STOA_CSV_SOUND &&
            parse_value(pass, column, stoa_csv_row_text(row, field), field->length, value)) {
            value->i = column->codes != NULL ? column->codes[value->i] : value->i;
            continue;
        }
        if (pass->is_second && !column->is_typed && field->flaw == STOA_CSV_SOUND) {
            changed = k; /* unless the first pass skipped this row because of another field */
            continue;
        }
        if (pass->options->on_error == STOA_CSV_STOP) {
            return fail_value(column, row, field, false, err);
        }
        (*n_errors)++;
        if (pass->options->on_error == STOA_CSV_SKIP) {
            *is_skipped = true;
            return STOA_OK;
        }
        *value = (stoa_csv_value){.is_missing = true};
    }
    return changed == SIZE_MAX
               ? STOA_OK
               : fail_value(&columns->items[changed], row, &row->fields[changed], true, err);
}

/* Parse a row into `values`, as far as on_error permits. */
static stoa_status judge(const stoa_csv_pass *pass, const stoa_csv_row *row, stoa_csv_value *values,
                         uint64_t *n_errors, bool *is_skipped, stoa_error *err)
{
    *is_skipped = false;
    if (row->n_fields != pass->columns->n && row->n_fields != 0) {
        if (pass->options->on_error == STOA_CSV_STOP) {
            return fail_ragged(pass, row, err);
        }
        (*n_errors)++;
        if (pass->options->on_error == STOA_CSV_SKIP) {
            *is_skipped = true;
            return STOA_OK;
        }
    }
    return judge_fields(pass, row, values, n_errors, is_skipped, err);
}

/* Using rows -------------------------------------------------------------------------------- */

/* @param line  of the row, counted from that of the block */
static stoa_status learn_row(const stoa_csv_pass *pass, const stoa_csv_value *values, uint64_t line,
                             stoa_csv_block_result *result, stoa_error *err)
{
    enum { N_SAMPLES = 12 }; /* rows of a block */

    for (size_t k = 0; k < pass->columns->n; k++) {
        stoa_csv_inference *const guess = &result->guesses[k];
        const bool was_set = guess->spoiler.is_set;
        if (!stoa_csv_column_is_open(&pass->columns->items[k]) || values[k].is_missing) {
            continue;
        }
        STOA_RETURN_NOT_OK(stoa_csv_inference_add(guess, values[k].text, values[k].length, err));
        guess->spoiler.line = guess->spoiler.is_set && !was_set ? line : guess->spoiler.line;
        if (result->n_rows <= N_SAMPLES &&
            stoa_csv_null_word(values[k].text, values[k].length) < 0) {
            guess->samples[stoa_csv_look_of(guess->spelling, values[k].text, values[k].length)]++;
        }
    }
    return STOA_OK;
}

static stoa_status keep_row(const stoa_csv_pass *pass, const stoa_csv_value *values,
                            stoa_csv_block_result *result, stoa_error *err)
{
    for (size_t k = 0; k < pass->columns->n; k++) {
        STOA_RETURN_NOT_OK(stoa_csv_builder_add(&result->builders[k], &pass->columns->items[k].type,
                                                &values[k], err));
    }
    return STOA_OK;
}

/* Blocks ------------------------------------------------------------------------------------ */

/* Prepare empty results for the pass. */
static stoa_status begin(const stoa_csv_pass *pass, stoa_csv_block_result *result, stoa_error *err)
{
    const size_t n = pass->columns->n;

    result->n_columns = n;
    result->n_rows = 0;
    result->n_errors = 0;
    if (pass->is_second && result->builders == NULL) {
        result->builders = stoa_alloc_zero(n, sizeof *result->builders);
    } else if (!pass->is_second && result->guesses == NULL) {
        result->guesses = stoa_alloc_zero(n, sizeof *result->guesses);
    }
    if (pass->is_second ? result->builders == NULL : result->guesses == NULL) {
        return stoa_fail_memory(err);
    }
    for (size_t k = 0; k < n; k++) {
        if (pass->is_second) {
            stoa_csv_builder_reset(&result->builders[k]);
        } else {
            stoa_csv_inference_begin_part(&result->guesses[k], &pass->columns->items[k].guess);
        }
    }
    stoa_csv_kept_block_clear(&result->found);
    return STOA_OK;
}

static stoa_status read_rows(const stoa_csv_pass *pass, stoa_csv_worker *own,
                             const stoa_csv_block *block, stoa_csv_block_result *result,
                             stoa_error *err)
{
    const stoa_csv_options *options = pass->options;
    stoa_csv_row row;
    bool has_row;

    if (own->values == NULL) {
        own->values = stoa_alloc(pass->columns->n, sizeof *own->values);
        STOA_RETURN_NO_MEMORY(err, own->values);
    }
    stoa_csv_rows_begin(&own->rows, block->text, block->length, block->line, options->delimiter,
                        options->max_field_bytes);
    for (;;) {
        bool is_skipped;
        STOA_RETURN_NOT_OK(stoa_csv_rows_next(&own->rows, true, &row, &has_row, err));
        if (!has_row) {
            break;
        }
        if (row.n_fields == 0 && pass->columns->n > 1) {
            continue; /* a blank line; with one column, a missing value */
        }
        STOA_RETURN_NOT_OK(judge(pass, &row, own->values, &result->n_errors, &is_skipped, err));
        if (!is_skipped) {
            result->n_rows++;
            STOA_RETURN_NOT_OK(pass->is_second ? keep_row(pass, own->values, result, err)
                                               : learn_row(pass, own->values,
                                                           row.line - block->line, result, err));
        }
    }
    return STOA_OK;
}

bool stoa_csv_is_whole(const stoa_csv_columns *columns, const stoa_csv_kept_block *kept)
{
    if (kept == NULL || kept->columns == NULL) {
        return false;
    }
    for (size_t k = 0; k < columns->n && kept->n_rows != 0; k++) {
        if (!stoa_csv_kept_has(&kept->columns[k], &columns->items[k].type)) {
            return false;
        }
    }
    return true;
}

static stoa_status make_grid(const stoa_csv_pass *pass, stoa_csv_worker *own,
                             const stoa_csv_block *block, bool *is_sound, stoa_error *err)
{
    const stoa_csv_options *options = pass->options;

    return stoa_csv_grid_make(&own->grid, pass->scan, block, options->delimiter, pass->columns->n,
                              options->max_field_bytes, pass->nulls, is_sound, err);
}

/* All columns have been learned. Move the kept values to the arena. */
static stoa_status keep_found(stoa_csv_worker *own, stoa_csv_block_result *result, stoa_error *err)
{
    stoa_csv_kept_block *found = &result->found;

    found->n_rows = own->grid.n_rows;
    if (own->bytes.size != 0) {
        STOA_RETURN_NOT_OK(stoa_csv_arena_alloc(&own->arena, own->bytes.size, &found->bytes, err));
        found->arena = own->arena;
        found->n_bytes = own->bytes.size;
        memcpy(found->bytes, own->bytes.data, found->n_bytes);
    }
    return STOA_OK;
}

static stoa_status learn_grid(const stoa_csv_pass *pass, stoa_csv_worker *own,
                              const stoa_csv_block *block, stoa_csv_block_result *result,
                              bool *is_sound, stoa_error *err)
{
    stoa_csv_kept_block *found = &result->found;

    STOA_RETURN_NOT_OK(make_grid(pass, own, block, is_sound, err));
    if (!*is_sound) {
        return STOA_OK;
    }
    found->n_columns = pass->columns->n;
    found->columns = stoa_alloc_zero(found->n_columns, sizeof *found->columns);
    STOA_RETURN_NO_MEMORY(err, found->columns);
    own->bytes.size = 0;
    for (size_t k = 0; k < pass->columns->n && *is_sound; k++) {
        stoa_csv_grid_inference learning = {.guess = &result->guesses[k],
                                            .found = &own->found,
                                            .keeps = pass->keeps,
                                            .kept = &found->columns[k],
                                            .bytes = &own->bytes};
        STOA_RETURN_NOT_OK(
            stoa_csv_infer_grid(&own->grid, k, &pass->columns->items[k], &learning, is_sound, err));
    }
    if (*is_sound) {
        STOA_RETURN_NOT_OK(keep_found(own, result, err));
    }
    result->n_rows = own->grid.n_rows;
    return STOA_OK;
}

static stoa_status load_grid(const stoa_csv_pass *pass, stoa_csv_worker *own,
                             const stoa_csv_block *block, stoa_csv_block_result *result,
                             bool *is_sound, stoa_error *err)
{
    const stoa_csv_kept_block *kept = result->kept;
    const bool is_whole = stoa_csv_is_whole(pass->columns, kept);

    *is_sound = true;
    if (!is_whole) {
        STOA_RETURN_NOT_OK(make_grid(pass, own, block, is_sound, err));
    }
    const bool is_known = is_whole || (kept != NULL && own->grid.n_rows == kept->n_rows);
    result->n_rows = is_whole ? kept->n_rows : own->grid.n_rows;
    for (size_t k = 0; k < pass->columns->n && *is_sound && result->n_rows != 0; k++) {
        const stoa_csv_column *column = &pass->columns->items[k];
        stoa_csv_builder *builder = &result->builders[k];
        STOA_RETURN_NOT_OK(
            is_known && stoa_csv_kept_has(&kept->columns[k], &column->type)
                ? stoa_csv_load_kept(kept, k, column, builder, err)
                : stoa_csv_parse_grid(&own->grid, k, column, builder, is_sound, err));
    }
    return STOA_OK;
}

static stoa_status read_block(const stoa_csv_pass *pass, stoa_csv_worker *own,
                              const stoa_csv_block *block, stoa_csv_block_result *result,
                              stoa_error *err)
{
    bool is_sound;

    STOA_RETURN_NOT_OK(begin(pass, result, err));
    if (pass->spelling != NULL) { /* which the grid does not know */
        return read_rows(pass, own, block, result, err);
    }
    STOA_RETURN_NOT_OK(pass->is_second ? load_grid(pass, own, block, result, &is_sound, err)
                                       : learn_grid(pass, own, block, result, &is_sound, err));
    if (!is_sound) {
        STOA_RETURN_NOT_OK(begin(pass, result, err));
        STOA_RETURN_NOT_OK(read_rows(pass, own, block, result, err));
    }
    return STOA_OK;
}

void stoa_csv_read(const stoa_csv_pass *pass, stoa_csv_worker *own, const stoa_csv_block *block,
                   stoa_csv_block_result *result)
{
    result->error = (stoa_error)STOA_ERROR_INIT;
    result->status = read_block(pass, own, block, result, &result->error);
}

void stoa_csv_block_result_end(stoa_csv_block_result *result)
{
    for (size_t k = 0; k < result->n_columns; k++) {
        if (result->guesses != NULL) {
            stoa_csv_inference_clear(&result->guesses[k]);
        }
        if (result->builders != NULL) {
            stoa_csv_builder_clear(&result->builders[k]);
        }
    }
    free(result->guesses);
    stoa_csv_kept_block_clear(&result->found);
    free(result->builders);
    *result = (stoa_csv_block_result){0};
}

void stoa_csv_worker_end(stoa_csv_worker *own)
{
    stoa_csv_grid_end(&own->grid);
    stoa_csv_rows_end(&own->rows);
    stoa_csv_parsed_column_clear(&own->found);
    stoa_buffer_clear(&own->bytes);
    stoa_csv_arena_leave(own->arena);
    free(own->values);
    *own = (stoa_csv_worker){0};
}
