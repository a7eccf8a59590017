#include "layout/pandas/frame.h"

#include <stdlib.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "layout/pandas/fixed_read.h"
#include "layout/pandas/shape.h"
#include "layout/pickle/write.h"

/* Limits on nesting (lists in dicts in a dict), and on nodes that are checked, since a pickle may
 * repeat the same list any number of times. */
enum { MAX_ITEM_DEPTH = 3, MAX_NODES = 10000000 };

stoa_status stoa_pandas_frame_text(const stoa_table *table, char **text, stoa_error *err)
{
    *text = NULL;
    if (table->layout == NULL) {
        return stoa_attribute_read_optional(table->group, STOA_PANDAS_FRAME, text, err);
    }
    if (table->frame != NULL) {
        *text = stoa_strdup(table->frame);
    }
    return table->frame == NULL || *text != NULL ? STOA_OK : stoa_fail_memory(err);
}

/* Check the items of lists and dicts to the given depth, and other nodes themselves. */
static stoa_status check_node(const stoa_pickled *node, int depth, uint64_t *n_left, bool *is_plain,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer ignored = {0};
    stoa_pandas_time time;
    const bool has_items = depth > 0 && !stoa_pandas_time_of(node, &time) &&
                           (node->kind == STOA_PICKLE_DICT || node->kind == STOA_PICKLE_LIST);

    *is_plain = *n_left > 0;
    *n_left -= *is_plain;
    for (size_t i = 0; *is_plain && has_items && i < node->as.items.n; i++) {
        STOA_TRY(check_node(node->as.items.at[i], depth - 1, n_left, is_plain, err));
    }
    if (*is_plain && !has_items) {
        STOA_TRY(stoa_pandas_put_node(&ignored, node, STOA_PANDAS_FOR_STOA, is_plain, err));
    }

done:
    stoa_buffer_clear(&ignored);
    return status;
}

stoa_status stoa_pandas_frame_check(const stoa_pickle *frame, bool *is_plain, stoa_error *err)
{
    const stoa_pickled *const root = stoa_pickle_root(frame);
    uint64_t n_left = MAX_NODES;

    *is_plain = root->kind == STOA_PICKLE_DICT;
    return *is_plain ? check_node(root, MAX_ITEM_DEPTH, &n_left, is_plain, err) : STOA_OK;
}

stoa_status stoa_pandas_visit_periods(const stoa_table *table, stoa_layout_fact_visitor *visit,
                                      void *context, stoa_error *err)
{
    const stoa_layout_source source = {.table = table};
    stoa_status status = STOA_OK;
    stoa_layout_source own;
    stoa_pickle *frame = NULL;

    STOA_TRY(stoa_pandas_recall(&source, &own, &frame, err));
    for (size_t i = 0; frame != NULL && i < table->n_columns; i++) {
        const char *const name = table->columns[i]->name;
        char *dtype = NULL;
        STOA_TRY(stoa_pandas_dtype_of(&own, name, &dtype, err));
        const bool is_one = dtype != NULL && strncmp(dtype, "period[", 7) == 0;
        status = is_one ? visit(context, "periods", name, dtype, err) : STOA_OK;
        free(dtype);
        STOA_TRY(status);
    }

done:
    stoa_pickle_close(frame);
    return status;
}

stoa_status stoa_pandas_recall(const stoa_layout_source *source, stoa_layout_source *own,
                               stoa_pickle **frame, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error why = STOA_ERROR_INIT;
    char *text = NULL;
    bool is_plain = true;

    *own = *source;
    *frame = NULL;
    STOA_TRY(stoa_pandas_frame_text(source->table, &text, err));
    if (text != NULL && stoa_pickle_read(text, strlen(text), frame, &why) == STOA_ENOMEM) {
        STOA_TRY(stoa_fail_memory(err));
    }
    if (*frame != NULL) {
        STOA_TRY(stoa_pandas_frame_check(*frame, &is_plain, err));
    }
    if (!is_plain) { /* metadata with other content is ignored */
        stoa_pickle_close(*frame);
        *frame = NULL;
    }
    own->own = *frame != NULL ? stoa_pickle_root(*frame) : NULL;

done:
    free(text);
    return status;
}

