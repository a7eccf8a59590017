/*
 * Elements of variable length in sections 1 and 2, byte for byte (docs/sparse-format.md §3), for
 * src/sparse/format/vlen*.c.
 */
#include "sparse/format/vlen.h"

#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/sweep.h"

static const stoa_vlen_memory own = {.allocate = NULL};

/* --- types ----------------------------------------------------------------------------------- */

static hid_t text_type(void)
{
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));

    CHECK_H5(H5Tset_size(type, H5T_VARIABLE));
    return type;
}

typedef struct entry {
    short key;
    char *name;
    hvl_t rows; /* of hvl_t of 16-bit numbers */
    char *pair[2];
} entry;

/* A compound of everything: a number, a string, a sequence of sequences, an array of strings. */
static hid_t entry_type(void)
{
    const hid_t text = text_type();
    const hid_t row = CHECK_H5(H5Tvlen_create(H5T_STD_U16LE));
    const hid_t rows = CHECK_H5(H5Tvlen_create(row));
    const hid_t pair = CHECK_H5(H5Tarray_create2(text, 1, (hsize_t[]){2}));
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, sizeof(entry)));

    CHECK_H5(H5Tinsert(type, "key", HOFFSET(entry, key), H5T_STD_I16LE));
    /* Not in the order of their offsets. */
    CHECK_H5(H5Tinsert(type, "pair", HOFFSET(entry, pair), pair));
    CHECK_H5(H5Tinsert(type, "rows", HOFFSET(entry, rows), rows));
    CHECK_H5(H5Tinsert(type, "name", HOFFSET(entry, name), text));
    CHECK_H5(H5Tclose(pair));
    CHECK_H5(H5Tclose(rows));
    CHECK_H5(H5Tclose(row));
    CHECK_H5(H5Tclose(text));
    return type;
}

static stoa_vlen_layout *layout_and_close(hid_t type)
{
    stoa_vlen_layout *layout = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_vlen_layout_of(type, H5I_INVALID_HID, &layout, &err), &err);
    CHECK_H5(H5Tclose(type));
    return layout;
}

/* --- bytes ----------------------------------------------------------------------------------- */

static void strings_are_their_characters_and_a_length_of_one_more(void)
{
    static const uint8_t values[] = {4, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0};
    stoa_vlen_layout *layout = layout_and_close(text_type());
    const char *texts[4] = {"abc", NULL, "", "\xc3\xa9"};
    char *found[4];
    uint8_t packed[16];
    uint64_t lengths[4];
    stoa_buffer heap = {NULL, 0, 0};

    CHECK_U64(layout->packed_size, 4);
    CHECK_OK(stoa_vlen_pack(layout, 4, (const uint8_t *)texts, packed, lengths, &heap, NULL));
    CHECK_MEM(packed, values, sizeof values);
    CHECK_U64(heap.size, 5);
    CHECK_MEM(heap.data, "abc\xc3\xa9", 5);
    CHECK_U64(lengths[0], 3);
    CHECK_U64(lengths[1] + lengths[2], 0);
    CHECK_OK(
        stoa_vlen_unpack(layout, &own, 4, packed, heap.data, heap.size, (uint8_t *)found, NULL));
    CHECK_STR(found[0], "abc");
    CHECK(found[1] == NULL);
    CHECK_STR(found[2], "");
    CHECK_STR(found[3], "\xc3\xa9");
    stoa_vlen_release(layout, &own, 4, (const uint8_t *)found, NULL);
    stoa_buffer_clear(&heap);
    stoa_vlen_layout_free(layout);
}

static char name[] = "xy";
static char second[] = "z";
static uint16_t numbers[] = {1, 2, 0x1234};
static hvl_t rows[3];

static entry make_entry(void)
{
    rows[0] = (hvl_t){.len = 2, .p = numbers};
    rows[1] = (hvl_t){.len = 0, .p = NULL};
    rows[2] = (hvl_t){.len = 1, .p = numbers + 2};
    return (entry){
        .key = 0x0102, .name = name, .rows = {.len = 3, .p = rows}, .pair = {NULL, second}};
}

