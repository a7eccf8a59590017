/* SORTED_ROWS indexes (HEP001 §10.5): form, and whether the entries are a permutation. One pass
 * over the entries with one bit per row decides. Order is checked in sorted_order.c. */
#include <stdlib.h>
#include <string.h>

#include "check/sorted_rules.h"

/* --- form ------------------------------------------------------------------------------------ */

static const stoa_number_rules tail_rules = {
    STOA_RULE_SORTED_TAIL_PRESENT, STOA_RULE_SORTED_TAIL_TYPE, STOA_RULE_SORTED_TAIL_SHAPE, 8};

static stoa_sorted_tails check_attributes(stoa_checker *checker, const stoa_subject *index)
{
    stoa_sorted_tails tails = {.nan = 0};

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

/* Whether the entries can be read as row numbers. */
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
    if (table->has_n_rows && !index->is_stale && table->n_rows > 0 && bits < 64 &&
        (table->n_rows - 1) >> bits != 0) {
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
    bool skips;    /* entries past NROWS are skipped (notes on INTERLEAVED) */
    uint8_t *seen; /* one bit per row */
    uint64_t n_seen;
    uint64_t n_foreign; /* entries past NROWS in the range read */
    bool is_twice;
    uint64_t slot; /* of the first entry that breaks the permutation, and its row */
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

/* Notes A1, A2: the first NROWS entries are the permutation. After an uncommitted append, it may
 * instead be the entries that remain when rows of that append are skipped. */
static bool is_permutation(stoa_sorted_check *c, stoa_rows_status *status)
{
    scan s = {c->checker, c->index->subject.path, c->n_rows, .skips = false};

    s.seen = stoa_alloc_zero(1, (size_t)stoa_bit_bytes(c->n_rows));
    if (s.seen == NULL) {
        stoa_check_memory(c->checker);
        return false;
    }
    *status = stoa_sorted_read(c, mark_rows, &s);
    if (*status == STOA_ROWS_OK && s.n_foreign > 0 && !s.is_twice &&
        c->entries.extent > c->n_rows) {
        const scan strict = s;
        const uint64_t most =
            c->rows.extent < STOA_CHECK_MAX_ROWS ? c->rows.extent : STOA_CHECK_MAX_ROWS;
        memset(s.seen, 0, (size_t)stoa_bit_bytes(c->n_rows));
        s.n_seen = s.n_foreign = 0;
        s.skips = c->skips = true;
        c->n_slots = c->entries.extent < most ? c->entries.extent : most;
        *status = stoa_sorted_read(c, mark_rows, &s);
        if (s.n_seen < c->n_rows) { /* skipping does not help */
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

static void compare_contents(stoa_checker *checker, const stoa_checked_index *index,
                             const stoa_sorted_tails *tails)
{
    stoa_sorted_check c = {checker, index, index->column, .n_rows = index->table->n_rows};
    stoa_rows_status status = stoa_rows_of(checker, index->subject.id, &c.entries);
    stoa_rows_status column_status = stoa_rows_of(checker, c.column->subject.id, &c.rows);

    c.n_slots = c.n_rows;
    if (c.n_rows > STOA_CHECK_MAX_ROWS && status == STOA_ROWS_OK) {
        status = STOA_ROWS_TOO_LARGE;
    }
    if (c.column->datum.kind == STOA_DATUM_NONE && column_status == STOA_ROWS_OK) {
        column_status = STOA_ROWS_TOO_LARGE;
    }
    /* A short dataset has a finding of its own. */
    if (status == STOA_ROWS_OK && column_status == STOA_ROWS_OK && c.n_rows > 0 &&
        c.rows.extent >= c.n_rows && c.entries.extent >= c.n_rows && is_permutation(&c, &status)) {
        stoa_check_sorted_order(&c, tails, &status);
    }
    stoa_rows_report(checker, index->subject.path, status);
    stoa_rows_report(checker, c.column->subject.path, column_status);
    stoa_rows_clear(&c.rows);
    stoa_rows_clear(&c.entries);
}

/* --- entry point ----------------------------------------------------------------------------- */

void stoa_check_sorted(stoa_checker *checker, const stoa_checked_index *index)
{
    const char *const path = index->subject.path;
    const stoa_sorted_tails tails = check_attributes(checker, &index->subject);
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
    } else if (index->table->has_n_rows && !index->is_stale) {
        stoa_check_length(checker, path, "entries", dims[0], index->table->n_rows,
                          STOA_RULE_SORTED_LENGTH, STOA_RULE_SORTED_RESIDUE);
        if (checker->indexes && is_typed && is_orderable) {
            compare_contents(checker, index, &tails);
        }
    }
}
