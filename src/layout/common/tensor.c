#include "layout/common/tensor.h"

#include <stdlib.h>

#include "column/column.h"

stoa_status stoa_tensor_add_metadata(stoa_column *column, int rank, const hsize_t *extent,
                                     stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *shape = NULL;

    STOA_TRY(stoa_tensor_metadata(rank, extent, &shape, err));
    STOA_TRY(stoa_column_add_metadata(column, "ARROW:extension:name", STOA_TENSOR, err));
    STOA_TRY(stoa_column_add_metadata(column, "ARROW:extension:metadata", shape, err));

done:
    free(shape);
    return status;
}
