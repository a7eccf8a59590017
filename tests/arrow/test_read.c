/* Views of arrays that strangers made, for src/arrow/read.c. Every array here is built by hand from
 * the Arrow columnar format's text, none by src/arrow/build_*.c. */
#include <string.h>

#include "arrow/read.h"
#include "support/check.h"

static void release_schema(struct ArrowSchema *schema)
{
    schema->release = NULL;
}
static void release_array(struct ArrowArray *array)
{
    array->release = NULL;
}

#define FIELD(...)                                                                                 \
    {                                                                                              \
        .name = "x", .release = release_schema, __VA_ARGS__                                        \
    }
#define ROWS(n, ...)                                                                               \
    {                                                                                              \
        .length = (n), .release = release_array, __VA_ARGS__                                       \
    }

static void an_offset_moves_values_and_validity_alike(void)
{
    const int16_t values[] = {10, 11, 12, 13, 14};
    const uint8_t validity[] = {0x17}; /* rows 0, 1, 2, 4 are valid */
    const void *buffers[] = {validity, values};
    const struct ArrowSchema schema = FIELD(.format = "s");
    const struct ArrowArray array =
        ROWS(3, .offset = 2, .null_count = -1, .n_buffers = 2, .buffers = buffers);
    stoa_error err = STOA_ERROR_INIT;
    stoa_view view;

    CHECK_OK(stoa_view_of(&schema, &array, &view, &err), &err);
    CHECK_I64(view.null_count, 1);
    CHECK_I64(stoa_view_i64(&view, 0), 12);
    CHECK(stoa_view_is_null(&view, 1));
    CHECK(!stoa_view_is_null(&view, 2));
    CHECK_I64(stoa_view_i64(&view, 2), 14);
}

static int64_t only_i64(const char *format, const void *value)
{
    const void *buffers[] = {NULL, value};
    const struct ArrowSchema schema = FIELD(.format = format);
    const struct ArrowArray array = ROWS(1, .n_buffers = 2, .buffers = buffers);
    stoa_error err = STOA_ERROR_INIT;
    stoa_view view;

    CHECK_OK(stoa_view_of(&schema, &array, &view, &err), &err);
    return stoa_view_i64(&view, 0);
}

static double only_f64(const char *format, const void *value)
{
    const void *buffers[] = {NULL, value};
    const struct ArrowSchema schema = FIELD(.format = format);
    const struct ArrowArray array = ROWS(1, .n_buffers = 2, .buffers = buffers);
    stoa_error err = STOA_ERROR_INIT;
    stoa_view view;

    CHECK_OK(stoa_view_of(&schema, &array, &view, &err), &err);
    return stoa_view_f64(&view, 0);
}

static void every_width_of_number_is_read(void)
{
    CHECK_I64(only_i64("c", &(int8_t){-5}), -5);
    CHECK_I64(only_i64("C", &(uint8_t){250}), 250);
    CHECK_I64(only_i64("s", &(int16_t){-300}), -300);
    CHECK_I64(only_i64("S", &(uint16_t){65000}), 65000);
    CHECK_I64(only_i64("i", &(int32_t){-70000}), -70000);
    CHECK_I64(only_i64("I", &(uint32_t){4000000000u}), 4000000000);
    CHECK_I64(only_i64("l", &(int64_t){INT64_MIN}), INT64_MIN);
    CHECK_U64((uint64_t)only_i64("L", &(uint64_t){UINT64_MAX}), UINT64_MAX);
    CHECK_I64(only_i64("b", &(uint8_t){1}), 1);
    CHECK_I64(only_i64("tdD", &(int32_t){-1}), -1);
    CHECK_I64(only_i64("tsm:UTC", &(int64_t){978307200000}), 978307200000);
    CHECK_F64(only_f64("e", &(uint16_t){0xc000}), -2.0);
    CHECK_F64(only_f64("f", &(float){0.5f}), 0.5);
    CHECK_F64(only_f64("g", &(double){1e300}), 1e300);
}

static void strings_are_borrowed_with_their_length(void)
{
    const int32_t offsets[] = {0, 0, 5, 5, 8};
    const void *buffers[] = {NULL, offsets, "heronrye"};
    const struct ArrowSchema schema = FIELD(.format = "u");
    const struct ArrowArray array = ROWS(3, .offset = 1, .n_buffers = 3, .buffers = buffers);
    stoa_error err = STOA_ERROR_INIT;
    stoa_view view;
    size_t length;

    CHECK_OK(stoa_view_of(&schema, &array, &view, &err), &err);
    CHECK(memcmp(stoa_view_bytes(&view, 0, &length), "heron", 5) == 0);
    CHECK_U64(length, 5);
    CHECK_STR(stoa_view_bytes(&view, 1, &length), "");
    CHECK_U64(length, 0);
    CHECK(memcmp(stoa_view_bytes(&view, 2, &length), "rye", 3) == 0);
    CHECK_U64(length, 3);
}

