/* Blocks of a file that lead libhdf5 astray: src/hdf/format/blocks.c, heap.c, trees.c, objects.c,
 * mappings.c. */
#include <stdlib.h>
#include <string.h>

#include "hdf/block_file.h"

enum { SIZE = 4096, SHOWN = 64 };

static void put_object(uint8_t *heap, size_t at, uint16_t index, uint64_t size)
{
    put(heap + at, index, 2);
    put(heap + at + 8, size, 8);
}

/* A heap of two objects and what is left over, in the form that libhdf5 writes. */
static void make_heap(uint8_t heap[SIZE])
{
    memset(heap, 0, SIZE);
    memcpy(heap, "GCOL\1", 5);
    put(heap + 8, SIZE, 8);
    put_object(heap, 16, 1, 5);           /* padded to 8 */
    put_object(heap, 40, 2, 100);         /* padded to 104 */
    put_object(heap, 160, 0, SIZE - 160); /* counts its own header */
}

/* Looked at as libhdf5 would read it, whole, and of its first bytes alone. */
static bool is_sound(const uint8_t heap[SIZE])
{
    uint8_t file[512 + SIZE] = {0};

    memcpy(file + 512, heap, SIZE);
    const bool whole = is_fit(file, sizeof file, 512, SIZE, &wide, true);
    CHECK(is_fit(file, sizeof file, 512, SHOWN, &wide, true) == whole);
    return whole;
}

static void a_heap_whose_objects_follow_each_other_is_sound(void)
{
    uint8_t heap[SIZE];

    make_heap(heap);
    CHECK(is_sound(heap));
    put_object(heap, 160, 3, SIZE - 160 - 16); /* nothing is left over */
    CHECK(is_sound(heap));
    put_object(heap, 160, 3, SIZE - 160 - 24); /* too little for a header is */
    CHECK(is_sound(heap));
}

static void an_object_that_leads_nowhere_is_found(void)
{
    uint8_t heap[SIZE];

    make_heap(heap);
    put_object(heap, 160, 0, 0); /* to itself */
    CHECK(!is_sound(heap));
    put_object(heap, 160, 0, 8); /* into itself */
    CHECK(!is_sound(heap));
    make_heap(heap);
    put_object(heap, 160, 3, SIZE - 160); /* past the end by its header */
    CHECK(!is_sound(heap));
    make_heap(heap);
    put_object(heap, 40, 2, SIZE); /* past the end */
    CHECK(!is_sound(heap));
    put_object(heap, 40, 2, UINT64_MAX); /* round again */
    CHECK(!is_sound(heap));
    put_object(heap, 40, 2, UINT64_MAX - 15); /* the same, when it is padded */
    CHECK(!is_sound(heap));
}

/* What the file has, and what of it is in memory, which are `n` bytes of other ones. */
static bool is_sound_between(const uint8_t file[SIZE], const uint8_t *memory, size_t n)
{
    stoa_journal *journal = NULL;
    const int fd = open(check_path("heap"), O_RDWR | O_CREAT | O_TRUNC, 0666);

    CHECK(fd >= 0 && pwrite(fd, file, SIZE, 512) == SIZE);
    CHECK_OK(stoa_journal_plain(fd, &journal, NULL));
    const stoa_block block = {.file = &wide,
                              .journal = journal,
                              .address = 512,
                              .bytes = memory,
                              .n = n,
                              .is_data = true};
    const bool found = stoa_global_heap_is_sound(&block);
    stoa_journal_end_transaction(journal);
    CHECK(close(fd) == 0);
    return found;
}

static void bytes_past_those_in_memory_are_read_from_the_file(void)
{
    uint8_t sound[SIZE];
    uint8_t memory[SIZE];

    make_heap(sound);
    memcpy(memory, sound, SIZE);
    put_object(memory, 40, 0, 0); /* to itself */
    CHECK(is_sound_between(sound, memory, 40));
    CHECK(is_sound_between(sound, memory, 55)); /* a byte short of its header */
    CHECK(!is_sound_between(sound, memory, 56));
    CHECK(is_sound_between(memory, sound, SIZE));
    CHECK(!is_sound_between(memory, sound, 55));
    /* Of less than a header nothing is said. */
    make_heap(memory);
    put_object(memory, 16, 0, 0);
    CHECK(is_sound_between(memory, memory, 15));
    CHECK(!is_sound_between(memory, memory, 16));
}

static void objects_are_looked_at_while_a_header_of_them_is_in_the_heap(void)
{
    uint8_t heap[SIZE];

    make_heap(heap);
    put_object(heap, 160, 3, SIZE - 160 - 32); /* a header is left over, of an object that leads */
    put_object(heap, SIZE - 16, 0, 0);         /* to itself */
    CHECK(!is_sound(heap));
    put(heap + 8, SIZE - 8, 8); /* less than a header is left over */
    CHECK(is_sound(heap));
    put(heap + 8, 8, 8); /* nothing is: the heap ends inside its header */
    put_object(heap, 16, 0, 0);
    CHECK(is_sound(heap));
    put(heap + 8, 31, 8);
    CHECK(is_sound(heap));
    put(heap + 8, 32, 8);
    CHECK(!is_sound(heap));
}

static void what_is_left_over_is_a_header_at_least(void)
{
    uint8_t heap[SIZE];

    make_heap(heap);
    put_object(heap, 160, 0, 15);
    put_object(heap, 175, 0, SIZE - 175);
    CHECK(!is_sound(heap));
    make_heap(heap);
    put_object(heap, 160, 0, 16);
    put_object(heap, 176, 0, SIZE - 176);
    CHECK(is_sound(heap));
    put(heap + 176 + 2, 1, 2); /* references to it say nothing */
    CHECK(is_sound(heap));
    put_object(heap, 176, 0, SIZE - 175); /* a byte past the end */
    CHECK(!is_sound(heap));
}

static void an_index_has_two_bytes_and_a_size_is_padded(void)
{
    uint8_t heap[SIZE];

    make_heap(heap);
    put_object(heap, 40, 0x0100, 100); /* 40 + 16 + 104 = 160 */
    CHECK(is_sound(heap));
    put_object(heap, 40, 2, 104);
    CHECK(is_sound(heap));
    put_object(heap, 40, 2, 105); /* to 168, where a size of 0 is */
    CHECK(!is_sound(heap));
}

static void other_bytes_are_nobodys_business(void)
{
    uint8_t bytes[SIZE] = {0};

    CHECK(is_sound(bytes));
    make_heap(bytes);
    put_object(bytes, 160, 0, 0);
    bytes[4] = 9; /* a version that does not exist */
    CHECK(is_sound(bytes));
}

/* libhdf5 reads the first 512 bytes of an old object header, and then the rest. Here that begins
 * with a modification time. */
static void the_rest_of_an_old_object_header_is_not_taken_for_one(void)
{
    uint8_t rest[SIZE] = {1, 0, 0, 0, 0x3b, 0x12, 0x29, 0x69, 1, 0, 0x18};

    CHECK(is_fit(rest, SIZE, 0, SIZE, &wide, false));
}

static void lengths_of_four_bytes_are_read_as_such(void)
{
    uint8_t heap[SIZE] = {0};

    memcpy(heap, "GCOL\1", 5);
    put(heap + 8, 128, 4);
    put(heap + 12, 0, 4); /* padding */
    put(heap + 16, 0, 2);
    put(heap + 24, 112, 4);
    put(heap + 28, 0xffffffff, 4);
    const stoa_superblock narrow = {.length_size = 4, .address_size = 4};
    CHECK(is_fit(heap, SIZE, 0, SIZE, &narrow, true));
    CHECK(!is_fit(heap, SIZE, 0, SIZE, &wide, true));
}

static void elements_are_no_blocks(void)
{
    uint8_t heap[SIZE];
    uint8_t tree[SIZE] = "BTHD"; /* of kind 0 */

    make_heap(heap);
    put_object(heap, 160, 0, 0);
    CHECK(!is_fit(heap, SIZE, 0, SIZE, &wide, true) && is_fit(heap, SIZE, 0, SIZE, &wide, false));
    CHECK(!is_fit(tree, SIZE, 0, 38, &wide, false) && is_fit(tree, SIZE, 0, 38, &wide, true));
}

