/* Example 2 of the sparse RFC (§2.4.2), completed to a program: knows of HDF5 alone. */
#include "hdf5.h"

#include <stdio.h>

int main(void)
{
    hid_t file, space, dset, dcpl;
    herr_t status;
    hsize_t dims[2] = {32, 64}, chunk_dims[2] = {5, 9}, start[2] = {3, 4}, count[2] = {6, 7};
    static int wdata[32][64], rdata[32][64];
    int i, j, n_wrong = 0;

    for (i = 0; i < 32; i++)
        for (j = 0; j < 64; j++)
            wdata[i][j] = i * j - j;
    file = H5Fcreate("example2.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    space = H5Screate_simple(2, dims, NULL);
    /*
     * Create the dataset creation property list, add the gzip
     * filter to compress all sections of the sparse chunk using DEFLATE filter.
     */
    dcpl = H5Pcreate(H5P_DATASET_CREATE);
    status = H5Pset_struct_chunk(dcpl, 2, chunk_dims, H5D_SPARSE_CHUNK);
    if (status < 0)
        return 1;
    status = H5Pset_deflate(dcpl, 9);
    if (status < 0)
        return 2;
    /*
     * Create the dataset.
     */
    dset = H5Dcreate(file, "DS1", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    /*
     * Write the data to the dataset: a part of it.
     */
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    status = H5Dwrite(dset, H5T_NATIVE_INT, space, space, H5P_DEFAULT, wdata[0]);
    if (status < 0)
        return 3;
    H5Sclose(space);

    printf("%d and %d filters\n", (int)H5Pget_nfilters2(dcpl, 0), (int)H5Pget_nfilters2(dcpl, 1));
    space = H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT);
    printf("%ld elements are defined\n", (long)H5Sget_select_npoints(space));
    if (H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, rdata[0]) < 0)
        return 4;
    for (i = 0; i < 32; i++)
        for (j = 0; j < 64; j++)
            n_wrong += rdata[i][j] !=
                       (i >= 3 && i < 9 && j >= 4 && j < 11 ? wdata[i][j] : 0);
    printf("%d are wrong\n", n_wrong);
    H5Sclose(space);
    H5Pclose(dcpl);
    H5Dclose(dset);
    H5Fclose(file);
    return 0;
}
