/* Streams of BloscLZ, made by hand after the format in src/codec/blosclz.c, against what runs and
 * matches mean: byte after byte. */
#include <stdlib.h>
#include <string.h>

#include "codec/blosclz.h"
#include "codec/kit.h"

enum { MOST = 100000, NEAR = 8191 };

/* A stream in the making, and what it unpacks to. */
typedef struct making {
    uint8_t packed[MOST];
    uint8_t plain[MOST];
    size_t n_packed;
    size_t n_plain;
} making;

static void put(making *m, size_t byte)
{
    CHECK(byte <= 255 && m->n_packed < MOST);
    m->packed[m->n_packed++] = (uint8_t)byte;
}

static void put_literals(making *m, size_t n)
{
    CHECK(n >= 1 && n <= 32);
    put(m, n - 1);
    for (size_t i = 0; i < n; i++) {
        const uint8_t byte = (uint8_t)check_random();
        put(m, byte);
        m->plain[m->n_plain++] = byte;
    }
}

/* n bytes, at least 3, that lie `distance` before. */
static void put_match(making *m, size_t distance, size_t n)
{
    const size_t length = n - 2;
    const bool is_far = distance > NEAR;
    const size_t less = is_far ? NEAR : distance - 1;

    put(m, (length < 7 ? length : 7) << 5 | less >> 8);
    if (length >= 7) {
        size_t left = length - 7;
        for (; left >= 255; left -= 255) {
            put(m, 255);
        }
        put(m, left);
    }
    put(m, less & 255);
    if (is_far) {
        put(m, (distance - 1 - NEAR) >> 8);
        put(m, (distance - 1 - NEAR) & 255);
    }
    for (size_t i = 0; i < n; i++, m->n_plain++) {
        m->plain[m->n_plain] = m->plain[m->n_plain - distance];
    }
}

static bool unpacks_to(const making *m, size_t n_packed, size_t n_plain)
{
    uint8_t *in = exact_copy(m->packed, n_packed);
    guarded out = guarded_new(n_plain);
    const bool is_sound = stoa_blosclz_undo(in, n_packed, out.bytes, n_plain);

    if (is_sound) {
        CHECK_MEM(out.bytes, m->plain, n_plain);
    }
    guarded_end(&out);
    free(in);
    return is_sound;
}

static making *new_stream(void)
{
    static making m;

    m.n_packed = m.n_plain = 0;
    put_literals(&m, 32);
    return &m;
}

static void runs_and_matches_of_every_length_are_undone(void)
{
    making *m = new_stream();

    put_literals(m, 32);
    for (size_t n = 1; n <= 32; n++) {
        put_literals(m, n);
        put_match(m, n, n + 2);  /* as long as it is far, and longer */
        put_match(m, 40, n + 2); /* nearly all short */
    }
    for (size_t n = 260; n < 270; n++) { /* where a second byte of length begins */
        put_match(m, 1, n);
        put_match(m, 33, n + 255);
    }
    CHECK(unpacks_to(m, m->n_packed, m->n_plain));
}

static void matches_lie_as_far_back_as_they_say(void)
{
    static const size_t distances[] = {1,    2,    255,  256,  257,  4096, 8190,  8191,
                                       8192, 8193, 8446, 8447, 8448, 8700, 16383, 20000};
    making *m = new_stream();

    while (m->n_plain < 30000) {
        put_literals(m, 32);
    }
    for (size_t i = 0; i < sizeof distances / sizeof distances[0]; i++) {
        put_match(m, distances[i], 5);
        put_match(m, distances[i], 20);
    }
    CHECK(unpacks_to(m, m->n_packed, m->n_plain));
}

static void a_stream_that_is_cut_or_goes_on_is_refused(void)
{
    making *m = new_stream();

    put_match(m, 3, 5);
    put_match(m, 3, 600);
    while (m->n_plain < 9000) {
        put_match(m, 1, 1000);
    }
    put_match(m, 9000, 5);
    put_literals(m, 1);
    CHECK(unpacks_to(m, m->n_packed, m->n_plain));
    for (size_t n = 0; n < m->n_packed; n++) {
        CHECK(!unpacks_to(m, n, m->n_plain));
    }
    for (size_t n = 0; n < m->n_plain; n += n < m->n_plain - 10 ? 7 : 1) {
        CHECK(!unpacks_to(m, m->n_packed, n));
    }
}

/* The first control is always a run, whatever its upper bits. */
static void upper_bits_of_the_first_byte_name_the_format(void)
{
    making *m = new_stream();

    m->packed[0] |= 0x20;
    CHECK(unpacks_to(m, m->n_packed, m->n_plain));
}

static void a_match_from_before_the_begin_is_refused(void)
{
    making *m = new_stream();

    put_match(m, 32, 3);
    CHECK(unpacks_to(m, m->n_packed, m->n_plain));
    m->packed[m->n_packed - 1]++;
    CHECK(!unpacks_to(m, m->n_packed, m->n_plain));
    m->packed[m->n_packed - 2] |= 31;
    CHECK(!unpacks_to(m, m->n_packed, m->n_plain));
}

TEST_MAIN(TEST(runs_and_matches_of_every_length_are_undone),
          TEST(matches_lie_as_far_back_as_they_say),
          TEST(a_stream_that_is_cut_or_goes_on_is_refused),
          TEST(upper_bits_of_the_first_byte_name_the_format),
          TEST(a_match_from_before_the_begin_is_refused))
