/* Schemas and their metadata, for src/arrow/build_schema.c and metadata.c */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "support/check.h"
#include "support/sweep.h"

static void a_field_is_nullable_and_has_no_metadata(void)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowSchema schema;

    CHECK_OK(stoa_schema_make(&schema, "energy", "f", &err), &err);
    CHECK_STR(schema.format, "f");
    CHECK_STR(schema.name, "energy");
    CHECK(schema.metadata == NULL);
    CHECK_I64(schema.flags, ARROW_FLAG_NULLABLE);
    CHECK_I64(schema.n_children, 0);
    stoa_schema_release(&schema);
    CHECK(schema.release == NULL);
}

static void types_are_written_as_the_interface_spells_them(void)
{
    static const struct {
        stoa_type type;
        const char *format;
    } rows[] = {
        {{.kind = STOA_KIND_INT16}, "s"},
        {{.kind = STOA_KIND_FIXED_BINARY, .width = 12}, "w:12"},
        {{.kind = STOA_KIND_FIXED_LIST, .width = 3}, "+w:3"},
        {{.kind = STOA_KIND_DATE}, "tdD"},
        {{.kind = STOA_KIND_TIMESTAMP, .unit = STOA_TIME_SECOND}, "tss:"},
        {{.kind = STOA_KIND_TIMESTAMP, .unit = STOA_TIME_MILLI, .utc = true}, "tsm:UTC"},
        {{.kind = STOA_KIND_TIMESTAMP, .unit = STOA_TIME_NANO}, "tsn:"},
        {{.kind = STOA_KIND_DURATION, .unit = STOA_TIME_SECOND}, "tDs"},
        {{.kind = STOA_KIND_DURATION, .unit = STOA_TIME_MILLI}, "tDm"},
        {{.kind = STOA_KIND_DURATION, .unit = STOA_TIME_MICRO}, "tDu"},
        {{.kind = STOA_KIND_DURATION, .unit = STOA_TIME_NANO}, "tDn"},
        {{.kind = STOA_KIND_DICTIONARY, .index = STOA_KIND_INT8}, "c"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        stoa_error err = STOA_ERROR_INIT;
        struct ArrowSchema schema;
        CHECK_OK(stoa_schema_make_type(&schema, "x", &rows[i].type, &err), &err);
        CHECK_STR(schema.format, rows[i].format);
        stoa_schema_release(&schema);
    }
}

static void a_type_without_a_format_is_refused(void)
{
    const stoa_type type = {.kind = STOA_KIND_OTHER};
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowSchema schema;

    CHECK_STATUS(STOA_ETYPE, stoa_schema_make_type(&schema, "x", &type, &err));
    CHECK(schema.release == NULL);
}

static void metadata_has_the_bytes_of_the_specification(void)
{
    /* {"key1": "value1"}, the example of the C data interface's text, little- or big-endian. */
    char expected[4 + 4 + 4 + 4 + 6];
    const int32_t counts[] = {1, 4, 6};
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowSchema schema;

    memcpy(expected, &counts[0], 4);
    memcpy(expected + 4, &counts[1], 4);
    memcpy(expected + 8, "key1", 4);
    memcpy(expected + 12, &counts[2], 4);
    memcpy(expected + 16, "value1", 6);
    CHECK_OK(stoa_schema_make(&schema, "x", "i", &err), &err);
    CHECK_OK(stoa_schema_set(&schema, "key1", "value1", &err), &err);
    CHECK(memcmp(schema.metadata, expected, sizeof expected) == 0);
    stoa_schema_release(&schema);
}

static void check_pair(const struct ArrowSchema *schema, const char *key, const char *expected)
{
    stoa_error err = STOA_ERROR_INIT;
    char *text = NULL;

    CHECK_OK(stoa_schema_get_text(schema, key, &text, &err), &err);
    CHECK_STR(text, expected);
    free(text);
}

static void setting_a_key_again_replaces_its_value_alone(void)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowSchema schema;
    int32_t n_pairs = 0;
    char *text = NULL;

    CHECK_OK(stoa_schema_make(&schema, "x", "i", &err), &err);
    CHECK_OK(stoa_schema_set(&schema, "units", "m", &err), &err);
    CHECK_OK(stoa_schema_set(&schema, "description", "", &err), &err);
    CHECK_OK(stoa_schema_set(&schema, "unit", "short key", &err), &err);
    CHECK_OK(stoa_schema_set(&schema, "units", "metres", &err), &err);

    memcpy(&n_pairs, schema.metadata, sizeof n_pairs);
    CHECK_I64(n_pairs, 3);
    check_pair(&schema, "units", "metres");
    check_pair(&schema, "description", "");
    check_pair(&schema, "unit", "short key");
    CHECK_OK(stoa_schema_get_text(&schema, "absent", &text, &err), &err);
    CHECK(text == NULL);
    stoa_schema_release(&schema);
}

