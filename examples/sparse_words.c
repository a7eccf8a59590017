/*
 * Strings and sequences in sparse arrays, with the calls of the sparse RFC.
 *
 *     sparse_words FILE ROWS COLUMNS [heap] < lines of "row column word number number ..."
 *
 * Makes the datasets /words, /numbers and /both of a new file; a word "-" is a string that is not
 * there. With "heap" the data go into the file's global heap, where every HDF5 program that finds
 * Stoa's filter plugin reads them; without it into the chunks, compressed, for programs under
 * Stoa's connector.
 */
#include <stdio.h>
#include <stdlib.h>
#include <stoa/h5sparse.h>
#include <string.h>

enum { MAX_LINES = 1000, MAX_NUMBERS = 20, MAX_WORD = 64 };

typedef struct both {
    char *word; /* NULL: none */
    hvl_t numbers;
} both;

typedef struct lines {
    size_t n;
    hsize_t at[MAX_LINES][2];
    both values[MAX_LINES];
    char words[MAX_LINES][MAX_WORD];
    int numbers[MAX_LINES][MAX_NUMBERS];
} lines;

static int read_line(lines *l, char *text)
{
    both *value = &l->values[l->n];
    unsigned long long row = 0;
    unsigned long long column = 0;
    int length = 0;

    if (sscanf(text, "%llu %llu %63s%n", &row, &column, l->words[l->n], &length) != 3) {
        return 0;
    }
    l->at[l->n][0] = row;
    l->at[l->n][1] = column;
    value->word = strcmp(l->words[l->n], "-") == 0 ? NULL : l->words[l->n];
    value->numbers.p = l->numbers[l->n];
    value->numbers.len = 0;
    for (char *end = text += length; value->numbers.len < MAX_NUMBERS; text = end) {
        const long number = strtol(text, &end, 10);
        if (end == text) {
            break;
        }
        l->numbers[l->n][value->numbers.len++] = (int)number;
    }
    l->n++;
    return 1;
}

/* A dataset of which exactly the elements of the lines are defined. */
static herr_t make(hid_t file, const char *name, hid_t stored, hid_t type, hid_t space, hid_t dcpl,
                   const void *values)
{
    const hid_t dset = H5Dcreate(file, name, stored, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    const herr_t result =
        dset >= 0 ? H5Dwrite(dset, type, H5S_BLOCK, space, H5P_DEFAULT, values) : -1;

    return dset >= 0 && H5Dclose(dset) >= 0 ? result : -1;
}

static herr_t make_all(hid_t file, const lines *l, hid_t space, hid_t dcpl)
{
    static char *words[MAX_LINES];
    static hvl_t numbers[MAX_LINES];
    const hid_t word = H5Tcopy(H5T_C_S1);
    const hid_t stored = H5Tvlen_create(H5T_STD_I32BE);
    const hid_t native = H5Tvlen_create(H5T_NATIVE_INT);
    const hid_t pair = H5Tcreate(H5T_COMPOUND, sizeof(both));
    herr_t result = 0;

    H5Tset_size(word, H5T_VARIABLE);
    H5Tinsert(pair, "word", HOFFSET(both, word), word);
    H5Tinsert(pair, "numbers", HOFFSET(both, numbers), native);
    for (size_t i = 0; i < l->n; i++) {
        words[i] = l->values[i].word;
        numbers[i] = l->values[i].numbers;
    }
    if (make(file, "words", word, word, space, dcpl, words) < 0 ||
        make(file, "numbers", stored, native, space, dcpl, numbers) < 0 ||
        make(file, "both", pair, pair, space, dcpl, l->values) < 0) {
        result = -1;
    }
    H5Tclose(pair);
    H5Tclose(native);
    H5Tclose(stored);
    H5Tclose(word);
    return result;
}

static int read_lines(lines *l)
{
    char text[1024];

    while (l->n < MAX_LINES && fgets(text, sizeof text, stdin) != NULL) {
        if (!read_line(l, text)) {
            return 0;
        }
    }
    return 1;
}

static herr_t write_file(hid_t file, const hsize_t *extent, int in_heap, const lines *l)
{
    const hsize_t chunk[2] = {4, 4};
    const hid_t space = H5Screate_simple(2, extent, NULL);
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    herr_t result = H5Pset_struct_chunk(dcpl, 2, chunk, H5D_SPARSE_CHUNK);

    H5Pset_deflate(dcpl, 6); /* of each section */
    if (in_heap) {
        stoa_h5p_set_vl_storage(dcpl, STOA_VL_GLOBAL_HEAP);
    }
    if (l->n == 0) {
        H5Sselect_none(space);
    } else {
        H5Sselect_elements(space, H5S_SELECT_SET, l->n, l->at[0]);
    }
    result = result >= 0 ? make_all(file, l, space, dcpl) : -1;
    H5Pclose(dcpl);
    H5Sclose(space);
    return result;
}

int main(int argc, char **argv)
{
    static lines l;
    hid_t file = H5I_INVALID_HID;
    int failed = 1;

    if (argc != 4 && argc != 5) {
        fprintf(stderr, "usage: sparse_words FILE ROWS COLUMNS [heap] < lines\n");
        return 2;
    }
    const hsize_t extent[2] = {strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10)};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* what goes wrong is said once, below */
    if (!read_lines(&l)) {
        fprintf(stderr, "sparse_words: %s: a line is no row, column and word\n", argv[1]);
    } else if ((file = H5Fcreate(argv[1], H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT)) < 0) {
        fprintf(stderr, "sparse_words: %s cannot be made\n", argv[1]);
    } else if (write_file(file, extent, argc == 5 && strcmp(argv[4], "heap") == 0, &l) < 0) {
        fprintf(stderr, "sparse_words: %s cannot be written\n", argv[1]);
    } else {
        printf("%zu elements in /words, /numbers and /both\n", l.n);
        failed = 0;
    }
    return (file >= 0 && H5Fclose(file) < 0) || failed;
}
