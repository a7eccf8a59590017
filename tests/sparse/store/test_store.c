/*
 * The store over chunks that lie in memory, where writing can fail and anything can be found: for
 * src/sparse/store/store*.c, cache.c and content.c.
 */
#include <stdlib.h>
#include <string.h>

#include "sparse/store/store.h"
#include "support/check.h"
#include "support/sweep.h"

/* --- a file of few chunks -------------------------------------------------------------------- */

enum { MAX_CHUNKS = 64, MAX_BYTES = 4096 };

typedef struct fake_chunk {
    hsize_t offset[2];
    uint8_t bytes[MAX_BYTES];
    size_t n_bytes;
    uint32_t mask;
} fake_chunk;

typedef struct fake {
    fake_chunk chunks[MAX_CHUNKS];
    size_t n;
    bool refuses; /* to be written to */
    unsigned n_reads;
} fake;

static fake_chunk *find(fake *f, const hsize_t *offset)
{
    for (size_t i = 0; i < f->n; i++) {
        if (memcmp(f->chunks[i].offset, offset, sizeof f->chunks[i].offset) == 0) {
            return &f->chunks[i];
        }
    }
    return NULL;
}

static stoa_status fake_read(void *context, const hsize_t *offset, stoa_buffer *bytes,
                             uint32_t *mask, stoa_error *err)
{
    fake *f = context;
    const fake_chunk *chunk = find(f, offset);

    f->n_reads++;
    bytes->size = 0;
    *mask = chunk != NULL ? chunk->mask : 0;
    return chunk != NULL ? stoa_buffer_append(bytes, chunk->bytes, chunk->n_bytes, err) : STOA_OK;
}

static stoa_status fake_write(void *context, const hsize_t *offset, const void *bytes,
                              size_t n_bytes, stoa_error *err)
{
    fake *f = context;
    fake_chunk *chunk = find(f, offset);

    if (f->refuses) {
        return stoa_fail(err, STOA_EIO, "the disk is full");
    }
    CHECK(n_bytes <= MAX_BYTES);
    if (chunk == NULL) {
        CHECK(f->n < MAX_CHUNKS);
        chunk = &f->chunks[f->n++];
        memcpy(chunk->offset, offset, sizeof chunk->offset);
    }
    memcpy(chunk->bytes, bytes, n_bytes);
    chunk->n_bytes = n_bytes;
    chunk->mask = 0;
    return STOA_OK;
}

static stoa_status fake_iterate(void *context, stoa_chunk_visit visit, void *visitor,
                                stoa_error *err)
{
    const fake *f = context;
    stoa_status status = STOA_OK;

    for (size_t i = 0; status == STOA_OK && i < f->n; i++) {
        const stoa_stored_chunk chunk = {.offset = f->chunks[i].offset,
                                         .n_bytes = f->chunks[i].n_bytes,
                                         .mask = f->chunks[i].mask};
        status = visit(visitor, &chunk, err);
    }
    return status;
}

static stoa_status fake_set_extent(void *context, const hsize_t *extent, stoa_error *err)
{
    fake *f = context;
    size_t n = 0;

    (void)err;
    for (size_t i = 0; i < f->n; i++) {
        if (f->chunks[i].offset[0] < extent[0] && f->chunks[i].offset[1] < extent[1]) {
            f->chunks[n++] = f->chunks[i];
        }
    }
    f->n = n;
    return STOA_OK;
}

/* 10 x 12 elements of 2 bytes in chunks of 4 x 5, filled with 0x0101. */
static const stoa_sparse_format numbers = {.is_sparse = true,
                                           .is_bound = true,
                                           .n_elements = 20,
                                           .element_size = 2,
                                           .number = STOA_NUMBER_SIGNED,
                                           .fill = {1, 1}};
static const uint64_t extent[] = {10, 12};

