/* What the remarks of an import cost: see bench/README.md. */
#include <inttypes.h>
#include <stoa/csv.h>
#include <stoa/file.h>
#include <stoa/table.h>
#include <string.h>
#include <unistd.h>

#include "arrow/build.h"
#include "kit.h"
#include "layout/csv/strict.h"
#include "layout/csv/suspects.h"

enum { ROWS = 4000000, ROUNDS = 5 };

static void must(stoa_status status, const stoa_error *err)
{
    if (status != STOA_OK) {
        fail("findings", err->message);
    }
}

/* Five columns; a few values keep one of them from being integers. */
static void write_text(const char *name)
{
    FILE *const out = fopen(name, "w");

    if (out == NULL) {
        fail(name, "cannot be written");
    }
    fputs("id,x,n,label,time\n", out);
    for (int i = 0; i < ROWS; i++) {
        char word[16];
        (void)snprintf(word, sizeof word, i % 10000 == 0 ? "NA" : "%u", (unsigned)i * 2654435761U);
        (void)fprintf(out, "%d,%.6f,%s,%c,2020-01-01T00:%02d:%02d\n", i, i * 1.37e-3, word,
                      'a' + i % 4, i / 60 % 60, i % 60);
    }
    (void)fclose(out);
}

/* Read the file; the seconds of all, and those of what is counted for the remarks. */
static void read_text(const char *name, double *all, double *counting)
{
    const stoa_csv_options options = STOA_CSV_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    stoa_csv_suspects suspects = {.n = 0};
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray batch;
    stoa_csv *csv = NULL;
    const double began = now();

    *counting = 0;
    must(stoa_csv_open(name, &options, &csv, &err), &err);
    must(stoa_csv_stream(csv, &stream, &err), &err);
    must(stoa_stream_schema(&stream, &schema, &err), &err);
    must(stoa_csv_suspects_find(&suspects, stoa_csv_columns_of(csv), &err), &err);
    for (;;) {
        must(stoa_stream_next(&stream, &batch, &err), &err); /* which counts, too */
        if (batch.release == NULL) {
            break;
        }
        const double before = now();
        must(stoa_csv_suspects_count(&suspects, &schema, &batch, &err), &err);
        *counting += now() - before;
        stoa_array_release(&batch);
    }
    *all = now() - began - *counting;
    if (suspects.n != 1) {
        fail("findings", "the column was not found");
    }
    stoa_csv_suspects_clear(&suspects);
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
    stoa_csv_close(csv);
}

/* Import the file; the seconds of all. */
static double import_text(const char *name, const char *table)
{
    const stoa_csv_options options = STOA_CSV_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    stoa_file *file = NULL;
    stoa_csv *csv = NULL;
    const double began = now();

    must(stoa_csv_open(name, &options, &csv, &err), &err);
    must(stoa_csv_stream(csv, &stream, &err), &err);
    must(stoa_file_open(table, STOA_FILE_CREATE, &file, &err), &err);
    must(stoa_table_write(stoa_file_id(file), "/t", &stream, NULL, NULL, &err), &err);
    stoa_stream_release(&stream);
    must(stoa_file_commit(file, &err), &err);
    stoa_csv_close(csv);
    (void)unlink(table);
    return now() - began;
}

int main(int argc, char **argv)
{
    double least[3] = {1e9, 1e9, 1e9};

    if (argc != 2) {
        fail("usage", "bench_findings DIRECTORY");
    }
    char *const name = stoa_format("%s/findings.csv", argv[1]);
    char *const table = stoa_format("%s/findings.h5", argv[1]);
    write_text(name);
    for (int i = 0; i < ROUNDS; i++) {
        double all = 0;
        double counting = 0;
        read_text(name, &all, &counting);
        least[0] = all < least[0] ? all : least[0];
        least[1] = counting < least[1] ? counting : least[1];
        const double import = import_text(name, table);
        least[2] = import < least[2] ? import : least[2];
    }
    (void)unlink(name);
    free(name);
    free(table);
    printf(
        "%d rows read in %.3f s and imported in %.3f s, %.3f s of it for the remarks: %.1f %% more "
        "of reading alone, %.1f %% more of an import\n",
        ROWS, least[0], least[2], least[1], 100 * least[1] / (least[0] - least[1]),
        100 * least[1] / (least[2] - least[1]));
    return EXIT_SUCCESS;
}
