/* Scans: the row grid, the cutting of morsels, and the threads that process them. */
#include "query/scan/scan.h"

#include <stdlib.h>
#include <string.h>

#include "column/list/reader.h"
#include "query/scan/scan_worker.h"
#include "table/open/table.h"

/* Opening ----------------------------------------------------------------------------------- */

/* Bytes of a gathered value, or an estimate. */
static uint64_t width_of(const stoa_type *type, const struct ArrowSchema *schema)
{
    enum { TEXT_WIDTH = 32, NESTED_WIDTH = 64 };
    const stoa_kind kind = type->kind == STOA_KIND_DICTIONARY ? type->index : type->kind;
    stoa_type item;

    if (kind == STOA_KIND_FIXED_BINARY) {
        return (uint64_t)type->width;
    }
    if (kind == STOA_KIND_FIXED_LIST && stoa_type_of(schema->children[0], &item, NULL) == STOA_OK) {
        return (uint64_t)type->width * width_of(&item, schema->children[0]);
    }
    if (stoa_kind_is_list(kind) || kind == STOA_KIND_STRUCT) {
        return NESTED_WIDTH;
    }
    if (stoa_kind_is_bytes(kind)) {
        return TEXT_WIDTH;
    }
    return kind == STOA_KIND_BOOL ? 1 : (uint64_t)stoa_kind_width(kind);
}

/* The same for a column. Its elements may be much wider than their texts, and lists much longer
 * than the estimate. Wide elements are read in full, whether tested or wanted. */
static uint64_t width_in(const stoa_source *source, bool is_wanted)
{
    enum { WIDE = 4096 };
    const stoa_column *const column = source->column;
    const uint64_t size = column->list != NULL && !source->is_bare ? stoa_list_row_bytes(column)
                                                                   : column->element.size;

    return size > WIDE ? size : is_wanted ? width_of(&source->type, source->schema) : 0;
}

/* Choose the block size. It follows the longest chunks of the columns that are read for every
 * row. Wide rows get smaller blocks, because new memory from the system costs more than its
 * bytes. Of many columns, a reader for each would hold a chunk from block to block. That takes the
 * memory of a block of whole chunks, which are decoded once. */
static uint64_t choose_unit(uint64_t longest, uint64_t row_bytes, bool are_many)
{
    const uint64_t bytes = are_many && longest * row_bytes <= STOA_HELD_VALUES * sizeof(int64_t)
                               ? longest * row_bytes
                               : STOA_UNIT_BYTES;
    const uint64_t most = bytes / row_bytes + 1;
    uint64_t rows = STOA_UNIT_ROWS;

    if (longest != 0 && longest <= STOA_UNIT_MAX_ROWS) {
        rows = longest >= STOA_UNIT_ROWS ? longest : STOA_UNIT_ROWS / longest * longest;
    }
    if (rows <= most) {
        return rows;
    }
    return longest != 0 && longest <= most ? most / longest * longest : most;
}

/* Bytes of a row's lists if their items are read for every row; 0 if chunks must be decoded, since
 * small blocks would decode them again. */
static stoa_status list_bytes_of(const stoa_source *source, uint64_t *n, stoa_error *err)
{
    bool is_unpacked = false;

    *n = 0;
    if (source->column->list != NULL && !source->is_bare) {
        STOA_RETURN_NOT_OK(stoa_list_is_unpacked(source->column, &is_unpacked, err));
        *n = is_unpacked ? stoa_list_row_bytes(source->column) : 0;
    }
    return STOA_OK;
}

/* Choose the block size for such lists. They stay in the second-level cache until they are
 * evaluated. */
static uint64_t fit_lists(uint64_t unit_rows, uint64_t row_bytes)
{
    enum { CACHED_BYTES = 1 << 19 };
    const uint64_t windows = CACHED_BYTES / STOA_WINDOW_ROWS / row_bytes;
    const uint64_t rows = (windows > 0 ? windows : 1) * STOA_WINDOW_ROWS;

    return rows < unit_rows ? rows : unit_rows;
}

/* Choose the block size for texts in short chunks. Blocks of such a chunk are read only where the
 * tests of other columns leave a row of them, and threads share out the chunks of few rows. */
static uint64_t fit_texts(uint64_t unit_rows, uint64_t longest, uint64_t text_rows)
{
    const uint64_t rows =
        text_rows >= STOA_WINDOW_ROWS ? text_rows : STOA_WINDOW_ROWS / text_rows * text_rows;

    /* the chunks of the other columns must be whole blocks */
    return rows < unit_rows && longest % rows == 0 ? rows : unit_rows;
}

/* Choose the block size for many short tables that follow one another. All columns of a block are
 * read before those of the next one, so its tables should stay open meanwhile. */
