/* Sort keys as words, a merge sort over row numbers, and the cut for limits. */
#include "query/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/strings.h"

/* Rows held beyond the limit before they are cut. */
#define SORT_SLACK 262144

enum { CLASS_VALUE, CLASS_NAN, CLASS_MISSING };

#define SOURCES(sorter) ((stoa_sort_source *)(void *)(sorter)->sources.data)
#define PICKS(sorter) ((const stoa_pick *)(const void *)(sorter)->picks.data)
#define CELLS(sorter) ((const stoa_sort_cell *)(const void *)(sorter)->cells.data)

static size_t n_sources(const stoa_sorter *sorter)
{
    return sorter->sources.size / sizeof(stoa_sort_source);
}

static uint64_t n_rows_of(const stoa_sorter *sorter)
{
    return sorter->picks.size / sizeof(stoa_pick);
}

static bool is_text(stoa_kind kind)
{
    return stoa_kind_is_string(kind) || kind == STOA_KIND_BINARY ||
           kind == STOA_KIND_LARGE_BINARY || kind == STOA_KIND_FIXED_BINARY;
}

stoa_status stoa_sorter_open(stoa_sorter *sorter, const struct ArrowSchema *schema,
                             size_t n_outputs, const bool *descending, uint64_t limit,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n_keys = (size_t)schema->n_children - n_outputs;

    *sorter =
        (stoa_sorter){.schema = schema, .n_outputs = n_outputs, .n_keys = n_keys, .limit = limit};
    sorter->keys = stoa_alloc_zero(n_keys, sizeof *sorter->keys);
    STOA_TRY(sorter->keys != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t k = 0; k < n_keys; k++) {
        stoa_type type;
        STOA_TRY(stoa_type_of(schema->children[n_outputs + k], &type, err));
        sorter->keys[k].descending = descending[k];
        sorter->keys[k].is_text = is_text(type.kind);
    }

done:
    return status;
}

static void source_clear(stoa_sort_source *source)
{
    stoa_array_release(&source->array);
    free(source->views);
    *source = (stoa_sort_source){0};
}

static void clear_sources(stoa_sorter *sorter)
{
    for (size_t i = 0; i < n_sources(sorter); i++) {
        source_clear(&SOURCES(sorter)[i]);
    }
    sorter->sources.size = 0;
    sorter->n_held = 0;
}

void stoa_sorter_clear(stoa_sorter *sorter)
{
    clear_sources(sorter);
    stoa_buffer_clear(&sorter->sources);
    stoa_buffer_clear(&sorter->picks);
    stoa_buffer_clear(&sorter->cells);
    for (size_t k = 0; sorter->keys != NULL && k < sorter->n_keys; k++) {
        free(sorter->keys[k].by_code);
    }
    free(sorter->keys);
    free(sorter->order);
    *sorter = (stoa_sorter){0};
}

/* Keys -------------------------------------------------------------------------------------- */

/* Doubles in the order of their words: negative ones count backwards. */
static uint64_t word_of_f64(double value)
{
    uint64_t word;

    value += 0.0; /* -0 is 0 */
    memcpy(&word, &value, sizeof word);
    return word >> 63 ? ~word : word | UINT64_C(1) << 63;
}

static uint64_t word_of_text(const char *text, size_t length)
{
    uint64_t word = 0;

    for (size_t i = 0; i < 8; i++) {
        word = word << 8 | (i < length ? (unsigned char)text[i] : 0u);
    }
    return word;
}

/* A value that is there, as a cell in ascending order. */
static stoa_sort_cell value_cell(const stoa_view *key, int64_t row)
{
    stoa_sort_cell cell = {.class = CLASS_VALUE};
    const stoa_kind kind = key->type.kind;

    if (stoa_kind_is_float(kind)) {
        const double value = stoa_view_f64(key, row);
        cell.class = isnan(value) ? CLASS_NAN : CLASS_VALUE;
        cell.word = isnan(value) ? 0 : word_of_f64(value);
    } else if (kind == STOA_KIND_UINT64) {
        cell.word = (uint64_t)stoa_view_i64(key, row);
    } else if (is_text(kind)) {
        size_t length;
        const char *text = stoa_view_bytes(key, row, &length);
        cell.word = word_of_text(text, length);
    } else {
        cell.word = (uint64_t)stoa_view_i64(key, row) ^ UINT64_C(1) << 63;
    }
    return cell;
}

