/* Places of chunks by number: src/hdf/chunk/chunk_map.c against a list that is searched from its
 * start.
 */
#include "hdf/chunk/chunk_map.h"

#include <string.h>

#include "support/check.h"
#include "support/sweep.h"

enum { MOST = 40, MAX_NUMBER = 60 };

typedef struct model {
    uint64_t n;
    uint64_t numbers[MOST];
    stoa_chunk_place places[MOST];
} model;

static void swap_any_two(model *m)
{
    const uint64_t i = check_random_below(m->n);
    const uint64_t k = check_random_below(m->n);
    const uint64_t number = m->numbers[i];
    const stoa_chunk_place place = m->places[i];

    m->numbers[i] = m->numbers[k];
    m->places[i] = m->places[k];
    m->numbers[k] = number;
    m->places[k] = place;
}

/* Some numbers, ascending; places one after the other, some of them with room between. */
static model make(bool is_whole)
{
    model m = {.n = 0};
    uint64_t address = check_random_below(3) * 1000;

    for (uint64_t number = 0; number < MAX_NUMBER && m.n < MOST; number++) {
        if (is_whole || check_random_below(2) == 0) {
            const uint32_t n_bytes = 1 + (uint32_t)check_random_below(50);
            m.numbers[m.n] = number;
            m.places[m.n++] = (stoa_chunk_place){address, n_bytes, (uint32_t)check_random()};
            address += n_bytes + (check_random_below(2) == 0 ? check_random_below(10) : 0);
        }
        if (is_whole && check_random_below(20) == 0) {
            break;
        }
    }
    return m;
}

static stoa_status fill(stoa_chunk_map *map, const model *m, stoa_error *err)
{
    stoa_status status = STOA_OK;

    *map = (stoa_chunk_map){.n = 0};
    for (uint64_t i = 0; status == STOA_OK && i < m->n; i++) {
        status = stoa_chunk_map_add(map, m->numbers[i], &m->places[i], err);
    }
    return status == STOA_OK ? stoa_chunk_map_finish(map, err) : status;
}

static const stoa_chunk_place *place_of(const model *m, uint64_t number)
{
    for (uint64_t i = 0; i < m->n; i++) {
        if (m->numbers[i] == number) {
            return &m->places[i];
        }
    }
    return NULL;
}

static void check_all(const stoa_chunk_map *map, const model *m)
{
    CHECK_U64(map->n, m->n);
    for (uint64_t number = 0; number <= MAX_NUMBER; number++) {
        const stoa_chunk_place *const expected = place_of(m, number);
        const stoa_chunk_place *const found = stoa_chunk_map_find(map, number);
        uint64_t next = number;
        CHECK((found == NULL) == (expected == NULL));
        if (found != NULL) {
            CHECK_U64(found->address, expected->address);
            CHECK_U64(found->n_bytes, expected->n_bytes);
            CHECK_U64(found->mask, expected->mask);
        }
        while (next <= MAX_NUMBER && place_of(m, next) == NULL) {
            next++;
        }
        CHECK_U64(stoa_chunk_map_next(map, number), next <= MAX_NUMBER ? next : UINT64_MAX);
    }
    CHECK(stoa_chunk_map_find(map, UINT64_MAX) == NULL);
}

static void a_chunk_is_found_by_its_number_in_whatever_order_they_were_met(void)
{
    for (uint64_t i = check_n_cases(2000); i > 0; i--) {
        model m = make(check_random_below(3) == 0);
        stoa_chunk_map map;
        stoa_error err = STOA_ERROR_INIT;

        for (uint64_t k = check_random_below(4); k > 0 && m.n > 0; k--) {
            swap_any_two(&m);
        }
        CHECK_OK(fill(&map, &m, &err), &err);
        check_all(&map, &m);
        stoa_chunk_map_clear(&map);
        CHECK(stoa_chunk_map_find(&map, 0) == NULL);
        CHECK_U64(stoa_chunk_map_next(&map, 0), UINT64_MAX);
    }
}

static bool share_bytes(const model *m)
{
    for (uint64_t i = 0; i < m->n; i++) {
        for (uint64_t k = 0; k < i; k++) {
            const stoa_chunk_place *const a = &m->places[i];
            const stoa_chunk_place *const b = &m->places[k];
            if (a->address < b->address + b->n_bytes && b->address < a->address + a->n_bytes) {
                return true;
            }
        }
    }
    return false;
}

