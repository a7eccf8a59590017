/*
 * The fuzz targets: what must hold for any input bytes (README.md).
 *
 * Each target treats its input as a file, mostly in memory, and does what a command does with it.
 * It must not crash, hang, read out of bounds, allocate without bound, or leave an HDF5 id open.
 * Other tests check the results. driver/ runs the targets under libFuzzer. test_regressions.c runs
 * them over the files that once failed.
 */
#ifndef STOA_TESTS_FUZZ_FUZZ_H
#define STOA_TESTS_FUZZ_FUZZ_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `stoa check --strict --indexes` of every table in the file. */
void fuzz_check(const uint8_t *bytes, size_t n);
/* ls, info, query, export, index list and verify, trusting the indexes. */
void fuzz_query(const uint8_t *bytes, size_t n);
/* The same for tables of every layout: PyTables, pandas, AnnData and others. */
void fuzz_layout(const uint8_t *bytes, size_t n);
/* The same for a set of Arkouda files: FUZZ_LOCALES of equal length, concatenated. */
#define FUZZ_LOCALES 3
void fuzz_set(const uint8_t *bytes, size_t n);

/* A command line, run on a file. The last FUZZ_COMMAND_TAIL bytes choose the line and its object,
 * and are not part of the file. */
#define FUZZ_COMMAND_TAIL 2
void fuzz_command(const uint8_t *bytes, size_t n);
/* Replace the tail by the smallest numbers that choose the same. They stay valid when lines are
 * added. */
void fuzz_command_reduce(uint8_t *tail);

/* A Python pickle, and the queries that readers of pandas' attributes make; no file. */
void fuzz_pickle(const uint8_t *bytes, size_t n);

/* A packed row of samples, and an LH5 datatype; no file. */
void fuzz_waveform(const uint8_t *bytes, size_t n);

/* Undo a filter pipeline on a stored chunk; no file. */
void fuzz_codec(const uint8_t *bytes, size_t n);
/* Append a valid chunk to the first FUZZ_CODEC_HEAD bytes, which choose the pipeline. Any head is
 * accepted. Returns the total bytes; 0 if there is no such pipeline or too little room. */
#define FUZZ_CODEC_HEAD 20
size_t fuzz_codec_input(uint8_t *bytes, size_t room);

/* A sparse dataset with one structured chunk, read in every way and edited. The target creates the
 * file. */
void fuzz_sparse(const uint8_t *bytes, size_t n);
/* As fuzz_codec_input(), with the first FUZZ_SPARSE_HEAD bytes: append a valid chunk. */
#define FUZZ_SPARSE_HEAD 8
#define FUZZ_SPARSE_MAX 1600 /* elements of a dataset, of at most FUZZ_SPARSE_SIZE bytes each */
#define FUZZ_SPARSE_SIZE 70
size_t fuzz_sparse_input(uint8_t *bytes, size_t room);
/* One of fuzz_sparse()'s two rounds. Returns whether the chunk can be read; outputs its values and
 * which are defined. Aborts if filter, libhdf5, library and connector disagree. */
bool fuzz_sparse_read(const uint8_t *bytes, size_t n, bool is_sealed, uint8_t *values,
                      uint8_t *defined);

/* Open the bytes as a file; negative if libhdf5 does not accept them. Close it with fuzz_close(),
 * which aborts if one of our ids is left open. */
hid_t fuzz_open(const uint8_t *bytes, size_t n);
/* Open the bytes as named files, whose names make them a set; returns the first. */
hid_t fuzz_open_set(const uint8_t *bytes, size_t n);
void fuzz_close(hid_t file);

#endif
