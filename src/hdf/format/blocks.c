/* Reads blocks that another block refers to. */
#include "hdf/format/blocks.h"

#include <string.h>

enum { SIGNATURE = 4 };

bool stoa_is_nowhere(const stoa_block *block, uint64_t address)
{
    const size_t size = block->file->address_size;

    return address == (size >= 8 ? UINT64_MAX : (UINT64_C(1) << (8 * size)) - 1);
}

uint64_t stoa_block_file_size(const stoa_block *block)
{
    const uint64_t size = stoa_journal_size(block->journal);
    const uint64_t end = stoa_journal_end(block->journal);

    return size > end ? size : end;
}

bool stoa_block_is_old(const stoa_block *block)
{
    uint8_t was[512];

    for (size_t at = 0; at < block->n; at += sizeof was) {
        const size_t n = block->n - at < sizeof was ? block->n - at : sizeof was;
        if (stoa_journal_read_published(block->journal, block->address + at, was, n) != 0 ||
            memcmp(was, block->bytes + at, n) != 0) {
            return false;
        }
    }
    return true;
}

bool stoa_block_read_other(const stoa_block *block, uint64_t address, void *out, size_t n)
{
    const uint64_t base = block->file->base;

    return address <= INT64_MAX - base - n &&
           stoa_journal_read_published(block->journal, base + address, out, n) == 0;
}

bool stoa_block_leads_to(const stoa_block *block, uint64_t address, const char *signature,
                         unsigned least, unsigned most)
{
    enum { KIND = 5 };
    uint8_t head[KIND + 1];

    if (stoa_is_nowhere(block, address) ||
        !stoa_block_read_other(block, address, head, sizeof head) ||
        memcmp(head, signature, SIGNATURE) != 0) {
        return true;
    }
    return head[KIND] >= least && head[KIND] <= most;
}