static stoa_store *open_cached(fake *f, const stoa_sparse_format *format,
                               const stoa_heap_measure *heap, size_t cache_bytes)
{
    const uint64_t chunk[] = {4, 5};
    stoa_store_setup setup = {.io = {.context = f,
                                     .read = fake_read,
                                     .write = fake_write,
                                     .iterate = fake_iterate,
                                     .set_extent = fake_set_extent},
                              .format = format,
                              .cache_bytes = cache_bytes};
    stoa_store *store = NULL;

    CHECK_OK(stoa_shape_make(2, extent, chunk, &setup.shape, NULL));
    if (heap != NULL) {
        setup.heap = *heap;
    }
    CHECK_OK(stoa_store_open(&setup, &store, NULL));
    return store;
}

static stoa_store *open_store(fake *f, const stoa_sparse_format *format,
                              const stoa_heap_measure *heap)
{
    return open_cached(f, format, heap, 1);
}

static stoa_status put(stoa_store *store, uint64_t row, uint64_t column, int16_t value)
{
    const uint64_t at[] = {row, column};

    return stoa_store_write(store, at, 1, (const uint8_t *)&value, NULL, NULL);
}

/* INT_MAX: not defined. */
static int get(stoa_store *store, uint64_t row, uint64_t column)
{
    const uint64_t at[] = {row, column};
    int16_t value = 0;
    uint8_t defined = 2;

    CHECK_OK(stoa_store_read(store, at, 1, (uint8_t *)&value, &defined, NULL, NULL));
    CHECK(defined == 1 || value == 0x0101);
    return defined ? value : INT32_MAX;
}

/* --- what lies in the file ------------------------------------------------------------------- */

static void an_edit_that_cannot_be_written_is_kept_until_it_can(void)
{
    fake *f = calloc(1, sizeof *f);
    stoa_store *store = open_store(f, &numbers, NULL);

    f->refuses = true;
    CHECK_OK(put(store, 0, 0, 5));
    CHECK_STATUS(STOA_EIO, put(store, 9, 11, 6)); /* its chunk is to leave the cache */
    CHECK_STATUS(STOA_EIO, stoa_store_flush(store, NULL));
    CHECK(stoa_store_is_dirty(store));
    f->refuses = false;
    CHECK_OK(put(store, 9, 11, 7));
    CHECK_OK(stoa_store_flush(store, NULL));
    CHECK(!stoa_store_is_dirty(store));
    stoa_store_close(store);
    store = open_store(f, &numbers, NULL);
    CHECK_I64(get(store, 0, 0), 5);
    CHECK_I64(get(store, 9, 11), 7);
    stoa_store_close(store);
    free(f);
}

static void an_erased_chunk_is_not_there_and_one_never_written_stays_out_of_the_file(void)
{
    const stoa_box all = {{0, 0}, {10, 12}};
    fake *f = calloc(1, sizeof *f);
    stoa_store *store = open_store(f, &numbers, NULL);
    stoa_buffer found = {NULL, 0, 0};
    uint64_t n = 9;

    CHECK_OK(put(store, 0, 0, 5));
    CHECK_OK(stoa_store_erase(store, (uint64_t[]){0, 0}, 1, NULL));
    CHECK_OK(stoa_store_erase(store, (uint64_t[]){9, 0}, 12, NULL));
    CHECK_OK(stoa_store_flush(store, NULL));
    CHECK_U64(f->n, 0);
    CHECK_OK(put(store, 0, 0, 5));
    CHECK_OK(stoa_store_flush(store, NULL));
    CHECK_OK(stoa_store_erase(store, (uint64_t[]){0, 0}, 1, NULL));
    CHECK_OK(stoa_store_flush(store, NULL));
    CHECK_U64(f->n, 1); /* a header alone */
    CHECK_OK(stoa_store_chunks(store, &all, &found, NULL));
    CHECK_U64(found.size, 0);
    CHECK_OK(stoa_store_count(store, &n, NULL));
    CHECK_U64(n, 0);
    stoa_buffer_clear(&found);
    stoa_store_close(store);
    free(f);
}

