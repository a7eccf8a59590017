/*
 * Rows of samples in a file, packed: for tests/interop/test_waveform_rows.py, which packs them once
 * more in its own way. $STOA_ROWS names the file (for each row the codec, the shift and the number
 * of samples, then the samples, all int32), $STOA_PACKED where a line of hexadecimal digits for
 * each is put.
 */
#include <stdio.h>
#include <stdlib.h>

#include "codec/kernels/waveform.h"
#include "support/check.h"

enum { MOST = 1 << 17 };

static void put_row(FILE *out, const int32_t *head, const int32_t *samples, uint8_t *row)
{
    const size_t n = (size_t)head[2];
    size_t n_bytes = 0;

    if (head[0] == 0) {
        n_bytes = stoa_uleb128_do(samples, n, row);
    } else if (stoa_sigcompress_do(samples, n, head[1], row, &n_bytes) != NULL) {
        CHECK(fputs("refused\n", out) >= 0);
        return;
    }
    CHECK(n_bytes <= (head[0] == 0 ? stoa_uleb128_bound(n) : stoa_sigcompress_bound(n)));
    for (size_t i = 0; i < n_bytes; i++) {
        CHECK(fprintf(out, "%02x", row[i]) == 2);
    }
    CHECK(fputc('\n', out) == '\n');
}

static void rows_of_a_file_are_packed(void)
{
    const char *const from = getenv("STOA_ROWS");
    const char *const to = getenv("STOA_PACKED");
    int32_t head[3];

    if (from == NULL || to == NULL) {
        SKIP("STOA_ROWS does not say where rows are: test_waveform_rows.py does");
    }
    FILE *const in = fopen(from, "rb");
    FILE *const out = fopen(to, "w");
    int32_t *const samples = malloc(MOST * sizeof *samples);
    uint8_t *const row = malloc(stoa_uleb128_bound(MOST));

    CHECK(in != NULL && out != NULL && samples != NULL && row != NULL);
    while (fread(head, sizeof *head, 3, in) == 3) {
        CHECK(head[2] >= 0 && head[2] <= MOST);
        CHECK(fread(samples, sizeof *samples, (size_t)head[2], in) == (size_t)head[2]);
        put_row(out, head, samples, row);
    }
    CHECK(fclose(in) == 0 && fclose(out) == 0);
    free(row);
    free(samples);
}

TEST_MAIN(TEST(rows_of_a_file_are_packed))