static void free_blocks_of_a_local_heap_end(void)
{
    uint8_t file[256] = "HEAP";

    put(file + 8, 64, 8);   /* bytes of data, */
    put(file + 16, 0, 8);   /* the first free block, */
    put(file + 24, 128, 8); /* where the data are */
    put(file + 128, 32, 8);
    put(file + 128 + 32, 1, 8);
    CHECK(is_fit(file, sizeof file, 0, 32, &wide, false));
    put(file + 128 + 32, 0, 8); /* round and round */
    CHECK(!is_fit(file, sizeof file, 0, 32, &wide, false));
    put(file + 128 + 32, 64, 8); /* past the end */
    CHECK(!is_fit(file, sizeof file, 0, 32, &wide, false));
    put(file + 8, UINT64_MAX / 2, 8); /* round in a heap that claims to have no end */
    put(file + 128 + 32, 0, 8);
    CHECK(!is_fit(file, sizeof file, 0, 32, &wide, false));
    put(file + 16, 1, 8); /* there is none */
    CHECK(is_fit(file, sizeof file, 0, 32, &wide, false));
}

/* --- trees ----------------------------------------------------------------------------------- */

/* The header of a B-tree of attributes: nodes of 512 bytes, ten of them overhead, records of 17. */
static void make_tree(uint8_t header[38], unsigned address_size, unsigned kind, uint64_t node,
                      uint64_t record, uint64_t depth, uint64_t n_records)
{
    memset(header, 0, 38);
    memcpy(header, "BTHD", 4);
    header[5] = (uint8_t)kind;
    put(header + 6, node, 4);
    put(header + 10, record, 2);
    put(header + 12, depth, 2);
    put(header + 16 + address_size, n_records, 2);
}

static bool tree_is_sound(unsigned kind, uint64_t node, uint64_t record, uint64_t depth,
                          uint64_t n_records)
{
    uint8_t header[38];

    make_tree(header, 8, kind, node, record, depth, n_records);
    return is_fit(header, sizeof header, 0, 38, &wide, false);
}

static void a_tree_whose_root_cannot_hold_its_records_is_refused(void)
{
    const stoa_superblock narrow = {.length_size = 8, .address_size = 4};
    uint8_t header[38];

    CHECK(tree_is_sound(8, 512, 17, 0, 0) && tree_is_sound(8, 512, 17, 0, 29)); /* 493 of 502 */
    CHECK(!tree_is_sound(8, 512, 17, 0, 30) && !tree_is_sound(8, 512, 17, 0, 65292));
    make_tree(header, 4, 8, 512, 17, 0, 29);
    CHECK(is_fit(header, sizeof header, 0, 34, &narrow, false));
    make_tree(header, 4, 8, 512, 17, 0, 30);
    CHECK(!is_fit(header, sizeof header, 0, 34, &narrow, false));
    /* Above the leaves each record has a pointer of 9 bytes, and there is one more of those. */
    CHECK(tree_is_sound(8, 512, 17, 1, 18) && !tree_is_sound(8, 512, 17, 1, 19)); /* 9 + 18 * 26 */
    CHECK(tree_is_sound(8, 512, 17, 2, 17) && !tree_is_sound(8, 512, 17, 2, 18)); /* 11 + 17 * 28 */
}

static void a_tree_has_a_kind_and_records_of_that_kind(void)
{
    static const unsigned size_of[] = {0, 24, 36, 16, 28, 11, 15, 17, 17, 13};

    for (unsigned kind = 1; kind < sizeof size_of / sizeof *size_of; kind++) {
        CHECK(tree_is_sound(kind, 512, size_of[kind], 0, 1));
        CHECK(!tree_is_sound(kind, 512, size_of[kind] - 1, 0, 1));
        CHECK(!tree_is_sound(kind, 512, size_of[kind] + 1, 0, 1));
    }
    CHECK(tree_is_sound(10, 2048, 16, 0, 1) && tree_is_sound(10, 2048, 8 + 8 * 32, 0, 1));
    CHECK(!tree_is_sound(10, 2048, 8, 0, 1) && !tree_is_sound(10, 2048, 17, 0, 1));
    CHECK(!tree_is_sound(10, 2048, 8 + 8 * 33, 0, 1));
    CHECK(tree_is_sound(11, 2048, 23, 0, 1) && tree_is_sound(11, 2048, 21, 0, 1));
    CHECK(!tree_is_sound(11, 2048, 20, 0, 1));
    CHECK(tree_is_sound(11, 2048, 8 + 8 + 4 + 8 * 32, 0, 1)); /* as many dimensions as there are */
    CHECK(!tree_is_sound(11, 2048, 8 + 8 + 4 + 8 * 32 + 1, 0, 1));
    for (unsigned kind = 0; kind < 256; kind += kind == 0 ? 12 : 1) { /* of libhdf5's own tests */
        CHECK(!tree_is_sound(kind, 512, 17, 0, 1));
    }
}

static void nodes_of_a_tree_have_room_for_what_they_are_of(void)
{
    CHECK(!tree_is_sound(8, 0, 17, 0, 0) && !tree_is_sound(8, 26, 17, 0, 0));
    CHECK(tree_is_sound(8, 27, 17, 0, 1));
    CHECK(!tree_is_sound(8, 40, 17, 1, 0)); /* a record, but not its two pointers */
    CHECK(tree_is_sound(8, 45, 17, 1, 1));
    CHECK(tree_is_sound(8, 512, 17, 20, 1) && !tree_is_sound(8, 512, 17, 65535, 1));
}

/* A node of chunks in one dimension, and two children. */
static void levels_of_old_trees_go_down(void)
{
    enum { NODE = 24 + 64 * (8 + 24) + 24, LEAF = 3000 };
    uint8_t file[4096] = {0};

    for (unsigned i = 0; i < 3; i++) {
        uint8_t *const node = file + (i == 0 ? 0 : LEAF + 100 * (i - 1));
        memcpy(node, "TREE\1", 5);
        node[5] = i == 0;
        put(node + 6, 2, 2);
    }
    put(file + 24 + 24, LEAF, 8);
    put(file + 24 + 32 + 8, 1, 8);
    put(file + 24 + 32 + 24, LEAF + 100, 8);
    CHECK(is_fit(file, sizeof file, 0, NODE, &wide, false));
    CHECK(is_fit(file, sizeof file, LEAF, NODE < 4096 - LEAF ? NODE : 4096 - LEAF, &wide, false));
    put(file + 24 + 32 + 24, 0, 8); /* round */
    CHECK(!is_fit(file, sizeof file, 0, NODE, &wide, false));
    put(file + 24 + 32 + 24, LEAF + 100, 8);
    file[LEAF + 100 + 5] = 1; /* not down */
    CHECK(!is_fit(file, sizeof file, 0, NODE, &wide, false));
}

/* --- arrays and fractal heaps ---------------------------------------------------------------- */

static void arrays_of_chunks_are_of_a_size_that_they_can_have(void)
{
    uint8_t array[256] = "EAHD";
    static const uint8_t head[] = {0, 8, 32, 4, 16, 4, 10};

    memcpy(array + 5, head, sizeof head);
    put(array + 12 + 32, 5, 8);
    CHECK(is_fit(array, sizeof array, 0, 72, &wide, false));
    for (size_t i = 0; i < sizeof head; i++) {
        static const uint8_t bad[] = {2, 9, 65, 0, 15, 0, 33};
        array[5 + i] = bad[i];
        CHECK(is_fit(array, sizeof array, 0, 72, &wide, false) == (i == 3)); /* any number there */
        array[5 + i] = head[i];
    }
    put(array + 12 + 32, (UINT64_C(1) << 32) + 1, 8);
    CHECK(!is_fit(array, sizeof array, 0, 72, &wide, false));
    put(array + 12 + 32, 5, 8);
    put(array + 12 + 24, 257, 8); /* bytes of data blocks, in a file of 256 */
    CHECK(!is_fit(array, sizeof array, 0, 72, &wide, false));
    memcpy(array, "FAHD", 4);
    put(array + 5, 1, 1);
    put(array + 6, 14, 1);
    put(array + 7, 10, 1);
    put(array + 8, 10, 8);
    put(array + 16, 100, 8);
    CHECK(is_fit(array, sizeof array, 0, 28, &wide, false));
    put(array + 8, 19, 8); /* 19 * 14 bytes of 256 */
    CHECK(!is_fit(array, sizeof array, 0, 28, &wide, false));
    put(array + 16, UINT64_MAX, 8); /* not there yet */
    CHECK(is_fit(array, sizeof array, 0, 28, &wide, false));
    put(array + 8, UINT64_C(1) << 30, 8);
    CHECK(is_fit(array, sizeof array, 0, 28, &wide, false));
    put(array + 8, (UINT64_C(1) << 30) + 1, 8); /* nobody goes through so many */
    CHECK(!is_fit(array, sizeof array, 0, 28, &wide, false));
    put(array + 8, 19, 8);
    put(array + 7, 64, 1);
    CHECK(!is_fit(array, sizeof array, 0, 28, &wide, false));
}

