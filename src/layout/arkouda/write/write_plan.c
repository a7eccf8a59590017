#include "layout/arkouda/write/write_plan.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/memory.h"

static const char *const forms[] = {
    [STOA_ARKOUDA_COLUMNS] = "columns", [STOA_ARKOUDA_FRAME] = "dataframe",
    [STOA_ARKOUDA_LEVELS] = "index",    [STOA_ARKOUDA_GROUPS] = "groupby",
    [STOA_ARKOUDA_VIEW] = "arrayview",
};

stoa_status stoa_arkouda_form_of(const char *text, stoa_arkouda_form *form, stoa_error *err)
{
    *form = STOA_ARKOUDA_COLUMNS;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (text == NULL || strcmp(text, forms[i]) == 0) {
            *form = (stoa_arkouda_form)i;
            return STOA_OK;
        }
    }
    return stoa_fail(err, STOA_EINVAL,
                     "'%s' is no form of Arkouda's; there are columns, dataframe, index, groupby, "
                     "arrayview",
                     text);
}

/* --- names ----------------------------------------------------------------------------------- */

/* Why Arkouda's server or client cannot use a name (§N, §M, §Q.1); NULL if it can. */
static const char *fault_of(const char *name, bool is_top)
{
    if (name[0] == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        return "is no name";
    }
    if (strlen(name) > STOA_ARKOUDA_MAX_NAME) {
        return "has more than 254 bytes, which Arkouda has no room for";
    }
    if (strchr(name, ',') != NULL) {
        return "has a comma, where Arkouda would cut it";
    }
    if (strchr(name, '/') != NULL) {
        return "has a '/', which HDF5 takes for a group";
    }
    if (is_top && (stoa_ends_with(name, strlen(name), "_segments") ||
                   stoa_ends_with(name, strlen(name), ".categories"))) {
        return "ends as the parts of old objects do, which Arkouda would put together";
    }
    if (is_top && strcmp(name, STOA_ARKOUDA_METADATA) == 0) {
        return "is that of a note of old files, which Arkouda skips";
    }
    return NULL;
}

static stoa_status check_name(const char *name, bool is_top, stoa_error *err)
{
    const char *const fault = fault_of(name, is_top);

    return fault == NULL
               ? STOA_OK
               : stoa_fail(err, STOA_EINVAL, "the name '%.300s' %s; choose another", name, fault);
}

/* The client treats any such child as the index (§I.2). */
static stoa_status check_child(const stoa_arkouda_plan *plan, const char *name, stoa_error *err)
{
    if (plan->form == STOA_ARKOUDA_FRAME && strcasecmp(name, STOA_ARKOUDA_FRAME_INDEX) == 0) {
        return stoa_fail(err, STOA_EINVAL,
                         "column '%s' has the name of a DataFrame's index; rename it, or let it "
                         "label the rows",
                         name);
    }
    return check_name(name, plan->form == STOA_ARKOUDA_COLUMNS, err);
}

/* Check for equal names, since a mask may have the name of a column. */
static stoa_status check_names(const stoa_arkouda_plan *plan, stoa_error *err)
{
    for (size_t i = 0; i < plan->n_entries; i++) {
        for (size_t k = 0; k < plan->n_entries && plan->entries[i].is_mask; k++) {
            if (k != i && strcmp(plan->entries[i].name, plan->entries[k].name) == 0) {
                return stoa_fail(err, STOA_EEXISTS, "column '%s' has the name of a mask; rename it",
                                 plan->entries[k].name);
            }
        }
    }
    return STOA_OK;
}

/* --- entries --------------------------------------------------------------------------------- */

static stoa_status name_entry(const stoa_arkouda_plan *plan, stoa_arkouda_entry *entry,
                              const char *name, size_t number, stoa_error *err)
{
    const char *const column = entry->column.field->name;

    if (plan->form == STOA_ARKOUDA_LEVELS || plan->form == STOA_ARKOUDA_GROUPS) {
        entry->name = stoa_format(
            "%s%zu", plan->form == STOA_ARKOUDA_LEVELS ? STOA_ARKOUDA_LEVEL : STOA_ARKOUDA_KEY,
            number);
    } else if (plan->form == STOA_ARKOUDA_FRAME && plan->has_index && number == 0) {
        entry->name = stoa_strdup(STOA_ARKOUDA_FRAME_INDEX);
    } else {
        const char *const own = plan->form == STOA_ARKOUDA_FRAME || name == NULL ? column : name;
        const stoa_status status = check_child(plan, own, err);
        if (status != STOA_OK) {
            return status;
        }
        entry->name = stoa_strdup(own);
    }
    return entry->name != NULL ? STOA_OK : stoa_fail_memory(err);
}

