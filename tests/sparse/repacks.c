/* See repacks.h. */
#include "sparse/repacks.h"

#include <stdio.h>
#include <string.h>

#include "hdf/copy/repack.h"

void repacks_chunk(int rank, const hsize_t *extent, hsize_t *chunk)
{
    for (int d = 0; d < rank; d++) {
        chunk[d] = 1 + check_random_below(extent[d]);
    }
}

void repacks_coordinates(int rank, const hsize_t *extent, uint64_t i, uint64_t *at)
{
    for (int d = rank; d-- > 0;) {
        at[d] = i % extent[d];
        i /= extent[d];
    }
}

/* The elements from `first` to `last`. */
static void list_block(int rank, const hsize_t *extent, const uint64_t *first, const uint64_t *last,
                       bool *listed)
{
    uint64_t n = 1;

    for (int d = 0; d < rank; d++) {
        n *= extent[d];
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t at[REPACKS_MAX_RANK];
        bool is_in = true;

        repacks_coordinates(rank, extent, i, at);
        for (int d = 0; d < rank; d++) {
            is_in = is_in && at[d] >= first[d] && at[d] <= last[d];
        }
        listed[i] = listed[i] || is_in;
    }
}

static size_t put_place(int rank, const uint64_t *at, char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "(");

    for (int d = 0; d < rank; d++) {
        n += (size_t)snprintf(text + n, size - n, "%s%llu", d > 0 ? " , " : "",
                              (unsigned long long)at[d]);
    }
    return n + (size_t)snprintf(text + n, size - n, ")");
}

void repacks_list(int rank, const hsize_t *extent, bool *listed, char *text, size_t size)
{
    size_t n = 0;
    uint64_t n_elements = 1;

    for (int d = 0; d < rank; d++) {
        n_elements *= extent[d];
    }
    memset(listed, 0, n_elements * sizeof *listed);
    text[0] = '\0';
    for (uint64_t k = check_random_below(6); k > 0; k--) {
        static const char *const words[] = {" POINT ", " BLOCK ", ", "};
        uint64_t first[REPACKS_MAX_RANK];
        uint64_t last[REPACKS_MAX_RANK];
        const bool is_point = check_random_below(2) == 0;
        const char *const word = words[check_random_below(2) == 0 ? !is_point : 2];

        for (int d = 0; d < rank; d++) {
            first[d] = check_random_below(extent[d]);
            last[d] = first[d] + (is_point ? 0 : check_random_below(extent[d] - first[d]));
        }
        n += (size_t)snprintf(text + n, size - n, "%s", word);
        n += put_place(rank, first, text + n, size - n);
        if (!is_point) {
            n += (size_t)snprintf(text + n, size - n, " - ");
            n += put_place(rank, last, text + n, size - n);
        }
        n += (size_t)snprintf(text + n, size - n, "\n");
        list_block(rank, extent, first, last, listed);
    }
}

void repacks_run(const char *from, const char *to, stoa_relayouts *all)
{
    const hid_t file = CHECK_H5(H5Fopen(from, H5F_ACC_RDONLY, H5P_DEFAULT));
    stoa_other_storage other = stoa_relayout_storage(all);
    stoa_error err = STOA_ERROR_INIT;

    all->file = from;
    CHECK_OK(stoa_relayout_resolve(all, file, &err), &err);
    CHECK_H5(H5Fclose(file));
    CHECK_OK(stoa_hdf_repack(from, to, &other, NULL, NULL, NULL, &err), &err);
}

void repacks_chain(int n, void (*step)(void *context, const char *from, const char *to),
                   void *context)
{
    for (int i = 0; i < n; i++) {
        char from[4096];
        char to[4096];

        (void)snprintf(from, sizeof from, "%s", check_path(i % 2 == 0 ? "0.h5" : "1.h5"));
        (void)snprintf(to, sizeof to, "%s", check_path(i % 2 == 0 ? "1.h5" : "0.h5"));
        (void)remove(to);
        step(context, from, to);
    }
}
