/*
 * SORTED_ROWS indexes (HEP001 §10.5): form, and contents compared with the column.
 *
 * First, in one pass over the entries and a bit a row, whether they are a permutation. Only then
 * are values looked up, a block of ranks at a time: the rows of a block are gathered in the order
 * in which the column holds them, so that every chunk is read once a block. A block takes up
 * checker->memory at most, whatever the file claims.
 */
#include <stdlib.h>
#include <string.h>

#include "check/index_rules.h"

/* Rows of a column that is not chunked, read together. */
#define PIECE_ROWS ((uint64_t)1 << 16)

/* --- form ------------------------------------------------------------------------------------ */

static const stoa_number_rules tail_rules = {
    STOA_RULE_SORTED_TAIL_PRESENT, STOA_RULE_SORTED_TAIL_TYPE, STOA_RULE_SORTED_TAIL_SHAPE, 8};

typedef struct tail_lengths {
    bool has_nan;
    bool has_fill;
    uint64_t nan;
    uint64_t fill;
} tail_lengths;

static tail_lengths check_attributes(stoa_checker *checker, const stoa_subject *index)
{
    tail_lengths tails = {.nan = 0};

    tails.has_nan = stoa_check_number(checker, index, "nan_tail_length", &tail_rules, &tails.nan);
    tails.has_fill =
        stoa_check_number(checker, index, "fill_tail_length", &tail_rules, &tails.fill);
    if (H5Aexists(index->id, "ordered") == 0) {
        stoa_check_report(checker, index->path, STOA_RULE_SORTED_ORDERED_PRESENT,
                          "a SORTED_ROWS index must carry ordered");
    } else if (stoa_check_bool(checker, index, "ordered", STOA_RULE_SORTED_ORDERED_SHAPE) == 0) {
        stoa_check_report(checker, index->path, STOA_RULE_SORTED_ORDERED_TRUE,
                          "ordered is FALSE; a SORTED_ROWS index is a total order");
    }
    return tails;
}

/* Whether the entries can be read as rows. */
static bool check_type(stoa_checker *checker, const stoa_checked_index *index)
{
    const stoa_checked_table *const table = index->table;
    const char *const path = index->subject.path;
    hid_t type = H5Dget_type(index->subject.id);
    const size_t bits = H5Tget_precision(type);
    const bool is_unsigned = H5Tget_class(type) == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_NONE;

    (void)stoa_hdf_close(&type, STOA_OK, NULL);
    if (!is_unsigned) {
        stoa_check_report(checker, path, STOA_RULE_SORTED_DATATYPE,
                          "the entries are no unsigned integers");
        return false;
    }
    if (table->has_n_rows && table->n_rows > 0 && bits < 64 && (table->n_rows - 1) >> bits != 0) {
        stoa_check_report(checker, path, STOA_RULE_SORTED_WIDTH,
                          "entries of %zu bits cannot hold the number of the last of %llu rows",
                          bits, (unsigned long long)table->n_rows);
        return false;
    }
    return bits <= 64;
}

/* --- whether it is a permutation ------------------------------------------------------------- */

typedef struct scan {
    stoa_checker *checker;
    const char *path;
    uint64_t n_rows;
    bool skips;    /* entries past NROWS are passed over (notes on INTERLEAVED) */
    uint8_t *seen; /* a bit a row */
    uint64_t n_seen;
    uint64_t n_foreign; /* entries past NROWS among those looked at */
    bool is_twice;
    uint64_t slot; /* of the first entry that breaks the permutation, and what it says */
    uint64_t row;
} scan;

static bool mark_rows(void *context, uint64_t first, const void *elements, size_t n)
{
    scan *s = context;
    const char *entry = elements;

    for (size_t i = 0; i < n && s->n_seen < s->n_rows; i++, entry += sizeof(uint64_t)) {
        uint64_t row = 0;
        memcpy(&row, entry, sizeof row);
        if (row >= s->n_rows) {
            if (s->n_foreign++ == 0) {
                s->slot = first + i;
                s->row = row;
            }
            if (!s->skips) {
                return false;
            }
        } else if (stoa_bit_get(s->seen, row)) {
            s->is_twice = true;
            s->slot = first + i;
            s->row = row;
            return false;
        } else {
            stoa_bit_set(s->seen, row);
            s->n_seen++;
        }
    }
    return s->n_seen < s->n_rows;
}

