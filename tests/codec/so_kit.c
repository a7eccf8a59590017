#include "so_kit.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/raw_chunk.h"

enum { CANARY = 0xc5, N_CANARIES = 64 };

/* --- memory ---------------------------------------------------------------------------------- */

so_block so_block_make(size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    so_block block = {.size = (size + N_CANARIES + page - 1) / page * page};

    block.map =
        mmap(NULL, block.size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(block.map != MAP_FAILED);
    CHECK(mprotect(block.map + block.size, page, PROT_NONE) == 0);
    return block;
}

uint8_t *so_block_end(const so_block *block, size_t n)
{
    CHECK(n + N_CANARIES <= block->size);
    uint8_t *end = block->map + block->size - n;
    memset(end - N_CANARIES, CANARY, N_CANARIES);
    return end;
}

bool so_block_is_whole(const so_block *block, size_t n)
{
    const uint8_t *end = block->map + block->size - n;

    for (size_t i = 1; i <= N_CANARIES; i++) {
        if (*(end - i) != CANARY) {
            return false;
        }
    }
    return true;
}

void so_block_free(so_block *block)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    CHECK(munmap(block->map, block->size + page) == 0);
}

/* --- libhdf5 --------------------------------------------------------------------------------- */

hid_t so_file(void)
{
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);

    CHECK_H5(H5Pset_fapl_core(fapl, 1 << 20, false));
    const hid_t file = H5Fcreate("scaleoffset.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    CHECK_H5(file);
    CHECK_H5(H5Pclose(fapl));
    return file;
}

hid_t so_type(const so_variety *variety)
{
    const hid_t type = H5Tcopy(variety->is_signed ? H5T_STD_I64LE : H5T_STD_U64LE);

    CHECK_H5(H5Tset_size(type, variety->size));
    CHECK_H5(H5Tset_order(type, variety->is_big_endian ? H5T_ORDER_BE : H5T_ORDER_LE));
    return type;
}

hid_t so_dataset(hid_t file, const so_variety *variety, size_t n)
{
    const hsize_t length = n;
    const hid_t type = so_type(variety);
    const hid_t space = H5Screate_simple(1, &length, NULL);
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    uint8_t fill[8];

    so_put(variety, fill, 0, variety->fill);
    CHECK_H5(H5Pset_chunk(dcpl, 1, &length));
    CHECK_H5(H5Pset_fill_value(dcpl, type, variety->has_fill ? fill : NULL));
    CHECK_H5(H5Pset_scaleoffset(dcpl, H5Z_SO_INT, (int)variety->bits));
    const hid_t dataset = H5Dcreate_anon(file, type, space, dcpl, H5P_DEFAULT);
    CHECK_H5(dataset);
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
    return dataset;
}

stoa_filter so_filter(hid_t dataset)
{
    const hid_t dcpl = H5Dget_create_plist(dataset);
    unsigned values[STOA_MAX_FILTER_VALUES];
    size_t n_values = STOA_MAX_FILTER_VALUES;
    unsigned flags = 0;
    unsigned config = 0;
    stoa_filter filter = {0};

    CHECK_H5(filter.id =
                 (uint32_t)H5Pget_filter2(dcpl, 0, &flags, &n_values, values, 0, NULL, &config));
    filter.n_values = (uint32_t)n_values;
    for (size_t i = 0; i < n_values && i < STOA_MAX_FILTER_VALUES; i++) {
        filter.values[i] = values[i];
    }
    CHECK_H5(H5Pclose(dcpl));
    return filter;
}

void so_write(hid_t dataset, const so_variety *variety, const uint8_t *values)
{
    const hid_t type = so_type(variety);

    CHECK_H5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_H5(H5Dflush(dataset));
    CHECK_H5(H5Tclose(type));
}

void so_read(hid_t dataset, const so_variety *variety, uint8_t *values)
{
    const hid_t type = so_type(variety);

    CHECK_H5(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_H5(H5Tclose(type));
}

size_t so_stored(hid_t dataset, uint8_t *stored, size_t size)
{
    const hsize_t offset = 0;
    uint32_t mask = 0;
    const size_t n = raw_chunk(dataset, &offset, stored, size, &mask);

    CHECK_U64(mask, 0);
    return n;
}

void so_store(hid_t dataset, const uint8_t *stored, size_t n_stored)
{
    const hsize_t offset = 0;

    CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &offset, n_stored, stored));
}

/* --- values ---------------------------------------------------------------------------------- */

stoa_scaleoffset so_of(const so_variety *variety, size_t n, stoa_simd simd)
{
    return (stoa_scaleoffset){.n = n,
                              .size = variety->size,
                              .bits = variety->bits,
                              .is_signed = variety->is_signed,
                              .is_big_endian = variety->is_big_endian,
                              .has_fill = variety->has_fill,
                              .fill = variety->has_fill ? variety->fill : 0,
                              .simd = simd};
}

void so_put(const so_variety *variety, uint8_t *values, size_t i, uint64_t value)
{
    for (unsigned j = 0; j < variety->size; j++) {
        const unsigned place = variety->is_big_endian ? variety->size - 1 - j : j;
        values[i * variety->size + place] = (uint8_t)(value >> (8 * j));
    }
}

uint64_t so_get(const so_variety *variety, const uint8_t *values, size_t i)
{
    uint64_t value = 0;

    for (unsigned j = 0; j < variety->size; j++) {
        const unsigned place = variety->is_big_endian ? variety->size - 1 - j : j;
        value |= (uint64_t)values[i * variety->size + place] << (8 * j);
    }
    return value;
}

void so_random_values(const so_variety *variety, unsigned width, size_t n, uint8_t *values)
{
    const unsigned n_bits = 8 * variety->size;
    const uint64_t all = UINT64_MAX >> (64 - n_bits);
    const uint64_t ones = width == 0 ? 0 : UINT64_MAX >> (64 - width);
    const uint64_t few = check_random_below(3); /* fewer than fit: around the edges of a width */
    const uint64_t span = ones > few + 2 ? ones - few : ones;
    const uint64_t sign = variety->is_signed ? UINT64_C(1) << (n_bits - 1) : 0;
    const uint64_t room = all - span; /* how far above the type's least value they may begin */
    const uint64_t least = room == UINT64_MAX ? check_random() : check_random_below(room + 1);

    for (size_t i = 0; i < n; i++) {
        const uint64_t above = span == UINT64_MAX ? check_random() : check_random_below(span + 1);
        const bool is_fill = variety->has_fill && check_random_below(5) == 0;
        const uint64_t edge = i == n / 3 ? 0 : i == n / 2 ? span : above;
        so_put(variety, values, i, is_fill ? variety->fill : (least + edge) ^ sign);
    }
}