static void fractal_heaps_double(void)
{
    enum { SIZE_OF = 146, TABLE = 14 + 10 * 8 + 2 * 8 };
    static const struct {
        size_t at;
        unsigned size;
        uint64_t good;
        uint64_t bad;
    } fields[] = {{5, 2, 8, 7},           {5, 2, 8, 9},           {10, 4, 4096, 70000},
                  {TABLE, 2, 4, 3},       {TABLE + 2, 8, 512, 0}, {TABLE + 10, 8, 65536, 256},
                  {TABLE + 18, 2, 40, 8}, {TABLE + 20, 2, 1, 99}, {TABLE + 30, 2, 0, 99}};
    uint8_t heap[256] = "FRHP";

    put(heap + 7, 1, 2); /* filters, so that the size of an id has a neighbour */
    put(heap + 22, UINT64_MAX, 8);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        put(heap + fields[i].at, fields[i].good, fields[i].size);
    }
    CHECK(is_fit(heap, sizeof heap, 0, SIZE_OF, &wide, false));
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        put(heap + fields[i].at, fields[i].bad, fields[i].size);
        CHECK(!is_fit(heap, sizeof heap, 0, SIZE_OF, &wide, false));
        put(heap + fields[i].at, fields[i].good, fields[i].size);
    }
    put(heap + 22, 200, 8); /* its tree of huge objects */
    memcpy(heap + 200, "BTHD\0\4", 6);
    CHECK(is_fit(heap, sizeof heap, 0, SIZE_OF, &wide, false));
    heap[205] = 10;
    CHECK(!is_fit(heap, sizeof heap, 0, SIZE_OF, &wide, false));
}

/* --- objects --------------------------------------------------------------------------------- */

enum { PART = 300, INDEX = 600, OBJECT_FILE = 1024 };

static uint8_t *put_message(uint8_t *at, unsigned kind, size_t n)
{
    memset(at, 0, 4 + n);
    at[0] = (uint8_t)kind;
    put(at + 1, n, 2);
    return at + 4;
}

/* Version 2, its messages up to `end`. */
static bool object_is_sound(uint8_t file[OBJECT_FILE], const uint8_t *end)
{
    memcpy(file, "OHDR\2\0", 6);
    file[6] = (uint8_t)(end - file - 7);
    return is_fit(file, OBJECT_FILE, 0, 64, &wide, false);
}

static void an_object_is_of_one_kind(void)
{
    enum { DATASPACE = 1, LINK_INFO, DATATYPE, FILL = 5, LAYOUT = 8, FILTERS = 11 };
    static const struct {
        bool is_sound;
        uint8_t kinds[4];
    } cases[] = {{true, {DATASPACE, DATATYPE, FILL, LAYOUT}},
                 {true, {DATATYPE}},
                 {true, {LINK_INFO, FILTERS}},
                 {true, {0}},
                 {false, {DATATYPE, LAYOUT}},
                 {false, {DATATYPE, FILTERS}},
                 {false, {LINK_INFO, LAYOUT}},
                 {false, {DATASPACE, LAYOUT}},
                 {false, {LINK_INFO, DATASPACE, DATATYPE, LAYOUT}}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t file[OBJECT_FILE] = {0};
        uint8_t *at = file + 7;
        for (size_t k = 0; k < 4; k++) {
            at = put_message(at, cases[i].kinds[k], 2) + 2;
        }
        CHECK(object_is_sound(file, at) == cases[i].is_sound);
    }
}

/* Where messages begin, and how long their heads are, the header's flags say; a fault is found in
 * each form of it, and none where there is none. */
static void headers_of_every_form_are_looked_at(void)
{
    enum { SIZE_BITS = 3, COUNTS = 4, NUMBERS = 0x10, TIMES = 0x20, LAYOUT = 8 };

    for (unsigned flags = 0; flags < 0x40; flags++) {
        for (uint8_t first = 1; first <= 3; first += 2) { /* a dataspace; a datatype, alone */
            const uint8_t kinds[] = {first, 3, 5, LAYOUT};
            uint8_t file[OBJECT_FILE] = {0};
            memcpy(file, "OHDR\2", 5);
            file[5] = (uint8_t)flags;
            uint8_t *const size =
                file + 6 + ((flags & TIMES) != 0 ? 16 : 0) + ((flags & NUMBERS) != 0 ? 4 : 0);
            const unsigned width = 1U << (flags & SIZE_BITS);
            uint8_t *at = size + width;
            for (size_t k = 0; k < sizeof kinds; k++) {
                at = put_message(at, kinds[k], 2) + ((flags & COUNTS) != 0 ? 4 : 2);
            }
            put(size, (uint64_t)(at - size - width), width);
            CHECK(is_fit(file, OBJECT_FILE, 0, 64, &wide, false) == (first == 1));
        }
    }
    for (uint8_t first = 1; first <= 3; first += 2) { /* version 1 */
        const uint8_t kinds[] = {first, 3, 5, LAYOUT};
        uint8_t file[OBJECT_FILE] = {1};
        uint8_t *at = file + 16;
        for (size_t k = 0; k < sizeof kinds; k++, at += 16) {
            put(at, kinds[k], 2);
            put(at + 2, 8, 2);
        }
        put(file + 2, sizeof kinds, 2);
        put(file + 8, (uint64_t)(at - file - 16), 4);
        for (size_t n = 16; n <= 64; n += 8) { /* libhdf5 reads the prefix first */
            CHECK(is_fit(file, OBJECT_FILE, 0, n, &wide, false) == (first == 1));
        }
    }
}

/* What links and attributes in dense storage, and chunks, refer to; in a continuation as well. */
static void an_object_leads_to_blocks_of_the_right_kind(void)
{
    for (unsigned is_continued = 0; is_continued < 2; is_continued++) {
        uint8_t file[OBJECT_FILE] = {0};
        uint8_t *at = file + 7;
        if (is_continued) {
            uint8_t *const where = put_message(at, 0x10, 16);
            put(where, PART, 8);
            put(where + 8, 8 + 4 + 18, 8);
            memcpy(file + PART, "OCHK", 4);
            at = file + PART + 4;
        }
        uint8_t *const dense = put_message(at, 2, 18); /* links: a heap, and names */
        put(dense + 2, INDEX + 100, 8);
        put(dense + 10, INDEX, 8);
        memcpy(file + INDEX, "BTHD\0\5", 6);
        const uint8_t *const end = is_continued ? file + 7 + 20 : dense + 18;
        CHECK(object_is_sound(file, end));
        file[INDEX + 5] = 8;
        CHECK(!object_is_sound(file, end));
        at[0] = 0x15; /* attributes */
        CHECK(object_is_sound(file, end));
        file[INDEX + 5] = 10;
        CHECK(!object_is_sound(file, end));
        put(dense + 10, UINT64_MAX, 8);
        CHECK(object_is_sound(file, end));
    }
}

/* Dense storage in each of its forms: the flags say whether a number comes first, and whether there
 * is a tree of the order behind the one of names, which ends the message. */
