/* Members of rows, for src/hdf/read/compound_rows.c: bytes are laid out by hand, and read by every
 * way. */
#include "hdf/read/compound_rows.h"

#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/sweep.h"

/* A row: a (int16, big-endian), 1 byte of nothing, b (3 items of int32), t (H5T_TIME, big-endian),
 * s (5 characters). */
enum { ROWS = 10, CHUNK = 4, A = 0, B = 3, T = 15, S = 19, SIZE = 24 };

/* Row i: a = 300 - i, b = {i, -i, 1000 i}, t = 65536 + i, s = "r<i>". */
static void fill_rows(uint8_t *rows)
{
    memset(rows, 0xee, (size_t)ROWS * SIZE);
    for (int32_t i = 0; i < ROWS; i++) {
        uint8_t *const row = rows + (ptrdiff_t)i * SIZE;
        const int32_t a = 300 - i;
        const uint32_t b[] = {(uint32_t)i, (uint32_t)-i, (uint32_t)(1000 * i)};
        row[A] = (uint8_t)(a >> 8);
        row[A + 1] = (uint8_t)a;
        for (int k = 0; k < 12; k++) {
            row[B + k] = (uint8_t)(b[k / 4] >> 8 * (k % 4));
        }
        memcpy(row + T, (uint8_t[]){0, 1, 0, (uint8_t)i}, 4);
        memcpy(row + S, (char[]){'r', (char)('0' + i), 0, 0, 0}, 5);
    }
}

static hid_t make_type(void)
{
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, SIZE));
    const hid_t items = CHECK_H5(H5Tarray_create2(H5T_STD_I32LE, 1, &(hsize_t){3}));
    const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));

    CHECK_H5(H5Tset_size(text, 5));
    CHECK_H5(H5Tset_strpad(text, H5T_STR_NULLPAD));
    CHECK_H5(H5Tinsert(type, "a", A, H5T_STD_I16BE));
    CHECK_H5(H5Tinsert(type, "b", B, items));
    CHECK_H5(H5Tinsert(type, "t", T, H5T_UNIX_D32BE));
    CHECK_H5(H5Tinsert(type, "s", S, text));
    CHECK_H5(H5Tclose(text));
    CHECK_H5(H5Tclose(items));
    return type;
}

typedef enum way { CONTIGUOUS, CHUNKS, PACKED, N_WAYS } way;

/* The rows in a file of its own; `name` is the file's. */
static hid_t make_table(const char *name, way how)
{
    uint8_t rows[ROWS * SIZE];
    const hid_t file =
        CHECK_H5(H5Fcreate(check_path(name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t type = make_type();
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){ROWS}, NULL));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    fill_rows(rows);
    if (how != CONTIGUOUS) {
        CHECK_H5(H5Pset_chunk(dcpl, 1, &(hsize_t){CHUNK}));
    }
    if (how == PACKED) {
        CHECK_H5(H5Pset_shuffle(dcpl));
        CHECK_H5(H5Pset_deflate(dcpl, 6));
    }
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "t", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Fclose(file));
    const hid_t again = CHECK_H5(H5Fopen(check_path(name), H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t opened = CHECK_H5(H5Dopen2(again, "t", H5P_DEFAULT));
    CHECK_H5(H5Fclose(again)); /* the dataset keeps it */
    return opened;
}

/* Rows [first, first + count) of a member, by libhdf5 or past it and, where it may be, picked. */
static void read_member(stoa_rows *rows, unsigned index, size_t item, uint64_t first,
                        uint64_t count, void *out, size_t size)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_element element;
    stoa_row_member member;

    CHECK_OK(stoa_row_member_open(rows, index, item, &element, &member, &err), &err);
    CHECK_U64(element.size, size);
    CHECK_OK(stoa_row_member_read(&member, first, count, out, &err), &err);
    if (member.is_direct) {
        stoa_row_member_hold hold = {.chunk = NULL};
        stoa_scratch scratch = {0};
        uint8_t picked[256];
        CHECK_OK(stoa_row_member_read_direct(&member, &hold, &scratch, first, count, picked, &err),
                 &err);
        CHECK_MEM(picked, out, count * size);
        stoa_row_member_forget(&member, &hold);
        stoa_scratch_clear(&scratch);
    }
    stoa_row_member_close(&member);
    stoa_element_clear(&element);
}

