/* See pandas_frame.h. */
#include "layout/pandas_frame.h"

#include <stdlib.h>
#include <string.h>

#include "column/column.h"
#include "hdf/attributes.h"
#include "layout/pandas_fixed_read.h"
#include "layout/pandas_shape.h"
#include "layout/pickle_write.h"

/* Of the lists in dicts in a dict that a frame says; of labels that are looked at, and kept. A
 * pickle may say the same list any number of times. */
enum { DEEPEST_ITEMS = 3, MOST_NODES = 10000000, MOST_CATEGORIES = 65536 };

/* --- labels ---------------------------------------------------------------------------------- */

void stoa_pandas_label_clear(stoa_pandas_label_text *label)
{
    free(label->name);
    free(label->said);
    *label = (stoa_pandas_label_text){NULL, NULL, false};
}

/* A text of its own, from a buffer. */
static stoa_status take_text(stoa_buffer *text, char **out, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_buffer_append(text, "", 1, err));
    *out = stoa_buffer_take(text);

done:
    return status;
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
        STOA_TRY(take_text(&said, &label->said, err));
    }

done:
    stoa_buffer_clear(&said);
    return status;
}

/* --- reading --------------------------------------------------------------------------------- */

void stoa_pandas_notes_clear(stoa_pandas_notes *notes)
{
    stoa_buffer_clear(&notes->columns);
    stoa_buffer_clear(&notes->index);
    stoa_buffer_clear(&notes->names);
    stoa_buffer_clear(&notes->categories);
    stoa_buffer_clear(&notes->strings);
    stoa_strings_clear(&notes->taken);
    stoa_buffer_clear(&notes->suffixes);
}

/* The names of those columns that were added since. */
static stoa_status see_names(stoa_pandas_notes *notes, const stoa_table *table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t none = 0;
    uint32_t number = 0;

    for (; notes->n_seen < table->n_columns; notes->n_seen++) {
        const char *const name = table->columns[notes->n_seen]->name;
        STOA_TRY(stoa_strings_add(&notes->taken, name, strlen(name), &number, err));
        STOA_TRY(stoa_buffer_append(&notes->suffixes, &none, sizeof none, err));
    }

done:
    return status;
}

/* "a.1", as pandas itself calls the second column "a" of a CSV file. */
static stoa_status find_free_name(stoa_pandas_notes *notes, char **name, stoa_error *err)
{
    uint64_t *const suffixes = (uint64_t *)(void *)notes->suffixes.data;
    uint32_t number = 0;
    uint32_t other = 0;
    char *found = NULL;

    if (!stoa_strings_find(&notes->taken, *name, strlen(*name), &number)) {
        return STOA_OK;
    }
    do {
        free(found);
        found = stoa_format("%s.%llu", *name, (unsigned long long)++suffixes[number]);
        if (found == NULL) {
            return stoa_fail_memory(err);
        }
    } while (stoa_strings_find(&notes->taken, found, strlen(found), &other));
    free(*name);
    *name = found;
    return STOA_OK;
}

/* Whether the opcodes are those of the text itself. */
static stoa_status says_name(const char *said, const char *name, bool *says, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer text = {0};

    STOA_TRY(stoa_pickle_put_text(&text, name, err));
    *says = strlen(said) == text.size && memcmp(said, text.data, text.size) == 0;

done:
    stoa_buffer_clear(&text);
    return status;
}

stoa_status stoa_pandas_note_column(stoa_pandas_notes *notes, const stoa_table *table,
                                    stoa_pandas_label_text *label, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer text = {0};
    bool says = false;

    if (label->said == NULL && label->is_text) {
        STOA_TRY(stoa_pickle_put_text(&text, label->name, err));
        STOA_TRY(take_text(&text, &label->said, err));
    }
    if (label->name[0] == '\0') {
        free(label->name);
        label->name = stoa_strdup("unnamed"); /* no column of HEP001 is called so */
        STOA_TRY(label->name != NULL ? STOA_OK : stoa_fail_memory(err));
    }
    STOA_TRY(see_names(notes, table, err));
    STOA_TRY(find_free_name(notes, &label->name, err));
    if (label->said == NULL) {
        return STOA_OK;
    }
    STOA_TRY(says_name(label->said, label->name, &says, err));
    if (!says) {
        STOA_TRY(stoa_pickle_put_text(&notes->columns, label->name, err));
        STOA_TRY(stoa_pickle_put(&notes->columns, label->said, err));
        STOA_TRY(stoa_pickle_put(&notes->columns, "s", err));
    }

done:
    stoa_buffer_clear(&text);
    return status;
}

