/* Free space of fractal heaps, as libhdf5 lists it and as it cannot be:
 * src/hdf/format/heap_space.c. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf/block_file.h"

enum { N_GROUPS = 8, MAX_HEAPS = 64, HEAD = 146, MAX_LINKS = 2500 };

/* --- a file of libhdf5's --------------------------------------------------------------------- */

static uint8_t *file;
static size_t size;

static void add_links(hid_t group, unsigned n, unsigned longest)
{
    char name[512];
    char target[512];

    memset(target, 'x', sizeof target);
    for (unsigned i = 0; i < n; i++) {
        const uint64_t length = 1 + check_random_below(longest);
        target[length] = '\0';
        (void)snprintf(name, sizeof name, "%u-%u", n, i);
        CHECK_H5(H5Lcreate_soft(target, group, name, H5P_DEFAULT, H5P_DEFAULT));
        target[length] = 'x';
    }
}

static void drop_links(hid_t group, unsigned n, unsigned percent)
{
    char name[64];

    for (unsigned i = 0; i < n; i++) {
        if (check_random_below(100) < percent) {
            (void)snprintf(name, sizeof name, "%u-%u", n, i);
            CHECK_H5(H5Ldelete(group, name, H5P_DEFAULT));
        }
    }
}

/* Groups of few and many links, of which some are gone. */
static void make_file(void)
{
    const char *const path = check_path("a.h5");
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    CHECK_H5(H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_LATEST));
    const hid_t h5 = CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));

    for (unsigned i = 0; i < N_GROUPS; i++) {
        char name[16];
        const unsigned n = (unsigned)(20 + check_random_below(MAX_LINKS >> check_random_below(8)));
        (void)snprintf(name, sizeof name, "%u", i);
        const hid_t group = CHECK_H5(H5Gcreate2(h5, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        add_links(group, n, (unsigned)(1 + check_random_below(400)));
        drop_links(group, n, (unsigned)check_random_below(100));
        CHECK_H5(H5Gclose(group));
    }
    CHECK_H5(H5Fclose(h5));
    CHECK_H5(H5Pclose(fapl));
    FILE *const stream = fopen(path, "rb");
    CHECK(stream != NULL && fseek(stream, 0, SEEK_END) == 0);
    size = (size_t)ftell(stream);
    file = realloc(file, size);
    CHECK(file != NULL && fseek(stream, 0, SEEK_SET) == 0 && fread(file, 1, size, stream) == size);
    CHECK(fclose(stream) == 0);
}

static uint64_t number(size_t at, size_t n)
{
    return stoa_little_endian(file + at, n);
}

/* Where heaps with free space begin. */
static size_t find_heaps(size_t heaps[MAX_HEAPS])
{
    size_t n = 0;

    for (size_t at = 0; at + HEAD <= size && n < MAX_HEAPS; at++) {
        if (memcmp(file + at, "FRHP", 5) == 0) {
            const uint64_t manager = number(at + 38, 8);
            if (manager < size && memcmp(file + manager, "FSHD", 5) == 0) {
                heaps[n++] = at;
            }
        }
    }
    return n;
}

static bool is_sound_in(bool is_edit, size_t heap)
{
    stoa_journal *journal = NULL;
    const int fd = block_file(file, size);

    CHECK_OK(is_edit ? stoa_journal_begin(fd, size, &journal, NULL)
                     : stoa_journal_plain(fd, &journal, NULL));
    const stoa_block block = {
        .file = &wide, .journal = journal, .address = heap, .bytes = file + heap, .n = HEAD};
    const bool is_sound = stoa_block_fault(&block) == NULL;
    stoa_journal_end_transaction(journal);
    CHECK(close(fd) == 0);
    return is_sound;
}

static bool is_sound(size_t heap)
{
    return is_sound_in(true, heap);
}

/* Whether a file with another number there is fit for an edit. */
static bool is_sound_with(size_t heap, size_t at, size_t n, uint64_t value)
{
    uint8_t was[8];

    memcpy(was, file + at, n);
    put(file + at, value, (unsigned)n);
    const bool found = is_sound(heap);
    memcpy(file + at, was, n);
    return found;
}

/* --- */

static void what_libhdf5_lists_is_sound(void)
{
    size_t heaps[MAX_HEAPS];

    for (int i = 0; i < 20; i++) {
        make_file();
        const size_t n = find_heaps(heaps);
        for (size_t k = 0; k < n; k++) {
            CHECK(is_sound(heaps[k]));
        }
    }
    free(file);
    file = NULL;
}

enum { /* in a header */
       CLIENT = 5,
       ALL = 14,
       LISTED = 22,
       OTHERS = 30,
       BITS = 44,
       GREATEST = 46,
       LIST = 54,
       BYTES = 62,
       ALLOCATED = 70
};

static void a_header_is_that_of_its_heap(void)
{
    size_t heaps[MAX_HEAPS];

    make_file();
    const size_t n = find_heaps(heaps);
    CHECK(n > 0);
    for (size_t i = 0; i < n; i++) {
        const size_t at = (size_t)number(heaps[i] + 38, 8);
        const uint64_t listed = number(at + LISTED, 8);
        const uint64_t bytes = number(at + BYTES, 8);
        const uint64_t end = number(at + LIST, 8) + bytes;
        CHECK(!is_sound_with(heaps[i], at + CLIENT, 1, 1));
        CHECK(!is_sound_with(heaps[i], at + LISTED, 8, listed + (UINT64_C(1) << 40)));
        CHECK(!is_sound_with(heaps[i], at + LISTED, 8, listed - 1));
        CHECK(!is_sound_with(heaps[i], at + ALL, 8, number(at + ALL, 8) + 1));
        CHECK(!is_sound_with(heaps[i], at + OTHERS, 8, number(at + OTHERS, 8) + 1));
        CHECK(!is_sound_with(heaps[i], at + BITS, 2, number(at + BITS, 2) + 8));
        CHECK(!is_sound_with(heaps[i], at + GREATEST, 8, number(at + GREATEST, 8) / 2));
        CHECK(!is_sound_with(heaps[i], at + LIST, 8, UINT64_MAX));
        CHECK(!is_sound_with(heaps[i], at + BYTES, 8, 16));
        CHECK(!is_sound_with(heaps[i], at + BYTES, 8, bytes + 1));
        CHECK(!is_sound_with(heaps[i], at + ALLOCATED, 8, bytes + 1));
        CHECK(!is_sound_with(heaps[i], at + BYTES, 8, bytes - 1));
        put(file + at + ALLOCATED, size + 1, 8); /* both, past the end of the file */
        CHECK(!is_sound_with(heaps[i], at + BYTES, 8, size + 1));
        put(file + at + ALLOCATED, bytes, 8);
        CHECK(end <= size);
        /* Without a list libhdf5 refuses it, and so it does another block. */
        CHECK(is_sound_with(heaps[i], at + LIST, 8, at));
        CHECK(is_sound_with(heaps[i], heaps[i] + 38, 8, heaps[i]));
        CHECK(is_sound_with(heaps[i], heaps[i] + 38, 8, UINT64_MAX));
    }
    free(file);
    file = NULL;
}

/* A heap whose only block is a direct one of 512 bytes, and one of four rows: two of four direct
 * blocks of 512 bytes, one of 1024, and one of indirect blocks of 2048, which have a row each. */
enum { MANAGER = 160, SECTIONS = 256, ROOM = 512, FIRST_SECTION = SECTIONS + 13 };

static void make_heap(unsigned rows)
{
    enum { TABLE = 14 + 10 * 8 + 2 * 8 };

    size = ROOM;
    file = calloc(1, size);
    CHECK(file != NULL);
    memcpy(file, "FRHP", 4);
    put(file + 5, 8, 2);
    put(file + 9, 2, 1);
    put(file + 10, 500, 4);
    put(file + 22, UINT64_MAX, 8);
    put(file + 38, MANAGER, 8);
    put(file + TABLE, 4, 2);
    put(file + TABLE + 2, 512, 8);
    put(file + TABLE + 10, 1024, 8);
    put(file + TABLE + 18, 32, 2);
    put(file + TABLE + 20, 1, 2);
    put(file + TABLE + 30, rows, 2);
    memcpy(file + MANAGER, "FSHD", 4);
    put(file + MANAGER + ALL, 1, 8);
    put(file + MANAGER + LISTED, 1, 8);
    put(file + MANAGER + BITS, 32, 2);
    put(file + MANAGER + GREATEST, 1024, 8);
    put(file + MANAGER + LIST, SECTIONS, 8);
    memcpy(file + SECTIONS, "FSSE", 4);
}

/* One section in the list; what is said to it. */
static bool is_section_sound(uint64_t offset, unsigned class, uint64_t bytes, const uint16_t *rows,
                             uint64_t block)
{
    uint8_t *const at = file + FIRST_SECTION;
    size_t n = 13 + 3 + 5 + 4;

    put(at, 1, 1);
    put(at + 1, bytes, 2);
    put(at + 3, offset, 4);
    put(at + 7, class, 1);
    if (rows != NULL) {
        put(at + 8, block, 4);
        for (size_t i = 0; i < 3; i++) {
            put(at + 12 + 2 * i, rows[i], 2);
        }
        n += 10;
    }
    put(file + MANAGER + BYTES, n, 8);
    put(file + MANAGER + ALLOCATED, n, 8);
    return is_sound(0);
}

static void a_section_lies_in_one_block(void)
{
    enum { OVERHEAD = 4 + 1 + 8 + 4 + 4 };
    static const struct {
        unsigned rows;
        uint64_t begin;
        uint64_t size;
    } blocks[] = {{0, 0, 512},          {4, 0, 512},           {4, 1536, 512},  {4, 2048, 512},
                  {4, 3584, 512},       {4, 4096, 1024},       {4, 7168, 1024}, {4, 8192, 512},
                  {4, 8192 + 512, 512}, {4, 14336 + 1536, 512}};

    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        const uint64_t begin = blocks[i].begin;
        const uint64_t end = begin + blocks[i].size;
        make_heap(blocks[i].rows);
        CHECK(is_section_sound(begin + OVERHEAD, 0, blocks[i].size - OVERHEAD, NULL, 0));
        CHECK(!is_section_sound(begin + OVERHEAD, 0, blocks[i].size - OVERHEAD + 1, NULL, 0));
        CHECK(!is_section_sound(begin + OVERHEAD - 1, 0, 10, NULL, 0));
        CHECK(is_section_sound(end - 1, 0, 1, NULL, 0));
        CHECK(!is_section_sound(end - 1, 0, 2, NULL, 0));
        CHECK(!is_section_sound(end - 1, 0, 0, NULL, 0));
        for (unsigned class = 1; class < 256; class ++) {
            CHECK(!is_section_sound(end - 1, class, 1, NULL, 0));
        }
        put(file + MANAGER + ALL, 2, 8); /* one that is not listed */
        put(file + MANAGER + OTHERS, 1, 8);
        CHECK(!is_section_sound(end - 1, 0, 1, NULL, 0));
        free(file);
    }
    make_heap(0);
    CHECK(!is_section_sound(512 + OVERHEAD, 0, 1, NULL, 0)); /* in no block */
    free(file);
    make_heap(4);
    CHECK(!is_section_sound(16384 + OVERHEAD, 0, 1, NULL, 0));
    free(file);
    file = NULL;
}

