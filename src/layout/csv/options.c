#include "layout/csv/options.h"

#include <string.h>

#include "core/sized_struct.h"
#include "core/text.h"
#include "layout/input/input.h"

#define DEFAULT_FIELD_BYTES ((size_t)16 * 1024 * 1024)
/* Two such fields reach the limit of Arrow's 32-bit offsets. */
#define MAX_FIELD_BYTES ((size_t)1024 * 1024 * 1024)
#define DEFAULT_BATCH_ROWS 65536
#define DEFAULT_BLOCK_BYTES                                                                        \
    ((size_t)256 * 1024) /* a block and its results stay in the cache of a worker's core */
#define MAX_BLOCK_BYTES ((size_t)64 * 1024 * 1024)

/* The delimiter is a tab for .tsv and .tab, also before a compression suffix; 0 for other names. */
static char delimiter_of(const char *name)
{
    const size_t length = stoa_input_stem(name);

    return stoa_ends_with(name, length, ".tsv") || stoa_ends_with(name, length, ".tab") ? '\t' : 0;
}

stoa_status stoa_csv_options_take(stoa_csv_options *options, stoa_csv_spelling *spelling,
                                  stoa_csv_nulls *nulls, const char *name,
                                  const stoa_csv_options *given, stoa_error *err)
{
    *options = (stoa_csv_options)STOA_CSV_OPTIONS_INIT;
    STOA_RETURN_NOT_OK(STOA_SIZED_COPY(options, given, delimiter, "STOA_CSV_OPTIONS_INIT", err));
    if (options->delimiter == 0) {
        options->delimiter = delimiter_of(name);
    }
    if ((options->decimal != 0 && options->decimal != ',' && options->decimal != '.') ||
        (options->decimal == ',' && options->delimiter == ',')) {
        return stoa_fail(err, STOA_EINVAL,
                         "the decimal point is a comma or a point, and not the delimiter");
    }
    if (options->delimiter != 0 &&
        (strchr("\"\r\n", options->delimiter) != NULL || (uint8_t)options->delimiter >= 0x80)) {
        return stoa_fail(
            err, STOA_EINVAL,
            "the delimiter must be an ASCII character other than a quote or line break");
    }
    if (options->by_name && options->no_header) {
        return stoa_fail(err, STOA_EINVAL, "columns without a header cannot be matched by name");
    }
    *spelling = (stoa_csv_spelling){options->decimal == ',', options->date_format};
    STOA_RETURN_NOT_OK(stoa_csv_spelling_check(spelling, err));
    if (options->max_field_bytes == 0) {
        options->max_field_bytes = DEFAULT_FIELD_BYTES;
    }
    if (options->max_field_bytes > MAX_FIELD_BYTES) {
        return stoa_fail(err, STOA_EINVAL, "fields of more than %zu bytes cannot be allowed",
                         MAX_FIELD_BYTES);
    }
    if (options->batch_rows == 0) {
        options->batch_rows = DEFAULT_BATCH_ROWS;
    }
    for (size_t i = 0; i < options->n_null_texts; i++) {
        const char *text = options->null_texts[i];
        const size_t length = strlen(text);
        STOA_RETURN_NOT_OK(stoa_string_set_add(&nulls->texts, text, length, &(uint32_t){0}, err));
        nulls->lengths |= UINT64_C(1) << (length < 63 ? length : 63);
    }
    if (options->block_bytes == 0 || options->block_bytes > MAX_BLOCK_BYTES) {
        options->block_bytes = options->block_bytes == 0 ? DEFAULT_BLOCK_BYTES : MAX_BLOCK_BYTES;
    }
    return STOA_OK;
}
