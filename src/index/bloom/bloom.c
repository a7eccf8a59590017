/*
 * CHUNK_BLOOM (HEP001 §10.7): a Bloom filter of every chunk's values.
 *
 * All filters of an index have the same size, chosen for the chunk with the most distinct values.
 * The column is therefore read twice. Filters do not contain missing rows or NaN.
 */
#include "index/bloom/bloom.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/progress.h"
#include "hdf/metadata/attributes.h"
#include "index/common/block_scan.h"

static const double default_rate = 0.01;
/* A larger filter costs more to read than most chunks. */
static const uint64_t max_filter_bytes = 64u << 20;
/* Small filters share a chunk of the dataset up to this size. */
static const uint64_t group_bytes = 65536;
/* Filters with more hash functions were not written by Stoa. An append rebuilds them, and
 * verification tests no more bits than this. */
static const uint32_t max_k = 256;
/* All filters are rebuilt if those of appended chunks exceed the requested false-positive rate by
 * this factor. */
static const double worst_rate_ratio = 4.0;

/* Filters ----------------------------------------------------------------------------------- */

/* Filters of consecutive chunks that are built at the same time. */
typedef struct making {
    const stoa_column *column;
    const stoa_bloom *bloom;
    hid_t dataset;
    stoa_runs runs;
    uint8_t *filters;  /* zero, except for runs being scanned */
    uint64_t n_bytes;  /* per filter */
    uint64_t most_set; /* set bits of the fullest filter */
} making;

static stoa_status insert_slice(void *context, uint64_t place, uint64_t first,
                                const stoa_block *slice, stoa_error *err)
{
    const making *m = context;
    const size_t size = m->column->element.size;
    const uint64_t chunk_rows = m->runs.chunk_rows;
    stoa_key key;

    (void)err;
    for (uint64_t i = 0, end; i < slice->count; i = end) {
        uint8_t *filter = m->filters + stoa_runs_chunk(&m->runs, place, first + i) * m->n_bytes;
        const uint64_t left = chunk_rows - (first + i) % chunk_rows;
        end = left < slice->count - i ? i + left : slice->count;
        for (; i < end; i++) {
            if ((slice->missing == NULL || !stoa_bit_get(slice->missing, i)) &&
                stoa_key_of(m->column, slice->elements + i * size, &key)) {
                stoa_bloom_insert(m->bloom, stoa_bloom_hash(m->bloom, &key), filter);
            }
        }
    }
    return STOA_OK;
}

static stoa_status write_filters(void *context, uint64_t n_runs, uint64_t first, uint64_t end,
                                 stoa_error *err)
{
    making *m = context;
    const uint64_t chunk = first / m->runs.chunk_rows;
    const uint64_t n = (end - 1) / m->runs.chunk_rows + 1 - chunk;
    uint8_t *filters = m->filters + stoa_runs_chunk(&m->runs, 0, first) * m->n_bytes;

    (void)n_runs;
    STOA_RETURN_NOT_OK(stoa_byte_matrix_write(
        m->dataset, &(stoa_byte_matrix_part){chunk, 0, n, m->n_bytes}, filters, err));
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t n_set = stoa_bit_count(filters + i * m->n_bytes, 0, m->bloom->m_bits);
        m->most_set = n_set > m->most_set ? n_set : m->most_set;
    }
    memset(filters, 0, (size_t)(n * m->n_bytes));
    return STOA_OK;
}

/* Compute and write the filters from chunk `first` on, for n_rows rows. */
static stoa_status make_filters(stoa_column *column, hid_t dataset, const stoa_bloom *bloom,
                                uint64_t first, uint64_t n_rows, const stoa_listener *listener,
                                uint64_t *most_set, stoa_error *err)
{
    stoa_status status = STOA_OK;
    making m = {.column = column, .bloom = bloom, .dataset = dataset, .n_bytes = bloom->m_bits / 8};
    const uint64_t chunk_rows = stoa_index_chunk_rows(column, n_rows);

    *most_set = 0;
    if (first * chunk_rows >= n_rows) {
        return STOA_OK;
    }
    STOA_TRY(
        stoa_runs_open(&m.runs, column, chunk_rows, m.n_bytes, 0, first * chunk_rows, n_rows, err));
    m.filters = stoa_alloc_zero((size_t)(m.runs.n_places * m.runs.run_chunks), (size_t)m.n_bytes);
    STOA_TRY(m.filters != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_runs_visit(&m.runs, "indexing", listener, insert_slice, write_filters, &m, err));
    *most_set = m.most_set;

done:
    stoa_runs_close(&m.runs);
    free(m.filters);
    return status;
}

/* Building ---------------------------------------------------------------------------------- */

