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

/* Frees what Stoa gave to DuckDB. */
typedef void duck_free(void *data);

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
    /* types */                                                                                    \
    X(duck_object, create_logical_type, (int type))                                                \
    X(duck_object, create_list_type, (duck_object item))                                           \
    X(duck_object, create_array_type, (duck_object item, uint64_t n))                              \
    X(duck_object, create_struct_type, (duck_object * types, const char **names, uint64_t n))      \
    X(duck_object, create_decimal_type, (uint8_t precision, uint8_t scale))                        \
    X(void, destroy_logical_type, (duck_object * type))                                            \
    /* values */                                                                                   \
    X(duck_object, create_varchar_length, (const char *text, uint64_t length))                     \
    X(duck_object, get_value_type, (duck_object value)) /* borrowed from the value */              \
    X(int, get_type_id, (duck_object type))                                                        \
    X(bool, is_null_value, (duck_object value))                                                    \
    X(char *, get_varchar, (duck_object value))                                                    \
    X(bool, get_bool, (duck_object value))                                                         \
    X(uint64_t, get_list_size, (duck_object value))                                                \
    X(duck_object, get_list_child, (duck_object value, uint64_t i))                                \
    X(void, destroy_value, (duck_object * value))                                                  \
    /* vectors */                                                                                  \
    X(uint64_t, vector_size, (void))                                                               \
    X(duck_object, data_chunk_get_vector, (duck_object chunk, uint64_t column))                    \
    X(void, data_chunk_set_size, (duck_object chunk, uint64_t n))                                  \
    X(void *, vector_get_data, (duck_object vector))                                               \
    X(void, vector_ensure_validity_writable, (duck_object vector))                                 \
    X(uint64_t *, vector_get_validity, (duck_object vector))                                       \
    X(void, vector_assign_string_element_len,                                                      \
      (duck_object vector, uint64_t row, const char *text, uint64_t length))                       \
    X(duck_object, list_vector_get_child, (duck_object vector))                                    \
    X(duck_state, list_vector_set_size, (duck_object vector, uint64_t n))                          \
    X(duck_state, list_vector_reserve, (duck_object vector, uint64_t n))                           \
    X(duck_object, struct_vector_get_child, (duck_object vector, uint64_t i))                      \
    X(duck_object, array_vector_get_child, (duck_object vector))                                   \
    /* table functions */                                                                          \
    X(duck_object, create_table_function, (void))                                                  \
    X(void, table_function_set_name, (duck_object function, const char *name))                     \
    X(void, table_function_add_parameter, (duck_object function, duck_object type))                \
    X(void, table_function_add_named_parameter,                                                    \
      (duck_object function, const char *name, duck_object type))                                  \
    X(void, table_function_set_extra_info, (duck_object function, void *info, duck_free *free))    \
    X(void, table_function_set_bind, (duck_object function, void (*bind)(duck_object info)))       \
    X(void, table_function_set_init, (duck_object function, void (*init)(duck_object info)))       \
    X(void, table_function_set_local_init, (duck_object function, void (*init)(duck_object info))) \
    X(void, table_function_set_function,                                                           \
      (duck_object function, void (*next)(duck_object info, duck_object chunk)))                   \
    X(void, table_function_supports_projection_pushdown, (duck_object function, bool does))        \
    X(duck_state, register_table_function, (duck_object connection, duck_object function))         \
    X(void, destroy_table_function, (duck_object * function))                                      \
    X(void *, bind_get_extra_info, (duck_object info))                                             \
    X(duck_object, bind_get_parameter, (duck_object info, uint64_t i))                             \
    X(duck_object, bind_get_named_parameter, (duck_object info, const char *name))                 \
    X(void, bind_add_result_column, (duck_object info, const char *name, duck_object type))        \
    X(void, bind_set_bind_data, (duck_object info, void *data, duck_free *free))                   \
    X(void, bind_set_cardinality, (duck_object info, uint64_t n, bool is_exact))                   \
    X(void, bind_set_error, (duck_object info, const char *message))                               \
    X(void *, init_get_bind_data, (duck_object info))                                              \
    X(uint64_t, init_get_column_count, (duck_object info))                                         \
    X(uint64_t, init_get_column_index, (duck_object info, uint64_t i))                             \
    X(void, init_set_init_data, (duck_object info, void *data, duck_free *free))                   \
    X(void, init_set_max_threads, (duck_object info, uint64_t n))                                  \
    X(void, init_set_error, (duck_object info, const char *message))                               \
    X(void *, function_get_bind_data, (duck_object info))                                          \
    X(void *, function_get_init_data, (duck_object info))                                          \
    X(void *, function_get_local_init_data, (duck_object info))                                    \
    X(void, function_set_error, (duck_object info, const char *message))                           \
    /* names of tables that DuckDB does not know */                                                \
    X(void, add_replacement_scan,                                                                  \
      (duck_object database, void (*replace)(duck_object info, const char *name, void *data),      \
       void *data, duck_free *free))                                                               \
    X(void, replacement_scan_set_function_name, (duck_object info, const char *name))              \
    X(void, replacement_scan_add_parameter, (duck_object info, duck_object value))                 \
    X(void, replacement_scan_set_error, (duck_object info, const char *message))

