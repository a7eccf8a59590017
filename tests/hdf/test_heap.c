/* Global heaps and trees that lead astray: src/hdf/heap.c. */
#include "hdf/heap.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"

enum { SIZE = 4096, SHOWN = 64 };

static void put(uint8_t *bytes, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
}

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
    stoa_journal *journal = NULL;
    const int fd = open(check_path("heap"), O_RDWR | O_CREAT | O_TRUNC, 0666);

    CHECK(fd >= 0 && pwrite(fd, heap, SIZE, 512) == SIZE);
    CHECK_OK(stoa_journal_plain(fd, &journal, NULL));
    const bool whole = stoa_heap_is_sound(journal, 512, heap, SIZE, 8);
    CHECK(stoa_heap_is_sound(journal, 512, heap, SHOWN, 8) == whole);
    stoa_journal_end_transaction(journal);
    CHECK(close(fd) == 0);
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
    put_object(heap, 40, 2, SIZE); /* past the end */
    CHECK(!is_sound(heap));
    make_heap(heap);
    put_object(heap, 160, 3, SIZE - 160); /* past it by its header */
    CHECK(!is_sound(heap));
    make_heap(heap);
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
    const bool found = stoa_heap_is_sound(journal, 512, memory, n, 8);
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

static void what_cannot_be_read_is_not_sound(void)
{
    uint8_t heap[SIZE];
    stoa_journal *journal = NULL;
    const int fd = open(check_path("heap"), O_WRONLY | O_CREAT | O_TRUNC, 0666);

    make_heap(heap);
    CHECK(fd >= 0 && pwrite(fd, heap, SIZE, 512) == SIZE);
    CHECK_OK(stoa_journal_plain(fd, &journal, NULL));
    CHECK(!stoa_heap_is_sound(journal, 512, heap, SHOWN, 8));
    CHECK(stoa_heap_is_sound(journal, 512, heap, SIZE, 8));
    stoa_journal_end_transaction(journal);
    CHECK(close(fd) == 0);
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

static void lengths_of_more_than_eight_bytes_are_nobodys_business(void)
{
    uint8_t heap[SIZE];

    make_heap(heap);
    memset(heap + 8, 0xff, SIZE - 8);
    CHECK(!stoa_heap_is_sound(NULL, 0, heap, SIZE, 8));
    CHECK(stoa_heap_is_sound(NULL, 0, heap, SIZE, 9));
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

static void lengths_of_four_bytes_are_read_as_such(void)
{
    uint8_t heap[SIZE] = {0};

    memcpy(heap, "GCOL\1", 5);
    put(heap + 8, 128, 4);
    put(heap + 12, 0, 4); /* padding */
    put(heap + 16, 0, 2);
    put(heap + 24, 112, 4);
    put(heap + 28, 0xffffffff, 4);
    CHECK(stoa_heap_is_sound(NULL, 0, heap, SIZE, 4));
    CHECK(!stoa_heap_is_sound(NULL, 0, heap, SIZE, 8));
}

/* The header of a B-tree of attributes: nodes of 512 bytes, ten of them overhead, records of 17. */
static bool tree_is_sound(uint64_t n_records, unsigned offset_size)
{
    uint8_t header[38] = "BTHD";

    put(header + 6, 512, 4);
    put(header + 10, 17, 2);
    put(header + 16 + offset_size, n_records, 2);
    return stoa_tree_is_sound(header, 30 + (size_t)offset_size, 8);
}

static void a_tree_whose_root_cannot_hold_its_records_is_refused(void)
{
    CHECK(tree_is_sound(0, 8) && tree_is_sound(29, 8)); /* 29 * 17 = 493 of 502 */
    CHECK(!tree_is_sound(30, 8) && !tree_is_sound(65292, 8));
    CHECK(tree_is_sound(29, 4) && !tree_is_sound(30, 4));
    CHECK(stoa_tree_is_sound("BTHD", 4, 8)); /* not a whole header */
}

static void a_tree_is_judged_by_a_whole_header_alone(void)
{
    uint8_t header[48] = "BTHD";

    put(header + 6, 512, 4);
    put(header + 10, 17, 2);
    memset(header + 16, 0xff, 32); /* records in the root, wherever they are */
    CHECK(stoa_tree_is_sound(header, 29, 8));
    CHECK(!stoa_tree_is_sound(header, 30, 8));
    CHECK(!stoa_tree_is_sound(header, 38, 8));
    CHECK(stoa_tree_is_sound(header, 39, 8)); /* addresses of nine bytes */
    CHECK(!stoa_tree_is_sound(header, 34, 4));
    header[4] = 1; /* a version that does not exist */
    CHECK(stoa_tree_is_sound(header, 38, 8));
}

static void fields_of_a_tree_end_where_the_next_ones_begin(void)
{
    uint8_t header[38] = "BTHD";

    put(header + 6, 512, 4);
    put(header + 10, 17, 2);
    put(header + 12, 0xffff, 2); /* depth */
    put(header + 24, 29, 2);
    put(header + 26, UINT64_MAX, 8); /* records in all */
    CHECK(stoa_tree_is_sound(header, 38, 8));
    put(header + 24, 30, 2);
    CHECK(!stoa_tree_is_sound(header, 38, 8));
}

static void a_node_of_a_tree_has_room_for_its_own_ten_bytes(void)
{
    uint8_t header[38] = "BTHD";

    put(header + 6, 10, 4);
    CHECK(stoa_tree_is_sound(header, 38, 8));
    put(header + 6, 9, 4);
    CHECK(!stoa_tree_is_sound(header, 38, 8));
    put(header + 6, 0x01000009, 4); /* four bytes of size */
    CHECK(stoa_tree_is_sound(header, 38, 8));
}

TEST_MAIN(TEST(a_heap_whose_objects_follow_each_other_is_sound),
          TEST(an_object_that_leads_nowhere_is_found),
          TEST(bytes_past_those_in_memory_are_read_from_the_file),
          TEST(what_cannot_be_read_is_not_sound),
          TEST(objects_are_looked_at_while_a_header_of_them_is_in_the_heap),
          TEST(what_is_left_over_is_a_header_at_least),
          TEST(an_index_has_two_bytes_and_a_size_is_padded),
          TEST(lengths_of_more_than_eight_bytes_are_nobodys_business),
          TEST(other_bytes_are_nobodys_business), TEST(lengths_of_four_bytes_are_read_as_such),
          TEST(a_tree_whose_root_cannot_hold_its_records_is_refused),
          TEST(a_tree_is_judged_by_a_whole_header_alone),
          TEST(fields_of_a_tree_end_where_the_next_ones_begin),
          TEST(a_node_of_a_tree_has_room_for_its_own_ten_bytes))