stoa_status stoa_pandas_note_index(stoa_pandas_notes *notes, const char *name,
                                   const stoa_pickled *label, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool is_none = label == NULL || label->kind == STOA_PICKLE_NONE;
    bool is_plain = true;

    if (is_none ? strcmp(name, "index") == 0
                : stoa_pickled_is_text(label, name) && strcmp(name, "index") != 0) {
        return STOA_OK; /* as it is taken for without a word */
    }
    STOA_TRY(
        is_none ? stoa_pickle_put(&notes->index, "N", err)
                : stoa_pandas_put_node(&notes->index, label, STOA_PANDAS_FOR_STOA, &is_plain, err));
    STOA_TRY(stoa_pickle_put(&notes->index, "a", err));
    if (!is_plain) {
        notes->index.size = 0;
    }

done:
    return status;
}

stoa_status stoa_pandas_note_name(stoa_pandas_notes *notes, const char *said, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_pickle_put(&notes->names, said, err));
    STOA_TRY(stoa_pickle_put(&notes->names, "a", err));

done:
    return status;
}

stoa_status stoa_pandas_note_categories(stoa_pandas_notes *notes, const char *name, bool is_ordered,
                                        stoa_column *labels, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_pandas_label_text *texts = NULL;
    size_t n = 0;
    const size_t before = notes->categories.size;
    bool is_said = labels->n_rows <= MOST_CATEGORIES;

    if (!is_said || stoa_kind_is_string(labels->type.kind) ||
        labels->type.kind == STOA_KIND_UINT64) {
        return STOA_OK;
    }
    STOA_TRY(stoa_pandas_labels_of(labels, &texts, &n, err));
    STOA_TRY(stoa_pickle_put_text(&notes->categories, name, err));
    STOA_TRY(stoa_pickle_put(&notes->categories, "(l", err));
    STOA_TRY(stoa_pickle_put_bool(&notes->categories, is_ordered, err));
    STOA_TRY(stoa_pickle_put(&notes->categories, "a", err));
    for (size_t i = 0; i < n && is_said; i++) {
        is_said = texts[i].said != NULL && !texts[i].is_text;
        STOA_TRY(stoa_pickle_put(&notes->categories, is_said ? texts[i].said : "", err));
        STOA_TRY(stoa_pickle_put(&notes->categories, "a", err));
    }
    STOA_TRY(stoa_pickle_put(&notes->categories, "s", err));

done:
    notes->categories.size = is_said ? notes->categories.size : before;
    stoa_pandas_free_labels(texts, n);
    return status;
}

/* The dtypes of texts that pandas' fixed format tells from objects. */
static const char *const string_dtypes[] = {"string", "str"};
enum { N_STRING_DTYPES = sizeof string_dtypes / sizeof string_dtypes[0] };

stoa_status stoa_pandas_note_strings(stoa_pandas_notes *notes, const char *name, const char *dtype,
                                     stoa_error *err)
{
    stoa_status status = STOA_OK;
    bool is_known = false;

    for (size_t i = 0; dtype != NULL && i < N_STRING_DTYPES; i++) {
        is_known = is_known || strcmp(dtype, string_dtypes[i]) == 0;
    }
    if (is_known) {
        STOA_TRY(stoa_pickle_put_text(&notes->strings, name, err));
        STOA_TRY(stoa_pickle_put_text(&notes->strings, dtype, err));
        STOA_TRY(stoa_pickle_put(&notes->strings, "s", err));
    }

done:
    return status;
}

/* key: what begins so and goes on with the opcodes; nothing of none. */
static stoa_status put_entry(stoa_buffer *out, const char *key, const char *beginning,
                             const stoa_buffer *opcodes, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (opcodes->size == 0) {
        return STOA_OK;
    }
    STOA_TRY(stoa_pickle_put_text(out, key, err));
    STOA_TRY(stoa_pickle_put(out, beginning, err));
    STOA_TRY(stoa_buffer_append(out, opcodes->data, opcodes->size, err));
    STOA_TRY(stoa_pickle_put(out, "s", err));

done:
    return status;
}

stoa_status stoa_pandas_notes_end(stoa_pandas_notes *notes, stoa_table *table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer text = {0};

    if (!notes->is_series && notes->columns.size + notes->index.size + notes->names.size +
                                     notes->categories.size + notes->strings.size ==
                                 0) {
        return STOA_OK;
    }
    STOA_TRY(stoa_pickle_put(&text, "(d", err));
    if (notes->is_series) {
        STOA_TRY(stoa_pickle_put(&text, "Vtype\nVseries\ns", err));
    }
    STOA_TRY(put_entry(&text, "columns", "(d", &notes->columns, err));
    STOA_TRY(put_entry(&text, "index", "(l", &notes->index, err));
    STOA_TRY(put_entry(&text, "names", "(l", &notes->names, err));
    STOA_TRY(put_entry(&text, "categories", "(d", &notes->categories, err));
    STOA_TRY(put_entry(&text, "strings", "(d", &notes->strings, err));
    STOA_TRY(stoa_pickle_put(&text, ".", err));
    STOA_TRY(take_text(&text, &table->frame, err));

done:
    stoa_buffer_clear(&text);
    return status;
}

