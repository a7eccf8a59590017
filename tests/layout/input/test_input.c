/* Input files plain and compressed, for src/layout/input/input*.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "layout/csv_kit.h"
#include "layout/input/input.h"
#include "support/check.h"
#include "support/sweep.h"

#define TEXT "a,b\n1,x\n2,y\n"

typedef struct bytes {
    uint8_t data[4096];
    size_t n;
} bytes;

static void add_gzip(bytes *to, const char *text)
{
    z_stream stream = {0};

    CHECK(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    stream.next_in = (z_const Bytef *)(uintptr_t)text;
    stream.avail_in = (uInt)strlen(text);
    stream.next_out = to->data + to->n;
    stream.avail_out = (uInt)(sizeof to->data - to->n);
    CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    to->n = sizeof to->data - stream.avail_out;
    (void)deflateEnd(&stream);
}

static void add_zstd(bytes *to, const char *text)
{
    const size_t n =
        ZSTD_compress(to->data + to->n, sizeof to->data - to->n, text, strlen(text), 3);

    CHECK(!ZSTD_isError(n));
    to->n += n;
}

static void add_bytes(bytes *to, const void *what, size_t n)
{
    memcpy(to->data + to->n, what, n);
    to->n += n;
}

static const char *text_of(const char *name, const bytes *b)
{
    return kit_text(kit_file(name, b->data, b->n), NULL, STOA_TEXT_CSV);
}

static const char *failure_of(const bytes *b, size_t n)
{
    return kit_failure(kit_file("t.csv", b->data, n), NULL, STOA_EDATA);
}

static void compression_is_known_by_its_first_bytes_not_by_the_name(void)
{
    bytes gzip = {.n = 0};
    bytes zstd = {.n = 0};

    add_gzip(&gzip, TEXT);
    add_zstd(&zstd, TEXT);
    CHECK_STR(text_of("t.csv.gz", &gzip), TEXT);
    CHECK_STR(text_of("t.csv", &gzip), TEXT);
    CHECK_STR(text_of("t.csv.zst", &zstd), TEXT);
    CHECK_STR(text_of("t.csv", &zstd), TEXT);
    CHECK_STR(kit_text(kit_file("t.csv.gz", TEXT, strlen(TEXT)), NULL, STOA_TEXT_CSV), TEXT);
}

static void a_tab_delimiter_shows_through_a_compressions_suffix(void)
{
    bytes gzip = {.n = 0};

    add_gzip(&gzip, "a\tb\n1\t2\n");
    CHECK_STR(text_of("t.tsv.gz", &gzip), "a,b\n1,2\n");
}

static void members_and_frames_follow_each_other(void)
{
    bytes gzip = {.n = 0};
    bytes zstd = {.n = 0};
    static const uint8_t skippable[] = {0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'x', 'y', 'z'};

    add_gzip(&gzip, "a,b\n1,");
    add_gzip(&gzip, "");
    add_gzip(&gzip, "x\n2,y\n");
    CHECK_STR(text_of("t", &gzip), TEXT);
    add_bytes(&gzip, (uint8_t[512]){0}, 512); /* a tape's padding */
    CHECK_STR(text_of("t", &gzip), TEXT);

    add_bytes(&zstd, skippable, sizeof skippable);
    add_zstd(&zstd, "a,b\n1,");
    add_bytes(&zstd, skippable, sizeof skippable);
    add_zstd(&zstd, "x\n2,y\n");
    CHECK_STR(text_of("t", &zstd), TEXT);
}

static void a_file_cut_off_anywhere_is_an_error(void)
{
    bytes gzip = {.n = 0};
    bytes zstd = {.n = 0};

    add_gzip(&gzip, TEXT);
    for (size_t n = 2; n < gzip.n; n++) {
        CHECK_CONTAINS(failure_of(&gzip, n), "cut off: its gzip data");
    }
    add_zstd(&zstd, TEXT);
    for (size_t n = 4; n < zstd.n; n++) {
        CHECK_CONTAINS(failure_of(&zstd, n), "cut off: its Zstandard data");
    }
}

static void damage_is_an_error(void)
{
    bytes gzip = {.n = 0};
    bytes zstd = {.n = 0};

    add_gzip(&gzip, TEXT);
    gzip.data[gzip.n - 8] ^= 1; /* the checksum, RFC 1952 §2.3.1 */
    CHECK_CONTAINS(failure_of(&gzip, gzip.n), "damaged gzip data");
    gzip.data[gzip.n - 8] ^= 1;
    add_bytes(&gzip, "rubbish", 7);
    CHECK_CONTAINS(failure_of(&gzip, gzip.n), "damaged gzip data");

    add_zstd(&zstd, TEXT);
    add_bytes(&zstd, "rubbish", 7);
    CHECK_CONTAINS(failure_of(&zstd, zstd.n), "damaged Zstandard data");
}

static void what_cannot_be_opened_says_why(void)
{
    CHECK_CONTAINS(kit_failure(check_path("nothing.csv"), NULL, STOA_ENOTFOUND),
                   "nothing.csv: cannot be opened: No such file or directory");
    CHECK_CONTAINS(kit_failure("/", NULL, STOA_EIO), "is a directory");
    if (geteuid() == 0) {
        return; /* who may do everything cannot be refused */
    }
    const char *path = kit_file("t.csv", TEXT, strlen(TEXT));
    CHECK(chmod(path, 0) == 0);
    CHECK_CONTAINS(kit_failure(path, NULL, STOA_EIO), "Permission denied");
}

