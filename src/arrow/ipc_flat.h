/*
 * FlatBuffers, as far as Arrow's metadata needs them (https://flatbuffers.dev/internals), and the
 * numbers of tables and fields in Arrow's schemas (Schema.fbs, Message.fbs, File.fbs).
 *
 * Reading: an invalid buffer is marked as bad and reads as zeros from then on, so the reader needs
 * one test at the end. Writing goes forward: a table comes before the tables it refers to.
 */
#ifndef STOA_ARROW_IPC_FLAT_H
#define STOA_ARROW_IPC_FLAT_H

#include "core/memory.h"

/* MetadataVersion, MessageHeader, Type. */
enum { IPC_V5 = 4 };
enum { IPC_SCHEMA = 1, IPC_DICTIONARY_BATCH = 2, IPC_RECORD_BATCH = 3 };
enum {
    IPC_NULL = 1,
    IPC_INT = 2,
    IPC_FLOAT = 3,
    IPC_BINARY = 4,
    IPC_UTF8 = 5,
    IPC_BOOL = 6,
    IPC_DECIMAL = 7,
    IPC_DATE = 8,
    IPC_TIME = 9,
    IPC_TIMESTAMP = 10,
    IPC_LIST = 12,
    IPC_STRUCT = 13,
    IPC_FIXED_BINARY = 15,
    IPC_FIXED_LIST = 16,
    IPC_DURATION = 18,
    IPC_LARGE_BINARY = 19,
    IPC_LARGE_UTF8 = 20,
    IPC_LARGE_LIST = 21,
    IPC_BINARY_VIEW = 23,
    IPC_UTF8_VIEW = 24
};

/* Numbers of table fields, by position in the schema. */
enum { MESSAGE_VERSION, MESSAGE_TYPE, MESSAGE_HEADER, MESSAGE_BODY, MESSAGE_N };
enum { SCHEMA_ENDIANNESS, SCHEMA_FIELDS, SCHEMA_METADATA, SCHEMA_N };
enum {
    FIELD_NAME,
    FIELD_NULLABLE,
    FIELD_TYPE_KIND,
    FIELD_TYPE,
    FIELD_DICTIONARY,
    FIELD_CHILDREN,
    FIELD_METADATA,
    FIELD_N
};
enum { BATCH_LENGTH, BATCH_NODES, BATCH_BUFFERS, BATCH_COMPRESSION, BATCH_VIEWS, BATCH_N };
enum { COMPRESSION_CODEC, COMPRESSION_METHOD, COMPRESSION_N };
enum { ENCODING_ID, ENCODING_INDEX, ENCODING_ORDERED, ENCODING_KIND, ENCODING_N };
enum { DICTIONARY_ID, DICTIONARY_DATA, DICTIONARY_DELTA, DICTIONARY_N };
enum { FOOTER_VERSION, FOOTER_SCHEMA, FOOTER_DICTIONARIES, FOOTER_BATCHES, FOOTER_N };

/* --- reading --------------------------------------------------------------------------------- */

typedef struct stoa_flat {
    const uint8_t *bytes;
    size_t size;
    bool is_bad;
} stoa_flat;

/* All zero: a table without fields. */
typedef struct stoa_flat_table {
    size_t at;
    size_t size;
    size_t slots;
    unsigned n_slots;
} stoa_flat_table;

/* An unsigned number of `n` bytes; 0 if it passes the end of the buffer. */
uint64_t stoa_flat_number(stoa_flat *flat, size_t at, unsigned n);
stoa_flat_table stoa_flat_root(stoa_flat *flat);
/* A field of `n` bytes; `absent` if the table does not have it. */
uint64_t stoa_flat_field(stoa_flat *flat, const stoa_flat_table *table, unsigned slot, unsigned n,
                         uint64_t absent);
bool stoa_flat_has(stoa_flat *flat, const stoa_flat_table *table, unsigned slot);
stoa_flat_table stoa_flat_child(stoa_flat *flat, const stoa_flat_table *table, unsigned slot);
/* The number of elements of a vector, which start at *at; all of them are in the buffer. */
uint32_t stoa_flat_vector(stoa_flat *flat, const stoa_flat_table *table, unsigned slot,
                          size_t element, size_t *at);
/* The string is not NUL-terminated. */
const char *stoa_flat_string(stoa_flat *flat, const stoa_flat_table *table, unsigned slot,
                             size_t *length);
/* The table that the offset at `at` leads to. */
stoa_flat_table stoa_flat_table_at(stoa_flat *flat, size_t at);

/* --- writing --------------------------------------------------------------------------------- */

typedef struct stoa_flat_writer {
    stoa_buffer bytes;  /* start with the offset of the root */
    stoa_status status; /* of the first failure; later calls do nothing */
    stoa_error *err;
} stoa_flat_writer;

/* Start an empty buffer, whose first table is the root. */
void stoa_flat_begin(stoa_flat_writer *writer, stoa_error *err);
/*
 * Append a table.
 *
 * @param sizes      of its fields in bytes: 1, 2, 4 or 8; 0 leaves a field out
 * @param[out] where  positions of the fields, to be filled by stoa_flat_put()
 */
size_t stoa_flat_put_table(stoa_flat_writer *writer, const uint8_t *sizes, unsigned n,
                           size_t *where);
void stoa_flat_put(stoa_flat_writer *writer, size_t at, unsigned n, uint64_t value);
/* Store at `at` an offset that leads to `to`. */
void stoa_flat_refer(stoa_flat_writer *writer, size_t at, size_t to);
void stoa_flat_put_string(stoa_flat_writer *writer, size_t at, const char *text, size_t length);
/* Append a vector of n zeros of `size` bytes, and store its offset at `at`. Returns the position of
 * its first element. */
size_t stoa_flat_put_vector(stoa_flat_writer *writer, size_t at, size_t n, size_t size);

#endif
