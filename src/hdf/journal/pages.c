/* A hash table with linear probing, at most half full. */
#include "hdf/journal/pages.h"

#include <stdlib.h>

#include "core/memory.h"

/* Fibonacci hashing, which spreads adjacent pages over the table. */
static size_t home_of(uint64_t address, size_t n_slots)
{
    const uint64_t mixed = (address / STOA_PAGE_SIZE) * UINT64_C(0x9E3779B97F4A7C15);

    return (size_t)(mixed >> 32) & (n_slots - 1);
}

static stoa_page **slot_of(stoa_page **slots, size_t n_slots, uint64_t address)
{
    size_t i = home_of(address, n_slots);

    while (slots[i] != NULL && slots[i]->address != address) {
        i = (i + 1) & (n_slots - 1);
    }
    return &slots[i];
}

stoa_page *stoa_pages_find(const stoa_pages *pages, uint64_t address)
{
    return pages->n_slots == 0 ? NULL : *slot_of(pages->slots, pages->n_slots, address);
}

static stoa_status grow(stoa_pages *pages)
{
    const size_t n_slots = pages->n_slots == 0 ? 64 : pages->n_slots * 2;
    stoa_page **slots = stoa_alloc_zero(n_slots, sizeof *slots);

    if (slots == NULL) {
        return STOA_ENOMEM;
    }
    for (size_t i = 0; i < pages->n_slots; i++) {
        if (pages->slots[i] != NULL) {
            *slot_of(slots, n_slots, pages->slots[i]->address) = pages->slots[i];
        }
    }
    free(pages->slots);
    pages->slots = slots;
    pages->n_slots = n_slots;
    return STOA_OK;
}

stoa_page *stoa_pages_add(stoa_pages *pages, uint64_t address)
{
    if (pages->count >= pages->n_slots / 2 && grow(pages) != STOA_OK) {
        return NULL;
    }

    stoa_page *page = stoa_alloc(1, sizeof *page);
    if (page != NULL) {
        page->address = address;
        *slot_of(pages->slots, pages->n_slots, address) = page;
        pages->count++;
    }
    return page;
}

static int by_address(const void *a, const void *b)
{
    const stoa_page *const *left = a;
    const stoa_page *const *right = b;

    return ((*left)->address > (*right)->address) - ((*left)->address < (*right)->address);
}

stoa_page **stoa_pages_sorted(const stoa_pages *pages)
{
    stoa_page **sorted = stoa_alloc(pages->count + 1, sizeof *sorted);
    size_t n = 0;

    if (sorted == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < pages->n_slots; i++) {
        if (pages->slots[i] != NULL) {
            sorted[n++] = pages->slots[i];
        }
    }
    qsort(sorted, n, sizeof *sorted, by_address);
    return sorted;
}

void stoa_pages_clear(stoa_pages *pages)
{
    for (size_t i = 0; i < pages->n_slots; i++) {
        free(pages->slots[i]);
    }
    free(pages->slots);
    *pages = (stoa_pages){0};
}