static void free_blocks_lie_in_the_rows_of_one(void)
{
    enum { CLASS = 1 };

    make_heap(4);
    CHECK(is_section_sound(0, CLASS, 491, (uint16_t[]){0, 0, 16}, 0));
    CHECK(!is_section_sound(0, CLASS, 491, (uint16_t[]){0, 0, 17}, 0));
    CHECK(!is_section_sound(0, CLASS, 491, (uint16_t[]){0, 0, 0}, 0));
    CHECK(is_section_sound(2560, CLASS, 491, (uint16_t[]){1, 1, 11}, 0));
    CHECK(!is_section_sound(2560, CLASS, 491, (uint16_t[]){1, 1, 12}, 0));
    CHECK(!is_section_sound(2560, CLASS, 491, (uint16_t[]){1, 2, 1}, 0));
    CHECK(!is_section_sound(2560, CLASS, 491, (uint16_t[]){2, 1, 1}, 0));
    CHECK(!is_section_sound(2561, CLASS, 491, (uint16_t[]){1, 1, 1}, 0)); /* within a block */
    CHECK(is_section_sound(8192, CLASS, 491, (uint16_t[]){3, 0, 4}, 0));
    CHECK(is_section_sound(8192, CLASS, 491, (uint16_t[]){0, 0, 4}, 8192));
    CHECK(!is_section_sound(8192, CLASS, 491, (uint16_t[]){0, 0, 5}, 8192));
    CHECK(!is_section_sound(4096, CLASS, 491, (uint16_t[]){0, 0, 1}, 4096)); /* a direct block */
    CHECK(!is_section_sound(16384, CLASS, 491, (uint16_t[]){4, 0, 1}, 0));
    put(file + MANAGER + ALL, 3, 8); /* those behind the first */
    put(file + MANAGER + OTHERS, 2, 8);
    CHECK(is_section_sound(0, CLASS, 491, (uint16_t[]){0, 0, 16}, 0));
    put(file + MANAGER + BYTES, number(MANAGER + BYTES, 8) + 1, 8); /* and a byte that is none's */
    put(file + MANAGER + ALLOCATED, number(MANAGER + BYTES, 8), 8);
    CHECK(!is_sound(0));
    free(file);
    make_heap(0);
    CHECK(!is_section_sound(0, CLASS, 491, (uint16_t[]){0, 0, 1}, 0));
    free(file);
    file = NULL;
}

static void a_file_whose_free_space_is_damaged_can_be_read(void)
{
    make_heap(0);
    CHECK(!is_section_sound(0, 3, 100, NULL, 0));
    CHECK(is_sound_in(false, 0));
    free(file);
    file = NULL;
}

TEST_MAIN(TEST(what_libhdf5_lists_is_sound), TEST(a_header_is_that_of_its_heap),
          TEST(a_section_lies_in_one_block), TEST(free_blocks_lie_in_the_rows_of_one),
          TEST(a_file_whose_free_space_is_damaged_can_be_read))
