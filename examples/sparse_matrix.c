/*
 * A sparse matrix from coordinates and values.
 *
 *     sparse_matrix FILE ROWS COLUMNS [CHUNK_ROWS CHUNK_COLUMNS] < lines of "row column value"
 *
 * Makes the dataset /Sparse of a new file. Exactly the elements that are written become defined, a
 * 0 among them too; all others read as 0. Any HDF5 program that finds Stoa's filter plugin on
 * HDF5_PLUGIN_PATH reads the matrix as a dense one.
 */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoa/sparse.h>

typedef struct triples {
    size_t n;
    size_t room;
    uint64_t *coordinates; /* two a value: row, column */
    int32_t *values;
} triples;

static int add(triples *t, unsigned long long row, unsigned long long column, int value)
{
    if (t->n == t->room) {
        const size_t room = t->room > 0 ? 2 * t->room : 1024;
        uint64_t *const coordinates = realloc(t->coordinates, room * 2 * sizeof *coordinates);
        int32_t *values;

        t->coordinates = coordinates != NULL ? coordinates : t->coordinates;
        values = coordinates != NULL ? realloc(t->values, room * sizeof *values) : NULL;
        if (values == NULL) {
            return 0;
        }
        t->values = values;
        t->room = room;
    }
    t->coordinates[2 * t->n] = row;
    t->coordinates[2 * t->n + 1] = column;
    t->values[t->n++] = value;
    return 1;
}

static int read_triples(FILE *in, triples *t)
{
    unsigned long long row;
    unsigned long long column;
    int value;
    int n_read;

    while ((n_read = fscanf(in, "%llu %llu %d", &row, &column, &value)) == 3) {
        if (!add(t, row, column, value)) {
            return 0;
        }
    }
    return n_read == EOF;
}

static stoa_status write_matrix(hid_t file, const uint64_t *extent, const uint64_t *chunk,
                                const triples *t, stoa_error *err)
{
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    stoa_sparse_info info = STOA_SPARSE_INFO_INIT;
    stoa_sparse *matrix = NULL;
    stoa_status status;

    options.chunk = chunk;
    options.max_extent = extent;
    options.values = "deflate"; /* shuffled first */
    status =
        stoa_sparse_create(file, "/Sparse", H5T_STD_I32LE, 2, extent, &options, NULL, &matrix, err);
    if (status == STOA_OK) {
        status = stoa_sparse_write(matrix, t->n, t->coordinates, t->values, H5T_NATIVE_INT32, err);
    }
    if (status == STOA_OK) {
        status = stoa_sparse_describe(matrix, &info, err);
    }
    if (status == STOA_OK) {
        printf("%llu of %llu elements are defined, in %llu chunks of %llu bytes in all\n",
               (unsigned long long)info.n_defined, (unsigned long long)(extent[0] * extent[1]),
               (unsigned long long)info.n_chunks, (unsigned long long)info.n_stored_bytes);
    }
    if (status == STOA_OK) {
        return stoa_sparse_commit(matrix, err); /* writes what is left */
    }
    stoa_sparse_close(matrix);
    return status;
}

int main(int argc, char **argv)
{
    stoa_error err = STOA_ERROR_INIT;
    triples t = {0};
    uint64_t shape[4] = {0};
    hid_t file = H5I_INVALID_HID;
    int failed = 1;

    if (argc != 4 && argc != 6) {
        fprintf(stderr,
                "usage: sparse_matrix FILE ROWS COLUMNS [CHUNK_ROWS CHUNK_COLUMNS] < triples\n");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        shape[i - 2] = strtoull(argv[i], NULL, 10);
    }
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* what goes wrong is said once, below */
    if (!read_triples(stdin, &t)) {
        fprintf(stderr, "sparse_matrix: %s: a line is no row, column and value\n", argv[1]);
    } else if ((file = H5Fcreate(argv[1], H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT)) < 0) {
        fprintf(stderr, "sparse_matrix: %s cannot be made\n", argv[1]);
    } else if (write_matrix(file, shape, argc == 6 ? shape + 2 : NULL, &t, &err) != STOA_OK) {
        fprintf(stderr, "sparse_matrix: %s: %s\n", argv[1], err.message);
    } else {
        failed = 0;
    }
    free(t.coordinates);
    free(t.values);
    return (file >= 0 && H5Fclose(file) < 0) || failed;
}
