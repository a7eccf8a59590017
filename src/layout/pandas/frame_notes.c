/* Collects the metadata of a frame while it is opened (frame.h). */
#include "layout/pandas/frame.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "column/column.h"
#include "column/read/rows.h"
#include "layout/pandas/fixed_read.h"
#include "layout/pickle/write.h"

/* Categoricals with more labels are not noted. */
enum { MAX_CATEGORIES = 65536 };

void stoa_pandas_metadata_clear(stoa_pandas_metadata *notes)
{
    for (size_t i = 0; i < STOA_PANDAS_N_ENTRIES; i++) {
        stoa_buffer_clear(&notes->entries[i]);
    }
    stoa_string_set_clear(&notes->taken);
    stoa_buffer_clear(&notes->suffixes);
}

/* Add the names of the columns that were added since. */
static stoa_status see_names(stoa_pandas_metadata *notes, const stoa_table *table, stoa_error *err)
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
static stoa_status find_free_name(stoa_pandas_metadata *notes, char **name, stoa_error *err)
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
        STOA_RETURN_NO_MEMORY(err, found);
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
static stoa_status settle(stoa_pandas_metadata *notes, const stoa_table *table,
                          stoa_pandas_label_text *label, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer text = {0};

    if (label->said == NULL && label->is_text) {
        STOA_TRY(stoa_pickle_put_text(&text, label->name, err));
        STOA_TRY(stoa_buffer_detach_text(&text, &label->said, err));
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

stoa_status stoa_pandas_add_column(stoa_pandas_metadata *notes, const stoa_table *table,
                                   stoa_pandas_label_text *label, stoa_error *err)
{
    bool says = false;

    STOA_RETURN_NOT_OK(settle(notes, table, label, err));
    if (label->said == NULL) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(says_name(label->said, label->name, &says, err));
    if (!says) {
        stoa_buffer *const columns = &notes->entries[STOA_PANDAS_SAYS_COLUMNS];
        STOA_RETURN_NOT_OK(stoa_pickle_put_text(columns, label->name, err));
        STOA_RETURN_NOT_OK(stoa_pickle_put(columns, label->said, err));
        STOA_RETURN_NOT_OK(stoa_pickle_put(columns, "s", err));
    }
    return STOA_OK;
}

stoa_status stoa_pandas_add_index(stoa_pandas_metadata *notes, const stoa_table *table,
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
    stoa_buffer *const index = &notes->entries[STOA_PANDAS_SAYS_INDEX];
    STOA_RETURN_NOT_OK(stoa_pickle_put(index, is_none ? "N" : label->said, err));
    return stoa_pickle_put(index, "a", err);
}

static stoa_status note_pair(stoa_buffer *out, const char *name, const char *text, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_pickle_put_text(out, name, err));
    STOA_RETURN_NOT_OK(stoa_pickle_put_text(out, text, err));
    return stoa_pickle_put(out, "s", err);
}

stoa_status stoa_pandas_add_dtype(stoa_pandas_metadata *notes, const char *name, const char *dtype,
                                  stoa_error *err)
{
    return note_pair(&notes->entries[STOA_PANDAS_SAYS_DTYPES], name, dtype, err);
}

/* Read the ticks of one row. */
static stoa_status read_tick(stoa_column *index, uint64_t row, int64_t *ticks, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column_rows rows = {.array.release = NULL};

    STOA_TRY(stoa_column_rows_read(index, row, 1, &rows, err));
    *ticks = stoa_view_is_null(&rows.view, 0) ? INT64_MIN : stoa_view_i64(&rows.view, 0);

done:
    stoa_column_rows_clear(&rows);
    return status;
}

stoa_status stoa_pandas_add_freq(stoa_pandas_metadata *notes, const stoa_pandas_freq *freq,
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
    return stoa_buffer_print(&notes->entries[STOA_PANDAS_SAYS_FREQ], err,
                             "V%s\naI%llu\naI%lld\naI%lld\na", text, (unsigned long long)n,
                             (long long)ends[0], (long long)ends[1]);
}

stoa_status stoa_pandas_add_axis(stoa_pandas_metadata *notes, const char *dtype,
                                 const stoa_pandas_freq *freq, size_t n, stoa_error *err)
{
    stoa_buffer *const axis = &notes->entries[STOA_PANDAS_SAYS_AXIS];
    char text[STOA_PANDAS_FREQ_SIZE];

    if (dtype != NULL) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(axis, err, "Vdtype\nV%s\ns", dtype));
    }
    if (freq != NULL) {
        stoa_pandas_freq_text(freq, false, text);
        STOA_RETURN_NOT_OK(stoa_buffer_print(axis, err, "Vfreq\nV%s\nsVn\nI%zu\ns", text, n));
    }
    return STOA_OK;
}