static void fixed_binary_is_cut_by_its_width(void)
{
    const void *buffers[] = {NULL, "aaabbbccc"};
    const struct ArrowSchema schema = FIELD(.format = "w:3");
    const struct ArrowArray array = ROWS(2, .offset = 1, .n_buffers = 2, .buffers = buffers);
    stoa_error err = STOA_ERROR_INIT;
    stoa_view view;
    size_t length;

    CHECK_OK(stoa_view_of(&schema, &array, &view, &err), &err);
    CHECK(memcmp(stoa_view_bytes(&view, 1, &length), "ccc", 3) == 0);
    CHECK_U64(length, 3);
}

static void struct_children_inherit_the_offset(void)
{
    const int32_t values[] = {0, 10, 20, 30, 40};
    const uint8_t validity[] = {
        0x0b}; /* rows 0, 1, 3 of the child's own counting from its offset */
    const void *child_buffers[] = {validity, values};
    const void *buffers[] = {NULL};
    struct ArrowSchema child_schema = FIELD(.format = "i");
    struct ArrowArray child =
        ROWS(4, .offset = 1, .null_count = -1, .n_buffers = 2, .buffers = child_buffers);
    struct ArrowSchema *schemas[] = {&child_schema};
    struct ArrowArray *children[] = {&child};
    const struct ArrowSchema schema = FIELD(.format = "+s", .n_children = 1, .children = schemas);
    const struct ArrowArray array = ROWS(2, .offset = 1, .n_buffers = 1, .buffers = buffers,
                                         .n_children = 1, .children = children);
    stoa_error err = STOA_ERROR_INIT;
    stoa_view view;
    stoa_view inner;

    CHECK_OK(stoa_view_of(&schema, &array, &view, &err), &err);
    CHECK_OK(stoa_view_child(&view, 0, &inner, &err), &err);
    CHECK_I64(inner.length, 2);
    CHECK_I64(stoa_view_i64(&inner, 0), 20);
    CHECK_I64(stoa_view_i64(&inner, 1), 30);
    CHECK(stoa_view_is_null(&inner, 0));
    CHECK(!stoa_view_is_null(&inner, 1));
    CHECK_I64(inner.null_count, 1);
    CHECK_STATUS(STOA_ERANGE, stoa_view_child(&view, 1, &inner, &err));
}

static void lists_say_where_their_items_are(void)
{
    const int32_t values[] = {1, 2, 3, 4, 5, 6};
    const int32_t offsets[] = {0, 2, 2, 5};
    const void *child_buffers[] = {NULL, values};
    const void *buffers[] = {NULL, offsets};
    struct ArrowSchema child_schema = FIELD(.format = "i");
    struct ArrowArray child = ROWS(6, .n_buffers = 2, .buffers = child_buffers);
    struct ArrowSchema *schemas[] = {&child_schema};
    struct ArrowArray *children[] = {&child};
    struct ArrowSchema schema = FIELD(.format = "+l", .n_children = 1, .children = schemas);
    struct ArrowArray array = ROWS(2, .offset = 1, .n_buffers = 2, .buffers = buffers,
                                   .n_children = 1, .children = children);
    stoa_error err = STOA_ERROR_INIT;
    stoa_view view;
    int64_t first;
    int64_t count;

    CHECK_OK(stoa_view_of(&schema, &array, &view, &err), &err);
    stoa_view_range(&view, 0, &first, &count);
    CHECK_I64(first, 2);
    CHECK_I64(count, 0);
    stoa_view_range(&view, 1, &first, &count);
    CHECK_I64(first, 2);
    CHECK_I64(count, 3);

    child.length = 4; /* the last list ends at 5 */
    CHECK_STATUS(STOA_EDATA, stoa_view_of(&schema, &array, &view, &err));

    child.length = 6;
    schema.format = "+w:3";
    array.length = 1;
    array.n_buffers = 1;
    err.status = STOA_OK;
    CHECK_OK(stoa_view_of(&schema, &array, &view, &err), &err);
    stoa_view_range(&view, 0, &first, &count);
    CHECK_I64(first, 3);
    CHECK_I64(count, 3);
    array.length = 2; /* needs 9 items */
    CHECK_STATUS(STOA_EDATA, stoa_view_of(&schema, &array, &view, &err));
}

static void codes_must_name_a_label_unless_the_row_is_null(void)
{
    const int8_t codes[] = {1, 7, 0};
    const uint8_t all_but_middle[] = {0x05};
    const int32_t label_offsets[] = {0, 2, 5};
    const void *label_buffers[] = {NULL, label_offsets, "nosum"};
    const void *buffers[] = {all_but_middle, codes};
    struct ArrowSchema label_schema = FIELD(.format = "u");
    struct ArrowArray labels = ROWS(2, .n_buffers = 3, .buffers = label_buffers);
    const struct ArrowSchema schema = FIELD(.format = "c", .dictionary = &label_schema);
    struct ArrowArray array =
        ROWS(3, .null_count = 1, .n_buffers = 2, .buffers = buffers, .dictionary = &labels);
    stoa_error err = STOA_ERROR_INIT;
    stoa_view view;
    stoa_view inner;
    size_t length;

    CHECK_OK(stoa_view_of(&schema, &array, &view, &err), &err);
    CHECK_I64(stoa_view_i64(&view, 0), 1);
    CHECK_OK(stoa_view_dictionary(&view, &inner, &err), &err);
    CHECK(memcmp(stoa_view_bytes(&inner, 1, &length), "sum", 3) == 0);

    buffers[0] = NULL;
    array.null_count = 0;
    CHECK_STATUS(STOA_EDATA, stoa_view_of(&schema, &array, &view, &err));
}

