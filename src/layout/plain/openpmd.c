/*
 * Particles of openPMD (openPMD 1.1, "particle records"): a species is a group of records. A record
 * is a dataset, or a group of components. A component whose value is the same for all particles is
 * a group with the attributes `value` and `shape`.
 *
 * Columns are named "position.x". Their units are `unitSI` times the unit of `unitDimension`.
 */
#include <stdlib.h>
#include <string.h>

#include "column/read/foreign.h"
#include "core/memory.h"
#include "core/text.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "layout/plain/plain.h"

/* --- constants ------------------------------------------------------------------------------- */

/* A value that each row has. */
typedef struct constant {
    size_t size;
    uint8_t value[16];
} constant;

static stoa_status read_constant(void *context, uint64_t first, uint64_t count, void *out,
                                 stoa_error *err)
{
    const constant *const c = context;

    (void)first;
    (void)err;
    for (uint64_t i = 0; i < count; i++) {
        memcpy((uint8_t *)out + i * c->size, c->value, c->size);
    }
    return STOA_OK;
}

static stoa_status read_value(hid_t object, stoa_element *element, constant *c, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t attribute = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;
    bool found = false;

    STOA_HDF(err, attribute = H5Aopen(object, "value", H5P_DEFAULT), "open 'value'");
    STOA_HDF(err, type = H5Aget_type(attribute), "look at 'value'");
    STOA_TRY(stoa_element_of(type, element, err));
    c->size = element->size;
    if (element->size > sizeof c->value || stoa_element_is_variable(element)) {
        STOA_FAIL(err, STOA_EDATA, "its constant value is %s, no number (openPMD)", element->text);
    }
    STOA_TRY(stoa_attribute_read_scalar(object, "value", element->mem_type, c->value, &found, err));

done:
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&attribute, status, err);
}

/* --- units ----------------------------------------------------------------------------------- */

/* "1e-06 m" of unitSI and unitDimension: powers of length, mass, time, current, temperature, amount
 * and light. NULL if there are none. */
static stoa_status units_of(hid_t component, hid_t record, char **units, stoa_error *err)
{
    static const char *const names[] = {"m", "kg", "s", "A", "K", "mol", "cd"};
    stoa_status status = STOA_OK;
    stoa_buffer text = {0};
    double powers[7] = {0};
    double scale = 1;
    char number[STOA_NUMBER_SIZE];

    *units = NULL;
    const bool has_scale = stoa_plain_number(component, "unitSI", &scale);
    const bool has_powers = stoa_plain_numbers(record, "unitDimension", powers, 7);
    if (has_scale && scale != 1) {
        (void)stoa_format_f64(scale, number);
        STOA_TRY(stoa_buffer_print(&text, err, "%s", number));
    }
    for (size_t i = 0; has_powers && i < 7; i++) {
        if (powers[i] != 0) {
            (void)stoa_format_f64(powers[i], number);
            number[strcspn(number, ".")] = '\0'; /* whole powers, as the standard has them */
            STOA_TRY(stoa_buffer_print(&text, err, "%s%s%s", text.size > 0 ? " " : "", names[i],
                                       powers[i] == 1 ? "" : number));
        }
    }
    if (text.size > 0) {
        STOA_TRY(stoa_buffer_detach_text(&text, units, err));
    }

done:
    stoa_buffer_clear(&text);
    return status;
}

