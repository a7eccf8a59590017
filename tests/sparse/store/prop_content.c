/*
 * A chunk's content through any edits, with memory to be quick and without, so that it is now a
 * list, now a map, now a field, against a dense array and a mask; for src/sparse/store/content*.c,
 * content_dense.c and content_map.c.
 */
#include <stdlib.h>
#include <string.h>

#include "sparse/store/content.h"
#include "support/check.h"
#include "support/sweep.h"

enum { MOST = 3000, WIDEST = 12 };

typedef struct subject {
    stoa_sparse_format format;
    stoa_content *content;
    uint32_t n; /* elements of the chunk */
    size_t size;
    uint8_t values[MOST * WIDEST]; /* what it should be */
    uint8_t defined[MOST];
} subject;

static const uint8_t fill[WIDEST] = {7, 0, 0, 9};

static void undefine(subject *s, uint32_t i)
{
    memcpy(s->values + i * s->size, fill, s->size);
    s->defined[i] = 0;
}

static void define(subject *s, uint32_t i, const uint8_t *value)
{
    memcpy(s->values + i * s->size, value, s->size);
    s->defined[i] = 1;
}

static subject *new_subject(uint32_t n, size_t size)
{
    subject *s = calloc(1, sizeof *s);
    stoa_error err = STOA_ERROR_INIT;

    s->n = n;
    s->size = size;
    s->format = (stoa_sparse_format){
        .is_sparse = true, .is_bound = true, .n_elements = n, .element_size = size};
    for (uint32_t i = 0; i < n; i++) {
        undefine(s, i);
    }
    CHECK_OK(stoa_content_open(&s->format, &s->content, &err), &err);
    return s;
}

static void free_subject(subject *s)
{
    stoa_content_close(s->content);
    free(s);
}

static void any_values(uint8_t *values, size_t n_bytes)
{
    for (size_t i = 0; i < n_bytes; i++) {
        values[i] = (uint8_t)check_random();
    }
}

static uint32_t any_run(const subject *s, uint32_t *n)
{
    const uint32_t first = (uint32_t)check_random_below(s->n);

    *n = 1 + (uint32_t)check_random_below(check_random_below(2) == 0 ? 3 : s->n - first);
    *n = *n < s->n - first ? *n : s->n - first;
    return first;
}

/* --- edits ----------------------------------------------------------------------------------- */

static void put_run(subject *s)
{
    static uint8_t values[MOST * WIDEST];
    uint32_t n = 0;
    const uint32_t first = any_run(s, &n);
    stoa_error err = STOA_ERROR_INIT;

    any_values(values, n * s->size);
    CHECK_OK(stoa_content_put(s->content, first, n, values, NULL, &err), &err);
    for (uint32_t i = 0; i < n; i++) {
        define(s, first + i, values + i * s->size);
    }
}

/* Values apart, side by side, or backwards. */
static void put_line(subject *s)
{
    static uint8_t values[2 * MOST * WIDEST];
    const ptrdiff_t steps[] = {(ptrdiff_t)s->size, 2 * (ptrdiff_t)s->size, -(ptrdiff_t)s->size, 0};
    stoa_line line = {.first = (uint32_t)check_random_below(s->n),
                      .stride = 1 + (uint32_t)check_random_below(s->n / 4 + 1),
                      .step = steps[check_random_below(4)]};
    stoa_error err = STOA_ERROR_INIT;

    line.n = 1 + check_random_below((s->n - 1 - line.first) / line.stride + 1);
    any_values(values, 2 * line.n * s->size);
    line.values = line.step < 0 ? values + (line.n - 1) * s->size : values;
    CHECK_OK(stoa_content_put_line(s->content, &line, &err), &err);
    for (size_t i = 0; i < line.n; i++) {
        define(s, line.first + (uint32_t)i * line.stride, line.values + (ptrdiff_t)i * line.step);
    }
}

static void edit_many(subject *s)
{
    static uint32_t positions[MOST];
    static uint8_t values[MOST * WIDEST];
    const uint64_t every = 1 + check_random_below(100);
    const bool removes = check_random_below(3) == 0;
    size_t n = 0;
    stoa_error err = STOA_ERROR_INIT;

    for (uint32_t i = 0; i < s->n; i++) {
        if (check_random_below(every) == 0) {
            positions[n++] = i;
        }
    }
    any_values(values, n * s->size);
    if (removes) {
        CHECK_OK(stoa_content_remove(s->content, positions, n, &err), &err);
    } else {
        CHECK_OK(stoa_content_merge(s->content, positions, n, values, &err), &err);
    }
    for (size_t i = 0; i < n; i++) {
        if (removes) {
            undefine(s, positions[i]);
        } else {
            define(s, positions[i], values + i * s->size);
        }
    }
}

static void erase_run(subject *s)
{
    uint32_t n = 0;
    const uint32_t first = any_run(s, &n);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_content_erase(s->content, first, n, &err), &err);
    for (uint32_t i = 0; i < n; i++) {
        undefine(s, first + i);
    }
}

