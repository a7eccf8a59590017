/* The matrix of the sparse RFC's figures: written by selections, what is defined of it asked for,
 * an element erased. Knows of HDF5 alone. */
#include "hdf5.h"

#include <stdio.h>

static void print_defined(hid_t dset)
{
    hid_t space = H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT);
    hssize_t n = H5Sget_select_npoints(space), i;
    hsize_t n_elements = (hsize_t)n;
    hid_t memory = H5Screate_simple(1, &n_elements, NULL);
    static unsigned char numbers[130], positions[130];
    short values[130];

    for (i = 0; i < 130; i++)
        numbers[i] = (unsigned char)i;
    H5Dgather(space, numbers, H5T_NATIVE_UCHAR, sizeof positions, positions, NULL, NULL);
    H5Dread(dset, H5T_NATIVE_SHORT, memory, space, H5P_DEFAULT, values);
    for (i = 0; i < n; i++)
        printf("%s(%d,%d) %d", i > 0 ? ", " : "", positions[i] / 10, positions[i] % 10, values[i]);
    printf("\n");
    H5Sclose(memory);
    H5Sclose(space);
}

int main(void)
{
    static const short rows[3][6] = {
        {66, 69, 72, 75, 78, 81}, {96, 99, 102, 105, 108, 111}, {126, 129, 132, 135, 138, 141}};
    static const short row_6[3] = {100, 0, -100}, single[3] = {2, 1, 3};
    static const hsize_t dims[2] = {13, 10}, chunk[2] = {4, 5}, corner[2] = {2, 2},
                         shape[2] = {3, 6}, at[2] = {6, 0}, three[2] = {1, 3}, n[1] = {3};
    static const hsize_t points[3][2] = {{5, 9}, {11, 1}, {12, 8}};
    hid_t file = H5Fcreate("matrix.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(2, dims, NULL);
    hid_t block = H5Screate_simple(2, shape, NULL), line = H5Screate_simple(1, n, NULL);
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), dset;

    H5Pset_struct_chunk(dcpl, 2, chunk, H5D_SPARSE_CHUNK);
    dset = H5Dcreate(file, "Sparse", H5T_STD_I16BE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, corner, NULL, shape, NULL);
    H5Dwrite(dset, H5T_NATIVE_SHORT, block, space, H5P_DEFAULT, rows);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, three, NULL);
    H5Dwrite(dset, H5T_NATIVE_SHORT, line, space, H5P_DEFAULT, row_6);
    H5Sselect_elements(space, H5S_SELECT_SET, 3, points[0]);
    H5Dwrite(dset, H5T_NATIVE_SHORT, line, space, H5P_DEFAULT, single);
    print_defined(dset);
    H5Dclose(dset);
    H5Fclose(file);

    file = H5Fopen("matrix.h5", H5F_ACC_RDWR, H5P_DEFAULT);
    dset = H5Dopen(file, "Sparse", H5P_DEFAULT);
    H5Derase(dset, space, H5P_DEFAULT);
    print_defined(dset);
    H5Dclose(dset);
    H5Pclose(dcpl);
    H5Sclose(line);
    H5Sclose(block);
    H5Sclose(space);
    H5Fclose(file);
    return 0;
}
