#include "layout/arkouda/write/write_groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* One key: a rank for each row, in the order of the groups. */
typedef struct ranked {
    const stoa_arkouda_key *key;
    uint64_t *ranks;
    stoa_string_set texts; /* strings and bigint: ranks are indices here until all are known */
} ranked;

typedef struct grouping {
    ranked *keys;
    size_t n_keys;
} grouping;

/* --- ranks ----------------------------------------------------------------------------------- */

static uint64_t rank_of_integer(int64_t value)
{
    return (uint64_t)value ^ (UINT64_C(1) << 63);
}

/* NaN ranks last, and both zeros are equal. */
static uint64_t rank_of_float(double value)
{
    uint64_t bits;
    const double plain = value == 0 ? 0 : value;

    memcpy(&bits, &plain, sizeof bits);
    return isnan(value) ? UINT64_MAX : bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static uint64_t rank_of_number(const stoa_arkouda_column_type *shape, const stoa_view *view,
                               int64_t i)
{
    const bool is_null = stoa_view_is_null(view, i);

    if (shape->stored == STOA_KIND_FLOAT64) {
        return rank_of_float(is_null ? NAN : stoa_view_f64(view, i));
    }
    if (is_null) { /* as it is stored */
        return shape->per != 0 ? 0 : shape->stored == STOA_KIND_INT64 ? rank_of_integer(0) : 0;
    }
    return shape->stored == STOA_KIND_INT64 ? rank_of_integer(stoa_view_i64(view, i))
                                            : (uint64_t)stoa_view_i64(view, i);
}

/* Bytes that sort as the values do. Those of bigint begin with the lowest, and are reversed. */
static stoa_status add_bytes(ranked *r, const stoa_view *view, int64_t i, stoa_buffer *reversed,
                             uint64_t *rank, stoa_error *err)
{
    size_t length = 0;
    uint32_t number = 0;
    const char *bytes = stoa_view_is_null(view, i) ? "" : stoa_view_bytes(view, i, &length);

    if (r->key->column->shape.as == STOA_ARKOUDA_AS_LIMBS) {
        reversed->size = 0;
        STOA_RETURN_NOT_OK(stoa_buffer_grow(reversed, (size_t)view->type.width, err));
        for (size_t k = 0; k < length; k++) {
            reversed->data[reversed->size - 1 - k] = (uint8_t)bytes[k];
        }
        bytes = (const char *)reversed->data;
        length = reversed->size;
    }
    STOA_RETURN_NOT_OK(stoa_string_set_add(&r->texts, bytes, length, &number, err));
    *rank = number;
    return STOA_OK;
}

static uint64_t rank_of_code(const stoa_arkouda_labels *labels, const stoa_view *view,
                             const stoa_view *own, int64_t i)
{
    const int64_t code = stoa_view_is_null(view, i) ? -1 : stoa_view_i64(view, i);
    uint32_t number = 0;
    size_t length = 0;

    if (code < 0 || stoa_view_is_null(own, code)) {
        return (uint64_t)labels->na_code;
    }
    const char *const text = stoa_view_bytes(own, code, &length);
    return stoa_string_set_find(labels->texts, text, length, &number) ? number
                                                                      : (uint64_t)labels->na_code;
}

static stoa_status rank_rows(ranked *r, const stoa_view *view, uint64_t first, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_arkouda_column_type *const shape = &r->key->column->shape;
    uint64_t *const ranks = r->ranks + first;
    stoa_buffer reversed = {0};
    stoa_view own = {.length = 0};

    if (shape->as == STOA_ARKOUDA_AS_CODES) {
        STOA_TRY(stoa_view_dictionary(view, &own, err));
    }
    for (int64_t i = 0; i < view->length; i++) {
        if (shape->as == STOA_ARKOUDA_AS_NUMBERS) {
            ranks[i] = rank_of_number(shape, view, i);
        } else if (shape->as == STOA_ARKOUDA_AS_CODES) {
            ranks[i] = rank_of_code(r->key->labels, view, &own, i);
        } else {
            STOA_TRY(add_bytes(r, view, i, &reversed, &ranks[i], err));
        }
    }

done:
    stoa_buffer_clear(&reversed);
    return status;
}

typedef struct numbered {
    const char *bytes;
    size_t length;
    uint32_t number;
} numbered;

static int by_bytes(const void *a, const void *b)
{
    const numbered *const x = a;
    const numbered *const y = b;

    return stoa_compare_bytes(x->bytes, x->length, y->bytes, y->length);
}

/* Replace indices in order of appearance by positions in sorted order. */
static stoa_status rank_texts(ranked *r, uint64_t n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint32_t n = r->texts.count;
    numbered *all = stoa_alloc(n, sizeof *all);
    uint32_t *places = stoa_alloc(n, sizeof *places);

    STOA_TRY(all != NULL && places != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint32_t i = 0; i < n; i++) {
        all[i].bytes = stoa_string_set_get(&r->texts, i, &all[i].length);
        all[i].number = i;
    }
    if (n > 0) {
        qsort(all, n, sizeof *all, by_bytes);
    }
    for (uint32_t i = 0; i < n; i++) {
        places[all[i].number] = i;
    }
    for (uint64_t i = 0; n > 0 && i < n_rows; i++) {
        r->ranks[i] = places[r->ranks[i]];
    }

done:
    free(places);
    free(all);
    return status;
}

static stoa_status take_rows(void *context, const stoa_view *rows, uint64_t first, stoa_error *err)
{
    const grouping *const g = context;

    for (size_t i = 0; i < g->n_keys; i++) {
        stoa_view view;
        STOA_RETURN_NOT_OK(stoa_view_child(rows, (int64_t)g->keys[i].key->position, &view, err));
        STOA_RETURN_NOT_OK(rank_rows(&g->keys[i], &view, first, err));
    }
    return STOA_OK;
}

/* --- order ----------------------------------------------------------------------------------- */

/* One pass of a stable radix sort, by one byte of the ranks. False if all rows have the same
 * byte. */
static bool sort_by_byte(const uint64_t *ranks, unsigned shift, const int64_t *from, int64_t *to,
                         uint64_t n)
{
    uint64_t starts[257] = {0};

    for (uint64_t i = 0; i < n; i++) {
        starts[(ranks[i] >> shift & 0xff) + 1]++;
    }
    for (int c = 1; c <= 256; c++) {
        if (starts[c] == n) {
            return false;
        }
    }
    for (int c = 1; c <= 256; c++) {
        starts[c] += starts[c - 1];
    }
    for (uint64_t i = 0; i < n; i++) {
        to[starts[ranks[from[i]] >> shift & 0xff]++] = from[i];
    }
    return true;
}

/* Sort by the last key first, since later passes dominate. */
static stoa_status sort_rows(const grouping *g, stoa_arkouda_groups *groups, stoa_error *err)
{
    const uint64_t n = groups->n_rows;
    int64_t *from = stoa_alloc((size_t)n, sizeof *from);
    int64_t *to = stoa_alloc((size_t)n, sizeof *to);

    if (from == NULL || to == NULL) {
        free(from);
        free(to);
        return stoa_fail_memory(err);
    }
    for (uint64_t i = 0; i < n; i++) {
        from[i] = (int64_t)i;
    }
    for (size_t key = g->n_keys; key-- > 0;) {
        for (unsigned shift = 0; shift < 64; shift += 8) {
            if (n > 1 && sort_by_byte(g->keys[key].ranks, shift, from, to, n)) {
                int64_t *const sorted = to;
                to = from;
                from = sorted;
            }
        }
    }
    free(to);
    groups->permutation = from;
    return STOA_OK;
}

static bool is_new_group(const grouping *g, const int64_t *permutation, uint64_t i)
{
    for (size_t key = 0; key < g->n_keys && i > 0; key++) {
        const uint64_t *const ranks = g->keys[key].ranks;
        if (ranks[permutation[i]] != ranks[permutation[i - 1]]) {
            return true;
        }
    }
    return i == 0;
}

static stoa_status cut(const grouping *g, stoa_arkouda_groups *groups, stoa_error *err)
{
    uint64_t n = 0;

    for (uint64_t i = 0; i < groups->n_rows; i++) {
        n += is_new_group(g, groups->permutation, i);
    }
    groups->segments = stoa_alloc((size_t)n, sizeof *groups->segments);
    groups->unique = stoa_alloc((size_t)n, sizeof *groups->unique);
    STOA_RETURN_NO_MEMORY(err, groups->segments != NULL && groups->unique != NULL);
    for (uint64_t i = 0; i < groups->n_rows; i++) {
        if (is_new_group(g, groups->permutation, i)) {
            groups->segments[groups->n_groups] = (int64_t)i;
            groups->unique[groups->n_groups++] = groups->permutation[i];
        }
    }
    return STOA_OK;
}

stoa_status stoa_arkouda_groups_make(const stoa_layout_source *source, const stoa_arkouda_key *keys,
                                     size_t n_keys, stoa_arkouda_groups *groups, stoa_error *err)
{
    stoa_status status = STOA_OK;
    grouping g = {stoa_alloc_zero(n_keys, sizeof *g.keys), n_keys};

    STOA_TRY(g.keys != NULL ? STOA_OK : stoa_fail_memory(err));
    groups->n_rows = source->n_rows;
    for (size_t i = 0; i < n_keys; i++) {
        g.keys[i].key = &keys[i];
        g.keys[i].ranks = stoa_alloc((size_t)source->n_rows, sizeof *g.keys[i].ranks);
        STOA_TRY(g.keys[i].ranks != NULL ? STOA_OK : stoa_fail_memory(err));
    }
    STOA_TRY(stoa_layout_each_batch(source, take_rows, &g, err));
    for (size_t i = 0; i < n_keys; i++) {
        STOA_TRY(rank_texts(&g.keys[i], source->n_rows, err));
    }
    STOA_TRY(sort_rows(&g, groups, err));
    STOA_TRY(cut(&g, groups, err));

done:
    for (size_t i = 0; g.keys != NULL && i < n_keys; i++) {
        free(g.keys[i].ranks);
        stoa_string_set_clear(&g.keys[i].texts);
    }
    free(g.keys);
    return status;
}

void stoa_arkouda_groups_clear(stoa_arkouda_groups *groups)
{
    free(groups->permutation);
    free(groups->segments);
    free(groups->unique);
    *groups = (stoa_arkouda_groups){0};
}
