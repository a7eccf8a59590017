#include "column/list/create.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/gather.h"
#include "column/list/list.h"
#include "column/type/codec.h"
#include "column/type/dataset.h"
#include "column/type/datatype.h"
#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/links.h"

uint64_t stoa_fitted_chunk_rows(uint64_t n_rows)
{
    uint64_t rows = STOA_LEAST_CHUNK_ROWS;

    while (rows < n_rows && rows < STOA_CHUNK_ROWS) {
        rows *= 2;
    }
    return rows;
}

/* --- fields ---------------------------------------------------------------------------------- */

static bool is_bytes(stoa_kind kind)
{
    return kind == STOA_KIND_BINARY || kind == STOA_KIND_LARGE_BINARY;
}

static bool is_level(stoa_kind kind)
{
    return kind == STOA_KIND_LIST || kind == STOA_KIND_LARGE_LIST || is_bytes(kind) ||
           stoa_kind_is_string(kind);
}

/* The field of the values: dictionaries are stored as what they stand for. */
static const struct ArrowSchema *value_field(const struct ArrowSchema *field)
{
    return field->dictionary != NULL ? field->dictionary : field;
}

static bool kind_of(const struct ArrowSchema *field, stoa_kind *kind)
{
    stoa_type type;

    if (stoa_type_of(field, &type, NULL) != STOA_OK) {
        return false;
    }
    *kind = type.kind;
    return true;
}

/* Whether no part of a value has a length of its own. */
static bool is_fixed(const struct ArrowSchema *field, int depth)
{
    stoa_kind kind = STOA_KIND_NULL;

    field = value_field(field);
    if (depth > STOA_LIST_MAX_LEVELS || !kind_of(field, &kind) || is_level(kind)) {
        return false;
    }
    for (int64_t i = 0; i < field->n_children; i++) {
        if (!is_fixed(field->children[i], depth + 1)) {
            return false;
        }
    }
    return true;
}

/* Whether values can be the rows of a list column, or its items at a depth. */
static bool may_be_within(const struct ArrowSchema *field, int depth)
{
    const struct ArrowSchema *const values = value_field(field);
    stoa_kind kind = STOA_KIND_NULL;

    if (!kind_of(values, &kind)) {
        return false;
    }
    if (field->dictionary != NULL && (values->n_children > 0 || is_bytes(kind))) {
        return false; /* no such labels are looked up */
    }
    if (!is_level(kind)) {
        return is_fixed(values, depth);
    }
    return depth < STOA_LIST_MAX_LEVELS &&
           (values->n_children == 0 || may_be_within(values->children[0], depth + 1));
}

bool stoa_list_may_hold(const struct ArrowSchema *field)
{
    stoa_kind kind = STOA_KIND_NULL;

    return stoa_field_is_large_cell(field) ||
           (field->dictionary == NULL && kind_of(field, &kind) &&
            (kind == STOA_KIND_LIST || kind == STOA_KIND_LARGE_LIST) && may_be_within(field, 0));
}

/* --- members --------------------------------------------------------------------------------- */

/* The storage of a member of which the sample has n elements. */
static stoa_storage storage_for(const stoa_storage *storage, const stoa_view *sample)
{
    stoa_storage own = *storage;

    if (storage->is_fitted && sample != NULL) {
        own.chunk_rows = stoa_fitted_chunk_rows((uint64_t)sample->length);
    }
    return own;
}

static stoa_status link_member(hid_t object, hid_t group, const char *name, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err, stoa_link_nameless(object, group, name, H5P_DEFAULT), "link %s",
                          name);
    return STOA_OK;
}

/* Create a dataset without a fill value, since all its elements are values. Its elements are zero.
 */
