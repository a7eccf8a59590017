/* Arrow schemas in Parquet's metadata, and DuckDB's types for them, for src/sql/parquet_schema.c.
 */
#include "sql/parquet_schema.h"

#include <string.h>

#include "arrow/read.h"
#include "support/check.h"

/* By pyarrow 26.0.1: a duration in milliseconds with metadata, and lists of three floats. */
static const char by_pyarrow[] =
    "/////xgBAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAIAAACIAAAABAAAAND/"
    "//8AAAEQFAAAABwAAAAEAAAAAQAAACgAAAABAAAAdgAGAAgABAAGAAAAAwAAABAAFAAIAAYABwAMAAAAEAAQAAAA"
    "AAABAxAAAAAcAAAABAAAAAAAAAAEAAAAaXRlbQAABgAGAAQABgAAAAIAEgAYAAgABgAHAAwAAAAQABQAEgAAAAAA"
    "ARIUAAAATAAAAAgAAAAQAAAAAAAAAAEAAABuAAAAAQAAAAwAAAAIAAwABAAIAAgAAAAQAAAABAAAAAIAAABtcwAA"
    "BQAAAHVuaXRzAAAABAAEAAQAAAAAAAAA";

static void check_fields(const struct ArrowSchema *schema)
{
    const char *units = NULL;
    size_t length = 0;

    CHECK(schema->release != NULL);
    CHECK_I64(schema->n_children, 2);
    CHECK_STR(schema->children[0]->name, "n");
    CHECK_STR(schema->children[0]->format, "tDm");
    CHECK(stoa_schema_get(schema->children[0], "units", &units, &length));
    CHECK_MEM(units, "ms", 2);
    CHECK_STR(schema->children[1]->format, "+w:3");
    CHECK_STR(schema->children[1]->children[0]->format, "g");
}

static void a_schema_of_pyarrow_is_read(void)
{
    struct ArrowSchema schema = {0};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_parquet_decode_schema(by_pyarrow, strlen(by_pyarrow), &schema, &err), &err);
    check_fields(&schema);
    stoa_schema_release(&schema);
}

static void what_is_written_is_read_back(void)
{
    struct ArrowSchema schema = {0};
    struct ArrowSchema again = {0};
    stoa_buffer text = {0};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_parquet_decode_schema(by_pyarrow, strlen(by_pyarrow), &schema, &err), &err);
    CHECK_OK(stoa_parquet_encode_schema(&schema, &text, &err), &err);
    CHECK_U64(text.size % 4, 0);
    CHECK_OK(stoa_parquet_decode_schema((const char *)text.data, text.size, &again, &err), &err);
    check_fields(&again);
    stoa_schema_release(&schema);
    stoa_schema_release(&again);
    stoa_buffer_clear(&text);
}

static void what_is_no_schema_is_none(void)
{
    static const char *const texts[] = {"", "=", "AAAA", "/////w==", "/////3AAAAA", "not base 64"};
    struct ArrowSchema schema = {0};
    stoa_error err = STOA_ERROR_INIT;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        CHECK_OK(stoa_parquet_decode_schema(texts[i], strlen(texts[i]), &schema, &err), &err);
        CHECK(schema.release == NULL);
    }
    for (size_t n = 0; n < strlen(by_pyarrow); n++) { /* cut anywhere */
        CHECK_OK(stoa_parquet_decode_schema(by_pyarrow, n, &schema, &err), &err);
        stoa_schema_release(&schema);
    }
}

static void sizes_of_lists_are_kept_on_request(void)
{
    struct ArrowSchema schema = {0};
    stoa_buffer sql = {0};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_parquet_decode_schema(by_pyarrow, strlen(by_pyarrow), &schema, &err), &err);
    CHECK(!stoa_sql_has_fixed_list(schema.children[0]));
    CHECK(stoa_sql_has_fixed_list(&schema));
    CHECK_OK(stoa_sql_type(&sql, &schema, true, &err), &err);
    CHECK_STR((const char *)sql.data, "STRUCT(\"n\" BIGINT, \"v\" DOUBLE[3])");
    sql.size = 0;
    CHECK_OK(stoa_sql_type(&sql, &schema, false, &err), &err);
    CHECK_STR((const char *)sql.data, "STRUCT(\"n\" BIGINT, \"v\" DOUBLE[])");
    stoa_schema_release(&schema);
    stoa_buffer_clear(&sql);
}

TEST_MAIN(TEST(a_schema_of_pyarrow_is_read), TEST(what_is_written_is_read_back),
          TEST(what_is_no_schema_is_none), TEST(sizes_of_lists_are_kept_on_request))
