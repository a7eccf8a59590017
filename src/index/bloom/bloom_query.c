/*
 * Querying a CHUNK_BLOOM index (HEP001 §10.7): it can only exclude that a chunk holds a value.
 *
 * It therefore helps if a test is a list of values, which includes short integer ranges. Filters
 * tell nothing about missing rows and NaN.
 */
#include <stdlib.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "index/bloom/bloom.h"
#include "index/common/order.h"

/* Maximum number of values in such a list. */
enum { MAX_POINTS = 256 };
/* Bits tested per value. A foreign k may be up to 65535; testing fewer bits gives correct but
 * weaker answers. */
static const uint32_t max_probes = 64;
/* Bytes of filters read together. */
static const uint64_t max_read_bytes = 4u << 20;
/* A larger filter was not written by Stoa and is not worth its memory. */
static const uint64_t max_filter_bytes = 256u << 20;
/* Limits of an estimate: filters tested, and bytes read for them. */
static const uint64_t max_sampled = 16;
static const uint64_t max_sampled_bytes = 4u << 20;

struct stoa_index {
    const stoa_column *column;
    hid_t dataset;
    stoa_bloom bloom;
    uint64_t n_rows;
    uint64_t chunk_rows;
    uint64_t n_filters;
};

/* Opening ----------------------------------------------------------------------------------- */

static stoa_status read_number(hid_t dataset, const char *name, uint64_t max, uint64_t *value,
                               stoa_error *err)
{
    bool found = false;

    STOA_RETURN_NOT_OK(stoa_attribute_read_u64(dataset, name, value, &found, err));
    if (!found || *value > max) {
        return stoa_fail(err, STOA_EDATA, "attribute '%s' of a bloom index is %s (HEP001 §10.7)",
                         name, found ? "too large" : "not there");
    }
    return STOA_OK;
}

static stoa_status check_family(hid_t dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *family = NULL;

    STOA_TRY(stoa_attribute_read_text(dataset, "hash_family", &family, err));
    if (family == NULL || strcmp(family, "murmur3_x64_128_double") != 0) {
        STOA_FAIL(err, STOA_EDATA,
                  "hash_family of a bloom index is '%.64s', not 'murmur3_x64_128_double' (HEP001 "
                  "§10.7)",
                  family != NULL ? family : "");
    }

done:
    free(family);
    return status;
}

stoa_status stoa_bloom_accepts(const stoa_column *column, stoa_error *err)
{
    const stoa_element *type = &column->element;
    bool fits = false;

    switch (type->class) {
    case STOA_ELEMENT_INTEGER:
        fits = !type->is_bitfield && !type->is_odd;
        break;
    case STOA_ELEMENT_FLOAT:
        fits = !type->is_odd;
        break;
    case STOA_ELEMENT_OPAQUE:
        fits = !type->is_raw;
        break;
    case STOA_ELEMENT_FIXED_STRING:
    case STOA_ELEMENT_STRING:
        fits = true;
        break;
    default:
        break;
    }
    return fits ? STOA_OK
                : stoa_fail(err, STOA_ETYPE,
                            "column '%s' of %s cannot have a bloom index: HEP001 §10.7 has no "
                            "canonical bytes for it",
                            column->name, type->text);
}

stoa_status stoa_bloom_load(const stoa_column *column, hid_t dataset, uint64_t n_rows,
                            stoa_bloom *bloom, stoa_error *err)
{
    const uint64_t n_needed = stoa_index_n_chunks(column, n_rows);
    stoa_byte_matrix_part all;
    uint64_t k = 0;
    uint64_t seed = 0;
    uint64_t m_bits = 0;

    STOA_RETURN_NOT_OK(stoa_byte_matrix_check("bloom", "HEP001 §10.7", dataset, &all, err));
    if (all.n_rows < n_needed) {
        return stoa_fail(
            err, STOA_EDATA,
            "a bloom index has %llu filters, the column %llu chunks with rows (HEP001 §10.7)",
            (unsigned long long)all.n_rows, (unsigned long long)n_needed);
    }
    STOA_RETURN_NOT_OK(check_family(dataset, err));
    STOA_RETURN_NOT_OK(read_number(dataset, "k", UINT16_MAX, &k, err));
    STOA_RETURN_NOT_OK(read_number(dataset, "seed", UINT32_MAX, &seed, err));
    STOA_RETURN_NOT_OK(read_number(dataset, "m_bits", UINT64_MAX, &m_bits, err));
    if (all.n_bytes > UINT64_MAX / 8 || m_bits != 8 * all.n_bytes) {
        return stoa_fail(
            err, STOA_EDATA,
            "m_bits of a bloom index is %llu, its filters have %llu bytes (HEP001 §10.7)",
            (unsigned long long)m_bits, (unsigned long long)all.n_bytes);
    }
    *bloom = (stoa_bloom){.m_bits = m_bits, .k = (uint32_t)k, .seed = (uint32_t)seed};
    return STOA_OK;
}

