/* The fixture of the index tests. */
#include "one_column.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_scalar(hid_t object, const char *name, hid_t type, const void *value)
{
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));
    const hid_t attr = CHECK_H5(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_H5(H5Awrite(attr, type, value));
    CHECK_H5(H5Aclose(attr));
    CHECK_H5(H5Sclose(space));
}

static void write_ascii(hid_t object, const char *name, const char *text, size_t size)
{
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));

    CHECK_H5(H5Tset_size(type, size));
    write_scalar(object, name, type, text);
    CHECK_H5(H5Tclose(type));
}

static void write_column(hid_t group, const one_column_spec *spec)
{
    const hid_t mem_type = spec->mem_type != 0 ? spec->mem_type : spec->file_type;
    const hsize_t extent = spec->extent;
    const hsize_t chunk = spec->chunk_rows;
    const hsize_t unlimited = H5S_UNLIMITED;
    const hid_t space = CHECK_H5(H5Screate_simple(1, &extent, chunk != 0 ? &unlimited : NULL));
    const hid_t creation = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    if (chunk != 0) {
        CHECK_H5(H5Pset_chunk(creation, 1, &chunk));
    }
    if (spec->fill != NULL) {
        CHECK_H5(H5Pset_fill_value(creation, mem_type, spec->fill));
    }
    const hid_t dataset = CHECK_H5(
        H5Dcreate2(group, "x", spec->file_type, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    if (spec->extent != 0) {
        CHECK_H5(H5Dwrite(dataset, mem_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, spec->values));
    }
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(creation));
    CHECK_H5(H5Sclose(space));
}

static void open_table(one_column *made)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_hep001_open(made->file, "/t", &made->table, &err), &err);
    made->column = stoa_table_find(made->table, "x");
    CHECK(made->column != NULL);
}

