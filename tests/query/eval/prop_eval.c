/* For random predicates over random batches, vectors say what a judge says that looks at one row
 * after the other. */
#include <stdio.h>
#include <string.h>

#include "query/asking.h"
#include "query/oracle.h"

static void vectors_and_the_row_by_row_judge_agree(void)
{
    static oracle_rows rows;

    for (uint64_t k = check_n_cases(4000); k > 0; k--) {
        char where[8192];
        char expected[ORACLE_MAX_ROWS + 1] = "";
        oracle_make_rows(&rows, (int64_t)check_random_below(70) + 1, 0);
        oracle_node *predicate = oracle_make((int)check_random_below(4), where, sizeof where);
        batch b = oracle_batch(&rows);

        for (int64_t i = 0; i < rows.n; i++) {
            expected[i] = oracle_judge(predicate, &rows.rows[i]);
        }
        const char *found = verdicts(&b, where);
        for (int64_t i = 0; i < rows.n; i++) {
            if (found[i] != expected[i]) {
                FAIL("row %lld of\n  %s\nfound    %.900s\nexpected %s", (long long)i, where, found,
                     expected);
            }
        }
        batch_end(&b);
        oracle_free(predicate);
    }
}

/* Bytes of a predicate replaced, left out and doubled: refused with a message, or evaluated. */
static void a_mangled_text_is_refused_or_means_something(void)
{
    static const char alphabet[] = "()'\"xX,.-+*/%&|~<>=!_:0129aeiuftdscb \t\xc3\xa4";
    static oracle_rows rows;

    oracle_make_rows(&rows, 20, 0);
    batch b = oracle_batch(&rows);
    for (uint64_t k = check_n_cases(20000); k > 0; k--) {
        char text[8192];
        oracle_node *predicate = oracle_make((int)check_random_below(3), text, sizeof text);
        oracle_free(predicate);
        for (uint64_t n = 1 + check_random_below(4); n > 0; n--) {
            const size_t at = (size_t)check_random_below(strlen(text) + 1);
            const size_t end = strlen(text);
            const char letter = alphabet[check_random_below(sizeof alphabet - 1)];
            switch (end == 0 ? 2 : check_random_below(3)) {
            case 0:
                text[at < end ? at : end - 1] = letter;
                break;
            case 1:
                memmove(text + at, text + at + (at < end), end - at + (at == end));
                break;
            default:
                memmove(text + at + 1, text + at, end - at + 1);
                text[at] = letter;
                break;
            }
        }
        CHECK(strlen(values_of(&b, text)) > 0);
    }
    batch_end(&b);
}

TEST_MAIN(TEST(a_mangled_text_is_refused_or_means_something),
          TEST(vectors_and_the_row_by_row_judge_agree))