static stoa_status write_attributes(hid_t dataset, const stoa_bloom *bloom, double rate,
                                    stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint16_t k = (uint16_t)bloom->k;
    char *parameters =
        stoa_format("k = %u, m_bits = %llu, seed = %u, false positives = %g", (unsigned)bloom->k,
                    (unsigned long long)bloom->m_bits, (unsigned)bloom->seed, rate);

    STOA_TRY(parameters != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_index_describe(dataset, stoa_index_bloom.kind, parameters, err));
    STOA_TRY(stoa_attribute_write_scalar(dataset, "k", H5T_STD_U16LE, H5T_NATIVE_UINT16, &k, err));
    STOA_TRY(stoa_attribute_write_u64(dataset, "m_bits", bloom->m_bits, err));
    STOA_TRY(stoa_attribute_write_ascii(dataset, "hash_family", "murmur3_x64_128_double", err));
    STOA_TRY(stoa_attribute_write_scalar(dataset, "seed", H5T_STD_U32LE, H5T_NATIVE_UINT32,
                                         &bloom->seed, err));
    STOA_TRY(stoa_attribute_write_scalar(dataset, STOA_BLOOM_RATE, H5T_IEEE_F64LE,
                                         H5T_NATIVE_DOUBLE, &rate, err));

done:
    free(parameters);
    return status;
}

/* Choose a filter size for the column's chunks. */
static stoa_status choose(stoa_column *column, uint64_t n_rows, double rate, uint32_t seed,
                          const stoa_listener *listener, stoa_bloom *bloom, stoa_error *err)
{
    uint64_t most = 0;

    STOA_RETURN_NOT_OK(stoa_bloom_count(column, n_rows, listener, &most, err));
    *bloom = stoa_bloom_choose(most, rate, seed);
    if (bloom->m_bits / 8 > max_filter_bytes) {
        return stoa_fail(
            err, STOA_ERANGE,
            "a chunk of column '%s' has %llu values, for which a filter (HEP001 §10.7) of "
            "%llu bytes would be needed; store the column in chunks of fewer rows",
            column->name, (unsigned long long)most, (unsigned long long)(bloom->m_bits / 8));
    }
    return STOA_OK;
}

static stoa_status bloom_build(stoa_column *column, uint64_t n_rows, hid_t indexes,
                               const char *name, const stoa_index_options *options, hid_t *dataset,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    const double rate = options->false_positives == 0.0 ? default_rate : options->false_positives;
    stoa_bloom bloom = {0};
    hid_t made = H5I_INVALID_HID;
    uint64_t most_set;

    *dataset = H5I_INVALID_HID;
    if (!(rate > 0.0 && rate < 1.0)) {
        STOA_FAIL(err, STOA_EINVAL,
                  "a rate of false positives lies between 0 and 1, both excluded, and is not %g",
                  rate);
    }
    STOA_TRY(choose(column, n_rows, rate, options->seed, &options->listener, &bloom, err));
    const uint64_t n_bytes = bloom.m_bits / 8;
    STOA_TRY(stoa_byte_matrix_create(indexes, name,
                                     n_bytes < group_bytes ? group_bytes / n_bytes : 1, n_bytes,
                                     "none", &made, err));
    STOA_TRY(write_attributes(made, &bloom, rate, err));
    STOA_TRY(stoa_byte_matrix_resize(made, stoa_index_n_chunks(column, n_rows), n_bytes, err));
    STOA_TRY(make_filters(column, made, &bloom, 0, n_rows, &options->listener, &most_set, err));
    *dataset = made;
    made = H5I_INVALID_HID;

done:
    return stoa_hdf_close(&made, status, err);
}

/* Updating ---------------------------------------------------------------------------------- */

static void bloom_recall(hid_t dataset, stoa_index_options *options)
{
    uint64_t seed = 0;
    double rate = 0.0;
    bool found = false;

    if (stoa_attribute_read_u64(dataset, "seed", &seed, &found, NULL) == STOA_OK && found &&
        seed <= UINT32_MAX) {
        options->seed = (uint32_t)seed;
    }
    if (stoa_attribute_read_scalar(dataset, STOA_BLOOM_RATE, H5T_NATIVE_DOUBLE, &rate, &found,
                                   NULL) == STOA_OK &&
        found && rate > 0.0 && rate < 1.0) {
        options->false_positives = rate;
    }
}

/* Rebuild all filters with a new size in the existing dataset. */
static stoa_status make_anew(stoa_column *column, hid_t dataset, uint64_t n_rows, double rate,
                             uint32_t seed, stoa_error *err)
{
    stoa_bloom bloom = {0};
    uint64_t most_set;

    STOA_RETURN_NOT_OK(choose(column, n_rows, rate, seed, NULL, &bloom, err));
    STOA_RETURN_NOT_OK(stoa_byte_matrix_resize(dataset, 0, 0, err));
    STOA_RETURN_NOT_OK(stoa_byte_matrix_resize(dataset, stoa_index_n_chunks(column, n_rows),
                                               bloom.m_bits / 8, err));
    STOA_RETURN_NOT_OK(write_attributes(dataset, &bloom, rate, err));
    return make_filters(column, dataset, &bloom, 0, n_rows, NULL, &most_set, err);
}

