/* stoa_file_repack: whatever a file holds, the new one holds it, too (src/hdf/copy/repack.c). */
#include <stoa/edit.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hdf/tree.h"
#include "support/check.h"

#define MAX_PATHS 64

/* A file being made: the paths of what it holds so far. */
typedef struct making {
    hid_t file;
    char groups[MAX_PATHS][160];
    size_t n_groups;
    char objects[MAX_PATHS][160]; /* the groups included */
    size_t n_objects;
    char datasets[MAX_PATHS][160]; /* one-dimensional, of eight elements */
    size_t n_datasets;
    char types[MAX_PATHS][160];
    size_t n_types;
    unsigned n_names;
} making;

static bool coin(void)
{
    return check_random_below(2) == 0;
}

static void note(char paths[MAX_PATHS][160], size_t *n, const char *path)
{
    if (*n < MAX_PATHS) {
        (void)snprintf(paths[(*n)++], 160, "%s", path);
    }
}

/* A fresh path in a random group. Names are not in the order they are made. */
static const char *fresh(making *m)
{
    static char path[160];
    const char *group = m->groups[check_random_below(m->n_groups)];

    (void)snprintf(path, sizeof path, "%s/%c%u", strcmp(group, "/") == 0 ? "" : group,
                   (char)('a' + (int)check_random_below(26)), m->n_names++);
    return path;
}

static hid_t creation(hid_t class, bool is_group)
{
    const hid_t list = (hid_t)CHECK_H5(H5Pcreate(class));

    if (coin()) {
        CHECK_H5(H5Pset_attr_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
    }
    if (is_group && coin()) {
        CHECK_H5(H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
    }
    return list;
}

/* ---- Values --------------------------------------------------------------------------------- */

/* A compound of a number, an old reference and a new one. */
typedef struct record {
    int32_t number;
    hobj_ref_t old;
    H5R_ref_t standard;
} record;

/* Eight values of a random type in memory. */
typedef struct values {
    hid_t type; /* of the file and of memory */
    uint8_t bytes[8 * sizeof(record)];
    uint8_t below[8 * 2 * sizeof(H5R_ref_t)]; /* what variable-length ones point to */
    H5R_ref_t references[32];
    size_t n_references;
} values;

static H5R_ref_t standard_reference(making *m, values *v)
{
    H5R_ref_t made;
    const char *object = m->objects[check_random_below(m->n_objects)];

    memset(&made, 0, sizeof made);
    switch (check_random_below(4)) {
    case 0:
        return made;
    case 1:
        CHECK_H5(H5Rcreate_attr(m->file, object, "of this name", H5P_DEFAULT, &made));
        break;
    case 2:
        if (m->n_datasets > 0) {
            const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(1, &(hsize_t){8}, NULL));
            CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, &(hsize_t){check_random_below(6)},
                                         NULL, &(hsize_t){2}, NULL));
            CHECK_H5(H5Rcreate_region(m->file, m->datasets[check_random_below(m->n_datasets)],
                                      space, H5P_DEFAULT, &made));
            H5Sclose(space);
            break;
        } /* fall through */
    default:
        CHECK_H5(H5Rcreate_object(m->file, object, H5P_DEFAULT, &made));
        break;
    }
    v->references[v->n_references++] = made;
    return made;
}

static hobj_ref_t old_reference(making *m)
{
    hobj_ref_t made = 0;

    if (check_random_below(4) != 0) {
        CHECK_H5(H5Rcreate(&made, m->file, m->objects[check_random_below(m->n_objects)], H5R_OBJECT,
                           -1));
    }
    return made;
}

static void old_region(making *m, uint8_t *to)
{
    hdset_reg_ref_t made;

    memset(&made, 0, sizeof made);
    if (m->n_datasets > 0) {
        const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(1, &(hsize_t){8}, NULL));
        CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, &(hsize_t){check_random_below(6)}, NULL,
                                     &(hsize_t){2}, NULL));
        CHECK_H5(H5Rcreate(&made, m->file, m->datasets[check_random_below(m->n_datasets)],
                           H5R_DATASET_REGION, space));
        H5Sclose(space);
    }
    memcpy(to, &made, sizeof made);
}

static void fill_records(making *m, values *v)
{
    v->type = (hid_t)CHECK_H5(H5Tcreate(H5T_COMPOUND, sizeof(record)));
    CHECK_H5(H5Tinsert(v->type, "number", HOFFSET(record, number), H5T_NATIVE_INT32));
    CHECK_H5(H5Tinsert(v->type, "old", HOFFSET(record, old), H5T_STD_REF_OBJ));
    CHECK_H5(H5Tinsert(v->type, "standard", HOFFSET(record, standard), H5T_STD_REF));
    for (size_t i = 0; i < 8; i++) {
        record one = {(int32_t)check_random(), old_reference(m), standard_reference(m, v)};
        memcpy(v->bytes + i * sizeof one, &one, sizeof one);
    }
}