/* "N/A", with as many underscores as are needed to differ from the labels in use. */
static stoa_status name_missing(stoa_arkouda_labels *labels, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer name = {0};
    uint32_t ignored;

    STOA_TRY(stoa_buffer_print(&name, err, "%s", STOA_ARKOUDA_NA_LABEL));
    while (stoa_string_set_find(labels->texts, name.data, name.size, &ignored)) {
        STOA_TRY(stoa_buffer_print(&name, err, "_"));
    }
    labels->missing = stoa_buffer_detach(&name);
    labels->na_code = labels->texts->count;
    labels->n = (uint64_t)labels->texts->count + 1;

done:
    stoa_buffer_clear(&name);
    return status;
}

static stoa_status begin_labels(stoa_arkouda_entry *entry, stoa_error *err)
{
    const stoa_string_set *const texts = &entry->column.stats->labels;
    uint32_t ignored;

    entry->labels.texts = texts;
    entry->is_na_asked =
        stoa_string_set_find(texts, STOA_ARKOUDA_NA_LABEL, strlen(STOA_ARKOUDA_NA_LABEL), &ignored);
    for (uint32_t i = 0; i < texts->count; i++) {
        size_t length;
        const char *const text = stoa_string_set_get(texts, i, &length);
        if (memchr(text, 0, length) != NULL) {
            return stoa_fail(
                err, STOA_ELOSS,
                "column '%s' has a label with a NUL in it, where Arkouda's strings end",
                entry->column.field->name);
        }
    }
    return STOA_OK;
}

stoa_status stoa_arkouda_plan_settle(stoa_arkouda_plan *plan, stoa_error *err)
{
    for (size_t i = 0; i < plan->n_entries; i++) {
        stoa_arkouda_entry *const entry = &plan->entries[i];
        stoa_arkouda_labels *const labels = &entry->labels;
        uint32_t number = 0;
        if (labels->texts == NULL) {
            continue;
        }
        if (!entry->is_na_asked || entry->is_na_used) {
            STOA_RETURN_NOT_OK(name_missing(labels, err));
            continue;
        }
        (void)stoa_string_set_find(labels->texts, STOA_ARKOUDA_NA_LABEL,
                                   strlen(STOA_ARKOUDA_NA_LABEL), &number);
        labels->na_code = number;
        labels->n = labels->texts->count;
    }
    return STOA_OK;
}

/* --- limits of a form ------------------------------------------------------------------------ */

static stoa_status refuse(const stoa_arkouda_column *column, const char *why, stoa_error *err)
{
    return stoa_fail(err, STOA_ETYPE,
                     "column '%s' cannot be %s; leave it out, or choose another "
                     "form",
                     column->field->name, why);
}

static stoa_status check_part(const stoa_arkouda_plan *plan, const stoa_arkouda_column *column,
                              size_t number, stoa_error *err)
{
    const bool is_level = plan->form == STOA_ARKOUDA_LEVELS;

    if ((is_level || plan->form == STOA_ARKOUDA_GROUPS) &&
        column->shape.as == STOA_ARKOUDA_AS_LISTS) {
        return refuse(column, is_level ? "a level of an index" : "a key", err);
    }
    if (is_level && number == 0 && column->shape.as == STOA_ARKOUDA_AS_LIMBS) {
        return refuse(column, "the first level of an index: Arkouda reads no bigint there", err);
    }
    return STOA_OK;
}

/* Whether Arkouda can write and read the column as the index of a DataFrame (§I.2). */
static bool can_be_index(const stoa_arkouda_column *column)
{
    return column->shape.as == STOA_ARKOUDA_AS_TEXTS ||
           (column->shape.as == STOA_ARKOUDA_AS_NUMBERS && column->shape.stored != STOA_KIND_BOOL);
}

/* --- missing values -------------------------------------------------------------------------- */

static stoa_status add_mask(stoa_arkouda_plan *plan, size_t at, stoa_error *err)
{
    const stoa_arkouda_entry *const from = &plan->entries[at];
    stoa_arkouda_entry *const mask = &plan->entries[plan->n_entries];

    *mask = (stoa_arkouda_entry){
        .position = from->position, .is_mask = true, .object = STOA_ARKOUDA_NO_OBJECT};
    mask->column.field = from->column.field;
    mask->column.shape = (stoa_arkouda_column_type){
        .as = STOA_ARKOUDA_AS_NUMBERS, .kind = STOA_ARKOUDA_PDARRAY, .stored = STOA_KIND_BOOL};
    mask->name = stoa_format("%s_missing", from->name);
    STOA_RETURN_NO_MEMORY(err, mask->name);
    plan->n_entries++;
    return check_child(plan, mask->name, err);
}