/* Row 3 to 7, over the end of a chunk. */
static void check_members(stoa_rows *rows)
{
    int16_t a[5];
    int32_t b[5][3];
    int32_t item[5];
    int32_t t[5];
    char s[5][5];

    read_member(rows, 0, STOA_WHOLE_MEMBER, 3, 5, a, 2);
    read_member(rows, 1, STOA_WHOLE_MEMBER, 3, 5, b, 12);
    read_member(rows, 1, 2, 3, 5, item, 4);
    read_member(rows, 2, STOA_WHOLE_MEMBER, 3, 5, t, 4);
    read_member(rows, 3, STOA_WHOLE_MEMBER, 3, 5, s, 5);
    for (int i = 0; i < 5; i++) {
        CHECK_I64(a[i], 297 - i);
        CHECK_I64(b[i][0], 3 + i);
        CHECK_I64(b[i][1], -3 - i);
        CHECK_I64(b[i][2], 1000 * (3 + i));
        CHECK_I64(item[i], 1000 * (3 + i));
        CHECK_I64(t[i], 65536 + 3 + i);
        CHECK_MEM(s[i], ((char[]){'r', (char)('3' + i), 0, 0, 0}), 5);
    }
}

static void members_are_read_however_the_rows_lie(void)
{
    static const char *const names[] = {"contiguous.h5", "chunks.h5", "packed.h5"};

    for (way how = CONTIGUOUS; how < N_WAYS; how++) {
        stoa_error err = STOA_ERROR_INIT;
        stoa_read_context *read_context = NULL;
        stoa_rows *rows = NULL;
        CHECK_OK(stoa_read_context_open(&read_context, &err), &err);
        CHECK_OK(stoa_rows_open(make_table(names[how], how), read_context, &rows, &err), &err);
        CHECK_U64(stoa_rows_extent(rows), ROWS);
        CHECK_U64(stoa_rows_size(rows), SIZE);
        CHECK_U64(stoa_rows_chunk_rows(rows), how == CONTIGUOUS ? 0 : CHUNK);
        check_members(rows);
        stoa_rows_close(rows);
        stoa_read_context_close(read_context);
    }
}

/* Of rows 4 to 7, which are a chunk, those whose bit is set; bits past the last row are ignored. */
static void rows_of_a_chunk_are_chosen_by_bits(void)
{
    static const char *const names[] = {NULL, "chosen-chunks.h5", "chosen-packed.h5"};

    for (way how = CHUNKS; how < N_WAYS; how++) {
        stoa_error err = STOA_ERROR_INIT;
        stoa_read_context *read_context = NULL;
        stoa_rows *rows = NULL;
        stoa_element element;
        stoa_row_member member;
        stoa_row_member_hold hold = {.chunk = NULL};
        stoa_scratch scratch = {0};
        const uint8_t bits = 0xfa; /* 1, 3 and five that are none of these rows */
        int16_t a[3] = {0, 0, 77};
        CHECK_OK(stoa_read_context_open(&read_context, &err), &err);
        CHECK_OK(stoa_rows_open(make_table(names[how], how), read_context, &rows, &err), &err);
        CHECK_OK(stoa_row_member_open(rows, 0, STOA_WHOLE_MEMBER, &element, &member, &err), &err);
        CHECK_OK(stoa_row_member_choose_direct(&member, &hold, &scratch, 4, 4, &bits, a, &err),
                 &err);
        CHECK_I64(a[0], 295);
        CHECK_I64(a[1], 293);
        CHECK_I64(a[2], 77);
        stoa_row_member_forget(&member, &hold);
        stoa_scratch_clear(&scratch);
        stoa_row_member_close(&member);
        stoa_element_clear(&element);
        stoa_rows_close(rows);
        stoa_read_context_close(read_context);
    }
}

