#include "layout/common/categories_as_text.h"

#include <stdlib.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "core/memory.h"

/* The strings of a dictionary array's rows. Releases the array. */
static stoa_status spell_out(const struct ArrowSchema *schema, struct ArrowArray *coded,
                             struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer bytes = {0};
    stoa_view codes;
    stoa_view labels;
    const size_t n = (size_t)coded->length;
    uint8_t *validity = stoa_alloc_zero(stoa_bit_bytes(n), 1);
    int32_t *offsets = stoa_alloc_zero(n + 1, sizeof *offsets);

    STOA_TRY(validity != NULL && offsets != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_view_of(schema, coded, &codes, err));
    STOA_TRY(stoa_view_dictionary(&codes, &labels, err));
    for (size_t i = 0; i < n; i++) {
        size_t length = 0;
        if (!stoa_view_is_null(&codes, (int64_t)i)) {
            const int64_t code = stoa_view_i64(&codes, (int64_t)i);
            if (!stoa_view_is_null(&labels, code)) {
                const char *text = stoa_view_bytes(&labels, code, &length);
                STOA_TRY(stoa_buffer_append(&bytes, text, length, err));
                stoa_bit_set(validity, i);
            }
        }
        if (bytes.size > INT32_MAX) {
            STOA_FAIL(err, STOA_ERANGE, "the labels of %zu rows are more than 2 GiB of text", n);
        }
        offsets[i + 1] = (int32_t)bytes.size;
    }
    void *const buffers[] = {validity, offsets, bytes.data};
    validity = NULL;
    offsets = NULL;
    bytes = (stoa_buffer){0};
    STOA_TRY(stoa_array_make(out, (int64_t)n, -1, 3, buffers, err));

done:
    stoa_buffer_clear(&bytes);
    free(validity);
    free(offsets);
    stoa_array_release(coded);
    return status;
}

stoa_status stoa_categories_as_text_schema(const stoa_column *column, struct ArrowSchema *out,
                                           stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema own = {0};

    STOA_TRY(stoa_column_schema(column, &own, err));
    if (own.dictionary == NULL) {
        stoa_schema_move(&own, out);
    } else {
        STOA_TRY(stoa_schema_make(out, stoa_column_name(column), "u", err));
    }

done:
    stoa_schema_release(&own);
    return status;
}

stoa_status stoa_categories_as_text_read(stoa_column *column, uint64_t first, uint64_t count,
                                         struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {0};
    struct ArrowArray coded = {0};

    STOA_TRY(stoa_column_schema(column, &schema, err));
    if (schema.dictionary == NULL) {
        STOA_TRY(stoa_column_read(column, first, count, out, err));
    } else {
        STOA_TRY(stoa_column_read(column, first, count, &coded, err));
        STOA_TRY(spell_out(&schema, &coded, out, err));
    }

done:
    stoa_schema_release(&schema);
    return status;
}