/*
 * Functions that some of these versions lack: NULL there.
 *
 * Since 1.4 the first group makes Arrow data of a result that is computed as it is read. Before,
 * the second one did so of a whole result.
 */
#define STOA_DUCKDB_CALLS_OF_SOME(X)                                                               \
    X(duck_state, execute_prepared_streaming, (duck_object prepared, duck_result * out))           \
    X(void, unsafe_vector_assign_string_element_len,                                               \
      (duck_object vector, uint64_t row, const char *text, uint64_t length))                       \
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
    X(duck_state, arrow_scan, (duck_object connection, const char *view, duck_object stream))      \
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

/* duckdb_type, those that Stoa makes or asks for. */
enum {
    DUCK_BOOLEAN = 1,
    DUCK_TINYINT = 2,
    DUCK_SMALLINT = 3,
    DUCK_INTEGER = 4,
    DUCK_BIGINT = 5,
    DUCK_UTINYINT = 6,
    DUCK_USMALLINT = 7,
    DUCK_UINTEGER = 8,
    DUCK_UBIGINT = 9,
    DUCK_FLOAT = 10,
    DUCK_DOUBLE = 11,
    DUCK_TIMESTAMP = 12, /* microseconds */
    DUCK_DATE = 13,
    DUCK_TIME = 14, /* microseconds */
    DUCK_INTERVAL = 15,
    DUCK_HUGEINT = 16,
    DUCK_VARCHAR = 17,
    DUCK_BLOB = 18,
    DUCK_TIMESTAMP_S = 20,
    DUCK_TIMESTAMP_MS = 21,
    DUCK_TIMESTAMP_NS = 22,
    DUCK_LIST = 24,
    DUCK_TIMESTAMP_TZ = 31, /* microseconds */
    DUCK_ANY = 34
};

/* What vectors of these types consist of. A text of at most 12 bytes lies in the struct itself. */
enum { DUCK_INLINED_BYTES = 12 };
typedef struct duck_string {
    uint32_t length;
    char inlined[DUCK_INLINED_BYTES];
} duck_string;
typedef struct duck_interval {
    int32_t months;
    int32_t days;
    int64_t microseconds;
} duck_interval;
typedef struct duck_list_entry {
    uint64_t offset;
    uint64_t length;
} duck_list_entry;
typedef struct duck_hugeint {
    uint64_t low;
    int64_t high;
} duck_hugeint;

/* duckdb_result_type: what a statement gives. */
enum { DUCK_RESULT_CHANGED_ROWS = 1, DUCK_RESULT_NOTHING = 2, DUCK_RESULT_ROWS = 3 };

/*
 * Open the library: the file that STOA_DUCKDB names, else what the system's loader finds. It is
 * opened once and stays open. Thread-safe.
 *
 * @return STOA_ENOTFOUND if there is none, with how to get it; STOA_EVERSION if it is too old
 */
stoa_status stoa_duckdb_open(const stoa_duckdb **duckdb, stoa_error *err);

/* The functions, once stoa_duckdb_open() has succeeded: for what DuckDB calls back. */
const stoa_duckdb *stoa_duckdb_opened(void);

#endif
