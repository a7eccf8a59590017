/* A file's objects as text; naive on purpose, and knowing nothing of how Stoa copies them. */
#include "hdf/tree.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "support/check.h"

#define MAX_OBJECTS 512

typedef struct tree {
    stoa_buffer text;
    hid_t file;
    H5O_token_t tokens[MAX_OBJECTS];
    size_t n;
} tree;

#define SAY(t, ...) CHECK_OK(stoa_buffer_print(&(t)->text, NULL, __VA_ARGS__))

static size_t number_of(tree *t, const H5O_token_t *token)
{
    size_t i = 0;

    while (i < t->n && memcmp(&t->tokens[i], token, sizeof *token) != 0) {
        i++;
    }
    if (i == t->n) {
        CHECK(t->n < MAX_OBJECTS);
        t->tokens[t->n++] = *token;
    }
    return i;
}

static size_t number_of_id(tree *t, hid_t object)
{
    H5O_info2_t info;

    CHECK_H5(H5Oget_info3(object, &info, H5O_INFO_BASIC));
    return number_of(t, &info.token);
}

static void say_bytes(tree *t, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        SAY(t, "%02x", ((const uint8_t *)bytes)[i]);
    }
}

/* In libhdf5's own encoding, but for the version of that, which grows with the file's. */
static void say_plain_type(tree *t, hid_t type)
{
    size_t n = 0;

    CHECK_H5(H5Tencode(type, NULL, &n));
    uint8_t *bytes = malloc(n);
    CHECK_H5(H5Tencode(type, bytes, &n));
    bytes[2] &= 0x0f;
    say_bytes(t, bytes, n);
    free(bytes);
}

static void say_type(tree *t, hid_t type)
{
    const H5T_class_t class = H5Tget_class(type);

    if (CHECK_H5(H5Tcommitted(type)) > 0) {
        SAY(t, "committed %zu ", number_of_id(t, type));
    }
    if (class == H5T_COMPOUND) {
        SAY(t, "compound of %zu bytes:", H5Tget_size(type));
        for (int i = 0; i < H5Tget_nmembers(type); i++) {
            char *name = H5Tget_member_name(type, (unsigned)i);
            const hid_t member = H5Tget_member_type(type, (unsigned)i);
            SAY(t, " %s at %zu ", name, H5Tget_member_offset(type, (unsigned)i));
            say_type(t, member);
            H5Tclose(member);
            H5free_memory(name);
        }
    } else if (class == H5T_VLEN || class == H5T_ARRAY) {
        const hid_t base = H5Tget_super(type);
        SAY(t, "%s of %zu bytes of ", class == H5T_VLEN ? "list" : "array", H5Tget_size(type));
        say_type(t, base);
        H5Tclose(base);
    } else {
        say_plain_type(t, type);
    }
}

static void say_region(tree *t, hid_t space)
{
    hsize_t low[H5S_MAX_RANK];
    hsize_t high[H5S_MAX_RANK];

    CHECK_H5(H5Sget_select_bounds(space, low, high));
    SAY(t, "[%lld from %llu to %llu]", (long long)H5Sget_select_npoints(space),
        (unsigned long long)low[0], (unsigned long long)high[0]);
    CHECK_H5(H5Sclose(space));
}

