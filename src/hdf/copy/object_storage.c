#include "hdf/copy/object_storage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/string_set.h"
#include "hdf/chunk/chunk_list.h"
#include "hdf/file/driver.h"
#include "hdf/format/footprint.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/walk.h"

/* Why the storage is checked. */
typedef enum purpose { TO_DELETE, TO_CHANGE, TO_COPY } purpose;

/* An object, and its link count according to libhdf5. */
typedef struct counted {
    uint64_t address;
    uint64_t n_links;
} counted;

typedef struct storage {
    stoa_footprint footprint;
    uint64_t published;   /* end of the file before this transaction */
    stoa_string_set seen; /* addresses of objects */
    stoa_buffer objects;  /* counted */
    hid_t object;         /* root of all of them */
    uint64_t unseen;      /* an object that libhdf5 cannot read; 0: none */
    stoa_status status;
} storage;

/* --- all blocks, in a file that Stoa opened -------------------------------------------------- */

static uint64_t address_of(const storage *s, const H5O_token_t *token)
{
    return stoa_little_endian(token->__data, s->footprint.file.file->address_size);
}

/* Add an object whose header libhdf5 has read. Each object is added once. */
static void add_object(storage *s, const H5O_info2_t *info, const H5O_hdr_info_t *header)
{
    const counted one = {address_of(s, &info->token), info->rc};
    const uint32_t n_before = s->seen.count;
    uint32_t number = 0;

    s->status = stoa_string_set_add(&s->seen, &one.address, sizeof one.address, &number, NULL);
    if (s->status == STOA_OK && number == n_before) {
        s->status = stoa_buffer_append(&s->objects, &one, sizeof one, NULL);
        if (one.address < s->published) {
            stoa_footprint_add(&s->footprint, one.address, header->nchunks, header->space.total);
        }
    }
}

static void add_opened(storage *s, hid_t object)
{
    H5O_info2_t info;
    H5O_native_info_t native;

    if (H5Oget_info3(object, &info, H5O_INFO_BASIC) >= 0 &&
        H5Oget_native_info(object, &native, H5O_NATIVE_INFO_HDR) >= 0) {
        add_object(s, &info, &native.hdr);
    }
}