/* --- writing --------------------------------------------------------------------------------- */

stoa_status stoa_pandas_frame_text(const stoa_table *table, char **text, stoa_error *err)
{
    *text = NULL;
    if (table->layout == NULL) {
        return stoa_attribute_read_note(table->group, STOA_PANDAS_FRAME, text, err);
    }
    if (table->frame != NULL) {
        *text = stoa_strdup(table->frame);
    }
    return table->frame == NULL || *text != NULL ? STOA_OK : stoa_fail_memory(err);
}

/* Of lists and dicts the items, so deep; of others the node itself. */
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
    uint64_t n_left = MOST_NODES;

    *is_plain = root->kind == STOA_PICKLE_DICT;
    return *is_plain ? check_node(root, DEEPEST_ITEMS, &n_left, is_plain, err) : STOA_OK;
}

/* A Series has one column, whatever was done to the table since. */
bool stoa_pandas_is_series(const stoa_layout_source *source)
{
    return stoa_pickled_is_text(stoa_pickled_get(source->frame, "type"), "series") &&
           (size_t)source->schema->n_children == source->n_index_columns + 1;
}

const stoa_pickled *stoa_pandas_label_of(const stoa_layout_source *source, const char *name)
{
    const stoa_pickled *const label =
        stoa_pickled_get(stoa_pickled_get(source->frame, "columns"), name);

    return label == NULL || stoa_pickled_is_text(label, name) ? NULL : label;
}

stoa_status stoa_pandas_put_label(stoa_buffer *out, const stoa_layout_source *source,
                                  const char *name, stoa_error *err)
{
    const stoa_pickled *const label = stoa_pandas_label_of(source, name);
    const size_t before = out->size;
    bool is_plain = true;

    if (label != NULL) {
        const stoa_status status =
            stoa_pandas_put_node(out, label, STOA_PANDAS_FOR_PANDAS, &is_plain, err);
        if (status != STOA_OK || is_plain) {
            return status;
        }
        out->size = before; /* others wrote it */
    }
    return stoa_pickle_put_text(out, name, err);
}

const stoa_pickled *stoa_pandas_names(const stoa_layout_source *source)
{
    const stoa_pickled *const names = stoa_pickled_get(source->frame, "names");

    return stoa_pickled_count(names) > 0 ? names : NULL;
}

const stoa_pickled *stoa_pandas_categories_of(const stoa_layout_source *source, const char *name)
{
    const stoa_pickled *const list =
        stoa_pickled_get(stoa_pickled_get(source->frame, "categories"), name);
    const stoa_pickled *const first = stoa_pickled_item(list, 0);

    return first != NULL && first->kind == STOA_PICKLE_BOOL ? list : NULL;
}

const char *stoa_pandas_strings_of(const stoa_layout_source *source, const char *name)
{
    const stoa_pickled *const dtype =
        stoa_pickled_get(stoa_pickled_get(source->frame, "strings"), name);

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
            return 1; /* a column has come from elsewhere */
        }
    }
    return n > 1 ? n : 1;
}

stoa_status stoa_pandas_put_names(stoa_buffer *out, const stoa_layout_source *source,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_pickled *const names = stoa_pandas_names(source);
    const size_t n = stoa_pandas_n_levels(source);

    STOA_TRY(stoa_pickle_put(out, "(l", err));
    for (size_t i = 0; i < n; i++) {
        const size_t before = out->size;
        const stoa_pickled *const name =
            stoa_pickled_count(names) == n ? stoa_pickled_item(names, i) : NULL;
        bool is_plain = name != NULL;
        STOA_TRY(is_plain ? stoa_pandas_put_node(out, name, STOA_PANDAS_FOR_PANDAS, &is_plain, err)
                          : STOA_OK);
        out->size = is_plain ? out->size : before;
        STOA_TRY(stoa_pickle_put(out, is_plain ? "a" : "Na", err));
    }

done:
    return status;
}

const stoa_pickled *stoa_pandas_index_label(const stoa_layout_source *source)
{
    return stoa_pickled_item(stoa_pickled_get(source->frame, "index"), 0);
}
