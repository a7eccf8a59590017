/*
 * CSV files as Arrow streams, in two passes. The first learns the types from every value, and the
 * second returns batches. Both check rows by the same code, so that they skip the same rows. The
 * second pass does not parse values again that the first one kept. If all are kept, no text is read
 * again.
 *
 * A pass goes in waves. While the workers parse the blocks of one wave, one of them reads the text
 * of the next. Memory is bounded: two waves, the results of their blocks, a batch, and the limited
 * sets of distinct values.
 */
#include <stdio.h>
#include <stdlib.h>
#include <stoa/csv.h>
#include <string.h>

#include "core/progress.h"
#include "layout/common/values_as_categories.h"
#include "layout/csv/batch.h"
#include "layout/csv/files.h"
#include "layout/csv/options.h"
#include "layout/csv/strict.h"
#include "layout/csv/suspects.h"

#define TELL_BYTES ((uint64_t)8 * 1024 * 1024) /* how often progress is reported */

/* Blocks in a wave: enough that no worker waits long for the last block, and no more. */
enum { BLOCKS_A_WORKER = 8, MIN_BLOCKS_A_WORKER = 2, MANY_BLOCKS = 64 };
/* Limit on columns times blocks, which bounds the memory for wide files. */
enum { MAX_GATHERED = 128 * 1024 };

typedef struct wave_start {
    uint64_t n_blocks; /* in earlier waves */
    stoa_csv_place place;
} wave_start;

struct stoa_csv {
    char *name;               /* for messages */
    stoa_csv_options options; /* only scalars are kept; pointers are the caller's */
    stoa_csv_nulls nulls;
    stoa_csv_spelling spelling;
    stoa_input *input;
    stoa_workers *workers;
    stoa_csv_columns columns;

    stoa_csv_pass pass; /* current pass */
    stoa_csv_text text;
    stoa_csv_worker *workers_own;   /* one per worker */
    stoa_csv_block_result *results; /* one per block of the current group */
    stoa_csv_kept kept;             /* from the first pass, for the second */
    stoa_buffer waves;              /* wave_start: where each wave of the first pass began */
    uint64_t n_whole;               /* leading blocks whose text the second pass skips */
    stoa_csv_place whole;           /* where the second pass continues with text */
    uint64_t n_blocks;              /* in earlier waves of this pass */
    size_t n_yields;
    size_t group;       /* index of its first block */
    bool group_fetches; /* the group also reads the next wave */
    bool has_header;    /* in this pass */
    bool has_deferred;
    bool at_end;
    uint64_t n_rows; /* in this pass */
    uint64_t n_errors;
    uint64_t n_rows_first; /* in the first pass */
    uint64_t told;         /* position last reported as progress */

    bool has_stream;
    stoa_csv_batches batches;
    stoa_csv_suspects suspects;
    struct ArrowSchema schema; /* of the batches, if there are suspects */
    stoa_buffer remarks;       /* texts, each with its NUL */
};

/* Blocks ------------------------------------------------------------------------------------ */

static stoa_csv_block *blocks_of(const stoa_csv *csv)
{
    return (stoa_csv_block *)(void *)csv->text.blocks.data;
}

/* Part 0 of a group may be reading the next wave. The longest part starts first. */
static stoa_status read_part(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    stoa_csv *csv = context;

    (void)err; /* failures are stored with their block, and reported in order */
    if (csv->group_fetches && part == 0) {
        stoa_csv_text_fetch(&csv->text);
        return STOA_OK;
    }
    const size_t k = (size_t)part - csv->group_fetches;
    const stoa_csv_block *block = &blocks_of(csv)[csv->group + k];
    stoa_csv_block_result *result = &csv->results[k];
    if (csv->pass.is_second) {
        result->kept = stoa_csv_kept_find(&csv->kept, csv->n_blocks + csv->group + k, block);
    }
    stoa_csv_read(&csv->pass, &csv->workers_own[worker], block, result);
    return STOA_OK;
}

