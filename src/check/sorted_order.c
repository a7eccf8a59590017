/*
 * Whether a SORTED_ROWS index is in order (HEP001 §10.5).
 *
 * If all values fit into checker->memory, they are read once. Otherwise they are looked up in
 * blocks of ranks. The rows of a block are read in the order of the column, so that each chunk is
 * read once per block. A block needs at most checker->memory, whatever the file claims.
 */
#include <stdlib.h>
#include <string.h>

#include "check/sorted_rules.h"

/* Rows that are read together if the column is not chunked. */
#define PIECE_ROWS ((uint64_t)1 << 16)

typedef enum place { PLACE_VALUE, PLACE_FILL, PLACE_NAN } place;

typedef struct ranked_row {
    uint64_t row;
    size_t rank; /* in the block */
} ranked_row;

typedef struct ordering {
    stoa_sorted_check *c;
    stoa_rows_status column_status;
    char *whole;     /* all values, by row; NULL: there is too much of them */
    uint64_t *block; /* rows by rank */
    size_t n_block;
    size_t capacity;
    uint64_t first_rank; /* of the block */
    ranked_row *sorted;  /* rows to read, in column order */
    size_t n_sorted;
    size_t next;   /* position in `sorted` of the next row */
    char *values;  /* by rank; strings are copies */
    size_t n_text; /* bytes of the copies */
    bool is_full;  /* more text than one block may hold */
    char *last;    /* value at the rank before the block, and its row */
    uint64_t last_row;
    bool has_last;
    uint64_t n_nan;
    uint64_t n_fill;
    bool order_differs; /* set by the first finding of its rule */
    bool ties_differ;
    bool fill_differs;
    bool nan_differs;
} ordering;

static bool is_text(const ordering *o)
{
    return o->c->column->datum.kind == STOA_DATUM_VARIABLE;
}

static void release_value(const ordering *o, char *value)
{
    if (is_text(o)) {
        char *text = NULL;
        memcpy(&text, value, sizeof text);
        free(text);
        text = NULL;
        memcpy(value, &text, sizeof text);
    }
}

static void release_values(ordering *o, size_t n)
{
    for (size_t i = 0; is_text(o) && i < n; i++) {
        release_value(o, o->values + i * sizeof(char *));
    }
    o->n_text = 0;
}

/* Save one value of the block; false ends the read. */
static bool keep_value(ordering *o, size_t rank, const char *value)
{
    const size_t size = o->c->column->datum.size;
    char *text = NULL;
    size_t length = 0;

    if (!is_text(o)) {
        memcpy(o->values + rank * size, value, size);
        return true;
    }
    memcpy(&text, value, sizeof text);
    length = text == NULL ? 0 : strlen(text);
    if (o->n_text > 0 && o->n_text + length > o->c->checker->memory / 2) {
        o->is_full = true; /* fewer ranks will fit */
        return false;
    }
    text = stoa_strndup(text == NULL ? "" : text, length);
    if (text == NULL) {
        stoa_check_memory(o->c->checker);
        return false;
    }
    o->n_text += length;
    memcpy(o->values + rank * size, &text, sizeof text);
    return true;
}

static bool visit_values(void *context, uint64_t first, const void *elements, size_t n)
{
    ordering *o = context;
    const size_t size = o->c->column->datum.size;

    for (; o->next < o->n_sorted && o->sorted[o->next].row < first + n; o->next++) {
        const ranked_row *wanted = &o->sorted[o->next];
        if (!keep_value(o, wanted->rank,
                        (const char *)elements + (size_t)(wanted->row - first) * size)) {
            return false;
        }
    }
    return true;
}

static int compare_rows(const void *a, const void *b)
{
    const ranked_row *x = a;
    const ranked_row *y = b;

    return (x->row > y->row) - (x->row < y->row);
}

/* Read the values of ranks [from, from + n). Adjacent chunks are read as one range. */
static void gather(ordering *o, size_t from, size_t n)
{
    const stoa_rows *const rows = &o->c->rows;
    const uint64_t piece = rows->chunk_rows == 0 ? PIECE_ROWS : rows->chunk_rows;

    for (size_t i = 0; i < n; i++) {
        o->sorted[i] = (ranked_row){o->block[from + i], i};
    }
    qsort(o->sorted, n, sizeof *o->sorted, compare_rows);
    o->n_sorted = n;
    o->next = 0;
    o->is_full = false;
    while (o->next < n && !o->is_full && o->column_status == STOA_ROWS_OK &&
           !stoa_check_over(o->c->checker)) {
        const uint64_t first = o->sorted[o->next].row;
        size_t last = o->next;
        while (last + 1 < n && o->sorted[last + 1].row / piece <= o->sorted[last].row / piece + 1) {
            last++;
        }
        o->column_status = stoa_rows_read(o->c->checker, o->c->column->subject.id, rows,
                                          o->c->column->datum.memory_type, o->c->column->datum.size,
                                          first, o->sorted[last].row - first + 1, visit_values, o);
    }
}

