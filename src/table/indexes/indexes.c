/* The public calls on search indexes in <stoa/index.h> (HEP001 §10, §12, §16). */
#include <stoa/index.h>

#include <stdio.h>
#include <stdlib.h>

#include "core/sized_struct.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/other_files.h"
#include "hdf/metadata/references.h"
#include "index/index_set.h"
#include "table/indexes/verify.h"
#include "table/open/table.h"

static stoa_status find_column(const stoa_table *table, const char *name, stoa_column **column,
                               stoa_error *err)
{
    *column = stoa_table_find(table, name);
    return *column != NULL ? stoa_column_load(*column, err)
                           : stoa_table_fail_name(table, name, err);
}

/* Find a kind by its short name or KIND. NULL stands for every kind. */
static stoa_status find_kind(const char *name, const stoa_index_kind **kind, stoa_error *err)
{
    *kind = NULL;
    return name != NULL ? stoa_index_kind_named(name, kind, err) : STOA_OK;
}

/* Add the table's location, FILE:PATH, to an error. */
static stoa_status at_table(const stoa_table *table, stoa_status status, stoa_error *err)
{
    return stoa_at(err, status, "%s:%s", table->file, table->path);
}

/* Whether the column has an index of the kind, and whether such an index is out of date. */
static stoa_status has_index(const stoa_column *column, const stoa_index_kind *kind, bool *has,
                             bool *is_stale, stoa_error *err)
{
    stoa_index_link *links = NULL;
    size_t n = 0;
    const stoa_status status = stoa_index_links(column, &links, &n, err);

    *has = *is_stale = false;
    for (size_t i = 0; i < n; i++) {
        const bool is = stoa_index_link_is(&links[i], kind);
        *has = *has || is;
        *is_stale = *is_stale || (is && links[i].is_stale);
    }
    stoa_index_links_clear(links, n);
    return status;
}

/* Build an index with the table's worker threads. */
static stoa_status build_index(stoa_table *table, stoa_column *column, const stoa_index_kind *kind,
                               const stoa_index_options *options, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_index_options own = STOA_INDEX_OPTIONS_INIT;

    STOA_RETURN_NOT_OK(STOA_SIZED_COPY(&own, options, memory, "STOA_INDEX_OPTIONS_INIT", err));
    STOA_RETURN_NOT_OK(stoa_table_borrow_workers(table, own.threads, &column->workers, err));
    status = stoa_index_build(table->group, column, kind, table->n_rows, &own, err);
    column->workers = NULL;
    stoa_table_return_workers(table);
    return status;
}

/* A new index has tokens, and with it all indexes of the table need some. So older ones, which
 * would be ignored from now on, are compared and get theirs. */
static stoa_status begin_tokens(stoa_table *table, stoa_error *err)
{
    return table->generation->is_known ? STOA_OK : stoa_index_repair(table, NULL, NULL, err);
}

stoa_status stoa_index_add(stoa_table *table, const char *column_name, const char *kind_name,
                           const stoa_index_options *options, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = NULL;
    const stoa_index_kind *kind = NULL;
    bool has = false;
    bool is_stale = false;

    STOA_TRY(stoa_table_may_change(table, err));
    STOA_TRY(find_column(table, column_name, &column, err));
    STOA_TRY(find_kind(kind_name, &kind, err));
    if (kind == NULL) {
        STOA_FAIL(err, STOA_EINVAL, "no kind of index was given");
    }
    STOA_TRY(stoa_index_links_settle(table->columns, table->n_columns, err));
    if (!stoa_column_is_foreign(column) && stoa_dataset_is_elsewhere(column->dataset)) {
        STOA_FAIL(err, STOA_EINVAL,
                  "the values of column '%s' lie in other files or datasets, which may change "
                  "without it: it can have no index",
                  column_name);
    }
    STOA_TRY(has_index(column, kind, &has, &is_stale, err));
    if (has) {
        STOA_FAIL(err, STOA_EEXISTS, "column '%s' has a %s index already%s; drop it first",
                  column_name, kind->name,
                  is_stale ? ", which is out of date: 'stoa index verify --repair' renews it" : "");
    }
    STOA_TRY(begin_tokens(table, err));
    STOA_TRY(build_index(table, column, kind, options, err));

done:
    return at_table(table, status, err);
}

stoa_status stoa_index_advise(const stoa_table *table, const char *column_name, const char **kind,
                              stoa_error *err)
{
    const stoa_status entered = stoa_table_enter(table, err);
    stoa_status status = STOA_OK;
    stoa_column *column = NULL;

    *kind = NULL;
    STOA_TRY(entered);
    STOA_TRY(find_column(table, column_name, &column, err));
    STOA_TRY(stoa_index_advise_column(column, table->n_rows, kind, err));

done:
    if (entered == STOA_OK) {
        stoa_table_leave(table);
    }
    return at_table(table, status, err);
}