static stoa_status make_numbers(hid_t group, const char *name, stoa_kind kind, uint64_t extent,
                                const stoa_sample *sample, const stoa_storage *storage,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    const hid_t type = kind == STOA_KIND_UINT64 ? H5T_STD_U64LE : H5T_STD_U8LE;
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    hid_t dcpl = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    hid_t dataset = H5I_INVALID_HID;
    const uint64_t zero = 0;

    STOA_TRY(stoa_element_of(type, &element, err));
    STOA_TRY(stoa_storage_plist(storage, &dcpl, err));
    STOA_TRY(stoa_codec_apply(dcpl, storage->codec, &element, storage->chunk_rows, sample, err));
    STOA_HDF(err, space = H5Screate_simple(1, &(hsize_t){extent}, &(hsize_t){H5S_UNLIMITED}),
             "make a dataspace");
    STOA_HDF(err, dataset = H5Dcreate_anon(group, type, space, dcpl, H5P_DEFAULT), "create %s",
             name);
    if (extent > 0) {
        STOA_HDF(err, H5Dwrite(dataset, element.mem_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &zero),
                 "write %s", name);
    }
    STOA_TRY(link_member(dataset, group, name, err));

done:
    stoa_element_clear(&element);
    status = stoa_hdf_close(&dataset, status, err);
    status = stoa_hdf_close(&space, status, err);
    return stoa_hdf_close(&dcpl, status, err);
}

/* Create the OFFSETS of no entries: a zero (§9.2). */
static stoa_status make_offsets(hid_t group, const stoa_view *sample, const stoa_storage *storage,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_storage own = storage_for(storage, sample);
    const int64_t n_rows = sample != NULL ? sample->length : 0;
    const int64_t n = (uint64_t)n_rows < STOA_CHUNK_ROWS ? n_rows : (int64_t)STOA_CHUNK_ROWS;
    uint64_t *const ends = stoa_alloc((size_t)n, sizeof *ends);
    uint64_t at = 0;

    STOA_TRY(ends != NULL ? STOA_OK : stoa_fail_memory(err));
    for (int64_t i = 0; i < n; i++) {
        int64_t first = 0;
        int64_t count = 0;
        if (!stoa_view_is_null(sample, i)) {
            stoa_view_range(sample, i, &first, &count);
        }
        at += (uint64_t)count;
        ends[i] = at;
    }
    STOA_TRY(make_numbers(group, STOA_LIST_OFFSETS, STOA_KIND_UINT64, 1,
                          &(stoa_sample){.elements = ends, .n = (size_t)n}, &own, err));

done:
    free(ends);
    return status;
}

/* --- levels ---------------------------------------------------------------------------------- */

/* What is known of a level. */
typedef struct level_plan {
    const char *name;                /* of the column, for messages */
    const struct ArrowSchema *field; /* of its lists or strings */
    const stoa_view *sample;         /* of the entries; NULL: none */
    const stoa_storage *storage;
} level_plan;

/* The part of the child that a sample uses. Slices of missing entries are in it, too. */
static stoa_status sample_child(const stoa_view *sample, stoa_view *child, stoa_error *err)
{
    const bool is_cells = sample->type.kind == STOA_KIND_FIXED_LIST;
    int64_t first = 0;
    int64_t end = 0;
    int64_t count = 0;
    stoa_view whole;

    if (sample->length > 0 && (is_cells || sample->offsets != NULL)) {
        stoa_view_range(sample, 0, &first, &count);
        stoa_view_range(sample, sample->length - 1, &end, &count);
        end += count;
    }

    if (stoa_kind_is_bytes(sample->type.kind)) {
        *child = (stoa_view){.type = {.kind = STOA_KIND_UINT8, .width = 1},
                             .length = end - first,
                             .offset = first,
                             .values = sample->values,
                             .schema = sample->schema};
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_view_child(sample, 0, &whole, err));
    *child = stoa_view_slice(&whole, first, end - first);
    return STOA_OK;
}

static stoa_status make_bytes(const level_plan *plan, hid_t group, const char *name,
                              const stoa_view *sample, stoa_error *err)
{
    const stoa_storage own = storage_for(plan->storage, sample);
    stoa_sample bytes = {.elements = NULL};

    if (plan->storage->fill != NULL) {
        return stoa_fail(err, STOA_EINVAL,
                         "'%s' is of strings or bytes in lists, which have no fill value "
                         "(HEP001-2026-07 §9.4)",
                         plan->name);
    }
    if (sample != NULL && sample->values != NULL) {
        bytes.elements = (const uint8_t *)sample->values + sample->offset;
        bytes.n = (size_t)sample->length;
    }
    return make_numbers(group, name, STOA_KIND_UINT8, 0, &bytes, &own, err);
}

