/* Where objects lie, block by block, and what overlaps: src/hdf/format/footprint.c,
 * object_storage.c. */
#include "hdf/copy/object_storage.h"

#include <H5public.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stoa/file.h>

#include "hdf/file/driver.h"
#include "hdf/format/footprint.h"
#include "support/check.h"

/* libhdf5's own, which its headers do not tell. */
uint32_t H5_checksum_metadata(const void *data, size_t n, uint32_t start);

/* --- a file with blocks of every kind, all below one group ----------------------------------- */

typedef struct shape {
    const char *name;
    int rank;
    hsize_t dims[2];
    hsize_t most[2];
    hsize_t chunk[2]; /* 0: contiguous */
    bool is_packed;
    bool is_early;
} shape;

#define MORE H5S_UNLIMITED
static const shape shapes[] = {
    {"contiguous", 1, {100, 0}, {100, 0}, {0, 0}, false, false},
    {"another", 2, {10, 10}, {10, 10}, {0, 0}, false, true},
    {"one chunk", 1, {100, 0}, {100, 0}, {100, 0}, false, false},
    {"one packed chunk", 1, {100, 0}, {100, 0}, {100, 0}, true, false},
    {"early", 1, {95, 0}, {95, 0}, {10, 0}, false, true},
    {"fixed", 1, {95, 0}, {95, 0}, {10, 0}, false, false},
    {"fixed, packed", 2, {9, 9}, {9, 9}, {2, 4}, true, false},
    {"fixed, in pages", 1, {3000, 0}, {3000, 0}, {1, 0}, false, false},
    {"growing", 1, {300, 0}, {MORE, 0}, {2, 0}, false, false},
    {"growing, packed", 2, {9, 300}, {9, MORE}, {9, 2}, true, false},
    {"growing, in pages", 1, {20000, 0}, {MORE, 0}, {1, 0}, false, false},
    {"a tree", 2, {40, 40}, {MORE, MORE}, {1, 1}, false, false},
    {"a tree, packed", 2, {40, 40}, {MORE, MORE}, {4, 1}, true, false},
    {"empty", 1, {95, 0}, {95, 0}, {0, 0}, false, false},
    {"empty, fixed", 1, {95, 0}, {95, 0}, {10, 0}, false, false},
    {"empty, growing", 1, {0, 0}, {MORE, 0}, {10, 0}, true, false},
    {"empty, a tree", 2, {9, 9}, {MORE, MORE}, {3, 3}, false, false},
};

/* Of 32 bit; of those in pages some chunks only, so that some pages are not written. */
static void make_dataset(hid_t group, const shape *s, hid_t type)
{
    const hid_t space = CHECK_H5(H5Screate_simple(s->rank, s->dims, s->most));
    const hid_t plist = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hsize_t n = s->dims[0] * (s->rank > 1 ? s->dims[1] : 1);
    int32_t *const values = calloc(n, sizeof *values);

    CHECK(values != NULL);
    if (s->chunk[0] != 0) {
        CHECK_H5(H5Pset_chunk(plist, s->rank, s->chunk));
    }
    if (s->is_packed) {
        CHECK_H5(H5Pset_deflate(plist, 1));
    }
    CHECK_H5(H5Pset_alloc_time(plist, s->is_early ? H5D_ALLOC_TIME_EARLY : H5D_ALLOC_TIME_DEFAULT));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(group, s->name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT));
    if (strncmp(s->name, "empty", 5) == 0) {
        /* never written */
    } else if (strstr(s->name, "in pages") != NULL) {
        CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, (const hsize_t[]){s->dims[0] / 2}, NULL,
                                     (const hsize_t[]){200}, NULL));
        const hid_t some = CHECK_H5(H5Screate_simple(1, (const hsize_t[]){200}, NULL));
        CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT32, some, space, H5P_DEFAULT, values));
        CHECK_H5(H5Sclose(some));
    } else {
        CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    }
    free(values);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(plist));
    CHECK_H5(H5Sclose(space));
}

static void put_attribute(hid_t object, const char *name, size_t size)
{
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));
    char *const value = calloc(size, 1);

    CHECK(value != NULL);
    CHECK_H5(H5Tset_size(type, size));
    const hid_t made = CHECK_H5(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Awrite(made, type, value));
    free(value);
    CHECK_H5(H5Aclose(made));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
}