static uint64_t fit_parts(const stoa_table *table, uint64_t unit_rows)
{
    enum { PARTS_AT_ONCE = 16 };
    const uint64_t mean = table->n_rows / table->parts->n + 1;
    const uint64_t rows = mean < STOA_UNIT_ROWS ? mean * PARTS_AT_ONCE : STOA_UNIT_ROWS;

    return rows < unit_rows ? rows : unit_rows;
}

/* Rows from the first candidate to the last. */
static uint64_t span_of(const stoa_scan *scan)
{
    const stoa_rowset *const rows = scan->is.candidates.rows;

    if (rows->n_ranges == 0) {
        return 0;
    }
    const stoa_range *const last = &rows->ranges[rows->n_ranges - 1];
    return last->first + last->count - rows->ranges[0].first;
}

/* With few, scattered rows, combine morsels, because a morsel of one row costs more than the
 * row. */
static uint64_t widen_morsel(const stoa_scan *scan, uint64_t morsel_rows)
{
    const uint64_t n = scan->total_rows;

    if (n == 0 || n > STOA_LITTLE_ROWS) {
        return morsel_rows;
    }
    const uint64_t n_morsels = span_of(scan) / morsel_rows + 1;
    const uint64_t wanted = n / STOA_LITTLE_MORSEL_ROWS + 1;
    const uint64_t together = n_morsels / wanted; /* morsels that are combined */
    return together > 1 && morsel_rows <= UINT64_MAX / together ? morsel_rows * together
                                                                : morsel_rows;
}

/* Choose the morsel size: whole blocks, and no more rows than are worth gathering at a time. */
static uint64_t choose_morsel(const stoa_scan *scan)
{
    uint64_t rows = STOA_MORSEL_ROWS;

    if (!scan->is.is_folded && rows > STOA_MORSEL_BYTES / scan->row_bytes) {
        rows = STOA_MORSEL_BYTES / scan->row_bytes;
    }
    return rows <= scan->unit_rows
               ? scan->unit_rows
               : (rows + scan->unit_rows - 1) / scan->unit_rows * scan->unit_rows;
}

/* Cache the chunks of a column, with this many bytes per row, if they fit into `left` bytes. */
static bool keep_few(const stoa_scan *scan, const stoa_source *source, size_t row_bytes,
                     uint64_t *left)
{
    if (row_bytes == 0) {
        return false;
    }
    const uint64_t chunk = source->chunk_rows != 0 ? source->chunk_rows : STOA_DIRECT_ROWS;
    const uint64_t chunk_bytes = chunk * row_bytes;
    const uint64_t most = *left / chunk_bytes;
    const uint64_t n = stoa_rowset_count_chunks(scan->is.candidates.rows, chunk, most);

    *left -= n <= most ? n * chunk_bytes : 0;
    return n <= most;
}

/* Cache codes rather than their texts. Cache both while it is not known whether the column will
 * get codes. */
static void keep_source(const stoa_scan *scan, stoa_source *source, uint64_t *left)
{
    const stoa_learned_dictionary *learned_dictionary =
        source->learned_dictionary != NULL ? source->learned_dictionary : source->learns;

    if (learned_dictionary != NULL) {
        source->keeps_codes =
            keep_few(scan, source, stoa_learned_dictionary_width(learned_dictionary), left);
    }
    if (source->column != NULL && source->learned_dictionary == NULL) {
        source->keeps = keep_few(scan, source, source->column->element.size, left);
    }
}

/* Choose the columns whose chunks are cached for later scans, since an open table is often
 * queried for the same rows. Only columns with few chunks are cached; more would evict each
 * other. Tested columns come first: they are read as a whole, the others only for rows that
 * pass. */
static void find_kept(stoa_scan *scan)
{
    uint64_t left =
        stoa_chunk_cache_most(stoa_read_context_cache(scan->is.table->read_context)) / 16 * 15;

    for (int tested = 1; tested >= 0; tested--) {
        for (size_t i = 0; i < scan->is.scope->n_columns; i++) {
            if ((scan->tested[i] != STOA_USE_NONE) == (tested == 1)) {
                keep_source(scan, &scan->sources[i], &left);
            }
        }
    }
}

/* Let a learned dictionary record the column's texts, unless the column has a search index. */
static stoa_status join_lexicon(const stoa_scan *scan, stoa_source *source, stoa_error *err)
{
    stoa_index_set *set = NULL;

    if (source->learned_dictionary != NULL || !stoa_learned_dictionary_suits(source->column) ||
        stoa_table_indexes_of(scan->is.table, source->column, &set, NULL) != STOA_OK ||
        set == NULL || set->n_links > 0) {
        return STOA_OK;
    }
    return stoa_learned_dictionary_join(source->column, &source->learns, err);
}