static place place_of(const ordering *o, const char *value)
{
    if (stoa_datum_is_nan(&o->c->column->datum, value)) {
        return PLACE_NAN;
    }
    return stoa_datum_is_missing(&o->c->column->datum, o->c->column->fill, value) ? PLACE_FILL
                                                                                  : PLACE_VALUE;
}

/* Report two neighbours, for the first finding of a rule only. */
static void report(ordering *o, bool *differs, stoa_rule_id rule, uint64_t rank, uint64_t row,
                   uint64_t next_row, const char *what)
{
    if (!*differs) {
        *differs = true;
        stoa_check_report(o->c->checker, o->c->index->subject.path, rule,
                          "row %llu at rank %llu is followed by row %llu, %s",
                          (unsigned long long)row, (unsigned long long)rank,
                          (unsigned long long)next_row, what);
    }
}

static void compare_neighbours(ordering *o, uint64_t rank, const char *value, uint64_t row,
                               const char *next, uint64_t next_row)
{
    const place here = place_of(o, value);
    const place there = place_of(o, next);
    int order = 0;

    if (here > there) {
        report(o, here == PLACE_NAN ? &o->nan_differs : &o->fill_differs,
               here == PLACE_NAN ? STOA_RULE_SORTED_NAN_TAIL : STOA_RULE_SORTED_FILL_TAIL, rank,
               row, next_row,
               here == PLACE_NAN ? "and the first is NaN, the second is not"
                                 : "and the first is missing, the second is not");
        return;
    }
    if (here < there) {
        return;
    }
    if (here != PLACE_VALUE) {
        if (row > next_row) {
            report(o, here == PLACE_NAN ? &o->nan_differs : &o->fill_differs,
                   here == PLACE_NAN ? STOA_RULE_SORTED_NAN_TAIL : STOA_RULE_SORTED_FILL_TAIL, rank,
                   row, next_row, "a lower one of the same tail");
        }
        return;
    }
    order = stoa_datum_compare(&o->c->column->datum, value, next);
    if (order > 0) {
        report(o, &o->order_differs, STOA_RULE_SORTED_ORDER, rank, row, next_row,
               "whose value is smaller");
    } else if (order == 0 && row > next_row) {
        report(o, &o->ties_differ, STOA_RULE_SORTED_TIES, rank, row, next_row,
               "a lower row with an equal value");
    }
}

/* Check ranks [from, from + n) of the block against each other and the last value before them. */
static void judge(ordering *o, size_t from, size_t n)
{
    const size_t size = o->c->column->datum.size;

    gather(o, from, n);
    if (o->is_full) {
        release_values(o, n);
        judge(o, from, n / 2);
        judge(o, from + n / 2, n - n / 2);
        return;
    }
    if (o->column_status == STOA_ROWS_OK && !stoa_check_over(o->c->checker)) {
        for (size_t i = 0; i < n; i++) {
            const char *value = o->values + i * size;
            const place where = place_of(o, value);
            o->n_nan += where == PLACE_NAN;
            o->n_fill += where == PLACE_FILL;
            if (i > 0) {
                compare_neighbours(o, o->first_rank + from + i - 1, value - size,
                                   o->block[from + i - 1], value, o->block[from + i]);
            } else if (o->has_last) {
                compare_neighbours(o, o->first_rank + from - 1, o->last, o->last_row, value,
                                   o->block[from]);
            }
        }
        release_value(o, o->last);
        memcpy(o->last, o->values + (n - 1) * size, size);
        memset(o->values + (n - 1) * size, 0, size); /* the string is kept: do not free it below */
        o->last_row = o->block[from + n - 1];
        o->has_last = true;
    }
    release_values(o, n);
}

static bool judge_block(ordering *o)
{
    if (o->n_block > 0) {
        judge(o, 0, o->n_block);
    }
    o->first_rank += o->n_block;
    o->n_block = 0;
    return o->column_status == STOA_ROWS_OK && !stoa_check_over(o->c->checker);
}

static bool visit_ranks(void *context, uint64_t first, const void *elements, size_t n)
{
    ordering *o = context;
    const char *entry = elements;

    (void)first;
    for (size_t i = 0; i < n; i++, entry += sizeof(uint64_t)) {
        uint64_t row = 0;
        memcpy(&row, entry, sizeof row);
        if (row >= o->c->n_rows) {
            continue; /* skipped; a permutation has no such entries otherwise */
        }
        o->block[o->n_block++] = row;
        if (o->n_block == o->capacity && !judge_block(o)) {
            return false;
        }
    }
    return o->first_rank + o->n_block < o->c->n_rows;
}

/* --- all values in memory -------------------------------------------------------------------- */

static bool keep_all(void *context, uint64_t first, const void *elements, size_t n)
{
    ordering *o = context;
    const size_t size = o->c->column->datum.size;

    memcpy(o->whole + first * size, elements, n * size);
    return true;
}