static stoa_status merge_inferences(stoa_csv *csv, const stoa_csv_block *block,
                                    stoa_csv_block_result *result, stoa_error *err)
{
    stoa_csv_kept_column *kept = result->found.columns;

    for (size_t k = 0; k < csv->columns.n; k++) {
        stoa_csv_inference *guess = &csv->columns.items[k].guess;
        const bool has_labels = kept != NULL && kept[k].kind == STOA_CSV_KEPT_LABELS;
        result->guesses[k].spoiler.line += block->line;
        STOA_RETURN_NOT_OK(stoa_csv_inference_merge(guess, &result->guesses[k],
                                                    has_labels ? &kept[k].own : NULL, err));
        if (has_labels && !guess->has_labels) {
            kept[k].kind = STOA_CSV_KEPT_NOTHING;
        }
    }
    result->found.block = *block;
    STOA_RETURN_NOT_OK(stoa_csv_kept_add(&csv->kept, &result->found, err));
    stoa_csv_columns_limit(&csv->columns);
    return STOA_OK;
}

static stoa_status merge_result(stoa_csv *csv, size_t k, stoa_error *err)
{
    stoa_csv_block_result *result = &csv->results[k];

    if (result->status != STOA_OK) {
        if (err != NULL && err->status == STOA_OK) {
            *err = result->error;
        }
        return result->status;
    }
    csv->n_rows += result->n_rows;
    csv->n_errors += result->n_errors;
    return csv->pass.is_second
               ? stoa_csv_batches_add(&csv->batches, result, err)
               : merge_inferences(csv, &blocks_of(csv)[csv->group + k], result, err);
}

/* The number of blocks at a time is limited by the memory for their results. It is low at first, so
 * that labels are not collected for long in columns that look like numbers. */
static size_t group_size(const stoa_csv *csv)
{
    const size_t n_workers = stoa_workers_count(csv->workers);

    if (!csv->pass.is_second && !csv->has_deferred) {
        return n_workers < csv->n_yields ? n_workers : csv->n_yields;
    }
    const size_t n = MAX_GATHERED / csv->columns.n;
    const size_t least = n > n_workers ? n : n_workers;

    return least < csv->n_yields ? least : csv->n_yields;
}

/* Parse the blocks of a wave, and read the next wave meanwhile. */
static stoa_status read_blocks(stoa_csv *csv, bool fetches, stoa_error *err)
{
    const size_t n_blocks = csv->text.blocks.size / sizeof(stoa_csv_block);

    csv->group = 0;
    csv->group_fetches = fetches;
    if (n_blocks == 0 && fetches) {
        stoa_csv_text_fetch(&csv->text);
    }
    while (csv->group < n_blocks) {
        const size_t left = n_blocks - csv->group;
        const size_t n = left < group_size(csv) ? left : group_size(csv);
        csv->pass.keeps = !csv->kept.is_full;
        STOA_RETURN_NOT_OK(
            stoa_workers_run(csv->workers, n + csv->group_fetches, read_part, csv, err));
        for (size_t k = 0; k < n; k++) {
            STOA_RETURN_NOT_OK(merge_result(csv, k, err));
        }
        STOA_RETURN_NOT_OK(stoa_csv_batches_flush(&csv->batches, false, err));
        for (size_t k = 0; k < n && csv->pass.is_second; k++) {
            stoa_csv_kept_drop(&csv->kept, csv->n_blocks + csv->group + k);
        }
        csv->group += n;
        csv->group_fetches = false;
        if (!csv->pass.is_second && !csv->has_deferred && csv->n_rows != 0 &&
            (csv->group < n_blocks || fetches)) {
            stoa_csv_columns_defer(&csv->columns);
            csv->has_deferred = true;
        }
    }
    csv->n_blocks += n_blocks;
    return STOA_OK;
}

/* The header -------------------------------------------------------------------------------- */

static stoa_status read_header(stoa_csv *csv, const stoa_csv_row *row, stoa_error *err)
{
    csv->has_header = true;
    if (csv->pass.is_second) {
        return row->n_fields == csv->columns.n
                   ? STOA_OK
                   : stoa_fail(err, STOA_EDATA,
                               "the header has changed since the file was first read");
    }
    if (csv->columns.n != 0) { /* the first pass, repeated */
        return row->n_fields == csv->columns.n
                   ? STOA_OK
                   : stoa_fail(err, STOA_EDATA, "the file has changed since it was first read");
    }
    return stoa_csv_columns_make(&csv->columns, row, &csv->options, csv->pass.spelling, err);
}

