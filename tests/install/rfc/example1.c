/* Example 1 of the sparse RFC (§2.4.1), completed to a program: knows of HDF5 alone. */
#include "hdf5.h"

#include <stdint.h>
#include <stdio.h>

#define FILE "h5sparse.h5"
#define DATASET "DS1"
#define DIM0 32
#define DIM1 64
#define CHUNK0 5
#define CHUNK1 9

int main(void)
{
    hid_t file, space, dset, dcpl, defined;
    herr_t status;
    H5Z_filter_t filter_type;
    hsize_t dims[2] = {DIM0, DIM1}, chunk_dims[2] = {CHUNK0, CHUNK1};
    uint64_t flags;
    size_t nelmts = 1;
    unsigned int data = 9, filter_info, idx;
    /* As H5Pset_szip() completes them: also K13, least significant byte first, no header. */
    unsigned int szip[2] = {H5_SZIP_NN_OPTION_MASK | H5_SZIP_ALLOW_K13_OPTION_MASK | 0x88, 4};
    static int wdata[DIM0][DIM1], rdata[DIM0][DIM1];
    int i, j, n_wrong = 0;

    for (i = 0; i < DIM0; i++)
        for (j = 0; j < DIM1; j++)
            wdata[i][j] = i * j - j;

    file = H5Fcreate(FILE, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    space = H5Screate_simple(2, dims, NULL);

    /*
     * Create the dataset creation property list, add the gzip
     * filter to compress data elements of sparse array and set the chunk size.
     */
    dcpl = H5Pcreate(H5P_DATASET_CREATE);
    status = H5Pset_struct_chunk(dcpl, 2, chunk_dims, H5D_SPARSE_CHUNK);
    if (status < 0)
        return 1;

    /* Apply compression methods to different sections of
     * a structured chunk. In this example, sparse chunk has two sections.
     * We are using gzip compression on the encoded selection section
     * and szip on the fixed-size data section.
     */
    flags = H5Z_FLAG_OPTIONAL;
    status =
        H5Pset_filter2(dcpl, H5Z_FLAG_SPARSE_SELECTION, H5Z_FILTER_DEFAULT, flags, nelmts, &data);
    if (status < 0)
        return 2;
    status = H5Pset_filter2(dcpl, H5Z_FLAG_SPARSE_FIXED_DATA, H5Z_FILTER_SZIP, flags, 2, szip);
    if (status < 0)
        return 3;

    /*
     * Create the dataset.
     */
    dset = H5Dcreate(file, DATASET, H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    if (dset < 0)
        return 4;

    /*
     * Write the data to the dataset.
     */
    status = H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, wdata[0]);
    if (status < 0)
        return 5;
    H5Pclose(dcpl);
    H5Dclose(dset);
    H5Sclose(space);
    H5Fclose(file);

    /*
     * Now open it again.
     */
    file = H5Fopen(FILE, H5F_ACC_RDONLY, H5P_DEFAULT);
    dset = H5Dopen(file, DATASET, H5P_DEFAULT);
    dcpl = H5Dget_create_plist(dset);
    if (H5Pget_layout(dcpl) == H5D_STRUCT_CHUNK)
        printf("structured chunks\n");
    printf("%d and %d filters\n", (int)H5Pget_nfilters2(dcpl, H5Z_FLAG_SPARSE_SELECTION),
           (int)H5Pget_nfilters2(dcpl, H5Z_FLAG_SPARSE_FIXED_DATA));
    nelmts = 0;
    idx = 0;
    filter_type = H5Pget_filter2(dcpl, H5Z_FLAG_SPARSE_SELECTION, idx, &flags, &nelmts, NULL, 0,
                                 NULL, &filter_info);
    switch (filter_type) {
    case H5Z_FILTER_DEFLATE:
        printf("H5Z_FILTER_DEFLATE is applied to selection section\n");
        break;
    }

    /*
     * A full write defines every element, zeros included.
     */
    defined = H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT);
    printf("%ld elements are defined\n", (long)H5Sget_select_npoints(defined));
    if (H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, rdata[0]) < 0)
        return 6;
    for (i = 0; i < DIM0; i++)
        for (j = 0; j < DIM1; j++)
            n_wrong += rdata[i][j] != wdata[i][j];
    printf("%d are wrong\n", n_wrong);
    H5Sclose(defined);
    H5Pclose(dcpl);
    H5Dclose(dset);
    H5Fclose(file);
    return 0;
}