static void fill_lists(making *m, values *v, bool of_standard)
{
    const size_t size = of_standard ? sizeof(H5R_ref_t) : sizeof(hobj_ref_t);

    v->type = (hid_t)CHECK_H5(H5Tvlen_create(of_standard ? H5T_STD_REF : H5T_STD_REF_OBJ));
    for (size_t i = 0; i < 8; i++) {
        uint8_t *at = v->below + i * 2 * size;
        const hvl_t list = {check_random_below(3), at};
        for (size_t k = 0; k < list.len; k++) {
            if (of_standard) {
                const H5R_ref_t made = standard_reference(m, v);
                memcpy(at + k * size, &made, size);
            } else {
                const hobj_ref_t made = old_reference(m);
                memcpy(at + k * size, &made, size);
            }
        }
        memcpy(v->bytes + i * sizeof list, &list, sizeof list);
    }
}

static void fill_references(making *m, values *v, uint64_t kind)
{
    static const hid_t *const types[] = {&H5T_STD_REF_OBJ_g, &H5T_STD_REF_DSETREG_g,
                                         &H5T_STD_REF_g};

    (void)H5T_STD_REF; /* opens the library, which sets those */
    v->type = (hid_t)CHECK_H5(H5Tcopy(*types[kind]));
    for (size_t i = 0; i < 8; i++) {
        const size_t size = H5Tget_size(v->type);
        if (kind == 0) {
            const hobj_ref_t made = old_reference(m);
            memcpy(v->bytes + i * size, &made, sizeof made);
        } else if (kind == 1) {
            old_region(m, v->bytes + i * size);
        } else {
            const H5R_ref_t made = standard_reference(m, v);
            memcpy(v->bytes + i * size, &made, sizeof made);
        }
    }
}

static void fill_arrays(making *m, values *v)
{
    v->type = (hid_t)CHECK_H5(H5Tarray_create2(H5T_STD_REF_OBJ, 1, &(hsize_t){2}));
    for (size_t i = 0; i < 16; i++) {
        const hobj_ref_t made = old_reference(m);
        memcpy(v->bytes + i * sizeof made, &made, sizeof made);
    }
}

static void random_values(making *m, values *v)
{
    static const char *const words[] = {"", "a", "three", "a longer text than the others"};
    v->n_references = 0;
    const uint64_t kind = check_random_below(11);

    if (kind < 3) {
        fill_references(m, v, kind);
    } else if (kind == 3) {
        fill_records(m, v);
    } else if (kind == 4 || kind == 5) {
        fill_lists(m, v, kind == 4);
    } else if (kind == 6) {
        fill_arrays(m, v);
    } else if (kind == 7) {
        v->type = (hid_t)CHECK_H5(H5Tcopy(H5T_C_S1));
        CHECK_H5(H5Tset_size(v->type, H5T_VARIABLE));
        for (size_t i = 0; i < 8; i++) {
            memcpy(v->bytes + i * sizeof words[0], &words[check_random_below(4)], sizeof words[0]);
        }
    } else {
        v->type = kind == 8 && m->n_types > 0
                      ? (hid_t)CHECK_H5(H5Topen2(m->file, m->types[check_random_below(m->n_types)],
                                                 H5P_DEFAULT))
                      : (hid_t)CHECK_H5(H5Tcopy(kind == 9 ? H5T_IEEE_F64BE : H5T_STD_I32LE));
        for (size_t i = 0; i < 8 * H5Tget_size(v->type); i++) {
            v->bytes[i] = (uint8_t)check_random();
        }
    }
}

static void drop_values(values *v)
{
    for (size_t i = 0; i < v->n_references; i++) {
        (void)H5Rdestroy(&v->references[i]);
    }
    H5Tclose(v->type);
}

/* ---- Objects -------------------------------------------------------------------------------- */

