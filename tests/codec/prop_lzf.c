/* LZF streams, made as the format has it and unpacked byte by byte beside (src/codec/lzf.c). */
#include <stdlib.h>
#include <string.h>

#include "codec/kit.h"

enum { MOST = 70000, FAR_BACK = 8192, LONGEST = 264 };

typedef struct stream {
    uint8_t *packed;
    size_t n_packed;
    uint8_t *plain;
    size_t n_plain;
} stream;

static stoa_pipeline pipeline_of_lzf(size_t n)
{
    stoa_pipeline p = pipeline_of(n, 1, STOA_SIMD_SCALAR);

    add_filter(&p, STOA_FILTER_LZF, 3, (uint32_t[]){4, 261, (uint32_t)n});
    return p;
}

static void add_literals(stream *s, size_t n)
{
    s->packed[s->n_packed++] = (uint8_t)(n - 1);
    for (size_t i = 0; i < n; i++) {
        s->packed[s->n_packed++] = s->plain[s->n_plain++] = (uint8_t)check_random();
    }
}

static void add_match(stream *s, size_t distance, size_t n)
{
    const size_t less = distance - 1;
    const size_t length = n - 2;

    s->packed[s->n_packed++] = (uint8_t)((length < 7 ? length : 7) << 5 | less >> 8);
    if (length >= 7) {
        s->packed[s->n_packed++] = (uint8_t)(length - 7);
    }
    s->packed[s->n_packed++] = (uint8_t)less;
    for (size_t i = 0; i < n; i++) {
        s->plain[s->n_plain] = s->plain[s->n_plain - distance];
        s->n_plain++;
    }
}

/* Literals, and matches near and far, short and long, into themselves too. */
static stream random_stream(size_t n)
{
    stream s = {.packed = malloc(2 * n + 2 * LONGEST), .plain = malloc(n + LONGEST)};

    CHECK(s.packed != NULL && s.plain != NULL);
    while (s.n_plain < n) {
        const size_t back = s.n_plain < FAR_BACK ? s.n_plain : FAR_BACK;
        if (s.n_plain == 0 || check_random_below(3) == 0) {
            add_literals(&s, 1 + (size_t)check_random_below(32));
        } else {
            const uint64_t near = check_random_below(4) == 0 ? 4 : back;
            const size_t distance = 1 + (size_t)check_random_below(near < back ? near : back);
            const uint64_t longest = check_random_below(2) == 0 ? 9 : LONGEST;
            add_match(&s, distance, 3 + (size_t)check_random_below(longest - 2));
        }
    }
    return s;
}

static void end(stream *s)
{
    free(s->packed);
    free(s->plain);
}

static void every_stream_is_undone(void)
{
    for (uint64_t i = check_n_cases(300); i > 0; i--) {
        stream s = random_stream(1 + (size_t)check_random_below(i % 8 == 0 ? MOST : 600));
        stoa_pipeline p = pipeline_of_lzf(s.n_plain);
        check_undone(&p, s.packed, s.n_packed, s.plain);
        check_refused(&p, s.packed, s.n_packed - 1, "damaged");
        p = pipeline_of_lzf(s.n_plain + 1);
        check_refused(&p, s.packed, s.n_packed, "damaged"); /* a byte too few */
        end(&s);
    }
}

static void extremes_are_undone(void)
{
    stream s = {.packed = malloc(MOST), .plain = malloc(MOST)};

    CHECK(s.packed != NULL && s.plain != NULL);
    for (size_t i = 0; i < FAR_BACK / 32; i++) {
        add_literals(&s, 32);
    }
    add_match(&s, FAR_BACK, LONGEST);
    add_match(&s, 1, LONGEST);
    add_match(&s, 1, 3);
    add_match(&s, FAR_BACK, 8);
    add_match(&s, LONGEST, 9);
    const stoa_pipeline p = pipeline_of_lzf(s.n_plain);
    check_undone(&p, s.packed, s.n_packed, s.plain);
    end(&s);
}

/* Of a short chunk, which nothing is written past. The room of a step may be longer than a chunk:
 * that of one behind another filter. */
static void damage_is_refused(void)
{
    const stoa_pipeline p = pipeline_of_lzf(4);

    check_refused(&p,
                  (const uint8_t *)"\x04"
                                   "abcde",
                  6, "lzf"); /* longer than the chunk */
    check_refused(&p,
                  (const uint8_t *)"\x03"
                                   "abc",
                  4, "lzf"); /* literals that are not there */
    check_refused(&p,
                  (const uint8_t *)"\x00"
                                   "a\x20\x01",
                  4, "lzf"); /* from before the chunk */
    check_refused(&p,
                  (const uint8_t *)"\x00"
                                   "a\x40\x00",
                  4, "lzf"); /* to past its end */
    check_refused(&p,
                  (const uint8_t *)"\x00"
                                   "a\x20",
                  3, "lzf"); /* without a distance */
    check_refused(&p,
                  (const uint8_t *)"\x00"
                                   "a\xe0\xff",
                  4, "lzf");                                  /* the same, long */
    check_refused(&p, (const uint8_t *)"\x20\x00", 2, "lzf"); /* nothing to repeat */
    check_undone(&p,
                 (const uint8_t *)"\x00"
                                  "a\x20\x00",
                 4, (const uint8_t *)"aaaa");
}

static void any_bytes_stay_within_the_chunk(void)
{
    uint8_t bytes[200];

    for (uint64_t i = check_n_cases(5000); i > 0; i--) {
        const size_t n = (size_t)check_random_below(sizeof bytes);
        const stoa_pipeline p = pipeline_of_lzf(1 + (size_t)check_random_below(400));
        guarded out = guarded_new(p.chunk_bytes);
        stoa_scratch scratch = {.blocks = {NULL}};
        stoa_error err = STOA_ERROR_INIT;
        const uint8_t *chunk = NULL;

        for (size_t k = 0; k < n; k++) { /* short literals, so that matches have whither to go */
            bytes[k] =
                (uint8_t)(check_random_below(2) == 0 ? check_random_below(4) : check_random());
        }
        uint8_t *exact = exact_copy(bytes, n);
        const stoa_status status =
            stoa_pipeline_undo(&p, 0, exact, n, &scratch, out.bytes, &chunk, &err);
        CHECK(status == STOA_OK || status == STOA_EDATA);
        stoa_scratch_clear(&scratch);
        guarded_end(&out);
        free(exact);
    }
}

TEST_MAIN(TEST(every_stream_is_undone), TEST(extremes_are_undone), TEST(damage_is_refused),
          TEST(any_bytes_stay_within_the_chunk))
