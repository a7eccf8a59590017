/* A dataset of a frame as a column (anndata.h). */
#include <string.h>

#include "hdf/metadata/links.h"
#include "layout/anndata/anndata.h"
#include "layout/pandas/pandas.h"

stoa_status stoa_anndata_values(hid_t group, const char *part, const char *name,
                                stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const hid_t dataset = stoa_object_open(group, part);

    *column = NULL;
    if (dataset < 0 || H5Iget_type(dataset) != H5I_DATASET) {
        hid_t other = dataset;
        (void)stoa_hdf_close(&other, STOA_OK, NULL);
        STOA_FAIL(err, STOA_EDATA, "there is no dataset '%s'", part);
    }
    STOA_TRY(stoa_column_of_dataset(name, dataset, 0, STOA_WHOLE_ROWS, column, err));
    if (stoa_element_truth_form(&(*column)->element) == STOA_TRUTH_PLAIN) {
        stoa_column_as_bools(*column);
    } else {
        STOA_TRY(stoa_pandas_set_type(*column, NULL, NULL, NULL, err));
    }

done:
    if (status != STOA_OK) {
        stoa_column_close(*column);
        *column = NULL;
    }
    return status;
}