static void add_dataset(making *m)
{
    const char *path = fresh(m);
    values v;

    random_values(m, &v);
    const hid_t space = (hid_t)CHECK_H5(
        H5Screate_simple(1, &(hsize_t){8}, coin() ? &(hsize_t){H5S_UNLIMITED} : NULL));
    const hid_t list = creation(H5P_DATASET_CREATE, false);
    hsize_t most = 0;

    CHECK_H5(H5Sget_simple_extent_dims(space, NULL, &most));
    if (most == H5S_UNLIMITED || coin()) {
        CHECK_H5(H5Pset_chunk(list, 1, &(hsize_t){3}));
        if (coin()) {
            CHECK_H5(H5Pset_shuffle(list));
            CHECK_H5(H5Pset_deflate(list, 3));
        }
    } else if (coin()) {
        CHECK_H5(H5Pset_layout(list, H5D_COMPACT));
    }
    const hid_t dataset =
        (hid_t)CHECK_H5(H5Dcreate2(m->file, path, v.type, space, H5P_DEFAULT, list, H5P_DEFAULT));
    if (check_random_below(5) != 0) {
        if (coin()) { /* only some of its chunks */
            CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, &(hsize_t){4}, NULL, &(hsize_t){2},
                                         NULL));
        }
        const hid_t memory = (hid_t)CHECK_H5(H5Scopy(space));
        CHECK_H5(H5Dwrite(dataset, v.type, memory, space, H5P_DEFAULT, v.bytes));
        H5Sclose(memory);
    }
    H5Dclose(dataset);
    H5Pclose(list);
    H5Sclose(space);
    drop_values(&v);
    note(m->objects, &m->n_objects, path);
    note(m->datasets, &m->n_datasets, path);
}

static void add_attribute(making *m)
{
    const char *object = m->objects[check_random_below(m->n_objects)];
    char name[32];
    values v;

    random_values(m, &v);
    const hid_t space = coin() ? (hid_t)CHECK_H5(H5Screate(coin() ? H5S_SCALAR : H5S_NULL))
                               : (hid_t)CHECK_H5(H5Screate_simple(1, &(hsize_t){8}, NULL));
    const hid_t list = (hid_t)CHECK_H5(H5Pcreate(H5P_ATTRIBUTE_CREATE));

    (void)snprintf(name, sizeof name, "%c%u", (char)('a' + (int)check_random_below(26)),
                   m->n_names++);
    if (coin()) {
        CHECK_H5(H5Pset_char_encoding(list, H5T_CSET_UTF8));
    }
    const hid_t attribute = (hid_t)CHECK_H5(
        H5Acreate_by_name(m->file, object, name, v.type, space, list, H5P_DEFAULT, H5P_DEFAULT));
    if (H5Sget_simple_extent_type(space) != H5S_NULL) {
        CHECK_H5(H5Awrite(attribute, v.type, v.bytes));
    }
    H5Aclose(attribute);
    H5Pclose(list);
    H5Sclose(space);
    drop_values(&v);
}

static void add_type(making *m)
{
    const char *path = fresh(m);
    const hid_t type = (hid_t)CHECK_H5(H5Tcopy(coin() ? H5T_STD_I32LE : H5T_STD_U16BE));
    const hid_t list = creation(H5P_DATATYPE_CREATE, false);

    CHECK_H5(H5Tcommit2(m->file, path, type, H5P_DEFAULT, list, H5P_DEFAULT));
    H5Pclose(list);
    H5Tclose(type);
    note(m->objects, &m->n_objects, path);
    note(m->types, &m->n_types, path);
}

static void add_group(making *m)
{
    const char *path = fresh(m);
    const hid_t list = creation(H5P_GROUP_CREATE, true);
    const hid_t group = (hid_t)CHECK_H5(H5Gcreate2(m->file, path, H5P_DEFAULT, list, H5P_DEFAULT));

    if (coin()) {
        CHECK_H5(H5Oset_comment(group, "a comment"));
    }
    H5Gclose(group);
    H5Pclose(list);
    note(m->objects, &m->n_objects, path);
    note(m->groups, &m->n_groups, path);
}

static void add_link(making *m)
{
    const char *path = fresh(m);
    const hid_t list = (hid_t)CHECK_H5(H5Pcreate(H5P_LINK_CREATE));

    if (coin()) {
        CHECK_H5(H5Pset_char_encoding(list, H5T_CSET_UTF8));
    }
    switch (check_random_below(4)) {
    case 0:
        CHECK_H5(H5Lcreate_soft("../nowhere", m->file, path, list, H5P_DEFAULT));
        break;
    case 1:
        CHECK_H5(H5Lcreate_external("other.h5", "/there", m->file, path, list, H5P_DEFAULT));
        break;
    default: /* also to the root, and to groups further up */
        CHECK_H5(H5Lcreate_hard(m->file, m->objects[check_random_below(m->n_objects)], m->file,
                                path, list, H5P_DEFAULT));
        break;
    }
    H5Pclose(list);
}