/* The name; the rows, each a length followed by its numbers; the second of the pair. */
static const uint8_t entry_heap[] = {'x',  'y',         /* name */
                                     2,    0,    0,  0, /* a row of two */
                                     1,    0,    2,  0, /* 1, 2 */
                                     0,    0,    0,  0, /* a row of none */
                                     1,    0,    0,  0, /* a row of one */
                                     0x34, 0x12, 'z'};

static void what_nests_stands_where_it_is_referred_to(void)
{
    stoa_vlen_layout *layout = layout_and_close(entry_type());
    entry given;
    entry found;
    uint8_t packed[64];
    uint64_t length = 0;
    size_t n_measured = 0;
    stoa_buffer heap = {NULL, 0, 0};
    /* key, 6 bytes of padding, 4 lengths: of the name, the rows, the pair. */
    const uint8_t lengths[] = {3, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0};

    memset(&given, 0, sizeof given);
    given = make_entry();
    CHECK_U64(layout->size, sizeof(entry));
    CHECK_U64(layout->n_slots, 4);
    CHECK_U64(layout->packed_size, 8 + 4 * 4);
    CHECK_OK(stoa_vlen_pack(layout, 1, (const uint8_t *)&given, packed, &length, &heap, NULL));
    CHECK_U64(packed[0], 2);
    CHECK_U64(packed[1], 1);
    CHECK_MEM(packed + 8, lengths, sizeof lengths);
    CHECK_U64(heap.size, sizeof entry_heap);
    CHECK_MEM(heap.data, entry_heap, sizeof entry_heap);
    CHECK_U64(length, sizeof entry_heap);
    CHECK_OK(stoa_vlen_measure(layout, packed, heap.data, heap.size, &n_measured, NULL));
    CHECK_U64(n_measured, sizeof entry_heap);
    CHECK_OK(
        stoa_vlen_unpack(layout, &own, 1, packed, heap.data, heap.size, (uint8_t *)&found, NULL));
    CHECK_I64(found.key, 0x0102);
    CHECK_STR(found.name, "xy");
    CHECK_U64(found.rows.len, 3);
    const hvl_t *inner = found.rows.p;
    CHECK_U64(inner[0].len, 2);
    CHECK_MEM(inner[0].p, numbers, 4);
    CHECK(inner[1].len == 0 && inner[1].p == NULL);
    CHECK_U64(*(const uint16_t *)inner[2].p, 0x1234);
    CHECK(found.pair[0] == NULL);
    CHECK_STR(found.pair[1], "z");
    stoa_vlen_release(layout, &own, 1, (const uint8_t *)&found, NULL);
    stoa_buffer_clear(&heap);
    stoa_vlen_layout_free(layout);
}

static void the_file_has_sixteen_bytes_where_memory_has_pointers(void)
{
    stoa_vlen_layout *layout = layout_and_close(entry_type());
    uint32_t offsets[4];
    stoa_sparse_format format = {.has_heap = true, .n_slots = 4, .slot_size = 16};

    CHECK_U64(stoa_vlen_file_size(layout, 16, offsets), 8 + 4 * 16);
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_U64(offsets[i], 8 + 16 * i);
        format.slots[i] = 8 + 16 * i;
    }
    format.element_size = 72;
    CHECK(stoa_vlen_fits(layout, &format));
    format.slots[3] = 55;
    CHECK(!stoa_vlen_fits(layout, &format));
    format.slots[3] = 56;
    format.element_size = 73;
    CHECK(!stoa_vlen_fits(layout, &format));
    stoa_vlen_layout_free(layout);
}

/* --- damage ---------------------------------------------------------------------------------- */