static void trees_of_dense_storage_are_found_behind_what_flags_say(void)
{
    static const struct {
        uint8_t message, names;
        size_t n_number;
    } kinds[] = {{2, 5, 8}, {0x15, 8, 2}}; /* links, attributes */

    for (size_t k = 0; k < 2; k++) {
        for (unsigned flags = 0; flags < 4; flags++) {
            const size_t names = 2 + ((flags & 1) != 0 ? kinds[k].n_number : 0) + 8;
            const size_t n = names + ((flags & 2) != 0 ? 16 : 8);
            uint8_t file[OBJECT_FILE] = {0};
            uint8_t *const message = put_message(file + 7, kinds[k].message, n);
            message[1] = (uint8_t)flags;
            memset(message + 2, 1, names - 2); /* no address of anything */
            put(message + names, INDEX, 8);
            memcpy(file + INDEX, "BTHD\0", 5);
            file[INDEX + 5] = kinds[k].names;
            if ((flags & 2) != 0) {
                put(message + names + 8, INDEX + 100, 8);
                memcpy(file + INDEX + 100, "BTHD\0", 5);
                file[INDEX + 105] = (uint8_t)(kinds[k].names + 1);
            }
            CHECK(object_is_sound(file, message + n));
            file[INDEX + 105]++;
            CHECK(object_is_sound(file, message + n) == ((flags & 2) == 0));
            file[INDEX + 105]--;
            file[INDEX + 5]++;
            CHECK(!object_is_sound(file, message + n));
        }
    }
}

/* What is behind the trees that the flags say is none. */
static void bytes_behind_dense_storage_are_no_trees(void)
{
    for (unsigned flags = 0; flags < 4; flags++) {
        const size_t names = 2 + ((flags & 1) != 0 ? 8 : 0) + 8;
        const size_t n = names + 40;
        uint8_t file[OBJECT_FILE] = {0};
        uint8_t *const message = put_message(file + 7, 2, n);
        message[1] = (uint8_t)flags;
        memcpy(file + INDEX, "BTHD\0\1", 6); /* of no links */
        for (size_t i = (flags & 2) != 0 ? 2 : 1; i < 5; i++) {
            put(message + names + 8 * i, INDEX, 8);
        }
        CHECK(object_is_sound(file, message + n));
    }
}

/* A datatype of sequences of 4-byte items, and two values of it, the second of `second` items. */
static uint8_t *put_sequences(uint8_t *datatype, size_t values_at, uint32_t second)
{
    datatype[0] = 0x19; /* variable length, version 1 */
    put(datatype + 4, 16, 4);
    datatype[8] = 0x10; /* integers */
    put(datatype + 12, 4, 4);
    put(datatype + values_at, 3, 4);
    put(datatype + values_at + 16, second, 4);
    return datatype + values_at + 32;
}

static bool attribute_is_sound(unsigned version, uint32_t second)
{
    uint8_t file[OBJECT_FILE] = {0};
    const size_t head = version == 3 ? 9 : 8;
    const size_t pad = version == 1 ? 4 : 0;
    uint8_t *const m = put_message(file + 7, 0x0c, head + 4 + pad + 20 + pad + 8 + 32);

    m[0] = (uint8_t)version;
    put(m + 2, 4, 2);  /* bytes of the name, */
    put(m + 4, 20, 2); /* the datatype, */
    put(m + 6, 8, 2);  /* and the dataspace */
    return object_is_sound(file, put_sequences(m + head + 4 + pad, 20 + pad + 8, second));
}

static bool compact_is_sound(bool type_comes_first, uint32_t second)
{
    uint8_t file[OBJECT_FILE] = {0};
    uint8_t *at = put_message(file + 7, 1, 2) + 2;

    for (int i = 0; i < 2; i++) {
        uint8_t values[128] = {0};
        put_sequences(values, 20, second);
        if ((i == 0) == type_comes_first) {
            at = put_message(at, 3, 20);
            memcpy(at, values, 20);
            at += 20;
        } else {
            at = put_message(at, 8, 36);
            memcpy(at, "\3\0\40\0", 4); /* version 3, compact, 32 bytes */
            memcpy(at + 4, values + 20, 32);
            at += 36;
        }
    }
    return object_is_sound(file, at);
}

static void values_in_a_header_cannot_be_longer_than_the_file(void)
{
    const uint32_t most = OBJECT_FILE / 4 - 3;

    for (unsigned version = 1; version <= 3; version++) {
        CHECK(attribute_is_sound(version, most));
        CHECK(!attribute_is_sound(version, most + 1));
        CHECK(!attribute_is_sound(version, UINT32_MAX));
    }
    for (int i = 0; i < 2; i++) {
        CHECK(compact_is_sound(i, most));
        CHECK(!compact_is_sound(i, most + 1));
    }
}

/* --- mappings of virtual datasets ------------------------------------------------------------ */

/* A selection of one block, or, of version 2 and 3, a regular one; without its numbers where it has
 * more dimensions than there are. */
static uint8_t *put_hyperslab(uint8_t *at, unsigned version, uint32_t rank, bool is_regular)
{
    static const unsigned size_of[] = {0, 4, 8, 2};
    const unsigned size = size_of[version];
    const size_t n = rank > 32 ? 0 : rank;

    put(at, 2, 4);
    put(at + 4, version, 4);
    at += 8;
    if (version > 1) {
        at[0] = is_regular;
    }
    if (version > 2) {
        at[1] = (uint8_t)size;
    }
    at += version == 1 ? 8 : version == 2 ? 5 : 2;
    put(at, rank, 4);
    at += 4;
    if (is_regular) {
        return at + 4 * n * size;
    }
    put(at, 1, size);
    return at + size + 2 * n * size;
}

/* A virtual dataset of two dimensions, and a heap with a mapping of one entry. */
typedef struct virtual_file {
    uint8_t bytes[OBJECT_FILE];
    uint8_t *layout;
    uint8_t *mapping;
    uint8_t *names;
    uint8_t *selections;
} virtual_file;

static void make_virtual(virtual_file *file)
{
    enum { HEAP = 256, NAMES = 9 };
    uint8_t *space = NULL;

    memset(file, 0, sizeof *file);
    space = put_message(file->bytes + 7, 1, 20);
    space[0] = 2;
    space[1] = 2;
    file->layout = put_message(put_message(space + 20, 3, 2) + 2, 8, 14);
    file->layout[0] = 4;
    file->layout[1] = 3;
    put(file->layout + 2, HEAP, 8);
    put(file->layout + 10, 1, 4);
    memcpy(file->bytes + HEAP, "GCOL\1", 5);
    put(file->bytes + HEAP + 8, OBJECT_FILE - HEAP, 8);
    file->mapping = file->bytes + HEAP + 32;
    file->names = file->mapping + NAMES;
    file->selections = file->names + 4;
    put(file->mapping + 1, 1, 8);
    memcpy(file->names, "f\0d", 4);
}

/* The mapping ends there, with its checksum. */
static bool mapping_is_sound(virtual_file *file, const uint8_t *end)
{
    uint8_t *const heap = file->mapping - 32;
    const size_t n = (size_t)(end - file->mapping) + 4;

    put_object(heap, 16, 1, n);
    put_object(heap, 32 + (n + 7) / 8 * 8, 0, OBJECT_FILE - 256 - 32 - (n + 7) / 8 * 8);
    return object_is_sound(file->bytes, file->layout + 14);
}

static void a_mapping_has_dimensions_that_there_can_be(void)
{
    for (unsigned version = 1; version <= 3; version++) {
        for (unsigned is_regular = 0; is_regular <= (version > 1); is_regular++) {
            static const struct {
                bool is_sound;
                uint32_t from, to;
            } ranks[] = {{true, 2, 2},  {true, 1, 2},  {true, 7, 2},  {false, 2, 1},
                         {false, 2, 3}, {false, 0, 2}, {false, 2, 0}, {false, 33, 2}};
            for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
                virtual_file file;
                make_virtual(&file);
                uint8_t *at = put_hyperslab(file.selections, version, ranks[i].from, is_regular);
                at = put_hyperslab(at, version, ranks[i].to, is_regular);
                CHECK(mapping_is_sound(&file, at) == ranks[i].is_sound);
            }
        }
    }
}

static void a_mapping_has_as_many_entries_as_it_says(void)
{
    virtual_file file;

    make_virtual(&file);
    put(file.selections, 3, 4); /* everything there */
    put(file.selections + 4, 1, 4);
    const uint8_t *const end = put_hyperslab(file.selections + 16, 2, 2, false);
    CHECK(mapping_is_sound(&file, end));
    put(file.mapping + 1, 2, 8);
    CHECK(!mapping_is_sound(&file, end));
    put(file.mapping + 1, UINT64_MAX, 8);
    CHECK(!mapping_is_sound(&file, end));
    file.mapping[0] = 1; /* a version that is not libhdf5's */
    CHECK(mapping_is_sound(&file, end));
    file.mapping[0] = 0;
    put(file.mapping + 1, 0, 8);
    CHECK(mapping_is_sound(&file, end));
    put(file.mapping + 1, 1, 8);
    CHECK(mapping_is_sound(&file, end));
    file.selections[0] = 4; /* a kind that there is not */
    CHECK(!mapping_is_sound(&file, end));
    file.selections[0] = 0; /* nothing there */
    CHECK(mapping_is_sound(&file, end));
    put(file.selections + 16 + 17, 2, 8); /* blocks of the other selection */
    CHECK(!mapping_is_sound(&file, end));
    put(file.selections + 16 + 17, UINT64_C(1) << 59, 8); /* of 32 bytes each */
    CHECK(!mapping_is_sound(&file, end));
}