/* What is driven out while somebody holds it goes with its last holder: the sanitizer counts. */
static void a_chunk_that_a_member_forgets_may_go(void)
{
    enum { LARGE = 1 << 20 };
    stoa_error err = STOA_ERROR_INIT;
    stoa_read_context *read_context = NULL;
    stoa_rows *rows = NULL;
    stoa_element element;
    stoa_row_member member;
    stoa_row_member_hold hold = {.chunk = NULL};
    stoa_scratch scratch = {0};
    uint8_t *large = calloc(1, LARGE);
    int16_t a[2];

    CHECK(large != NULL);
    CHECK_OK(stoa_read_context_open(&read_context, &err), &err);
    CHECK_OK(stoa_rows_open(make_table("held.h5", PACKED), read_context, &rows, &err), &err);
    CHECK_OK(stoa_row_member_open(rows, 0, STOA_WHOLE_MEMBER, &element, &member, &err), &err);
    for (int i = 0; i < 2; i++) { /* what is asked for twice is kept */
        stoa_row_member_forget(&member, &hold);
        CHECK_OK(stoa_row_member_read_direct(&member, &hold, &scratch, 1, 2, a, &err), &err);
        CHECK_I64(a[1], 298);
    }
    CHECK(hold.held != NULL);
    stoa_row_member_forget(&member, &hold);
    CHECK(hold.held == NULL && hold.chunk == NULL);
    stoa_chunk_cache *const cache = stoa_read_context_cache(read_context);
    CHECK_U64(stoa_chunk_cache_bytes(cache), CHUNK * SIZE);
    for (uint64_t i = 0; i < 64; i++) {
        stoa_chunk_cache_put(cache, (stoa_chunk_key){UINT64_MAX, i}, large, LARGE);
    }
    CHECK_U64(stoa_chunk_cache_bytes(cache), 64 * LARGE); /* it is out */
    free(large);
    stoa_row_member_close(&member);
    stoa_element_clear(&element);
    stoa_scratch_clear(&scratch);
    stoa_rows_close(rows);
    stoa_read_context_close(read_context);
}

static void a_member_keeps_its_rows_open(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_read_context *read_context = NULL;
    stoa_rows *rows = NULL;
    stoa_element element;
    stoa_row_member member;
    int16_t a[ROWS];

    CHECK_OK(stoa_read_context_open(&read_context, &err), &err);
    CHECK_OK(stoa_rows_open(make_table("kept.h5", CHUNKS), read_context, &rows, &err), &err);
    CHECK_OK(stoa_row_member_open(rows, 0, STOA_WHOLE_MEMBER, &element, &member, &err), &err);
    stoa_rows_close(rows);
    CHECK_OK(stoa_row_member_read(&member, 0, ROWS, a, &err), &err);
    CHECK_I64(a[0], 300);
    CHECK_I64(a[9], 291);
    stoa_row_member_close(&member);
    stoa_element_clear(&element);
    stoa_read_context_close(read_context);
}

static void items_that_a_member_has_not_are_refused(void)
{
    static const struct {
        unsigned index;
        size_t item;
    } asked[] = {{0, 0}, {1, 3}, {3, 1}};
    stoa_error err = STOA_ERROR_INIT;
    stoa_read_context *read_context = NULL;
    stoa_rows *rows = NULL;

    CHECK_OK(stoa_read_context_open(&read_context, &err), &err);
    CHECK_OK(stoa_rows_open(make_table("items.h5", CHUNKS), read_context, &rows, &err), &err);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        stoa_element element;
        stoa_row_member member;
        CHECK_STATUS(STOA_EINVAL, stoa_row_member_open(rows, asked[i].index, asked[i].item,
                                                       &element, &member, &err));
    }
    stoa_rows_close(rows);
    stoa_read_context_close(read_context);
}