static void counting_whole_chunks_and_erasing_them_reads_no_positions(void)
{
    const stoa_box all = {{0, 0}, {10, 12}};
    fake *f = calloc(1, sizeof *f);
    stoa_store *store = open_store(f, &numbers, NULL);
    uint64_t n = 0;

    for (uint64_t i = 0; i < 10; i++) {
        CHECK_OK(put(store, i, i, 5));
    }
    CHECK_OK(stoa_store_flush(store, NULL));
    f->n_reads = 0;
    CHECK_OK(stoa_store_count(store, &n, NULL)); /* known from writing them */
    CHECK_U64(n, 10);
    CHECK_OK(stoa_store_erase_box(store, &all, NULL));
    CHECK_U64(f->n_reads, 0);
    CHECK_OK(stoa_store_count(store, &n, NULL));
    CHECK_U64(n, 0);
    stoa_store_close(store);
    free(f);
}

/* Elements that a program without Stoa stored where there is no extent. */
static void elements_outside_of_the_extent_are_never_seen(void)
{
    uint32_t positions[] = {0, 1, 2, 3, 19}; /* of the chunk at (8, 10): 2 x 2 are inside */
    int16_t values[] = {10, 11, 12, 13, 14};
    const stoa_sparse_chunk chunk = {.n = 5, .positions = positions, .values = (uint8_t *)values};
    const uint64_t grown[] = {12, 15};
    fake *f = calloc(1, sizeof *f);
    stoa_sparse_coder coder = {.foreign = NULL};
    stoa_buffer packed = {NULL, 0, 0};
    uint64_t n = 0;

    CHECK_OK(stoa_sparse_chunk_pack(&numbers, &chunk, NULL, &coder, &packed, NULL));
    CHECK_OK(fake_write(f, (hsize_t[]){8, 10}, packed.data, packed.size, NULL));
    stoa_store *store = open_store(f, &numbers, NULL);
    CHECK_OK(stoa_store_count(store, &n, NULL));
    CHECK_U64(n, 2);
    CHECK_I64(get(store, 8, 11), 11);
    CHECK_OK(stoa_store_set_extent(store, grown, NULL));
    CHECK_I64(get(store, 8, 12), INT32_MAX);
    CHECK_I64(get(store, 11, 14), INT32_MAX);
    CHECK_I64(get(store, 8, 10), 10);
    CHECK_OK(stoa_store_count(store, &n, NULL));
    CHECK_U64(n, 2);
    stoa_store_close(store);
    stoa_buffer_clear(&packed);
    stoa_sparse_coder_clear(&coder);
    free(f);
}

static void a_chunk_that_the_filter_refused_is_dense(void)
{
    fake *f = calloc(1, sizeof *f);
    uint64_t n = 0;

    f->n = 1;
    f->chunks[0].mask = 1;
    f->chunks[0].n_bytes = 40;
    memset(f->chunks[0].bytes, 1, 40);
    f->chunks[0].bytes[6] = 9; /* element 3 */
    stoa_store *store = open_store(f, &numbers, NULL);
    CHECK_OK(stoa_store_count(store, &n, NULL));
    CHECK_U64(n, 1);
    CHECK_I64(get(store, 0, 3), 0x0109);
    CHECK_I64(get(store, 0, 2), INT32_MAX);
    f->chunks[0].n_bytes = 39;
    CHECK_OK(stoa_store_refresh(store, NULL));
    CHECK_STATUS(STOA_EDATA, put(store, 0, 0, 1));
    stoa_store_close(store);
    free(f);
}

