/*
 * CHUNK_BLOOM indexes (HEP001 §10.7): form, and contents compared with the column.
 *
 * For each chunk, the filter of its rows is built in memory and compared with the one in the file.
 * It is built twice, because "(h_a + i * h_b) mod (8 * m_bytes)" can mean 64-bit or unbounded
 * integers (notes D1). An index that is right only by the second meaning passes, with a remark.
 */
#include <stdlib.h>
#include <string.h>

#include "check/index_rules.h"
#include "core/murmur3.h"

/* Larger filters than this, or more of them, are not checked. */
#define MAX_FILTER_BYTES ((uint64_t)16 << 20)
#define MAX_FILTERS ((uint64_t)1 << 24)
/* Neither is an index that would take hours. Work counts hashes of all rows and bytes of all
 * filters. */
#define MAX_WORK ((uint64_t)1 << 35)
/* Distinct NaNs of one chunk that are looked up in its filter. */
#define MAX_NANS 16

#define HASH_FAMILY "murmur3_x64_128_double"

/* --- form ------------------------------------------------------------------------------------ */

typedef struct parameters {
    uint64_t k;
    uint64_t m_bits;
    uint64_t seed;
    bool has_m_bits;
    bool is_known; /* all are known, and the hash family is the one of HEP001 */
} parameters;

static bool check_hash_family(stoa_checker *checker, const stoa_subject *index)
{
    static const stoa_text_rules rules = {
        STOA_RULE_BLOOM_HASH_TYPE, STOA_RULE_BLOOM_PARAMETER_SHAPE, STOA_RULE_BLOOM_HASH_CHARSET,
        STOA_RULE_BLOOM_HASH_CHARSET, H5T_CSET_ASCII};
    char *family = NULL;
    bool is_ours = false;

    if (H5Aexists(index->id, "hash_family") == 0) {
        stoa_check_report(checker, index->path, STOA_RULE_BLOOM_PARAMETER_PRESENT,
                          "attribute 'hash_family' is missing");
        return false;
    }
    family = stoa_check_text(checker, index, "hash_family", &rules);
    is_ours = family != NULL && strcmp(family, HASH_FAMILY) == 0;
    if (family != NULL && !is_ours) {
        stoa_check_report(checker, index->path, STOA_RULE_BLOOM_HASH,
                          "hash_family is '%s'; it must be '%s'", family, HASH_FAMILY);
    }
    free(family);
    return is_ours;
}

static parameters check_parameters(stoa_checker *checker, const stoa_subject *index)
{
    static const stoa_number_rules k_rules = {STOA_RULE_BLOOM_PARAMETER_PRESENT,
                                              STOA_RULE_BLOOM_K_TYPE,
                                              STOA_RULE_BLOOM_PARAMETER_SHAPE, 2};
    static const stoa_number_rules m_rules = {STOA_RULE_BLOOM_PARAMETER_PRESENT,
                                              STOA_RULE_BLOOM_M_BITS_TYPE,
                                              STOA_RULE_BLOOM_PARAMETER_SHAPE, 8};
    static const stoa_number_rules seed_rules = {STOA_RULE_BLOOM_PARAMETER_PRESENT,
                                                 STOA_RULE_BLOOM_SEED_TYPE,
                                                 STOA_RULE_BLOOM_PARAMETER_SHAPE, 4};
    parameters p = {.k = 0};
    const bool has_k = stoa_check_number(checker, index, "k", &k_rules, &p.k);
    p.has_m_bits = stoa_check_number(checker, index, "m_bits", &m_rules, &p.m_bits);
    const bool has_seed = stoa_check_number(checker, index, "seed", &seed_rules, &p.seed);
    const bool has_family = check_hash_family(checker, index);

    p.is_known = has_k && p.has_m_bits && has_seed && has_family && p.k <= UINT16_MAX &&
                 p.seed <= UINT32_MAX;
    return p;
}

/* §10.7 "Canonical byte representation": the kinds of type that have one. */
static bool is_whole_integer(hid_t type)
{
    const size_t size = H5Tget_size(type);

    return H5Tget_class(type) == H5T_INTEGER &&
           (size == 1 || size == 2 || size == 4 || size == 8) && H5Tget_precision(type) == 8 * size;
}

