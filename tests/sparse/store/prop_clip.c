/* Elements of a chunk that a box cuts through, by every instruction set, in place and elsewhere,
 * against the coordinates of each. For src/sparse/store/clip*.c. */
#include <stdlib.h>
#include <string.h>

#include "sparse/store/clip.h"
#include "sparse/store/clip_rows.h"
#include "support/any_simd.h"
#include "support/check.h"

enum { MAX_RANK = 3, MOST = 3000, MAX_SIZE = 8 };

typedef struct cut {
    stoa_shape shape;
    stoa_box part;
    size_t size;
    stoa_sparse_chunk chunk;
} cut;

/* Chunks of all widths, of few elements and of many, far from each other and side by side. */
static cut any_cut(void)
{
    const size_t sizes[] = {0, 1, 4, 8};
    const unsigned rank = 1 + (unsigned)check_random_below(MAX_RANK);
    const uint64_t widest = check_random_below(3) == 0 ? 1500 : 40;
    cut c = {.size = sizes[check_random_below(4)]};
    uint64_t extent[MAX_RANK];

    for (unsigned i = 0; i < rank; i++) {
        extent[i] = 1 + check_random_below(widest);
    }
    CHECK_OK(stoa_shape_make(rank, extent, extent, &c.shape, NULL));
    for (unsigned i = 0; i < rank; i++) {
        c.part.start[i] = check_random_below(extent[i] + 1);
        c.part.count[i] = check_random_below(extent[i] - c.part.start[i] + 1);
    }
    c.chunk.positions = malloc(MOST * sizeof *c.chunk.positions);
    c.chunk.values = malloc((size_t)MOST * MAX_SIZE);
    const uint64_t farthest = 1 + check_random_below(1 + c.shape.n_elements / 100);
    for (uint64_t at = check_random_below(farthest); c.chunk.n < MOST && at < c.shape.n_elements;
         at += 1 + check_random_below(farthest)) {
        c.chunk.positions[c.chunk.n++] = (uint32_t)at;
    }
    for (size_t i = 0; i < c.chunk.n * c.size; i++) {
        c.chunk.values[i] = (uint8_t)check_random();
    }
    return c;
}

static bool is_in(const cut *c, uint32_t position)
{
    const uint64_t origin[MAX_RANK] = {0};
    uint64_t at[MAX_RANK];

    stoa_shape_element(&c->shape, origin, position, at);
    for (unsigned i = 0; i < c->shape.rank; i++) {
        if (at[i] < c->part.start[i] || at[i] >= c->part.start[i] + c->part.count[i]) {
            return false;
        }
    }
    return true;
}

static void check_kept(const cut *c, const stoa_sparse_chunk *kept)
{
    size_t n = 0;

    for (size_t i = 0; i < c->chunk.n; i++) {
        if (is_in(c, c->chunk.positions[i])) {
            CHECK(n < kept->n);
            CHECK_U64(kept->positions[n], c->chunk.positions[i]);
            CHECK_MEM(kept->values + n * c->size, c->chunk.values + i * c->size, c->size);
            n++;
        }
    }
    CHECK_U64(kept->n, n);
}

/* A copy that has no room for more. */
static stoa_sparse_chunk copy_of(const cut *c)
{
    stoa_sparse_chunk copy = {.n = c->chunk.n,
                              .positions = malloc(c->chunk.n * sizeof *copy.positions + 1),
                              .values = malloc(c->chunk.n * c->size + 1)};

    memcpy(copy.positions, c->chunk.positions, c->chunk.n * sizeof *copy.positions);
    memcpy(copy.values, c->chunk.values, c->chunk.n * c->size);
    return copy;
}

static void what_is_inside_of_a_part_is_kept(void)
{
    for (uint64_t i = 0; i < check_n_cases(1500); i++) {
        const cut c = any_cut();
        stoa_sparse_chunk from = copy_of(&c);
        stoa_sparse_chunk to = copy_of(&c);

        stoa_clip(&c.shape, &c.part, c.size, &from, &to);
        check_kept(&c, &to);
        stoa_clip(&c.shape, &c.part, c.size, &from, &from);
        check_kept(&c, &from);
        free(from.positions);
        free(from.values);
        free(to.positions);
        free(to.values);
        free(c.chunk.positions);
        free(c.chunk.values);
    }
}

/* Of elements in the rows of a part. */
static void every_instruction_set_keeps_alike(void)
{
    for (uint64_t i = 0; i < check_n_cases(1500); i++) {
        cut c = any_cut();
        stoa_sparse_chunk kept[2];

        for (unsigned k = 0; k + 1 < c.shape.rank; k++) {
            c.part.start[k] = 0;
            c.part.count[k] = c.shape.extent[k];
        }
        for (int k = 0; k < 2; k++) {
            stoa_clip_rows *clip = k == 0 ? stoa_clip_rows_scalar : stoa_clip_rows_of(any_simd());
            kept[k] = copy_of(&c);
            kept[k].n = clip(&c.shape, &c.part, c.size, &c.chunk, 0, c.chunk.n, &kept[k]);
        }
        CHECK_U64(kept[1].n, kept[0].n);
        CHECK_MEM(kept[1].positions, kept[0].positions, kept[0].n * sizeof *kept[0].positions);
        CHECK_MEM(kept[1].values, kept[0].values, kept[0].n * c.size);
        for (int k = 0; k < 2; k++) {
            free(kept[k].positions);
            free(kept[k].values);
        }
        free(c.chunk.positions);
        free(c.chunk.values);
    }
}

TEST_MAIN(TEST(what_is_inside_of_a_part_is_kept), TEST(every_instruction_set_keeps_alike))