/* A group of many links, and of many attributes; both in their order where there is one. */
static void make_crowd(hid_t group, const char *name, H5F_libver_t low)
{
    const hid_t plist = CHECK_H5(H5Pcreate(H5P_GROUP_CREATE));

    if (low != H5F_LIBVER_EARLIEST) {
        CHECK_H5(H5Pset_link_creation_order(plist, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
        CHECK_H5(H5Pset_attr_creation_order(plist, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
    }
    const hid_t crowd = CHECK_H5(H5Gcreate2(group, name, H5P_DEFAULT, plist, H5P_DEFAULT));
    for (int i = 0; i < 60; i++) {
        char one[64];
        (void)snprintf(one, sizeof one, "a member of this group, number %d", i);
        CHECK_H5(H5Gclose(CHECK_H5(H5Gcreate2(crowd, one, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
        put_attribute(crowd, one, 200);
    }
    if (low != H5F_LIBVER_EARLIEST) {
        put_attribute(crowd, "of several tables", 30000);
        put_attribute(crowd, "huge", 100000);
        CHECK_H5(H5Adelete(crowd, "a member of this group, number 30"));
    }
    CHECK_H5(H5Gclose(crowd));
    CHECK_H5(H5Pclose(plist));
}

static const char *make_file(H5F_libver_t low)
{
    const char *const path = check_path("footprint.h5");
    const hid_t access = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    const hid_t creation = CHECK_H5(H5Pcreate(H5P_FILE_CREATE));

    CHECK_H5(H5Pset_libver_bounds(access, low, H5F_LIBVER_LATEST));
    CHECK_H5(H5Pset_sym_k(creation, 3, 5));
    CHECK_H5(H5Pset_istore_k(creation, 7));
    CHECK_H5(H5Pset_userblock(creation, 512));
    const hid_t file = CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, creation, access));
    const hid_t top = CHECK_H5(H5Gcreate2(file, "top", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Tcopy(H5T_STD_I32LE));
    const hid_t nameless = CHECK_H5(H5Tcopy(H5T_STD_I32LE));
    CHECK_H5(H5Tcommit2(top, "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Tcommit_anon(top, nameless, H5P_DEFAULT, H5P_DEFAULT));
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        make_dataset(top, &shapes[i], i % 3 == 0 ? type : i % 3 == 1 ? nameless : H5T_STD_I32LE);
    }
    make_crowd(top, "crowd", low);
    make_crowd(top, "another crowd", low);
    CHECK_H5(H5Lcreate_hard(top, "early", top, "early once more", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Tclose(nameless));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Gclose(top));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Pclose(creation));
    CHECK_H5(H5Pclose(access));
    return path;
}

static const H5F_libver_t bounds[] = {H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST};
enum { N_BOUNDS = 2 };

/* --- sound files ----------------------------------------------------------------------------- */

static uint64_t address_of(const H5O_token_t *token)
{
    return stoa_little_endian(token->__data, 8);
}

/* All bytes of an object, as libhdf5 counts them. */
static uint64_t counted_bytes(hid_t object)
{
    H5O_native_info_t native;

    CHECK_H5(H5Oget_native_info(object, &native, H5O_NATIVE_INFO_ALL));
    return native.hdr.space.total + native.meta_size.obj.index_size +
           native.meta_size.obj.heap_size + native.meta_size.attr.index_size +
           native.meta_size.attr.heap_size +
           (H5Iget_type(object) == H5I_DATASET ? H5Dget_storage_size(object) : 0);
}

static stoa_footprint begin_footprint(hid_t file)
{
    stoa_footprint f = {.end = 0};
    const hid_t creation = CHECK_H5(H5Fget_create_plist(file));
    hsize_t size = 0;

    CHECK(stoa_driver_blocks(file, &f.file));
    CHECK_H5(H5Pget_sym_k(creation, &f.group_tree_k, &f.group_leaf_k));
    CHECK_H5(H5Pget_istore_k(creation, &f.chunk_tree_k));
    CHECK_H5(H5Fget_filesize(file, &size));
    f.end = size - f.file.file->base;
    CHECK_H5(H5Pclose(creation));
    return f;
}

/* The addresses of 29 super blocks in the index block of an extensible array: libhdf5 counts that
 * before it knows how many there are (H5EA__cache_hdr_deserialize()). */
enum { UNCOUNTED = 29 * 8 };

static bool is_growing(const stoa_footprint *f, const char *name)
{
    return f->file.file->version > 1 && strstr(name, "growing") != NULL &&
           strstr(name, "empty") == NULL;
}

/* Adds the blocks of an object to a footprint (`context`), and counts them. */
static herr_t expect_counted(hid_t loc, const char *name, const H5O_info2_t *info, void *context)
{
    stoa_footprint *const f = context;
    const hid_t object = CHECK_H5(H5Oopen(loc, name, H5P_DEFAULT));
    H5O_native_info_t native;
    uint64_t n = 0;

    CHECK_H5(H5Oget_native_info(object, &native, H5O_NATIVE_INFO_HDR));
    const size_t before = f->ranges.size;
    stoa_footprint_add(f, address_of(&info->token), native.hdr.nchunks, native.hdr.space.total);
    for (size_t at = before; at < f->ranges.size; at += sizeof(stoa_file_range)) {
        n += ((const stoa_file_range *)(const void *)(f->ranges.data + at))->n;
    }
    n -= is_growing(f, name) ? UNCOUNTED : 0;
    CHECK_STR(name, n == counted_bytes(object) ? name : "of as many bytes as libhdf5 counts");
    CHECK_H5(H5Oclose(object));
    return 0;
}

static void every_block_of_an_object_is_found(void)
{
    for (int i = 0; i < N_BOUNDS; i++) {
        stoa_file *file = NULL;
        uint64_t owners[2];
        CHECK_OK(stoa_file_open(make_file(bounds[i]), STOA_FILE_READ, &file, NULL));
        stoa_footprint f = begin_footprint(stoa_file_id(file));
        CHECK_H5(H5Ovisit3(stoa_file_id(file), H5_INDEX_NAME, H5_ITER_INC, expect_counted, &f,
                           H5O_INFO_BASIC));
        CHECK(!f.is_outside && f.status == STOA_OK);
        CHECK(stoa_footprint_is_apart(&f, 0, owners));
        stoa_footprint_clear(&f);
        stoa_file_close(file);
    }
}

static void what_is_sound_is_deleted(void)
{
    static const stoa_file_mode modes[] = {STOA_FILE_EDIT, STOA_FILE_SAFE};

    for (int i = 0; i < 2 * N_BOUNDS; i++) {
        stoa_file *file = NULL;
        CHECK_OK(stoa_file_open(make_file(bounds[i / 2]), modes[i % 2], &file, NULL));
        CHECK_OK(stoa_storage_may_change(stoa_file_id(file), NULL));
        const hid_t top = CHECK_H5(H5Gopen2(stoa_file_id(file), "top", H5P_DEFAULT));
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k += 2) {
            make_dataset(top, &(shape){"new", 1, {100, 0}, {100, 0}, {1, 0}, true, false},
                         H5T_STD_I32LE);
            CHECK_H5(stoa_unlink(top, shapes[k].name));
            CHECK_H5(stoa_unlink(top, "new"));
        }
        CHECK_H5(H5Gclose(top));
        CHECK_H5(stoa_unlink(stoa_file_id(file), "top"));
        CHECK_OK(stoa_file_commit(file, NULL));
    }
}

/* Trees of other sizes are said in a block behind the superblock; these files have none. */
static void the_root_group_may_touch_the_superblock(void)
{
    static const H5F_libver_t lows[] = {H5F_LIBVER_EARLIEST, H5F_LIBVER_V18, H5F_LIBVER_LATEST};
    static const uint64_t ends[] = {96, 48, 48};
    const char *const path = check_path("touching.h5");

    for (int i = 0; i < 3; i++) {
        const hid_t access = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
        stoa_file *file = NULL;
        H5O_info2_t info;
        CHECK_H5(H5Pset_libver_bounds(access, lows[i], H5F_LIBVER_LATEST));
        CHECK_H5(H5Fclose(CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access))));
        CHECK_H5(H5Pclose(access));
        CHECK_OK(stoa_file_open(path, STOA_FILE_EDIT, &file, NULL));
        CHECK_H5(H5Oget_info3(stoa_file_id(file), &info, H5O_INFO_BASIC));
        CHECK_U64(address_of(&info.token), ends[i]);
        CHECK_OK(stoa_storage_may_change(stoa_file_id(file), NULL));
        stoa_file_close(file);
    }
}

/* --- blocks that overlap --------------------------------------------------------------------- */

typedef struct image {
    uint8_t *bytes;
    size_t n;
    stoa_buffer ranges; /* of the sound file, sorted */
} image;

enum { BASE = 512 };

static image read_image(H5F_libver_t low)
{
    const char *const path = make_file(low);
    stoa_file *file = NULL;
    image it = {.bytes = NULL};
    uint64_t owners[2];
    FILE *stream = fopen(path, "rb");

    CHECK(stream != NULL && fseek(stream, 0, SEEK_END) == 0);
    it.n = (size_t)ftell(stream);
    it.bytes = malloc(it.n);
    CHECK(it.bytes != NULL && fseek(stream, 0, SEEK_SET) == 0);
    CHECK(fread(it.bytes, 1, it.n, stream) == it.n);
    CHECK(fclose(stream) == 0);
    CHECK_OK(stoa_file_open(path, STOA_FILE_READ, &file, NULL));
    stoa_footprint f = begin_footprint(stoa_file_id(file));
    CHECK_H5(H5Ovisit_by_name3(stoa_file_id(file), "top", H5_INDEX_NAME, H5_ITER_INC,
                               expect_counted, &f, H5O_INFO_BASIC, H5P_DEFAULT));
    CHECK(stoa_footprint_is_apart(&f, 0, owners));
    it.ranges = f.ranges;
    f.ranges = (stoa_buffer){0};
    stoa_footprint_clear(&f);
    stoa_file_close(file);
    return it;
}

static const stoa_file_range *block_of(const image *it, size_t i)
{
    return (const stoa_file_range *)(const void *)it->ranges.data + i;
}

static size_t n_blocks_of(const image *it)
{
    return it->ranges.size / sizeof(stoa_file_range);
}

/* The only place in these blocks that says an address; 0 where there is none, or several. */
static size_t place_of(const image *it, uint64_t address)
{
    uint8_t said[8];
    size_t found = 0;

    for (int i = 0; i < 8; i++) {
        said[i] = (uint8_t)(address >> (8 * i));
    }
    for (size_t at = BASE; at + 8 <= it->n; at++) {
        if (memcmp(it->bytes + at, said, 8) == 0) {
            if (found != 0) {
                return 0;
            }
            found = at;
        }
    }
    return found;
}

/* The block that a place is in gets the checksum that its bytes have now; it is where it was: at
 * its end, or, in nodes of B-trees, somewhere before. False: it was not found, as in blocks of a
 * fractal heap and in pages of an array, which have it elsewhere. */
static bool mend(image *it, const uint8_t *sound, size_t place)
{
    for (size_t i = 0; i < n_blocks_of(it); i++) {
        const size_t first = BASE + block_of(it, i)->first;
        const size_t end = first + block_of(it, i)->n;
        const bool is_node = memcmp(sound + first, "BT", 2) == 0;
        const size_t least = is_node ? place + 8 : end - 4;
        for (size_t at = end - 4; first <= place && place + 8 <= at + 4 && at >= least; at--) {
            const uint32_t was = H5_checksum_metadata(sound + first, at - first, 0);
            if (stoa_little_endian(sound + at, 4) == was) {
                const uint32_t is = H5_checksum_metadata(it->bytes + first, at - first, 0);
                for (int k = 0; k < 4; k++) {
                    it->bytes[at + (size_t)k] = (uint8_t)(is >> (8 * k));
                }
                return true;
            }
        }
    }
    return false;
}

static bool is_raw(const image *it, const stoa_file_range *block)
{
    static const uint8_t packed[] = {0x78, 0x01};
    static const uint8_t plain[8] = {0};
    const uint8_t *const bytes = it->bytes + BASE + block->first;

    return memcmp(bytes, plain, block->n < 8 ? block->n : 8) == 0 ||
           memcmp(bytes, packed, sizeof packed) == 0;
}

/* Delete all of it; what libhdf5 says. */
static herr_t delete_top(const image *it, stoa_error *err)
{
    const char *const path = check_path("overlapping.h5");
    FILE *stream = fopen(path, "wb");
    stoa_file *file = NULL;
    stoa_status status = STOA_OK;

    CHECK(stream != NULL && fwrite(it->bytes, 1, it->n, stream) == it->n && fclose(stream) == 0);
    CHECK_OK(stoa_file_open(path, STOA_FILE_EDIT, &file, NULL));
    STOA_HDF(err, stoa_unlink(stoa_file_id(file), "top"), "delete it");

done:
    stoa_file_close(file);
    return status == STOA_OK ? 0 : -1;
}

/* Block `a` is said to lie where `b` does. False: that cannot be said. */
static bool try(image *it, const stoa_file_range *a, const stoa_file_range *b, herr_t *result,
                stoa_error *err)
{
    enum { VERSION = BASE + 8 };
    const size_t place = place_of(it, a->first);
    uint8_t *const sound = malloc(it->n);
    bool is_said = place != 0;

    CHECK(sound != NULL);
    memcpy(sound, it->bytes, it->n);
    if (is_said) {
        memcpy(it->bytes + place, &b->first, sizeof b->first);
        is_said = mend(it, sound, place) || sound[VERSION] < 2;
    }
    if (is_said) {
        *result = delete_top(it, err);
    }
    memcpy(it->bytes, sound, it->n);
    free(sound);
    return is_said;
}

static void values_over_another_block_are_not_deleted(void)
{
    for (int i = 0; i < N_BOUNDS; i++) {
        image it = read_image(bounds[i]);
        uint64_t n_apart = 0;
        const uint64_t n = check_n_cases(150);
        for (uint64_t k = n; k > 0;) {
            const stoa_file_range *const a = block_of(&it, check_random_below(n_blocks_of(&it)));
            const stoa_file_range *const b = block_of(&it, check_random_below(n_blocks_of(&it)));
            stoa_error err = STOA_ERROR_INIT;
            herr_t result = 0;
            if (a != b && is_raw(&it, a) && try(&it, a, b, &result, &err)) {
                k--;
                CHECK(result < 0);
                CHECK_CONTAINS(err.message, "damaged");
                n_apart += strstr(err.message, " overlap") == NULL;
            }
        }
        CHECK(n_apart <= 1 + n / 20); /* local heaps look like values of 0 */
        free(it.bytes);
        stoa_buffer_clear(&it.ranges);
    }
}

static bool is_tree_node(const image *it, const stoa_file_range *block)
{
    const uint8_t *const bytes = it->bytes + BASE + block->first;

    return memcmp(bytes, "BTLF", 4) == 0 || memcmp(bytes, "BTIN", 4) == 0;
}

/* Where a block is of another kind or size, libhdf5 refuses it, as nodes of other records; where it
 * is not, there may be nothing that leads to the others. */
static void blocks_of_one_kind_are_not_given_back_twice(void)
{
    for (int i = 0; i < N_BOUNDS; i++) {
        image it = read_image(bounds[i]);
        uint64_t n_refused = 0;
        for (uint64_t k = check_n_cases(150); k > 0;) {
            const stoa_file_range *const a = block_of(&it, check_random_below(n_blocks_of(&it)));
            const stoa_file_range *const b = block_of(&it, check_random_below(n_blocks_of(&it)));
            stoa_error err = STOA_ERROR_INIT;
            herr_t result = 0;
            if (a != b && a->n == b->n && !is_raw(&it, a) && !is_tree_node(&it, a) &&
                memcmp(it.bytes + BASE + a->first, it.bytes + BASE + b->first, 4) == 0 &&
                try(&it, a, b, &result, &err)) {
                k--;
                CHECK(strstr(err.message, "duplicate key") == NULL);
                CHECK_STR(check_n_open_ids() == 0 ? "all is closed" : err.message, "all is closed");
                n_refused += strstr(err.message, "it is damaged: ") != NULL;
            }
        }
        CHECK(n_refused > 0);
        free(it.bytes);
        stoa_buffer_clear(&it.ranges);
    }
}

TEST_MAIN(TEST(every_block_of_an_object_is_found), TEST(what_is_sound_is_deleted),
          TEST(the_root_group_may_touch_the_superblock),
          TEST(values_over_another_block_are_not_deleted),
          TEST(blocks_of_one_kind_are_not_given_back_twice))