static void make_random_file(const char *path)
{
    making *m = calloc(1, sizeof *m);
    const hid_t access = (hid_t)CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    const hid_t list = creation(H5P_FILE_CREATE, true);

    CHECK_H5(H5Pset_libver_bounds(access, coin() ? H5F_LIBVER_EARLIEST : H5F_LIBVER_V18,
                                  H5F_LIBVER_LATEST));
    if (check_random_below(4) == 0) {
        CHECK_H5(H5Pset_userblock(list, 512));
    }
    m->file = (hid_t)CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, list, access));
    note(m->groups, &m->n_groups, "/");
    note(m->objects, &m->n_objects, "/");
    for (uint64_t n = 5 + check_random_below(35); n > 0; n--) {
        static void (*const adds[])(making *) = {
            add_dataset, add_dataset, add_attribute, add_attribute, add_type, add_group, add_link};
        adds[check_random_below(sizeof adds / sizeof adds[0])](m);
    }
    if (m->n_datasets > 1 && coin()) { /* leaves dangling references and free space */
        CHECK_H5(H5Ldelete(m->file, m->datasets[0], H5P_DEFAULT));
    }
    H5Fclose(m->file);
    H5Pclose(list);
    H5Pclose(access);
    free(m);
}

static char *tree_of_path(const char *path)
{
    const hid_t file = (hid_t)CHECK_H5(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT));
    char *text = tree_of(file);

    H5Fclose(file);
    return text;
}

/* Names the first line that differs; whole trees are long. */
static void check_same_tree(const char *found, const char *expected)
{
    size_t line = 0;

    for (size_t i = 0; found[i] == expected[i] && found[i] != '\0'; i++) {
        line = found[i] == '\n' ? i + 1 : line;
    }
    if (strcmp(found, expected) != 0) {
        FAIL("the trees differ; expected:\n%.*s\nfound:\n%.*s", (int)strcspn(expected + line, "\n"),
             expected + line, (int)strcspn(found + line, "\n"), found + line);
    }
}

static off_t size_of(const char *path)
{
    struct stat about;

    CHECK_I64(stat(path, &about), 0);
    return about.st_size;
}

static void a_repacked_file_holds_what_the_old_one_held(void)
{
    const char *old = check_path("old.h5");
    char *whole = strdup(old);
    char *again = strdup(check_path("again.h5"));
    char *fresh_one = strdup(check_path("new.h5"));

    for (uint64_t n = check_n_cases(150); n > 0; n--) {
        stoa_error err = STOA_ERROR_INIT;
        make_random_file(whole);
        check_copy_file(whole, again);
        char *expected = tree_of_path(whole);
        CHECK_OK(stoa_file_repack(whole, fresh_one, NULL, &err), &err);
        char *found = tree_of_path(fresh_one);
        check_same_tree(found, expected);
        free(found);
        CHECK_OK(stoa_file_repack(again, again, NULL, &err), &err);
        found = tree_of_path(again);
        check_same_tree(found, expected);
        CHECK_I64(size_of(again), size_of(fresh_one));
        free(found);
        free(expected);
        CHECK_I64(remove(fresh_one), 0);
    }
    free(fresh_one);
    free(again);
    free(whole);
}

/* A few bytes are not what they were. */
static void damage(const char *path)
{
    const uint64_t n = (uint64_t)size_of(path);
    const uint64_t first =
        n > 1200 ? 600 : 0; /* a superblock that is sound, where that leaves enough */
    FILE *file = fopen(path, "r+b");

    CHECK(file != NULL);
    for (uint64_t k = 1 + check_random_below(8); k > 0; k--) {
        CHECK_I64(fseek(file, (long)(first + check_random_below(n - first)), SEEK_SET), 0);
        (void)fputc((int)check_random_below(256), file);
    }
    CHECK_I64(fclose(file), 0);
}

static void a_damaged_file_is_repacked_or_refused(void)
{
    char *path = strdup(check_path("damaged.h5"));
    char *fresh_one = strdup(check_path("new.h5"));

    for (uint64_t n = check_n_cases(150); n > 0; n--) {
        stoa_error err = STOA_ERROR_INIT;
        make_random_file(path);
        damage(path);
        if (stoa_file_repack(path, fresh_one, NULL, &err) == STOA_OK) {
            CHECK_I64(remove(fresh_one), 0);
        } else {
            CHECK(err.message[0] != '\0');
            CHECK(remove(fresh_one) != 0);
            CHECK_U64(check_n_open_ids(), 0);
        }
    }
    free(fresh_one);
    free(path);
}

TEST_MAIN(TEST(a_repacked_file_holds_what_the_old_one_held),
          TEST(a_damaged_file_is_repacked_or_refused))