/* Cells of a plain key's rows, `stride` apart. */
static void fill_cells(const stoa_view *key, bool descending, size_t stride, stoa_sort_cell *cells)
{
    for (int64_t row = 0; row < key->length; row++) {
        stoa_sort_cell *cell = cells + (size_t)row * stride;
        if (stoa_view_is_null(key, row)) {
            *cell = (stoa_sort_cell){.class = CLASS_MISSING};
        } else {
            *cell = value_cell(key, row);
            if (descending && cell->class == CLASS_VALUE) {
                cell->word = ~cell->word;
            }
        }
    }
}

/* A label, to be ranked. */
typedef struct label {
    const char *text;
    size_t length;
    int64_t code;
} label;

static int order_labels(const void *a, const void *b)
{
    const label *x = a;
    const label *y = b;

    return stoa_compare_bytes(x->text, x->length, y->text, y->length);
}

/* Each label's rank among the labels, equal ones sharing theirs; made once a dictionary. */
static stoa_status rank_labels(stoa_sort_key *key, const stoa_view *labels, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const int64_t n = labels->length;
    label *sorted = NULL;
    uint64_t rank = 0;

    if (key->by_code != NULL && key->n_labels == n && key->identity[0] == labels->offsets &&
        key->identity[1] == labels->values) {
        return STOA_OK;
    }
    free(key->by_code);
    key->by_code = stoa_alloc_zero((size_t)n, sizeof *key->by_code);
    sorted = stoa_alloc((size_t)n, sizeof *sorted);
    STOA_TRY(key->by_code != NULL && sorted != NULL ? STOA_OK : stoa_fail_memory(err));
    for (int64_t i = 0; i < n; i++) {
        sorted[i].text = stoa_view_bytes(labels, i, &sorted[i].length);
        sorted[i].code = i;
    }
    qsort(sorted, (size_t)n, sizeof *sorted, order_labels);
    for (int64_t i = 0; i < n; i++) {
        rank += i > 0 && order_labels(&sorted[i - 1], &sorted[i]) != 0;
        key->by_code[sorted[i].code] =
            stoa_view_is_null(labels, sorted[i].code)
                ? (stoa_sort_cell){.class = CLASS_MISSING}
                : (stoa_sort_cell){.word = key->descending ? ~rank : rank};
    }
    key->n_labels = n;
    key->identity[0] = labels->offsets;
    key->identity[1] = labels->values;

done:
    free(sorted);
    return status;
}

/* The same for any key. */
static stoa_status make_cells(stoa_sort_key *key, const stoa_view *view, size_t stride,
                              stoa_sort_cell *cells, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_view labels;

    if (view->type.kind != STOA_KIND_DICTIONARY) {
        fill_cells(view, key->descending, stride, cells);
        return STOA_OK;
    }
    STOA_TRY(stoa_view_dictionary(view, &labels, err));
    STOA_TRY(rank_labels(key, &labels, err));
    for (int64_t row = 0; row < view->length; row++) {
        cells[(size_t)row * stride] = stoa_view_is_null(view, row)
                                          ? (stoa_sort_cell){.class = CLASS_MISSING}
                                          : key->by_code[stoa_view_i64(view, row)];
    }

done:
    return status;
}

/* The whole texts of two plain keys whose words agree. */
static int order_texts(const stoa_sorter *sorter, size_t k, uint64_t a, uint64_t b)
{
    const stoa_pick x = PICKS(sorter)[a];
    const stoa_pick y = PICKS(sorter)[b];
    const stoa_view *x_key = &SOURCES(sorter)[x.source].views[sorter->n_outputs + k];
    const stoa_view *y_key = &SOURCES(sorter)[y.source].views[sorter->n_outputs + k];
    size_t x_length;
    size_t y_length;
    const char *x_text = stoa_view_bytes(x_key, x.row, &x_length);
    const char *y_text = stoa_view_bytes(y_key, y.row, &y_length);
    const int order = stoa_compare_bytes(x_text, x_length, y_text, y_length);

    return sorter->keys[k].descending ? -order : order;
}