void stoa_bloom_close(stoa_index *index)
{
    if (index != NULL) {
        (void)stoa_hdf_close(&index->dataset, STOA_OK, NULL);
        free(index);
    }
}

stoa_status stoa_bloom_open(stoa_column *column, hid_t dataset, uint64_t n_rows, stoa_index **index,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_index *opened = stoa_alloc_zero(1, sizeof *opened);

    *index = NULL;
    STOA_RETURN_NO_MEMORY(err, opened);
    opened->dataset = H5I_INVALID_HID;
    opened->column = column;
    opened->n_rows = n_rows;
    opened->chunk_rows = stoa_index_chunk_rows(column, n_rows);
    opened->n_filters = stoa_index_n_chunks(column, n_rows);
    STOA_TRY(stoa_bloom_accepts(column, err));
    STOA_TRY(stoa_bloom_load(column, dataset, n_rows, &opened->bloom, err));
    if (opened->bloom.m_bits / 8 > max_filter_bytes) {
        STOA_FAIL(err, STOA_ERANGE, "a bloom index with filters of %llu bytes is too large to help",
                  (unsigned long long)(opened->bloom.m_bits / 8));
    }
    STOA_HDF(err, H5Iinc_ref(dataset), "keep a bloom index open");
    opened->dataset = dataset;
    *index = opened;
    opened = NULL;

done:
    stoa_bloom_close(opened);
    return status;
}

/* Values of a test -------------------------------------------------------------------------- */

/* The values of a test as hashes. */
typedef struct points {
    stoa_murmur3 hashes[MAX_POINTS];
    size_t n;
    bool is_list; /* whether the test is just a list of values */
} points;

static void add_point(const stoa_index *index, const stoa_scalar *value, points *to)
{
    stoa_key key;

    if (!stoa_key_of_scalar(index->column, value, &key)) {
        return; /* no row can hold it */
    }
    if (to->n == MAX_POINTS) {
        to->is_list = false;
        return;
    }
    to->hashes[to->n++] = stoa_bloom_hash(&index->bloom, &key);
}

/* Add the integers of an interval if they are few. Both bounds exist and are of integer kinds. */
static void add_integers(const stoa_index *index, const stoa_interval *interval, points *to)
{
    const bool is_signed = stoa_kind_is_signed(index->column->element.kind);
    stoa_scalar value = interval->low;
    int order = 0;

    if (interval->low.kind != interval->high.kind ||
        (interval->low.kind == STOA_SCALAR_I64) != is_signed) {
        to->is_list = false;
        return;
    }
    for (size_t i = 0; i <= MAX_POINTS; i++) {
        (void)stoa_scalar_compare(&value, &interval->high, &order);
        if (order > 0 || (order == 0 && interval->high_open)) {
            return;
        }
        if (i > 0 || !interval->low_open) {
            add_point(index, &value, to);
        }
        if (order == 0 || !to->is_list) {
            return;
        }
        value.as.u64++; /* below `high`, so no overflow; int64 has the same bits */
    }
    to->is_list = false;
}

static void add_interval(const stoa_index *index, const stoa_interval *interval, points *to)
{
    const bool is_integer = index->column->element.class == STOA_ELEMENT_INTEGER;
    int order = 0;

    if (!interval->has_low || !interval->has_high ||
        !stoa_scalar_compare(&interval->low, &interval->high, &order)) {
        to->is_list = false;
        return;
    }
    if (order > 0 || (order == 0 && (interval->low_open || interval->high_open))) {
        return; /* empty */
    }
    if (order == 0) {
        add_point(index, &interval->low, to);
    } else if (is_integer) {
        add_integers(index, interval, to);
    } else {
        to->is_list = false;
    }
}

static void find_points(const stoa_index *index, const stoa_test *test, points *to)
{
    to->n = 0;
    to->is_list = !test->missing && !test->nan;
    for (size_t i = 0; i < test->n_intervals && to->is_list; i++) {
        add_interval(index, &test->intervals[i], to);
    }
}

/* Querying ---------------------------------------------------------------------------------- */

