/*
 * Appends rows to a frame of pandas' table format.
 *
 * 1. The frame's own members say how values are stored. A value that they cannot hold refuses all
 *    rows, as pandas' append does.
 * 2. New labels join the categories at their end, where these have no order.
 * 3. PyTables' indexes of the table are marked as outdated: pytables/append.c.
 */
#include <stdlib.h>
#include <string.h>

#include <stoa/arrays.h>
#include <stoa/query.h>

#include "arrow/build.h"
#include "core/memory.h"
#include "hdf/copy/object_storage.h"
#include "hdf/metadata/links.h"
#include "layout/common/column_stats.h"
#include "layout/pandas/pandas.h"
#include "layout/pandas/period.h"
#include "layout/pandas/table_read.h"
#include "layout/pandas/table_write.h"
#include "layout/pytables/pytables.h"

typedef struct appending {
    const stoa_layout_source *source;
    stoa_table *table;
    stoa_pandas_opening frame;
    struct ArrowSchema schema; /* of the source, in the types of the frame's columns */
    stoa_layout_source rows;   /* the source with that schema */
    stoa_pandas_members members;
    uint64_t *n_labels; /* of each member, before the rows */
    char **nan_reps;    /* of each member; NULL if none */
} appending;

/* --- types ----------------------------------------------------------------------------------- */

static stoa_column *column_of(const appending *a, size_t i)
{
    return stoa_table_column(a->table, i);
}

static bool is_coded(const stoa_column *column)
{
    return column->type.kind == STOA_KIND_DICTIONARY;
}

/* The field that the rows of a column are cast to. Codes are made of labels. */
static stoa_status make_wanted(const stoa_column *column, struct ArrowSchema *out, stoa_error *err)
{
    return is_coded(column)
               ? stoa_schema_make(out, column->name, column->dictionary_schema.format, err)
               : stoa_column_schema(column, out, err);
}

static bool is_number(stoa_kind kind)
{
    return stoa_kind_is_integer(kind) || stoa_kind_is_float(kind);
}

/* Integers and floats have to be exact in the column's own type. */
static stoa_status check_numbers(const appending *a, stoa_error *err)
{
    for (int64_t i = 0; i < a->source->schema->n_children; i++) {
        const char *const name = a->source->schema->children[i]->name;
        const stoa_column *const column = stoa_table_find(a->table, name);
        stoa_type type;
        char text[64];

        STOA_RETURN_NOT_OK(stoa_type_of(a->source->schema->children[i], &type, err));
        if (column != NULL && is_number(type.kind) && is_number(column->type.kind) &&
            stoa_kind_is_float(type.kind) <= stoa_kind_is_float(column->type.kind) &&
            !stoa_domain_fits(&a->source->columns[i].domain, column->type.kind)) {
            return stoa_fail(err, STOA_ELOSS,
                             "column '%s' has numbers that its cells, of %s, do not hold; write "
                             "both into a new table (stoa concat)",
                             name, stoa_type_name(&column->type, text));
        }
    }
    return STOA_OK;
}

static stoa_status cast_rows(appending *a, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = stoa_table_n_columns(a->table);
    struct ArrowSchema wanted = {.release = NULL};

    STOA_TRY(check_numbers(a, err));
    STOA_TRY(stoa_schema_make(&wanted, "", "+s", err));
    STOA_TRY(stoa_schema_children(&wanted, (int64_t)n, err));
    for (size_t i = 0; i < n; i++) {
        STOA_TRY(make_wanted(column_of(a, i), wanted.children[i], err));
    }
    STOA_TRY(stoa_stream_cast(a->source->stream, &wanted, err));
    STOA_TRY(stoa_stream_schema(a->source->stream, &a->schema, err));

done:
    stoa_schema_release(&wanted);
    return status;
}

/* The position of a column in the rows; past their end if it is not there. */
static size_t find_field(const appending *a, const char *name)
{
    size_t i = 0;

    while (i < (size_t)a->schema.n_children && strcmp(a->schema.children[i]->name, name) != 0) {
        i++;
    }
    return i;
}

/* pandas numbers the rows of a frame without row labels from 0, those of an append too. */
static bool is_counter(const appending *a)
{
    const stoa_pandas_found *const is = &a->frame.columns[0];
    const stoa_column *const column = column_of(a, 0);

    return is->labels_rows && !a->frame.is_multi && is->label.said == NULL &&
           strcmp(column->name, "index") == 0 && column->type.kind == STOA_KIND_INT64;
}

