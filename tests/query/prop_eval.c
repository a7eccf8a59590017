/* For random predicates over random batches, vectors say what a judge says that looks at one row
 * after the other. */
#include <stdio.h>

#include "asking.h"
#include "oracle.h"

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

TEST_MAIN(TEST(vectors_and_the_row_by_row_judge_agree))
