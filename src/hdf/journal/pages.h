/* Pages of a file that are kept in memory, found by address. */
#ifndef STOA_HDF_PAGES_H
#define STOA_HDF_PAGES_H

#include <stddef.h>
#include <stdint.h>

#define STOA_PAGE_SIZE ((uint64_t)4096)

typedef struct stoa_page {
    uint64_t address; /* a multiple of STOA_PAGE_SIZE */
    uint8_t bytes[STOA_PAGE_SIZE];
} stoa_page;

/* An open-addressing hash table. Zero-initialise; free with stoa_pages_clear(). */
typedef struct stoa_pages {
    stoa_page **slots; /* NULL: free */
    size_t n_slots;    /* a power of two, or 0 */
    size_t count;
} stoa_pages;

static inline uint64_t stoa_page_of(uint64_t address)
{
    return address & ~(STOA_PAGE_SIZE - 1);
}

/* The page at `address`, or NULL. Borrowed. */
stoa_page *stoa_pages_find(const stoa_pages *pages, uint64_t address);
/* Add a page that is not in the table. Its bytes are undefined. NULL if memory runs out. */
stoa_page *stoa_pages_add(stoa_pages *pages, uint64_t address);
/* All pages by address: an array of `count` borrowed pointers, with room for one more. The caller
 * frees the array; NULL if memory runs out. */
stoa_page **stoa_pages_sorted(const stoa_pages *pages);
void stoa_pages_clear(stoa_pages *pages);

#endif