static stoa_status view_of(const char *format, int64_t length, int64_t offset, int64_t null_count,
                           int64_t n_buffers, const void **buffers)
{
    const struct ArrowSchema schema = FIELD(.format = format);
    const struct ArrowArray array = ROWS(length, .offset = offset, .null_count = null_count,
                                         .n_buffers = n_buffers, .buffers = buffers);
    stoa_view view;

    return stoa_view_of(&schema, &array, &view, NULL);
}

static void broken_arrays_are_refused(void)
{
    const int32_t values[] = {1, 2};
    const int32_t descending[] = {0, 5, 3};
    const int32_t negative[] = {-1, 0, 1};
    const int32_t ascending[] = {0, 1, 2};
    const void *numbers[] = {NULL, values};

    CHECK_STATUS(STOA_OK, view_of("i", 2, 0, 0, 2, numbers));
    CHECK_STATUS(STOA_EDATA, view_of("i", -1, 0, 0, 2, numbers));
    CHECK_STATUS(STOA_EDATA, view_of("i", 2, -1, 0, 2, numbers));
    CHECK_STATUS(STOA_EDATA, view_of("i", INT64_MAX, INT64_MAX, 0, 2, numbers));
    CHECK_STATUS(STOA_EDATA, view_of("i", 2, 0, 0, 1, numbers));
    CHECK_STATUS(STOA_EDATA, view_of("i", 2, 0, 0, 2, NULL));
    CHECK_STATUS(STOA_EDATA, view_of("i", 2, 0, 1, 2, numbers));
    CHECK_STATUS(STOA_EDATA, view_of("i", 2, 0, 0, 2, (const void *[]){NULL, NULL}));
    CHECK_STATUS(STOA_OK, view_of("i", 0, 0, 0, 2, (const void *[]){NULL, NULL}));
    CHECK_STATUS(STOA_OK, view_of("u", 2, 0, 0, 3, (const void *[]){NULL, ascending, "ab"}));
    CHECK_STATUS(STOA_EDATA, view_of("u", 2, 0, 0, 3, (const void *[]){NULL, ascending, NULL}));
    CHECK_STATUS(STOA_EDATA, view_of("u", 2, 0, 0, 3, (const void *[]){NULL, descending, "abcde"}));
    CHECK_STATUS(STOA_EDATA, view_of("u", 2, 0, 0, 3, (const void *[]){NULL, negative, "a"}));
    CHECK_STATUS(STOA_EDATA, view_of("u", 2, 0, 0, 3, (const void *[]){NULL, NULL, "a"}));
    CHECK_STATUS(STOA_OK, view_of("+s", 2, 0, 0, 1, (const void *[]){NULL}));
    CHECK_STATUS(STOA_EDATA, view_of("+l", 2, 0, 0, 2, (const void *[]){NULL, ascending}));
    CHECK_STATUS(STOA_ETYPE, view_of("d:10,2", 2, 0, 0, 2, numbers));
    CHECK_STATUS(STOA_OK, view_of("n", 2, 0, 2, 0, NULL));
}

static void released_data_is_refused(void)
{
    const struct ArrowSchema schema = {.format = "i"};
    const struct ArrowArray array = {.length = 0};
    stoa_view view;

    CHECK_STATUS(STOA_EINVAL, stoa_view_of(&schema, &array, &view, NULL));
}

static void every_row_of_the_null_type_is_null(void)
{
    const struct ArrowSchema schema = FIELD(.format = "n");
    const struct ArrowArray array = ROWS(3, .null_count = 3);
    stoa_error err = STOA_ERROR_INIT;
    stoa_view view;

    CHECK_OK(stoa_view_of(&schema, &array, &view, &err), &err);
    CHECK_I64(view.null_count, 3);
    CHECK(stoa_view_is_null(&view, 2));
}

static void unaligned_buffers_are_read_right(void)
{
    _Alignas(8) uint8_t bytes[17] = {0};
    const int64_t value = -123456789012345;

    memcpy(bytes + 1, &value, sizeof value);
    CHECK_I64(only_i64("l", bytes + 1), value);
}

TEST_MAIN(TEST(an_offset_moves_values_and_validity_alike), TEST(every_width_of_number_is_read),
          TEST(strings_are_borrowed_with_their_length), TEST(fixed_binary_is_cut_by_its_width),
          TEST(struct_children_inherit_the_offset), TEST(lists_say_where_their_items_are),
          TEST(codes_must_name_a_label_unless_the_row_is_null), TEST(broken_arrays_are_refused),
          TEST(released_data_is_refused), TEST(every_row_of_the_null_type_is_null),
          TEST(unaligned_buffers_are_read_right))