static stoa_status measure(stoa_scan *scan, stoa_error *err)
{
    enum { FEW_ROWS = 64 };
    const stoa_scope *scope = scan->is.scope;
    const bool are_few = stoa_rowset_count(scan->is.candidates.rows) <= FEW_ROWS;
    const bool are_close = span_of(scan) <= STOA_MORSEL_ROWS;
    uint64_t longest = 0;
    uint64_t text_rows = UINT64_MAX; /* of the shortest chunk of texts */
    uint64_t list_bytes = 0;
    double stored = 0;    /* bytes per row */
    unsigned n_known = 0; /* columns that are datasets or groups */
    unsigned n_read = 0;
    unsigned n_tested = 0;

    scan->row_bytes = sizeof(uint64_t); /* the row number */
    for (size_t i = 0; i < scope->n_columns; i++) {
        stoa_source *source = &scan->sources[i];
        const bool is_bare =
            scan->tested[i] != STOA_USE_VALUES && scan->wanted[i] != STOA_USE_VALUES;
        if (!scan->tested[i] && !scan->wanted[i]) {
            continue;
        }
        STOA_RETURN_NOT_OK(stoa_source_open(source, stoa_table_column(scan->is.table, i),
                                            &scope->columns[i], is_bare, are_few, err));
        STOA_RETURN_NOT_OK(join_lexicon(scan, source, err));
        if (scan->tested[i]) {
            STOA_RETURN_NOT_OK(stoa_column_zones(source->column, &source->zones, err));
            n_tested++;
        }
        if ((scan->tested[i] || are_close) && stoa_kind_is_bytes(source->type.kind) &&
            source->chunk_rows != 0 && source->chunk_rows < text_rows) {
            text_rows = source->chunk_rows;
        }
        if (scan->is.predicate == NULL || scan->tested[i]) {
            longest = source->chunk_rows > longest ? source->chunk_rows : longest;
            uint64_t n_here = 0;
            STOA_RETURN_NOT_OK(list_bytes_of(source, &n_here, err));
            list_bytes += n_here;
        }
        scan->row_bytes += width_in(source, scan->wanted[i]);
        stored += source->bytes_per_row;
        n_known += source->column->dataset >= 0 || source->column->group >= 0;
        n_read++;
    }
    find_kept(scan);
    scan->is_unwritten = n_known == n_read && stored < 0x1p-20;
    scan->chunk_rows = longest;
    scan->unit_rows = choose_unit(longest, scan->row_bytes, n_read > STOA_MANY_COLUMNS);
    const uint64_t usual_rows = scan->unit_rows;
    if (n_tested > 1 || are_close) {
        scan->unit_rows = fit_texts(scan->unit_rows, longest, text_rows);
    }
    const bool are_shared_out = are_close && scan->unit_rows < usual_rows;
    if (list_bytes > 0) {
        scan->unit_rows = fit_lists(scan->unit_rows, list_bytes);
    }
    if (scan->is.table->parts != NULL) {
        scan->unit_rows = fit_parts(scan->is.table, scan->unit_rows);
    }
    scan->morsel_rows = widen_morsel(scan, are_shared_out ? scan->unit_rows : choose_morsel(scan));
    return STOA_OK;
}

stoa_status stoa_scan_open(stoa_scan *scan, const stoa_scan_request *request, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = request->scope->n_columns;

    *scan = (stoa_scan){.is = *request};
    STOA_TRY(stoa_prefetch_open(&scan->prefetch, n, err));
    stoa_scan_restart(scan, request->candidates);
    scan->tested = stoa_alloc_zero(n, sizeof *scan->tested);
    scan->wanted = stoa_alloc_zero(n, sizeof *scan->wanted);
    scan->sources = stoa_alloc_zero(n, sizeof *scan->sources);
    STOA_TRY(scan->tested != NULL && scan->wanted != NULL && scan->sources != NULL
                 ? STOA_OK
                 : stoa_fail_memory(err));
    memcpy(scan->wanted, request->wanted, n * sizeof *scan->wanted);
    if (request->predicate != NULL) {
        stoa_expr_columns(request->predicate, scan->tested);
    }
    STOA_TRY(measure(scan, err));
    scan->n_testers = stoa_workers_count(request->workers);
    scan->scan_workers = stoa_alloc_zero(scan->n_testers, sizeof *scan->scan_workers);
    STOA_TRY(scan->scan_workers != NULL ? STOA_OK : stoa_fail_memory(err));

done:
    if (status != STOA_OK) {
        stoa_scan_clear(scan);
    }
    return status;
}