static stoa_status open_component(hid_t object, const char *name, uint64_t n_rows,
                                  stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    constant *c = NULL;
    hid_t record = H5I_INVALID_HID;
    char *units = NULL;

    *column = NULL;
    if (H5Iget_type(object) == H5I_DATASET) {
        STOA_TRY(stoa_plain_open_column(object, name, n_rows, column, err));
    } else {
        c = stoa_alloc_zero(1, sizeof *c);
        STOA_TRY(c != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_TRY(read_value(object, &element, c, err));
        const stoa_column_source source = {
            .read_elements = read_constant, .close = free, .context = c};
        c = NULL;
        STOA_TRY(stoa_column_of_elements(name, &element, n_rows, &source, column, err));
    }
    if (strchr(name, '.') != NULL) { /* the record is the group around it */
        record = stoa_plain_parent(object);
    }
    STOA_TRY(units_of(object, record >= 0 ? record : object, &units, err));
    if (units != NULL) {
        free((*column)->units);
        (*column)->units = units;
    }

done:
    free(c);
    stoa_element_clear(&element);
    if (status != STOA_OK) {
        stoa_column_close(*column);
        *column = NULL;
    }
    (void)stoa_hdf_close(&record, STOA_OK, NULL);
    return stoa_at(err, status, "%s", name);
}

/* --- records --------------------------------------------------------------------------------- */

typedef struct collector {
    stoa_plain_members *members;
    stoa_layout_claims *claims;
    const char *record; /* whose components are visited; NULL: records are */
    stoa_error *err;
    stoa_status status;
} collector;

static herr_t see_link(hid_t group, const char *name, const H5L_info2_t *info, void *context);

static bool is_constant(hid_t object)
{
    return H5Iget_type(object) == H5I_GROUP && stoa_attribute_exists(object, "value") &&
           stoa_attribute_exists(object, "shape");
}

static stoa_status add_constant(collector *c, hid_t object, char *path, char *name)
{
    double n_rows = 0;
    const bool has_shape = stoa_plain_numbers(object, "shape", &n_rows, 1);
    const stoa_plain_member member = {.name = name,
                                      .path = path,
                                      .n_rows = n_rows >= 0 ? (uint64_t)n_rows : 0,
                                      .open = open_component};

    if (!has_shape && name != NULL && path != NULL) {
        free(name);
        free(path);
        return STOA_OK;
    }
    return stoa_plain_add(c->members, &member, c->err);
}

static stoa_status add_dataset(collector *c, hid_t group, const char *link, const char *path,
                               const char *name)
{
    const size_t n = c->members->n;

    (void)path;
    STOA_RETURN_NOT_OK(stoa_plain_add_dataset(c->members, group, link, name, c->claims, c->err));
    if (c->members->n > n) {
        stoa_plain_member *const last = &c->members->at[n];
        char *const own = stoa_strdup(path);
        STOA_RETURN_NO_MEMORY(c->err, own);
        free(last->path);
        last->path = own;
        last->open = open_component;
    }
    return STOA_OK;
}

static stoa_status see_object(collector *c, hid_t group, const char *link)
{
    stoa_status status = STOA_OK;
    hid_t object = stoa_object_open(group, link);
    const char *const record = c->record;
    bool is_claimed = false;
    char *path = record != NULL ? stoa_format("%s/%s", record, link) : stoa_strdup(link);
    char *name = record != NULL ? stoa_format("%s.%s", record, link) : stoa_strdup(link);

    STOA_TRY(path != NULL && name != NULL ? STOA_OK : stoa_fail_memory(c->err));
    if (is_constant(object)) {
        status = add_constant(c, object, path, name);
        path = name = NULL;
    } else if (H5Iget_type(object) == H5I_DATASET) {
        status = add_dataset(c, group, link, path, name);
    } else if (object >= 0 && record == NULL && strcmp(link, "particlePatches") != 0) {
        STOA_TRY(c->claims(object, &is_claimed, c->err));
        c->record = link;
        status = is_claimed ? STOA_OK : stoa_links_visit_as_made(object, see_link, c, c->err);
        c->record = NULL;
        status = status == STOA_OK ? c->status : status;
    }

done:
    free(path);
    free(name);
    return stoa_hdf_close(&object, status, NULL);
}

static herr_t see_link(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    collector *const c = context;

    c->status = info->type == H5L_TYPE_HARD ? see_object(c, group, name) : STOA_OK;
    return c->status == STOA_OK ? 0 : 1;
}

/* Whether a group is a species: it lies in the `particlesPath` of a file of openPMD. */
static stoa_status is_species(hid_t group, bool *is, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t root = H5I_INVALID_HID;
    char *wanted = NULL;
    char *path = NULL;

    *is = false;
    root = stoa_object_open(group, "/");
    if (root < 0 || !stoa_attribute_exists(root, "openPMD")) {
        goto done;
    }
    STOA_TRY(stoa_attribute_read_optional(root, "particlesPath", &wanted, err));
    path = stoa_hdf_name(group, H5Iget_name);
    STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
    char *const slash = strrchr(path, '/');
    if (wanted != NULL && slash != NULL) {
        size_t n = strlen(wanted);
        while (n > 0 && wanted[n - 1] == '/') {
            wanted[--n] = '\0';
        }
        *slash = '\0';
        *is = n > 0 && stoa_ends_with(path, strlen(path), wanted);
    }

done:
    free(path);
    free(wanted);
    return stoa_hdf_close(&root, status, NULL);
}

stoa_status stoa_plain_find_openpmd(hid_t group, stoa_layout_claims *claims, bool *is_one,
                                    stoa_plain_members *members, stoa_error *err)
{
    collector c = {.members = members, .claims = claims, .err = err};

    STOA_RETURN_NOT_OK(is_species(group, is_one, err));
    if (!*is_one) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_links_visit_as_made(group, see_link, &c, err));
    STOA_RETURN_NOT_OK(c.status);
    return stoa_plain_keep_common(members, err);
}
