/* Collects the metadata of a frame while it is opened (frame.h). */
#include "layout/pandas/frame.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "column/column.h"
#include "layout/pandas/fixed_read.h"
#include "layout/pickle/write.h"

/* Categoricals with more labels are not noted. */
enum { MOST_CATEGORIES = 65536 };

/* --- reading --------------------------------------------------------------------------------- */

void stoa_pandas_notes_clear(stoa_pandas_notes *notes)
{
    stoa_buffer_clear(&notes->columns);
    stoa_buffer_clear(&notes->index);
    stoa_buffer_clear(&notes->dtypes);
    stoa_buffer_clear(&notes->freq);
    stoa_buffer_clear(&notes->axis);
    stoa_buffer_clear(&notes->names);
    stoa_buffer_clear(&notes->categories);
    stoa_buffer_clear(&notes->strings);
    stoa_string_set_clear(&notes->taken);
    stoa_buffer_clear(&notes->suffixes);
}

/* Add the names of the columns that were added since. */
static stoa_status see_names(stoa_pandas_notes *notes, const stoa_table *table, stoa_error *err)
{
    const uint64_t none = 0;
    uint32_t number = 0;

    for (; notes->n_seen < table->n_columns; notes->n_seen++) {
        const char *const name = table->columns[notes->n_seen]->name;
        STOA_RETURN_NOT_OK(stoa_string_set_add(&notes->taken, name, strlen(name), &number, err));
        STOA_RETURN_NOT_OK(stoa_buffer_append(&notes->suffixes, &none, sizeof none, err));
    }
    return STOA_OK;
}

/* Find a free name such as "a.1", which pandas uses for the second column "a" of a CSV file. */
static stoa_status find_free_name(stoa_pandas_notes *notes, char **name, stoa_error *err)
{
    uint64_t *const suffixes = (uint64_t *)(void *)notes->suffixes.data;
    uint32_t number = 0;
    uint32_t other = 0;
    char *found = NULL;

    if (!stoa_string_set_find(&notes->taken, *name, strlen(*name), &number)) {
        return STOA_OK;
    }
    do {
        free(found);
        found = stoa_format("%s.%llu", *name, (unsigned long long)++suffixes[number]);
        if (found == NULL) {
            return stoa_fail_memory(err);
        }
    } while (stoa_string_set_find(&notes->taken, found, strlen(found), &other));
    free(*name);
    *name = found;
    return STOA_OK;
}

/* Whether the opcodes are the string `name` itself. */
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

/* Set the opcodes of a label that is a string, and make its name unique in the table. */
static stoa_status settle(stoa_pandas_notes *notes, const stoa_table *table,
                          stoa_pandas_label_text *label, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer text = {0};

    if (label->said == NULL && label->is_text) {
        STOA_TRY(stoa_pickle_put_text(&text, label->name, err));
        STOA_TRY(stoa_buffer_take_text(&text, &label->said, err));
    }
    if (label->name[0] == '\0') {
        free(label->name);
        label->name = stoa_strdup("unnamed"); /* HEP001 allows no column with an empty name */
        STOA_TRY(label->name != NULL ? STOA_OK : stoa_fail_memory(err));
    }
    STOA_TRY(see_names(notes, table, err));
    STOA_TRY(find_free_name(notes, &label->name, err));

done:
    stoa_buffer_clear(&text);
    return status;
}

stoa_status stoa_pandas_note_column(stoa_pandas_notes *notes, const stoa_table *table,
                                    stoa_pandas_label_text *label, stoa_error *err)
{
    bool says = false;

    STOA_RETURN_NOT_OK(settle(notes, table, label, err));
    if (label->said == NULL) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(says_name(label->said, label->name, &says, err));
    if (!says) {
        STOA_RETURN_NOT_OK(stoa_pickle_put_text(&notes->columns, label->name, err));
        STOA_RETURN_NOT_OK(stoa_pickle_put(&notes->columns, label->said, err));
        STOA_RETURN_NOT_OK(stoa_pickle_put(&notes->columns, "s", err));
    }
    return STOA_OK;
}

stoa_status stoa_pandas_note_index(stoa_pandas_notes *notes, const stoa_table *table,
                                   stoa_pandas_label_text *label, const char *otherwise,
                                   stoa_error *err)
{
    bool says = false;

    STOA_RETURN_NOT_OK(settle(notes, table, label, err));
    const bool is_none = label->said == NULL || strcmp(label->said, "N") == 0;
    const bool is_otherwise = strcmp(label->name, otherwise) == 0;
    if (!is_none) {
        STOA_RETURN_NOT_OK(says_name(label->said, label->name, &says, err));
    }
    notes->says_index = notes->says_index || (is_none ? !is_otherwise : !says || is_otherwise);
    STOA_RETURN_NOT_OK(stoa_pickle_put(&notes->index, is_none ? "N" : label->said, err));
    return stoa_pickle_put(&notes->index, "a", err);
}