static void say_reference(tree *t, hid_t type, const void *value)
{
    H5R_type_t kind = H5R_OBJECT1;
    H5R_ref_t standard;
    hid_t target = H5I_INVALID_HID;

    if (H5Tequal(type, H5T_STD_REF) > 0) {
        memcpy(&standard, value, sizeof standard);
        kind = H5Rget_type(&standard);
    } else if (H5Tequal(type, H5T_STD_REF_DSETREG) > 0) {
        kind = H5R_DATASET_REGION1;
    }
    H5E_BEGIN_TRY
    {
        target = kind == H5R_OBJECT1 && H5Tequal(type, H5T_STD_REF) > 0 ? H5I_INVALID_HID
                 : kind == H5R_OBJECT1 || kind == H5R_DATASET_REGION1
                     ? H5Rdereference2(t->file, H5P_DEFAULT, kind, value)
                     : H5Ropen_object(&standard, H5P_DEFAULT, H5P_DEFAULT);
    }
    H5E_END_TRY
    if (target < 0) {
        SAY(t, "null");
        return;
    }
    SAY(t, "-> %zu", number_of_id(t, target));
    if (kind == H5R_DATASET_REGION1) {
        say_region(t, (hid_t)CHECK_H5(H5Rget_region(t->file, kind, value)));
    } else if (kind == H5R_DATASET_REGION2) {
        say_region(t, (hid_t)CHECK_H5(H5Ropen_region(&standard, H5P_DEFAULT, H5P_DEFAULT)));
    } else if (kind == H5R_ATTR) {
        char name[64] = "";
        CHECK_H5(H5Rget_attr_name(&standard, name, sizeof name));
        SAY(t, "@%s", name);
    }
    CHECK_H5(H5Oclose(target));
}

static void say_value(tree *t, hid_t type, const uint8_t *value)
{
    const H5T_class_t class = H5Tget_class(type);

    if (class == H5T_REFERENCE) {
        say_reference(t, type, value);
    } else if (class == H5T_STRING && H5Tis_variable_str(type) > 0) {
        const char *text;
        memcpy(&text, value, sizeof text);
        SAY(t, "'%s'", text != NULL ? text : "");
    } else if (class == H5T_COMPOUND) {
        for (int i = 0; i < H5Tget_nmembers(type); i++) {
            const hid_t member = H5Tget_member_type(type, (unsigned)i);
            SAY(t, "{");
            say_value(t, member, value + H5Tget_member_offset(type, (unsigned)i));
            SAY(t, "}");
            H5Tclose(member);
        }
    } else if (class == H5T_VLEN || class == H5T_ARRAY) {
        const hid_t base = H5Tget_super(type);
        hvl_t list = {H5Tget_size(type) / H5Tget_size(base), (void *)(uintptr_t)value};
        if (class == H5T_VLEN) {
            memcpy(&list, value, sizeof list);
        }
        for (size_t i = 0; i < list.len; i++) {
            SAY(t, "(");
            say_value(t, base, (const uint8_t *)list.p + i * H5Tget_size(base));
            SAY(t, ")");
        }
        H5Tclose(base);
    } else {
        say_bytes(t, value, H5Tget_size(type));
    }
}

static herr_t say_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    tree *t = context;
    const hid_t attribute = (hid_t)CHECK_H5(H5Aopen(object, name, H5P_DEFAULT));
    const hid_t type = (hid_t)CHECK_H5(H5Aget_type(attribute));
    const hid_t space = (hid_t)CHECK_H5(H5Aget_space(attribute));
    const size_t n = (size_t)H5Sget_simple_extent_npoints(space);
    uint8_t *value = calloc(n + 1, H5Tget_size(type));

    SAY(t, "  @%s cset %d space %d type ", name, (int)info->cset,
        (int)H5Sget_simple_extent_type(space));
    say_type(t, type);
    SAY(t, " =");
    if (n > 0) {
        CHECK_H5(H5Aread(attribute, type, value));
        for (size_t i = 0; i < n; i++) {
            SAY(t, " ");
            say_value(t, type, value + i * H5Tget_size(type));
        }
        CHECK_H5(H5Treclaim(type, space, H5P_DEFAULT, value));
    }
    SAY(t, "\n");
    free(value);
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return 0;
}

static herr_t say_link(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    tree *t = context;

    SAY(t, "  /%s cset %d type %d ", name, (int)info->cset, (int)info->type);
    if (info->type == H5L_TYPE_HARD) {
        SAY(t, "%zu\n", number_of(t, &info->u.token));
    } else {
        uint8_t value[256] = {0};
        CHECK_H5(H5Lget_val(group, name, value, sizeof value, H5P_DEFAULT));
        say_bytes(t, value, info->u.val_size);
        SAY(t, "\n");
    }
    return 0;
}