void stoa_scan_restart(stoa_scan *scan, stoa_candidates candidates)
{
    scan->is.candidates = candidates;
    scan->limit = UINT64_MAX;
    const uint64_t n = stoa_rowset_count(candidates.rows);
    scan->total_rows = scan->counts.rows + n;
    scan->is_little = n <= STOA_LITTLE_ROWS;
    scan->at = (stoa_cursor){.range = 0};
    scan->counts.next_chunk = 0;
    stoa_prefetch_restart(&scan->prefetch, candidates);
}

void stoa_scan_want(stoa_scan *scan, const stoa_use *wanted)
{
    memcpy(scan->wanted, wanted, scan->is.scope->n_columns * sizeof *wanted);
}

stoa_status stoa_scan_test(stoa_scan *scan, size_t column, stoa_use use, stoa_error *err)
{
    stoa_source *source = &scan->sources[column];

    scan->tested[column] = use;
    return source->zones != NULL ? STOA_OK : stoa_column_zones(source->column, &source->zones, err);
}

void stoa_scan_clear(stoa_scan *scan)
{
    for (unsigned i = 0; scan->scan_workers != NULL && i < scan->n_testers; i++) {
        stoa_scan_worker_close(&scan->scan_workers[i]);
    }
    for (size_t i = 0; scan->sources != NULL && i < scan->is.scope->n_columns; i++) {
        stoa_learned_dictionary_leave(scan->sources[i].learns);
    }
    stoa_prefetch_clear(&scan->prefetch);
    free(scan->scan_workers);
    free(scan->tested);
    free(scan->wanted);
    free(scan->sources);
    scan->scan_workers = NULL;
    scan->tested = NULL;
    scan->wanted = NULL;
    scan->sources = NULL;
}

/* Running ----------------------------------------------------------------------------------- */

bool stoa_scan_cut(stoa_scan *scan, stoa_morsel *morsel)
{
    if (scan->limit == 0 ||
        !stoa_morsel_cut(&scan->is.candidates, scan->morsel_rows, &scan->at, morsel)) {
        return false;
    }
    morsel->limit = scan->limit;
    return true;
}

/* A job for the workers. */
typedef struct job {
    stoa_scan *scan;
    stoa_scan_part part;
    void *context;
} job;

static stoa_status do_part(void *context, unsigned worker, uint64_t number, stoa_error *err)
{
    const job *j = context;
    stoa_scan_worker *scan_worker = &j->scan->scan_workers[worker];

    if (scan_worker->scan == NULL) {
        const stoa_status status = stoa_scan_worker_open(scan_worker, j->scan, worker, err);
        if (status != STOA_OK) {
            atomic_store(&j->scan->has_failed, true);
            return status;
        }
    }
    return j->part(j->context, scan_worker, number, err);
}

static stoa_status look(void *context, stoa_error *err)
{
    return stoa_scan_tell(context, err);
}

/* The number of rows that will be tested in all. If a limit may end the scan any time: those
 * tested so far. */
static uint64_t rows_ahead(const stoa_scan *scan)
{
    if (scan->limit >= scan->total_rows) {
        return scan->total_rows;
    }
    return scan->is.predicate != NULL ? scan->counts.rows : scan->limit;
}

stoa_status stoa_scan_may_read(const stoa_scan *scan, uint64_t n_rows, stoa_error *err)
{
    return !scan->is_unwritten || n_rows <= STOA_UNWRITTEN_ROWS
               ? STOA_OK
               : stoa_fail(err, STOA_ERANGE,
                           "%llu rows are to be read, and hardly any was ever written: they are "
                           "fill values; ask for fewer",
                           (unsigned long long)n_rows);
}

stoa_status stoa_scan_run(stoa_scan *scan, uint64_t n, stoa_scan_part part, void *context,
                          stoa_error *err)
{
    job j = {scan, part, context};

    STOA_RETURN_NOT_OK(stoa_scan_may_read(scan, rows_ahead(scan), err));
    stoa_workers_set_look(scan->is.workers, look, scan);
    const stoa_status status = (scan->is_little ? stoa_workers_run_little : stoa_workers_run)(
        scan->is.workers, n, do_part, &j, err);
    stoa_workers_set_look(scan->is.workers, NULL, NULL);
    return status;
}

void stoa_scan_count(stoa_scan *scan, const stoa_scan_counts *counts)
{
    stoa_scan_counts *all = &scan->counts;

    all->rows += counts->rows;
    all->untested += counts->untested;
    all->passed += counts->passed;
    all->bytes += counts->bytes;
    if (counts->chunks > 0) { /* a chunk may extend over several morsels */
        const bool again = counts->low_chunk < all->next_chunk;
        all->chunks += counts->chunks - (again ? all->next_chunk - counts->low_chunk : 0);
        all->next_chunk = counts->next_chunk;
    }
}
