/* The scanner of CSV text in all its variants, against one byte after another; for
 * src/layout/csv/scan_*.c */
#include <stdlib.h>
#include <string.h>

#include "core/cpu.h"
#include "layout/csv/scan.h"
#include "support/check.h"

enum { MAX_TEXT = 700 };

static const stoa_csv_scan *scanners[3];
static size_t n_scanners;

static void find_scanners(void)
{
    n_scanners = 0;
    scanners[n_scanners++] = &stoa_csv_scan_scalar;
#if defined(__x86_64__)
    if (stoa_simd_of_cpu() >= STOA_SIMD_AVX2) {
        scanners[n_scanners++] = &stoa_csv_scan_avx2;
    }
    if (stoa_simd_of_cpu() >= STOA_SIMD_AVX512) {
        scanners[n_scanners++] = &stoa_csv_scan_avx512;
    }
#elif defined(__aarch64__)
    scanners[n_scanners++] = &stoa_csv_scan_neon;
#endif
}

static stoa_csv_counts count_plainly(const char *text, size_t n, bool after_cr)
{
    stoa_csv_counts counts = {0};

    for (size_t i = 0; i < n; i++) {
        counts.n_quotes += text[i] == '"';
        counts.n_lines += text[i] == '\r' || (text[i] == '\n' && !after_cr);
        after_cr = text[i] == '\r';
    }
    return counts;
}

/* RFC 4180 as a machine of four states. */
static stoa_csv_marks mark_plainly(const char *text, size_t n, char delimiter, uint32_t *at)
{
    enum { START, PLAIN, QUOTED, CLOSED } state = START;
    stoa_csv_marks marks = {.is_ascii = true};

    for (size_t i = 0; i < n; i++) {
        const char c = text[i];
        marks.has_quotes |= c == '"';
        marks.has_nul |= c == 0;
        marks.is_ascii &= (uint8_t)c < 0x80;
        if (state == QUOTED) {
            state = c == '"' ? CLOSED : QUOTED;
        } else if (c == '"') {
            marks.is_broken |= state == PLAIN;
            state = QUOTED;
        } else if (c == delimiter || c == '\n' || c == '\r') {
            if (c == '\n' && i > 0 && text[i - 1] == '\r' && state == START) {
                continue;
            }
            marks.has_cr |= c == '\r';
            marks.n_lines += c != delimiter;
            at[marks.n++] = (uint32_t)i;
            state = START;
        } else {
            marks.is_broken |= state == CLOSED;
            state = PLAIN;
        }
    }
    marks.is_broken |= state == QUOTED || state == CLOSED;
    return marks;
}

static void draw(char *text, size_t n, const char *alphabet, size_t n_letters)
{
    for (size_t i = 0; i < n; i++) {
        text[i] = alphabet[check_random_below(n_letters)];
    }
}

static void every_variant_counts_what_stands_there(void)
{
    char text[MAX_TEXT + STOA_CSV_PAD];

    find_scanners();
    for (uint64_t left = check_n_cases(2000); left > 0; left--) {
        const size_t n = check_random_below(MAX_TEXT);
        const bool after_cr = check_random_below(2) == 0;
        draw(text, sizeof text, "\"\r\n,x", 5);
        const stoa_csv_counts expected = count_plainly(text, n, after_cr);
        for (size_t k = 0; k < n_scanners; k++) {
            stoa_csv_counts found;
            scanners[k]->count(text, n, after_cr, &found);
            CHECK_U64(found.n_quotes, expected.n_quotes);
            CHECK_U64(found.n_lines, expected.n_lines);
        }
    }
}

/* Where quotes are broken, where the separators are has no meaning. */
static void check_marks(const char *text, size_t n, char delimiter)
{
    uint32_t wanted[MAX_TEXT];
    uint32_t at[MAX_TEXT + STOA_CSV_PAD];
    const stoa_csv_marks expected = mark_plainly(text, n, delimiter, wanted);

    for (size_t k = 0; k < n_scanners; k++) {
        stoa_csv_marks found;
        scanners[k]->mark(text, n, delimiter, at, &found);
        CHECK_U64(found.is_broken, expected.is_broken);
        CHECK_U64(found.has_quotes, expected.has_quotes);
        CHECK_U64(found.has_nul, expected.has_nul);
        CHECK_U64(found.is_ascii, expected.is_ascii);
        if (!expected.is_broken) {
            CHECK_U64(found.n, expected.n);
            CHECK_U64(found.n_lines, expected.n_lines);
            CHECK_U64(found.has_cr, expected.has_cr);
            CHECK_MEM(at, wanted, expected.n * sizeof *at);
        }
    }
}

static void every_variant_finds_the_separators_of_any_bytes(void)
{
    static const char rubbish[] = "\"\"\"\r\n,,x\0\xff";
    char text[MAX_TEXT + STOA_CSV_PAD];

    find_scanners();
    for (uint64_t left = check_n_cases(2000); left > 0; left--) {
        const size_t n = check_random_below(check_random_below(2) == 0 ? 12 : MAX_TEXT);
        draw(text, sizeof text, rubbish, sizeof rubbish - 1);
        check_marks(text, n, check_random_below(2) == 0 ? ',' : 'x');
    }
}

/* Random bytes hardly ever make a long text that is sound. */
static void every_variant_finds_the_separators_of_sound_text(void)
{
    static const char *const pieces[] = {
        "",         "x",          "longer than eight", "\"\"",     "\"a,b\"",      "\"\r\n\"",
        "\"\"\"\"", "\"x\"\"y\"", "\"\n\n\n\"",        "\xc3\xa4", "\"\"\"\"\"\"", "1.5",
    };
    static const char *const ends[] = {",", ",", ",", "\n", "\r\n", "\r"};
    char text[MAX_TEXT + STOA_CSV_PAD];

    find_scanners();
    for (uint64_t left = check_n_cases(2000); left > 0; left--) {
        const size_t room = 30 + check_random_below(MAX_TEXT - 30);
        size_t n = 0;
        memset(text, '"', sizeof text); /* what stands behind the text has no say */
        while (n + 20 < room) {
            const char *piece = pieces[check_random_below(sizeof pieces / sizeof *pieces)];
            const char *end = ends[check_random_below(sizeof ends / sizeof *ends)];
            memcpy(text + n, piece, strlen(piece));
            n += strlen(piece);
            memcpy(text + n, end, strlen(end));
            n += strlen(end);
        }
        check_marks(text, n, ',');
    }
}

TEST_MAIN(TEST(every_variant_counts_what_stands_there),
          TEST(every_variant_finds_the_separators_of_any_bytes),
          TEST(every_variant_finds_the_separators_of_sound_text))
