/* The labels of an axis in pandas' fixed format. They are one array, or for a MultiIndex the
 * distinct labels of each level and codes (fixed_read.h). */
#include "layout/pandas/fixed_read.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "column/read/foreign.h"
#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "layout/pickle/write.h"

/* Limits beyond which a file counts as damaged: on blocks, and on bytes of labels, since codes may
 * repeat a label any number of times. */
enum { MAX_PARTS = 100000, MAX_BYTES = 256 << 20 };

stoa_status stoa_pandas_read_count(hid_t group, const char *what, const char *suffix, uint64_t *n,
                                   stoa_error *err)
{
    stoa_status status = STOA_OK;
    bool found = false;
    char *name = stoa_format("%s%s", what, suffix);

    STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_attribute_read_u64(group, name, n, &found, err));
    if (!found || *n > MAX_PARTS) {
        STOA_FAIL(err, STOA_EDATA, "attribute '%s' is missing, or no count", name);
    }

done:
    free(name);
    return status;
}

stoa_status stoa_pandas_axis_levels(hid_t group, const char *axis, uint64_t *n_levels,
                                    stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *variety = stoa_format("%s_variety", axis);

    *n_levels = 0;
    STOA_TRY(variety != NULL ? STOA_OK : stoa_fail_memory(err));
    if (stoa_attribute_is(group, variety, "multi")) {
        STOA_TRY(stoa_pandas_read_count(group, axis, "_nlevels", n_levels, err));
        if (*n_levels == 0 || *n_levels > STOA_PANDAS_MAX_LEVELS) {
            STOA_FAIL(err, STOA_EDATA, "attribute '%s_nlevels' is no count of levels", axis);
        }
    }

done:
    free(variety);
    return status;
}

/* --- several levels -------------------------------------------------------------------------- */

/* A label under construction, from the levels so far. */
typedef struct growing {
    stoa_buffer name;
    stoa_buffer said;
} growing;

typedef struct axis_labels {
    growing *at;
    size_t n;
    size_t n_bytes;
} axis_labels;

static stoa_status grow(axis_labels *labels, size_t i, const stoa_pandas_label_text *part,
                        const char *between, stoa_error *err)
{
    growing *const label = &labels->at[i];
    const char *const name = part != NULL ? part->name : "nan";
    const char *const said = part == NULL ? "Fnan\n" : part->said != NULL ? part->said : "N";

    labels->n_bytes += strlen(name) + strlen(said);
    if (labels->n_bytes > MAX_BYTES) {
        return stoa_fail(err, STOA_EDATA, "its labels are over %d MiB", MAX_BYTES >> 20);
    }
    STOA_RETURN_NOT_OK(stoa_pickle_put(&label->name, between, err));
    STOA_RETURN_NOT_OK(stoa_pickle_put(&label->name, name, err));
    return stoa_pickle_put(&label->said, said, err);
}

/* Add one level to all labels. -1 is a missing part. */
static stoa_status grow_by(axis_labels *labels, const stoa_pandas_label_text *parts, size_t n_parts,
                           const stoa_view *codes, bool is_first, stoa_error *err)
{
    if (is_first) {
        labels->n = (size_t)codes->length;
        labels->at = stoa_alloc_zero(labels->n, sizeof *labels->at);
        STOA_RETURN_NO_MEMORY(err, labels->at);
    }
    if ((size_t)codes->length != labels->n) {
        return stoa_fail(err, STOA_EDATA, "has %llu codes, and not %zu as the levels before",
                         (unsigned long long)codes->length, labels->n);
    }
    for (size_t i = 0; i < labels->n; i++) {
        const int64_t code = stoa_view_i64(codes, (int64_t)i);
        if (code < -1 || code >= (int64_t)n_parts) {
            return stoa_fail(err, STOA_EDATA, "code %lld is none of %zu labels", (long long)code,
                             n_parts);
        }
        STOA_RETURN_NOT_OK(
            grow(labels, i, code >= 0 ? &parts[code] : NULL, is_first ? "" : ", ", err));
    }
    return STOA_OK;
}

static stoa_status add_level(axis_labels *labels, hid_t group, const char *axis, unsigned number,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *level = stoa_format("%s_level%u", axis, number);
    char *codes = stoa_format("%s_label%u", axis, number);
    stoa_pandas_label_text *parts = NULL;
    size_t n_parts = 0;
    stoa_column *column = NULL;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    stoa_view view;

    STOA_TRY(level != NULL && codes != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_pandas_read_labels(group, level, &parts, &n_parts, err));
    STOA_TRY(stoa_pandas_open_line(group, codes, "kind", 0, STOA_WHOLE_ROWS, codes, &column, err));
    STOA_TRY(stoa_column_read_labels(column, &schema, &array, err));
    STOA_TRY(stoa_view_of(&schema, &array, &view, err));
    if (!stoa_kind_is_integer(view.type.kind) || view.null_count > 0) {
        STOA_FAIL(err, STOA_EDATA, "'%s' does not hold codes", codes);
    }
    status = grow_by(labels, parts, n_parts, &view, number == 0, err);
    (void)stoa_at(err, status, "%s", codes);

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    stoa_column_close(column);
    stoa_pandas_free_labels(parts, n_parts);
    free(level);
    free(codes);
    return status;
}

/* Make "a, 1" and (Va I1 t. */
static stoa_status finish(growing *from, stoa_pandas_label_text *label, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_buffer_detach_text(&from->name, &label->name, err));
    label->said = stoa_format("(%.*st", (int)from->said.size, (const char *)from->said.data);
    return label->said != NULL ? STOA_OK : stoa_fail_memory(err);
}

stoa_status stoa_pandas_read_axis(hid_t group, const char *axis, stoa_pandas_label_text **out,
                                  size_t *n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    axis_labels labels = {.at = NULL};
    uint64_t n_levels = 0;

    *out = NULL;
    *n = 0;
    STOA_TRY(stoa_pandas_axis_levels(group, axis, &n_levels, err));
    if (n_levels == 0) {
        return stoa_pandas_read_labels(group, axis, out, n, err);
    }
    for (unsigned i = 0; i < n_levels; i++) {
        STOA_TRY(add_level(&labels, group, axis, i, err));
    }
    *out = stoa_alloc_zero(labels.n, sizeof **out);
    STOA_TRY(*out != NULL ? STOA_OK : stoa_fail_memory(err));
    *n = labels.n;
    for (size_t i = 0; i < labels.n; i++) {
        STOA_TRY(finish(&labels.at[i], &(*out)[i], err));
    }

done:
    for (size_t i = 0; labels.at != NULL && i < labels.n; i++) {
        stoa_buffer_clear(&labels.at[i].name);
        stoa_buffer_clear(&labels.at[i].said);
    }
    free(labels.at);
    return status;
}
