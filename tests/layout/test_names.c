/* Versions and names for shells and bindings: each name is one that a call takes. For
 * <stoa/version.h>. */
#include <hdf5.h>
#include <stdio.h>
#include <stoa/stoa.h>
#include <string.h>

#include "support/batches.h"
#include "support/check.h"
#include "support/memory_file.h"

static stoa_status write_numbers(hid_t file, const char *path, const char *codec)
{
    static const int64_t numbers[] = {3, 1, 2};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    const stoa_column_options storage = {.codec = codec};
    struct ArrowArrayStream stream;
    batch b = batch_begin(1, 3);

    options.columns = &storage;
    options.n_columns = 1;
    options.replace = true;
    batch_integers(&b, 0, "n", "l", numbers, NULL);
    stream_of(&b, 1, &stream);
    const stoa_status status = stoa_table_write(file, path, &stream, &options, NULL, NULL);
    stoa_stream_release(&stream);
    return status;
}

static void the_version_is_the_headers(void)
{
    char text[32];

    CHECK_U64(stoa_version_number(), STOA_VERSION_NUMBER);
    (void)snprintf(text, sizeof text, "%u.%u.%u", stoa_version_number() / 10000,
                   stoa_version_number() / 100 % 100, stoa_version_number() % 100);
    CHECK_STR(text, stoa_version());
}

static void each_codec_packs(void)
{
    const hid_t file = memory_file("a.h5", false);
    size_t n = 0;

    for (; stoa_codec_name(n) != NULL; n++) {
        const char *const name = stoa_codec_name(n);
        /* libblosc may not be installed */
        CHECK(write_numbers(file, "/t", name) == STOA_OK || strcmp(name, "blosc") == 0);
    }
    CHECK_U64(n, 9);
    CHECK_STATUS(STOA_EINVAL, write_numbers(file, "/t", "auto:1"));
    CHECK_STATUS(STOA_EINVAL, write_numbers(file, "/t", "zstd:20"));
    CHECK_H5(H5Fclose(file));
}

static void each_layout_is_written(void)
{
    bool has_own = false;
    size_t n = 0;

    for (; stoa_layout_name(n) != NULL; n++) {
        CHECK(stoa_layout_is_written(stoa_layout_name(n)));
        has_own |= strcmp(stoa_layout_name(n), "hep001") == 0;
    }
    CHECK(has_own && n == 9);
}

static void each_kind_of_index_is_built(void)
{
    const hid_t file = memory_file("a.h5", false);
    stoa_table *table = NULL;
    size_t n = 0;

    CHECK_OK(write_numbers(file, "/t", "none"));
    CHECK_OK(stoa_table_open(file, "/t", &table, NULL));
    for (; stoa_index_kind_name(n) != NULL; n++) {
        CHECK_OK(stoa_index_add(table, "n", stoa_index_kind_name(n), NULL, NULL));
    }
    CHECK_U64(n, 4);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

/* A question that fails, as it may for its arguments, does not say that there is no such function.
 */
static bool is_known(stoa_table *table, const char *where, const char *aggregates)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    stoa_query *query = NULL;
    stoa_error err = STOA_ERROR_INIT;

    options.where = where;
    options.aggregates = aggregates;
    const stoa_status status = stoa_query_open(table, &options, &query, &err);
    stoa_query_close(query);
    return status == STOA_OK || (strstr(err.message, "there is no function") == NULL &&
                                 strstr(err.message, "is no aggregate") == NULL);
}

static void each_function_is_known_to_queries(void)
{
    const hid_t file = memory_file("a.h5", false);
    stoa_table *table = NULL;
    char text[64];
    size_t n_functions = 0;
    size_t n_aggregates = 0;

    CHECK_OK(write_numbers(file, "/t", "none"));
    CHECK_OK(stoa_table_open(file, "/t", &table, NULL));
    CHECK(!is_known(table, "nosuch(n) = 1", NULL) && !is_known(table, NULL, "nosuch(n)"));
    for (const char *name; (name = stoa_function_name(n_functions)) != NULL; n_functions++) {
        if (name[0] != '|') { /* an operator */
            (void)snprintf(text, sizeof text, "%s(n) = 1", name);
            CHECK(is_known(table, text, NULL));
        }
    }
    for (; stoa_aggregate_name(n_aggregates) != NULL; n_aggregates++) {
        const char *const name = stoa_aggregate_name(n_aggregates);
        (void)snprintf(text, sizeof text, "%s(n%s)", name,
                       strcmp(name, "quantile") == 0 ? ", 0.5" : "");
        CHECK(is_known(table, NULL, text));
    }
    CHECK(n_functions > 80);
    CHECK_U64(n_aggregates, 24);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(the_version_is_the_headers), TEST(each_codec_packs), TEST(each_layout_is_written),
          TEST(each_kind_of_index_is_built), TEST(each_function_is_known_to_queries))