/* --- what is seen ---------------------------------------------------------------------------- */

static void get_run(const subject *s)
{
    static uint8_t values[MOST * WIDEST];
    static uint8_t defined[MOST];
    uint32_t n = 0;
    const uint32_t first = any_run(s, &n);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_content_get(s->content, first, n, fill, values, defined, NULL, &err), &err);
    CHECK_MEM(values, s->values + first * s->size, n * s->size);
    CHECK_MEM(defined, s->defined + first, n);
}

static void is_the_model(const subject *s)
{
    const stoa_sparse_chunk *list = NULL;
    size_t n = 0;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_content_list(s->content, &list, &err), &err);
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->defined[i]) {
            CHECK(n < list->n);
            CHECK_U64(list->positions[n], i);
            CHECK_MEM(list->values + n * s->size, s->values + i * s->size, s->size);
            n++;
        }
    }
    CHECK_U64(list->n, n);
    CHECK_U64(stoa_content_n(s->content), n);
}

static void one_step(subject *s)
{
    switch (check_random_below(12)) {
    case 0:
        edit_many(s);
        break;
    case 1:
    case 2:
        erase_run(s);
        break;
    case 3:
        is_the_model(s);
        break;
    case 4:
        stoa_content_unlist(s->content);
        break;
    case 5:
        stoa_content_allow(s->content, check_random_below(2) == 0 ? 0 : 2 * MOST * WIDEST);
        break;
    case 6:
    case 7:
        get_run(s);
        break;
    case 8:
    case 9:
        put_line(s);
        break;
    default:
        put_run(s);
        break;
    }
}

static void a_content_is_a_dense_array_and_a_mask(void)
{
    static const size_t sizes[] = {1, 4, 8, WIDEST};

    for (uint64_t i = 0; i < check_n_cases(300); i++) {
        const uint32_t most = check_random_below(2) == 0 ? 130 : MOST;
        subject *s =
            new_subject(1 + (uint32_t)check_random_below(most), sizes[check_random_below(4)]);
        for (uint64_t j = check_random_below(60); j > 0; j--) {
            one_step(s);
        }
        is_the_model(s);
        free_subject(s);
    }
}

/* --- memory ---------------------------------------------------------------------------------- */

/* Four-byte elements, one after the other from the last to the first: no list takes that. */
static void put_backwards(subject *s, uint32_t n)
{
    stoa_error err = STOA_ERROR_INIT;

    for (uint32_t i = n; i-- > 0;) {
        CHECK_OK(stoa_content_put(s->content, 40 * i, 1, fill, NULL, &err), &err);
        define(s, 40 * i, fill);
    }
}

static void memory_that_is_not_allowed_is_not_taken_until_a_map_is_as_large(void)
{
    subject *s = new_subject(MOST, 4);

    put_backwards(s, 60);
    CHECK(stoa_content_bytes(s->content) < MOST * 4);
    is_the_model(s);
    stoa_content_unlist(s->content);
    stoa_content_allow(s->content, MOST * 5);
    put_backwards(s, 1);
    CHECK(stoa_content_bytes(s->content) > MOST * 4);
    CHECK(stoa_content_bytes(s->content) < MOST * 5);
    is_the_model(s);
    free_subject(s);
}

static void a_list_that_is_not_wanted_takes_no_memory(void)
{
    subject *s = new_subject(MOST, 4);

    put_backwards(s, 60);
    const size_t before = stoa_content_bytes(s->content);
    is_the_model(s);
    CHECK(stoa_content_bytes(s->content) > before);
    stoa_content_unlist(s->content);
    CHECK_U64(stoa_content_bytes(s->content), before);
    is_the_model(s);
    free_subject(s);
}

/* From a list to a map to a field, by lines. */
static stoa_status edit(stoa_error *err)
{
    static const stoa_sparse_format format = {
        .is_sparse = true, .is_bound = true, .n_elements = MOST, .element_size = 4};
    static uint8_t values[MOST * 4];
    const stoa_sparse_chunk *list = NULL;
    stoa_content *content = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_content_open(&format, &content, err));
    for (uint32_t i = 20; i-- > 0;) {
        const stoa_line line = {.first = i, .stride = 100, .n = 30, .values = values, .step = 8};
        stoa_content_allow(content, i < 5 ? MOST * 5 : 0);
        STOA_TRY(stoa_content_put_line(content, &line, err));
    }
    STOA_TRY(stoa_content_list(content, &list, err));
    CHECK_U64(list->n, 600);

done:
    stoa_content_close(content);
    return status;
}

static void memory_may_run_out_anywhere(void)
{
    CHECK(sweep_memory(edit) > 20);
}

TEST_MAIN(TEST(a_content_is_a_dense_array_and_a_mask),
          TEST(memory_that_is_not_allowed_is_not_taken_until_a_map_is_as_large),
          TEST(a_list_that_is_not_wanted_takes_no_memory), TEST(memory_may_run_out_anywhere))
