/*
 * A table next to an image cube, in a file that the program itself holds open.
 *
 *     beside_images FILE
 *
 * This is what HDF5 is for: pictures and the table that describes them in one file, under one id.
 * Stoa only borrows that id; the program flushes and closes its file as it always did.
 */
#include <hdf5.h>
#include <stdio.h>
#include <stoa/stoa.h>

enum { N_FRAMES = 8, HEIGHT = 16, WIDTH = 32 };

static uint16_t images[N_FRAMES][HEIGHT][WIDTH];
static uint16_t frames[N_FRAMES];
static double brightness[N_FRAMES];

/* Stand-in for a camera: each frame is brighter than the one before. */
static void take_pictures(void)
{
    for (int f = 0; f < N_FRAMES; f++) {
        double sum = 0;

        for (int y = 0; y < HEIGHT; y++) {
            for (int x = 0; x < WIDTH; x++) {
                images[f][y][x] = (uint16_t)(100 * f + x + y);
                sum += images[f][y][x];
            }
        }
        frames[f] = (uint16_t)f;
        brightness[f] = sum / (HEIGHT * WIDTH);
    }
}

static int write_images(hid_t file)
{
    const hsize_t shape[] = {N_FRAMES, HEIGHT, WIDTH};
    const hid_t space = H5Screate_simple(3, shape, NULL);
    const hid_t cube =
        H5Dcreate2(file, "images", H5T_STD_U16LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const int failed =
        cube < 0 || H5Dwrite(cube, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, images) < 0;

    if (cube >= 0) {
        H5Dclose(cube);
    }
    H5Sclose(space);
    return failed;
}

/* The table /frames: row i describes images[i]. */
static stoa_status write_frames(hid_t file, stoa_error *err)
{
    const stoa_column_array columns[] = {
        {.name = "frame", .format = "S", .values = frames, .n_rows = N_FRAMES},
        {.name = "brightness", .format = "g", .values = brightness, .n_rows = N_FRAMES},
    };
    struct ArrowArrayStream stream;
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    stoa_status status;

    status = stoa_stream_of_arrays(columns, 2, &stream, err);
    if (status != STOA_OK) {
        return status;
    }
    options.title = "Frames of /images";
    status = stoa_table_write(file, "frames", &stream, &options, NULL, err);
    stream.release(&stream);
    return status;
}

int main(int argc, char **argv)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;
    hid_t file;
    int failed;

    if (argc != 2) {
        fprintf(stderr, "usage: beside_images FILE\n");
        return 2;
    }
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* what goes wrong is said once, below */
    file = H5Fcreate(argv[1], H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0) {
        fprintf(stderr, "beside_images: %s cannot be made\n", argv[1]);
        return 1;
    }
    take_pictures();
    failed = write_images(file) || write_frames(file, &err) != STOA_OK ||
             stoa_table_open(file, "frames", &table, &err) != STOA_OK;
    if (failed) {
        fprintf(stderr, "beside_images: %s: %s\n", argv[1],
                err.message[0] != '\0' ? err.message : "the images cannot be written");
    } else {
        printf("%s: %d images, and %llu rows in %s\n", argv[1], N_FRAMES,
               (unsigned long long)stoa_table_n_rows(table), stoa_table_path(table));
    }
    stoa_table_close(table);
    return H5Fclose(file) < 0 || failed;
}
