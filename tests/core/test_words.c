/* Words in any case and names in lists, for the head of src/core/text.h. */
#include <limits.h>
#include <string.h>

#include "core/text.h"
#include "support/check.h"

static bool is(const char *text, const char *word)
{
    return stoa_is_word(text, strlen(text), word);
}

static void only_capitals_of_ascii_have_another_case(void)
{
    static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

    for (int c = CHAR_MIN; c <= CHAR_MAX; c++) {
        const char *const at = c != 0 ? strchr(capitals, c) : NULL;
        const char lower = at != NULL ? "abcdefghijklmnopqrstuvwxyz"[at - capitals] : (char)c;
        CHECK(stoa_lower((char)c) == lower);
    }
}

static void a_word_is_the_same_in_any_case_and_only_whole(void)
{
    CHECK(is("skew-symmetric", "skew-symmetric"));
    CHECK(is("Skew-SYMMETRIC", "skew-symmetric"));
    CHECK(!is("skew\rsymmetric", "skew-symmetric")); /* a bit away */
    CHECK(!is("skew", "skew-symmetric"));
    CHECK(!is("skew-symmetrical", "skew-symmetric"));
    CHECK(is("", ""));
    CHECK(!is("", "a"));
    CHECK(stoa_is_word("nano", 3, "nan"));
    CHECK(!stoa_is_word("nan\0", 4, "nan"));
}

static void a_name_is_found_in_a_list_to_its_end(void)
{
    static const char *const list[] = {"codec", "datatype", NULL, "units"};

    CHECK(stoa_is_listed("codec", list) && stoa_is_listed("datatype", list));
    CHECK(!stoa_is_listed("cod", list) && !stoa_is_listed("codec_shift", list));
    CHECK(!stoa_is_listed("Codec", list) && !stoa_is_listed("", list));
    CHECK(!stoa_is_listed("units", list));
    CHECK(!stoa_is_listed("codec", list + 2));
}

TEST_MAIN(TEST(only_capitals_of_ascii_have_another_case),
          TEST(a_word_is_the_same_in_any_case_and_only_whole),
          TEST(a_name_is_found_in_a_list_to_its_end))