/* The last chunk may have been partial, so its filter is recomputed (notes A8). That also removes
 * truncated values. Chunks with more distinct values than before are acceptable until they give too
 * many false positives. */
static stoa_status bloom_append(stoa_column *column, hid_t dataset, uint64_t n_old, uint64_t n_rows,
                                stoa_error *err)
{
    const uint64_t n_kept = n_old < n_rows ? n_old : n_rows;
    const uint64_t n_whole = column->chunk_rows != 0 ? n_kept / column->chunk_rows : 0;
    stoa_index_options built = STOA_INDEX_OPTIONS_INIT;
    stoa_bloom bloom = {0};
    uint64_t most_set = 0;

    STOA_RETURN_NOT_OK(stoa_bloom_accepts(column, err));
    STOA_RETURN_NOT_OK(stoa_bloom_load(column, dataset, n_old, &bloom, err));
    bloom_recall(dataset, &built);
    const double rate = built.false_positives == 0.0 ? default_rate : built.false_positives;
    const bool is_power = bloom.m_bits != 0 && (bloom.m_bits & (bloom.m_bits - 1)) == 0;
    if (bloom.k == 0 || bloom.k > max_k || !is_power || bloom.m_bits / 8 > max_filter_bytes) {
        /* Not written by Stoa, so the arithmetic used is unknown (notes D1, D4). */
        STOA_RETURN_NOT_OK(make_anew(column, dataset, n_rows, rate, bloom.seed, err));
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_byte_matrix_resize(dataset, stoa_index_n_chunks(column, n_rows),
                                               bloom.m_bits / 8, err));
    STOA_RETURN_NOT_OK(
        make_filters(column, dataset, &bloom, n_whole, n_rows, NULL, &most_set, err));
    if (stoa_bloom_rate(&bloom, most_set) > worst_rate_ratio * rate) {
        STOA_RETURN_NOT_OK(make_anew(column, dataset, n_rows, rate, bloom.seed, err));
    }
    return STOA_OK;
}

/* Verifying --------------------------------------------------------------------------------- */

/* What was found in a run of chunks. */
typedef struct verdict {
    uint64_t chunk; /* chunk of `filter`; UINT64_MAX if none */
    uint8_t *filter;
    bool fits[2];         /* for each reading, whether it has fitted so far */
    uint64_t first_wrong; /* row, for the first reading */
} verdict;

/* Every value must be in its chunk's filter, for all values by the same reading of the arithmetic
 * (notes D1). Extra bits only cost time (notes D3). Runs are compared on several threads. */
typedef struct comparison {
    const stoa_column *column;
    const stoa_bloom *bloom;
    hid_t dataset;
    stoa_runs runs;
    verdict *verdicts; /* by the place of a run */
    int last_reading;  /* both are the same where the bits are a power of two */
    verdict all;       /* without a filter */
} comparison;

static stoa_status read_filter(const comparison *c, uint64_t chunk, verdict *v, stoa_error *err)
{
    const stoa_byte_matrix_part part = {chunk, 0, 1, c->bloom->m_bits / 8};

    stoa_workers_lock(c->runs.readers.workers);
    const stoa_status status = stoa_byte_matrix_read(c->dataset, &part, v->filter, err);
    stoa_workers_unlock(c->runs.readers.workers);
    v->chunk = status == STOA_OK ? chunk : UINT64_MAX;
    return status;
}

static stoa_status compare_slice(void *context, uint64_t place, uint64_t first,
                                 const stoa_block *slice, stoa_error *err)
{
    comparison *c = context;
    verdict *const v = &c->verdicts[place];
    const size_t size = c->column->element.size;
    stoa_key key;

    for (uint64_t i = 0; i < slice->count && (v->fits[0] || v->fits[1]); i++) {
        const uint64_t chunk = (first + i) / c->runs.chunk_rows;
        if (chunk != v->chunk) {
            STOA_RETURN_NOT_OK(read_filter(c, chunk, v, err));
        }
        if ((slice->missing != NULL && stoa_bit_get(slice->missing, i)) ||
            !stoa_key_of(c->column, slice->elements + i * size, &key)) {
            continue;
        }
        const stoa_murmur3 hash = stoa_bloom_hash(c->bloom, &key);
        for (int r = STOA_BLOOM_WRAPPED; r <= c->last_reading; r++) {
            if (v->fits[r] &&
                !stoa_bloom_holds(c->bloom, (stoa_bloom_reading)r, hash, v->filter, max_k)) {
                v->fits[r] = false;
                v->first_wrong = r == STOA_BLOOM_WRAPPED ? first + i : v->first_wrong;
            }
        }
    }
    return STOA_OK;
}

