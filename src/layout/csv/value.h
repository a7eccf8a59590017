/* Parses text into typed values, and stores values in Arrow arrays. */
#ifndef STOA_LAYOUT_CSV_VALUE_H
#define STOA_LAYOUT_CSV_VALUE_H

#include "arrow/build.h"
#include "core/string_set.h"

/* A value of a column, parsed by stoa_csv_value_parse(). */
typedef struct stoa_csv_value {
    bool is_missing;
    int64_t i;        /* integers (uint64: the same bits), booleans, times, dictionary codes */
    double f;         /* floats */
    const char *text; /* strings; borrowed */
    size_t length;
} stoa_csv_value;

/*
 * Parse `text` as a value of the type; false if it is not one. For a dictionary, `labels` are its
 * labels, and the value is a label's number.
 *
 * A TIMESTAMP or DURATION of unit DAY accepts any unit, since its unit is not known yet.
 */
bool stoa_csv_value_parse(const stoa_type *type, const stoa_string_set *labels, const char *text,
                          size_t length, stoa_csv_value *value);

/* The same for a time that is already parsed. */
bool stoa_csv_value_of_time(const stoa_type *type, const stoa_time *time, int64_t *value);

/* Store an integer of `width` bytes. */
static inline void stoa_csv_put(uint8_t *values, int32_t width, size_t row, int64_t value)
{
    switch (width) {
    case 1:
        ((int8_t *)values)[row] = (int8_t)value;
        break;
    case 2:
        ((int16_t *)(void *)values)[row] = (int16_t)value;
        break;
    case 4:
        ((int32_t *)(void *)values)[row] = (int32_t)value;
        break;
    default:
        ((int64_t *)(void *)values)[row] = value;
        break;
    }
}

/* A column of an unfinished batch. Zero-initialise; free by stoa_csv_builder_clear(). */
typedef struct stoa_csv_builder {
    stoa_buffer validity; /* one bit per row */
    stoa_buffer values;   /* values, bits, codes, or int32_t offsets of strings */
    stoa_buffer bytes;    /* of strings */
    int64_t n_rows;
    int64_t n_missing;
} stoa_csv_builder;

stoa_status stoa_csv_builder_add(stoa_csv_builder *builder, const stoa_type *type,
                                 const stoa_csv_value *value, stoa_error *err);
/* Append rows [first, first + n) of another builder with the same type. */
stoa_status stoa_csv_builder_append(stoa_csv_builder *builder, const stoa_type *type,
                                    const stoa_csv_builder *from, int64_t first, int64_t n,
                                    stoa_error *err);
/* Bytes of strings in these rows; 0 for other types. */
uint64_t stoa_csv_builder_text(const stoa_csv_builder *builder, const stoa_type *type,
                               int64_t first, int64_t n);
/* Drop the rows, but keep the memory. */
void stoa_csv_builder_reset(stoa_csv_builder *builder);
/* The rows as an array. The builder is empty afterwards. */
stoa_status stoa_csv_builder_finish(stoa_csv_builder *builder, const stoa_type *type,
                                    struct ArrowArray *array, stoa_error *err);
void stoa_csv_builder_clear(stoa_csv_builder *builder);

/* Strings in the given order of their numbers, as a dictionary array of type "u". */
stoa_status stoa_csv_strings_array(const stoa_string_set *strings, const uint32_t *order,
                                   struct ArrowArray *array, stoa_error *err);

#endif
