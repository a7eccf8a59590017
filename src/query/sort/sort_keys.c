/* Words that sort like the values. */
#include "query/sort/sort_keys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/string_set.h"
#include "index/common/order_keys.h"

enum { LONG_TEXT = STOA_SORT_WORD_BYTES + 1 };

#define SIGN (UINT64_C(1) << 63)

static bool is_text(stoa_kind kind)
{
    return stoa_kind_is_bytes(kind) || kind == STOA_KIND_FIXED_BINARY;
}

stoa_status stoa_sort_keys_open(stoa_sort_keys *keys, const struct ArrowSchema *schema,
                                size_t n_outputs, const bool *descending, stoa_error *err)
{
    *keys = (stoa_sort_keys){.n_outputs = n_outputs, .n = (size_t)schema->n_children - n_outputs};
    keys->keys = stoa_alloc_zero(keys->n, sizeof *keys->keys);
    STOA_RETURN_NO_MEMORY(err, keys->keys);
    for (size_t k = 0; k < keys->n; k++) {
        stoa_sort_key *key = &keys->keys[k];
        stoa_type type;
        STOA_RETURN_NOT_OK(stoa_type_of(schema->children[n_outputs + k], &type, err));
        key->descending = descending[k];
        key->long_tail = !is_text(type.kind) ? 0 : (uint16_t)(descending[k] ? 1 : LONG_TEXT);
    }
    return STOA_OK;
}

void stoa_sort_keys_clear(stoa_sort_keys *keys)
{
    for (size_t k = 0; keys->keys != NULL && k < keys->n; k++) {
        free(keys->keys[k].by_code);
    }
    free(keys->keys);
    *keys = (stoa_sort_keys){.n = 0};
}

/* Values ------------------------------------------------------------------------------------ */

static stoa_sort_cell cell_of_f64(double value, uint64_t flip)
{
    return isnan(value)
               ? (stoa_sort_cell){.class = STOA_SORT_NAN}
               : (stoa_sort_cell){.word = stoa_ordered_f64(value) ^ flip, .class = STOA_SORT_VALUE};
}

static stoa_sort_cell cell_of_text(const stoa_sort_key *key, const char *text, size_t length)
{
    const uint16_t tail = (uint16_t)(length < LONG_TEXT ? length : LONG_TEXT);
    stoa_sort_cell cell = {.word = stoa_key_of_bytes(text, length),
                           .tail = key->descending ? (uint16_t)(LONG_TEXT + 1 - tail) : tail};

    cell.word ^= key->descending ? UINT64_MAX : 0;
    return cell;
}

#define FILL(ctype, make)                                                                          \
    do {                                                                                           \
        const ctype *values = (const ctype *)view->values + view->offset + first;                  \
        for (int64_t i = 0; i < n; i++, cells += stride) {                                         \
            const ctype value = values[i];                                                         \
            *cells = (make);                                                                       \
        }                                                                                          \
    } while (0)
#define SIGNED_CELL ((stoa_sort_cell){.word = ((uint64_t)(int64_t)value ^ SIGN) ^ flip})
#define UNSIGNED_CELL ((stoa_sort_cell){.word = (uint64_t)value ^ flip})

/* Fill in the cells of a plain key; values of missing rows are arbitrary. Missing texts are not
 * read. */
static void fill_values(const stoa_sort_key *key, const stoa_view *view, int64_t first, int64_t n,
                        size_t stride, stoa_sort_cell *cells)
{
    const uint64_t flip = key->descending ? UINT64_MAX : 0;

    switch (view->type.kind) {
    case STOA_KIND_INT32:
    case STOA_KIND_DATE:
        FILL(int32_t, SIGNED_CELL);
        break;
    case STOA_KIND_INT64:
    case STOA_KIND_TIMESTAMP:
    case STOA_KIND_DURATION:
        FILL(int64_t, SIGNED_CELL);
        break;
    case STOA_KIND_UINT64:
        FILL(uint64_t, UNSIGNED_CELL);
        break;
    case STOA_KIND_FLOAT32:
        FILL(float, cell_of_f64((double)value, flip));
        break;
    case STOA_KIND_FLOAT64:
        FILL(double, cell_of_f64(value, flip));
        break;
    default:
        for (int64_t row = first; row < first + n; row++, cells += stride) {
            if (stoa_view_is_null(view, row)) {
                continue;
            }
            if (key->long_tail != 0) {
                size_t length;
                const char *text = stoa_view_bytes(view, row, &length);
                *cells = cell_of_text(key, text, length);
            } else if (view->type.kind == STOA_KIND_FLOAT16) {
                *cells = cell_of_f64(stoa_view_f64(view, row), flip);
            } else {
                const uint64_t word = (uint64_t)stoa_view_i64(view, row) ^ SIGN;
                *cells = (stoa_sort_cell){.word = word ^ flip};
            }
        }
    }
}

/* Dictionaries ------------------------------------------------------------------------------ */

/* A label to be ranked. */
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

/* Rank texts, with equal ranks for equal ones. */
static stoa_status rank_texts(stoa_sort_key *key, const stoa_view *labels, stoa_error *err)
{
    const int64_t n = labels->length;
    label *const sorted = stoa_alloc((size_t)n, sizeof *sorted);
    uint64_t rank = 0;

    STOA_RETURN_NO_MEMORY(err, sorted);
    for (int64_t i = 0; i < n; i++) {
        sorted[i].text = stoa_view_bytes(labels, i, &sorted[i].length);
        sorted[i].code = i;
    }
    qsort(sorted, (size_t)n, sizeof *sorted, order_labels);
    for (int64_t i = 0; i < n; i++) {
        rank += i > 0 && order_labels(&sorted[i - 1], &sorted[i]) != 0;
        key->by_code[sorted[i].code].word = key->descending ? ~rank : rank;
    }
    free(sorted);
    return STOA_OK;
}