/* A chosen chunk length counts cells. More than fit into a chunk are in several. */
static void count_cells(const level_plan *plan, stoa_storage *storage)
{
    stoa_type type;

    if (!storage->is_limited && stoa_field_is_large_cell(plan->field) &&
        stoa_type_of(plan->field, &type, NULL) == STOA_OK && storage->chunk_rows < UINT32_MAX) {
        storage->chunk_rows *= (uint64_t)type.width;
        storage->is_limited = true;
    }
}

/* Create the innermost values, which are stored as those of a column are. */
static stoa_status make_leaf(const level_plan *plan, const struct ArrowSchema *item,
                             const stoa_view *sample, hid_t group, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_storage own = storage_for(plan->storage, sample);
    struct ArrowSchema field = *value_field(item); /* borrows all it has */
    stoa_domain domain = {0};
    hid_t dataset = H5I_INVALID_HID;

    count_cells(plan, &own);
    field.name = plan->name;
    field.metadata = item->metadata;
    if (item->dictionary != NULL) {
        sample = NULL; /* its codes are not stored */
    }
    if (sample != NULL) {
        STOA_TRY(stoa_domain_add(&domain, sample, err));
    }
    own.has_no_fill = !domain.has_missing &&
                      (stoa_field_is_large_cell(plan->field) || stoa_field_is_large_cell(&field));
    STOA_TRY(stoa_column_create(group, &field, &domain, sample, 0, &own, &dataset, err));
    STOA_TRY(link_member(dataset, group, STOA_LIST_VALUES, err));

done:
    return stoa_hdf_close(&dataset, status, err);
}

static stoa_status make_level(const level_plan *plan, hid_t loc, hid_t *group, stoa_error *err);

static stoa_status make_values(const level_plan *plan, hid_t group, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const struct ArrowSchema *const item =
        plan->field->n_children > 0 ? plan->field->children[0] : NULL;
    level_plan inner = *plan;
    hid_t below = H5I_INVALID_HID;
    stoa_kind kind = STOA_KIND_NULL;
    stoa_view child;

    inner.sample = NULL;
    if (plan->sample != NULL) {
        STOA_TRY(sample_child(plan->sample, &child, err));
        inner.sample = &child;
    }
    if (item == NULL) {
        const bool is_text = kind_of(plan->field, &kind) && stoa_kind_is_string(kind);
        return make_bytes(plan, group, is_text ? STOA_LIST_CHARS : STOA_LIST_VALUES, inner.sample,
                          err);
    }
    inner.field = value_field(item);
    if (!kind_of(inner.field, &kind) || !is_level(kind)) {
        return make_leaf(plan, item, inner.sample, group, err);
    }
    if (item->dictionary != NULL) {
        inner.sample = NULL;
    }
    STOA_TRY(make_level(&inner, group, &below, err));
    STOA_TRY(stoa_list_notes_write(below, item, err));
    STOA_TRY(link_member(below, group, STOA_LIST_VALUES, err));

done:
    return stoa_hdf_close(&below, status, err);
}

static stoa_status make_level(const level_plan *plan, hid_t loc, hid_t *group, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_kind kind = STOA_KIND_NULL;
    const bool is_text = kind_of(plan->field, &kind) && stoa_kind_is_string(kind);

    STOA_HDF(err, *group = H5Gcreate_anon(loc, H5P_DEFAULT, H5P_DEFAULT), "create a group");
    STOA_TRY(stoa_attribute_write_ascii(*group, "CLASS",
                                        is_text ? STOA_LIST_TEXT_CLASS : STOA_LIST_CLASS, err));
    if (!is_text) {
        STOA_TRY(stoa_attribute_write_ascii(*group, "KIND", STOA_LIST_KIND, err));
    }
    STOA_TRY(make_offsets(*group, plan->sample, plan->storage, err));
    STOA_TRY(make_values(plan, *group, err));

done:
    if (status != STOA_OK) {
        (void)stoa_hdf_close(group, status, NULL);
    }
    return status;
}