stoa_status stoa_pandas_save_metadata(const stoa_table *from, hid_t loc, const char *path,
                                      hid_t table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *text = NULL;

    (void)loc;
    (void)path;
    STOA_TRY(stoa_pandas_frame_text(from, &text, err));
    if (text != NULL) {
        STOA_TRY(stoa_attribute_write_utf8(table, STOA_PANDAS_FRAME, text, err));
    }

done:
    free(text);
    return status;
}

/* --- labels as text -------------------------------------------------------------------------- */

void stoa_pandas_label_clear(stoa_pandas_label_text *label)
{
    free(label->name);
    free(label->said);
    *label = (stoa_pandas_label_text){NULL, NULL, false};
}

stoa_status stoa_pandas_label_make(const stoa_pickled *node, const char *otherwise,
                                   stoa_pandas_label_text *label, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer said = {0};
    const bool is_label = stoa_pandas_is_label(node);
    bool is_plain = is_label || (node != NULL && node->kind == STOA_PICKLE_NONE);

    if (is_plain) {
        STOA_TRY(stoa_pandas_put_node(&said, node, STOA_PANDAS_FOR_STOA, &is_plain, err));
    }
    label->name = is_plain && is_label ? stoa_pandas_label(node) : stoa_strdup(otherwise);
    STOA_TRY(label->name != NULL ? STOA_OK : stoa_fail_memory(err));
    if (is_plain) {
        STOA_TRY(stoa_buffer_detach_text(&said, &label->said, err));
    }

done:
    stoa_buffer_clear(&said);
    return status;
}

void stoa_pandas_free_labels(stoa_pandas_label_text *labels, size_t n)
{
    for (size_t i = 0; labels != NULL && i < n; i++) {
        stoa_pandas_label_clear(&labels[i]);
    }
    free(labels);
}

/* --- what the metadata says --------------------------------------------------------------------
 */

/* A Series has one column. The table may have been changed since. */
bool stoa_pandas_is_series(const stoa_layout_source *source)
{
    return stoa_pickled_is_text(stoa_pickled_get(source->own, "type"), "series") &&
           (size_t)source->schema->n_children == source->n_index_columns + 1;
}

const stoa_pickled *stoa_pandas_label_of(const stoa_layout_source *source, const char *name)
{
    const stoa_pickled *const label =
        stoa_pickled_get(stoa_pickled_get(source->own, "columns"), name);

    return label == NULL || stoa_pickled_is_text(label, name) ? NULL : label;
}

stoa_status stoa_pandas_put_label(stoa_buffer *out, const stoa_layout_source *source,
                                  const char *name, stoa_error *err)
{
    return stoa_pandas_put_label_or(out, stoa_pandas_label_of(source, name), name, err);
}

stoa_status stoa_pandas_labels_are_unique(const stoa_layout_source *source, bool *unique,
                                          stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_string_set said = {0};
    stoa_buffer label = {0};

    *unique = true;
    for (int64_t i = 0; *unique && i < source->schema->n_children; i++) {
        const uint32_t n_before = said.count;
        uint32_t number = 0;
        if (!stoa_pandas_is_index(source, (size_t)i)) {
            label.size = 0;
            STOA_TRY(stoa_pandas_put_label(&label, source, source->schema->children[i]->name, err));
            STOA_TRY(stoa_string_set_add(&said, label.data, label.size, &number, err));
            *unique = number == n_before;
        }
    }

done:
    stoa_buffer_clear(&label);
    stoa_string_set_clear(&said);
    return status;
}

const stoa_pickled *stoa_pandas_names(const stoa_layout_source *source)
{
    const stoa_pickled *const names = stoa_pickled_get(source->own, "names");

    return stoa_pickled_count(names) > 0 ? names : NULL;
}

const stoa_pickled *stoa_pandas_categories_of(const stoa_layout_source *source, const char *name)
{
    const stoa_pickled *const list =
        stoa_pickled_get(stoa_pickled_get(source->own, "categories"), name);
    const stoa_pickled *const first = stoa_pickled_item(list, 0);

    return first != NULL && first->kind == STOA_PICKLE_BOOL ? list : NULL;
}

