/*
 * Whether a SORTED_ROWS index of numbers is right, without sorting the column again (HEP001 §10.5).
 *
 * The keys of all rows are kept in memory. Ranks are then looked at in pieces, by several threads.
 * Each rank needs a row of the right sort: with a value, missing, or NaN. Within each of the three,
 * the pair of key and row must ascend strictly, so that no row occurs twice. As there are as many
 * ranks as rows, every row then has its one rank.
 */
#include "index/sorted/sorted_holds.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "column/read/block.h"
#include "core/memory.h"
#include "core/progress.h"

enum {
    PIECE_ROWS = 1 << 16, /* that one thread looks at together */
    BLOCK_RANKS = 1 << 20,
    AHEAD = 24 /* ranks whose keys are fetched in advance, since rows are anywhere */
};

typedef struct proof {
    const stoa_sorted_store *store;
    const stoa_listener *listener;
    stoa_block_readers readers;
    uint64_t piece; /* rows that are read together */
    uint64_t *keys; /* by row */
    uint8_t *missing;
    atomic_bool has_missing;
    atomic_bool fails;
    uint64_t rank; /* first of the block */
    uint64_t n_block;
    uint64_t *rows;     /* of the block; rows[0] is that of the rank before it */
    uint8_t *values;    /* of a covering index */
    uint64_t *row_keys; /* of the block; each piece has a slot for the rank before it */
    uint64_t *value_keys;
    uint64_t *fence_keys;
} proof;

/* --- the column ------------------------------------------------------------------------------ */

/* Whole chunks, and whole bytes of `missing`. */
static uint64_t piece_rows(const stoa_column *column)
{
    const uint64_t chunk = column->chunk_rows;

    if (chunk == 0 || chunk > 16 * (uint64_t)PIECE_ROWS) {
        return PIECE_ROWS;
    }
    if (chunk % 8 != 0) {
        return chunk * 8;
    }
    return chunk > PIECE_ROWS ? chunk : PIECE_ROWS / chunk * chunk;
}

static stoa_status read_piece(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    proof *p = context;
    const stoa_column *column = p->store->column;
    const uint64_t first = part * p->piece;
    const uint64_t left = p->store->n_rows - first;
    stoa_block block = {.elements = NULL};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_block_reader_read(&p->readers.each[worker], first,
                                    left < p->piece ? left : p->piece, &block, err));
    stoa_keys_of(&column->element, block.elements, block.count, p->keys + first);
    if (block.missing != NULL) {
        memcpy(p->missing + first / 8, block.missing, (size_t)stoa_bit_bytes(block.count));
        atomic_store(&p->has_missing, true);
    }

done:
    stoa_block_clear(&column->element, &block); /* after a failure, too */
    return status;
}

typedef struct group {
    proof *p;
    uint64_t first;
} group;

static stoa_status read_piece_of(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const group *g = context;

    return read_piece(g->p, worker, g->first + part, err);
}

static stoa_status read_column(proof *p, stoa_error *err)
{
    const uint64_t n_pieces = (p->store->n_rows - 1) / p->piece + 1;
    const uint64_t together = 4 * (uint64_t)p->readers.n;

    for (uint64_t first = 0; first < n_pieces; first += together) {
        group g = {p, first};
        const uint64_t n = n_pieces - first < together ? n_pieces - first : together;
        STOA_RETURN_NOT_OK(stoa_report_progress(p->listener,
                                                &(stoa_progress){.stage = "reading",
                                                                 .rows = first * p->piece,
                                                                 .total_rows = p->store->n_rows},
                                                err));
        STOA_RETURN_NOT_OK(stoa_workers_run(p->readers.workers, n, read_piece_of, &g, err));
    }
    return STOA_OK;
}

/* --- the ranks ------------------------------------------------------------------------------- */

enum { SORT_VALUE, SORT_MISSING, SORT_NAN };

/* The sort of row that belongs at a rank, and where its ranks begin and end. */
static int sort_at(const stoa_sorted_store *store, uint64_t rank, uint64_t *first, uint64_t *end)
{
    const uint64_t n_ordered = stoa_sorted_n_ordered(store);
    const uint64_t n_values = n_ordered + store->n_missing;
    const int sort = rank < n_ordered ? SORT_VALUE : rank < n_values ? SORT_MISSING : SORT_NAN;

    *first = sort == SORT_VALUE ? 0 : sort == SORT_MISSING ? n_ordered : n_values;
    *end = sort == SORT_VALUE ? n_ordered : sort == SORT_MISSING ? n_values : store->n_rows;
    return sort;
}