static int order_rows(const stoa_sorter *sorter, uint64_t a, uint64_t b)
{
    const stoa_sort_cell *x = CELLS(sorter) + a * sorter->n_keys;
    const stoa_sort_cell *y = CELLS(sorter) + b * sorter->n_keys;

    for (size_t k = 0; k < sorter->n_keys; k++) {
        if (x[k].class != y[k].class) {
            return x[k].class < y[k].class ? -1 : 1;
        }
        if (x[k].word != y[k].word) {
            return x[k].word < y[k].word ? -1 : 1;
        }
        if (sorter->keys[k].is_text && x[k].class == CLASS_VALUE) {
            const int order = order_texts(sorter, k, a, b);
            if (order != 0) {
                return order;
            }
        }
    }
    return 0;
}

/* Sorting ----------------------------------------------------------------------------------- */

/* Bottom-up merges; runs of one row to begin with. Returns which of the two arrays is sorted. */
static uint64_t *merge_sort(const stoa_sorter *sorter, uint64_t *from, uint64_t *to, uint64_t n)
{
    for (uint64_t width = 1; width < n; width *= 2) {
        for (uint64_t start = 0; start < n; start += 2 * width) {
            uint64_t left = start;
            const uint64_t middle = start + width < n ? start + width : n;
            uint64_t right = middle;
            const uint64_t end = middle + width < n ? middle + width : n;
            for (uint64_t i = start; i < end; i++) {
                const bool take_left =
                    left < middle &&
                    (right == end || order_rows(sorter, from[left], from[right]) <= 0);
                to[i] = take_left ? from[left++] : from[right++];
            }
        }
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

/* Row numbers in order, as many as the limit allows. */
static stoa_status sort_rows(stoa_sorter *sorter, stoa_error *err)
{
    const uint64_t n = n_rows_of(sorter);
    uint64_t *from = stoa_alloc(n, sizeof *from);
    uint64_t *to = stoa_alloc(n, sizeof *to);

    if (from == NULL || to == NULL) {
        free(from);
        free(to);
        return stoa_fail_memory(err);
    }
    for (uint64_t i = 0; i < n; i++) {
        from[i] = i;
    }
    free(sorter->order);
    sorter->order = merge_sort(sorter, from, to, n);
    free(sorter->order == from ? to : from);
    sorter->n_order = n < sorter->limit ? n : sorter->limit;
    return STOA_OK;
}

/* Columns [0, n_columns) of rows order[first ..] as one struct array. */
static stoa_status gather(stoa_sorter *sorter, size_t n_columns, uint64_t first, uint64_t n,
                          struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_pick *picks = stoa_alloc(n, sizeof *picks);
    const stoa_view **sources = stoa_alloc(n_sources(sorter), sizeof *sources);

    *out = (struct ArrowArray){0};
    STOA_TRY(picks != NULL && sources != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint64_t i = 0; i < n; i++) {
        picks[i] = PICKS(sorter)[sorter->order[first + i]];
    }
    STOA_TRY(stoa_array_make(out, (int64_t)n, 0, 1, (void *[]){NULL}, err));
    STOA_TRY(stoa_array_children(out, (int64_t)n_columns, err));
    for (size_t c = 0; c < n_columns; c++) {
        for (size_t s = 0; s < n_sources(sorter); s++) {
            sources[s] = &SOURCES(sorter)[s].views[c];
        }
        STOA_TRY(stoa_take(sources, n_sources(sorter), picks, (int64_t)n, out->children[c], err));
    }

done:
    free(picks);
    free(sources);
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    return status;
}

/* Batches ----------------------------------------------------------------------------------- */

/* Keep the batch as a source. */
static stoa_status add_source(stoa_sorter *sorter, struct ArrowArray *batch, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = (size_t)sorter->schema->n_children;
    stoa_sort_source source = {.views = stoa_alloc_zero(n, sizeof *source.views)};

    stoa_array_move(batch, &source.array);
    STOA_TRY(source.views != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t c = 0; c < n; c++) {
        STOA_TRY(stoa_view_of(sorter->schema->children[c], source.array.children[c],
                              &source.views[c], err));
    }
    STOA_TRY(stoa_buffer_append(&sorter->sources, &source, sizeof source, err));
    sorter->n_held += (uint64_t)source.array.length;
    source = (stoa_sort_source){0};

done:
    source_clear(&source);
    return status;
}

/* Forget the rows from `first` on that do not come before the cut. */
static void drop_behind_cut(stoa_sorter *sorter, uint64_t first, uint64_t n)
{
    stoa_pick *picks = (stoa_pick *)(void *)sorter->picks.data;
    stoa_sort_cell *cells = (stoa_sort_cell *)(void *)sorter->cells.data;
    uint64_t kept = first;

    for (uint64_t row = first; row < first + n; row++) {
        if (order_rows(sorter, row, sorter->limit - 1) < 0) {
            picks[kept] = picks[row];
            memmove(cells + kept * sorter->n_keys, cells + row * sorter->n_keys,
                    sorter->n_keys * sizeof *cells);
            kept++;
        }
    }
    sorter->picks.size = kept * sizeof *picks;
    sorter->cells.size = kept * sorter->n_keys * sizeof *cells;
}

/* Take in the rows of the last source; with a cut, only those before it. */
static stoa_status add_rows(stoa_sorter *sorter, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint32_t s = (uint32_t)(n_sources(sorter) - 1);
    const uint64_t n = (uint64_t)SOURCES(sorter)[s].array.length;
    const uint64_t first = n_rows_of(sorter);

    STOA_TRY(stoa_buffer_grow(&sorter->picks, n * sizeof(stoa_pick), err));
    STOA_TRY(stoa_buffer_grow(&sorter->cells, n * sorter->n_keys * sizeof(stoa_sort_cell), err));
    stoa_pick *picks = (stoa_pick *)(void *)sorter->picks.data + first;
    stoa_sort_cell *cells = (stoa_sort_cell *)(void *)sorter->cells.data + first * sorter->n_keys;
    for (uint64_t row = 0; row < n; row++) {
        picks[row] = (stoa_pick){(int64_t)row, s};
    }
    for (size_t k = 0; k < sorter->n_keys; k++) {
        STOA_TRY(make_cells(&sorter->keys[k], &SOURCES(sorter)[s].views[sorter->n_outputs + k],
                            sorter->n_keys, cells + k, err));
    }
    if (sorter->has_cut) {
        drop_behind_cut(sorter, first, n);
    }

done:
    return status;
}

/* Sort what is held and keep the first `limit` rows, as one source of their own. */
static stoa_status cut(stoa_sorter *sorter, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray kept = {0};

    STOA_TRY(sort_rows(sorter, err));
    STOA_TRY(gather(sorter, (size_t)sorter->schema->n_children, 0, sorter->n_order, &kept, err));
    clear_sources(sorter);
    sorter->picks.size = 0;
    sorter->cells.size = 0;
    sorter->has_cut = false;
    STOA_TRY(add_source(sorter, &kept, err));
    STOA_TRY(add_rows(sorter, err));
    sorter->has_cut = n_rows_of(sorter) == sorter->limit;

done:
    stoa_array_release(&kept);
    return status;
}

stoa_status stoa_sorter_add(stoa_sorter *sorter, struct ArrowArray *batch, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (sorter->limit == 0) {
        goto done;
    }
    STOA_TRY(add_source(sorter, batch, err));
    STOA_TRY(add_rows(sorter, err));
    if (sorter->limit < UINT64_MAX - SORT_SLACK && sorter->n_held / 2 > sorter->limit &&
        sorter->n_held > SORT_SLACK) {
        STOA_TRY(cut(sorter, err));
    }

done:
    stoa_array_release(batch);
    return status;
}

stoa_status stoa_sorter_finish(stoa_sorter *sorter, stoa_error *err)
{
    sorter->at = 0;
    return sort_rows(sorter, err);
}

stoa_status stoa_sorter_next(stoa_sorter *sorter, int64_t n_rows, struct ArrowArray *out,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint64_t n = sorter->n_order - sorter->at;

    *out = (struct ArrowArray){0};
    if (n == 0) {
        return STOA_OK;
    }
    n = n < (uint64_t)n_rows ? n : (uint64_t)n_rows;
    STOA_TRY(gather(sorter, sorter->n_outputs, sorter->at, n, out, err));
    sorter->at += n;

done:
    return status;
}