stoa_status stoa_list_create(hid_t loc, const struct ArrowSchema *field, const stoa_view *sample,
                             const stoa_storage *storage, hid_t *group, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const level_plan plan = {field->name, field, sample, storage};

    *group = H5I_INVALID_HID;
    STOA_TRY(make_level(&plan, loc, group, err));
    STOA_TRY(stoa_list_notes_write(*group, field, err));

done:
    if (status != STOA_OK) {
        (void)stoa_hdf_close(group, status, NULL);
    }
    return stoa_at(err, status, "%s", field->name);
}

/* --- masks ----------------------------------------------------------------------------------- */

/* Creation properties as of OFFSETS: the same chunks, and deflate if they are compressed. */
static stoa_status mask_plist(const stoa_column *offsets, hid_t *dcpl, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_storage storage = {.chunk_rows = offsets->chunk_rows != 0 ? offsets->chunk_rows
                                                                         : STOA_CHUNK_ROWS};
    hid_t theirs = H5I_INVALID_HID;

    STOA_HDF(err, theirs = stoa_dataset_properties(offsets->dataset),
             "get the creation properties");
    STOA_TRY(stoa_storage_plist(&storage, dcpl, err));
    if (H5Pget_nfilters(theirs) > 0) {
        STOA_HDF(err, H5Pset_deflate(*dcpl, 1), "set the deflate filter");
    }

done:
    return stoa_hdf_close(&theirs, status, err);
}

/* Write TRUE to the first n rows: a reader may not count on a fill value (§9.2). */
static stoa_status write_true(hid_t dataset, uint64_t n, stoa_error *err)
{
    enum { ROWS_AT_ONCE = 65536 };
    stoa_status status = STOA_OK;
    stoa_chunk_writer writer = STOA_CHUNK_WRITER_INIT;
    int8_t *const all = stoa_alloc(ROWS_AT_ONCE, sizeof *all);

    STOA_TRY(all != NULL ? STOA_OK : stoa_fail_memory(err));
    memset(all, 1, ROWS_AT_ONCE);
    STOA_TRY(stoa_chunk_writer_open(&writer, dataset, H5T_NATIVE_INT8, err));
    for (uint64_t first = 0; first < n; first += ROWS_AT_ONCE) {
        const uint64_t count = n - first < ROWS_AT_ONCE ? n - first : ROWS_AT_ONCE;
        STOA_TRY(stoa_chunk_writer_write(&writer, first, count, all, err));
    }
    STOA_TRY(stoa_chunk_writer_flush(&writer, err));

done:
    stoa_chunk_writer_close(&writer);
    free(all);
    return status;
}

stoa_status stoa_list_add_mask(stoa_column *level, uint64_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hid_t dcpl = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    hid_t dataset = H5I_INVALID_HID;

    STOA_TRY(mask_plist(level->list->offsets, &dcpl, err));
    STOA_TRY(stoa_boolean_type(&type, err));
    STOA_HDF(err, space = H5Screate_simple(1, &(hsize_t){n}, &(hsize_t){H5S_UNLIMITED}),
             "make a dataspace");
    STOA_HDF(err, dataset = H5Dcreate_anon(level->dataset, type, space, dcpl, H5P_DEFAULT),
             "create MASK");
    STOA_TRY(write_true(dataset, n, err));
    STOA_TRY(link_member(dataset, level->dataset, STOA_LIST_MASK, err));
    STOA_TRY(stoa_list_open_mask(level, n, err));

done:
    status = stoa_hdf_close(&dataset, status, err);
    status = stoa_hdf_close(&space, status, err);
    status = stoa_hdf_close(&dcpl, status, err);
    return stoa_hdf_close(&type, status, err);
}