static void every_damage_to_a_chunk_is_an_error_that_names_it(void)
{
    fake *f = calloc(1, sizeof *f);
    stoa_store *store = open_store(f, &numbers, NULL);

    for (uint64_t i = 0; i < 5; i++) {
        CHECK_OK(put(store, 4, 5 + i, 5));
    }
    CHECK_OK(stoa_store_flush(store, NULL));
    const fake_chunk good = f->chunks[0];
    for (size_t i = 0; i < 8 * good.n_bytes; i++) {
        const uint64_t at[] = {4, 5};
        uint64_t n = 0;
        int16_t value = 0;
        stoa_error err = STOA_ERROR_INIT;

        f->chunks[0].bytes[i / 8] ^= (uint8_t)(1 << i % 8);
        CHECK_OK(stoa_store_refresh(store, NULL));
        CHECK_STATUS(STOA_EDATA, stoa_store_read(store, at, 1, (uint8_t *)&value, NULL, NULL, &err),
                     &err);
        CHECK_CONTAINS(err.where, "chunk (4,5)");
        CHECK_STATUS(STOA_EDATA, stoa_store_count(store, &n, NULL));
        CHECK_STATUS(STOA_EDATA, put(store, 4, 5, 1));
        CHECK_OK(put(store, 0, 0, 1)); /* others are well */
        f->chunks[0] = good;
    }
    for (size_t i = 1; i < good.n_bytes; i++) {
        f->chunks[0].n_bytes = i;
        CHECK_OK(stoa_store_refresh(store, NULL));
        CHECK_STATUS(STOA_EDATA, put(store, 4, 5, 1));
    }
    f->chunks[0] = good;
    CHECK_OK(stoa_store_refresh(store, NULL));
    CHECK_I64(get(store, 4, 9), 5);
    stoa_store_close(store);
    free(f);
}

static void runs_that_leave_the_extent_are_refused(void)
{
    const uint8_t values[32] = {0};
    fake *f = calloc(1, sizeof *f);
    stoa_store *store = open_store(f, &numbers, NULL);

    CHECK_STATUS(STOA_ERANGE, put(store, 10, 0, 1));
    CHECK_STATUS(STOA_ERANGE, put(store, 0, 12, 1));
    CHECK_STATUS(STOA_ERANGE, put(store, UINT64_MAX, 0, 1));
    CHECK_STATUS(STOA_ERANGE, stoa_store_write(store, (uint64_t[]){0, 1}, 12, values, NULL, NULL));
    CHECK_STATUS(STOA_ERANGE, stoa_store_erase(store, (uint64_t[]){0, 1}, UINT64_MAX, NULL));
    CHECK(!stoa_store_is_dirty(store));
    stoa_store_close(store);
    free(f);
}

/* --- data of variable length ----------------------------------------------------------------- */

/* One slot, as long in bytes as it says. */
static stoa_status measure(const void *context, const uint8_t *value, const uint8_t *heap,
                           size_t n_heap, size_t *n_bytes, stoa_error *err)
{
    uint32_t length = 0;

    (void)context;
    (void)heap;
    (void)n_heap;
    (void)err;
    memcpy(&length, value, sizeof length);
    *n_bytes = length;
    return STOA_OK;
}

static const stoa_heap_measure by_length = {.measure = measure};
static const stoa_sparse_format texts = {.is_sparse = true,
                                         .has_heap = true,
                                         .is_bound = true,
                                         .n_elements = 20,
                                         .element_size = 16,
                                         .n_slots = 1,
                                         .slot_size = 16};

typedef struct text {
    bool is_defined;
    uint32_t length;
    uint8_t bytes[16];
} text;

static void write_texts(stoa_store *store, text model[10][12])
{
    const uint64_t at[] = {check_random_below(10), check_random_below(12)};
    const uint64_t n = 1 + check_random_below(12 - at[1]);
    uint32_t values[12];
    uint64_t lengths[12];
    uint8_t bytes[12 * 16];
    const stoa_heap_run heap = {.lengths = lengths, .bytes = bytes};
    size_t n_bytes = 0;

    for (uint64_t i = 0; i < n; i++) {
        text *t = &model[at[0]][at[1] + i];
        *t = (text){.is_defined = true, .length = (uint32_t)check_random_below(17)};
        for (uint32_t j = 0; j < t->length; j++) {
            t->bytes[j] = (uint8_t)check_random();
            bytes[n_bytes++] = t->bytes[j];
        }
        values[i] = t->length;
        lengths[i] = t->length;
    }
    CHECK_OK(stoa_store_write(store, at, n, (const uint8_t *)values, &heap, NULL));
}

