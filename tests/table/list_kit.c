/* See list_kit.h. */
#include "table/list_kit.h"

#include <stdio.h>
#include <string.h>

#include "hdf/metadata/attributes.h"

void list_group(hid_t file, const char *path, const char *class, const char *kind)
{
    const hid_t group = CHECK_H5(H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_OK(stoa_attribute_write_ascii(group, "CLASS", class, NULL));
    if (kind != NULL) {
        CHECK_OK(stoa_attribute_write_ascii(group, "KIND", kind, NULL));
    }
    CHECK_H5(H5Gclose(group));
}

void list_column(hid_t file, const char *path)
{
    list_group(file, path, "LIST_COLUMN", "OFFSETS");
}

void list_dataset(hid_t file, const char *path, hid_t type, hsize_t n, const void *values,
                  const void *fill)
{
    const hid_t space = CHECK_H5(H5Screate_simple(1, &n, NULL));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    if (fill != NULL) {
        CHECK_H5(H5Pset_fill_value(dcpl, type, fill));
    }
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, path, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    if (n > 0 && values != NULL) {
        CHECK_H5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    }
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
}

static void put_member(hid_t file, const char *group, const char *name, hid_t type, hsize_t n,
                       const void *values)
{
    char path[200];

    (void)snprintf(path, sizeof path, "%s/%s", group, name);
    list_dataset(file, path, type, n, values, NULL);
}

void list_offsets(hid_t file, const char *group, hsize_t n, const uint64_t *offsets)
{
    put_member(file, group, "OFFSETS", H5T_STD_U64LE, n, offsets);
}

void list_mask(hid_t file, const char *group, hsize_t n, const int8_t *mask)
{
    hid_t type = H5I_INVALID_HID;

    CHECK_OK(stoa_boolean_type(&type, NULL));
    put_member(file, group, "MASK", type, n, mask);
    CHECK_H5(H5Tclose(type));
}

/* --- text ------------------------------------------------------------------------------------ */

static char text[4000];

static void add(const char *more)
{
    const size_t length = strlen(text);

    CHECK(length + strlen(more) < sizeof text);
    (void)strcpy(text + length, more);
}

static void add_value(const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t i);

static void add_item(const stoa_view *view, int64_t child, int64_t i)
{
    const int64_t shift = view->type.kind == STOA_KIND_STRUCT ? view->offset : 0;

    add_value(view->schema->children[child], view->array->children[child], i + shift);
}

static void add_value(const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t i)
{
    stoa_view view;
    int64_t first = 0;
    int64_t count = 0;

    CHECK_OK(stoa_view_of(schema, array, &view, NULL));
    if (stoa_view_is_null(&view, i)) {
        add("null");
    } else if (stoa_kind_is_list(view.type.kind)) {
        stoa_view_range(&view, i, &first, &count);
        add("[");
        for (int64_t k = 0; k < count; k++) {
            add(k > 0 ? "," : "");
            add_item(&view, 0, first + k);
        }
        add("]");
    } else if (view.type.kind == STOA_KIND_STRUCT) {
        for (int64_t k = 0; k < schema->n_children; k++) {
            add(k > 0 ? "," : "{");
            add(schema->children[k]->name);
            add(":");
            add_item(&view, k, i);
        }
        add("}");
    } else {
        add(value_text(&view, i));
    }
}

const char *list_array_text(const struct ArrowSchema *schema, const struct ArrowArray *array,
                            int64_t first, int64_t count)
{
    text[0] = '\0';
    for (int64_t i = 0; i < count; i++) {
        add(i > 0 ? " " : "");
        add_value(schema, array, first + i);
    }
    return text;
}

const char *list_text(stoa_column *column, uint64_t first, uint64_t count)
{
    struct ArrowSchema schema;
    struct ArrowArray rows;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_column_schema(column, &schema, &err), &err);
    CHECK_OK(stoa_column_read(column, first, count, &rows, &err), &err);
    const char *const found = list_array_text(&schema, &rows, 0, (int64_t)count);
    stoa_array_release(&rows);
    stoa_schema_release(&schema);
    return found;
}