typedef struct comparison {
    stoa_checker *checker;
    const stoa_checked_index *index;
    const stoa_checked_column *column;
    stoa_rows entries; /* of the index */
    stoa_rows rows;    /* of the column */
    uint64_t n_rows;
    uint64_t n_slots; /* entries to look at */
    bool skips;
} comparison;

static stoa_rows_status read_entries(comparison *c, stoa_rows_visitor visitor, void *context)
{
    return stoa_rows_read(c->checker, c->index->subject.id, &c->entries, H5T_NATIVE_UINT64,
                          sizeof(uint64_t), 0, c->n_slots, visitor, context);
}

/* Notes A1, A2: the first NROWS entries are the permutation; after an append that was not committed
 * it may be what remains when the rows of that append are passed over. */
static bool is_permutation(comparison *c, stoa_rows_status *status)
{
    scan s = {c->checker, c->index->subject.path, c->n_rows, .skips = false};

    s.seen = stoa_alloc_zero(1, (size_t)stoa_bit_bytes(c->n_rows));
    if (s.seen == NULL) {
        stoa_check_memory(c->checker);
        return false;
    }
    *status = read_entries(c, mark_rows, &s);
    if (*status == STOA_ROWS_OK && s.n_foreign > 0 && !s.is_twice &&
        c->entries.extent > c->n_rows) {
        const scan strict = s;
        const uint64_t most =
            c->rows.extent < STOA_CHECK_MAX_ROWS ? c->rows.extent : STOA_CHECK_MAX_ROWS;
        memset(s.seen, 0, (size_t)stoa_bit_bytes(c->n_rows));
        s.n_seen = s.n_foreign = 0;
        s.skips = c->skips = true;
        c->n_slots = c->entries.extent < most ? c->entries.extent : most;
        *status = read_entries(c, mark_rows, &s);
        if (s.n_seen < c->n_rows) { /* no better this way */
            s.is_twice = false;
            s.slot = strict.slot;
            s.row = strict.row;
        }
    }
    free(s.seen);
    if (*status != STOA_ROWS_OK || stoa_check_over(c->checker)) {
        return false;
    }
    if (s.n_seen < c->n_rows) {
        stoa_check_report(c->checker, s.path, STOA_RULE_SORTED_PERMUTATION,
                          "entry %llu names row %llu%s", (unsigned long long)s.slot,
                          (unsigned long long)s.row,
                          s.is_twice ? " for the second time" : ", which is not below NROWS");
    } else if (c->skips) {
        stoa_check_report(c->checker, s.path, STOA_RULE_SORTED_INTERLEAVED,
                          "entry %llu names row %llu, past NROWS; without such entries the order "
                          "is whole",
                          (unsigned long long)s.slot, (unsigned long long)s.row);
    }
    return s.n_seen == c->n_rows;
}

/* --- whether it is in order ------------------------------------------------------------------ */

typedef enum place { PLACE_VALUE, PLACE_FILL, PLACE_NAN } place;

typedef struct ranked_row {
    uint64_t row;
    size_t rank; /* in its block */
} ranked_row;

typedef struct ordering {
    comparison *c;
    stoa_rows_status column_status;
    uint64_t *block; /* rows by rank */
    size_t n_block;
    size_t capacity;
    uint64_t first_rank; /* of the block */
    ranked_row *sorted;  /* the rows being gathered, in column order */
    size_t n_sorted;
    size_t next;   /* in sorted, the next to be met */
    char *values;  /* by rank; strings are copies */
    size_t n_text; /* bytes of those */
    bool is_full;  /* more text than one block may hold */
    char *last;    /* the value at the rank before the block, and its row */
    uint64_t last_row;
    bool has_last;
    uint64_t n_nan;
    uint64_t n_fill;
    bool order_differs; /* one finding a rule is enough */
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

/* Keep one value of the block; false: enough. */
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
        o->is_full = true; /* with fewer ranks there is room */
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

/* The values of ranks [0, n) from `from` on; chunks that follow each other are read as one. */
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
    return stoa_check_is_missing(o->c->column, value) ? PLACE_FILL : PLACE_VALUE;
}

/* A finding about two neighbours, the first of its rule. */
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