static void names_in_a_mapping_end_in_it(void)
{
    virtual_file file;

    make_virtual(&file);
    put_hyperslab(put_hyperslab(file.selections, 1, 2, false), 1, 2, false);
    memset(file.names, 'x', OBJECT_FILE - (size_t)(file.names - file.bytes));
    CHECK(!mapping_is_sound(&file, file.names + 64));
}

/* libhdf5 takes the last of several objects of an index. */
static void a_mapping_is_the_object_that_libhdf5_takes(void)
{
    virtual_file file;
    uint8_t *const heap = file.bytes + 256;

    make_virtual(&file);
    uint8_t *const end = put_hyperslab(put_hyperslab(file.selections, 1, 2, false), 1, 2, false);
    CHECK(mapping_is_sound(&file, end));
    const size_t n = ((size_t)(end - file.mapping) + 4 + 7) / 8 * 8;
    memcpy(heap + 32 + n, heap + 16, 16 + n);
    put_object(heap, 32 + 2 * n + 16, 0, OBJECT_FILE - 256 - 32 - 2 * n - 16);
    CHECK(object_is_sound(file.bytes, file.layout + 14));
    put(file.selections + 16, 40, 4); /* the rank of the first */
    CHECK(object_is_sound(file.bytes, file.layout + 14));
    put(file.selections + 16 + n + 16, 40, 4);
    CHECK(!object_is_sound(file.bytes, file.layout + 14));
    put(file.layout + 10, 2, 4); /* there is none of that index */
    CHECK(!object_is_sound(file.bytes, file.layout + 14));
    put(file.layout + 2, UINT64_MAX, 8); /* no mapping at all */
    CHECK(object_is_sound(file.bytes, file.layout + 14));
}

/* What ids in dense storage are made of: links have 7 bytes for one, attributes 8. */
static void a_heap_has_ids_of_the_size_that_an_object_has_room_for(void)
{
    static const struct {
        uint8_t message, id;
    } kinds[] = {{2, 7}, {0x15, 8}};

    for (size_t k = 0; k < 2; k++) {
        for (unsigned id = 6; id <= 9; id++) {
            uint8_t file[OBJECT_FILE] = {0};
            uint8_t *const dense = put_message(file + 7, kinds[k].message, 18);
            put(dense + 2, INDEX, 8);
            put(dense + 10, UINT64_MAX, 8);
            memcpy(file + INDEX, "FRHP", 4);
            put(file + INDEX + 5, id, 2);
            CHECK(object_is_sound(file, dense + 18) == (id == kinds[k].id));
            put(file + INDEX + 5, id | 0x100, 2);
            CHECK(!object_is_sound(file, dense + 18));
            put(dense + 2, UINT64_MAX, 8);
            CHECK(object_is_sound(file, dense + 18));
        }
    }
}

/* A fixed array has an element for each chunk that the shape, with its greatest dimensions, has
 * room for: two of 10 chunks each, the last of which is not full. */
static void a_fixed_array_has_the_chunks_that_the_shape_has_room_for(void)
{
    for (uint8_t version = 1; version <= 2; version++) {
        for (unsigned has_greatest = 0; has_greatest < 2; has_greatest++) {
            const size_t head = version == 1 ? 8 : 4;
            const size_t n_space = head + (has_greatest ? 32 : 16);
            uint8_t file[OBJECT_FILE] = {0};
            uint8_t *const space = put_message(file + 7, 1, n_space);
            uint8_t *const layout = put_message(put_message(space + n_space, 3, 2) + 2, 8, 18);
            const uint8_t fields[] = {4, 2, 0, 3, 1, 5, 7, 8, 3, 10};
            space[0] = version;
            space[1] = 2;
            space[2] = (uint8_t)has_greatest;
            put(space + head, has_greatest ? 1 : 46, 8);
            put(space + head + 8, has_greatest ? 1 : 70, 8);
            if (has_greatest) {
                put(space + head + 16, 46, 8);
                put(space + head + 24, 70, 8);
            }
            memcpy(layout, fields, sizeof fields);
            put(layout + sizeof fields, INDEX, 8);
            memcpy(file + INDEX, "FAHD\0\0\10\12", 8);
            for (uint64_t n = 99; n <= 101; n++) {
                put(file + INDEX + 8, n, 8);
                CHECK(object_is_sound(file, layout + 18) == (n == 100));
            }
            put(space + n_space - 8, UINT64_MAX, 8); /* as many as there can be */
            CHECK(!object_is_sound(file, layout + 18));
            space[1] = 3; /* another number of dimensions: libhdf5 refuses it by itself */
            CHECK(object_is_sound(file, layout + 18));
        }
    }
}

/* A fill value of `n` items of 4 bytes, in a message of each version. */
static bool fill_is_sound(uint8_t version, uint32_t n)
{
    const size_t head = version == 0 ? 4 : version < 3 ? 8 : 6;
    uint8_t file[OBJECT_FILE] = {0};
    uint8_t values[64] = {0};
    uint8_t *at = put_message(file + 7, 1, 2) + 2;

    put_sequences(values, 20, 0);
    put(values + 20, n, 4);
    at = put_message(at, version == 0 ? 4 : 5, head + 16); /* the old message has no version */
    memset(at, 0xff, head);
    if (version > 0) {
        at[0] = version;
    }
    memcpy(at + head, values + 20, 16);
    at = put_message(at + head + 16, 3, 20);
    memcpy(at, values, 20);
    return object_is_sound(file, at + 20);
}

static void a_fill_value_cannot_be_longer_than_the_file(void)
{
    for (uint8_t version = 0; version <= 3; version++) {
        CHECK(fill_is_sound(version, OBJECT_FILE / 4));
        CHECK(!fill_is_sound(version, OBJECT_FILE / 4 + 1));
        CHECK(!fill_is_sound(version, UINT32_MAX));
    }
}

/* A tree of two attributes, of which one says that it lies in the heap that objects share. */
static void attributes_are_not_shared_where_a_file_has_no_heap_for_them(void)
{
    enum { NODE = 512, RECORD = 17, LEAF = INDEX + 40, FLAGS = 8 };
    uint8_t file[OBJECT_FILE] = {0};
    uint8_t *const dense = put_message(file + 7, 0x15, 18);

    put(dense + 2, UINT64_MAX, 8);
    put(dense + 10, INDEX, 8);
    memcpy(file + INDEX, "BTHD\0\10", 6);
    put(file + INDEX + 6, NODE, 4);
    put(file + INDEX + 10, RECORD, 2);
    put(file + INDEX + 16, LEAF, 8);
    put(file + INDEX + 24, 2, 2);
    CHECK(object_is_sound(file, dense + 18));
    file[LEAF + 6 + RECORD + FLAGS] = 2;
    CHECK(!object_is_sound(file, dense + 18));
    put(file + INDEX + 24, 1, 2);
    CHECK(object_is_sound(file, dense + 18));
}

static void a_file_has_at_most_8_indexes_of_shared_messages(void)
{
    uint8_t file[OBJECT_FILE] = {0};
    uint8_t *const table = put_message(file + 7, 0x0f, 10);

    put(table + 1, UINT64_MAX, 8);
    table[9] = 8;
    CHECK(object_is_sound(file, table + 10));
    table[9] = 9;
    CHECK(!object_is_sound(file, table + 10));
}