one_column one_column_make(const one_column_spec *spec)
{
    static unsigned n_made;
    one_column made = {0};
    char name[32];
    const hid_t access = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));

    CHECK_H5(H5Pset_fapl_core(access, 1 << 16, 0));
    /* A name of its own: one that a failed test left open must not fail the next. */
    (void)snprintf(name, sizeof name, "memory%u.h5", n_made++);
    made.file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access));
    CHECK_H5(H5Pclose(access));
    made.group = CHECK_H5(H5Gcreate2(made.file, "t", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    write_ascii(made.group, "CLASS", "COLUMN_TABLE", 13);
    write_ascii(made.group, "VERSION", "1.0", 4);
    write_scalar(made.group, "NROWS", H5T_NATIVE_UINT64, &spec->n_rows);
    write_column(made.group, spec);
    open_table(&made);
    return made;
}

void one_column_reopen(one_column *made, uint64_t n_rows)
{
    const hid_t attr = CHECK_H5(H5Aopen(made->group, "NROWS", H5P_DEFAULT));

    CHECK_H5(H5Awrite(attr, H5T_NATIVE_UINT64, &n_rows));
    CHECK_H5(H5Aclose(attr));
    stoa_table_close(made->table);
    open_table(made);
}

void one_column_free(one_column *made)
{
    stoa_table_close(made->table);
    CHECK_H5(H5Gclose(made->group));
    CHECK_H5(H5Fclose(made->file));
}

hid_t one_column_index(const one_column *made)
{
    const hid_t attr =
        CHECK_H5(H5Aopen_by_name(made->group, "x", "SEARCH_INDEX_LIST", H5P_DEFAULT, H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Aget_type(attr));
    const hid_t space = CHECK_H5(H5Aget_space(attr));
    H5R_ref_t reference;

    /* HEP001 §5: H5T_STD_REF; §10.2: a 1-D array. */
    CHECK(H5Tequal(type, H5T_STD_REF) > 0);
    CHECK_I64(H5Sget_simple_extent_ndims(space), 1);
    CHECK_I64(H5Sget_simple_extent_npoints(space), 1);
    CHECK_H5(H5Aread(attr, H5T_STD_REF, &reference));
    const hid_t dataset = CHECK_H5(H5Ropen_object(&reference, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Rdestroy(&reference));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Aclose(attr));
    return dataset;
}

static uint64_t read_u64(hid_t object, const char *name)
{
    const hid_t attr = CHECK_H5(H5Aopen(object, name, H5P_DEFAULT));
    uint64_t value = 0;

    CHECK_H5(H5Aread(attr, H5T_NATIVE_UINT64, &value));
    CHECK_H5(H5Aclose(attr));
    return value;
}

/* Write every `step`-th of n values of a column in an order, and refer to them. */
static void write_company(const one_column *made, hid_t index, const char *name, const char *values,
                          const uint64_t *rows, hsize_t n, hsize_t step)
{
    const hid_t column = CHECK_H5(H5Dopen2(made->group, "x", H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Dget_type(column));
    const size_t size = H5Tget_size(type);
    const hsize_t count = n == 0 ? 0 : (n - 1) / step + 1;
    const hid_t space = CHECK_H5(H5Screate_simple(1, &count, &(hsize_t){H5S_UNLIMITED}));
    const hid_t creation = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t one = CHECK_H5(H5Screate(H5S_SCALAR));
    const hid_t attr =
        CHECK_H5(H5Acreate2(index, name, H5T_STD_REF, one, H5P_DEFAULT, H5P_DEFAULT));
    char *sorted = calloc((size_t)count + 1, size);
    char path[64];
    H5R_ref_t reference;

    CHECK(sorted != NULL);
    for (hsize_t i = 0; i < count; i++) {
        memcpy(sorted + i * size, values + rows[i * step] * size, size);
    }
    (void)snprintf(path, sizeof path, "SEARCH_INDEXES/x__sorted_rows__%s", name);
    CHECK_H5(H5Pset_chunk(creation, 1, &(hsize_t){4096}));
    const hid_t made_it =
        CHECK_H5(H5Dcreate2(made->group, path, type, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(made_it, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, sorted));
    CHECK_H5(H5Rcreate_object(made->group, path, H5P_DEFAULT, &reference));
    CHECK_H5(H5Awrite(attr, H5T_STD_REF, &reference));
    CHECK_H5(H5Rdestroy(&reference));
    free(sorted);
    CHECK_H5(H5Aclose(attr));
    CHECK_H5(H5Sclose(one));
    CHECK_H5(H5Pclose(creation));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(made_it));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Dclose(column));
}

void one_column_cover(const one_column *made)
{
    const hid_t index = one_column_index(made);
    const hid_t column = CHECK_H5(H5Dopen2(made->group, "x", H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Dget_type(column));
    const hid_t space = CHECK_H5(H5Dget_space(index));
    const hid_t all = CHECK_H5(H5Dget_space(column));
    const hsize_t n = (hsize_t)CHECK_H5(H5Sget_simple_extent_npoints(space));
    const hsize_t extent = (hsize_t)CHECK_H5(H5Sget_simple_extent_npoints(all));
    const hsize_t n_ordered =
        n - read_u64(index, "fill_tail_length") - read_u64(index, "nan_tail_length");
    uint64_t *rows = calloc((size_t)n + 1, sizeof *rows);
    char *values = calloc((size_t)extent + 1, H5Tget_size(type));

    CHECK(rows != NULL && values != NULL);
    CHECK_H5(H5Dread(index, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows));
    CHECK_H5(H5Dread(column, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_H5(H5Adelete(index, "stoa_fences"));
    write_company(made, index, "sorted_values", values, rows, n_ordered, 1);
    write_company(made, index, "fence_keys", values, rows, n_ordered, 4096);
    free(values);
    free(rows);
    CHECK_H5(H5Sclose(all));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Dclose(column));
    CHECK_H5(H5Dclose(index));
}
