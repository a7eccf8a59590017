#include "sparse/store/numbers.h"

#include <string.h>

#include "core/float_bits.h"
#include "hdf/ids.h"

static bool is_little(void)
{
    const uint16_t one = 1;
    uint8_t first;

    memcpy(&first, &one, 1);
    return first == 1;
}

/* Whether a type is a plain number without padding bits. */
static bool is_number(hid_t type, stoa_number_form *form)
{
    const size_t size = H5Tget_size(type);
    const hid_t little[] = {H5T_STD_I8LE,   H5T_STD_U8LE,  H5T_STD_I16LE, H5T_STD_U16LE,
                            H5T_STD_I32LE,  H5T_STD_U32LE, H5T_STD_I64LE, H5T_STD_U64LE,
                            H5T_IEEE_F32LE, H5T_IEEE_F64LE};
    const hid_t big[] = {H5T_STD_I8BE,   H5T_STD_U8BE,  H5T_STD_I16BE, H5T_STD_U16BE,
                         H5T_STD_I32BE,  H5T_STD_U32BE, H5T_STD_I64BE, H5T_STD_U64BE,
                         H5T_IEEE_F32BE, H5T_IEEE_F64BE};

    for (size_t i = 0; i < sizeof little / sizeof little[0]; i++) {
        const bool as_little = H5Tequal(type, little[i]) > 0;
        if (as_little || H5Tequal(type, big[i]) > 0) {
            *form = (stoa_number_form){.class = i >= 8       ? STOA_NUMBER_FLOAT
                                                : i % 2 == 0 ? STOA_NUMBER_SIGNED
                                                             : STOA_NUMBER_UNSIGNED,
                                       .size = size,
                                       .is_swapped = size > 1 && as_little != is_little(),
                                       .lanes = 1};
            return true;
        }
    }
    return false;
}

static bool is_complex(hid_t type, stoa_number_form *form)
{
    bool is = H5Tget_class(type) == H5T_COMPOUND && H5Tget_nmembers(type) == 2;

    for (unsigned i = 0; is && i < 2; i++) {
        stoa_number_form part = {.lanes = 0};
        const hid_t member = H5Tget_member_type(type, i);
        is = is_number(member, &part) && part.class == STOA_NUMBER_FLOAT &&
             H5Tget_member_offset(type, i) == i * part.size && H5Tget_size(type) == 2 * part.size &&
             (i == 0 || (part.size == form->size && part.is_swapped == form->is_swapped));
        *form = part;
        (void)H5Tclose(member);
    }
    form->lanes = 2;
    return is;
}

stoa_status stoa_number_form_of(hid_t type, stoa_number_form *form, stoa_error *err)
{
    if (is_number(type, form) || is_complex(type, form)) {
        return STOA_OK;
    }
    return stoa_fail(err, STOA_ETYPE,
                     "elements are no numbers that can be added: integers, floats of 32 or 64 "
                     "bits, or complex numbers of two of these");
}

/* --- one number ------------------------------------------------------------------------------ */

/* Byte i of a number, from the lowest on. */
static size_t byte_at(const stoa_number_form *form, size_t i)
{
    return is_little() != form->is_swapped ? i : form->size - 1 - i;
}

static uint64_t load(const stoa_number_form *form, const uint8_t *bytes)
{
    uint64_t bits = 0;

    for (size_t i = 0; i < form->size; i++) {
        bits |= (uint64_t)bytes[byte_at(form, i)] << 8 * i;
    }
    return bits;
}

static void store(const stoa_number_form *form, uint64_t bits, uint8_t *bytes)
{
    for (size_t i = 0; i < form->size; i++) {
        bytes[byte_at(form, i)] = (uint8_t)(bits >> 8 * i);
    }
}

static uint64_t bits_of_sum(const stoa_number_form *form, uint64_t a, uint64_t b)
{
    if (form->class != STOA_NUMBER_FLOAT) {
        return a + b;
    }
    return form->size == sizeof(double)
               ? stoa_bits_of_f64(stoa_f64_of_bits(a) + stoa_f64_of_bits(b))
               : stoa_bits_of_f32(stoa_f32_of_bits((uint32_t)a) + stoa_f32_of_bits((uint32_t)b));
}

void stoa_number_add(const stoa_number_form *form, uint8_t *to, const uint8_t *value)
{
    for (unsigned i = 0; i < form->lanes; i++) {
        store(form, bits_of_sum(form, load(form, to), load(form, value)), to);
        to += form->size;
        value += form->size;
    }
}

/* --- many numbers ---------------------------------------------------------------------------- */

static double widen_one(const stoa_number_form *form, uint64_t bits)
{
    const unsigned unused = 64 - 8 * (unsigned)form->size;

    if (form->class == STOA_NUMBER_FLOAT) {
        return form->size == sizeof(double) ? stoa_f64_of_bits(bits)
                                            : (double)stoa_f32_of_bits((uint32_t)bits);
    }
    if (form->class == STOA_NUMBER_SIGNED) {
        int64_t value = 0;
        bits <<= unused;
        memcpy(&value, &bits, sizeof value);
        value /= INT64_C(1) << unused; /* exact, because the low bits are 0 */
        return (double)value;
    }
    return (double)bits;
}

void stoa_number_widen(const stoa_number_form *form, const uint8_t *values, size_t n,
                       double *doubles)
{
    if (form->class == STOA_NUMBER_FLOAT && !form->is_swapped) {
        if (form->size == sizeof(double)) {
            memcpy(doubles, values, n * sizeof *doubles);
            return;
        }
        for (size_t i = 0; i < n; i++) {
            float value;
            memcpy(&value, values + i * sizeof value, sizeof value);
            doubles[i] = (double)value;
        }
        return;
    }
    for (size_t i = 0; i < n; i++) {
        doubles[i] = widen_one(form, load(form, values + i * form->size));
    }
}
