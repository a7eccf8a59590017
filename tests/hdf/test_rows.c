/* Members of rows, for src/hdf/rows.c: bytes are laid out by hand, and read by every way. */
#include "hdf/rows.h"

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
        CHECK_OK(stoa_row_member_pick(&member, &hold, &scratch, first, count, picked, &err), &err);
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
        stoa_shelf *shelf = NULL;
        stoa_rows *rows = NULL;
        CHECK_OK(stoa_shelf_open(&shelf, &err), &err);
        CHECK_OK(stoa_rows_open(make_table(names[how], how), shelf, &rows, &err), &err);
        CHECK_U64(stoa_rows_extent(rows), ROWS);
        CHECK_U64(stoa_rows_size(rows), SIZE);
        CHECK_U64(stoa_rows_chunk_rows(rows), how == CONTIGUOUS ? 0 : CHUNK);
        check_members(rows);
        stoa_rows_close(rows);
        stoa_shelf_close(shelf);
    }
}

static void a_member_keeps_its_rows_open(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_shelf *shelf = NULL;
    stoa_rows *rows = NULL;
    stoa_element element;
    stoa_row_member member;
    int16_t a[ROWS];

    CHECK_OK(stoa_shelf_open(&shelf, &err), &err);
    CHECK_OK(stoa_rows_open(make_table("kept.h5", CHUNKS), shelf, &rows, &err), &err);
    CHECK_OK(stoa_row_member_open(rows, 0, STOA_WHOLE_MEMBER, &element, &member, &err), &err);
    stoa_rows_close(rows);
    CHECK_OK(stoa_row_member_read(&member, 0, ROWS, a, &err), &err);
    CHECK_I64(a[0], 300);
    CHECK_I64(a[9], 291);
    stoa_row_member_close(&member);
    stoa_element_clear(&element);
    stoa_shelf_close(shelf);
}

static void items_that_a_member_has_not_are_refused(void)
{
    static const struct {
        unsigned index;
        size_t item;
    } asked[] = {{0, 0}, {1, 3}, {3, 1}};
    stoa_error err = STOA_ERROR_INIT;
    stoa_shelf *shelf = NULL;
    stoa_rows *rows = NULL;

    CHECK_OK(stoa_shelf_open(&shelf, &err), &err);
    CHECK_OK(stoa_rows_open(make_table("items.h5", CHUNKS), shelf, &rows, &err), &err);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        stoa_element element;
        stoa_row_member member;
        CHECK_STATUS(STOA_EINVAL, stoa_row_member_open(rows, asked[i].index, asked[i].item,
                                                       &element, &member, &err));
    }
    stoa_rows_close(rows);
    stoa_shelf_close(shelf);
}

static void what_is_no_table_is_refused(void)
{
    static const hsize_t extent[] = {2, 3};

    for (int rank = 1; rank <= 2; rank++) {
        stoa_error err = STOA_ERROR_INIT;
        stoa_shelf *shelf = NULL;
        stoa_rows *rows = NULL;
        const hid_t file =
            CHECK_H5(H5Fcreate(check_path("none.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        const hid_t type = rank == 1 ? CHECK_H5(H5Tcopy(H5T_STD_I32LE)) : make_type();
        const hid_t space = CHECK_H5(H5Screate_simple(rank, extent, NULL));
        const hid_t dataset =
            CHECK_H5(H5Dcreate2(file, "d", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Tclose(type));
        CHECK_OK(stoa_shelf_open(&shelf, &err), &err);
        CHECK_STATUS(STOA_ELAYOUT, stoa_rows_open(dataset, shelf, &rows, &err));
        CHECK(rows == NULL);
        stoa_shelf_close(shelf);
        CHECK_H5(H5Fclose(file));
    }
}

/* --- memory ---------------------------------------------------------------------------------- */

static hid_t swept;

static stoa_status read_an_item(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_shelf *shelf = NULL;
    stoa_rows *rows = NULL;
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    stoa_row_member member = STOA_ROW_MEMBER_INIT;
    int32_t items[ROWS];

    STOA_TRY(stoa_shelf_open(&shelf, err));
    (void)H5Iinc_ref(swept);
    STOA_TRY(stoa_rows_open(swept, shelf, &rows, err));
    STOA_TRY(stoa_row_member_open(rows, 1, 1, &element, &member, err));
    STOA_TRY(stoa_row_member_read(&member, 0, ROWS, items, err));
    status = items[9] == -9 ? STOA_OK : STOA_EDATA;

done:
    stoa_row_member_close(&member);
    stoa_element_clear(&element);
    stoa_rows_close(rows);
    stoa_shelf_close(shelf);
    return status;
}

static void memory_may_run_out(void)
{
    swept = make_table("swept.h5", PACKED);
    CHECK(sweep_memory_throughout(read_an_item) > 5);
    CHECK_H5(H5Dclose(swept));
}

TEST_MAIN(TEST(members_are_read_however_the_rows_lie), TEST(a_member_keeps_its_rows_open),
          TEST(items_that_a_member_has_not_are_refused), TEST(what_is_no_table_is_refused),
          TEST(memory_may_run_out))