stoa_status stoa_index_drop(stoa_table *table, const char *column_name, const char *kind_name,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = NULL;
    const stoa_index_kind *kind = NULL;
    bool has = false;
    bool is_stale = false;

    STOA_TRY(stoa_table_may_change(table, err));
    STOA_TRY(find_column(table, column_name, &column, err));
    STOA_TRY(find_kind(kind_name, &kind, err));
    if (kind != NULL) {
        STOA_TRY(has_index(column, kind, &has, &is_stale, err));
    } else {
        /* Also a list that is empty, damaged or unreadable: dropping all indexes repairs it. */
        has = stoa_attribute_exists(column->dataset, "SEARCH_INDEX_LIST");
    }
    if (!has) {
        STOA_FAIL(err, STOA_ENOTFOUND, "column '%s' has no %s%sindex", column_name,
                  kind != NULL ? kind->name : "", kind != NULL ? " " : "");
    }
    STOA_TRY(stoa_index_links_settle(table->columns, table->n_columns, err));
    STOA_TRY(stoa_index_remove(table->group, column, kind, err));

done:
    return at_table(table, status, err);
}

static stoa_status object_path(hid_t object, char **path, stoa_error *err)
{
    ssize_t length = 0;

    STOA_RETURN_HDF_ERROR(err, length = H5Iget_name(object, NULL, 0),
                          "get the path of a search index");
    *path = stoa_alloc_zero((size_t)length + 1, 1);
    STOA_RETURN_NO_MEMORY(err, *path);
    STOA_RETURN_HDF_ERROR(err, H5Iget_name(object, *path, (size_t)length + 1),
                          "get the path of a search index");
    return STOA_OK;
}

/* Length of the first dimension: entries, values or filters. */
static uint64_t count_entries(hid_t dataset)
{
    hid_t space = H5Dget_space(dataset);
    hsize_t dims[H5S_MAX_RANK] = {0};
    const int rank = space >= 0 ? H5Sget_simple_extent_dims(space, dims, NULL) : 0;

    (void)stoa_hdf_close(&space, STOA_OK, NULL);
    return rank > 0 ? dims[0] : 0;
}

/* Bytes in the file of an index and its auxiliary datasets. */
static stoa_status count_bytes(const stoa_index_link *link, uint64_t *n_bytes, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char *const *name = link->kind != NULL ? link->kind->company : NULL;

    *n_bytes = H5Dget_storage_size(link->dataset);
    for (; name != NULL && *name != NULL && status == STOA_OK; name++) {
        hid_t *targets = NULL;
        size_t n = 0;
        /* Unreadable references were already reported as a problem. */
        if (stoa_references_read(link->dataset, *name, &targets, &n, NULL) == STOA_ENOMEM) {
            status = stoa_fail_memory(err);
        }
        for (size_t i = 0; i < n; i++) {
            if (H5Iget_type(targets[i]) == H5I_DATASET) {
                *n_bytes += H5Dget_storage_size(targets[i]);
            }
            (void)stoa_hdf_close(&targets[i], STOA_OK, NULL);
        }
        free(targets);
    }
    return status;
}

/* Why an index is unusable: its kind is unknown, or a query could not open it. */
static void find_problem(const stoa_table *table, stoa_index_set *set, size_t i,
                         char problem[static STOA_PROBLEM_SIZE])
{
    const stoa_index_link *link = &set->links[i];
    stoa_error damage = STOA_ERROR_INIT;
    stoa_index *index = NULL;

    problem[0] = '\0';
    if (link->is_unsound) {
        (void)snprintf(problem, STOA_PROBLEM_SIZE, "%s", stoa_index_unsound);
    } else if (link->is_stale) {
        stoa_tokens_explain(&link->tokens, table->generation, problem, STOA_PROBLEM_SIZE);
    } else if (link->kind == NULL) {
        (void)snprintf(problem, STOA_PROBLEM_SIZE,
                       "KIND '%s' is unknown, the index is ignored (HEP001 §10.3)",
                       link->kind_text);
    } else if (stoa_index_set_get(set, i, table->n_rows, &index, &damage) != STOA_OK) {
        (void)snprintf(problem, STOA_PROBLEM_SIZE, "%s", damage.message);
    }
}

/* Describe one link to the visitor; *go_on is its answer. */
static stoa_status visit_link(const stoa_table *table, stoa_index_set *set, size_t i,
                              stoa_index_visitor visitor, void *context, bool *go_on,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_index_link *link = &set->links[i];
    char *path = NULL;
    char *description = NULL;
    char problem[STOA_PROBLEM_SIZE] = "a reference that leads to no dataset (HEP001 §10.2)";
    stoa_index_info info = {
        .column = set->column->name, .kind = link->kind_text, .problem = problem};

    if (link->dataset >= 0) {
        STOA_TRY(object_path(link->dataset, &path, err));
        if (stoa_attribute_read_text(link->dataset, "description", &description, NULL) != STOA_OK) {
            description = NULL; /* only informational (§10.3) */
        }
        find_problem(table, set, i, problem);
        info.n_entries = count_entries(link->dataset);
        STOA_TRY(count_bytes(link, &info.n_bytes, err));
    }
    info.path = path != NULL ? path : "";
    info.description = description != NULL ? description : "";
    info.usable = problem[0] == '\0';
    info.stale = link->is_stale;
    *go_on = visitor(context, &info);

done:
    free(path);
    free(description);
    return status;
}