/* Find the first line that is not blank. The blocks then begin after it. */
static stoa_status find_header(stoa_csv *csv, stoa_error *err)
{
    stoa_csv_block *blocks = blocks_of(csv);
    stoa_csv_rows *rows = &csv->workers_own[0].rows;

    for (size_t k = 0; k < csv->text.blocks.size / sizeof *blocks && !csv->has_header; k++) {
        stoa_csv_block *block = &blocks[k];
        stoa_csv_row row;
        bool has_row = true;
        stoa_csv_rows_begin(rows, block->text, block->length, block->line, csv->options.delimiter,
                            csv->options.max_field_bytes);
        stoa_csv_block rest = *block;
        while (!csv->has_header) {
            rest = (stoa_csv_block){rows->p, (size_t)(rows->end - rows->p), rows->line};
            STOA_RETURN_NOT_OK(stoa_csv_rows_next(rows, true, &row, &has_row, err));
            if (!has_row) {
                break;
            }
            if (row.n_fields != 0) {
                STOA_RETURN_NOT_OK(read_header(csv, &row, err));
            }
        }
        *block = csv->has_header && csv->options.no_header
                     ? rest
                     : (stoa_csv_block){rows->p, (size_t)(rows->end - rows->p), rows->line};
    }
    if (!csv->has_header) {
        csv->text.blocks.size = 0; /* only blank lines */
    }
    return STOA_OK;
}

/* Passes ------------------------------------------------------------------------------------ */

static stoa_status tell(stoa_csv *csv, stoa_error *err)
{
    stoa_progress progress = {
        .stage = csv->pass.is_second ? "reading" : "scanning",
        .rows = csv->n_rows,
        .total_rows = csv->n_rows_first,
        .bytes = stoa_input_used(csv->input),
        .total_bytes = stoa_input_total(csv->input),
    };

    if (csv->pass.is_second && csv->n_blocks <= csv->n_whole && csv->n_rows_first != 0) {
        /* No text is read for kept blocks, so the position is estimated by rows. */
        progress.bytes = (uint64_t)((double)progress.total_bytes * (double)csv->n_rows /
                                    (double)csv->n_rows_first);
    }

    csv->told = csv->text.n_read;
    return stoa_report_progress(&csv->options.listener, &progress, err);
}

static stoa_status begin_pass(stoa_csv *csv, bool is_second, stoa_error *err)
{
    csv->at_end = false;
    csv->n_blocks = 0;
    csv->n_rows = 0;
    csv->n_errors = 0;
    csv->told = 0;
    if (!is_second) {
        stoa_csv_kept_clear(&csv->kept);
        csv->waves.size = 0;
    }
    csv->pass = (stoa_csv_pass){
        .columns = &csv->columns,
        .options = &csv->options,
        .nulls = &csv->nulls,
        .scan = stoa_csv_scan_of_cpu(),
        .spelling = stoa_csv_spelling_is_own(&csv->spelling) ? &csv->spelling : NULL,
        .is_second = is_second};
    csv->has_header = csv->n_whole != 0;
    csv->text.n_read = 0;
    STOA_RETURN_NOT_OK(tell(csv, err));
    if (csv->n_whole == 0) {
        STOA_RETURN_NOT_OK(stoa_csv_text_begin(&csv->text, csv->input, csv->options.block_bytes,
                                               csv->n_yields - 1, err));
    }
    return STOA_OK;
}

/* Refuse a row that continues in the next wave if it is too long already. */
static stoa_status check_rest(stoa_csv *csv, stoa_error *err)
{
    const stoa_csv_block rest = stoa_csv_text_rest(&csv->text);
    stoa_csv_rows *rows = &csv->workers_own[0].rows;

    if (rest.length <= csv->options.max_field_bytes) {
        return STOA_OK;
    }
    stoa_csv_rows_begin(rows, rest.text, rest.length, rest.line, csv->options.delimiter,
                        csv->options.max_field_bytes);
    return stoa_csv_rows_next(rows, false, &(stoa_csv_row){0}, &(bool){false}, err);
}

static stoa_status read_wave(stoa_csv *csv, stoa_error *err)
{
    const bool is_last = stoa_csv_text_is_last(&csv->text);

    if (!csv->pass.is_second) {
        const wave_start start = {csv->n_blocks, stoa_csv_text_place(&csv->text)};
        STOA_RETURN_NOT_OK(stoa_buffer_append(&csv->waves, &start, sizeof start, err));
    }
    STOA_RETURN_NOT_OK(stoa_csv_text_cut(&csv->text, err));
    if (!csv->has_header) {
        STOA_RETURN_NOT_OK(find_header(csv, err));
    }
    STOA_RETURN_NOT_OK(read_blocks(csv, !is_last, err));
    if (!is_last) {
        STOA_RETURN_NOT_OK(check_rest(csv, err));
        STOA_RETURN_NOT_OK(stoa_csv_text_turn(&csv->text, err));
    }
    csv->at_end = is_last;
    return STOA_OK;
}