/* Make the cell of every label. Done once per dictionary. */
static stoa_status rank_labels(stoa_sort_key *key, const stoa_view *labels, stoa_error *err)
{
    const int64_t n = labels->length;

    if (key->by_code != NULL && key->n_labels == n && key->identity[0] == labels->offsets &&
        key->identity[1] == labels->values) {
        return STOA_OK;
    }
    free(key->by_code);
    key->by_code = stoa_alloc_zero((size_t)n, sizeof *key->by_code);
    STOA_RETURN_NO_MEMORY(err, key->by_code);
    if (is_text(labels->type.kind)) {
        STOA_RETURN_NOT_OK(rank_texts(key, labels, err));
    } else if (n > 0) {
        fill_values(key, labels, 0, n, 1, key->by_code);
    }
    for (int64_t i = 0; labels->null_count > 0 && i < n; i++) {
        if (stoa_view_is_null(labels, i)) {
            key->by_code[i] = (stoa_sort_cell){.class = STOA_SORT_MISSING};
        }
    }
    key->n_labels = n;
    key->identity[0] = labels->offsets;
    key->identity[1] = labels->values;
    return STOA_OK;
}

static void fill_ranks(const stoa_sort_key *key, const stoa_view *view, int64_t first, int64_t n,
                       size_t stride, stoa_sort_cell *cells)
{
    for (int64_t row = first; row < first + n; row++, cells += stride) {
        if (!stoa_view_is_null(view, row)) {
            *cells = key->by_code[stoa_view_i64(view, row)];
        }
    }
}

/* Rows -------------------------------------------------------------------------------------- */

/* The cells of key k. */
static void fill_key(const stoa_sort_keys *keys, size_t k, const stoa_view *views, int64_t first,
                     int64_t n, size_t stride, stoa_sort_cell *cells)
{
    const stoa_view *view = &views[keys->n_outputs + k];
    const bool has_nulls = view->null_count > 0 || view->type.kind == STOA_KIND_NULL;

    if (view->type.kind == STOA_KIND_DICTIONARY) {
        fill_ranks(&keys->keys[k], view, first, n, stride, cells);
    } else {
        fill_values(&keys->keys[k], view, first, n, stride, cells);
    }
    for (int64_t i = 0; has_nulls && i < n; i++) {
        if (stoa_view_is_null(view, first + i)) {
            cells[(size_t)i * stride] = (stoa_sort_cell){.class = STOA_SORT_MISSING};
        }
    }
}

stoa_status stoa_sort_keys_rank(stoa_sort_keys *keys, const stoa_view *views, stoa_error *err)
{
    stoa_view labels;

    for (size_t k = 0; k < keys->n; k++) {
        const stoa_view *view = &views[keys->n_outputs + k];
        if (view->type.kind == STOA_KIND_DICTIONARY) {
            STOA_RETURN_NOT_OK(stoa_view_dictionary(view, &labels, err));
            STOA_RETURN_NOT_OK(rank_labels(&keys->keys[k], &labels, err));
        }
    }
    return STOA_OK;
}

stoa_status stoa_sort_keys_fill(stoa_sort_keys *keys, const stoa_view *views, int64_t first,
                                int64_t n, stoa_sort_cell *cells, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_sort_keys_rank(keys, views, err));
    for (size_t k = 0; k < keys->n; k++) {
        fill_key(keys, k, views, first, n, keys->n, cells + k);
    }
    return STOA_OK;
}

stoa_sort_cell stoa_sort_cell_of(const stoa_sort_keys *keys, size_t k, const stoa_sort_row *row)
{
    stoa_sort_cell cell = {.word = 0};

    if (row->cells != NULL) {
        return row->cells[k];
    }
    fill_key(keys, k, row->views, row->row, 1, 1, &cell);
    return cell;
}

stoa_sort_cell stoa_sort_cell_from(const stoa_sort_keys *keys, size_t k, const stoa_sort_row *row,
                                   size_t from)
{
    size_t length;
    const char *text = stoa_view_bytes(&row->views[keys->n_outputs + k], row->row, &length);

    return cell_of_text(&keys->keys[k], text + from, length - from);
}

/* Compare the whole texts of two plain keys with equal words. */
static int order_texts(const stoa_sort_keys *keys, size_t k, const stoa_sort_row *a,
                       const stoa_sort_row *b)
{
    size_t a_length;
    size_t b_length;
    const char *a_text = stoa_view_bytes(&a->views[keys->n_outputs + k], a->row, &a_length);
    const char *b_text = stoa_view_bytes(&b->views[keys->n_outputs + k], b->row, &b_length);
    const int order = stoa_compare_bytes(a_text, a_length, b_text, b_length);

    return keys->keys[k].descending ? -order : order;
}

int stoa_sort_compare(const stoa_sort_keys *keys, size_t k, const stoa_sort_row *a,
                      const stoa_sort_row *b)
{
    for (; k < keys->n; k++) {
        const stoa_sort_cell x = stoa_sort_cell_of(keys, k, a);
        const stoa_sort_cell y = stoa_sort_cell_of(keys, k, b);
        int order = stoa_sort_cell_order(&x, &y);
        if (order == 0 && x.tail != 0 && x.tail == keys->keys[k].long_tail) {
            order = order_texts(keys, k, a, b);
        }
        if (order != 0) {
            return order;
        }
    }
    return 0;
}