/* Visit a column's indexes. An unreadable list, or column, counts as one unusable index. */
static stoa_status visit_column(const stoa_table *table, stoa_column *column,
                                stoa_index_visitor visitor, void *context, bool *go_on,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_index_set set = {.column = NULL};
    stoa_error damage = STOA_ERROR_INIT;

    status = stoa_column_load(column, &damage);
    if (status == STOA_OK) {
        status = stoa_index_set_open(column, &set, &damage);
    }
    if (status == STOA_ENOMEM) {
        STOA_TRY(stoa_fail_memory(err));
    }
    if (status != STOA_OK) {
        const stoa_index_info info = {.column = column->name,
                                      .kind = "",
                                      .path = "",
                                      .description = "",
                                      .problem = damage.message};
        status = STOA_OK;
        *go_on = visitor(context, &info);
        goto done;
    }
    for (size_t i = 0; *go_on && i < set.n_links; i++) {
        STOA_TRY(visit_link(table, &set, i, visitor, context, go_on, err));
    }

done:
    stoa_index_set_close(&set);
    return status;
}

stoa_status stoa_index_visit(const stoa_table *table, stoa_index_visitor visitor, void *context,
                             stoa_error *err)
{
    const stoa_status entered = stoa_table_enter(table, err);
    stoa_status status = STOA_OK;
    bool go_on = true;

    STOA_TRY(entered);
    for (size_t i = 0; go_on && i < table->n_columns; i++) {
        STOA_TRY(visit_column(table, table->columns[i], visitor, context, &go_on, err));
    }

done:
    if (entered == STOA_OK) {
        stoa_table_leave(table);
    }
    return at_table(table, status, err);
}

stoa_status stoa_index_verify(const stoa_table *table, const char *column_name,
                              const char *kind_name, bool *same, stoa_error *err)
{
    return stoa_index_verify_with(table, column_name, kind_name, NULL, same, err);
}

stoa_status stoa_index_verify_with(const stoa_table *table, const char *column_name,
                                   const char *kind_name, const stoa_index_options *options,
                                   bool *same, stoa_error *err)
{
    const stoa_status entered = stoa_table_enter(table, err);
    stoa_table *const own = (stoa_table *)(uintptr_t)table; /* only its workers are borrowed */
    stoa_index_options all = STOA_INDEX_OPTIONS_INIT;
    bool has_workers = false;
    stoa_status status = STOA_OK;
    stoa_column *column = NULL;
    const stoa_index_kind *kind = NULL;
    stoa_index_link *links = NULL;
    size_t n = 0;
    size_t n_found = 0;

    *same = true;
    STOA_TRY(entered);
    STOA_TRY(STOA_SIZED_COPY(&all, options, listener, "STOA_INDEX_OPTIONS_INIT", err));
    STOA_TRY(stoa_table_is_known(table, err));
    STOA_TRY(find_column(table, column_name, &column, err));
    STOA_TRY(find_kind(kind_name, &kind, err));
    STOA_TRY(stoa_column_may_be_scanned(column, table->n_rows, err));
    STOA_TRY(stoa_index_links(column, &links, &n, err));
    STOA_TRY(stoa_table_borrow_workers(own, all.threads, &column->workers, err));
    has_workers = true;
    for (size_t i = 0; *same && i < n; i++) {
        char problem[STOA_PROBLEM_SIZE] = "";
        if (kind != NULL && !stoa_index_link_is(&links[i], kind)) {
            continue;
        }
        n_found++;
        if (links[i].is_stale) {
            continue; /* no query uses it */
        }
        STOA_TRY(
            stoa_index_verify_link(table, column, &links[i], &all.listener, same, problem, err));
        if (!*same && err != NULL) {
            (void)snprintf(err->message, sizeof err->message, "%s", problem);
        }
    }
    if (n_found == 0) {
        STOA_FAIL(err, STOA_ENOTFOUND, "column '%s' has no %s%sindex to verify", column_name,
                  kind != NULL ? kind->name : "", kind != NULL ? " " : "");
    }

done:
    if (has_workers) {
        column->workers = NULL;
        stoa_table_return_workers(own);
    }
    if (entered == STOA_OK) {
        stoa_table_leave(table);
    }
    stoa_index_links_clear(links, n);
    return at_table(table, status, err);
}