stoa_status stoa_pandas_note_dtype(stoa_pandas_notes *notes, const char *name, const char *dtype,
                                   stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_pickle_put_text(&notes->dtypes, name, err));
    STOA_RETURN_NOT_OK(stoa_pickle_put_text(&notes->dtypes, dtype, err));
    return stoa_pickle_put(&notes->dtypes, "s", err);
}

/* Read the ticks of one row. */
static stoa_status read_tick(stoa_column *index, uint64_t row, int64_t *ticks, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    stoa_view view;

    STOA_TRY(stoa_column_schema(index, &schema, err));
    STOA_TRY(stoa_column_read(index, row, 1, &array, err));
    STOA_TRY(stoa_view_of(&schema, &array, &view, err));
    *ticks = stoa_view_is_null(&view, 0) ? INT64_MIN : stoa_view_i64(&view, 0);

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    return status;
}

stoa_status stoa_pandas_note_freq(stoa_pandas_notes *notes, const stoa_pandas_freq *freq,
                                  stoa_column *index, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n = index->n_rows;
    stoa_error why = STOA_ERROR_INIT;
    int64_t ends[2] = {0, 0};
    char text[STOA_PANDAS_FREQ_SIZE];

    if (!stoa_kind_is_ticks(index->type.kind) || n > INT64_MAX) {
        return STOA_OK;
    }
    for (int i = 0; n > 0 && i < 2; i++) {
        status = read_tick(index, i == 0 ? 0 : n - 1, &ends[i], &why);
        if (status != STOA_OK) { /* the error occurs again when the rows are read */
            return status == STOA_ENOMEM ? stoa_fail_memory(err) : STOA_OK;
        }
    }
    stoa_pandas_freq_text(freq, false, text);
    STOA_RETURN_NOT_OK(stoa_pickle_put_text(&notes->freq, text, err));
    return stoa_buffer_print(&notes->freq, err, "aI%llu\naI%lld\naI%lld\na", (unsigned long long)n,
                             (long long)ends[0], (long long)ends[1]);
}

stoa_status stoa_pandas_note_axis(stoa_pandas_notes *notes, const char *dtype,
                                  const stoa_pandas_freq *freq, size_t n, stoa_error *err)
{
    char text[STOA_PANDAS_FREQ_SIZE];

    if (dtype != NULL) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(&notes->axis, err, "Vdtype\nV%s\ns", dtype));
    }
    if (freq != NULL) {
        stoa_pandas_freq_text(freq, false, text);
        STOA_RETURN_NOT_OK(
            stoa_buffer_print(&notes->axis, err, "Vfreq\nV%s\nsVn\nI%zu\ns", text, n));
    }
    return STOA_OK;
}

stoa_status stoa_pandas_note_name(stoa_pandas_notes *notes, const char *said, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_pickle_put(&notes->names, said, err));
    return stoa_pickle_put(&notes->names, "a", err);
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

stoa_status stoa_pandas_note_strings(stoa_pandas_notes *notes, const char *name, const char *dtype,
                                     stoa_error *err)
{
    if (stoa_pandas_is_string_dtype(dtype)) {
        STOA_RETURN_NOT_OK(stoa_pickle_put_text(&notes->strings, name, err));
        STOA_RETURN_NOT_OK(stoa_pickle_put_text(&notes->strings, dtype, err));
        STOA_RETURN_NOT_OK(stoa_pickle_put(&notes->strings, "s", err));
    }
    return STOA_OK;
}

/* Append `key`, `beginning` and the opcodes. Append nothing if there are none. */
static stoa_status put_entry(stoa_buffer *out, const char *key, const char *beginning,
                             const stoa_buffer *opcodes, stoa_error *err)
{
    if (opcodes->size == 0) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_pickle_put_text(out, key, err));
    STOA_RETURN_NOT_OK(stoa_pickle_put(out, beginning, err));
    STOA_RETURN_NOT_OK(stoa_buffer_append(out, opcodes->data, opcodes->size, err));
    return stoa_pickle_put(out, "s", err);
}

stoa_status stoa_pandas_notes_end(stoa_pandas_notes *notes, stoa_table *table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer text = {0};

    if (!notes->says_index) {
        notes->index.size = 0;
    }
    if (!notes->is_series && notes->columns.size + notes->index.size + notes->dtypes.size +
                                     notes->freq.size + notes->axis.size + notes->names.size +
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
    STOA_TRY(put_entry(&text, "dtypes", "(d", &notes->dtypes, err));
    STOA_TRY(put_entry(&text, "freq", "(l", &notes->freq, err));
    STOA_TRY(put_entry(&text, "axis", "(d", &notes->axis, err));
    STOA_TRY(put_entry(&text, "names", "(l", &notes->names, err));
    STOA_TRY(put_entry(&text, "categories", "(d", &notes->categories, err));
    STOA_TRY(put_entry(&text, "strings", "(d", &notes->strings, err));
    STOA_TRY(stoa_pickle_put(&text, ".", err));
    STOA_TRY(stoa_buffer_take_text(&text, &table->frame, err));

done:
    stoa_buffer_clear(&text);
    return status;
}
