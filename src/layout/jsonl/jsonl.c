/*
 * JSON lines, or an array of rows, in two passes. The first learns keys and types from every row,
 * and the second returns batches. Memory is bounded by the longest line, a batch, and the limited
 * sets of distinct values.
 */
#include <stdlib.h>
#include <stoa/jsonl.h>
#include <string.h>

#include "core/progress.h"
#include "core/sized_struct.h"
#include "layout/common/values_as_categories.h"
#include "layout/input/input.h"
#include "layout/jsonl/arrays.h"
#include "layout/jsonl/read.h"

#define PIECE_BYTES ((size_t)256 * 1024) /* read at a time */
/* Limits that keep the offsets of a batch within 32 bits. */
#define MAX_LINE_BYTES ((size_t)256 * 1024 * 1024)
#define BATCH_BYTES ((uint64_t)32 * 1024 * 1024)
#define BATCH_VALUES ((uint64_t)16 * 1024 * 1024)
#define DEFAULT_BATCH_ROWS 65536
#define TELL_BYTES ((uint64_t)8 * 1024 * 1024) /* how often progress is reported */

/* The current line is text[start, start + length). */
typedef struct lines {
    char *text;
    size_t capacity;
    size_t size;
    size_t start;
    size_t length;
    size_t next;     /* where the line after it begins */
    uint64_t number; /* from 1 */
    bool at_end;     /* of the input */
} lines;

/* Where the next row is looked for. The rows may be the items of an array. */
typedef enum place {
    AT_START,
    IN_LINES,
    BEHIND_BRACKET,
    BEHIND_COMMA,
    BEHIND_ITEM,
    BEHIND_ARRAY
} place;

typedef struct jsonl {
    char *name; /* for messages */
    stoa_listener listener;
    uint64_t batch_rows;
    stoa_input *input;
    lines lines;
    place place;
    bool is_over; /* the second pass is */
    stoa_jsonl_tree tree;
    stoa_jsonl_reader reader;
    uint64_t n_rows;  /* in this pass */
    uint64_t n_bytes; /* of lines, in this pass */
    uint64_t told;    /* bytes when progress was last reported */
    uint64_t n_rows_first;
} jsonl;

/* Lines ------------------------------------------------------------------------------------- */

/* Read more text behind the line that begins at `next`. */
static stoa_status read_more(jsonl *self, stoa_error *err)
{
    lines *const l = &self->lines;
    size_t n = 0;

    if (l->next > 0) {
        memmove(l->text, l->text + l->next, l->size - l->next);
        l->size -= l->next;
        l->next = 0;
    }
    if (l->size > MAX_LINE_BYTES) {
        return stoa_fail(err, STOA_ESYNTAX, "line %llu: longer than %zu MiB",
                         (unsigned long long)l->number + 1, MAX_LINE_BYTES >> 20);
    }
    if (l->capacity - l->size < PIECE_BYTES) {
        char *const more = stoa_realloc(l->text, 1, 2 * l->capacity + PIECE_BYTES);
        STOA_RETURN_NO_MEMORY(err, more);
        l->text = more;
        l->capacity = 2 * l->capacity + PIECE_BYTES;
    }
    STOA_RETURN_NOT_OK(
        stoa_input_read(self->input, l->text + l->size, l->capacity - l->size, &n, err));
    l->size += n;
    l->at_end = n == 0;
    return STOA_OK;
}

static stoa_status next_line(jsonl *self, bool *has_line, stoa_error *err)
{
    lines *const l = &self->lines;
    size_t searched = 0; /* bytes of the line that hold no line end */
    const char *end = NULL;

    for (;;) {
        const size_t left = l->size - l->next;

        end = left > searched ? memchr(l->text + l->next + searched, '\n', left - searched) : NULL;
        if (end != NULL || l->at_end) {
            break;
        }
        searched = left;
        STOA_RETURN_NOT_OK(read_more(self, err));
    }
    *has_line = l->next < l->size;
    l->start = l->next;
    l->length = end != NULL ? (size_t)(end - l->text) - l->start : l->size - l->start;
    l->next = l->start + l->length + (end != NULL);
    l->number++;
    return STOA_OK;
}

/* Begin a line's text, after a byte order mark. */
static stoa_status begin_line(jsonl *self, stoa_error *err)
{
    const lines *const l = &self->lines;
    stoa_json *const json = &self->reader.json;

    stoa_json_begin(json, l->text + l->start, l->length, l->number);
    if (l->number == 1 && l->length >= 3 && memcmp(json->at, "\xef\xbb\xbf", 3) == 0) {
        json->at += 3;
    } else if (l->number == 1 && l->length >= 2 &&
               (memcmp(json->at, "\xff\xfe", 2) == 0 || memcmp(json->at, "\xfe\xff", 2) == 0)) {
        return stoa_fail(err, STOA_ESYNTAX, "line 1: this is UTF-16 text; convert it to UTF-8");
    }
    return STOA_OK;
}

/* Passes ------------------------------------------------------------------------------------ */