/* A dataset of 20 chunks of 100 elements of 8 bytes, indexed by `kind`. */
static bool chunks_are_sound(unsigned kind, bool is_filtered, const char *signature, unsigned of,
                             size_t where, unsigned size)
{
    uint8_t file[OBJECT_FILE] = {0};
    const size_t made_with = kind == 3 ? 1 : kind == 4 ? 5 : 6;
    uint8_t *at = put_message(put_message(file + 7, 1, 2) + 2, 3, 2) + 2;

    if (is_filtered) {
        at = put_message(at, 11, 2);
        at[1] = 1;
        at += 2;
    }
    uint8_t *const layout = put_message(at, 8, 8 + made_with + 8);
    const uint8_t head[] = {4, 2, 0, 2, 1, 100, 8, (uint8_t)kind};
    memcpy(layout, head, sizeof head);
    put(layout + sizeof head + made_with, INDEX, 8);
    memcpy(file + INDEX, signature, 4);
    file[INDEX + 5] = (uint8_t)of;
    put(file + INDEX + where, size, 2);
    return object_is_sound(file, layout + sizeof head + made_with + 8);
}

static void chunks_are_indexed_as_their_filters_say(void)
{
    static const char *const arrays[] = {"FAHD", "EAHD"};

    for (unsigned i = 0; i < 2; i++) {
        CHECK(chunks_are_sound(3 + i, false, arrays[i], 0, 6, 8));
        CHECK(!chunks_are_sound(3 + i, false, arrays[i], 1, 6, 15));
        CHECK(chunks_are_sound(3 + i, true, arrays[i], 1, 6, 8 + 3 + 4)); /* 800 bytes */
        CHECK(!chunks_are_sound(3 + i, true, arrays[i], 0, 6, 8));
        CHECK(!chunks_are_sound(3 + i, true, arrays[i], 1, 6, 8 + 2 + 4));
        CHECK(chunks_are_sound(3 + i, true, "EAHD", 0, 6, 8) == (i == 0)); /* libhdf5 refuses it */
    }
    CHECK(chunks_are_sound(5, false, "BTHD", 10, 10, 16));
    CHECK(!chunks_are_sound(5, false, "BTHD", 5, 10, 11));
    CHECK(!chunks_are_sound(5, false, "BTHD", 10, 10, 24)); /* of two dimensions */
    CHECK(chunks_are_sound(5, true, "BTHD", 11, 10, 16 + 3 + 4));
    CHECK(!chunks_are_sound(5, true, "BTHD", 10, 10, 16));
}

static void parts_of_an_object_that_lead_round_end(void)
{
    uint8_t file[OBJECT_FILE] = {0};
    uint8_t *where = put_message(file + 7, 0x10, 16);

    put(where, PART, 8);
    put(where + 8, 8 + 20, 8);
    memcpy(file + PART, "OCHK", 4);
    where = put_message(file + PART + 4, 0x10, 16);
    put(where, PART, 8); /* itself */
    put(where + 8, 8 + 20, 8);
    CHECK(!object_is_sound(file, file + 7 + 20));
}

/* --- objects, to their ends ------------------------------------------------------------------ */

/* A fault: a layout without a dataspace. */
static uint8_t *put_fault(uint8_t *at)
{
    return put_message(at, 8, 2) + 2;
}

/* Parts behind each other, each with a message that leads to the next; the last one has a fault. */
static bool chain_is_sound(size_t n_parts, size_t n_last, bool has_fault)
{
    enum { EACH = 8 + 4 + 16 };
    const size_t size = 100 + n_parts * EACH + n_last + 100;
    uint8_t *file = calloc(1, size);
    uint8_t *at = NULL;

    CHECK(file != NULL);
    memcpy(file, "OHDR\2\0", 6);
    file[6] = 20;
    at = file + 7;
    for (size_t i = 1; i < n_parts; i++) {
        const size_t next = 100 + i * EACH;
        const bool is_last = i + 1 == n_parts;
        uint8_t *const where = put_message(at, 0x10, 16);
        put(where, next, 8);
        put(where + 8, is_last ? n_last : EACH, 8);
        memcpy(file + next, "OCHK", 4);
        at = file + next + 4;
    }
    if (has_fault) { /* at the very end, before the checksum; what is before it says nothing */
        uint8_t *const end =
            n_parts == 1 ? file + 7 + 20 : file + 100 + (n_parts - 1) * EACH + n_last - 4;
        if ((size_t)(end - at) > 6) {
            at = put_message(at, 0, (size_t)(end - at) - 4 - 6) + ((size_t)(end - at) - 4 - 6);
        }
        CHECK(put_fault(at) == end);
    }
    const bool is_sound = is_fit(file, size, 0, 64, &wide, false);
    free(file);
    return is_sound;
}

static void an_object_is_looked_at_to_the_end_of_its_last_part(void)
{
    static const size_t lengths[] = {14, 28, 2047, 2048, 2049, 5000, 65000};

    for (size_t n_parts = 2; n_parts < 40; n_parts += n_parts < 20 ? 1 : 7) {
        for (size_t i = 0; i < (n_parts == 2 ? 7 : 2); i++) {
            CHECK(chain_is_sound(n_parts, lengths[i], false));
            CHECK(!chain_is_sound(n_parts, lengths[i], true));
        }
    }
    CHECK(chain_is_sound(2, 8, false)); /* of no messages */
    CHECK(chain_is_sound(2, 7, false)); /* nor of a signature and a checksum */
    CHECK(chain_is_sound(2, 0, false));
}

static void parts_are_together_no_longer_than_the_file(void)
{
    uint8_t file[OBJECT_FILE] = {0};
    uint8_t *const where = put_message(file + 7, 0x10, 16);

    memcpy(file + PART, "OCHK", 4);
    put(where, PART, 8);
    put(where + 8, OBJECT_FILE - 20, 8); /* past the end there are zeros */
    CHECK(object_is_sound(file, file + 27));
    put(where + 8, OBJECT_FILE - 19, 8);
    CHECK(!object_is_sound(file, file + 27));
    put(where + 8, UINT64_MAX, 8);
    CHECK(!object_is_sound(file, file + 27));
    put(where, UINT64_MAX - 5, 8); /* an address that cannot be */
    put(where + 8, 30, 8);
    CHECK(!object_is_sound(file, file + 27));
}

/* What libhdf5 refuses by itself, or has no room for what is looked at, is let be. */
static void messages_that_are_cut_short_are_nobodys_business(void)
{
    static const struct {
        unsigned kind;
        size_t n;
    } whole[] = {{2, 18}, {0x15, 18}, {0x10, 16}, {0x0f, 10}};

    for (size_t i = 0; i < 4; i++) {
        for (size_t n = 0; n <= whole[i].n; n++) {
            uint8_t file[OBJECT_FILE] = {0};
            uint8_t *const message = put_message(file + 7, whole[i].kind, n);
            uint8_t bytes[18] = {0};
            /* Faults: trees of another kind; a part that is longer than the file; nine indexes. */
            put(bytes + (whole[i].kind == 0x10 ? 8 : 10), whole[i].kind == 0x10 ? 2000 : INDEX, 8);
            if (whole[i].kind == 0x0f) {
                memset(bytes, 9, sizeof bytes);
            }
            memcpy(message, bytes, n);
            memcpy(file + INDEX, "BTHD\0\1", 6);
            CHECK(object_is_sound(file, message + n) == (n < whole[i].n));
        }
    }
    uint8_t file[OBJECT_FILE] = {0};
    uint8_t *const fault = put_fault(file + 7);
    CHECK(!object_is_sound(file, fault));
    put(file + 8, 3, 2); /* one byte more than there is */
    CHECK(object_is_sound(file, fault));
    put(file + 8, 2, 2);
    file[10] = 2; /* shared: its bytes say where it is; it counts nevertheless */
    CHECK(!object_is_sound(file, fault));
    file[7] = 0x28; /* of a kind that is not known */
    CHECK(object_is_sound(file, fault));
    put_message(file + 7, 0x0f, 10); /* a shared one is not looked into */
    memset(file + 11, 9, 10);
    CHECK(!object_is_sound(file, file + 21));
    file[10] = 2;
    CHECK(object_is_sound(file, file + 21));
    file[10] = 1;
    CHECK(!object_is_sound(file, file + 21));
}

/* Bytes that only begin like an object of version 1 have another number of messages than it says.
 */