static bool has_canonical_form(const stoa_checker *checker, const stoa_checked_column *column)
{
    hid_t base = H5I_INVALID_HID;
    bool is_whole = false;

    switch (column->class) {
    case H5T_ENUM: /* its code (HEP001-2026-07 §11.7); June leaves enumerations out */
        base = H5Tget_super(column->type);
        is_whole = stoa_check_is_july(checker) && is_whole_integer(base);
        (void)stoa_hdf_close(&base, STOA_OK, NULL);
        return is_whole;
    case H5T_INTEGER:
        return is_whole_integer(column->type);
    case H5T_FLOAT:
        return column->datum.is_ordered; /* one of the IEEE 754 formats */
    case H5T_STRING:
    case H5T_OPAQUE:
        return true;
    default:
        return false;
    }
}

/* --- canonical bytes ------------------------------------------------------------------------- */

/* Numbers are read unconverted, in little-endian order, so that all bits of a NaN survive. */
static void canonical_type(const stoa_checked_column *column, stoa_datum_type *datum)
{
    if (column->class != H5T_INTEGER && column->class != H5T_FLOAT && column->class != H5T_ENUM) {
        *datum = column->datum;
        datum->memory_type = H5Tcopy(column->datum.memory_type);
        return;
    }
    hid_t base = column->class == H5T_ENUM ? H5Tget_super(column->type) : H5I_INVALID_HID;
    *datum = (stoa_datum_type){.kind = STOA_DATUM_OPAQUE,
                               .memory_type = H5Tcopy(base >= 0 ? base : column->type),
                               .size = H5Tget_size(column->type)};
    (void)stoa_hdf_close(&base, STOA_OK, NULL);
    (void)H5Tset_order(datum->memory_type, H5T_ORDER_LE);
}

static uint64_t load(const void *value, size_t size)
{
    const uint8_t *bytes = value;
    uint64_t bits = 0;

    for (size_t i = size; i > 0; i--) {
        bits = (bits << 8) | bytes[i - 1];
    }
    return bits;
}

/* Whether the value is a NaN in IEEE 754 at this width; `size` is in bytes, the sign is ignored. */
static bool is_nan_bits(const void *value, size_t size)
{
    const uint64_t bits = load(value, size);
    const uint64_t infinity = size == 2   ? UINT64_C(0x7c00)
                              : size == 4 ? UINT64_C(0x7f800000)
                                          : UINT64_C(0x7ff0000000000000);

    return (bits & (UINT64_MAX >> (65 - 8 * size))) > infinity;
}

static bool is_zero_bits(const void *value, size_t size)
{
    return (load(value, size) & (UINT64_MAX >> (65 - 8 * size))) == 0;
}

/* --- filters --------------------------------------------------------------------------------- */

/* The result for one meaning of the hash scheme. */
typedef struct reading {
    uint8_t *filter; /* of the current chunk */
    bool lacks;      /* a value that the index lacks */
    uint64_t row;    /* of the first one */
    bool has_nan;
    uint64_t nan_chunk;
    bool is_superfluous;
    uint64_t superfluous_chunk;
} reading;

typedef struct comparison {
    stoa_checker *checker;
    const stoa_checked_index *index;
    const stoa_checked_column *column;
    parameters p;
    stoa_datum_type datum; /* canonical */
    bool is_float;
    void *fill; /* canonical; NULL if there is none */
    stoa_rows rows;
    uint64_t n_rows;
    size_t m_bytes;
    uint8_t *found;
    reading readings[2]; /* 64-bit, unbounded */
    size_t n_readings;
    uint64_t nans[MAX_NANS];
    size_t n_nans;
} comparison;

static uint64_t position(const comparison *c, size_t r, const stoa_murmur3 *hash, uint64_t i)
{
    const uint64_t m = 8 * (uint64_t)c->m_bytes;

    return r == 0 ? (hash->low + i * hash->high) % m : (hash->low % m + i * (hash->high % m)) % m;
}

