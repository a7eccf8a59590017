/* Each bound of a global heap's walk, without a sanitizer: src/hdf/heap.c. What is no bound of it
 * is in test_blocks.c. */
#include "hdf/blocks.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"

enum { SIZE = 4096 };

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

/* What the file has, and what of it is in memory, which are `n` bytes of other ones. */
static bool is_sound_of(const uint8_t file[SIZE], size_t n_file, const uint8_t *memory, size_t n,
                        unsigned length_size)
{
    const stoa_superblock how = {.length_size = length_size, .address_size = 8};
    stoa_journal *journal = NULL;
    const int fd = open(check_path("heap"), O_RDWR | O_CREAT | O_TRUNC, 0666);

    CHECK(fd >= 0 && pwrite(fd, file, n_file, 512) == (ssize_t)n_file);
    CHECK_OK(stoa_journal_plain(fd, &journal, NULL));
    const stoa_block block = {
        .file = &how, .journal = journal, .address = 512, .bytes = memory, .n = n, .is_data = true};
    const bool found = stoa_global_heap_is_sound(&block);
    stoa_journal_end_transaction(journal);
    CHECK(close(fd) == 0);
    return found;
}

static bool is_sound_between(const uint8_t file[SIZE], const uint8_t *memory, size_t n)
{
    return is_sound_of(file, SIZE, memory, n, 8);
}

static bool is_sound(const uint8_t heap[SIZE])
{
    return is_sound_between(heap, heap, SIZE);
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

TEST_MAIN(TEST(bytes_past_those_in_memory_are_read_from_the_file),
          TEST(objects_are_looked_at_while_a_header_of_them_is_in_the_heap),
          TEST(what_is_left_over_is_a_header_at_least),
          TEST(an_index_has_two_bytes_and_a_size_is_padded))