static stoa_status see_missing(stoa_arkouda_plan *plan, const stoa_layout_options *options,
                               size_t at, stoa_error *err)
{
    stoa_arkouda_column *const column = &plan->entries[at].column;
    const bool may_mask = plan->form == STOA_ARKOUDA_COLUMNS || plan->form == STOA_ARKOUDA_FRAME;

    if (column->stats->n_missing == 0) {
        return STOA_OK;
    }
    if (stoa_missing_way_of(options, &stoa_arkouda_missing, column->field) == STOA_MISSING_MASKED) {
        return may_mask ? add_mask(plan, at, err)
                        : stoa_fail(err, STOA_EINVAL,
                                    "column '%s' has missing values, and there is no place for a "
                                    "mask beside it",
                                    column->field->name);
    }
    if (stoa_arkouda_holds_missing(column->field)) {
        return STOA_OK;
    }
    return stoa_fail(err, STOA_ELOSS,
                     "column '%s' has %llu missing %s, which Arkouda cannot hold; --missing "
                     "'%s=VALUE|mask|drop' says what becomes of them",
                     column->field->name, (unsigned long long)column->stats->n_missing,
                     column->stats->n_missing == 1 ? "value" : "values", column->field->name);
}

/* --- plans ----------------------------------------------------------------------------------- */

static stoa_status add_entry(stoa_arkouda_plan *plan, const stoa_layout_source *source,
                             size_t position, const char *name, stoa_error *err)
{
    stoa_arkouda_entry *const entry = &plan->entries[plan->n_entries];
    const size_t number = plan->n_entries;

    *entry = (stoa_arkouda_entry){.position = position, .object = STOA_ARKOUDA_NO_OBJECT};
    STOA_RETURN_NOT_OK(stoa_arkouda_column_type_of(
        source->schema->children[position], &source->columns[position], &entry->column, err));
    plan->n_entries++;
    STOA_RETURN_NOT_OK(check_part(plan, &entry->column, number, err));
    STOA_RETURN_NOT_OK(name_entry(plan, entry, name, number, err));
    if (entry->column.shape.as == STOA_ARKOUDA_AS_CODES) {
        STOA_RETURN_NOT_OK(begin_labels(entry, err));
    }
    return STOA_OK;
}

/* The only row label of a DataFrame is its first entry, if Arkouda allows it. */
static stoa_status find_index(stoa_arkouda_plan *plan, const stoa_layout_source *source,
                              stoa_error *err)
{
    stoa_arkouda_column column;

    if (plan->form == STOA_ARKOUDA_FRAME && source->n_index_columns == 1) {
        const size_t at = source->index_columns[0];
        STOA_RETURN_NOT_OK(stoa_arkouda_column_type_of(source->schema->children[at],
                                                       &source->columns[at], &column, err));
        plan->has_index = can_be_index(&column);
    }
    return STOA_OK;
}

/* The number of keys of a GroupBy that was read (docs/layouts/arkouda.md). Its computed columns are
 * computed again. */
static size_t count_keys(const struct ArrowSchema *schema)
{
    static const char *const computed[] = {STOA_ARKOUDA_PERMUTATION, STOA_ARKOUDA_SEGMENTS,
                                           STOA_ARKOUDA_UNIQUE_KEY};
    const size_t n = (size_t)schema->n_children;
    bool is_read = n > 3 && strcmp(schema->children[0]->name, STOA_ARKOUDA_KEY "0") == 0;

    for (size_t i = 0; i < 3 && is_read; i++) {
        is_read = strcmp(schema->children[n - 3 + i]->name, computed[i]) == 0;
    }
    return is_read ? n - 3 : n;
}

static stoa_status add_entries(stoa_arkouda_plan *plan, const stoa_layout_source *source,
                               const char *name, stoa_error *err)
{
    const size_t n = plan->form == STOA_ARKOUDA_GROUPS ? count_keys(source->schema)
                                                       : (size_t)source->schema->n_children;

    STOA_RETURN_NOT_OK(find_index(plan, source, err));
    if (plan->has_index) {
        STOA_RETURN_NOT_OK(add_entry(plan, source, source->index_columns[0], NULL, err));
    }
    for (size_t i = 0; i < n; i++) {
        if (!plan->has_index || i != source->index_columns[0]) {
            STOA_RETURN_NOT_OK(add_entry(plan, source, i, name, err));
        }
    }
    for (size_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(see_missing(plan, source->options, i, err));
    }
    plan->n_columns = plan->n_entries - plan->has_index;
    return check_names(plan, err);
}