static void hash_value(const comparison *c, const void *value, stoa_murmur3 *hash)
{
    static const uint8_t zero[8] = {0};
    uint64_t room = 0;
    size_t length = 0;
    const void *key = stoa_datum_key(&c->datum, value, &room, &length);

    if (c->is_float && is_zero_bits(value, length)) {
        key = zero;
    }
    *hash = stoa_murmur3_x64_128(key, length, (uint32_t)c->p.seed);
}

static void insert(comparison *c, size_t r, const stoa_murmur3 *hash)
{
    for (uint64_t i = 0; i < c->p.k; i++) {
        stoa_bit_set(c->readings[r].filter, position(c, r, hash, i));
    }
}

static bool holds(const comparison *c, size_t r, const uint8_t *filter, const stoa_murmur3 *hash)
{
    for (uint64_t i = 0; i < c->p.k; i++) {
        if (!stoa_bit_get(filter, position(c, r, hash, i))) {
            return false;
        }
    }
    return true;
}

static void remember_nan(comparison *c, const void *value)
{
    const uint64_t bits = load(value, c->datum.size);

    for (size_t i = 0; i < c->n_nans; i++) {
        if (c->nans[i] == bits) {
            return;
        }
    }
    if (c->n_nans < MAX_NANS) {
        c->nans[c->n_nans++] = bits;
    }
}

static bool visit_rows(void *context, uint64_t first, const void *elements, size_t n)
{
    comparison *c = context;
    const char *value = elements;
    stoa_murmur3 hash;

    for (uint64_t row = first; row < first + n; row++, value += c->datum.size) {
        if (c->is_float && is_nan_bits(value, c->datum.size)) {
            remember_nan(c, value);
            continue;
        }
        if (c->fill != NULL && stoa_datum_same(&c->datum, value, c->fill)) {
            continue;
        }
        hash_value(c, value, &hash);
        for (size_t r = 0; r < c->n_readings; r++) {
            if (!c->readings[r].lacks && !holds(c, r, c->found, &hash)) {
                c->readings[r].lacks = true;
                c->readings[r].row = row;
            }
            insert(c, r, &hash);
        }
    }
    return !c->readings[0].lacks || (c->n_readings > 1 && !c->readings[1].lacks);
}

/* Judge bits of the chunk's filter that no value explains. A producer may have inserted the fill
 * value (notes D3). A NaN whose bits are all set counts as inserted. */
static void judge_rest(comparison *c, size_t r, uint64_t chunk)
{
    reading *const one = &c->readings[r];
    stoa_murmur3 hash;

    if (c->fill != NULL && !(c->is_float && is_nan_bits(c->fill, c->datum.size))) {
        hash_value(c, c->fill, &hash);
        insert(c, r, &hash);
    }
    for (size_t i = 0; i < c->n_nans; i++) {
        uint8_t bytes[8];
        for (size_t b = 0; b < sizeof bytes; b++) {
            bytes[b] = (uint8_t)(c->nans[i] >> (8 * b));
        }
        hash = stoa_murmur3_x64_128(bytes, c->datum.size, (uint32_t)c->p.seed);
        if (c->p.k > 0 && holds(c, r, c->found, &hash) && !holds(c, r, one->filter, &hash)) {
            one->nan_chunk = one->has_nan ? one->nan_chunk : chunk;
            one->has_nan = true;
            insert(c, r, &hash);
        }
    }
    for (size_t i = 0; i < c->m_bytes && !one->is_superfluous; i++) {
        if ((c->found[i] & ~one->filter[i]) != 0) {
            one->is_superfluous = true;
            one->superfluous_chunk = chunk;
        }
    }
}