/* Run `body` with standard input coming from a pipe that holds `b`. */
static const char *text_from_pipe(const bytes *b, const char *name)
{
    int ends[2];
    const int saved = dup(STDIN_FILENO);

    CHECK(pipe(ends) == 0);
    CHECK(write(ends[1], b->data, b->n) == (ssize_t)b->n);
    CHECK(close(ends[1]) == 0);
    CHECK(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    CHECK(close(ends[0]) == 0);
    const char *text = kit_text(name, NULL, STOA_TEXT_CSV);
    CHECK(dup2(saved, STDIN_FILENO) == STDIN_FILENO);
    CHECK(close(saved) == 0);
    return text;
}

static void a_pipe_is_read_twice_by_way_of_a_nameless_file(void)
{
    bytes plain = {.n = 0};
    bytes gzip = {.n = 0};

    add_bytes(&plain, TEXT, strlen(TEXT));
    add_gzip(&gzip, TEXT);
    CHECK_STR(text_from_pipe(&plain, "-"), TEXT);
    CHECK_STR(text_from_pipe(&gzip, "-"), TEXT);
    CHECK_STR(text_from_pipe(&plain, "/dev/stdin"), TEXT);
}

static void a_copy_that_cannot_be_kept_names_its_folder(void)
{
    const int saved = dup(STDIN_FILENO);
    int ends[2];

    CHECK(pipe(ends) == 0 && close(ends[1]) == 0 && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    CHECK(setenv("TMPDIR", "/nonexistent", 1) == 0);
    const char *failure = kit_failure("-", NULL, STOA_ENOTFOUND);
    CHECK(unsetenv("TMPDIR") == 0);
    CHECK(dup2(saved, STDIN_FILENO) == STDIN_FILENO && close(saved) == 0 && close(ends[0]) == 0);
    CHECK_CONTAINS(failure, "standard input: cannot make a temporary file in '/nonexistent'");
}

static void reading_starts_over_as_often_as_asked(void)
{
    bytes zstd = {.n = 0};
    stoa_error err = STOA_ERROR_INIT;
    stoa_input *input;

    add_zstd(&zstd, TEXT);
    CHECK_OK(stoa_input_open(kit_file("t", zstd.data, zstd.n), NULL, &input, &err), &err);
    CHECK_U64(stoa_input_total(input), zstd.n);
    for (size_t piece = 1; piece <= strlen(TEXT) + 1; piece++) {
        char text[64];
        size_t all = 0;
        size_t n;
        do {
            CHECK_OK(stoa_input_read(input, text + all, piece, &n, &err), &err);
            CHECK(n == piece || all + n == strlen(TEXT));
            all += n;
        } while (n != 0);
        CHECK_U64(all, strlen(TEXT));
        CHECK_MEM(text, TEXT, all);
        CHECK_U64(stoa_input_used(input), zstd.n);
        CHECK_OK(stoa_input_rewind(input, &err), &err);
    }
    CHECK(!stoa_input_has_changed(input));
    stoa_input_close(input);
    stoa_input_close(NULL);
}

static stoa_status read_gzip(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_input *input = NULL;
    char text[64];
    size_t n;

    STOA_TRY(stoa_input_open(check_path("t"), NULL, &input, err));
    STOA_TRY(stoa_input_read(input, text, sizeof text, &n, err));
    STOA_TRY(stoa_input_rewind(input, err));

done:
    stoa_input_close(input);
    return status;
}

static void running_out_of_memory_anywhere_is_just_an_error(void)
{
    bytes gzip = {.n = 0};

    add_gzip(&gzip, TEXT);
    (void)kit_file("t", gzip.data, gzip.n);
    CHECK(sweep_memory(read_gzip) > 3);
}

/* Past the first block of the file, which is read when it is opened, too. */
static void check_passed(const char *path, const char *text, size_t n)
{
    static const uint64_t lengths[] = {0, 1, 5, 262143, 262144, 262145, 299995, 300000, 400000};
    stoa_error err = STOA_ERROR_INIT;
    stoa_input *input;
    char found[4];
    size_t n_found;

    CHECK_OK(stoa_input_open(path, NULL, &input, &err), &err);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const size_t at = lengths[i] < n ? (size_t)lengths[i] : n;
        CHECK_OK(stoa_input_skip(input, lengths[i], &err), &err);
        CHECK_OK(stoa_input_read(input, found, sizeof found, &n_found, &err), &err);
        CHECK_U64(n_found, n - at < sizeof found ? n - at : sizeof found);
        CHECK_MEM(found, text + at, n_found);
        CHECK_OK(stoa_input_rewind(input, &err), &err);
    }
    stoa_input_close(input);
}

static void bytes_are_passed_over(void)
{
    enum { N = 300000 };
    char *text = malloc(N + 1);
    bytes gzip = {.n = 0};

    CHECK(text != NULL);
    for (size_t i = 0; i < N; i++) {
        text[i] = (char)('a' + i % 23);
    }
    text[N] = '\0';
    check_passed(kit_file("t.csv", text, N), text, N);
    add_gzip(&gzip, text);
    check_passed(kit_file("t.csv.gz", gzip.data, gzip.n), text, N);
    free(text);
}

TEST_MAIN(TEST(compression_is_known_by_its_first_bytes_not_by_the_name),
          TEST(a_tab_delimiter_shows_through_a_compressions_suffix),
          TEST(members_and_frames_follow_each_other), TEST(a_file_cut_off_anywhere_is_an_error),
          TEST(damage_is_an_error), TEST(what_cannot_be_opened_says_why),
          TEST(a_pipe_is_read_twice_by_way_of_a_nameless_file),
          TEST(a_copy_that_cannot_be_kept_names_its_folder),
          TEST(reading_starts_over_as_often_as_asked), TEST(bytes_are_passed_over),
          TEST(running_out_of_memory_anywhere_is_just_an_error))