/* struct<id: int32, label: dictionary<int8, string>> with metadata on the inner field. */
static stoa_status make_table_schema(struct ArrowSchema *schema, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_schema_make(schema, "", "+s", err));
    STOA_TRY(stoa_schema_children(schema, 2, err));
    STOA_TRY(stoa_schema_make(schema->children[0], "id", "i", err));
    STOA_TRY(stoa_schema_make(schema->children[1], "label", "c", err));
    STOA_TRY(stoa_schema_dictionary(schema->children[1], "u", err));
    STOA_TRY(stoa_schema_set(schema->children[0], "units", "1", err));

done:
    if (status != STOA_OK) {
        stoa_schema_release(schema);
    }
    return status;
}

static void a_copy_outlives_its_source(void)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowSchema source;
    struct ArrowSchema copy;

    CHECK_OK(make_table_schema(&source, &err), &err);
    source.children[0]->flags = 0;
    CHECK_OK(stoa_schema_copy(&source, &copy, &err), &err);
    stoa_schema_release(&source);

    CHECK_STR(copy.format, "+s");
    CHECK_I64(copy.n_children, 2);
    CHECK_STR(copy.children[0]->name, "id");
    CHECK_I64(copy.children[0]->flags, 0);
    check_pair(copy.children[0], "units", "1");
    CHECK_STR(copy.children[1]->dictionary->format, "u");
    stoa_schema_release(&copy);
}

static void a_child_moved_away_survives_its_parent(void)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowSchema parent;
    struct ArrowSchema child;

    CHECK_OK(make_table_schema(&parent, &err), &err);
    stoa_schema_move(parent.children[1], &child);
    CHECK(parent.children[1]->release == NULL);
    stoa_schema_release(&parent);
    CHECK_STR(child.name, "label");
    CHECK_STR(child.dictionary->format, "u");
    stoa_schema_release(&child);
}

static void release_nothing(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

static void a_foreign_schema_is_copied_not_edited(void)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowSchema foreign = {.format = "i", .release = release_nothing};
    struct ArrowSchema copy;

    CHECK_STATUS(STOA_EINVAL, stoa_schema_set(&foreign, "units", "m", &err));
    err.status = STOA_OK;
    CHECK_OK(stoa_schema_copy(&foreign, &copy, &err), &err);
    CHECK_STR(copy.name, "");
    CHECK_OK(stoa_schema_set(&copy, "units", "m", &err), &err);
    stoa_schema_release(&copy);
}

static void endless_nesting_is_refused(void)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowSchema loop = {.format = "+l", .n_children = 1, .release = release_nothing};
    struct ArrowSchema *child = &loop;
    struct ArrowSchema copy;

    loop.children = &child;
    CHECK_STATUS(STOA_ETYPE, stoa_schema_copy(&loop, &copy, &err));
    CHECK(copy.release == NULL);
}

static stoa_status build_and_copy(stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {0};
    struct ArrowSchema copy = {0};

    STOA_TRY(make_table_schema(&schema, err));
    STOA_TRY(stoa_schema_set(&schema, "units", "1", err));
    STOA_TRY(stoa_schema_copy(&schema, &copy, err));

done:
    stoa_schema_release(&copy);
    stoa_schema_release(&schema);
    return status;
}

static void no_allocation_is_taken_for_granted(void)
{
    CHECK(sweep_memory(build_and_copy) > 20);
}

TEST_MAIN(TEST(a_field_is_nullable_and_has_no_metadata),
          TEST(types_are_written_as_the_interface_spells_them),
          TEST(a_type_without_a_format_is_refused),
          TEST(metadata_has_the_bytes_of_the_specification),
          TEST(setting_a_key_again_replaces_its_value_alone), TEST(a_copy_outlives_its_source),
          TEST(a_child_moved_away_survives_its_parent), TEST(a_foreign_schema_is_copied_not_edited),
          TEST(endless_nesting_is_refused), TEST(no_allocation_is_taken_for_granted))
