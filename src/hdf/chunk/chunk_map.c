/* Chunk addresses in arrays that are sorted by chunk number. */
#include "hdf/chunk/chunk_map.h"

#include <stdlib.h>

static stoa_chunk_place *places_of(const stoa_chunk_map *map)
{
    return (stoa_chunk_place *)(void *)map->places.data;
}

static uint64_t *numbers_of(const stoa_chunk_map *map)
{
    return (uint64_t *)(void *)map->numbers.data;
}

stoa_status stoa_chunk_map_add(stoa_chunk_map *map, uint64_t number, const stoa_chunk_place *place,
                               stoa_error *err)
{
    if ((map->n > 0 && number <= numbers_of(map)[map->n - 1]) || place->address < map->end) {
        map->is_disordered = true;
    }
    STOA_RETURN_NOT_OK(stoa_buffer_append(&map->numbers, &number, sizeof number, err));
    STOA_RETURN_NOT_OK(stoa_buffer_append(&map->places, place, sizeof *place, err));
    map->end = place->address + place->n_bytes;
    map->n++;
    return STOA_OK;
}

/* A chunk, for sorting. */
typedef struct numbered {
    uint64_t number;
    stoa_chunk_place place;
} numbered;

static int by_address(const void *a, const void *b)
{
    const uint64_t x = ((const numbered *)a)->place.address;
    const uint64_t y = ((const numbered *)b)->place.address;

    return (x > y) - (x < y);
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = ((const numbered *)a)->number;
    const uint64_t y = ((const numbered *)b)->number;

    return (x > y) - (x < y);
}

/* Sort by address, then by number. Chunks must not overlap, and numbers not repeat. */
static stoa_status check_order(numbered *all, uint64_t n, stoa_error *err)
{
    qsort(all, (size_t)n, sizeof *all, by_address);
    for (uint64_t i = 1; i < n; i++) {
        if (all[i].place.address - all[i - 1].place.address < all[i - 1].place.n_bytes) {
            return stoa_fail(
                err, STOA_EDATA, "chunks %llu and %llu share bytes: the file is damaged",
                (unsigned long long)all[i - 1].number, (unsigned long long)all[i].number);
        }
    }
    qsort(all, (size_t)n, sizeof *all, by_number);
    for (uint64_t i = 1; i < n; i++) {
        if (all[i].number == all[i - 1].number) {
            return stoa_fail(err, STOA_EDATA, "chunk %llu is there twice: the file is damaged",
                             (unsigned long long)all[i].number);
        }
    }
    return STOA_OK;
}

static stoa_status sort(stoa_chunk_map *map, stoa_error *err)
{
    stoa_status status = STOA_OK;
    numbered *all = stoa_alloc((size_t)map->n, sizeof *all);

    STOA_TRY(all != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint64_t i = 0; i < map->n; i++) {
        all[i] = (numbered){numbers_of(map)[i], places_of(map)[i]};
    }
    STOA_TRY(check_order(all, map->n, err));
    for (uint64_t i = 0; i < map->n; i++) {
        numbers_of(map)[i] = all[i].number;
        places_of(map)[i] = all[i].place;
    }

done:
    free(all);
    return status;
}

stoa_status stoa_chunk_map_finish(stoa_chunk_map *map, stoa_error *err)
{
    if (map->is_disordered) {
        STOA_RETURN_NOT_OK(sort(map, err));
    }
    if (map->n > 0 && numbers_of(map)[map->n - 1] == map->n - 1) {
        stoa_buffer_clear(&map->numbers); /* no gaps: numbers equal positions */
    }
    return STOA_OK;
}

void stoa_chunk_map_clear(stoa_chunk_map *map)
{
    stoa_buffer_clear(&map->places);
    stoa_buffer_clear(&map->numbers);
    *map = (stoa_chunk_map){.n = 0};
}

/* Index of the first entry with a number of at least `number`, or n. */
static uint64_t entry_from(const stoa_chunk_map *map, uint64_t number)
{
    const uint64_t *numbers = numbers_of(map);
    uint64_t low = 0;
    uint64_t high = map->n;

    if (numbers == NULL) {
        return number < map->n ? number : map->n;
    }
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (numbers[middle] < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static uint64_t number_of(const stoa_chunk_map *map, uint64_t entry)
{
    const uint64_t *numbers = numbers_of(map);

    return numbers == NULL ? entry : numbers[entry];
}

uint64_t stoa_chunk_map_next(const stoa_chunk_map *map, uint64_t number)
{
    const uint64_t entry = entry_from(map, number);

    return entry < map->n ? number_of(map, entry) : UINT64_MAX;
}

const stoa_chunk_place *stoa_chunk_map_find(const stoa_chunk_map *map, uint64_t number)
{
    const uint64_t entry = entry_from(map, number);

    return entry < map->n && number_of(map, entry) == number ? &places_of(map)[entry] : NULL;
}
