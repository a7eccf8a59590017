/*
 * Write a table from arrays.
 *
 *     write_table FILE         makes FILE, with one table, /events
 *
 * Then try: stoa info FILE; stoa query FILE -w "energy > 100"; h5dump FILE
 */
#include <stdio.h>
#include <stoa/stoa.h>

#include "arrays.h"

enum { N_EVENTS = 5 };

static const int64_t numbers[N_EVENTS] = {1, 2, 3, 4, 5};
static const double energies[N_EVENTS] = {0.511, 105.66, 139.57, 0, 938.27};
/* A bit a row, least significant first: row 3 has no energy. The 0 that stands there means nothing.
 */
static const uint8_t has_energy[] = {0x17};
/* Strings stand back to back; row i lies between ends[i] and ends[i + 1]. */
static const char particles[] = "electronmuonpionphotonproton";
static const int32_t ends[N_EVENTS + 1] = {0, 8, 12, 16, 22, 28};

static const column columns[] = {
    {"number", "l", 0, 2, {NULL, numbers}},
    {"energy", "g", 1, 2, {has_energy, energies}},
    {"particle", "u", 0, 3, {NULL, ends, particles}},
};

/* Every call of Stoa's says what went wrong in one line, and where. */
static int complain(const stoa_error *err)
{
    fprintf(stderr, "write_table: %s: %s\n", err->where, err->message);
    return 1;
}

int main(int argc, char **argv)
{
    table_of_arrays events = {.columns = columns, .n_columns = 3, .n_rows = N_EVENTS};
    struct ArrowArrayStream stream = stream_of(&events);
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;
    uint64_t n_rows = 0;
    stoa_status status;

    if (argc != 2) {
        fprintf(stderr, "usage: write_table FILE\n");
        return 2;
    }
    options.title = "Five particles";
    options.indexes = &(stoa_column_index){"energy", "minmax"}; /* queries may skip chunks by it */
    options.n_indexes = 1;

    if (stoa_file_open(argv[1], STOA_FILE_CREATE, &file, &err) != STOA_OK) {
        return complain(&err);
    }
    status = stoa_table_write(stoa_file_id(file), "/events", &stream, &options, &n_rows, &err);
    stream.release(&stream);
    if (status != STOA_OK) {
        stoa_file_close(file); /* without a commit: no file appears */
        return complain(&err);
    }
    if (stoa_file_commit(file, &err) != STOA_OK) {
        return complain(&err);
    }
    printf("%s: %llu rows in /events\n", argv[1], (unsigned long long)n_rows);
    return 0;
}
