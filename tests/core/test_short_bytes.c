/* Short runs of bytes, each length beside the C library's functions and at the end of a page. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/short_bytes.h"
#include "support/check.h"

enum { MOST = 80 };

/* Room for MOST bytes that ends where no byte can be read or written. */
static char *room_at_the_end(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *const two =
        mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(two != MAP_FAILED);
    CHECK(mprotect(two + page, page, PROT_NONE) == 0);
    return two + page - MOST;
}

/* Bytes of few values, so that parts are found by chance, with zeros and bytes above 127. */
static void fill(char *bytes, size_t n, unsigned *seed)
{
    static const char some[] = {'a', 'b', 'a', '`', '\0', '\x80', '\xe1', 'c'};

    for (size_t i = 0; i < n; i++) {
        *seed = *seed * 1103515245u + 12345;
        bytes[i] = some[*seed >> 16 & 7];
    }
}

static void words_hold_the_first_bytes_and_zeros(void)
{
    char *const text = room_at_the_end() + MOST;
    unsigned seed = 1;

    for (size_t n = 0; n <= 8; n++) {
        uint64_t expected = 0;
        char back[16] = {0};
        fill(text - n, n, &seed);
        for (size_t i = 0; i < n; i++) {
            expected |= (uint64_t)(unsigned char)text[(ptrdiff_t)i - (ptrdiff_t)n] << 8 * i;
        }
        CHECK(stoa_word_of(text - n, n) == expected);
        stoa_write_word(back, expected, n);
        CHECK(memcmp(back, text - n, n) == 0);
        stoa_write_word(text - n, expected, n); /* not beyond them */
    }
}

static void copies_and_comparisons_are_those_of_the_c_library(void)
{
    char *const end = room_at_the_end() + MOST;
    char *const other_end = room_at_the_end() + MOST;
    unsigned seed = 2;

    for (size_t n = 0; n <= MOST; n++) {
        char *const a = end - n;
        char *const b = other_end - n;
        fill(a, n, &seed);
        stoa_copy_bytes(b, a, n);
        CHECK(memcmp(a, b, n) == 0);
        CHECK(stoa_same_bytes(a, b, n));
        for (size_t i = 0; i < n; i++) {
            b[i] ^= 1;
            CHECK(!stoa_same_bytes(a, b, n));
            b[i] ^= 1;
        }
    }
}

static void one_byte_above_127_is_not_ascii(void)
{
    char *const end = room_at_the_end() + MOST;

    memset(end - MOST, 'x', MOST);
    for (size_t n = 0; n <= MOST; n++) {
        CHECK(stoa_is_ascii(end - n, n));
        for (size_t i = 0; i < n; i++) {
            end[(ptrdiff_t)i - (ptrdiff_t)n] = '\x80';
            CHECK(!stoa_is_ascii(end - n, n));
            end[(ptrdiff_t)i - (ptrdiff_t)n] = '\x7f';
        }
    }
}

static void parts_are_found_where_memmem_finds_them(void)
{
    char *const end = room_at_the_end() + MOST;
    char part[8];
    unsigned seed = 3;
    unsigned n_found = 0;

    for (unsigned k = 0; k < 40000; k++) {
        const size_t n = k % (MOST + 1);
        const size_t n_part = k % 7;
        fill(end - n, n, &seed);
        fill(part, n_part, &seed);
        const char *const at = memmem(end - n, n, part, n_part);
        const size_t found = stoa_find_bytes(end - n, n, part, n_part);
        CHECK(found == (at != NULL ? (size_t)(at - (end - n)) : SIZE_MAX));
        n_found += at != NULL;
    }
    CHECK(n_found > 10000 && n_found < 35000);
}

TEST_MAIN(TEST(words_hold_the_first_bytes_and_zeros),
          TEST(copies_and_comparisons_are_those_of_the_c_library),
          TEST(one_byte_above_127_is_not_ascii), TEST(parts_are_found_where_memmem_finds_them))
