/* Lists of elements as people and `stoa dump` write them (sparse RFC §4.1, §4.6); for
 * src/sparse/tools/regions.c. */
#include <stdlib.h>
#include <string.h>

#include "sparse/tools/regions.h"
#include "support/check.h"
#include "support/sweep.h"

static stoa_regions parse(const char *text)
{
    stoa_regions regions;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_regions_parse(text, strlen(text), &regions, &err), &err);
    return regions;
}

static const uint64_t figure_3[] = {2, 2, 4, 7, 6, 0, 6, 2, 5, 9, 5, 9, 11, 1, 11, 1, 12, 8, 12, 8};

static void check_figure_3(const stoa_region_list *list)
{
    CHECK_U64(list->rank, 2);
    CHECK_U64(list->n, 5);
    CHECK_MEM(list->corners.data, figure_3, sizeof figure_3);
}

static void the_rfc_s_own_spellings_are_understood(void)
{
    static const char *const texts[] = {
        "BLOCK (2,2)-(4,7), (6,0)-(6,2) POINT\n(5,9), (11, 1), (12,8)",
        "REGION_TYPE BLOCK (2,2)-(4,7)\nREGION_TYPE BLOCK (6,0)-(6,2)\n"
        "REGION_TYPE BLOCK (5,9) - (5,9)\nREGION_TYPE BLOCK (11,1) - (11,1)\n"
        "REGION_TYPE BLOCK (12,8) - (12,8)\n",
        "(2,2)-(4,7) (6,0)-(6,2) (5,9) (11,1) (12,8)",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        stoa_regions regions = parse(texts[i]);

        CHECK_U64(regions.n, 1);
        CHECK(regions.lists[0].name == NULL);
        check_figure_3(stoa_regions_of(&regions, "/whatever"));
        stoa_regions_clear(&regions);
    }
}

static void what_dump_prints_is_understood_and_its_values_are_not_looked_at(void)
{
    stoa_regions regions = parse("DATASET \"a \"b\"\" {\n"
                                 "  DATATYPE  H5T_COMPOUND {\n"
                                 "    H5T_STD_I32LE \"(1,1)\";\n"
                                 "  }\n"
                                 "  DATASPACE  SIMPLE { ( 13, 10 ) / ( 13, H5S_UNLIMITED ) }\n"
                                 "  REGION_TYPE BLOCK (2,2)-(4,7)\n"
                                 "  DATA {\n"
                                 "    (2,2)  \"}\", \"{\",\n"
                                 "    (3,2)  \"} BLOCK (9,9)\"\n"
                                 "  }\n"
                                 "  REGION_TYPE BLOCK (6,0)-(6,2)\n"
                                 "  REGION_TYPE POINT (5,9), (11,1),\n    (12,8)\n"
                                 "  DATA {\n    (5,9) 2\n  }\n"
                                 "}\n"
                                 "DATASET \"g/c\" {\n  DATATYPE  H5T_STD_I32LE\n"
                                 "  DATASPACE  SIMPLE { ( 4 ) / ( 4 ) }\n"
                                 "  REGION_TYPE POINT (3)\n}\n");
    const uint64_t three[] = {3, 3};

    CHECK_U64(regions.n, 2);
    check_figure_3(stoa_regions_of(&regions, "/a \"b\""));
    const stoa_region_list *other = stoa_regions_of(&regions, "/g/c");
    CHECK_U64(other->rank, 1);
    CHECK_MEM(other->corners.data, three, sizeof three);
    CHECK(stoa_regions_of(&regions, "/g/d") == NULL);
    stoa_regions_clear(&regions);
}

static void nothing_at_all_is_a_list_without_elements(void)
{
    stoa_regions regions = parse(" \n");

    CHECK_U64(stoa_regions_of(&regions, "x")->n, 0);
    stoa_regions_clear(&regions);
}

static void what_is_no_list_is_named_by_its_line(void)
{
    static const struct {
        const char *text;
        const char *says;
    } cases[] = {{"BLOCK\n\nx", "line 3: coordinates"},
                 {"(1,)", "a coordinate"},
                 {"(1,2", "closing parenthesis"},
                 {"(-1)", "a coordinate"},
                 {"()", "a coordinate"},
                 {"(99999999999999999999)", "a coordinate"},
                 {"(1,2)-(3)", "2 and of 1 coordinates"},
                 {"(1,2)\n(3)", "line 2: elements of 2 and of 1 coordinates"},
                 {"(3)-(2)", "ends before it begins"},
                 {"(3)-", "coordinates"},
                 {"(1)-2", "coordinates"},
                 {"DATASET x {\n", "name of a dataset"},
                 {"DATASET \"", "name of a dataset"},
                 {"DATASET", "name of a dataset"},
                 {"DATATYPE H5T_STD_I8LE", "DATASPACE"},
                 {"DATA {\n (1) 5", "closing brace"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stoa_regions regions;
        stoa_error err = STOA_ERROR_INIT;

        CHECK_STATUS(STOA_EINVAL,
                     stoa_regions_parse(cases[i].text, strlen(cases[i].text), &regions, &err));
        CHECK_CONTAINS(err.message, cases[i].says);
        CHECK(regions.lists == NULL);
    }
}

static void elements_outside_are_found(void)
{
    const uint64_t extent[] = {12, 10};
    stoa_regions regions = parse("(2,2)-(4,7) (11,10)");
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_ERANGE, stoa_region_list_check(&regions.lists[0], 2, extent, &err));
    CHECK_CONTAINS(err.message, "coordinate 10");
    CHECK_STATUS(STOA_ERANGE, stoa_region_list_check(&regions.lists[0], 1, extent, &err));
    stoa_regions_clear(&regions);
}

/* Whatever the bytes, it ends, and reads nothing past them: the copy is as long as they are. */
static void any_bytes_are_a_list_or_none(void)
{
    static const char alphabet[] = "(),-0123456789 \n{}\"BLOCKPOINTDATASETDATATYPEREGION_";

    for (uint64_t c = check_n_cases(20000); c > 0; c--) {
        const size_t n = check_random_below(24);
        char *bytes = malloc(n + (n == 0));
        stoa_regions regions;

        for (size_t i = 0; i < n; i++) {
            bytes[i] = check_random_below(9) == 0
                           ? (char)check_random_below(256)
                           : alphabet[check_random_below(sizeof alphabet - 1)];
        }
        if (stoa_regions_parse(bytes, n, &regions, NULL) == STOA_OK) {
            CHECK(regions.n > 0);
            stoa_regions_clear(&regions);
        }
        free(bytes);
    }
}

static stoa_status parse_two(stoa_error *err)
{
    static const char text[] = "DATASET \"a\" {\n(1,2)-(3,4)\n}\nDATASET \"b\" {\n(5)\n}";
    stoa_regions regions;
    const stoa_status status = stoa_regions_parse(text, sizeof text - 1, &regions, err);

    stoa_regions_clear(&regions);
    return status;
}

static void memory_may_run_out_anywhere(void)
{
    CHECK(sweep_memory(parse_two) > 0);
}

TEST_MAIN(TEST(the_rfc_s_own_spellings_are_understood),
          TEST(what_dump_prints_is_understood_and_its_values_are_not_looked_at),
          TEST(nothing_at_all_is_a_list_without_elements),
          TEST(what_is_no_list_is_named_by_its_line), TEST(elements_outside_are_found),
          TEST(any_bytes_are_a_list_or_none), TEST(memory_may_run_out_anywhere))
