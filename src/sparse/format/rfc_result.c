#include "sparse/format/rfc_result.h"

herr_t stoa_rfc_result(stoa_status status, const stoa_error *err)
{
    H5E_auto2_t print = NULL;
    void *context = NULL;

    if (status == STOA_OK) {
        return 0;
    }
    (void)H5Eclear2(H5E_DEFAULT);
    (void)H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_DATASET,
                   H5E_CANTOPERATE, "%s%s%s", err->where, err->where[0] != 0 ? ": " : "",
                   err->message);
    if (H5Eget_auto2(H5E_DEFAULT, &print, &context) >= 0 && print != NULL) {
        (void)print(H5E_DEFAULT, context);
    }
    return -1;
}