stoa_status stoa_pandas_add_name(stoa_pandas_metadata *notes, const char *said, stoa_error *err)
{
    stoa_buffer *const names = &notes->entries[STOA_PANDAS_SAYS_NAMES];

    STOA_RETURN_NOT_OK(stoa_pickle_put(names, said, err));
    return stoa_pickle_put(names, "a", err);
}

stoa_status stoa_pandas_add_categories(stoa_pandas_metadata *notes, const char *name,
                                       bool is_ordered, stoa_column *labels, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_pandas_label_text *texts = NULL;
    size_t n = 0;
    stoa_buffer *const out = &notes->entries[STOA_PANDAS_SAYS_CATEGORIES];
    const size_t before = out->size;
    bool is_said = labels->n_rows <= MAX_CATEGORIES;

    if (!is_said || stoa_kind_is_string(labels->type.kind) ||
        labels->type.kind == STOA_KIND_UINT64) {
        return STOA_OK;
    }
    STOA_TRY(stoa_pandas_labels_of(labels, &texts, &n, err));
    STOA_TRY(stoa_pickle_put_text(out, name, err));
    STOA_TRY(stoa_pickle_put(out, "(l", err));
    STOA_TRY(stoa_pickle_put_bool(out, is_ordered, err));
    STOA_TRY(stoa_pickle_put(out, "a", err));
    for (size_t i = 0; i < n && is_said; i++) {
        is_said = texts[i].said != NULL && !texts[i].is_text;
        STOA_TRY(stoa_pickle_put(out, is_said ? texts[i].said : "", err));
        STOA_TRY(stoa_pickle_put(out, "a", err));
    }
    STOA_TRY(stoa_pickle_put(out, "s", err));

done:
    out->size = is_said ? out->size : before;
    stoa_pandas_free_labels(texts, n);
    return status;
}

stoa_status stoa_pandas_add_strings(stoa_pandas_metadata *notes, const char *name,
                                    const char *dtype, stoa_error *err)
{
    return stoa_pandas_is_string_dtype(dtype)
               ? note_pair(&notes->entries[STOA_PANDAS_SAYS_STRINGS], name, dtype, err)
               : STOA_OK;
}

stoa_status stoa_pandas_metadata_end(stoa_pandas_metadata *notes, stoa_table *table,
                                     stoa_error *err)
{
    static const struct {
        const char *key;
        const char *begin;
    } keys[] = {{"columns", "(d"}, {"index", "(l"}, {"dtypes", "(d"},     {"freq", "(l"},
                {"axis", "(d"},    {"names", "(l"}, {"categories", "(d"}, {"strings", "(d"}};
    stoa_status status = STOA_OK;
    stoa_buffer text = {0};
    bool is_empty = !notes->is_series;

    if (!notes->says_index) {
        notes->entries[STOA_PANDAS_SAYS_INDEX].size = 0;
    }
    STOA_TRY(stoa_pickle_put(&text, notes->is_series ? "(dVtype\nVseries\ns" : "(d", err));
    for (size_t i = 0; i < STOA_PANDAS_N_ENTRIES; i++) {
        const stoa_buffer *const entry = &notes->entries[i];
        if (entry->size > 0) {
            is_empty = false;
            STOA_TRY(stoa_pickle_put_text(&text, keys[i].key, err));
            STOA_TRY(stoa_pickle_put(&text, keys[i].begin, err));
            STOA_TRY(stoa_buffer_append(&text, entry->data, entry->size, err));
            STOA_TRY(stoa_pickle_put(&text, "s", err));
        }
    }
    STOA_TRY(stoa_pickle_put(&text, ".", err));
    STOA_TRY(is_empty ? STOA_OK : stoa_buffer_detach_text(&text, &table->frame, err));
    table->frame_name = STOA_PANDAS_FRAME;

done:
    stoa_buffer_clear(&text);
    return status;
}