static stoa_status check_names(const appending *a, bool *counts, stoa_error *err)
{
    const size_t n = stoa_table_n_columns(a->table);

    *counts = n > 0 && is_counter(a) && find_field(a, "index") == (size_t)a->schema.n_children;
    for (size_t i = *counts; i < n; i++) {
        if (find_field(a, column_of(a, i)->name) == (size_t)a->schema.n_children) {
            return stoa_fail(err, STOA_ETYPE, "the rows have no column '%s'",
                             column_of(a, i)->name);
        }
    }
    for (int64_t i = 0; i < a->schema.n_children; i++) {
        if (stoa_table_find(a->table, a->schema.children[i]->name) == NULL) {
            return stoa_fail(err, STOA_ETYPE, "the table has no column '%s'",
                             a->schema.children[i]->name);
        }
    }
    return STOA_OK;
}

static stoa_status check_type(const stoa_column *column, const struct ArrowSchema *field,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema wanted = {.release = NULL};
    stoa_type is;
    stoa_type there;
    char texts[2][64];

    STOA_TRY(make_wanted(column, &wanted, err));
    STOA_TRY(stoa_type_of(field, &is, err));
    STOA_TRY(stoa_type_of(&wanted, &there, err));
    if (strcmp(field->format, wanted.format) != 0 &&
        !(stoa_kind_is_string(is.kind) && stoa_kind_is_string(there.kind))) {
        STOA_FAIL(err, STOA_ETYPE, "column '%s' is of %s there, of %s in the rows", column->name,
                  stoa_type_name(&there, texts[0]), stoa_type_name(&is, texts[1]));
    }

done:
    stoa_schema_release(&wanted);
    return status;
}

/* --- members --------------------------------------------------------------------------------- */

/* Whether the first column shows the beginnings of periods. */
static bool has_periods(const appending *a, stoa_pandas_freq *freq)
{
    const stoa_column *const column = column_of(a, 0);
    const stoa_pickled *const index = stoa_pickled_get(stoa_pandas_root(a->frame.info), "index");

    return stoa_pandas_freq_of(stoa_pickled_get(index, "freq"), freq) &&
           stoa_pandas_is_of_periods(freq) && stoa_kind_is_time(column->type.kind) &&
           column->member.rows == NULL;
}

/* The dtype of a member, in pandas' words. The caller frees it. */
static stoa_status read_dtype(const appending *a, const stoa_pandas_found *is, char **dtype,
                              stoa_error *err)
{
    const bool is_index = strcmp(is->member, "index") == 0;
    stoa_pandas_freq freq;
    char period[STOA_PANDAS_DTYPE_SIZE];

    if (!is_index || !has_periods(a, &freq)) {
        return stoa_pandas_text_of(a->frame.dataset, is->member, is_index ? "_kind" : "_dtype",
                                   dtype, err);
    }
    stoa_pandas_period_dtype(&freq, period);
    *dtype = stoa_strdup(period);
    return *dtype != NULL ? STOA_OK : stoa_fail_memory(err);
}

/* Whether a text is a value of a column, as far as the table has it. */
static stoa_status has_text(const appending *a, const stoa_column *column, const char *text,
                            bool *has, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_query_options ask = STOA_QUERY_OPTIONS_INIT;
    stoa_query *query = NULL;
    struct ArrowArrayStream stream = {.release = NULL};
    struct ArrowArray batch = {.release = NULL};
    stoa_buffer where = {0};

    STOA_TRY(stoa_buffer_quote(&where, '"', column->name, strlen(column->name), err));
    STOA_TRY(stoa_buffer_print(&where, err, " = '%s'", text));
    ask.where = (const char *)where.data;
    ask.limit = 1;
    STOA_TRY(stoa_query_open(a->table, &ask, &query, err));
    STOA_TRY(stoa_query_run(query, &stream, err));
    STOA_TRY(stoa_stream_next(&stream, &batch, err));
    *has = batch.release != NULL && batch.length > 0;

done:
    stoa_array_release(&batch);
    stoa_stream_release(&stream);
    stoa_query_close(query);
    stoa_buffer_clear(&where);
    return status;
}