static void what_is_no_object_of_version_1_is_let_be(void)
{
    for (uint16_t said = 0; said < 4; said++) {
        uint8_t file[OBJECT_FILE] = {1, 0};
        put(file + 2, said, 2);
        put(file + 8, 24, 4);
        put(file + 16, 8, 2); /* a layout, without a dataspace */
        put(file + 18, 16, 2);
        CHECK(is_fit(file, OBJECT_FILE, 0, 64, &wide, false) == (said != 1));
        CHECK(is_fit(file, OBJECT_FILE, 0, 15, &wide, false));
        file[1] = 1;
        CHECK(is_fit(file, OBJECT_FILE, 0, 64, &wide, false));
    }
}

/* ... or a message of a size that libhdf5 refuses. */
static void messages_of_sizes_that_libhdf5_refuses_are_no_object_of_version_1(void)
{
    static const struct {
        uint16_t said;
        uint16_t n;
        bool is_sound;
    } cases[] = {{2, 16, false}, {2, 12, true}, {1, 24, true}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t file[OBJECT_FILE] = {1, 0};
        put(file + 2, cases[i].said, 2);
        put(file + 8, 24 + 24, 4);
        put(file + 16, 8, 2); /* a layout, without a dataspace */
        put(file + 18, 16, 2);
        put(file + 40, 0x10c, 2); /* of a kind that is not known */
        put(file + 42, cases[i].n, 2);
        CHECK(is_fit(file, OBJECT_FILE, 0, 64, &wide, false) == cases[i].is_sound);
    }
}

/* ... and a message that is refused does not end the count. */
static void messages_behind_a_fault_are_counted(void)
{
    uint8_t file[OBJECT_FILE] = {1, 0};

    put(file + 2, 3, 2);
    put(file + 8, 24 + 24, 4);
    put(file + 16, 0x0f, 2); /* nine indexes of shared messages */
    put(file + 18, 16, 2);
    memset(file + 24, 9, 16);
    put(file + 40, 0x10, 2); /* the rest lies elsewhere */
    put(file + 42, 16, 2);
    put(file + 48, 80, 8);
    put(file + 56, 16, 8);
    put(file + 80, 0x10c, 2); /* of a kind that is not known */
    put(file + 82, 8, 2);
    CHECK(!is_fit(file, OBJECT_FILE, 0, 64, &wide, false));
    file[33] = 8;
    CHECK(is_fit(file, OBJECT_FILE, 0, 64, &wide, false));
}

/* Once a block has changed, what it leads to may not be in the file yet. */
static void a_block_that_has_changed_was_looked_at_before(void)
{
    uint8_t file[OBJECT_FILE] = {0};
    stoa_journal *journal = NULL;
    uint8_t *const end = put_fault(file + 7);

    memcpy(file, "OHDR\2\0", 6);
    file[6] = (uint8_t)(end - file - 7);
    for (size_t at = 0; at < OBJECT_FILE; at += 511) {
        const int fd = block_file(file, sizeof file);
        CHECK_OK(stoa_journal_begin(fd, OBJECT_FILE, &journal, NULL));
        uint8_t memory[OBJECT_FILE];
        memcpy(memory, file, sizeof file);
        const stoa_block block = {
            .file = &wide, .journal = journal, .bytes = memory, .n = OBJECT_FILE};
        CHECK(stoa_block_is_old(&block));
        CHECK_STR(stoa_block_fault(&block), "an object header");
        memory[at] ^= 0x80;
        CHECK(!stoa_block_is_old(&block));
        CHECK(at == 0 || stoa_block_fault(&block) == NULL);
        stoa_journal_end_transaction(journal);
        CHECK(close(fd) == 0);
    }
}

/* --- attributes and layouts, byte by byte ---------------------------------------------------- */

/* A fault is found only where the message has all of what it says. */
static void an_attribute_says_where_its_values_are(void)
{
    for (unsigned version = 1; version <= 3; version++) {
        const size_t head = version == 3 ? 9 : 8;
        for (size_t name = 1; name <= 9; name += 4) {
            const size_t pad = version == 1 ? 7 : 0;
            const size_t type_at = head + ((name + pad) & ~pad);
            const size_t space_at = type_at + ((20 + pad) & ~pad);
            const size_t values_at = space_at + 8;
            for (size_t n = head - 1; n <= values_at + 33; n++) {
                uint8_t file[OBJECT_FILE] = {0};
                uint8_t m[128] = {(uint8_t)version};
                put(m + 2, name, 2);
                put(m + 4, 20, 2);
                put(m + 6, 8, 2);
                put_sequences(m + type_at, values_at - type_at, UINT32_MAX);
                memcpy(put_message(file + 7, 0x0c, n), m, n);
                CHECK(object_is_sound(file, file + 11 + n) == (n < values_at + 32));
            }
        }
        for (uint8_t flags = 0; flags < 8; flags++) { /* its type, or its shape, lie elsewhere */
            uint8_t file[OBJECT_FILE] = {0};
            uint8_t *const m = put_message(file + 7, 0x0c, head + 8 + 24 + 8 + 32);
            m[0] = (uint8_t)version;
            m[1] = flags;
            put(m + 2, 8, 2);
            put(m + 4, 24, 2);
            put(m + 6, 8, 2);
            CHECK(object_is_sound(file, put_sequences(m + head + 8, 32, UINT32_MAX)) ==
                  (version > 1 && (flags & 3) != 0));
        }
    }
}

/* Of other classes of datatypes, and of items of no size, nothing is counted. */
static void only_values_of_variable_length_have_items(void)
{
    for (unsigned class = 0; class < 16; class ++) {
        uint8_t file[OBJECT_FILE] = {0};
        uint8_t *const m = put_message(file + 7, 0x0c, 8 + 8 + 24 + 8 + 32);
        m[0] = 2;
        put(m + 2, 8, 2);
        put(m + 4, 24, 2);
        put(m + 6, 8, 2);
        uint8_t *const end = put_sequences(m + 16, 32, UINT32_MAX);
        m[16] = (uint8_t)(0x10 | class);
        CHECK(object_is_sound(file, end) == (class != 9));
        m[16] = 0x19;
        put(m + 16 + 12, 0, 4);
        CHECK(object_is_sound(file, end));
    }
}

/* As chunks_are_sound(), with dimensions and sizes of any kind. */
static bool layout_is_sound(const uint8_t *head, size_t n_head, size_t n, unsigned size)
{
    uint8_t file[OBJECT_FILE] = {0};
    uint8_t *at = put_message(put_message(file + 7, 1, 2) + 2, 3, 2) + 2;

    at = put_message(at, 11, 2); /* a filter */
    at[1] = 1;
    uint8_t *const layout = put_message(at + 2, 8, n);
    uint8_t bytes[600] = {0};
    memcpy(bytes, head, n_head);
    put(bytes + n_head + 1, INDEX, 8); /* a fixed array is made with one number */
    memcpy(layout, bytes, n);
    memcpy(file + INDEX, "FAHD\0\1", 6);
    file[INDEX + 6] = (uint8_t)size;
    return object_is_sound(file, layout + n);
}

/* The length of a chunk takes as many bytes as its greatest number, and one more. */
static void lengths_of_chunks_take_bytes_by_their_size(void)
{
    static const struct {
        uint64_t rows, each;
        unsigned n;
    } cases[] = {{1, 1, 2},          {127, 1, 2},           {128, 1, 2},
                 {255, 1, 2},        {256, 1, 3},           {65535, 1, 3},
                 {65536, 1, 4},      {1 << 23, 1, 4},       {1 << 24, 1, 5},
                 {UINT32_MAX, 1, 5}, {1 << 16, 1 << 15, 5}, {1 << 16, 1 << 16, 5},
                 {UINT32_MAX, 8, 5}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t head[14] = {4, 2, 0, 2, 4};
        put(head + 5, cases[i].rows, 4);
        put(head + 9, cases[i].each, 4);
        head[13] = 3;
        const size_t n = sizeof head + 1 + 8;
        CHECK(layout_is_sound(head, sizeof head, n, 8 + 4 + cases[i].n));
        CHECK(!layout_is_sound(head, sizeof head, n, 8 + 4 + cases[i].n + 1));
        CHECK(!layout_is_sound(head, sizeof head, n, 8 + 4 + cases[i].n - 1));
        for (size_t k = 0; k < n; k++) { /* cut short */
            CHECK(layout_is_sound(head, sizeof head < k ? sizeof head : k, k, 99));
        }
    }
}