/* Values are anywhere, so they are fetched in advance. */
static const char *fetch(const ordering *o, const char *entries, size_t i, size_t n)
{
    enum { AHEAD = 16 };
    const size_t size = o->c->column->datum.size;
    uint64_t row = 0;

    if (i + AHEAD < n) {
        memcpy(&row, entries + (i + AHEAD) * sizeof row, sizeof row);
        if (row < o->c->n_rows) {
            __builtin_prefetch(o->whole + row * size);
        }
    }
    memcpy(&row, entries + i * sizeof row, sizeof row);
    return row < o->c->n_rows ? o->whole + row * size : NULL;
}

static bool visit_ranks_of_whole(void *context, uint64_t first, const void *elements, size_t n)
{
    ordering *o = context;
    const size_t size = o->c->column->datum.size;

    (void)first;
    for (size_t i = 0; i < n; i++) {
        const char *const value = fetch(o, elements, i, n);
        if (value == NULL) {
            continue; /* as below */
        }
        const place where = place_of(o, value);
        const uint64_t row = (uint64_t)(value - o->whole) / size;
        o->n_nan += where == PLACE_NAN;
        o->n_fill += where == PLACE_FILL;
        if (o->has_last) {
            compare_neighbours(o, o->first_rank - 1, o->whole + o->last_row * size, o->last_row,
                               value, row);
        }
        o->last_row = row;
        o->has_last = true;
        o->first_rank++;
    }
    return o->first_rank < o->c->n_rows && !stoa_check_over(o->c->checker);
}

/* False if there is too much of them; else all is judged. */
static bool judge_whole(ordering *o, stoa_rows_status *status)
{
    const stoa_sorted_check *c = o->c;
    const size_t size = c->column->datum.size;

    if (is_text(o) || c->n_rows > c->checker->memory / size) {
        return false;
    }
    o->whole = stoa_alloc_large((size_t)c->n_rows, size);
    if (o->whole == NULL) {
        stoa_check_memory(c->checker);
        return true;
    }
    o->column_status =
        stoa_rows_read(c->checker, c->column->subject.id, &c->rows, c->column->datum.memory_type,
                       size, 0, c->n_rows, keep_all, o);
    if (o->column_status == STOA_ROWS_OK && !stoa_check_over(c->checker)) {
        *status = stoa_sorted_read(o->c, visit_ranks_of_whole, o);
    }
    return true;
}

/* --- in blocks ------------------------------------------------------------------------------- */

static bool judge_all_blocks(ordering *o, stoa_rows_status *status)
{
    const stoa_sorted_check *c = o->c;
    const size_t size = c->column->datum.size;
    const uint64_t most = c->checker->memory / (sizeof(uint64_t) + sizeof(ranked_row) + size) + 1;

    o->capacity = (size_t)(c->n_rows < most ? c->n_rows : most);
    o->block = stoa_alloc(o->capacity, sizeof *o->block);
    o->sorted = stoa_alloc(o->capacity, sizeof *o->sorted);
    o->values = stoa_alloc_zero(o->capacity, size);
    o->last = stoa_alloc_zero(1, size);
    if (o->block == NULL || o->sorted == NULL || o->values == NULL || o->last == NULL) {
        stoa_check_memory(c->checker);
        return false;
    }
    *status = stoa_sorted_read(o->c, visit_ranks, o);
    const bool is_whole = *status == STOA_ROWS_OK && judge_block(o);
    release_value(o, o->last);
    return is_whole;
}

/* During an uncommitted append the tails include rows past NROWS (notes A1). */
static void check_tail(const ordering *o, const char *name, bool has_length, uint64_t length,
                       uint64_t expected, stoa_rule_id rule)
{
    const uint64_t spare = o->c->skips ? o->c->entries.extent - o->c->n_rows : 0;

    if (has_length && (length < expected || length - expected > spare)) {
        stoa_check_report(o->c->checker, o->c->index->subject.path, rule,
                          "%s is %llu; the rows say %llu", name, (unsigned long long)length,
                          (unsigned long long)expected);
    }
}

stoa_rows_status stoa_sorted_read(stoa_sorted_check *c, stoa_rows_visitor visitor, void *context)
{
    return stoa_rows_read(c->checker, c->index->subject.id, &c->entries, H5T_NATIVE_UINT64,
                          sizeof(uint64_t), 0, c->n_slots, visitor, context);
}

void stoa_check_sorted_order(stoa_sorted_check *c, const stoa_sorted_tails *tails,
                             stoa_rows_status *status)
{
    ordering o = {.c = c};
    const bool is_whole = judge_whole(&o, status)
                              ? *status == STOA_ROWS_OK && o.column_status == STOA_ROWS_OK &&
                                    !stoa_check_over(c->checker)
                              : judge_all_blocks(&o, status);

    if (is_whole) {
        check_tail(&o, "fill_tail_length", tails->has_fill, tails->fill, o.n_fill,
                   STOA_RULE_SORTED_FILL_TAIL_LENGTH);
        check_tail(&o, "nan_tail_length", tails->has_nan, tails->nan, o.n_nan,
                   STOA_RULE_SORTED_NAN_TAIL_LENGTH);
    }
    stoa_rows_report(c->checker, c->column->subject.path, o.column_status);
    free(o.whole);
    free(o.last);
    free(o.values);
    free(o.sorted);
    free(o.block);
}