/* Use a group of blocks that were all kept. The text begins after the last of them. */
static stoa_status read_kept(stoa_csv *csv, stoa_error *err)
{
    const uint64_t left = csv->n_whole - csv->n_blocks;
    const uint64_t n = left < csv->n_yields - 1 ? left : csv->n_yields - 1;

    csv->text.blocks.size = 0;
    for (uint64_t k = 0; k < n; k++) {
        const stoa_csv_block *block = stoa_csv_kept_name(&csv->kept, csv->n_blocks + k);
        STOA_RETURN_NOT_OK(stoa_buffer_append(&csv->text.blocks, block, sizeof *block, err));
        csv->text.n_read += block->length;
    }
    STOA_RETURN_NOT_OK(read_blocks(csv, false, err));
    if (csv->n_blocks == csv->n_whole) {
        csv->at_end = csv->n_whole == stoa_csv_kept_count(&csv->kept);
        if (!csv->at_end) {
            STOA_RETURN_NOT_OK(stoa_csv_text_resume(&csv->text, csv->input,
                                                    csv->options.block_bytes, csv->n_yields - 1,
                                                    &csv->whole, err));
        }
    }
    return STOA_OK;
}

/* Process one more wave of the current pass. */
static stoa_status go_on(stoa_csv *csv, stoa_error *err)
{
    const size_t n_ready = csv->batches.ready.size;

    STOA_RETURN_NOT_OK(csv->pass.is_second && csv->n_blocks < csv->n_whole ? read_kept(csv, err)
                                                                           : read_wave(csv, err));
    if (csv->text.n_read - csv->told >= TELL_BYTES || csv->batches.ready.size != n_ready ||
        csv->at_end) {
        STOA_RETURN_NOT_OK(tell(csv, err));
    }
    return STOA_OK;
}

static stoa_status scan_once(stoa_csv *csv, stoa_error *err)
{
    STOA_RETURN_NOT_OK(begin_pass(csv, false, err));
    while (!csv->at_end) {
        STOA_RETURN_NOT_OK(go_on(csv, err));
    }
    if (!csv->has_header) {
        return stoa_fail(err, STOA_EDATA, "the file is empty: there is no header row");
    }
    return STOA_OK;
}

static void end_pass(stoa_csv *csv)
{
    stoa_csv_text_end(&csv->text);
    for (size_t k = 0; csv->results != NULL && k < csv->n_yields; k++) {
        stoa_csv_block_result_end(&csv->results[k]);
    }
    for (unsigned k = 0; csv->workers_own != NULL && k < stoa_workers_count(csv->workers); k++) {
        stoa_csv_worker_end(&csv->workers_own[k]);
    }
}

/* Find how far the second pass gets without text: to the end, or to a wave before which all blocks
 * are kept. */
static void find_whole(stoa_csv *csv)
{
    const wave_start *waves = (const wave_start *)(const void *)csv->waves.data;
    const uint64_t n_blocks = stoa_csv_kept_count(&csv->kept);
    uint64_t n_whole = 0;

    while (n_whole < n_blocks &&
           stoa_csv_is_whole(
               &csv->columns,
               stoa_csv_kept_find(&csv->kept, n_whole, stoa_csv_kept_name(&csv->kept, n_whole)))) {
        n_whole++;
    }
    csv->n_whole = n_whole == n_blocks ? n_whole : 0;
    for (size_t i = 0;
         n_whole < n_blocks && i < csv->waves.size / sizeof *waves && waves[i].n_blocks <= n_whole;
         i++) {
        csv->n_whole = waves[i].n_blocks;
        csv->whole = waves[i].place;
    }
}

static stoa_status scan(stoa_csv *csv, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(scan_once(csv, err));
    if (csv->has_deferred && stoa_csv_columns_need_again(&csv->columns)) {
        STOA_TRY(stoa_input_rewind(csv->input, err));
        STOA_TRY(scan_once(csv, err));
    }
    STOA_TRY(stoa_csv_columns_settle(&csv->columns, err));
    STOA_TRY(stoa_csv_suspects_find(&csv->suspects, &csv->columns, err));
    if (csv->suspects.n > 0) {
        STOA_TRY(stoa_csv_columns_schema(&csv->columns, &csv->schema, err));
    }
    csv->n_rows_first = csv->n_rows;
    find_whole(csv);

done:
    end_pass(csv);
    return status;
}

