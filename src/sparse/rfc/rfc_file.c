/* Open files under the connector, so that programs need not select it. */

#include "hdf/hdf5.h"
#include "sparse/connector/connector.h"
#include "sparse/connector/connector_parts.h"
#include "sparse/rfc/rfc.h"
#include "sparse/store/store.h"

/* Whether an access property list selects HDF5's native connector. */
static stoa_status is_native(hid_t fapl, bool *native, stoa_error *err)
{
    hid_t own = H5I_INVALID_HID;
    hid_t asked = H5I_INVALID_HID;
    int order = 0;
    stoa_status status = STOA_OK;

    STOA_HDF(err, own = H5VLget_connector_id_by_value(H5_VOL_NATIVE), "find HDF5's connector");
    STOA_HDF(err, H5Pget_vol_id(fapl, &asked), "look at a file access list");
    STOA_HDF(err, H5VLcmp_connector_cls(&order, asked, own), "compare connectors");
    *native = order == 0;

done:
    if (asked >= 0) {
        (void)H5VLclose(asked);
    }
    if (own >= 0) {
        (void)H5VLclose(own);
    }
    return status;
}

/* A copy of a file access property list with the connector set. The caller closes it. */
static stoa_status list_with_connector(hid_t fapl, hid_t *list, stoa_error *err)
{
    hid_t connector = H5I_INVALID_HID;
    bool native = false;
    stoa_status status = STOA_OK;

    *list = H5I_INVALID_HID;
    if (fapl == H5P_DEFAULT) {
        STOA_HDF(err, *list = H5Pcreate(H5P_FILE_ACCESS), "make a file access list");
    } else {
        STOA_HDF(err, *list = H5Pcopy(fapl), "copy a file access list");
    }
    STOA_TRY(is_native(*list, &native, err));
    if (native) {
        STOA_TRY(stoa_connector_register(&connector, err));
        STOA_HDF(err, H5Pset_vol(*list, connector, NULL), "put the connector on a list");
    }

done:
    if (connector >= 0) {
        (void)H5VLclose(connector);
    }
    if (status != STOA_OK) {
        (void)stoa_hdf_close(list, STOA_OK, NULL);
    }
    return status;
}

/* Store the size as a property of its own on the list. It survives copies and reaches the
 * connector. */
herr_t stoa_h5p_set_scc_config(hid_t fapl, const stoa_h5sc_config *config)
{
    htri_t is_there = 0;
    uint64_t n_bytes = 0;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    if (config == NULL || config->version != 0 || config->max_q_size > config->max_a_size) {
        STOA_FAIL(&err, STOA_EINVAL,
                  "no configuration of version 0 with max_q_size up to max_a_size");
    }
    if (H5Pisa_class(fapl, H5P_FILE_ACCESS) <= 0) {
        STOA_FAIL(&err, STOA_EINVAL, "no file access list");
    }
    n_bytes =
        config->max_q_size != 0 ? config->max_q_size : 1; /* the cache always keeps one chunk */
    STOA_HDF(&err, is_there = H5Pexist(fapl, STOA_CACHE_PROPERTY), "look at a list");
    if (is_there > 0) {
        STOA_HDF(&err, H5Pset(fapl, STOA_CACHE_PROPERTY, &n_bytes), "set the size of the cache");
    } else {
        STOA_HDF(&err,
                 H5Pinsert2(fapl, STOA_CACHE_PROPERTY, sizeof n_bytes, &n_bytes, NULL, NULL, NULL,
                            NULL, NULL, NULL),
                 "set the size of the cache");
    }

done:
    return stoa_rfc_result(status, &err);
}

herr_t stoa_h5p_get_scc_config(hid_t fapl, stoa_h5sc_config *config)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    if (config == NULL || config->version != 0 || H5Pisa_class(fapl, H5P_FILE_ACCESS) <= 0) {
        STOA_FAIL(&err, STOA_EINVAL, "no file access list, or no configuration of version 0");
    }
    const size_t n_bytes = stoa_cache_of_list(fapl);
    config->max_q_size = n_bytes != 0 ? n_bytes : STOA_STORE_CACHE;
    config->max_a_size = config->max_q_size;

done:
    return stoa_rfc_result(status, &err);
}

hid_t stoa_h5f_create(const char *name, unsigned flags, hid_t fcpl, hid_t fapl)
{
    hid_t list = H5I_INVALID_HID;
    hid_t file = H5I_INVALID_HID;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    STOA_TRY(list_with_connector(fapl, &list, &err));
    file = H5Fcreate(name, flags, fcpl, list); /* libhdf5 reports a failure */
    (void)H5Pclose(list);
    return file;

done:
    return stoa_rfc_result(status, &err);
}

hid_t stoa_h5f_open(const char *name, unsigned flags, hid_t fapl)
{
    hid_t list = H5I_INVALID_HID;
    hid_t file = H5I_INVALID_HID;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    STOA_TRY(list_with_connector(fapl, &list, &err));
    file = H5Fopen(name, flags, list);
    (void)H5Pclose(list);
    return file;

done:
    return stoa_rfc_result(status, &err);
}