static stoa_status name_plan(stoa_arkouda_plan *plan, const stoa_layout_source *source,
                             const char **name, stoa_error *err)
{
    const int64_t n = source->schema->n_children;
    const stoa_arkouda_kind kind = plan->form == STOA_ARKOUDA_FRAME    ? STOA_ARKOUDA_DATAFRAME
                                   : plan->form == STOA_ARKOUDA_LEVELS ? STOA_ARKOUDA_INDEX
                                                                       : STOA_ARKOUDA_GROUPBY;

    if ((plan->form == STOA_ARKOUDA_COLUMNS && n > 1 && *name != NULL) ||
        (plan->form == STOA_ARKOUDA_VIEW && n != 1)) {
        return stoa_fail(err, STOA_EINVAL,
                         plan->form == STOA_ARKOUDA_VIEW
                             ? "an ArrayView is made of one column, not %lld"
                             : "%lld columns cannot all be called '%s'; leave the path out, or "
                               "choose the form dataframe",
                         (long long)n, *name != NULL ? *name : "");
    }
    if (n == 0) {
        return stoa_fail(err, STOA_EINVAL, "there is no column");
    }
    if (plan->form == STOA_ARKOUDA_VIEW && *name == NULL) {
        *name = stoa_arkouda_default_name(STOA_ARKOUDA_ARRAYVIEW);
    }
    if (plan->form == STOA_ARKOUDA_COLUMNS || plan->form == STOA_ARKOUDA_VIEW) {
        return *name != NULL ? check_name(*name, true, err) : STOA_OK;
    }
    plan->name = *name != NULL ? *name : stoa_arkouda_default_name(kind);
    return check_name(plan->name, true, err);
}

/* Set the sizes that are known without another pass over the rows. */
static stoa_status begin_sizes(stoa_arkouda_plan *plan, const stoa_layout_source *source,
                               uint64_t n_files, stoa_error *err)
{
    for (size_t i = 0; i < plan->n_entries; i++) {
        stoa_arkouda_entry *const entry = &plan->entries[i];
        entry->sizes = stoa_alloc_zero((size_t)n_files, sizeof *entry->sizes);
        STOA_RETURN_NO_MEMORY(err, entry->sizes);
        for (uint64_t k = 0; k < n_files; k++) {
            entry->sizes[k].n_rows = stoa_arkouda_first_row(plan->n_units, k + 1, n_files) -
                                     stoa_arkouda_first_row(plan->n_units, k, n_files);
        }
        if (!stoa_arkouda_plan_is_open(plan, source, n_files) && !entry->is_mask) {
            entry->sizes[0].n_bytes = entry->column.stats->domain.n_bytes;
        }
    }
    return STOA_OK;
}

stoa_status stoa_arkouda_plan_make(const stoa_layout_source *source, stoa_arkouda_form form,
                                   const char *name, uint64_t n_files, stoa_arkouda_plan *plan,
                                   stoa_error *err)
{
    const size_t n = (size_t)source->schema->n_children;

    *plan = (stoa_arkouda_plan){.form = form, .n_units = source->n_rows, .units_of_a_row = 1};
    STOA_RETURN_NOT_OK(name_plan(plan, source, &name, err));
    plan->entries = stoa_alloc_zero(2 * n, sizeof *plan->entries); /* each may have a mask */
    STOA_RETURN_NO_MEMORY(err, plan->entries);
    if (form == STOA_ARKOUDA_VIEW) {
        STOA_RETURN_NOT_OK(stoa_arkouda_plan_shape(plan, source, name, err));
    } else {
        STOA_RETURN_NOT_OK(add_entries(plan, source, name, err));
    }
    return begin_sizes(plan, source, n_files, err);
}

void stoa_arkouda_plan_clear(stoa_arkouda_plan *plan)
{
    for (size_t i = 0; plan->entries != NULL && i < plan->n_entries; i++) {
        free(plan->entries[i].name);
        free(plan->entries[i].labels.missing);
        free(plan->entries[i].sizes);
    }
    free(plan->entries);
    free(plan->shape);
    *plan = (stoa_arkouda_plan){.entries = NULL};
}