static herr_t add_linked(hid_t group, const char *name, const H5L_info2_t *link, void *context)
{
    storage *const s = context;
    H5O_info2_t info;
    H5O_native_info_t native;

    if (link->type != H5L_TYPE_HARD) {
        return 0;
    }
    stoa_footprint_add_link(&s->footprint, address_of(s, &link->u.token));
    if (H5Oget_info_by_name3(group, name, &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
        H5Oget_native_info_by_name(group, name, &native, H5O_NATIVE_INFO_HDR, H5P_DEFAULT) >= 0) {
        add_object(s, &info, &native.hdr);
    } else {
        s->unseen = address_of(s, &link->u.token);
    }
    return s->status == STOA_OK && s->footprint.status == STOA_OK ? 0 : 1;
}

static stoa_status add_group(void *context, hid_t group, const char *path, bool *goes_on,
                             stoa_error *err)
{
    storage *const s = context;
    const stoa_status status = stoa_links_visit(group, add_linked, s, err);
    H5O_info2_t info;

    (void)path;
    if (status != STOA_OK && H5Oget_info3(group, &info, H5O_INFO_BASIC) >= 0) {
        s->unseen = address_of(s, &info.token);
    }
    *goes_on = s->status == STOA_OK && s->footprint.status == STOA_OK;
    return status;
}

/* Datatypes without links are deleted with their datasets. */
static void add_types(storage *s)
{
    for (size_t at = 0; at < s->footprint.references.size; at += sizeof(uint64_t)) {
        uint64_t address;
        uint32_t number;
        H5O_token_t token;
        memcpy(&address, s->footprint.references.data + at, sizeof address);
        if (!stoa_string_set_find(&s->seen, &address, sizeof address, &number) &&
            H5VLnative_addr_to_token(s->object, address, &token) >= 0) {
            hid_t type = H5Oopen_by_token(s->object, token);
            if (type >= 0) {
                add_opened(s, type);
            }
            (void)stoa_hdf_close(&type, STOA_OK, NULL);
        }
    }
}

/* The superblock belongs to no object. */
static void add_superblock(storage *s)
{
    enum { OLD = 24, NEW = 12, ROOT = 24, CHECKSUM = 4 };
    const stoa_superblock *const file = s->footprint.file.file;
    const uint64_t addresses = 4 * (uint64_t)file->address_size;
    const uint64_t root = file->length_size + (uint64_t)file->address_size + ROOT;

    (void)stoa_footprint_add_block(&s->footprint, 0, 0,
                                   addresses + (file->version > 1    ? NEW + CHECKSUM
                                                : file->version == 1 ? OLD + 4 + root
                                                                     : OLD + root));
}

static stoa_status add_all(storage *s, hid_t file)
{
    stoa_footprint *const f = &s->footprint;
    hid_t creation = H5Fget_create_plist(file);
    stoa_status status = STOA_OK;

    if (creation < 0 || H5Pget_sym_k(creation, &f->group_tree_k, &f->group_leaf_k) < 0 ||
        H5Pget_istore_k(creation, &f->chunk_tree_k) < 0) {
        goto done;
    }
    s->published = f->file.file->end - f->file.file->base;
    f->end -= f->file.file->base;
    add_superblock(s);
    add_opened(s, s->object);
    if (H5Iget_type(s->object) == H5I_GROUP) {
        status = stoa_groups_visit_in(s->object, "", add_group, s, NULL);
    }
    add_types(s);

done:
    return stoa_hdf_close(&creation, status, NULL);
}

/* --- only values, in other files ------------------------------------------------------------- */

/* Collects the values of one dataset. */
typedef struct values {
    storage *s;
    uint64_t owner;
} values;

static bool add_value(const values *v, haddr_t address, hsize_t n)
{
    stoa_footprint *const f = &v->s->footprint;

    f->is_outside = f->is_outside || (address == 0 && n != 0); /* the superblock is there */
    return stoa_footprint_add_block(f, v->owner, address, n);
}

static int add_chunk(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t n,
                     void *context)
{
    (void)offset;
    (void)mask;
    return add_value(context, address, n) ? H5_ITER_CONT : H5_ITER_STOP;
}

/* Failures are ignored: libhdf5 cannot delete what it cannot read. */
static stoa_status add_dataset(void *context, hid_t dataset, const char *path, stoa_error *err)
{
    values v = {.s = context};
    hid_t dcpl = stoa_dataset_properties(dataset);
    const H5D_layout_t layout = dcpl >= 0 ? H5Pget_layout(dcpl) : H5D_LAYOUT_ERROR;
    H5O_info2_t info;

    (void)path;
    (void)err;
    if (H5Oget_info3(dataset, &info, H5O_INFO_BASIC) >= 0) {
        v.owner = address_of(v.s, &info.token);
    }
    if (layout == H5D_CHUNKED) {
        (void)stoa_chunks_list(dataset, add_chunk, &v, NULL);
    } else if (layout == H5D_CONTIGUOUS && H5Pget_external_count(dcpl) == 0) {
        (void)add_value(&v, H5Dget_offset(dataset), H5Dget_storage_size(dataset));
    }
    (void)stoa_hdf_close(&dcpl, STOA_OK, NULL);
    return v.s->footprint.status;
}

/* The end of the file is known only after chunks have been flushed from libhdf5's cache, which
 * listing them does. */
static stoa_status add_values(storage *s, hid_t file)
{
    static const stoa_superblock unknown = {.address_size = sizeof(haddr_t)};
    stoa_status status = STOA_OK;
    hsize_t end = 0;

    s->footprint.file.file = &unknown;
    s->footprint.end = INT64_MAX;
    status = H5Iget_type(s->object) == H5I_DATASET
                 ? add_dataset(s, s->object, "", NULL)
                 : stoa_datasets_visit(s->object, add_dataset, s, NULL);
    if (H5Fget_filesize(file, &end) >= 0) {
        stoa_footprint_end_at(&s->footprint, end);
    }
    return status;
}

/* --- verdict --------------------------------------------------------------------------------- */

static int compare_addresses(const void *a, const void *b)
{
    const uint64_t *const left = a;
    const uint64_t *const right = b;

    return (*left > *right) - (*left < *right);
}

/* An object with more links than it counts would be deleted more than once. */
static bool is_counted(storage *s, uint64_t *culprit)
{
    uint64_t *const links = (uint64_t *)(void *)s->footprint.references.data;
    const size_t n = s->footprint.references.size / sizeof *links;
    const counted *const objects = (const counted *)(const void *)s->objects.data;
    bool is_so = true;

    if (n > 1) {
        qsort(links, n, sizeof *links, compare_addresses);
    }
    for (size_t i = 0, end; is_so && i < n; i = end) {
        uint32_t number;
        for (end = i + 1; end < n && links[end] == links[i]; end++) {
        }
        is_so = !stoa_string_set_find(&s->seen, &links[i], sizeof *links, &number) ||
                end - i <= objects[number].n_links;
        *culprit = links[i];
    }
    return is_so;
}

/* The caller frees it; NULL if memory runs out. */
static char *name_of(const storage *s, uint64_t address)
{
    char *name = NULL;
    H5O_token_t token;
    hid_t object = address != 0 && H5VLnative_addr_to_token(s->object, address, &token) >= 0
                       ? H5Oopen_by_token(s->object, token)
                       : H5I_INVALID_HID;

    if (object >= 0) {
        name = stoa_hdf_name(object, H5Iget_name);
        (void)stoa_hdf_close(&object, STOA_OK, NULL);
    }
    if (name != NULL && name[0] != '\0') {
        return name;
    }
    free(name);
    return address == 0 ? stoa_strdup("the superblock")
                        : stoa_format("an object at %" PRIu64, address);
}

static stoa_status refuse(const storage *s, uint64_t one, uint64_t other, const char *before,
                          const char *behind, stoa_error *err)
{
    char *const name = name_of(s, one);
    char *const second = other != one ? name_of(s, other) : NULL;
    const stoa_status status =
        stoa_fail(err, STOA_EDATA, "it is damaged: %s%s%s%s%s", before, name != NULL ? name : "it",
                  second != NULL ? " and " : "", second != NULL ? second : "", behind);

    free(name);
    free(second);
    return status;
}

static stoa_status judge(storage *s, purpose why, stoa_error *err)
{
    uint64_t owners[2];

    if (s->footprint.is_outside) {
        return stoa_fail(err, STOA_EDATA, "it is damaged: a part of it lies outside of the file");
    }
    if (why == TO_COPY) { /* objects that are only read may share bytes */
        return STOA_OK;
    }
    if (!stoa_footprint_is_apart(&s->footprint, 0, owners)) {
        return refuse(s, owners[0], owners[1], "parts of ", " overlap", err);
    }
    if (!is_counted(s, owners)) {
        return refuse(s, owners[0], owners[0], "more links lead to ", " than it counts", err);
    }
    /* libhdf5 would free some blocks before it finds the damage. */
    const uint64_t broken = s->unseen != 0 ? s->unseen : s->footprint.broken;
    return why == TO_DELETE && broken != 0 ? refuse(s, broken, broken, "", " cannot be read", err)
                                           : STOA_OK;
}

static stoa_status look(hid_t object, purpose why, stoa_error *err)
{
    storage s = {.object = object};
    hsize_t end = 0;
    stoa_status status = STOA_OK;
    hid_t file = H5Iget_file_id(object);

    if (file >= 0 && H5Fget_filesize(file, &end) >= 0) {
        s.footprint.end = end;
        const bool is_own = stoa_driver_blocks(file, &s.footprint.file);
        const bool is_new = is_own && s.footprint.file.file->address_size == 0;
        status = is_new ? STOA_OK : is_own ? add_all(&s, file) : add_values(&s, file);
        if (s.status == STOA_ENOMEM || s.footprint.status == STOA_ENOMEM || status == STOA_ENOMEM) {
            status = stoa_fail_memory(err);
        } else {
            status = judge(&s, why, err);
        }
    }
    stoa_footprint_clear(&s.footprint);
    stoa_string_set_clear(&s.seen);
    stoa_buffer_clear(&s.objects);
    (void)stoa_hdf_close(&file, STOA_OK, NULL);
    return status;
}

stoa_status stoa_storage_may_change(hid_t object, stoa_error *err)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    const stoa_status status = look(object, TO_CHANGE, err);

    stoa_error_stack_discard(&errors);
    return status;
}