/* The keys of rows, which are anywhere in memory. */
static void gather(const proof *p, const uint64_t *rows, uint64_t n, uint64_t *keys)
{
    uint64_t i = 0;

    for (; i + AHEAD < n; i++) {
        __builtin_prefetch(&p->keys[rows[i + AHEAD]]);
        keys[i] = p->keys[rows[i]];
    }
    for (; i < n; i++) {
        keys[i] = p->keys[rows[i]];
    }
}

static bool are_all(const proof *p, int sort, const uint64_t *rows, const uint64_t *keys,
                    uint64_t n)
{
    const bool is_float = stoa_kind_is_float(p->store->column->element.kind);
    const bool has_missing = atomic_load(&p->has_missing);

    for (uint64_t i = 0; is_float && i < n; i++) {
        if ((keys[i] == STOA_KEY_NAN) != (sort == SORT_NAN)) {
            return false;
        }
    }
    if (sort == SORT_NAN) {
        return is_float || n == 0;
    }
    if (!has_missing) {
        return sort == SORT_VALUE || n == 0;
    }
    for (uint64_t i = 0; i < n; i++) {
        if (stoa_bit_get(p->missing, rows[i]) != (sort == SORT_MISSING)) {
            return false;
        }
    }
    return true;
}

/* Whether keys and rows ascend from the ones before them on, which are at -1 if there are any. */
static bool ascend(int sort, bool has_before, const uint64_t *rows, const uint64_t *keys,
                   uint64_t n)
{
    bool is_wrong = false;

    for (uint64_t i = has_before ? 0 : 1; i < n; i++) {
        const uint64_t before = rows[(int64_t)i - 1];
        const uint64_t key_before = keys[(int64_t)i - 1];
        is_wrong |= sort == SORT_VALUE ? key_before > keys[i] : false;
        is_wrong |= (sort != SORT_VALUE || key_before == keys[i]) && before >= rows[i];
    }
    return !is_wrong;
}

/* Whether the values of a covering index are those of the rows. `at` is in the block. */
static bool covers(proof *p, uint64_t at, uint64_t n, const uint64_t *keys)
{
    const stoa_element *element = &p->store->column->element;
    const uint64_t n_ordered = stoa_sorted_n_ordered(p->store);
    const uint64_t first = p->rank + at;

    if (p->values == NULL || first >= n_ordered) {
        return true;
    }
    n = n_ordered - first < n ? n_ordered - first : n;
    stoa_keys_of(element, p->values + at * element->size, n, p->value_keys + at);
    for (uint64_t i = (STOA_FENCE_RANKS - first % STOA_FENCE_RANKS) % STOA_FENCE_RANKS; i < n;
         i += STOA_FENCE_RANKS) {
        if (p->fence_keys[(first + i) / STOA_FENCE_RANKS] != keys[i]) {
            return false;
        }
    }
    return memcmp(p->value_keys + at, keys, (size_t)n * sizeof *keys) == 0;
}

/* `rows` and `keys` have slot 0 for the rank before the block. */
static stoa_status look_at_ranks(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    proof *p = context;
    const uint64_t at = part * PIECE_ROWS;
    const uint64_t n = p->n_block - at < PIECE_ROWS ? p->n_block - at : PIECE_ROWS;
    uint64_t *const keys = p->row_keys + part * (PIECE_ROWS + 1) + 1;
    const uint64_t *const rows = p->rows + at + 1;
    bool holds = !atomic_load(&p->fails);

    (void)worker;
    (void)err;
    if (holds) {
        keys[-1] = p->rank + at > 0 ? p->keys[rows[-1]] : 0;
        gather(p, rows, n, keys);
        holds = covers(p, at, n, keys);
    }
    for (uint64_t i = 0; holds && i < n;) {
        const uint64_t rank = p->rank + at + i;
        uint64_t first = 0;
        uint64_t end = 0;
        const int sort = sort_at(p->store, rank, &first, &end);
        const uint64_t count = end - rank < n - i ? end - rank : n - i;
        holds = are_all(p, sort, rows + i, keys + i, count) &&
                ascend(sort, rank > first, rows + i, keys + i, count);
        i += count;
    }
    if (!holds) {
        atomic_store(&p->fails, true);
    }
    return STOA_OK;
}

static stoa_status read_ranks(proof *p, stoa_error *err)
{
    const stoa_sorted_store *store = p->store;
    const uint64_t n_ordered = stoa_sorted_n_ordered(store);
    const uint64_t left = store->n_rows - p->rank;

    p->n_block = left < BLOCK_RANKS ? left : BLOCK_RANKS;
    STOA_RETURN_NOT_OK(stoa_sorted_read_rows(store, p->rank, p->n_block, p->rows + 1, err));
    if (p->values != NULL && p->rank < n_ordered) {
        const uint64_t n = n_ordered - p->rank < p->n_block ? n_ordered - p->rank : p->n_block;
        STOA_RETURN_NOT_OK(
            stoa_sorted_read_values(store, store->values, p->rank, n, p->values, err));
    }
    return STOA_OK;
}