/* A value is excluded only if both readings of the arithmetic exclude it (notes D1). */
static bool may_hold(const stoa_index *index, const points *asked, const uint8_t *filter)
{
    const bool is_power = (index->bloom.m_bits & (index->bloom.m_bits - 1)) == 0;

    for (size_t i = 0; i < asked->n; i++) {
        if (stoa_bloom_holds(&index->bloom, STOA_BLOOM_WRAPPED, asked->hashes[i], filter,
                             max_probes) ||
            (!is_power && stoa_bloom_holds(&index->bloom, STOA_BLOOM_EXACT, asked->hashes[i],
                                           filter, max_probes))) {
            return true;
        }
    }
    return false;
}

static stoa_status push_chunk(const stoa_index *index, uint64_t chunk, stoa_rowset *set,
                              stoa_error *err)
{
    const uint64_t first = chunk * index->chunk_rows;
    const uint64_t left = index->n_rows - first;

    return stoa_rowset_push(set, first, left < index->chunk_rows ? left : index->chunk_rows, err);
}

/* Allocate a buffer for as many filters as are read together. */
static stoa_status make_buffer(const stoa_index *index, uint64_t *together, uint8_t **filters,
                               stoa_error *err)
{
    const uint64_t n_bytes = index->bloom.m_bits / 8;
    const uint64_t fitting = max_read_bytes / (n_bytes + 1) + 1;

    *together = fitting < index->n_filters ? fitting : index->n_filters;
    *filters = stoa_alloc_zero((size_t)*together, (size_t)n_bytes);
    return *filters != NULL ? STOA_OK : stoa_fail_memory(err);
}

stoa_status stoa_bloom_prune(const stoa_index *index, const stoa_test *test,
                             stoa_rowset *candidates, stoa_rowset *certain, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n_bytes = index->bloom.m_bits / 8;
    points *asked = stoa_alloc(1, sizeof *asked);
    uint64_t together = 0;
    uint8_t *filters = NULL;

    candidates->n_ranges = 0;
    certain->n_ranges = 0;
    STOA_TRY(asked != NULL ? STOA_OK : stoa_fail_memory(err));
    find_points(index, test, asked);
    if (!asked->is_list || index->n_filters == 0) {
        STOA_TRY(stoa_rowset_push(candidates, 0, index->n_rows, err));
        goto done;
    }
    STOA_TRY(make_buffer(index, &together, &filters, err));
    for (uint64_t at = 0; asked->n > 0 && at < index->n_filters; at += together) {
        const uint64_t left = index->n_filters - at;
        const uint64_t n = left < together ? left : together;
        STOA_TRY(stoa_byte_matrix_read(index->dataset, &(stoa_byte_matrix_part){at, 0, n, n_bytes},
                                       filters, err));
        for (uint64_t i = 0; i < n; i++) {
            if (may_hold(index, asked, filters + i * n_bytes)) {
                STOA_TRY(push_chunk(index, at + i, candidates, err));
            }
        }
    }

done:
    free(filters);
    free(asked);
    return status;
}

/* Estimate from the share of a few evenly spread filters that may contain one of the values. */
stoa_status stoa_bloom_estimate(const stoa_index *index, const stoa_test *test, uint64_t *n_rows,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n_bytes = index->bloom.m_bits / 8;
    const uint64_t fitting = max_sampled_bytes / (n_bytes + 1) + 1;
    uint64_t n = fitting < max_sampled ? fitting : max_sampled;
    uint64_t n_held = 0;
    uint8_t *filter = NULL;
    points *asked = stoa_alloc(1, sizeof *asked);

    *n_rows = index->n_rows;
    STOA_TRY(asked != NULL ? STOA_OK : stoa_fail_memory(err));
    find_points(index, test, asked);
    if (!asked->is_list || index->n_filters == 0) {
        goto done;
    }
    filter = stoa_alloc_zero(1, (size_t)n_bytes);
    STOA_TRY(filter != NULL ? STOA_OK : stoa_fail_memory(err));
    n = n < index->n_filters ? n : index->n_filters;
    for (uint64_t i = 0; i < n && asked->n > 0; i++) {
        const uint64_t at = index->n_filters / n * i;
        STOA_TRY(stoa_byte_matrix_read(index->dataset, &(stoa_byte_matrix_part){at, 0, 1, n_bytes},
                                       filter, err));
        n_held += may_hold(index, asked, filter);
    }
    /* Values in queries usually exist, so assume at least one chunk. */
    n_held = n_held == 0 && asked->n > 0 && n < index->n_filters ? 1 : n_held;
    *n_rows = (uint64_t)((double)index->n_rows * (double)n_held / (double)n);
    *n_rows = n_held > 0 && n < index->n_filters && *n_rows < index->chunk_rows ? index->chunk_rows
                                                                                : *n_rows;

done:
    free(filter);
    free(asked);
    return status;
}
