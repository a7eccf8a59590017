/* NumPy's files as a layout: SciPy's matrices in .npz, and arrays as rows. */
#include "layout/layout.h"
#include "layout/numpy/matrix.h"
#include "layout/numpy/table.h"

static const stoa_matrix_file matrix = {.suffixes = (const char *const[]){".npz", NULL},
                                        .is_shared_suffix = true,
                                        .is_one = stoa_npz_matrix_is_one,
                                        .import = stoa_npz_matrix_import,
                                        .has_forms = true,
                                        .write = stoa_npz_matrix_write};

static const stoa_row_file rows = {stoa_numpy_is_one, stoa_numpy_open};

const stoa_layout stoa_layout_numpy = {.name = "numpy-file",
                                       .title = "NumPy",
                                       .matrix = &matrix,
                                       .rows = &rows};