/* Judge ranks [from, from + n) of the block against each other and what came before. */
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
        memset(o->values + (n - 1) * size, 0, size); /* a text is kept, not freed below */
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
            continue; /* passed over; a permutation holds none otherwise */
        }
        o->block[o->n_block++] = row;
        if (o->n_block == o->capacity && !judge_block(o)) {
            return false;
        }
    }
    return o->first_rank + o->n_block < o->c->n_rows;
}

/* In an append that was not committed the tails count rows past NROWS as well (notes A1). */
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

static void check_order(comparison *c, const tail_lengths *tails, stoa_rows_status *status)
{
    const size_t size = c->column->datum.size;
    const uint64_t most = c->checker->memory / (sizeof(uint64_t) + sizeof(ranked_row) + size) + 1;
    ordering o = {.c = c, .capacity = (size_t)(c->n_rows < most ? c->n_rows : most)};

    o.block = stoa_alloc(o.capacity, sizeof *o.block);
    o.sorted = stoa_alloc(o.capacity, sizeof *o.sorted);
    o.values = stoa_alloc_zero(o.capacity, size);
    o.last = stoa_alloc_zero(1, size);
    if (o.block == NULL || o.sorted == NULL || o.values == NULL || o.last == NULL) {
        stoa_check_memory(c->checker);
    } else {
        *status = read_entries(c, visit_ranks, &o);
        if (*status == STOA_ROWS_OK && judge_block(&o)) {
            check_tail(&o, "fill_tail_length", tails->has_fill, tails->fill, o.n_fill,
                       STOA_RULE_SORTED_FILL_TAIL_LENGTH);
            check_tail(&o, "nan_tail_length", tails->has_nan, tails->nan, o.n_nan,
                       STOA_RULE_SORTED_NAN_TAIL_LENGTH);
        }
        release_value(&o, o.last);
    }
    stoa_rows_report(c->checker, c->column->subject.path, o.column_status);
    free(o.last);
    free(o.values);
    free(o.sorted);
    free(o.block);
}

static void compare_contents(stoa_checker *checker, const stoa_checked_index *index,
                             const tail_lengths *tails)
{
    comparison c = {checker, index, index->column, .n_rows = index->table->n_rows};
    stoa_rows_status status = stoa_rows_of(checker, index->subject.id, &c.entries);
    stoa_rows_status column_status = stoa_rows_of(checker, c.column->subject.id, &c.rows);

    c.n_slots = c.n_rows;
    if (c.n_rows > STOA_CHECK_MAX_ROWS && status == STOA_ROWS_OK) {
        status = STOA_ROWS_TOO_LARGE;
    }
    if (c.column->datum.kind == STOA_DATUM_NONE && column_status == STOA_ROWS_OK) {
        column_status = STOA_ROWS_TOO_LARGE;
    }
    /* What is too short has its own finding. */
    if (status == STOA_ROWS_OK && column_status == STOA_ROWS_OK && c.n_rows > 0 &&
        c.rows.extent >= c.n_rows && c.entries.extent >= c.n_rows && is_permutation(&c, &status)) {
        check_order(&c, tails, &status);
    }
    stoa_rows_report(checker, index->subject.path, status);
    stoa_rows_report(checker, c.column->subject.path, column_status);
    stoa_rows_clear(&c.rows);
    stoa_rows_clear(&c.entries);
}

/* --- the whole ------------------------------------------------------------------------------- */

void stoa_check_sorted(stoa_checker *checker, const stoa_checked_index *index)
{
    const char *const path = index->subject.path;
    const tail_lengths tails = check_attributes(checker, &index->subject);
    uint64_t dims[2] = {0, 0};
    const bool is_list = stoa_check_shape(index->subject.id, dims) == 1;
    const bool is_typed = check_type(checker, index);
    const bool is_orderable = index->column != NULL && index->column->datum.is_ordered;

    if (index->column != NULL && !is_orderable) {
        stoa_check_report(checker, path, STOA_RULE_SORTED_ORDERABLE,
                          "the datatype of the column '%s' has no order",
                          index->column->subject.path);
    }
    if (!is_list) {
        stoa_check_report(checker, path, STOA_RULE_SORTED_SHAPE,
                          "the index must be one-dimensional");
    } else if (index->table->has_n_rows) {
        stoa_check_length(checker, path, "entries", dims[0], index->table->n_rows,
                          STOA_RULE_SORTED_LENGTH, STOA_RULE_SORTED_RESIDUE);
        if (checker->indexes && is_typed && is_orderable) {
            compare_contents(checker, index, &tails);
        }
    }
}