/* The string dtypes that pandas' fixed format distinguishes from object. */
static const char *const string_dtypes[] = {"string", "str"};
enum { N_STRING_DTYPES = sizeof string_dtypes / sizeof string_dtypes[0] };

bool stoa_pandas_is_string_dtype(const char *dtype)
{
    bool is = false;

    for (size_t i = 0; dtype != NULL && i < N_STRING_DTYPES; i++) {
        is = is || strcmp(dtype, string_dtypes[i]) == 0;
    }
    return is;
}

const char *stoa_pandas_strings_of(const stoa_layout_source *source, const char *name)
{
    const stoa_pickled *const dtype =
        stoa_pickled_get(stoa_pickled_get(source->own, "strings"), name);

    for (size_t i = 0; i < N_STRING_DTYPES; i++) {
        if (stoa_pickled_is_text(dtype, string_dtypes[i])) {
            return string_dtypes[i];
        }
    }
    return NULL;
}

size_t stoa_pandas_n_levels(const stoa_layout_source *source)
{
    const size_t n = stoa_pickled_count(stoa_pandas_names(source));

    for (int64_t i = 0; i < source->schema->n_children && n > 1; i++) {
        const stoa_pickled *const label =
            stoa_pandas_label_of(source, source->schema->children[i]->name);
        const bool has_all =
            label != NULL && label->kind == STOA_PICKLE_TUPLE && label->as.items.n == n;
        if (!has_all && !stoa_pandas_is_index(source, (size_t)i)) {
            return 1; /* another column has been added */
        }
    }
    return n > 1 ? n : 1;
}

stoa_status stoa_pandas_put_names(stoa_buffer *out, const stoa_layout_source *source,
                                  stoa_error *err)
{
    const stoa_pickled *const names = stoa_pandas_names(source);
    const size_t n = stoa_pandas_n_levels(source);

    STOA_RETURN_NOT_OK(stoa_pickle_put(out, "(l", err));
    for (size_t i = 0; i < n; i++) {
        const stoa_pickled *const name =
            stoa_pickled_count(names) == n ? stoa_pickled_item(names, i) : NULL;
        STOA_RETURN_NOT_OK(stoa_pandas_put_label_or(out, name, NULL, err));
        STOA_RETURN_NOT_OK(stoa_pickle_put(out, "a", err));
    }
    return STOA_OK;
}

const stoa_pickled *stoa_pandas_index_label(const stoa_layout_source *source, size_t level)
{
    const stoa_pickled *const labels = stoa_pickled_get(source->own, "index");

    return stoa_pickled_count(labels) == source->n_index_columns ? stoa_pickled_item(labels, level)
                                                                 : NULL;
}

stoa_status stoa_pandas_dtype_of(const stoa_layout_source *source, const char *name, char **dtype,
                                 stoa_error *err)
{
    const stoa_pickled *const said =
        stoa_pickled_get(stoa_pickled_get(source->own, "dtypes"), name);
    const bool is_said = stoa_pandas_is_label(said) && said->kind == STOA_PICKLE_TEXT;

    *dtype = is_said ? stoa_pickled_text(said) : NULL;
    return is_said && *dtype == NULL ? stoa_fail_memory(err) : STOA_OK;
}

bool stoa_pandas_declared_freq(const stoa_layout_source *source, stoa_pandas_freq *freq,
                               int64_t *first, int64_t *last)
{
    const stoa_pickled *const said = stoa_pickled_get(source->own, "freq");
    int64_t numbers[3] = {0};
    bool is = source->n_index_columns == 1 && stoa_pickled_count(said) == 4;

    for (size_t i = 0; is && i < 3; i++) {
        const stoa_pickled *const item = stoa_pickled_item(said, i + 1);
        is = item->kind == STOA_PICKLE_INT;
        numbers[i] = is ? item->as.integer : 0;
    }
    *first = numbers[1];
    *last = numbers[2];
    return is && numbers[0] >= 0 && (uint64_t)numbers[0] == source->n_rows &&
           stoa_pandas_freq_of_node(stoa_pickled_item(said, 0), freq);
}

const stoa_pickled *stoa_pandas_axis_of(const stoa_layout_source *source, const char *what)
{
    return stoa_pickled_get(stoa_pickled_get(source->own, "axis"), what);
}
