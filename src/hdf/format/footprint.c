/* The list of collected blocks, and the check that they do not overlap. */
#include "hdf/format/footprint.h"

#include <stdlib.h>
#include <string.h>

bool stoa_footprint_add_block(stoa_footprint *f, uint64_t owner, uint64_t first, uint64_t n)
{
    const stoa_file_range one = {first, n, owner};

    if (n == 0 || stoa_is_nowhere(&f->file, first)) {
        return true;
    }
    if (first > f->end || n > f->end - first) {
        f->is_outside = true;
    }
    if (!f->is_outside && f->status == STOA_OK) {
        f->status = stoa_buffer_append(&f->ranges, &one, sizeof one, NULL);
        f->n_bytes += n;
    }
    return !f->is_outside && f->status == STOA_OK && f->n_bytes <= f->end;
}

bool stoa_footprint_collect(void *object, uint64_t first, uint64_t n)
{
    const stoa_footprint_object *const o = object;

    return stoa_footprint_add_block(o->footprint, o->address, first, n);
}

void stoa_footprint_add_link(stoa_footprint *f, uint64_t object)
{
    if (f->status == STOA_OK) {
        f->status = stoa_buffer_append(&f->references, &object, sizeof object, NULL);
    }
}

bool stoa_footprint_read(const stoa_footprint_object *o, uint64_t address, void *out, size_t n)
{
    return !stoa_is_nowhere(&o->footprint->file, address) &&
           stoa_block_read_other(&o->footprint->file, address, out, n);
}

bool stoa_footprint_pass_over(const stoa_footprint_object *o)
{
    o->footprint->broken = o->address;
    return true;
}

bool stoa_footprint_finds(const stoa_footprint_object *o, uint64_t address, const char *signature)
{
    char head[4];

    if (stoa_is_nowhere(&o->footprint->file, address)) {
        return false;
    }
    const bool is_there = stoa_footprint_read(o, address, head, sizeof head) &&
                          memcmp(head, signature, sizeof head) == 0;
    return is_there || !stoa_footprint_pass_over(o);
}

void stoa_footprint_end_at(stoa_footprint *f, uint64_t end)
{
    const stoa_file_range *const all = (const stoa_file_range *)(const void *)f->ranges.data;

    f->end = end;
    for (size_t i = 0; i < f->ranges.size / sizeof *all; i++) {
        if (all[i].first > end || all[i].n > end - all[i].first) {
            f->is_outside = true;
        }
    }
}

static int compare(const void *a, const void *b)
{
    const stoa_file_range *const left = a;
    const stoa_file_range *const right = b;

    return (left->first > right->first) - (left->first < right->first);
}

bool stoa_footprint_is_apart(stoa_footprint *f, size_t from, uint64_t owners[2])
{
    const size_t n = (f->ranges.size - from) / sizeof(stoa_file_range);

    if (n < 2) {
        return true;
    }
    stoa_file_range *const all = (stoa_file_range *)(void *)(f->ranges.data + from);
    qsort(all, n, sizeof *all, compare);
    for (size_t i = 1; i < n; i++) {
        if (all[i].first - all[i - 1].first < all[i - 1].n) {
            owners[0] = all[i - 1].owner;
            owners[1] = all[i].owner;
            return false;
        }
    }
    return true;
}

void stoa_footprint_clear(stoa_footprint *f)
{
    stoa_buffer_clear(&f->ranges);
    stoa_buffer_clear(&f->references);
}
