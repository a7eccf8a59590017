/* Chunks that other programs wrote are read, and each damage to them is survived. */
#include <stdlib.h>
#include <string.h>

#include "codec/golden.h"
#include "codec/kit.h"
#include "support/sweep.h"

enum { N_GOLDEN = sizeof golden_chunks / sizeof golden_chunks[0] };

static stoa_pipeline pipeline_of_golden(const golden_chunk *g, stoa_simd simd)
{
    stoa_pipeline p = pipeline_of((size_t)g->n * 4, 4, simd);

    add_filter(&p, g->id, g->n_values, g->values);
    if (g->checksum) {
        add_filter(&p, STOA_FILTER_FLETCHER32, 0, NULL);
    }
    return p;
}

static uint32_t element_of(const golden_chunk *g, uint32_t i)
{
    const uint32_t values[] = {
        [RAMP] = i % 7 * 257, [NOISE] = i * UINT32_C(2654435761), [ZERO] = 0};

    return values[g->kind];
}

static void check_elements(const golden_chunk *g, const uint8_t *chunk)
{
    for (uint32_t i = 0; i < g->n; i++) {
        const uint32_t value = element_of(g, i);
        for (unsigned k = 0; k < 4; k++) {
            CHECK_U64(chunk[i * 4 + k], value >> (8 * k) & 0xff);
        }
    }
}

static void what_other_writers_stored_is_read(void)
{
    for (EACH_SIMD(simd)) {
        for (size_t i = 0; i < N_GOLDEN; i++) {
            const golden_chunk *g = &golden_chunks[i];
            const stoa_pipeline p = pipeline_of_golden(g, simd);
            uint8_t *stored = exact_copy(g->stored, g->n_stored);
            guarded out = guarded_new(p.chunk_bytes);
            stoa_scratch scratch = {.blocks = {NULL}};
            stoa_error err = STOA_ERROR_INIT;
            const uint8_t *chunk = NULL;

            CHECK(stoa_pipeline_is_known(&p));
            CHECK_OK(
                stoa_pipeline_undo(&p, 0, stored, g->n_stored, &scratch, out.bytes, &chunk, &err),
                &err);
            CHECK(chunk == out.bytes);
            check_elements(g, chunk);
            stoa_scratch_clear(&scratch);
            guarded_end(&out);
            free(stored);
        }
    }
}

/* Blosc2 and LZF are only undone. */
static bool is_written(const golden_chunk *g)
{
    return g->id != STOA_FILTER_BLOSC2 && g->id != STOA_FILTER_LZF;
}

/* And where the format leaves no choice, the bytes are the same: bits shuffled, blocks as they are.
 */
static void what_cannot_be_packed_otherwise_is_stored_alike(void)
{
    unsigned n_alike = 0;

    for (size_t i = 0; i < N_GOLDEN; i++) {
        const golden_chunk *g = &golden_chunks[i];
        stoa_pipeline p = pipeline_of_golden(g, stoa_simd_of_cpu());
        stoa_scratch scratch = {.blocks = {NULL}};
        stoa_error err = STOA_ERROR_INIT;
        uint8_t *chunk = malloc(p.chunk_bytes);
        const uint8_t *stored = NULL;
        size_t n_stored = 0;
        uint32_t mask = 0;

        CHECK(chunk != NULL);
        for (uint32_t k = 0; k < p.chunk_bytes; k++) {
            chunk[k] = (uint8_t)(element_of(g, k / 4) >> (8 * (k % 4)));
        }
        CHECK_OK(stoa_pipeline_apply(&p, chunk, &scratch, &stored, &n_stored, &mask, &err), &err);
        if (g->kind == RAMP && is_written(g)) {
            CHECK_U64(mask, 0);
            CHECK(n_stored < p.chunk_bytes);
        }
        if (mask == 0 && n_stored == g->n_stored && memcmp(stored, g->stored, n_stored) == 0) {
            n_alike++;
        }
        stoa_scratch_clear(&scratch);
        free(chunk);
    }
    CHECK(n_alike >= 6); /* the packers' versions may differ, here and there */
}

static void check_damaged(const golden_chunk *g, const uint8_t *bytes, size_t n)
{
    const stoa_pipeline p = pipeline_of_golden(g, stoa_simd_of_cpu());
    uint8_t *stored = exact_copy(bytes, n);
    guarded out = guarded_new(p.chunk_bytes);
    stoa_scratch scratch = {.blocks = {NULL}};
    const uint8_t *chunk = NULL;
    stoa_error err = STOA_ERROR_INIT;
    const stoa_status status =
        stoa_pipeline_undo(&p, 0, stored, n, &scratch, out.bytes, &chunk, &err);

    CHECK(status == STOA_OK || status == STOA_EDATA);
    if (n < g->n_stored) {
        CHECK_U64(status, STOA_EDATA);
        CHECK_CONTAINS(err.message, "a chunk is damaged");
    }
    stoa_scratch_clear(&scratch);
    guarded_end(&out);
    free(stored);
}

static void no_truncated_chunk_is_read(void)
{
    for (size_t i = 0; i < N_GOLDEN; i++) {
        const uint8_t *stored = (const uint8_t *)golden_chunks[i].stored;
        for (size_t n = 0; n < golden_chunks[i].n_stored; n++) {
            check_damaged(&golden_chunks[i], stored, n);
        }
    }
}

static void every_changed_byte_is_survived(void)
{
    for (size_t i = 0; i < N_GOLDEN; i++) {
        const golden_chunk *g = &golden_chunks[i];
        uint8_t *stored = exact_copy(g->stored, g->n_stored);
        for (size_t at = 0; at < g->n_stored; at++) {
            const uint8_t before = stored[at];
            const uint8_t others[] = {0,
                                      0xff,
                                      0x7f,
                                      (uint8_t)(before + 1),
                                      (uint8_t)(before - 1),
                                      (uint8_t)(before ^ 0x80)};
            for (size_t k = 0; k < sizeof others; k++) {
                stored[at] = others[k];
                check_damaged(g, stored, g->n_stored);
            }
            stored[at] = before;
        }
        free(stored);
    }
}

static const golden_chunk *swept;

static stoa_status undo_swept(stoa_error *err)
{
    const stoa_pipeline p = pipeline_of_golden(swept, stoa_simd_of_cpu());
    stoa_status status = STOA_OK;
    stoa_scratch scratch = {.blocks = {NULL}};
    uint8_t *out = stoa_alloc_aligned(64, p.chunk_bytes);
    const uint8_t *chunk = NULL;

    if (out == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    STOA_TRY(stoa_pipeline_undo(&p, 0, (const uint8_t *)swept->stored, swept->n_stored, &scratch,
                                out, &chunk, err));
    check_elements(swept, chunk);

done:
    stoa_scratch_clear(&scratch);
    free(out);
    return status;
}

static void memory_may_run_out_at_any_chunk(void)
{
    for (size_t i = 0; i < N_GOLDEN; i++) {
        swept = &golden_chunks[i];
        (void)sweep_memory(undo_swept);
    }
}

TEST_MAIN(TEST(what_other_writers_stored_is_read),
          TEST(what_cannot_be_packed_otherwise_is_stored_alike), TEST(no_truncated_chunk_is_read),
          TEST(every_changed_byte_is_survived), TEST(memory_may_run_out_at_any_chunk))