static stoa_status look_at_link(hid_t loc, const char *name, purpose why)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    H5L_info2_t link;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    if (why == TO_COPY ||
        (H5Lget_info2(loc, name, &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_HARD)) {
        hid_t object = H5Oopen(loc, name, H5P_DEFAULT);
        if (object >= 0) {
            status = look(object, why, &err);
        } else if (why == TO_DELETE) {
            status = stoa_fail(&err, STOA_EDATA, "it is damaged: it cannot be read");
        }
        (void)stoa_hdf_close(&object, STOA_OK, NULL);
    }
    stoa_error_stack_discard(&errors);
    if (why == TO_DELETE && status == STOA_ENOMEM) {
        return STOA_OK; /* else the edit would remain half done */
    }
    if (status != STOA_OK) {
        (void)H5Epush2(H5E_DEFAULT, __FILE__, "stoa_object", __LINE__, H5E_ERR_CLS, H5E_DATASET,
                       status == STOA_ENOMEM ? H5E_NOSPACE : H5E_BADVALUE, "%s", err.message);
    }
    return status;
}

herr_t stoa_unlink(hid_t loc, const char *name)
{
    return look_at_link(loc, name, TO_DELETE) != STOA_OK ? -1 : H5Ldelete(loc, name, H5P_DEFAULT);
}

/* An additional link keeps an object from being deleted. */
static bool leave(hid_t loc, const char *name)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    hid_t object = H5Oopen(loc, name, H5P_DEFAULT);
    const bool is_left = object >= 0 && H5Oincr_refcount(object) >= 0;

    (void)stoa_hdf_close(&object, STOA_OK, NULL);
    stoa_error_stack_end(&errors);
    return is_left;
}

herr_t stoa_unlink_or_leave(hid_t loc, const char *name)
{
    if (look_at_link(loc, name, TO_DELETE) != STOA_OK) {
        (void)H5Eclear2(H5E_DEFAULT);
        if (!leave(loc, name)) {
            return -1;
        }
    }
    return H5Ldelete(loc, name, H5P_DEFAULT);
}

herr_t stoa_object_copy(hid_t from, const char *name, hid_t to, const char *new_name,
                        hid_t properties, hid_t lcpl)
{
    return look_at_link(from, name, TO_COPY) != STOA_OK
               ? -1
               : H5Ocopy(from, name, to, new_name, properties, lcpl);
}