/* Opening ----------------------------------------------------------------------------------- */

static stoa_status open_workers(stoa_csv *csv, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_workers_open(csv->options.threads, &csv->workers, err));
    const size_t n = stoa_workers_count(csv->workers);
    csv->n_yields = 1 + (n * BLOCKS_A_WORKER <= MANY_BLOCKS       ? n * BLOCKS_A_WORKER
                         : n * MIN_BLOCKS_A_WORKER >= MANY_BLOCKS ? n * MIN_BLOCKS_A_WORKER
                                                                  : MANY_BLOCKS);
    csv->workers_own = stoa_alloc_zero(n, sizeof *csv->workers_own);
    csv->results = stoa_alloc_zero(csv->n_yields, sizeof *csv->results);
    STOA_RETURN_NO_MEMORY(err, csv->workers_own != NULL && csv->results != NULL);
    csv->batches = (stoa_csv_batches){
        .columns = &csv->columns, .workers = csv->workers, .batch_rows = csv->options.batch_rows};
    return STOA_OK;
}

static stoa_status remark(stoa_csv *csv, char *text, stoa_error *err)
{
    const stoa_status status = text != NULL
                                   ? stoa_buffer_append(&csv->remarks, text, strlen(text) + 1, err)
                                   : stoa_fail_memory(err);

    free(text);
    return status;
}

const char *stoa_csv_remark(const stoa_csv *csv, size_t i)
{
    const char *const texts = (const char *)csv->remarks.data;
    size_t at = 0;

    while (at < csv->remarks.size && i-- > 0) {
        at += strlen(texts + at) + 1;
    }
    return at < csv->remarks.size ? texts + at : NULL;
}

/* Name the file and its own line in an error, if lines were left out or files follow one another.
 */
static stoa_status at_file(const stoa_csv *csv, stoa_status status, stoa_error *err)
{
    const char *name = NULL;
    char *rest = NULL;

    if (status != STOA_OK && err != NULL && csv->input != NULL &&
        strncmp(err->message, "line ", 5) == 0) {
        uint64_t line = strtoull(err->message + 5, &rest, 10);
        char text[sizeof err->message];
        name = stoa_input_locate(csv->input, &line);
        (void)snprintf(text, sizeof text, "line %llu%s", (unsigned long long)line, rest);
        (void)snprintf(err->message, sizeof err->message, "%s", text);
    }
    return stoa_at(err, status, "%s", name != NULL ? name : csv->name);
}

/* Read each file by itself, and compare the types of its columns. */
static stoa_status compare_files(const stoa_csv *self, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_csv_options *const options = &self->options;
    stoa_csv_options own = *options;
    stoa_csv_nature *const known = stoa_alloc_zero(self->columns.n, sizeof *known);
    stoa_csv *csv = NULL;

    STOA_TRY(known != NULL ? STOA_OK : stoa_fail_memory(err));
    own.strict = own.by_name = false;
    own.n_more = own.n_types = own.n_known_types = own.n_units = 0;
    own.n_category = own.n_no_category = 0;
    for (size_t i = 0; i <= options->n_more; i++) {
        const char *const file = i == 0 ? name : options->more[i - 1];
        STOA_TRY(stoa_csv_open(file, &own, &csv, err));
        STOA_TRY(stoa_csv_compare_types(&self->columns, &csv->columns, file, known, err));
        stoa_csv_close(csv);
        csv = NULL;
    }

done:
    stoa_csv_close(csv);
    free(known);
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
    STOA_TRY(
        stoa_csv_options_take(&self->options, &self->spelling, &self->nulls, name, options, err));
    STOA_TRY(open_workers(self, err));
    STOA_TRY(stoa_input_open(name, &self->options.listener, &self->input, err));
    STOA_TRY(stoa_csv_files_join(self->input, self->name, &self->options, err));
    STOA_TRY(scan(self, err));
    if (self->options.strict && self->options.n_more > 0) {
        STOA_TRY(compare_files(self, name, err));
    }
    if (self->columns.renamed.size > 0) {
        STOA_TRY(remark(self,
                        stoa_format("names that the header repeats have a number: %s",
                                    (const char *)self->columns.renamed.data),
                        err));
    }
    *csv = self;
    self = NULL;

done:
    status = self != NULL && self->name != NULL ? at_file(self, status, err)
                                                : stoa_at(err, status, "%s", shown);
    stoa_csv_close(self);
    return status;
}

/* The stream -------------------------------------------------------------------------------- */