static void read_texts(stoa_store *store, text model[10][12])
{
    const uint64_t at[] = {check_random_below(10), check_random_below(12)};
    const uint64_t n = 1 + check_random_below(12 - at[1]);
    uint32_t values[12];
    uint8_t defined[12];
    uint64_t lengths[12];
    stoa_buffer bytes = {NULL, 0, 0};
    const stoa_heap_sink heap = {.lengths = lengths, .bytes = &bytes};
    size_t used = 0;

    CHECK_OK(stoa_store_read(store, at, n, (uint8_t *)values, defined, &heap, NULL));
    for (uint64_t i = 0; i < n; i++) {
        const text *t = &model[at[0]][at[1] + i];
        CHECK_U64(defined[i], t->is_defined);
        CHECK_U64(values[i], t->length);
        CHECK_U64(lengths[i], t->length);
        CHECK(used + t->length <= bytes.size);
        CHECK(t->length == 0 || memcmp(bytes.data + used, t->bytes, t->length) == 0);
        used += t->length;
    }
    CHECK_U64(bytes.size, used);
    stoa_buffer_clear(&bytes);
}

static void data_of_variable_length_travel_with_their_elements(void)
{
    for (uint64_t i = 0; i < check_n_cases(50); i++) {
        fake *f = calloc(1, sizeof *f);
        stoa_store *store = open_store(f, &texts, &by_length);
        text model[10][12] = {{{false}}};

        for (int j = 0; j < 200; j++) {
            const uint64_t at[] = {check_random_below(10), check_random_below(12)};
            switch (check_random_below(6)) {
            case 0:
                CHECK_OK(stoa_store_erase(store, at, 12 - at[1], NULL));
                memset(&model[at[0]][at[1]], 0, (12 - at[1]) * sizeof(text));
                break;
            case 1:
                CHECK_OK(stoa_store_flush(store, NULL));
                stoa_store_close(store);
                store = open_store(f, &texts, &by_length);
                break;
            case 2:
            case 3:
                read_texts(store, model);
                break;
            default:
                write_texts(store, model);
                break;
            }
        }
        stoa_store_close(store);
        free(f);
    }
}

/* Garbage in the heap is let go of. */
static void a_value_replaced_for_ever_does_not_fill_memory(void)
{
    enum { LENGTH = 1000 };
    stoa_content *content = NULL;
    uint8_t bytes[LENGTH] = {0};
    const uint32_t value = LENGTH;
    const uint64_t length = LENGTH;
    const stoa_heap_run heap = {.lengths = &length, .bytes = bytes};
    const stoa_sparse_chunk *list = NULL;

    CHECK_OK(stoa_content_open(&texts, &content, NULL));
    for (int i = 0; i < 10000; i++) {
        bytes[0] = (uint8_t)i;
        CHECK_OK(
            stoa_content_put(content, (uint32_t)i % 3, 1, (const uint8_t *)&value, &heap, NULL));
    }
    CHECK(stoa_content_bytes(content) < 400000);
    CHECK_OK(stoa_content_list(content, &list, NULL));
    CHECK_U64(list->n_heap, 3 * LENGTH);
    CHECK_U64(list->heap[0], (uint8_t)9999); /* 9999 % 3 is 0 */
    CHECK_U64(list->heap[LENGTH], (uint8_t)9997);
    stoa_content_close(content);
}

