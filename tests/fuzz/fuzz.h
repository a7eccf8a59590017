/*
 * The fuzz targets: what must hold for any bytes whatever (README.md).
 *
 * Each takes a file as bytes, which never reach a disk, and does with it what a command does. It
 * may not crash, hang, read out of bounds, allocate without bound, or leave an HDF5 id open; what
 * it answers is a matter of other tests. driver/ runs them under libFuzzer, test_regressions.c over
 * the files that once did one of these things.
 */
#ifndef STOA_TESTS_FUZZ_FUZZ_H
#define STOA_TESTS_FUZZ_FUZZ_H

#include <hdf5.h>
#include <stddef.h>
#include <stdint.h>

/* `stoa check --strict --indexes` of every table in the file. */
void fuzz_check(const uint8_t *bytes, size_t n);
/* ls, info, query, export, index list and verify, indexes believed. */
void fuzz_query(const uint8_t *bytes, size_t n);

/* A pipeline and a stored chunk, undone; no file. */
void fuzz_codec(const uint8_t *bytes, size_t n);
/* The first FUZZ_CODEC_HEAD bytes, whatever they are, say what the pipeline is: behind them put a
 * sound chunk of it. Bytes in all; 0 where there is no such pipeline, or no room. */
#define FUZZ_CODEC_HEAD 20
size_t fuzz_codec_input(uint8_t *bytes, size_t room);

/* The bytes as an open file, negative if libhdf5 takes them for none; ends with fuzz_close(), which
 * aborts if one of our ids is left open. */
hid_t fuzz_open(const uint8_t *bytes, size_t n);
void fuzz_close(hid_t file);

#endif