/* A member gets its first missing string. pandas 3.1 notes what stands for it. */
static stoa_status begin_nan(const appending *a, const stoa_pandas_found *is,
                             const stoa_column *column, char **nan_rep, stoa_error *err)
{
    bool has = false;

    STOA_RETURN_NOT_OK(has_text(a, column, STOA_PANDAS_NAN, &has, err));
    if (has) {
        return stoa_fail(err, STOA_ELOSS,
                         "column '%s' gets a first missing string, and has the text '%s', which "
                         "would stand for it; write both into a new table (stoa concat)",
                         column->name, STOA_PANDAS_NAN);
    }
    *nan_rep = stoa_strdup(STOA_PANDAS_NAN);
    STOA_RETURN_NO_MEMORY(err, *nan_rep);
    return stoa_pandas_write_of(a->frame.dataset, is->member, "_nan_rep", *nan_rep, err);
}

static stoa_status find_nan(appending *a, const stoa_pandas_found *is, const stoa_column *column,
                            stoa_pandas_member *member, stoa_error *err)
{
    char **const nan_rep = &a->nan_reps[a->members.n - 1];

    STOA_RETURN_NOT_OK(
        stoa_pandas_nan_rep_of(&a->frame, is->member, member->is_index, nan_rep, err));
    if (*nan_rep == NULL && member->shape.stats->n_missing > 0) {
        STOA_RETURN_NOT_OK(begin_nan(a, is, column, nan_rep, err));
    }
    member->nan_rep = *nan_rep;
    return STOA_OK;
}

/* Texts have to fit into the member's cells, whose width does not change. */
static stoa_status check_width(appending *a, const stoa_pandas_found *is, const stoa_column *column,
                               stoa_pandas_member *member, stoa_error *err)
{
    const stoa_column_stats *const stats = member->shape.stats;

    member->text_size = column->element.size;
    STOA_RETURN_NOT_OK(stoa_pandas_check_text(member, err));
    STOA_RETURN_NOT_OK(find_nan(a, is, column, member, err));
    if (stats->domain.longest > member->text_size) {
        return stoa_fail(err, STOA_ELOSS,
                         "column '%s' has a text of %zu bytes, its cells have %zu (pandas: "
                         "min_itemsize); write both into a new table (stoa concat)",
                         column->name, stats->domain.longest, member->text_size);
    }
    if (stats->n_missing > 0 && strlen(member->nan_rep) > member->text_size) {
        return stoa_fail(err, STOA_ELOSS,
                         "column '%s' has missing texts, written as '%s', and cells of %zu bytes "
                         "(pandas: min_itemsize); write both into a new table (stoa concat)",
                         column->name, member->nan_rep, member->text_size);
    }
    return STOA_OK;
}

