/* Groups and datasets as tables. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/chunk/chunk_checks.h"
#include "hdf/metadata/attributes.h"
#include "layout/plain/plain.h"

static const char *last_name(const char *path)
{
    const char *const slash = strrchr(path, '/');

    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* --- groups ---------------------------------------------------------------------------------- */

/* A member that is opened when it is first needed. */
typedef struct noted {
    hid_t group; /* of the table, which is open for longer */
    char *name;
    char *path;
    uint64_t n_rows;
    stoa_plain_opener *open;
} noted;

static void close_noted(void *context)
{
    noted *const n = context;

    free(n->name);
    free(n->path);
    free(n);
}

static stoa_status open_noted(void *context, stoa_column **column, stoa_error *err)
{
    const noted *const n = context;
    hid_t object = stoa_object_open(n->group, n->path);

    *column = NULL;
    if (object < 0) {
        return stoa_fail(err, STOA_EDATA, "'%s' cannot be opened", n->path);
    }
    return stoa_hdf_close(&object, n->open(object, n->name, n->n_rows, column, err), err);
}

/* A column that cannot be opened is an error only of queries that ask for it. */
static stoa_status add_member(stoa_table *table, stoa_plain_member *member, stoa_error *err)
{
    noted *const n = stoa_alloc_zero(1, sizeof *n);
    stoa_column *column = NULL;

    STOA_RETURN_NO_MEMORY(err, n);
    *n = (noted){table->group, member->name, member->path, member->n_rows, member->open};
    member->name = member->path = NULL; /* they are the column's */
    STOA_RETURN_NOT_OK(stoa_column_note_foreign(
        n->name, table->n_rows, &(const stoa_column_opener){open_noted, close_noted, n}, &column,
        err));
    return stoa_foreign_add(table, column, err);
}

static stoa_status add_members(stoa_table *table, stoa_layout_claims *claims, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_plain_members members;

    STOA_TRY(stoa_plain_find(table->group, claims, &members, err));
    if (members.n == 0) {
        STOA_FAIL(err, STOA_ELAYOUT,
                  "is a group in which no two datasets have equally many rows, so it is no table");
    }
    table->n_rows = members.n_rows;
    for (size_t i = 0; i < members.n; i++) {
        STOA_TRY(add_member(table, &members.at[i], err));
    }

done:
    stoa_plain_clear(&members);
    return status;
}

/* --- datasets -------------------------------------------------------------------------------- */

static bool are_different(char *const *names, size_t n)
{
    bool are = true;

    for (size_t i = 0; are && i < n; i++) {
        are = names[i][0] != '\0';
        for (size_t k = 0; are && k < i; k++) {
            are = strcmp(names[i], names[k]) != 0;
        }
    }
    return are;
}

stoa_status stoa_plain_names_of_columns(hid_t dataset, const stoa_plain_shape *shape, char ***names,
                                        size_t *n, stoa_error *err)
{
    enum { MAX_NAMED = 1000 };
    static const char *const attributes[] = {"properties", "columns", "column_names",
                                             "names",      "fields",  NULL};

    *names = NULL;
    *n = 0;
    if (shape->rank != 2 || shape->is_matlab || shape->extent[1] < 2 ||
        shape->extent[1] > MAX_NAMED) {
        return STOA_OK;
    }
    for (size_t i = 0; attributes[i] != NULL; i++) {
        stoa_error ignored = STOA_ERROR_INIT;
        const stoa_status status =
            stoa_attribute_read_names(dataset, attributes[i], names, n, &ignored);
        if (status == STOA_ENOMEM) {
            return stoa_fail_memory(err);
        }
        if (status == STOA_OK && *n == shape->extent[1] && are_different(*names, *n)) {
            return STOA_OK;
        }
        if (status == STOA_OK) {
            free(*names);
        }
        *names = NULL;
        *n = 0;
    }
    return STOA_OK;
}

static stoa_status add_line(stoa_table *table, const char *name, hsize_t at, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = NULL;

    STOA_HDF(err, H5Iinc_ref(table->group), "hold the dataset");
    STOA_TRY(stoa_column_of_dataset(name, table->group, 0, at, &column, err));
    STOA_TRY(stoa_plain_present(table->group, &column, err));
    status = stoa_foreign_add(table, column, err);
    column = NULL;

done:
    stoa_column_close(column);
    return status;
}

static stoa_status add_array(stoa_table *table, const char *path, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_plain_shape shape;
    stoa_column *column = NULL;
    char **names = NULL;
    size_t n = 0;

    STOA_TRY(stoa_plain_shape_of(table->group, &shape, err));
    table->n_rows = shape.n_rows;
    STOA_TRY(stoa_plain_names_of_columns(table->group, &shape, &names, &n, err));
    if (n > 0) {
        STOA_TRY(stoa_chunks_check(table->group, err));
        for (size_t i = 0; i < n; i++) {
            STOA_TRY(add_line(table, names[i], i, err));
        }
        goto done;
    }
    STOA_TRY(shape.rank == 1 ? stoa_plain_add_axis(table, table->group, 0, 1, err) : STOA_OK);
    STOA_TRY(stoa_plain_open_column(table->group, last_name(path), shape.n_rows, &column, err));
    status = stoa_foreign_add(table, column, err);
    column = NULL;

done:
    free(names);
    stoa_column_close(column);
    return status;
}

stoa_status stoa_plain_open(hid_t object, const char *path, const char *file,
                            stoa_layout_claims *claims, stoa_table **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;

    *out = NULL;
    STOA_TRY(stoa_foreign_begin(object, path, file, "plain", 0, &table, err));
    table->has_user_attributes = true;
    STOA_TRY(H5Iget_type(object) == H5I_DATASET ? add_array(table, path, err)
                                                : add_members(table, claims, err));
    *out = table;
    table = NULL;

done:
    stoa_table_close(table);
    return status;
}