static bool has_twins(const model *m)
{
    for (uint64_t i = 0; i < m->n; i++) {
        for (uint64_t k = 0; k < i; k++) {
            if (m->numbers[i] == m->numbers[k]) {
                return true;
            }
        }
    }
    return false;
}

/* One chunk is moved by a few bytes, or gets another one's number. */
static void chunks_that_are_there_twice_or_share_bytes_are_damage(void)
{
    for (uint64_t i = check_n_cases(3000); i > 0; i--) {
        model m = make(check_random_below(2) == 0);
        stoa_chunk_map map;
        stoa_error err = STOA_ERROR_INIT;

        if (m.n < 2) {
            continue;
        }
        const uint64_t which = check_random_below(m.n);
        if (check_random_below(2) == 0) {
            m.places[which].address += check_random_below(5);
            m.places[which].address -= m.places[which].address > 4 ? check_random_below(5) : 0;
        } else {
            m.numbers[which] = m.numbers[check_random_below(m.n)];
        }
        swap_any_two(&m);
        const bool is_damaged = share_bytes(&m) || has_twins(&m);
        const stoa_status status = fill(&map, &m, &err);
        CHECK_STATUS(is_damaged ? STOA_EDATA : STOA_OK, status, &err);
        if (is_damaged) {
            CHECK_CONTAINS(err.message, share_bytes(&m) ? "share bytes" : "is there twice");
        } else {
            check_all(&map, &m);
        }
        stoa_chunk_map_clear(&map);
    }
}

static void the_two_that_share_bytes_are_named(void)
{
    stoa_chunk_map map = {.n = 0};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_chunk_map_add(&map, 7, &(stoa_chunk_place){500, 10, 0}, NULL));
    CHECK_OK(stoa_chunk_map_add(&map, 3, &(stoa_chunk_place){509, 10, 0}, NULL));
    CHECK_STATUS(STOA_EDATA, stoa_chunk_map_finish(&map, &err));
    CHECK_CONTAINS(err.message, "chunks 7 and 3 share bytes");
    stoa_chunk_map_clear(&map);
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_OK(stoa_chunk_map_add(&map, 7, &(stoa_chunk_place){510, 10, 0}, NULL));
    CHECK_OK(stoa_chunk_map_add(&map, 7, &(stoa_chunk_place){500, 10, 0}, NULL));
    CHECK_STATUS(STOA_EDATA, stoa_chunk_map_finish(&map, &err));
    CHECK_CONTAINS(err.message, "chunk 7 is there twice");
    stoa_chunk_map_clear(&map);
}

/* Where none is missing, numbers take up no memory. */
static void numbers_are_kept_only_where_one_is_missing(void)
{
    stoa_chunk_map map = {.n = 0};

    for (uint64_t i = 5; i-- > 0;) {
        CHECK_OK(stoa_chunk_map_add(&map, i, &(stoa_chunk_place){100 * i, 10, 0}, NULL));
    }
    CHECK_OK(stoa_chunk_map_finish(&map, NULL));
    CHECK_U64(map.numbers.size, 0);
    stoa_chunk_map_clear(&map);
    CHECK_U64(map.places.size, 0);
    for (uint64_t i = 1; i < 5; i++) {
        CHECK_OK(stoa_chunk_map_add(&map, i, &(stoa_chunk_place){100 * i, 10, 0}, NULL));
    }
    CHECK(!map.is_disordered);
    CHECK_OK(stoa_chunk_map_finish(&map, NULL));
    CHECK(map.numbers.size != 0);
    stoa_chunk_map_clear(&map);
}

static stoa_status fill_two(stoa_error *err)
{
    const model m = {2, {1, 0}, {{100, 10, 0}, {200, 10, 0}}};
    stoa_chunk_map map;
    const stoa_status status = fill(&map, &m, err);

    stoa_chunk_map_clear(&map);
    return status;
}

static void memory_may_run_out(void)
{
    CHECK(sweep_memory(fill_two) >= 3);
}

TEST_MAIN(TEST(a_chunk_is_found_by_its_number_in_whatever_order_they_were_met),
          TEST(chunks_that_are_there_twice_or_share_bytes_are_damage),
          TEST(the_two_that_share_bytes_are_named),
          TEST(numbers_are_kept_only_where_one_is_missing), TEST(memory_may_run_out))
