/*
 * Arrow files with damage: cut off anywhere, with bytes changed, mostly in the metadata. Reading
 * ends or fails in a word, and what is read can be looked at; that nothing outside of it is touched
 * is what the sanitizer build sees. For src/arrow/ipc_*.c.
 */
#include <stdlib.h>
#include <string.h>

#include "arrow/ipc_kit.h"
#include "arrow/ipc_packed_bytes.h"

static uint64_t seen; /* so that nothing is left out of the program */

static void look(const stoa_view *view, int depth)
{
    stoa_view child;
    size_t length = 0;
    int64_t first = 0, n = 0;

    for (int64_t i = 0; i < view->length; i++) {
        if (stoa_view_is_null(view, i)) {
            continue;
        }
        switch (view->type.kind) {
        case STOA_KIND_STRING:
        case STOA_KIND_BINARY:
        case STOA_KIND_LARGE_STRING:
        case STOA_KIND_LARGE_BINARY:
        case STOA_KIND_FIXED_BINARY: {
            const char *bytes = stoa_view_bytes(view, i, &length);
            seen += length > 0 ? (uint8_t)bytes[0] + (uint8_t)bytes[length - 1] : 0;
            break;
        }
        case STOA_KIND_LIST:
        case STOA_KIND_LARGE_LIST:
        case STOA_KIND_FIXED_LIST:
            stoa_view_range(view, i, &first, &n);
            seen += (uint64_t)first + (uint64_t)n;
            break;
        default:
            seen += (uint64_t)stoa_view_i64(view, i) + (stoa_view_f64(view, i) > 0.0);
            break;
        }
    }
    for (int64_t i = 0; i < view->schema->n_children && depth < 40; i++) {
        if (stoa_view_child(view, i, &child, NULL) == STOA_OK) {
            look(&child, depth + 1);
        }
    }
}

static bool read_all(const uint8_t *bytes, size_t n)
{
    ipc_bytes from = {.bytes = bytes, .n = n};
    struct ArrowArrayStream stream = {.release = NULL};
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    stoa_view view;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    STOA_TRY(ipc_open_bytes(&from, &stream, &err));
    STOA_TRY(stoa_stream_schema(&stream, &schema, &err));
    for (;;) {
        STOA_TRY(stoa_stream_next(&stream, &array, &err));
        if (array.release == NULL) {
            break;
        }
        STOA_TRY(stoa_view_of(&schema, &array, &view, &err));
        look(&view, 0);
        stoa_array_release(&array);
    }

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
    CHECK((status == STOA_OK) == (err.status == STOA_OK));
    CHECK(status == STOA_OK || err.message[0] != '\0');
    return status == STOA_OK;
}

static void cut_off(const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t *const part = malloc(i + 1); /* of its length, for the sanitizer */
        memcpy(part, bytes, i);
        (void)read_all(part, i);
        free(part);
    }
    CHECK(read_all(bytes, n));
}

static void every_file_that_is_cut_off_fails_or_ends(void)
{
    batch b[] = {ipc_any_batch(9), ipc_any_batch(3)};
    uint8_t *bytes = NULL;
    size_t n = 0;

    ipc_write_bytes(b, 2, &bytes, &n);
    cut_off(bytes, n);
    cut_off(packed_lz4, sizeof packed_lz4);
    cut_off(packed_zstd, sizeof packed_zstd);
    free(bytes);
}

/* One to three bytes of a copy; whether it can still be read. */
static bool read_changed(const uint8_t *bytes, size_t n)
{
    static const uint8_t odd[] = {0x00, 0x01, 0x7f, 0x80, 0xff, 0x04, 0x10, 0xfe};
    uint8_t *const changed = malloc(n);

    memcpy(changed, bytes, n);
    for (uint64_t i = 0, m = 1 + check_random_below(3); i < m; i++) {
        const size_t at = check_random_below(n);
        changed[at] = check_random_below(2) == 0
                          ? odd[check_random_below(sizeof odd)]
                          : (uint8_t)(changed[at] ^ (1u << check_random_below(8)));
    }
    const bool is_good = read_all(changed, n);
    free(changed);
    return is_good;
}

static void bytes_that_are_changed_do_no_harm(void)
{
    batch b[] = {ipc_any_batch(9), ipc_any_batch(3)};
    uint8_t *bytes = NULL;
    size_t n = 0;
    uint64_t n_good = 0;

    ipc_write_bytes(b, 2, &bytes, &n);
    for (uint64_t c = 0, n_cases = check_n_cases(20000); c < n_cases; c++) {
        n_good += read_changed(bytes, n);
    }
    CHECK(n_good > 0); /* values may be any */
    for (uint64_t c = 0, n_cases = check_n_cases(20000); c < n_cases; c++) {
        (void)(c % 2 == 0 ? read_changed(packed_lz4, sizeof packed_lz4)
                          : read_changed(packed_zstd, sizeof packed_zstd));
    }
    free(bytes);
}

TEST_MAIN(TEST(every_file_that_is_cut_off_fails_or_ends), TEST(bytes_that_are_changed_do_no_harm))
