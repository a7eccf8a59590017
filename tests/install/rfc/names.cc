// What is told apart by type or number of arguments, in C++.
#include "hdf5.h"

#include <cstdio>

int main()
{
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t dims[2] = {4, 5};
    unsigned level[1] = {3}, flags32 = 0, values[4] = {0};
    uint64_t flags64 = 0;
    size_t n = 4;
    int n_filters = 0;
    void *buffers[2] = {0, 0};
    H5D_struct_chunk_info_t info;

    if (H5Pset_struct_chunk(list, 2, dims, H5D_SPARSE_CHUNK) < 0 ||
        H5Pset_struct_chunk(list, 2, dims, H5D_SPARSE_CHUNK, 0, NULL) < 0 ||
        H5Pset_filter2(list, H5_SECTION_FIXED, H5Z_FILTER_DEFLATE, flags64, 1, level) < 0 ||
        H5Pset_filter2(list, H5_SECTION_SELECTION, H5Z_FILTER_SHUFFLE, 0, 0, NULL) < 0 ||
        H5Pget_nfilters2(list, H5_SECTION_FIXED, &n_filters) < 0 ||
        H5Pget_nfilters2(list, H5_SECTION_FIXED) != n_filters ||
        H5Pget_filter3(list, H5_SECTION_FIXED, 0, &flags64, &n, values, 0, NULL, NULL) < 0 ||
        H5Pget_filter3(list, H5_SECTION_FIXED, 0, &flags32, &n, NULL, 0, NULL, NULL) < 0 || n != 1)
        return 1;
    if (n_filters == 7) { // it compiles
        H5Dwrite_struct_chunk(list, H5P_DEFAULT, &info, dims, buffers);
        H5Dwrite_struct_chunk(list, H5P_DEFAULT, dims, &info, buffers);
        H5Dread_struct_chunk(list, H5P_DEFAULT, dims, &info, buffers);
    }
    std::printf("%d filter: %u\n", n_filters, values[0]);
    H5Pclose(list);
    return 0;
}
