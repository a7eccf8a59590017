/*
 * A row of a chunk has few elements where these are scattered: a loop over them ends where no
 * processor foresees it. So elements are not taken row by row. They are counted, and from the
 * counts follows for each row of each piece how far its elements move; then each goes to its place,
 * and nothing branches.
 */
#include "sparse/points_rows.h"

#include <stdlib.h>
#include <string.h>

/* What finds the row of a position: exact for all of 32 bits, as the quotient is further from the
 * next integer than a double is wrong. */
static double factor_of(const stoa_shape *shape)
{
    return 1.0 / (double)shape->chunk[1];
}

static inline uint32_t row_of(uint32_t position, double factor)
{
    return (uint32_t)(((double)position + 0.5) * factor);
}

bool stoa_points_have_rows(const stoa_shape *shape, const stoa_piece *pieces, size_t n)
{
    uint64_t n_elements = 0;

    if (shape->rank != 2 || n == 0) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        n_elements += pieces[i].list->n;
    }
    return pieces[0].part.count[0] <= n_elements / n;
}

/* Where each row ends among the elements of a piece. */
static void find_ends(const stoa_piece *piece, double factor, uint32_t *ends)
{
    const uint32_t first = (uint32_t)piece->part.start[0];
    const size_t n_rows = (size_t)piece->part.count[0];
    const uint32_t *positions = piece->list->positions;

    memset(ends, 0, n_rows * sizeof *ends);
    for (size_t i = 0; i < piece->list->n; i++) {
        ends[row_of(positions[i], factor) - first] = (uint32_t)(i + 1);
    }
    for (size_t i = 1; i < n_rows; i++) { /* those that have none */
        ends[i] = ends[i] > ends[i - 1] ? ends[i] : ends[i - 1];
    }
}

/* How far the elements of each row move, from their piece to the points. */
static void find_moves(const uint32_t *ends, size_t n_rows, size_t n, uint64_t at, uint64_t *moves)
{
    for (size_t row = 0; row < n_rows; row++) {
        for (size_t i = 0; i < n; i++) {
            const uint32_t *of_piece = ends + i * n_rows;
            const uint32_t start = row > 0 ? of_piece[row - 1] : 0;
            moves[i * n_rows + row] = at - start;
            at += of_piece[row] - start;
        }
    }
}

/* `size` is a constant to the compiler where that helps. */
static inline void put_piece(const stoa_piece *piece, uint64_t width, double factor,
                             const uint64_t *moves, size_t size, stoa_points *points)
{
    const uint32_t first = (uint32_t)piece->part.start[0];
    const uint64_t at[2] = {piece->offset[0], piece->offset[1]};
    const uint32_t *positions = piece->list->positions;
    const uint8_t *values = piece->list->values;
    const size_t n = piece->list->n;
    uint64_t *coordinates = points->coordinates;
    uint8_t *to = points->values;

    for (size_t i = 0; i < n; i++) {
        const uint32_t row = row_of(positions[i], factor);
        const uint64_t place = moves[row - first] + i;
        coordinates[2 * place] = at[0] + row;
        coordinates[2 * place + 1] = at[1] + (positions[i] - row * width);
        if (size > 0) {
            memcpy(to + place * size, values + i * size, size);
        }
    }
}

stoa_status stoa_points_put_rows(const stoa_shape *shape, const stoa_piece *pieces, size_t n,
                                 size_t value_size, stoa_points *points, uint64_t at,
                                 stoa_error *err)
{
    const size_t n_rows = (size_t)pieces[0].part.count[0];
    const double factor = factor_of(shape);
    uint32_t *ends = stoa_alloc(n, n_rows * sizeof *ends);
    uint64_t *moves = stoa_alloc(n, n_rows * sizeof *moves);
    stoa_status status = STOA_OK;

    if (ends == NULL || moves == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    for (size_t i = 0; i < n; i++) {
        find_ends(&pieces[i], factor, ends + i * n_rows);
    }
    find_moves(ends, n_rows, n, at, moves);
    for (size_t i = 0; i < n; i++) {
        const uint64_t *of_piece = moves + i * n_rows;
        if (value_size == 4) {
            put_piece(&pieces[i], shape->chunk[1], factor, of_piece, 4, points);
        } else if (value_size == 8) {
            put_piece(&pieces[i], shape->chunk[1], factor, of_piece, 8, points);
        } else {
            put_piece(&pieces[i], shape->chunk[1], factor, of_piece, value_size, points);
        }
    }

done:
    free(ends);
    free(moves);
    return status;
}
