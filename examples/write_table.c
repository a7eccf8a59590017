/*
 * Write a table from arrays.
 *
 *     write_table FILE         makes FILE, with one table, /events
 *
 * Then try: stoa info FILE; stoa query FILE -w "energy > 100"; h5dump FILE
 */
#include <stdio.h>
#include <stoa/stoa.h>

enum { N_EVENTS = 5 };

static const int64_t numbers[N_EVENTS] = {1, 2, 3, 4, 5};
static const double energies[N_EVENTS] = {0.511, 105.66, 139.57, 0, 938.27};
/* Row 3 has no energy. The 0 that stands there means nothing. */
static const bool has_energy[N_EVENTS] = {true, true, true, false, true};
static const char *const particles[N_EVENTS] = {"electron", "muon", "pion", "photon", "proton"};

static const stoa_column_array columns[] = {
    {.name = "number", .format = "l", .values = numbers, .n_rows = N_EVENTS},
    {.name = "energy",
     .format = "g",
     .values = energies,
     .n_rows = N_EVENTS,
     .valid = has_energy,
     .units = "MeV"},
    {.name = "particle", .format = "u", .values = particles, .n_rows = N_EVENTS},
};

/* Every call of Stoa's says what went wrong in one line, and where. */
static int complain(const stoa_error *err)
{
    fprintf(stderr, "write_table: %s: %s\n", err->where, err->message);
    return 1;
}

int main(int argc, char **argv)
{
    struct ArrowArrayStream stream;
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
    /* The arrays are borrowed until the stream is released, not copied. */
    if (stoa_stream_of_arrays(columns, sizeof columns / sizeof columns[0], &stream, &err) !=
        STOA_OK) {
        stoa_file_close(file);
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