static stoa_status stream_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    const stoa_csv *csv = self;

    return stoa_csv_columns_schema(&csv->columns, out, err);
}

/* Remark on the suspects, once at the end. */
static stoa_status tell_suspects(stoa_csv *csv, stoa_error *err)
{
    for (size_t i = 0; i < csv->suspects.n; i++) {
        stoa_csv_inference *const guess = &csv->columns.items[csv->suspects.items[i].column].guess;
        const char *const file = stoa_input_locate(csv->input, &guess->spoiler.line);
        char *const text = stoa_csv_suspect_text(&csv->suspects.items[i], &csv->columns);
        if (text != NULL && file != NULL) {
            char *const own = stoa_format("%s (of %s)", text, file);
            free(text);
            STOA_RETURN_NOT_OK(remark(csv, own, err));
        } else if (text != NULL) {
            STOA_RETURN_NOT_OK(remark(csv, text, err));
        }
    }
    stoa_csv_suspects_clear(&csv->suspects);
    return STOA_OK;
}

static stoa_status stream_next(void *self, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_csv *csv = self;

    out->release = NULL;
    while (!stoa_csv_batches_next(&csv->batches, out)) {
        if (csv->at_end) {
            if (csv->n_rows != csv->n_rows_first || stoa_input_has_changed(csv->input)) {
                STOA_FAIL(err, STOA_EDATA, "the file has changed since it was first read");
            }
            break;
        }
        STOA_TRY(go_on(csv, err));
        if (csv->at_end) {
            STOA_TRY(stoa_csv_batches_flush(&csv->batches, true, err));
        }
    }
    if (out->release != NULL && csv->suspects.n > 0) {
        STOA_TRY(stoa_csv_suspects_count(&csv->suspects, &csv->schema, out, err));
    } else if (out->release == NULL) {
        STOA_TRY(tell_suspects(csv, err));
    }

done:
    if (status != STOA_OK && out->release != NULL) {
        stoa_array_release(out);
    }
    return at_file(csv, status, err);
}

static void stream_release(void *self)
{
    stoa_csv *csv = self;

    stoa_csv_batches_end(&csv->batches);
    stoa_csv_columns_discard(&csv->columns);
    stoa_csv_kept_clear(&csv->kept);
    end_pass(csv);
}

/* Make dictionaries of the columns whose values are to be labels. */
static stoa_status code_values(const stoa_csv *csv, struct ArrowArrayStream *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    bool *const which = stoa_alloc_zero(csv->columns.n, sizeof *which);
    bool is_any = false;

    STOA_TRY(which != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t k = 0; k < csv->columns.n; k++) {
        which[k] = csv->columns.items[k].is_coded;
        is_any = is_any || which[k];
    }
    STOA_TRY(is_any ? stoa_values_as_categories(out, which, err) : STOA_OK);

done:
    free(which);
    return status;
}

stoa_status stoa_csv_stream(stoa_csv *csv, struct ArrowArrayStream *out, stoa_error *err)
{
    static const stoa_producer producer = {stream_schema, stream_next, stream_release};
    stoa_status status = STOA_OK;

    out->release = NULL;
    if (csv->has_stream) {
        STOA_FAIL(err, STOA_EINVAL, "the file's stream has been taken already");
    }
    STOA_TRY(stoa_input_rewind(csv->input, err));
    STOA_TRY(begin_pass(csv, true, err));
    STOA_TRY(stoa_stream_make(out, &producer, csv, err));
    csv->has_stream = true;
    STOA_TRY(code_values(csv, out, err));

done:
    if (status != STOA_OK && out->release != NULL) {
        stoa_stream_release(out);
    }
    return stoa_at(err, status, "%s", csv->name);
}

const stoa_csv_columns *stoa_csv_columns_of(const stoa_csv *csv)
{
    return &csv->columns;
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
    end_pass(csv);
    stoa_csv_batches_end(&csv->batches);
    stoa_csv_columns_clear(&csv->columns);
    stoa_csv_kept_clear(&csv->kept);
    stoa_buffer_clear(&csv->waves);
    stoa_csv_suspects_clear(&csv->suspects);
    stoa_schema_release(&csv->schema);
    stoa_buffer_clear(&csv->remarks);
    stoa_input_close(csv->input);
    stoa_workers_close(csv->workers);
    stoa_string_set_clear(&csv->nulls.texts);
    free(csv->workers_own);
    free(csv->results);
    free(csv->name);
    free(csv);
}