/* Add the next column of the frame as a member, or as an item of the block that was begun. */
static stoa_status add_member(appending *a, size_t i, size_t n_items, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_pandas_found *const is = &a->frame.columns[i];
    const stoa_column *const column = column_of(a, i);
    const size_t at = find_field(a, column->name);
    const struct ArrowSchema *const field = a->schema.children[at];
    stoa_pandas_member *const member = &a->members.all[a->members.n++];
    char *said = NULL;

    *member = (stoa_pandas_member){.column = at,
                                   .is_index = strcmp(is->member, "index") == 0,
                                   .is_level = a->frame.is_multi && is->labels_rows,
                                   .is_block = is->item != STOA_WHOLE_MEMBER,
                                   .is_coded = is_coded(column),
                                   .item = is->item == STOA_WHOLE_MEMBER ? 0 : is->item,
                                   .n_items = n_items};
    member->name = stoa_strdup(is->member);
    STOA_TRY(member->name != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(check_type(column, field, err));
    STOA_TRY(read_dtype(a, is, &said, err));
    if (member->is_coded) {
        STOA_TRY(stoa_pandas_codes_of_column(column, field, &a->source->columns[at], &member->codes,
                                             err));
        a->n_labels[a->members.n - 1] = member->codes.distinct.count;
    }
    STOA_TRY(stoa_pandas_shape_of(field,
                                  member->is_coded ? &member->codes.stats : &a->source->columns[at],
                                  said, "pandas' table format", &member->shape, err));
    if (stoa_pandas_is_text(member)) {
        STOA_TRY(check_width(a, is, column, member, err));
    }

done:
    free(said);
    return status;
}

/* The columns of a member, in the order of its items. */
static stoa_status add_members_of(appending *a, const char *name, stoa_error *err)
{
    const size_t n = a->frame.n_columns;
    size_t n_items = 0;

    for (size_t i = 0; i < n; i++) {
        n_items += strcmp(a->frame.columns[i].member, name) == 0;
    }
    for (size_t item = 0; item < n_items; item++) {
        for (size_t i = 0; i < n; i++) {
            const stoa_pandas_found *const is = &a->frame.columns[i];
            if (strcmp(is->member, name) == 0 && (is->item == item || n_items == 1)) {
                STOA_RETURN_NOT_OK(add_member(a, i, item == 0 ? n_items : 1, err));
            }
        }
    }
    return STOA_OK;
}

static stoa_status make_members(appending *a, bool counts, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = a->frame.n_columns;
    const hid_t type = stoa_rows_type(a->frame.rows);
    char *name = NULL;

    a->members =
        (stoa_pandas_members){.source = &a->rows, .has_counter = a->frame.is_multi || counts};
    a->members.all = stoa_alloc_zero(n + 1, sizeof *a->members.all);
    a->n_labels = stoa_alloc_zero(n + 1, sizeof *a->n_labels);
    a->nan_reps = stoa_alloc_zero(n + 1, sizeof *a->nan_reps);
    STOA_TRY(a->members.all != NULL && a->n_labels != NULL && a->nan_reps != NULL
                 ? STOA_OK
                 : stoa_fail_memory(err));
    for (int i = 0; i < H5Tget_nmembers(type); i++) {
        STOA_HDF(err, (name = H5Tget_member_name(type, (unsigned)i)) != NULL ? 0 : -1,
                 "read a field's name");
        if (strcmp(name, "index") != 0 || !a->members.has_counter) {
            STOA_TRY(add_members_of(a, name, err));
            a->members.n_members++;
        }
        (void)H5free_memory(name);
        name = NULL;
    }

done:
    (void)H5free_memory(name);
    return status;
}

/* --- rows ------------------------------------------------------------------------------------ */

static stoa_status put_rows(appending *a, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_source rows = a->rows;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArrayStream stream = {.release = NULL};
    stoa_column_stats *stats = NULL;
    char *path = stoa_format("%s/table", stoa_table_path(a->table));

    STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_pandas_members_schema(&a->members, &schema, &stats, err));
    STOA_TRY(stoa_pandas_members_stream(&a->members, &stream, err));
    rows.schema = &schema;
    rows.columns = stats;
    rows.stream = &stream;
    STOA_TRY(stoa_pytables_append(&rows, a->frame.dataset, path, err));

done:
    free(path);
    stoa_stream_release(&stream);
    stoa_column_stats_free(stats, stats != NULL ? (size_t)schema.n_children : 0);
    stoa_schema_release(&schema);
    return status;
}

/* Write the labels of the members that have new ones. */
static stoa_status put_labels(const appending *a, stoa_error *err)
{
    for (size_t i = 0; i < a->members.n; i++) {
        const stoa_pandas_member *const member = &a->members.all[i];
        if (member->is_coded && member->codes.distinct.count > a->n_labels[i]) {
            STOA_RETURN_NOT_OK(stoa_pandas_put_labels(&a->members, member, a->frame.group, err));
        }
    }
    return STOA_OK;
}

stoa_status stoa_pandas_append(const stoa_layout_source *source, stoa_table *table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    appending a = {.source = source, .table = table, .schema = {.release = NULL}};
    bool counts = false;

    STOA_HDF(err, H5Iinc_ref(table->group), "hold the frame");
    STOA_TRY(stoa_pandas_opening_begin(table->group, stoa_table_path(table), table->file, false,
                                       &a.frame, err));
    STOA_TRY(cast_rows(&a, err));
    STOA_TRY(check_names(&a, &counts, err));
    a.rows = *source;
    a.rows.schema = &a.schema;
    STOA_TRY(make_members(&a, counts, err));
    STOA_TRY(put_rows(&a, err));
    STOA_TRY(put_labels(&a, err));

done:
    for (size_t i = 0; a.nan_reps != NULL && i < a.members.n; i++) {
        free(a.nan_reps[i]);
    }
    free(a.nan_reps);
    free(a.n_labels);
    stoa_pandas_members_clear(&a.members);
    stoa_schema_release(&a.schema);
    stoa_pandas_opening_clear(&a.frame);
    return status;
}