static stoa_status look_at_index(proof *p, stoa_error *err)
{
    const uint64_t n_rows = p->store->n_rows;

    for (p->rank = 0; p->rank < n_rows && !atomic_load(&p->fails); p->rank += p->n_block) {
        STOA_RETURN_NOT_OK(stoa_report_progress(
            p->listener,
            &(stoa_progress){.stage = "comparing", .rows = p->rank, .total_rows = n_rows}, err));
        STOA_RETURN_NOT_OK(read_ranks(p, err));
        STOA_RETURN_NOT_OK(stoa_workers_run(p->readers.workers, (p->n_block - 1) / PIECE_ROWS + 1,
                                            look_at_ranks, p, err));
        p->rows[0] = p->rows[p->n_block];
    }
    return STOA_OK;
}

/* Whether the fences have keys between those before and at their ranks. */
static stoa_status look_at_hints(proof *p, const stoa_fences *hints, stoa_error *err)
{
    for (size_t i = 0; i < hints->n && !atomic_load(&p->fails); i++) {
        const stoa_fence *hint = &hints->items[i];
        const uint64_t first = hint->rank > 0 ? hint->rank - 1 : 0;
        uint64_t rows[2];
        STOA_RETURN_NOT_OK(
            stoa_sorted_read_rows(p->store, first, hint->rank - first + 1, rows, err));
        if (hint->key > p->keys[rows[hint->rank - first]] ||
            (hint->rank > 0 && hint->key < p->keys[rows[0]])) {
            atomic_store(&p->fails, true);
        }
    }
    return STOA_OK;
}

/* --- entry point ----------------------------------------------------------------------------- */

static stoa_status prepare(proof *p, stoa_error *err)
{
    const stoa_sorted_store *store = p->store;
    const stoa_element *element = &store->column->element;
    const uint64_t n_fences = stoa_sorted_n_fences(stoa_sorted_n_ordered(store));
    uint8_t *fences = NULL;
    stoa_status status = STOA_OK;

    p->piece = piece_rows(store->column);
    p->keys = stoa_alloc((size_t)store->n_rows, sizeof *p->keys);
    p->missing = stoa_alloc_zero(1, (size_t)stoa_bit_bytes(store->n_rows));
    p->rows = stoa_alloc(BLOCK_RANKS + 1, sizeof *p->rows);
    p->row_keys = stoa_alloc(BLOCK_RANKS / PIECE_ROWS * (PIECE_ROWS + 1), sizeof *p->row_keys);
    STOA_TRY(p->keys != NULL && p->missing != NULL && p->rows != NULL && p->row_keys != NULL
                 ? STOA_OK
                 : stoa_fail_memory(err));
    if (stoa_sorted_is_covered(store)) {
        p->values = stoa_alloc(BLOCK_RANKS, element->size);
        p->value_keys = stoa_alloc(BLOCK_RANKS, sizeof *p->value_keys);
        p->fence_keys = stoa_alloc((size_t)n_fences, sizeof *p->fence_keys);
        fences = stoa_alloc_zero((size_t)n_fences, element->size);
        STOA_TRY(p->values != NULL && p->value_keys != NULL && p->fence_keys != NULL &&
                         fences != NULL
                     ? STOA_OK
                     : stoa_fail_memory(err));
        if (n_fences > 0) {
            STOA_TRY(stoa_sorted_read_values(store, store->fences, 0, n_fences, fences, err));
            stoa_keys_of(element, fences, n_fences, p->fence_keys);
        }
    }
    STOA_TRY(stoa_block_readers_open(&p->readers, store->column, err));

done:
    free(fences);
    return status;
}

bool stoa_sorted_can_be_proved(const stoa_sorted_store *store, uint64_t memory)
{
    return !stoa_key_is_bytes(&store->column->element) && store->n_rows > 0 &&
           store->n_rows <= memory / 9;
}

stoa_status stoa_sorted_prove(const stoa_sorted_store *store, const stoa_fences *hints,
                              const stoa_listener *listener, bool *holds, stoa_error *err)
{
    stoa_status status = STOA_OK;
    proof p = {.store = store, .listener = listener};

    *holds = false;
    STOA_TRY(prepare(&p, err));
    STOA_TRY(read_column(&p, err));
    STOA_TRY(look_at_index(&p, err));
    STOA_TRY(look_at_hints(&p, hints, err));
    *holds = !atomic_load(&p.fails);

done:
    stoa_block_readers_close(&p.readers);
    free(p.fence_keys);
    free(p.value_keys);
    free(p.row_keys);
    free(p.values);
    free(p.rows);
    free(p.missing);
    free(p.keys);
    return status;
}