/* Compare one chunk; false ends the comparison. */
static bool compare_chunk(comparison *c, uint64_t chunk, bool is_stored, stoa_rows_status *status,
                          stoa_rows_status *column_status)
{
    uint64_t first = 0;
    const uint64_t n = stoa_rows_of_chunk(&c->rows, chunk, c->n_rows, &first);

    *status = stoa_grid_read(c->index->subject.id, chunk, 1, 0, c->m_bytes, c->found);
    if (*status != STOA_ROWS_OK) {
        return false;
    }
    for (size_t r = 0; r < c->n_readings; r++) {
        memset(c->readings[r].filter, 0, c->m_bytes);
    }
    c->n_nans = 0;
    /* Without storage all rows are missing, so no value is expected. */
    if (is_stored || c->fill == NULL) {
        *column_status =
            stoa_rows_read(c->checker, c->column->subject.id, &c->rows, c->datum.memory_type,
                           c->datum.size, first, n, visit_rows, c);
    } else if (c->is_float && is_nan_bits(c->fill, c->datum.size)) {
        remember_nan(c, c->fill);
    }
    for (size_t r = 0; r < c->n_readings; r++) {
        if (!c->readings[r].lacks) {
            judge_rest(c, r, chunk);
        }
    }
    return *column_status == STOA_ROWS_OK && !stoa_check_over(c->checker) &&
           (!c->readings[0].lacks || (c->n_readings > 1 && !c->readings[1].lacks));
}

static void report_readings(const comparison *c)
{
    const char *const path = c->index->subject.path;
    const bool is_second = c->readings[0].lacks;
    const reading *const one = &c->readings[is_second ? 1 : 0];

    if (is_second && (c->n_readings == 1 || one->lacks)) {
        stoa_check_report(c->checker, path, STOA_RULE_BLOOM_BITS,
                          "the filter of its chunk does not hold the value of row %llu: queries "
                          "miss it",
                          (unsigned long long)c->readings[0].row);
        return;
    }
    if (is_second) {
        stoa_check_report(c->checker, path, STOA_RULE_BLOOM_MOD_READING,
                          "the filters are right in whole numbers, not in 64 bits: the value of "
                          "row %llu",
                          (unsigned long long)c->readings[0].row);
    }
    if (one->has_nan) {
        stoa_check_report(c->checker, path, STOA_RULE_BLOOM_NAN_INSERTED,
                          "the filter of chunk %llu holds a NaN of its rows",
                          (unsigned long long)one->nan_chunk);
    }
    if (one->is_superfluous) {
        stoa_check_report(c->checker, path, STOA_RULE_BLOOM_SUPERFLUOUS,
                          "the filter of chunk %llu has bits of no value in it",
                          (unsigned long long)one->superfluous_chunk);
    }
}

static void compare_chunks(comparison *c, uint64_t needed, stoa_rows_status *status)
{
    stoa_rows_status column_status = STOA_ROWS_OK;
    size_t next = 0;
    bool has_memory = true;

    /* The two meanings differ only if 2^64 is not a multiple of the filter's bits. */
    c->n_readings = (c->m_bytes & (c->m_bytes - 1)) == 0 ? 1 : 2;
    c->found = stoa_alloc_zero(1, c->m_bytes);
    for (size_t r = 0; r < c->n_readings; r++) {
        c->readings[r].filter = stoa_alloc_zero(1, c->m_bytes);
        has_memory = has_memory && c->readings[r].filter != NULL;
    }
    if (c->found == NULL || !has_memory) {
        stoa_check_memory(c->checker);
    } else {
        for (uint64_t chunk = 0; chunk < needed; chunk++) {
            if (!compare_chunk(c, chunk, stoa_rows_are_stored(&c->rows, chunk, &next), status,
                               &column_status)) {
                break;
            }
        }
        if (*status == STOA_ROWS_OK && column_status == STOA_ROWS_OK) {
            report_readings(c);
        }
        stoa_rows_report(c->checker, c->column->subject.path, column_status);
    }
    for (size_t r = 0; r < c->n_readings; r++) {
        free(c->readings[r].filter);
    }
    free(c->found);
}

/* Whether it can be checked in bounded memory and time. */
static bool is_bounded(const comparison *c, uint64_t needed, uint64_t m_bytes)
{
    return m_bytes <= MAX_FILTER_BYTES && needed <= MAX_FILTERS &&
           c->n_rows <= STOA_CHECK_MAX_ROWS && (c->p.k + 1) * c->n_rows <= MAX_WORK &&
           m_bytes * needed <= MAX_WORK;
}

