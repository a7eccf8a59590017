/* Arrow fields as HDF5 column datasets (HEP001 §8.3-§8.6). */
#include "column/layout.h"

#include <stdlib.h>

#include "column/codec.h"
#include "column/dataset.h"
#include "column/datatype.h"
#include "core/memory.h"
#include "hdf/attributes.h"

/* Field metadata that HEP001 has attributes for (§8.6); times get their units. */
static stoa_status write_notes(hid_t dataset, const struct ArrowSchema *field,
                               const stoa_type *arrow, stoa_error *err)
{
    static const char *const names[] = {"units", "units_vocabulary", "description"};
    stoa_status status = STOA_OK;
    char *text = NULL;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        STOA_TRY(stoa_schema_get_text(field, names[i], &text, err));
        if (i == 0 && stoa_kind_is_time(arrow->kind)) {
            free(text);
            text = stoa_strdup(stoa_time_units_text(arrow->unit, arrow->utc));
            if (text == NULL) {
                STOA_TRY(stoa_fail_memory(err));
            }
        }
        if (text != NULL) {
            STOA_TRY(stoa_attribute_write_utf8(dataset, names[i], text, err));
        }
        free(text);
        text = NULL;
    }

done:
    free(text);
    return status;
}

stoa_status stoa_column_create(hid_t group, const struct ArrowSchema *field,
                               const stoa_domain *domain, const stoa_view *sample,
                               uint64_t n_labels, const stoa_storage *storage, hid_t *dataset,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hid_t dcpl = H5I_INVALID_HID;
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    stoa_type arrow;
    stoa_kind kind = STOA_KIND_INT64; /* holds every code, were nothing narrower to do */
    stoa_fill ignored;
    stoa_domain codes = {.n_values = n_labels, .has_positive = n_labels > 0};

    *dataset = H5I_INVALID_HID;
    codes.high = n_labels > 0 ? n_labels - 1 : 0;
    STOA_TRY(stoa_type_of(field, &arrow, err));
    if (arrow.kind == STOA_KIND_DICTIONARY) {
        (void)stoa_choose_integer(&codes, STOA_KIND_INT8, &kind, &ignored);
        domain = &codes;
        STOA_HDF(err, type = H5Tcopy(stoa_standard_type(kind)), "copy a datatype");
    } else if (stoa_kind_is_integer(arrow.kind)) {
        if (!stoa_choose_integer(domain, arrow.kind, &kind, &ignored)) {
            STOA_FAIL(err, STOA_ELOSS,
                      "no integer type has a value left to stand for 'missing' (HEP001 §8.5); "
                      "store the column as strings");
        }
        STOA_HDF(err, type = H5Tcopy(stoa_standard_type(kind)), "copy a datatype");
    } else if (stoa_kind_is_float(arrow.kind)) {
        kind = stoa_choose_float(domain, arrow.kind);
        STOA_HDF(err, type = H5Tcopy(stoa_standard_type(kind)), "copy a datatype");
    } else {
        STOA_TRY(stoa_field_type(field, domain, &type, err));
    }
    STOA_TRY(stoa_element_of(type, &element, err));
    STOA_TRY(stoa_storage_plist(storage, &dcpl, err));
    if (storage->chunk_rows != 0) {
        const bool as_it_is = sample != NULL && sample->values != NULL &&
                              stoa_kind_width(sample->type.kind) == (int32_t)element.size;
        STOA_TRY(stoa_codec_apply(dcpl, storage->codec, &element,
                                  as_it_is ? (const uint8_t *)sample->values +
                                                 (size_t)sample->offset * element.size
                                           : NULL,
                                  as_it_is ? (size_t)sample->length : 0, err));
    }
    STOA_TRY(stoa_dataset_create(group, type, &element, domain, arrow.kind == STOA_KIND_BOOL,
                                 storage->extent, dcpl, dataset, err));
    STOA_TRY(write_notes(*dataset, field, &arrow, err));

done:
    stoa_element_clear(&element);
    status = stoa_hdf_close(&dcpl, status, err);
    status = stoa_hdf_close(&type, status, err);
    if (status != STOA_OK) {
        (void)stoa_hdf_close(dataset, status, NULL);
    }
    return stoa_at(err, status, "%s", field->name != NULL ? field->name : "");
}