static void what_is_no_table_is_refused(void)
{
    static const hsize_t extent[] = {2, 3};

    for (int rank = 1; rank <= 2; rank++) {
        stoa_error err = STOA_ERROR_INIT;
        stoa_read_context *read_context = NULL;
        stoa_rows *rows = NULL;
        const hid_t file =
            CHECK_H5(H5Fcreate(check_path("none.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        const hid_t type = rank == 1 ? CHECK_H5(H5Tcopy(H5T_STD_I32LE)) : make_type();
        const hid_t space = CHECK_H5(H5Screate_simple(rank, extent, NULL));
        const hid_t dataset =
            CHECK_H5(H5Dcreate2(file, "d", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Tclose(type));
        CHECK_OK(stoa_read_context_open(&read_context, &err), &err);
        CHECK_STATUS(STOA_ELAYOUT, stoa_rows_open(dataset, read_context, &rows, &err));
        CHECK(rows == NULL);
        stoa_read_context_close(read_context);
        CHECK_H5(H5Fclose(file));
    }
}

/* --- other members, by every way -------------------------------------------------------------- */

enum { MANY = 300, BYTES = 16, LONG = 1 << 16 };

/* A row: one byte, eight bytes, 16 of text, integers of 17 bits, and an array of
 * `wide` items. */
static hid_t make_wide_type(hsize_t wide)
{
    const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t narrow = CHECK_H5(H5Tcopy(H5T_STD_I32LE));
    const hid_t items = CHECK_H5(H5Tarray_create2(H5T_STD_I16LE, 1, &wide));
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, 1 + 8 + BYTES + 4 + 2 * (size_t)wide));

    CHECK_H5(H5Tset_size(text, BYTES));
    CHECK_H5(H5Tset_strpad(text, H5T_STR_NULLPAD));
    CHECK_H5(H5Tset_precision(narrow, 17));
    CHECK_H5(H5Tinsert(type, "byte", 0, H5T_STD_I8LE));
    CHECK_H5(H5Tinsert(type, "eight", 1, H5T_STD_I64BE));
    CHECK_H5(H5Tinsert(type, "text", 9, text));
    CHECK_H5(H5Tinsert(type, "narrow", 9 + BYTES, narrow));
    CHECK_H5(H5Tinsert(type, "items", 9 + BYTES + 4, items));
    CHECK_H5(H5Tclose(items));
    CHECK_H5(H5Tclose(narrow));
    CHECK_H5(H5Tclose(text));
    return type;
}

static int64_t eight_of(uint64_t i)
{
    return (int64_t)(i * UINT64_C(0x0102030405060708)) - 77;
}

static hid_t make_wide(const char *name, hsize_t wide, uint64_t n, unsigned flags, bool is_chunked)
{
    const hid_t file =
        CHECK_H5(H5Fcreate(check_path(name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t type = make_wide_type(wide);
    const size_t size = H5Tget_size(type);
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){n}, NULL));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    uint8_t *rows = calloc((size_t)n, size);

    CHECK(rows != NULL);
    for (uint64_t i = 0; i < n; i++) {
        uint8_t *const row = rows + i * size;
        row[0] = (uint8_t)i;
        for (unsigned k = 0; k < 8; k++) {
            row[1 + k] = (uint8_t)((uint64_t)eight_of(i) >> (56 - 8 * k));
        }
        memset(row + 9, 'a' + (int)(i % 26), BYTES);
        const int32_t narrow = (int32_t)i - 100; /* of 17 bits, the others of nothing */
        for (unsigned k = 0; k < 4; k++) {
            row[9 + BYTES + k] = (uint8_t)(((uint32_t)narrow & 0x1ffff) >> (8 * k));
        }
        for (hsize_t k = 0; k < wide; k++) {
            const int16_t item = (int16_t)(i * 3 + k);
            memcpy(row + 13 + BYTES + 2 * k, &item, 2);
        }
    }
    CHECK_H5(is_chunked ? H5Pset_chunk(dcpl, 1, &(hsize_t){n / 4 + 1}) : 0);
    hid_t dataset = CHECK_H5(H5Dcreate2(file, "t", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Fclose(file));
    free(rows);
    const hid_t again = CHECK_H5(H5Fopen(check_path(name), flags, H5P_DEFAULT));
    dataset = CHECK_H5(H5Dopen2(again, "t", H5P_DEFAULT));
    CHECK_H5(H5Fclose(again));
    return dataset;
}

static void *read_all(stoa_rows *rows, unsigned index, size_t item, uint64_t first, uint64_t n,
                      size_t size, bool is_flat)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_element element;
    stoa_row_member member;
    uint8_t *out = malloc((size_t)n * size + 1);

    CHECK(out != NULL);
    out[n * size] = 0x55;
    CHECK_OK(stoa_row_member_open(rows, index, item, &element, &member, &err), &err);
    CHECK_U64(element.size, size);
    CHECK(member.is_flat == is_flat);
    CHECK_OK(stoa_row_member_read(&member, first, n, out, &err), &err);
    CHECK_U64(out[n * size], 0x55);
    stoa_row_member_close(&member);
    stoa_element_clear(&element);
    return out;
}

static void members_of_every_size_are_read_past_libhdf5_and_by_it(void)
{
    for (int i = 0; i < 4; i++) {
        stoa_error err = STOA_ERROR_INIT;
        stoa_read_context *read_context = NULL;
        stoa_rows *rows = NULL;
        const bool is_direct = i % 2 == 0;
        CHECK_OK(stoa_read_context_open(&read_context, &err), &err);
        CHECK_OK(stoa_rows_open(make_wide("wide.h5", 3, MANY,
                                          is_direct ? H5F_ACC_RDONLY : H5F_ACC_RDWR, i >= 2),
                                read_context, &rows, &err),
                 &err);
        CHECK(H5Tget_class(stoa_rows_type(rows)) == H5T_COMPOUND);
        CHECK(H5Iget_type(stoa_rows_dataset(rows)) == H5I_DATASET);
        for (uint64_t first = 0; first < MANY; first += 149) {
            const uint64_t n = MANY - first < 151 ? MANY - first : 151;
            int8_t *bytes = read_all(rows, 0, STOA_WHOLE_MEMBER, first, n, 1, true);
            int64_t *eights = read_all(rows, 1, STOA_WHOLE_MEMBER, first, n, 8, true);
            char *texts = read_all(rows, 2, STOA_WHOLE_MEMBER, first, n, BYTES, true);
            int32_t *narrow = read_all(rows, 3, STOA_WHOLE_MEMBER, first, n, 4, false);
            int16_t *item = read_all(rows, 4, 1, first, n, 2, true);
            for (uint64_t k = 0; k < n; k++) {
                CHECK_I64(bytes[k], (int8_t)(first + k));
                CHECK_I64(eights[k], eight_of(first + k));
                CHECK_I64(texts[k * BYTES], 'a' + (int64_t)((first + k) % 26));
                CHECK_I64(texts[k * BYTES + BYTES - 1], 'a' + (int64_t)((first + k) % 26));
                CHECK_I64(narrow[k], (int64_t)(first + k) - 100);
                CHECK_I64(item[k], (int64_t)(first + k) * 3 + 1);
            }
            free(item);
            free(narrow);
            free(texts);
            free(eights);
            free(bytes);
        }
        stoa_rows_close(rows);
        stoa_read_context_close(read_context);
    }
}

/* Of arrays that are read whole for an item, no more than fit into a block are read at a time. */
static void an_item_of_long_arrays_is_read_block_by_block(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_read_context *read_context = NULL;
    stoa_rows *rows = NULL;

    CHECK_OK(stoa_read_context_open(&read_context, &err), &err);
    CHECK_OK(stoa_rows_open(make_wide("long.h5", LONG / 4, 350, H5F_ACC_RDWR, true), read_context,
                            &rows, &err),
             &err); /* 128 arrays of 32 KiB are 4 MiB */
    int16_t *item = read_all(rows, 4, LONG / 4 - 1, 7, 340, 2, true);
    for (uint64_t k = 0; k < 340; k++) {
        CHECK_I64(item[k], (int16_t)((7 + k) * 3 + LONG / 4 - 1));
    }
    free(item);
    stoa_rows_close(rows);
    stoa_read_context_close(read_context);
}

/* Times of the other byte order are turned after libhdf5 has read them, too. */
static void times_are_turned_by_whatever_way(void)
{
    for (way how = CONTIGUOUS; how < N_WAYS; how++) {
        stoa_error err = STOA_ERROR_INIT;
        stoa_read_context *read_context = NULL;
        stoa_rows *rows = NULL;
        CHECK_H5(H5Dclose(make_table("times.h5", how)));
        const hid_t file = CHECK_H5(H5Fopen(check_path("times.h5"), H5F_ACC_RDWR, H5P_DEFAULT));
        CHECK_OK(stoa_read_context_open(&read_context, &err), &err);
        CHECK_OK(
            stoa_rows_open(CHECK_H5(H5Dopen2(file, "t", H5P_DEFAULT)), read_context, &rows, &err),
            &err);
        check_members(rows);
        stoa_rows_close(rows);
        stoa_rows_close(NULL);
        stoa_read_context_close(read_context);
        CHECK_H5(H5Fclose(file));
    }
}

/* --- memory ---------------------------------------------------------------------------------- */

static hid_t swept;

static stoa_status read_an_item(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_read_context *read_context = NULL;
    stoa_rows *rows = NULL;
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    stoa_row_member member = STOA_ROW_MEMBER_INIT;
    int32_t items[ROWS];

    STOA_TRY(stoa_read_context_open(&read_context, err));
    (void)H5Iinc_ref(swept);
    STOA_TRY(stoa_rows_open(swept, read_context, &rows, err));
    STOA_TRY(stoa_row_member_open(rows, 1, 1, &element, &member, err));
    STOA_TRY(stoa_row_member_read(&member, 0, ROWS, items, err));
    status = items[9] == -9 ? STOA_OK : STOA_EDATA;

done:
    stoa_row_member_close(&member);
    stoa_element_clear(&element);
    stoa_rows_close(rows);
    stoa_read_context_close(read_context);
    return status;
}

static stoa_status read_converted(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_read_context *read_context = NULL;
    stoa_rows *rows = NULL;
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    stoa_row_member member = STOA_ROW_MEMBER_INIT;
    int32_t narrow[MANY];

    STOA_TRY(stoa_read_context_open(&read_context, err));
    (void)H5Iinc_ref(swept);
    STOA_TRY(stoa_rows_open(swept, read_context, &rows, err));
    STOA_TRY(stoa_row_member_open(rows, 3, STOA_WHOLE_MEMBER, &element, &member, err));
    STOA_TRY(stoa_row_member_read(&member, 0, MANY, narrow, err));
    status = narrow[9] == -91 ? STOA_OK : STOA_EDATA;

done:
    stoa_row_member_close(&member);
    stoa_element_clear(&element);
    stoa_rows_close(rows);
    stoa_read_context_close(read_context);
    return status;
}

static void memory_may_run_out(void)
{
    for (int is_direct = 0; is_direct < 2; is_direct++) {
        swept = make_wide("wide.h5", 3, MANY, is_direct ? H5F_ACC_RDONLY : H5F_ACC_RDWR, true);
        CHECK(sweep_memory_throughout(read_converted) > 5);
        CHECK_H5(H5Dclose(swept));
    }
    swept = make_table("swept.h5", PACKED);
    CHECK(sweep_memory_throughout(read_an_item) > 5);
    CHECK_H5(H5Dclose(swept));
}

TEST_MAIN(TEST(members_of_every_size_are_read_past_libhdf5_and_by_it),
          TEST(an_item_of_long_arrays_is_read_block_by_block),
          TEST(times_are_turned_by_whatever_way), TEST(members_are_read_however_the_rows_lie),
          TEST(rows_of_a_chunk_are_chosen_by_bits), TEST(a_chunk_that_a_member_forgets_may_go),
          TEST(a_member_keeps_its_rows_open), TEST(items_that_a_member_has_not_are_refused),
          TEST(what_is_no_table_is_refused), TEST(memory_may_run_out))