/* Both ways to read must say so, and nothing may be held afterwards. */
static void must_be_damage(const stoa_vlen_layout *layout, const uint8_t *packed,
                           const uint8_t *heap, size_t n_heap)
{
    size_t n = 0;
    entry found;
    stoa_error err = STOA_ERROR_INIT;
    /* Of its own size, so that a byte too far is noticed. */
    uint8_t *copy = malloc(n_heap + (n_heap == 0));

    memcpy(copy, heap, n_heap);
    CHECK_STATUS(STOA_EDATA, stoa_vlen_measure(layout, packed, copy, n_heap, &n, &err));
    CHECK_CONTAINS(err.message, "section 2 is too short");
    CHECK_STATUS(STOA_EDATA,
                 stoa_vlen_unpack(layout, &own, 1, packed, copy, n_heap, (uint8_t *)&found, &err));
    stoa_vlen_release(layout, &own, 1, (const uint8_t *)&found, NULL);
    free(copy);
}

static void lengths_that_leave_the_heap_are_damage(void)
{
    static const uint8_t huge[] = {0xff, 0xff, 0xff, 0xff};
    stoa_vlen_layout *layout = layout_and_close(entry_type());
    const entry given = make_entry();
    uint8_t packed[64];
    uint8_t heap[sizeof entry_heap];
    uint64_t length = 0;
    stoa_buffer made = {NULL, 0, 0};

    CHECK_OK(stoa_vlen_pack(layout, 1, (const uint8_t *)&given, packed, &length, &made, NULL));
    for (size_t n = 0; n < sizeof entry_heap; n++) {
        must_be_damage(layout, packed, entry_heap, n);
    }
    for (size_t slot = 0; slot < 4; slot++) { /* of section 1 */
        uint8_t saved[4];
        memcpy(saved, packed + 8 + 4 * slot, 4);
        memcpy(packed + 8 + 4 * slot, huge, 4);
        must_be_damage(layout, packed, entry_heap, sizeof entry_heap);
        memcpy(packed + 8 + 4 * slot, saved, 4);
    }
    for (size_t at = 2; at <= 14; at += at == 2 ? 8 : 4) { /* of section 2 */
        memcpy(heap, entry_heap, sizeof heap);
        memcpy(heap + at, huge, 4);
        must_be_damage(layout, packed, heap, sizeof heap);
    }
    stoa_buffer_clear(&made);
    stoa_vlen_layout_free(layout);
}

/* --- what types there are -------------------------------------------------------------------- */

static void types_nested_too_deep_or_with_too_many_slots_are_refused(void)
{
    stoa_vlen_layout *layout = NULL;
    stoa_error err = STOA_ERROR_INIT;
    hid_t type = CHECK_H5(H5Tcopy(H5T_STD_I8LE));

    for (int i = 0; i < 20; i++) {
        const hid_t outer = CHECK_H5(H5Tvlen_create(type));
        CHECK_H5(H5Tclose(type));
        type = outer;
    }
    CHECK_STATUS(STOA_ETYPE, stoa_vlen_layout_of(type, H5I_INVALID_HID, &layout, &err));
    CHECK(layout == NULL);
    CHECK_H5(H5Tclose(type));
    const hid_t text = text_type();
    for (hsize_t n = 64; n <= 65; n++) {
        type = CHECK_H5(H5Tarray_create2(text, 1, &n));
        CHECK_STATUS(n == 64 ? STOA_OK : STOA_ETYPE,
                     stoa_vlen_layout_of(type, H5I_INVALID_HID, &layout, &err));
        stoa_vlen_layout_free(layout);
        CHECK_H5(H5Tclose(type));
    }
    type = CHECK_H5(H5Tvlen_create(H5T_STD_REF_OBJ));
    CHECK_STATUS(STOA_ETYPE, stoa_vlen_layout_of(type, H5I_INVALID_HID, &layout, &err));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Tclose(text));
}

