/*
 * DuckDB's C API, 1.2 and later, opened at run time.
 *
 * These are our own declarations of what Stoa uses: no header of DuckDB is needed to build it.
 * https://duckdb.org/docs/stable/clients/c/api describes the functions.
 */
#ifndef STOA_SQL_DUCKDB_H
#define STOA_SQL_DUCKDB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoa/arrow.h>
#include <stoa/error.h>

/* The oldest version that has every function below. */
#define STOA_DUCKDB_OLDEST "1.2"

/* Objects of DuckDB are pointers that only it looks into. */
typedef void *duck_object;

/* duckdb_state: 0 is success. */
typedef int duck_state;

/* Only DuckDB looks into a result. It is passed by value, so its size matters. */
typedef struct duck_result {
    uint64_t counts[3];
    void *pointers[3];
} duck_result;

/*
 * The functions: X(result, name without "duckdb_", parameters).
 */
#define STOA_DUCKDB_CALLS(X)                                                                       \
    X(const char *, library_version, (void))                                                       \
    X(void, free, (void *block))                                                                   \
    /* databases and connections */                                                                \
    X(duck_state, create_config, (duck_object * out))                                              \
    X(duck_state, set_config, (duck_object config, const char *name, const char *value))           \
    X(void, destroy_config, (duck_object * config))                                                \
    X(duck_state, open_ext,                                                                        \
      (const char *path, duck_object *out, duck_object config, char **error))                      \
    X(void, close, (duck_object * database))                                                       \
    X(duck_state, connect, (duck_object database, duck_object * out))                              \
    X(void, disconnect, (duck_object * connection))                                                \
    X(void, interrupt, (duck_object connection))                                                   \
    /* statements and results */                                                                   \
    X(uint64_t, extract_statements, (duck_object connection, const char *text, duck_object *out))  \
    X(const char *, extract_statements_error, (duck_object extracted))                             \
    X(duck_state, prepare_extracted_statement,                                                     \
      (duck_object connection, duck_object extracted, uint64_t i, duck_object * out))              \
    X(void, destroy_extracted, (duck_object * extracted))                                          \
    X(const char *, prepare_error, (duck_object prepared))                                         \
    X(duck_state, execute_prepared, (duck_object prepared, duck_result * out))                     \
    X(void, destroy_prepare, (duck_object * prepared))                                             \
    X(const char *, result_error, (duck_result * result))                                          \
    X(void, destroy_result, (duck_result * result))                                                \
    X(uint64_t, column_count, (duck_result * result))                                              \
    X(const char *, column_name, (duck_result * result, uint64_t column))                          \
    X(duck_object, column_logical_type, (duck_result * result, uint64_t column))                   \
    X(int, result_return_type, (duck_result result))                                               \
    X(duck_object, fetch_chunk, (duck_result result))                                              \
    X(uint64_t, data_chunk_get_size, (duck_object chunk))                                          \
    X(void, destroy_data_chunk, (duck_object * chunk))                                             \
    X(void, destroy_logical_type, (duck_object * type))

/*
 * Functions that some of these versions lack: NULL there.
 *
 * Since 1.4 the first group makes Arrow data of a result that is computed as it is read. Before,
 * the second one did so of a whole result.
 */
#define STOA_DUCKDB_CALLS_OF_SOME(X)                                                               \
    X(duck_state, execute_prepared_streaming, (duck_object prepared, duck_result * out))           \
    X(duck_object, result_get_arrow_options, (duck_result * result))                               \
    X(void, destroy_arrow_options, (duck_object * options))                                        \
    X(duck_object, to_arrow_schema,                                                                \
      (duck_object options, duck_object * types, const char **names, uint64_t n,                   \
       struct ArrowSchema *out))                                                                   \
    X(duck_object, data_chunk_to_arrow,                                                            \
      (duck_object options, duck_object chunk, struct ArrowArray * out))                           \
    X(bool, error_data_has_error, (duck_object error))                                             \
    X(const char *, error_data_message, (duck_object error))                                       \
    X(void, destroy_error_data, (duck_object * error))                                             \
                                                                                                   \
    X(duck_state, arrow_scan,                                                                      \
      (duck_object connection, const char *view, duck_object stream))                              \
                                                                                                   \
    X(duck_state, execute_prepared_arrow, (duck_object prepared, duck_object * out))               \
    X(const char *, query_arrow_error, (duck_object arrow))                                        \
    X(duck_state, query_arrow_schema, (duck_object arrow, duck_object * schema))                   \
    X(duck_state, query_arrow_array, (duck_object arrow, duck_object * array))                     \
    X(void, destroy_arrow, (duck_object * arrow))

/* The functions, by name. */
typedef struct stoa_duckdb {
#define STOA_DUCKDB_MEMBER(type, name, parameters) type(*name) parameters;
    STOA_DUCKDB_CALLS(STOA_DUCKDB_MEMBER)
    STOA_DUCKDB_CALLS_OF_SOME(STOA_DUCKDB_MEMBER)
#undef STOA_DUCKDB_MEMBER
} stoa_duckdb;

/* duckdb_result_type: what a statement gives. */
enum { DUCK_RESULT_CHANGED_ROWS = 1, DUCK_RESULT_NOTHING = 2, DUCK_RESULT_ROWS = 3 };

/*
 * Open the library: the file that STOA_DUCKDB names, else what the system's loader finds. It is
 * opened once and stays open. Thread-safe.
 *
 * @return STOA_ENOTFOUND if there is none, with how to get it; STOA_EVERSION if it is too old
 */
stoa_status stoa_duckdb_open(const stoa_duckdb **duckdb, stoa_error *err);

#endif