/* Runs come in the order of their rows. What did not fit before need not be looked at again. */
static stoa_status unite_verdicts(void *context, uint64_t n_runs, uint64_t first, uint64_t end,
                                  stoa_error *err)
{
    comparison *c = context;

    (void)first;
    (void)end;
    (void)err;
    for (uint64_t i = 0; i < n_runs; i++) {
        if (c->all.fits[0] && !c->verdicts[i].fits[0]) {
            c->all.first_wrong = c->verdicts[i].first_wrong;
        }
        c->all.fits[0] = c->all.fits[0] && c->verdicts[i].fits[0];
        c->all.fits[1] = c->all.fits[1] && c->verdicts[i].fits[1];
    }
    for (uint64_t i = 0; i < c->runs.n_places; i++) {
        memcpy(c->verdicts[i].fits, c->all.fits, sizeof c->all.fits);
    }
    return STOA_OK;
}

static stoa_status compare_rows(comparison *c, stoa_column *column, uint64_t n_rows,
                                const stoa_listener *listener, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n_bytes = c->bloom->m_bits / 8;

    if (n_rows == 0) {
        return STOA_OK;
    }
    STOA_TRY(stoa_runs_open(&c->runs, column, stoa_index_chunk_rows(column, n_rows), 0, n_bytes, 0,
                            n_rows, err));
    c->verdicts = stoa_alloc_zero((size_t)c->runs.n_places, sizeof *c->verdicts);
    STOA_TRY(c->verdicts != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint64_t i = 0; i < c->runs.n_places; i++) {
        c->verdicts[i] = c->all;
        c->verdicts[i].filter = stoa_alloc_zero((size_t)n_bytes, 1);
        STOA_TRY(c->verdicts[i].filter != NULL ? STOA_OK : stoa_fail_memory(err));
    }
    STOA_TRY(
        stoa_runs_visit(&c->runs, "verifying", listener, compare_slice, unite_verdicts, c, err));

done:
    for (uint64_t i = 0; c->verdicts != NULL && i < c->runs.n_places; i++) {
        free(c->verdicts[i].filter);
    }
    free(c->verdicts);
    stoa_runs_close(&c->runs);
    return status;
}

static stoa_status bloom_verify(stoa_column *column, hid_t dataset, uint64_t n_rows,
                                const stoa_listener *listener, bool *same, char *problem,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_bloom bloom = {0};
    stoa_error damage = STOA_ERROR_INIT;
    stoa_index *index = NULL;
    comparison c = {.column = column,
                    .bloom = &bloom,
                    .dataset = dataset,
                    .all = {.chunk = UINT64_MAX, .fits = {true, true}}};

    *same = true;
    problem[0] = '\0';
    /* Opening the index detects every formal error. */
    status = stoa_bloom_open(column, dataset, n_rows, &index, &damage);
    if (status == STOA_ENOMEM) {
        STOA_TRY(stoa_fail_memory(err));
    }
    if (status != STOA_OK) {
        (void)snprintf(problem, 256, "%.255s", damage.message);
        status = STOA_OK;
        *same = false;
        goto done;
    }
    STOA_TRY(stoa_bloom_load(column, dataset, n_rows, &bloom, err));
    c.last_reading = STOA_BLOOM_EXACT;
    if ((bloom.m_bits & (bloom.m_bits - 1)) == 0) {
        c.last_reading = STOA_BLOOM_WRAPPED;
        c.all.fits[STOA_BLOOM_EXACT] = false;
    }
    STOA_TRY(compare_rows(&c, column, n_rows, listener, err));
    *same = c.all.fits[0] || c.all.fits[1];
    if (!*same) {
        (void)snprintf(
            problem, 256,
            "chunk %llu: the filter says that the value of row %llu is not there "
            "(HEP001 §10.7)",
            (unsigned long long)(c.all.first_wrong / stoa_index_chunk_rows(column, n_rows)),
            (unsigned long long)c.all.first_wrong);
    }

done:
    stoa_bloom_close(index);
    return status;
}

const stoa_index_kind stoa_index_bloom = {
    .name = "bloom",
    .kind = "CHUNK_BLOOM",
    .section = "HEP001 §10.7",
    .only_points = true,
    .accepts = stoa_bloom_accepts,
    .build = bloom_build,
    .recall = bloom_recall,
    .append = bloom_append,
    .verify = bloom_verify,
    .open = stoa_bloom_open,
    .estimate = stoa_bloom_estimate,
    .prune = stoa_bloom_prune,
    .close = stoa_bloom_close,
};