static void members_that_another_type_lacks_do_not_count(void)
{
    const hid_t all = entry_type();
    const hid_t text = text_type();
    const hid_t some = CHECK_H5(H5Tcreate(H5T_COMPOUND, sizeof(char *)));
    stoa_vlen_layout *layout = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_H5(H5Tinsert(some, "name", 0, text));
    CHECK_OK(stoa_vlen_layout_of(all, some, &layout, &err), &err);
    CHECK_U64(layout->n_slots, 1);
    CHECK_U64(layout->slots[0].offset, HOFFSET(entry, name));
    stoa_vlen_layout_free(layout);
    CHECK_H5(H5Tclose(some));
    CHECK_H5(H5Tclose(text));
    CHECK_H5(H5Tclose(all));
}

/* --- memory ---------------------------------------------------------------------------------- */

static void what_is_kept_stays_with_all_it_leads_to(void)
{
    stoa_vlen_layout *layout = layout_and_close(entry_type());
    const entry given = make_entry();
    uint8_t packed[64];
    uint64_t length = 0;
    stoa_buffer heap = {NULL, 0, 0};
    stoa_buffer kept = {NULL, 0, 0};
    entry found;
    entry other;

    CHECK_OK(stoa_vlen_pack(layout, 1, (const uint8_t *)&given, packed, &length, &heap, NULL));
    CHECK_OK(
        stoa_vlen_unpack(layout, &own, 1, packed, heap.data, heap.size, (uint8_t *)&found, NULL));
    other = (entry){.rows = found.rows};
    CHECK_OK(stoa_vlen_collect(layout, 1, (const uint8_t *)&other, &kept, NULL));
    CHECK_U64(kept.size / sizeof(void *), 3); /* the rows, and two that have numbers */
    stoa_vlen_release(layout, &own, 1, (const uint8_t *)&found, &kept);
    CHECK_U64(((const hvl_t *)other.rows.p)[0].len, 2);
    CHECK_MEM(((const hvl_t *)other.rows.p)[0].p, numbers, 4);
    stoa_vlen_release(layout, &own, 1, (const uint8_t *)&other, NULL);
    stoa_buffer_clear(&kept);
    stoa_buffer_clear(&heap);
    stoa_vlen_layout_free(layout);
}

static const stoa_vlen_layout *swept;

static stoa_status pack_and_unpack(stoa_error *err)
{
    const entry given = make_entry();
    uint8_t packed[64];
    uint64_t length = 0;
    stoa_buffer heap = {NULL, 0, 0};
    entry found;
    stoa_status status = STOA_OK;

    memset(&found, 0, sizeof found);
    STOA_TRY(stoa_vlen_pack(swept, 1, (const uint8_t *)&given, packed, &length, &heap, err));
    STOA_TRY(
        stoa_vlen_unpack(swept, &own, 1, packed, heap.data, heap.size, (uint8_t *)&found, err));

done:
    stoa_vlen_release(swept, &own, 1, (const uint8_t *)&found, NULL);
    stoa_buffer_clear(&heap);
    return status;
}

static hid_t swept_type;

static stoa_status make_layout(stoa_error *err)
{
    stoa_vlen_layout *layout = NULL;
    const stoa_status status = stoa_vlen_layout_of(swept_type, H5I_INVALID_HID, &layout, err);

    stoa_vlen_layout_free(layout);
    return status;
}

static void memory_that_runs_out_is_a_failure(void)
{
    stoa_vlen_layout *layout = layout_and_close(entry_type());

    swept = layout;
    CHECK(sweep_memory(pack_and_unpack) > 5);
    stoa_vlen_layout_free(layout);
    swept_type = entry_type();
    CHECK(sweep_memory(make_layout) >= 3);
    CHECK_H5(H5Tclose(swept_type));
}

TEST_MAIN(TEST(strings_are_their_characters_and_a_length_of_one_more),
          TEST(what_nests_stands_where_it_is_referred_to),
          TEST(the_file_has_sixteen_bytes_where_memory_has_pointers),
          TEST(lengths_that_leave_the_heap_are_damage),
          TEST(types_nested_too_deep_or_with_too_many_slots_are_refused),
          TEST(members_that_another_type_lacks_do_not_count),
          TEST(what_is_kept_stays_with_all_it_leads_to), TEST(memory_that_runs_out_is_a_failure))
