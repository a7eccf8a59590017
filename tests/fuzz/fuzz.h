/*
 * The fuzz targets: what must hold for any bytes whatever (README.md).
 *
 * Each takes a file as bytes, which hardly ever reach a disk, and does with it what a command does.
 * It may not crash, hang, read out of bounds, allocate without bound, or leave an HDF5 id open;
 * what it answers is a matter of other tests. driver/ runs them under libFuzzer, test_regressions.c
 * over the files that once did one of these things.
 */
#ifndef STOA_TESTS_FUZZ_FUZZ_H
#define STOA_TESTS_FUZZ_FUZZ_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `stoa check --strict --indexes` of every table in the file. */
void fuzz_check(const uint8_t *bytes, size_t n);
/* ls, info, query, export, index list and verify, indexes believed. */
void fuzz_query(const uint8_t *bytes, size_t n);
/* The same of tables of every layout: PyTables', pandas', AnnData's ... */
void fuzz_layout(const uint8_t *bytes, size_t n);
/* The same of a set of Arkouda's files: FUZZ_LOCALES of one length, one after the other. */
#define FUZZ_LOCALES 3
void fuzz_set(const uint8_t *bytes, size_t n);

/* A line of the command, over a file; the last FUZZ_COMMAND_TAIL bytes, which the file is without,
 * say which line, and which of its objects. */
#define FUZZ_COMMAND_TAIL 2
void fuzz_command(const uint8_t *bytes, size_t n);
/* The least numbers that say the same, which do so after lines were added, too. */
void fuzz_command_reduce(uint8_t *tail);

/* A Python pickle, and what readers of pandas' attributes ask of one; no file. */
void fuzz_pickle(const uint8_t *bytes, size_t n);

/* A packed row of samples, and an LH5 datatype; no file. */
void fuzz_waveform(const uint8_t *bytes, size_t n);

/* A pipeline and a stored chunk, undone; no file. */
void fuzz_codec(const uint8_t *bytes, size_t n);
/* The first FUZZ_CODEC_HEAD bytes, whatever they are, say what the pipeline is: behind them put a
 * sound chunk of it. Bytes in all; 0 where there is no such pipeline, or no room. */
#define FUZZ_CODEC_HEAD 20
size_t fuzz_codec_input(uint8_t *bytes, size_t room);

/* A sparse dataset and a structured chunk of it, read in every way, edited; the file is made here.
 */
void fuzz_sparse(const uint8_t *bytes, size_t n);
/* As fuzz_codec_input(), with the first FUZZ_SPARSE_HEAD bytes: a sound chunk. */
#define FUZZ_SPARSE_HEAD 8
#define FUZZ_SPARSE_MOST 1600 /* elements of a dataset, of at most FUZZ_SPARSE_SIZE bytes */
#define FUZZ_SPARSE_SIZE 70
size_t fuzz_sparse_input(uint8_t *bytes, size_t room);
/* One of fuzz_sparse()'s two rounds: whether the chunk is read, to what values, and which are
 * defined. Aborts where filter, libhdf5, library and connector disagree. */
bool fuzz_sparse_read(const uint8_t *bytes, size_t n, bool is_sealed, uint8_t *values,
                      uint8_t *defined);

/* The bytes as an open file, negative if libhdf5 takes them for none; ends with fuzz_close(), which
 * aborts if one of our ids is left open. */
hid_t fuzz_open(const uint8_t *bytes, size_t n);
/* The same as files that have names, by which they are a set; the first of them. */
hid_t fuzz_open_set(const uint8_t *bytes, size_t n);
void fuzz_close(hid_t file);

#endif
