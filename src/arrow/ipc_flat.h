/*
 * FlatBuffers as far as Arrow's metadata need them (https://flatbuffers.dev/internals), and the
 * numbers that Arrow's schemas (Schema.fbs, Message.fbs, File.fbs) give to tables and fields.
 *
 * Reading: a buffer that contradicts itself is marked, and gives zeros from then on; its reader
 * asks once, at the end. Writing goes forward: what a table refers to comes behind it.
 */
#ifndef STOA_ARROW_IPC_FLAT_H
#define STOA_ARROW_IPC_FLAT_H

#include "core/memory.h"

/* MetadataVersion, MessageHeader, Type. */
enum { IPC_V5 = 4 };
enum { IPC_SCHEMA = 1, IPC_DICTIONARY_BATCH = 2, IPC_RECORD_BATCH = 3 };
enum {
    IPC_INT = 2,
    IPC_FLOAT = 3,
    IPC_BINARY = 4,
    IPC_UTF8 = 5,
    IPC_BOOL = 6,
    IPC_DATE = 8,
    IPC_TIMESTAMP = 10,
    IPC_LIST = 12,
    IPC_STRUCT = 13,
    IPC_FIXED_BINARY = 15,
    IPC_FIXED_LIST = 16,
    IPC_DURATION = 18,
    IPC_LARGE_BINARY = 19,
    IPC_LARGE_UTF8 = 20,
    IPC_LARGE_LIST = 21
};

/* Fields of tables, by their place in the schema. */
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
enum { BATCH_LENGTH, BATCH_NODES, BATCH_BUFFERS, BATCH_COMPRESSION, BATCH_N };
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

/* Zero: a table without fields. */
typedef struct stoa_flat_table {
    size_t at;
    size_t size;
    size_t slots;
    unsigned n_slots;
} stoa_flat_table;

/* Unsigned number of `n` bytes; 0 where they are not all there. */
uint64_t stoa_flat_number(stoa_flat *flat, size_t at, unsigned n);
stoa_flat_table stoa_flat_root(stoa_flat *flat);
/* A field of `n` bytes; `absent` where there is none. */
uint64_t stoa_flat_field(stoa_flat *flat, const stoa_flat_table *table, unsigned slot, unsigned n,
                         uint64_t absent);
bool stoa_flat_has(stoa_flat *flat, const stoa_flat_table *table, unsigned slot);
stoa_flat_table stoa_flat_child(stoa_flat *flat, const stoa_flat_table *table, unsigned slot);
/* How many elements a vector has, from *at on; all are inside of the buffer. */
uint32_t stoa_flat_vector(stoa_flat *flat, const stoa_flat_table *table, unsigned slot,
                          size_t element, size_t *at);
/* Not terminated. */
const char *stoa_flat_string(stoa_flat *flat, const stoa_flat_table *table, unsigned slot,
                             size_t *length);
/* A table that the offset at `at` leads to. */
stoa_flat_table stoa_flat_table_at(stoa_flat *flat, size_t at);

/* --- writing --------------------------------------------------------------------------------- */

typedef struct stoa_flat_writer {
    stoa_buffer bytes;  /* the root's offset first */
    stoa_status status; /* the first failure; every later call does nothing */
    stoa_error *err;
} stoa_flat_writer;

/* Zeroed but for `err`; the first table is the root. */
void stoa_flat_begin(stoa_flat_writer *writer, stoa_error *err);
/*
 * A table at the end.
 *
 * @param sizes      of fields in bytes: 1, 2, 4 or 8; 0: left out
 * @param[out] where of fields, to be filled by stoa_flat_put()
 */
size_t stoa_flat_put_table(stoa_flat_writer *writer, const uint8_t *sizes, unsigned n,
                           size_t *where);
void stoa_flat_put(stoa_flat_writer *writer, size_t at, unsigned n, uint64_t value);
/* Have the offset at `at` lead to `to`. */
void stoa_flat_refer(stoa_flat_writer *writer, size_t at, size_t to);
void stoa_flat_put_string(stoa_flat_writer *writer, size_t at, const char *text, size_t length);
/* A vector of n zeros of `size` bytes, which the offset at `at` leads to; where its first is. */
size_t stoa_flat_put_vector(stoa_flat_writer *writer, size_t at, size_t n, size_t size);

#endif