static void compare_contents(comparison *c, uint64_t n_filters, uint64_t m_bytes)
{
    stoa_rows_status status = stoa_grid_check(c->checker, c->index->subject.id);
    stoa_rows_status column_status = stoa_rows_of(c->checker, c->column->subject.id, &c->rows);
    const uint64_t needed = stoa_chunks_needed(&c->rows, c->n_rows);

    canonical_type(c->column, &c->datum);
    c->is_float = c->column->class == H5T_FLOAT;
    if (c->column->fill != NULL) { /* a boolean's fill marks no row */
        (void)stoa_datum_fill(c->checker, &c->datum, c->column->subject.id, &c->fill);
    }
    if (status == STOA_ROWS_OK && !is_bounded(c, needed, m_bytes)) {
        status = STOA_ROWS_TOO_LARGE;
    }
    if (column_status == STOA_ROWS_OK &&
        (c->datum.memory_type < 0 || c->column->datum.kind == STOA_DATUM_NONE)) {
        column_status = STOA_ROWS_TOO_LARGE;
    }
    /* A short dataset has a finding of its own. */
    if (status == STOA_ROWS_OK && column_status == STOA_ROWS_OK && n_filters >= needed &&
        m_bytes > 0 && c->rows.extent >= c->n_rows && !stoa_check_over(c->checker)) {
        c->m_bytes = (size_t)m_bytes;
        compare_chunks(c, needed, &status);
    }
    stoa_rows_report(c->checker, c->index->subject.path, status);
    stoa_rows_report(c->checker, c->column->subject.path, column_status);
    stoa_datum_free(&c->datum, c->fill);
    stoa_datum_type_clear(&c->datum);
    stoa_rows_clear(&c->rows);
}

/* --- entry point ----------------------------------------------------------------------------- */

static void check_filters(stoa_checker *checker, const stoa_checked_index *index,
                          const uint64_t dims[2])
{
    stoa_rows rows;

    (void)stoa_rows_of(checker, index->column->subject.id, &rows);
    stoa_check_length(checker, index->subject.path, "filters", dims[0],
                      stoa_chunks_needed(&rows, index->table->n_rows), STOA_RULE_BLOOM_LENGTH,
                      STOA_RULE_BLOOM_RESIDUE);
    stoa_rows_clear(&rows);
}

void stoa_check_bloom(stoa_checker *checker, const stoa_checked_index *index)
{
    const char *const path = index->subject.path;
    const stoa_checked_column *const column = index->column;
    comparison c = {checker, index, column, check_parameters(checker, &index->subject),
                    .n_rows = index->table->n_rows};
    uint64_t dims[2] = {0, 0};
    const bool is_grid = stoa_check_shape(index->subject.id, dims) == 2;
    const bool is_bytes = stoa_check_bytes(checker, &index->subject, STOA_RULE_BLOOM_DATATYPE);
    const bool is_hashed = column != NULL && has_canonical_form(checker, column);

    if (column != NULL && !is_hashed) {
        stoa_check_report(checker, path, STOA_RULE_BLOOM_COLUMN_TYPE,
                          "the datatype of the column '%s' has no canonical bytes to be hashed",
                          column->subject.path);
    }
    if (!is_grid) {
        stoa_check_report(checker, path, STOA_RULE_BLOOM_SHAPE,
                          "the index must be two-dimensional: chunks by bytes");
        return;
    }
    if (c.p.has_m_bits && (c.p.m_bits % 8 != 0 || c.p.m_bits / 8 != dims[1])) {
        stoa_check_report(checker, path, STOA_RULE_BLOOM_M_BITS,
                          "m_bits is %llu; a filter takes up %llu bytes",
                          (unsigned long long)c.p.m_bits, (unsigned long long)dims[1]);
    }
    if (column != NULL && index->table->has_n_rows && !index->is_stale) {
        check_filters(checker, index, dims);
        if (checker->indexes && is_bytes && is_hashed && c.p.is_known) {
            compare_contents(&c, dims[0], dims[1]);
        }
    }
}