/* One text, of bytes that are 0. */
static stoa_status put_text(stoa_store *store, uint64_t row, uint64_t column, uint32_t length)
{
    static const uint8_t bytes[MAX_BYTES];
    const uint64_t at[] = {row, column};
    const uint32_t value[4] = {length}; /* as long as texts' elements */
    const uint64_t n_bytes = length;
    const stoa_heap_run heap = {.lengths = &n_bytes, .bytes = bytes};

    return stoa_store_write(store, at, 1, (const uint8_t *)value, &heap, NULL);
}

/* What a chunk takes up is counted anew with every edit. */
static void a_chunk_leaves_the_cache_once_it_has_grown_too_large(void)
{
    fake *f = calloc(1, sizeof *f);
    stoa_store *store = open_cached(f, &texts, &by_length, 3000);

    for (int i = 0; i < 1000; i++) {
        CHECK_OK(put_text(store, 0, 0, 1));
    }
    CHECK_OK(put_text(store, 9, 11, 1));
    CHECK_U64(f->n, 0); /* there is room for both */
    CHECK_OK(put_text(store, 0, 0, 3500));
    CHECK_OK(put_text(store, 9, 11, 1));
    CHECK_U64(f->n, 1);
    stoa_store_close(store);
    free(f);
}

/* --- memory that runs out -------------------------------------------------------------------- */

static stoa_status edit_and_read(stoa_error *err)
{
    static fake f;
    const uint64_t chunk[] = {4, 5};
    const uint64_t smaller[] = {9, 7};
    const stoa_box box = {{1, 1}, {3, 9}};
    stoa_store_setup setup = {.io = {.context = &f,
                                     .read = fake_read,
                                     .write = fake_write,
                                     .iterate = fake_iterate,
                                     .set_extent = fake_set_extent},
                              .format = &numbers,
                              .cache_bytes = 1};
    const uint32_t positions[] = {3, 4, 7};
    const int16_t values[12] = {1, 2, 3};
    int16_t found[12];
    uint64_t n = 0;
    stoa_store *store = NULL;
    stoa_status status = STOA_OK;

    memset(&f, 0, sizeof f);
    STOA_TRY(stoa_shape_make(2, extent, chunk, &setup.shape, err));
    STOA_TRY(stoa_store_open(&setup, &store, err));
    for (uint64_t i = 0; i < 10; i++) {
        const uint64_t at[] = {9 - i, 0};
        STOA_TRY(stoa_store_write(store, at, 12, (const uint8_t *)values, NULL, err));
        STOA_TRY(stoa_store_erase(store, at, i, err));
    }
    STOA_TRY(stoa_store_merge(store, 0, positions, 3, (const uint8_t *)values, err));
    STOA_TRY(stoa_store_remove(store, 1, positions, 3, err));
    STOA_TRY(stoa_store_erase_box(store, &box, err));
    STOA_TRY(stoa_store_flush(store, err));
    STOA_TRY(stoa_store_set_extent(store, smaller, err));
    STOA_TRY(stoa_store_read(store, (uint64_t[]){3, 0}, 7, (uint8_t *)found, NULL, NULL, err));
    STOA_TRY(stoa_store_count(store, &n, err));

done:
    stoa_store_close(store);
    return status;
}

static void memory_may_run_out_anywhere(void)
{
    CHECK(sweep_memory(edit_and_read) > 100);
}

TEST_MAIN(TEST(an_edit_that_cannot_be_written_is_kept_until_it_can),
          TEST(an_erased_chunk_is_not_there_and_one_never_written_stays_out_of_the_file),
          TEST(counting_whole_chunks_and_erasing_them_reads_no_positions),
          TEST(elements_outside_of_the_extent_are_never_seen),
          TEST(a_chunk_that_the_filter_refused_is_dense),
          TEST(every_damage_to_a_chunk_is_an_error_that_names_it),
          TEST(runs_that_leave_the_extent_are_refused),
          TEST(data_of_variable_length_travel_with_their_elements),
          TEST(a_value_replaced_for_ever_does_not_fill_memory),
          TEST(a_chunk_leaves_the_cache_once_it_has_grown_too_large),
          TEST(memory_may_run_out_anywhere))
