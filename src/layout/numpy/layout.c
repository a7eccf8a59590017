/* SciPy's matrices in .npz files as a layout that holds only matrices. */
#include "layout/layout.h"
#include "layout/numpy/matrix.h"

static const stoa_matrix_file matrix = {.suffixes = (const char *const[]){".npz", NULL},
                                        .is_shared_suffix = true,
                                        .is_one = stoa_npz_matrix_is_one,
                                        .import = stoa_npz_matrix_import,
                                        .write = stoa_npz_matrix_write};

const stoa_layout stoa_layout_numpy = {.name = "npz", .title = "SciPy's .npz", .matrix = &matrix};