static stoa_status tell(jsonl *self, stoa_error *err)
{
    self->told = self->n_bytes;
    return stoa_report_progress(
        &self->listener,
        &(stoa_progress){.stage = self->reader.is_second ? "reading" : "scanning",
                         .rows = self->n_rows,
                         .total_rows = self->n_rows_first,
                         .bytes = stoa_input_used(self->input),
                         .total_bytes = stoa_input_total(self->input)},
        err);
}

/* Go on to a row, or over what stands between rows. */
static stoa_status find_row(jsonl *self, bool *has_row, stoa_error *err)
{
    stoa_json *const json = &self->reader.json;

    *has_row = true;
    switch (self->place) {
    case AT_START:
        *has_row = !stoa_json_take(json, '[');
        self->place = *has_row ? IN_LINES : BEHIND_BRACKET;
        return STOA_OK;
    case BEHIND_BRACKET:
        *has_row = !stoa_json_take(json, ']');
        self->place = *has_row ? BEHIND_BRACKET : BEHIND_ARRAY;
        return STOA_OK;
    case BEHIND_ITEM:
        STOA_RETURN_NOT_OK(stoa_json_has_item(json, false, ']', has_row, err));
        self->place = *has_row ? BEHIND_COMMA : BEHIND_ARRAY;
        *has_row = false; /* it may be on the next line */
        return STOA_OK;
    case BEHIND_ARRAY:
        return stoa_json_end(json, err);
    default:
        return STOA_OK;
    }
}

static stoa_status read_row(jsonl *self, stoa_error *err)
{
    stoa_json *const json = &self->reader.json;
    const char *const first = json->at;

    STOA_RETURN_NOT_OK(stoa_jsonl_read_row(&self->reader, err));
    self->n_rows++;
    self->n_bytes += (uint64_t)(json->at - first);
    if (self->place == IN_LINES) {
        STOA_RETURN_NOT_OK(stoa_json_end(json, err));
    } else {
        self->place = BEHIND_ITEM;
    }
    if (self->n_bytes - self->told < TELL_BYTES) {
        return STOA_OK;
    }
    stoa_jsonl_limit_labels(&self->tree);
    return tell(self, err);
}

static stoa_status check_end(const jsonl *self, stoa_error *err)
{
    return self->place == AT_START || self->place == IN_LINES || self->place == BEHIND_ARRAY
               ? STOA_OK
               : stoa_fail(err, STOA_ESYNTAX, "line %llu: the file ends within an array",
                           (unsigned long long)self->lines.number);
}

/* Read rows until `n_rows` of this pass are read, or `n_bytes`, or a batch of missing values, or
 * the input ends. */
static stoa_status read_rows(jsonl *self, uint64_t n_rows, uint64_t n_bytes, bool *at_end,
                             stoa_error *err)
{
    const uint64_t n_filled = self->reader.n_filled + BATCH_VALUES;
    bool has_line = true;
    bool has_row;

    *at_end = false;
    while (self->n_rows < n_rows && self->n_bytes < n_bytes && self->reader.n_filled < n_filled) {
        if (stoa_json_is_blank(&self->reader.json)) {
            STOA_RETURN_NOT_OK(next_line(self, &has_line, err));
            if (!has_line) {
                *at_end = true;
                return check_end(self, err);
            }
            STOA_RETURN_NOT_OK(begin_line(self, err));
            continue;
        }
        STOA_RETURN_NOT_OK(find_row(self, &has_row, err));
        if (has_row) {
            STOA_RETURN_NOT_OK(read_row(self, err));
        }
    }
    return STOA_OK;
}

static void begin_pass(jsonl *self, bool is_second)
{
    self->lines = (lines){.text = self->lines.text, .capacity = self->lines.capacity};
    self->place = AT_START;
    stoa_json_begin(&self->reader.json, "", 0, 0);
    self->reader.tree = &self->tree;
    self->reader.is_second = is_second;
    self->n_rows = 0;
    self->n_bytes = 0;
    self->told = 0;
}

static stoa_status scan(jsonl *self, stoa_error *err)
{
    bool at_end = false;

    begin_pass(self, false);
    STOA_RETURN_NOT_OK(tell(self, err));
    STOA_RETURN_NOT_OK(read_rows(self, UINT64_MAX, UINT64_MAX, &at_end, err));
    if (self->n_rows == 0) {
        return stoa_fail(err, STOA_EDATA,
                         "the file is empty: there is no row whose keys name "
                         "columns");
    }
    STOA_RETURN_NOT_OK(stoa_jsonl_check_named(&self->tree, err));
    if (self->tree.root->n_children == 0) {
        return stoa_fail(err, STOA_EDATA, "no row has a key that names a column");
    }
    STOA_RETURN_NOT_OK(stoa_jsonl_settle(&self->tree, err));
    self->n_rows_first = self->n_rows;
    return STOA_OK;
}