static void say_dataset(tree *t, hid_t dataset)
{
    const hid_t type = (hid_t)CHECK_H5(H5Dget_type(dataset));
    const hid_t space = (hid_t)CHECK_H5(H5Dget_space(dataset));
    const hid_t list = (hid_t)CHECK_H5(H5Dget_create_plist(dataset));
    const size_t n = (size_t)H5Sget_simple_extent_npoints(space);
    uint8_t *value = calloc(n + 1, H5Tget_size(type));
    hsize_t extent[H5S_MAX_RANK] = {0};
    hsize_t most[H5S_MAX_RANK] = {0};
    hsize_t n_chunks = 0;
    H5D_fill_value_t fill;

    say_type(t, type);
    CHECK_H5(H5Sget_simple_extent_dims(space, extent, most));
    CHECK_H5(H5Pfill_value_defined(list, &fill));
    SAY(t, "\n  extent %llu of %lld layout %d filters %d fill %d", (unsigned long long)extent[0],
        (long long)most[0], (int)H5Pget_layout(list), H5Pget_nfilters(list), (int)fill);
    if (H5Pget_layout(list) == H5D_CHUNKED) {
        CHECK_H5(H5Dget_num_chunks(dataset, H5S_ALL, &n_chunks));
        SAY(t, " chunks %llu", (unsigned long long)n_chunks);
    }
    SAY(t, "\n  =");
    CHECK_H5(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value));
    for (size_t i = 0; i < n; i++) {
        SAY(t, " ");
        say_value(t, type, value + i * H5Tget_size(type));
    }
    SAY(t, "\n");
    CHECK_H5(H5Treclaim(type, space, H5P_DEFAULT, value));
    free(value);
    H5Pclose(list);
    H5Sclose(space);
    H5Tclose(type);
}

static void say_object(tree *t, size_t i)
{
    const hid_t object = (hid_t)CHECK_H5(H5Oopen_by_token(t->file, t->tokens[i]));
    char comment[64] = "";
    H5O_info2_t info;
    hid_t list = H5I_INVALID_HID;
    unsigned links = 0;
    unsigned attributes = 0;
    hsize_t at = 0;

    CHECK_H5(H5Oget_info3(object, &info, H5O_INFO_BASIC));
    CHECK_H5(H5Oget_comment(object, comment, sizeof comment));
    SAY(t, "%zu: type %d rc %u comment '%s' ", i, (int)info.type, info.rc, comment);
    if (info.type == H5O_TYPE_GROUP) {
        list = (hid_t)CHECK_H5(H5Gget_create_plist(object));
        CHECK_H5(H5Pget_link_creation_order(list, &links));
        SAY(t, "order %u\n", links);
        CHECK_H5(H5Literate2(
            object, (links & H5P_CRT_ORDER_TRACKED) != 0 ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME,
            H5_ITER_INC, &at, say_link, t));
    } else if (info.type == H5O_TYPE_DATASET) {
        list = (hid_t)CHECK_H5(H5Dget_create_plist(object));
        say_dataset(t, object);
    } else {
        list = (hid_t)CHECK_H5(H5Tget_create_plist(object));
        say_type(t, object);
        SAY(t, "\n");
    }
    CHECK_H5(H5Pget_attr_creation_order(list, &attributes));
    at = 0;
    CHECK_H5(H5Aiterate2(
        object, (attributes & H5P_CRT_ORDER_TRACKED) != 0 ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME,
        H5_ITER_INC, &at, say_attribute, t));
    H5Pclose(list);
    H5Oclose(object);
}

char *tree_of(hid_t file)
{
    tree t = {.file = file};
    H5O_info2_t root;

    CHECK_H5(H5Oget_info_by_name3(file, "/", &root, H5O_INFO_BASIC, H5P_DEFAULT));
    (void)number_of(&t, &root.token);
    for (size_t i = 0; i < t.n; i++) {
        say_object(&t, i);
    }
    return stoa_buffer_detach(&t.text);
}
