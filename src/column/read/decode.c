/* Converts booleans, times and category codes to Arrow's form. */
#include "column/read/decode.h"

#include <string.h>

#include "column/values.h"
#include "core/memory.h"

static bool is_missing(const uint8_t *validity, uint64_t i)
{
    return validity != NULL && !stoa_bit_get(validity, i);
}

/* Convert bytes 0 and 1 to bits. Other bytes are an error (notes B6, C4), but count as true in
 * other layouts. */
static stoa_status to_bits(const stoa_column *column, const uint8_t *elements, uint64_t n,
                           const uint8_t *validity, uint8_t *bits, stoa_error *err)
{
    const stoa_validity_kernels *marks = stoa_validity_kernels_of(stoa_simd_of_cpu());
    const bool may_be_wrong = !stoa_column_is_foreign(column) && !marks->below[0](elements, n, 2);

    for (uint64_t i = may_be_wrong ? 0 : n; i < n; i++) {
        if (elements[i] > 1 && !is_missing(validity, i)) {
            return stoa_fail(err, STOA_EDATA,
                             column->element.is_truth
                                 ? "'%s' holds %u, which is neither FALSE nor TRUE "
                                   "(HEP001-2026-07 §8.8); see stoa check"
                                 : "'%s' holds %u where valid_max says 1 (HEP001 §8.5); see stoa "
                                   "check",
                             column->name, elements[i]);
        }
    }
    (void)marks->unequal[0](elements, n, 0, bits);
    for (uint64_t i = 0; validity != NULL && i < stoa_bit_bytes(n); i++) {
        bits[i] &= validity[i];
    }
    return STOA_OK;
}

/* Whether missing rows may have a code without a label. */
static bool may_stray(const stoa_column *column, const uint8_t *validity)
{
    if (validity == NULL || column->fill == NULL || column->mask != NULL) {
        return validity != NULL;
    }
    const int64_t code = stoa_stored_integer(&column->element, column->fill);
    return code < 0 || code >= column->dictionary.length;
}

/* Check that every code has a label (§8.7, notes C8), so that none indexes past the dictionary. */
static stoa_status to_codes(const stoa_column *column, const uint8_t *elements, uint64_t n,
                            const uint8_t *validity, uint8_t *codes, stoa_error *err)
{
    const uint64_t n_labels = (uint64_t)column->dictionary.length;
    const size_t size = column->element.size;
    const stoa_validity_kernels *marks = stoa_validity_kernels_of(stoa_simd_of_cpu());

    if (codes != elements) {
        memcpy(codes, elements, (size_t)n * size);
    }
    const bool has_strays = may_stray(column, validity);
    for (uint64_t byte = 0; has_strays && byte < stoa_bit_bytes(n); byte++) {
        for (unsigned holes = validity[byte] ^ 0xffu; holes != 0; holes &= holes - 1) {
            const uint64_t i = byte * 8 + (unsigned)__builtin_ctz(holes);
            if (i < n) {
                memset(codes + i * size, 0, size);
            }
        }
    }
    if (n_labels == 0 ? validity == NULL || stoa_bit_count(validity, 0, n) > 0
                      : !marks->below[stoa_validity_place(size)](codes, n, n_labels)) {
        for (uint64_t i = 0; i < n; i++) {
            const int64_t code = stoa_stored_integer(&column->element, codes + i * size);
            if (!is_missing(validity, i) && (code < 0 || (uint64_t)code >= n_labels)) {
                return stoa_fail(err, STOA_EDATA,
                                 "'%s' holds code %lld, but there are %llu categories (HEP001 "
                                 "§8.7); see stoa check",
                                 column->name, (long long)code, (unsigned long long)n_labels);
            }
        }
    }
    return STOA_OK;
}

size_t stoa_column_decode_bytes(const stoa_column *column, uint64_t n)
{
    switch (column->type.kind) {
    case STOA_KIND_BOOL:
        return (size_t)stoa_bit_bytes(n);
    case STOA_KIND_DATE:
        return (size_t)n * sizeof(int32_t);
    case STOA_KIND_TIMESTAMP:
    case STOA_KIND_DURATION:
        return (size_t)n * sizeof(int64_t);
    default:
        return (size_t)n * column->element.size;
    }
}

stoa_status stoa_column_decode(const stoa_column *column, const void *elements, uint64_t n,
                               const uint8_t *validity, void *out, stoa_error *err)
{
    switch (column->type.kind) {
    case STOA_KIND_BOOL:
        return to_bits(column, elements, n, validity, out, err);
    case STOA_KIND_DICTIONARY:
        return to_codes(column, elements, n, validity, out, err);
    default:
        return stoa_column_to_ticks(column, elements, n, validity, out, err);
    }
}