static stoa_status next_batch(jsonl *self, struct ArrowArray *out, stoa_error *err)
{
    const uint64_t by_values = BATCH_VALUES / self->tree.n_nodes;
    const uint64_t n = by_values < self->batch_rows ? by_values : self->batch_rows;
    const uint64_t before = self->n_rows;
    stoa_error first = STOA_ERROR_INIT;
    bool at_end = false;

    const stoa_status status =
        read_rows(self, before + n, self->n_bytes + BATCH_BYTES, &at_end, &first);
    if (status == STOA_ESYNTAX) {
        return stoa_fail(err, STOA_EDATA, "the file has changed since it was first read");
    }
    if (status != STOA_OK) {
        return stoa_fail(err, status, "%s", first.message);
    }
    self->is_over = at_end;
    if (at_end && (self->n_rows != self->n_rows_first || stoa_input_has_changed(self->input))) {
        return stoa_fail(err, STOA_EDATA, "the file has changed since it was first read");
    }
    STOA_RETURN_NOT_OK(tell(self, err));
    return self->n_rows > before ? stoa_jsonl_batch(&self->tree, out, err) : STOA_OK;
}

/* The stream -------------------------------------------------------------------------------- */

static void jsonl_free(void *context)
{
    jsonl *const self = context;

    if (self == NULL) {
        return;
    }
    stoa_json_clear(&self->reader.json);
    stoa_jsonl_tree_clear(&self->tree);
    stoa_input_close(self->input);
    free(self->lines.text);
    free(self->name);
    free(self);
}

static stoa_status stream_schema(void *context, struct ArrowSchema *out, stoa_error *err)
{
    return stoa_jsonl_schema(&((const jsonl *)context)->tree, out, err);
}

static stoa_status stream_next(void *context, struct ArrowArray *out, stoa_error *err)
{
    jsonl *const self = context;

    out->release = NULL;
    if (!self->reader.is_second) {
        begin_pass(self, true);
        STOA_RETURN_NOT_OK(stoa_at(err, stoa_input_rewind(self->input, err), "%s", self->name));
    }
    /* Blank lines alone make no batch. */
    while (!self->is_over) {
        STOA_RETURN_NOT_OK(stoa_at(err, next_batch(self, out, err), "%s", self->name));
        if (out->release != NULL) {
            break;
        }
    }
    return STOA_OK;
}

/* Make dictionaries of the columns whose values are to be labels. */
static stoa_status code_values(const bool *which, size_t n, struct ArrowArrayStream *stream,
                               stoa_error *err)
{
    return n > 0 && memchr(which, true, n) != NULL ? stoa_values_as_categories(stream, which, err)
                                                   : STOA_OK;
}

/* Say which keys are no columns, and why. */
static stoa_status remark(const stoa_jsonl_tree *tree, const stoa_csv_options *options,
                          stoa_error *err)
{
    for (size_t k = 0; options->on_remark != NULL && k < tree->root->n_children; k++) {
        const stoa_jsonl_node *const key = tree->root->children[k];
        if (key->lacking_line == 0) {
            continue;
        }
        char *const text = stoa_format(
            "key '%s': its fields become columns, since line %llu lacks %s'%s'", key->path,
            (unsigned long long)key->lacking_line,
            key->lacking->parent->item == key->lacking ? "an item of " : "", key->lacking->path);
        STOA_RETURN_NO_MEMORY(err, text);
        options->on_remark(options->remark_context, text);
        free(text);
    }
    return STOA_OK;
}

stoa_status stoa_jsonl_open(const char *name, const stoa_csv_options *options,
                            struct ArrowArrayStream *stream, stoa_error *err)
{
    static const stoa_producer producer = {stream_schema, stream_next, jsonl_free};
    stoa_status status = STOA_OK;
    const char *const shown = strcmp(name, "-") == 0 ? "standard input" : name;
    jsonl *self = stoa_alloc_zero(1, sizeof *self);
    stoa_csv_options own = STOA_CSV_OPTIONS_INIT;
    bool *which = NULL;
    size_t n = 0;

    stream->release = NULL;
    if (self == NULL || (self->name = stoa_strdup(shown)) == NULL) {
        status = stoa_fail_memory(err);
        goto done;
    }
    STOA_TRY(STOA_SIZED_COPY(&own, options, delimiter, "STOA_CSV_OPTIONS_INIT", err));
    self->listener = own.listener;
    self->batch_rows = own.batch_rows != 0 ? own.batch_rows : DEFAULT_BATCH_ROWS;
    STOA_TRY(stoa_jsonl_tree_make(&self->tree, &own, err));
    STOA_TRY(stoa_input_open(name, &self->listener, &self->input, err));
    STOA_TRY(scan(self, err));
    STOA_TRY(remark(&self->tree, &own, err));

    n = self->tree.n_columns;
    which = stoa_alloc_zero(n, sizeof *which);
    STOA_TRY(which != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t k = 0; k < n; k++) {
        which[k] = self->tree.columns[k]->column.is_coded;
    }
    status = stoa_stream_make(stream, &producer, self, err);
    self = NULL; /* the stream's now, or freed */
    STOA_TRY(status);
    STOA_TRY(code_values(which, n, stream, err));

done:
    jsonl_free(self);
    free(which);
    return stoa_at(err, status, "%s", shown);
}