/* Of other versions, classes and shapes nothing is known. */
static void layouts_that_are_not_known_are_let_be(void)
{
    static const uint8_t good[] = {4, 2, 0, 2, 1, 100, 8, 3};
    static const struct {
        size_t at;
        uint8_t value;
    } others[] = {{0, 3}, {0, 5}, {1, 1}, {1, 4}, {3, 1}, {3, 34}, {4, 9}, {7, 1}, {7, 2}, {7, 6}};

    CHECK(!layout_is_sound(good, sizeof good, sizeof good + 9, 99));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        uint8_t head[sizeof good];
        memcpy(head, good, sizeof good);
        head[others[i].at] = others[i].value;
        CHECK(layout_is_sound(head, sizeof good, sizeof good + 9, 99));
    }
    uint8_t many[5 + 33 + 1] = {4, 2, 0, 33, 1}; /* as many dimensions as there can be */
    memset(many + 5, 1, 33);
    many[38] = 3;
    CHECK(layout_is_sound(many, sizeof many, sizeof many + 9, 8 + 4 + 2));
    CHECK(!layout_is_sound(many, sizeof many, sizeof many + 9, 8 + 4 + 3));
    uint8_t large[5 + 2 * 8 + 1] = {4, 2, 0, 2, 8};
    put(large + 5, 10, 8);
    put(large + 13, 10, 8);
    large[21] = 3;
    CHECK(layout_is_sound(large, sizeof large, sizeof large + 9, 8 + 4 + 2));
    CHECK(!layout_is_sound(large, sizeof large, sizeof large + 9, 8 + 4 + 3));
}

/* --- addresses ------------------------------------------------------------------------------- */

static void an_address_of_ones_leads_nowhere(void)
{
    for (unsigned size = 2; size <= 8; size *= 2) {
        const stoa_superblock how = {.length_size = 8, .address_size = size};
        const stoa_block block = {.file = &how};
        const uint64_t ones = size == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * size)) - 1;
        CHECK(stoa_is_nowhere(&block, ones));
        CHECK(!stoa_is_nowhere(&block, ones - 1));
        CHECK(size == 8 || !stoa_is_nowhere(&block, UINT64_MAX));
        CHECK(!stoa_is_nowhere(&block, 0));
    }
    CHECK(!stoa_is_power_of_two(0) && stoa_is_power_of_two(1) && stoa_is_power_of_two(1 << 20));
    CHECK(!stoa_is_power_of_two(3) && !stoa_is_power_of_two(UINT64_MAX));
    CHECK_U64(stoa_log2_of(1), 0);
    CHECK_U64(stoa_log2_of(2), 1);
    CHECK_U64(stoa_log2_of(255), 7);
    CHECK_U64(stoa_log2_of(UINT64_C(1) << 63), 63);
    CHECK_U64(stoa_little_endian((const uint8_t *)"\1\2\3\4\5\6\7\x88", 8),
              UINT64_C(0x8807060504030201));
    CHECK_U64(stoa_little_endian((const uint8_t *)"\1\2\3", 2), 0x201);
    CHECK_U64(stoa_little_endian((const uint8_t *)"\1\2\3", 0), 0);
}

/* Behind a user block addresses count from there. */
static void addresses_count_from_the_base(void)
{
    static const stoa_superblock behind = {.base = 100, .length_size = 8, .address_size = 8};
    uint8_t file[OBJECT_FILE] = {0};
    stoa_journal *journal = NULL;
    uint8_t found[6] = {0};

    memcpy(file + 300, "BTHD\0\7", 6);
    const int fd = block_file(file, sizeof file);
    CHECK_OK(stoa_journal_plain(fd, &journal, NULL));
    const stoa_block block = {.file = &behind, .journal = journal, .bytes = file, .n = 64};
    CHECK(stoa_block_read_other(&block, 200, found, 6));
    CHECK_MEM(found, "BTHD\0\7", 6);
    CHECK(stoa_block_read_other(&block, INT64_MAX - 106, found, 6)); /* zeros */
    CHECK_MEM(found, "\0\0\0\0\0\0", 6);
    CHECK(!stoa_block_read_other(&block, INT64_MAX - 105, found, 6));
    CHECK(!stoa_block_read_other(&block, UINT64_MAX - 50, found, 6));
    CHECK(stoa_block_leads_to(&block, 200, "BTHD", 7, 7));
    CHECK(stoa_block_leads_to(&block, 200, "BTHD", 6, 8));
    CHECK(!stoa_block_leads_to(&block, 200, "BTHD", 8, 9));
    CHECK(!stoa_block_leads_to(&block, 200, "BTHD", 5, 6));
    CHECK(stoa_block_leads_to(&block, 200, "TREE", 5, 6));
    CHECK(stoa_block_leads_to(&block, UINT64_MAX, "BTHD", 5, 6));
    CHECK(stoa_block_leads_to(&block, UINT64_MAX - 9, "BTHD", 5, 6)); /* cannot be read */
    CHECK_U64(stoa_block_file_size(&block), OBJECT_FILE);
    stoa_journal_set_end(journal, OBJECT_FILE + 5);
    CHECK_U64(stoa_block_file_size(&block), OBJECT_FILE + 5);
    stoa_journal_set_end(journal, 5);
    CHECK_U64(stoa_block_file_size(&block), OBJECT_FILE);
    stoa_journal_end_transaction(journal);
    CHECK(close(fd) == 0);
}

TEST_MAIN(
    TEST(a_mapping_has_dimensions_that_there_can_be),
    TEST(a_mapping_has_as_many_entries_as_it_says), TEST(names_in_a_mapping_end_in_it),
    TEST(a_mapping_is_the_object_that_libhdf5_takes),
    TEST(a_heap_has_ids_of_the_size_that_an_object_has_room_for),
    TEST(a_fixed_array_has_the_chunks_that_the_shape_has_room_for),
    TEST(a_fill_value_cannot_be_longer_than_the_file),

    TEST(the_rest_of_an_old_object_header_is_not_taken_for_one),
    TEST(bytes_behind_dense_storage_are_no_trees),

    TEST(an_object_is_looked_at_to_the_end_of_its_last_part),
    TEST(parts_are_together_no_longer_than_the_file),
    TEST(messages_that_are_cut_short_are_nobodys_business),
    TEST(what_is_no_object_of_version_1_is_let_be), TEST(messages_behind_a_fault_are_counted),
    TEST(messages_of_sizes_that_libhdf5_refuses_are_no_object_of_version_1),
    TEST(a_block_that_has_changed_was_looked_at_before),
    TEST(an_attribute_says_where_its_values_are), TEST(only_values_of_variable_length_have_items),
    TEST(lengths_of_chunks_take_bytes_by_their_size), TEST(layouts_that_are_not_known_are_let_be),
    TEST(an_address_of_ones_leads_nowhere), TEST(addresses_count_from_the_base),
    TEST(trees_of_dense_storage_are_found_behind_what_flags_say),
    TEST(headers_of_every_form_are_looked_at),
    TEST(bytes_past_those_in_memory_are_read_from_the_file),
    TEST(objects_are_looked_at_while_a_header_of_them_is_in_the_heap),
    TEST(what_is_left_over_is_a_header_at_least), TEST(an_index_has_two_bytes_and_a_size_is_padded),
    TEST(a_tree_whose_root_cannot_hold_its_records_is_refused),
    TEST(a_tree_has_a_kind_and_records_of_that_kind),
    TEST(nodes_of_a_tree_have_room_for_what_they_are_of), TEST(levels_of_old_trees_go_down),
    TEST(a_heap_whose_objects_follow_each_other_is_sound),
    TEST(an_object_that_leads_nowhere_is_found), TEST(other_bytes_are_nobodys_business),
    TEST(lengths_of_four_bytes_are_read_as_such), TEST(elements_are_no_blocks),
    TEST(free_blocks_of_a_local_heap_end), TEST(arrays_of_chunks_are_of_a_size_that_they_can_have),
    TEST(fractal_heaps_double), TEST(an_object_is_of_one_kind),
    TEST(an_object_leads_to_blocks_of_the_right_kind),
    TEST(values_in_a_header_cannot_be_longer_than_the_file),
    TEST(a_file_has_at_most_8_indexes_of_shared_messages),
    TEST(attributes_are_not_shared_where_a_file_has_no_heap_for_them),
    TEST(chunks_are_indexed_as_their_filters_say), TEST(parts_of_an_object_that_lead_round_end))
