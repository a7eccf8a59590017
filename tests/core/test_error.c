/* The caller-owned error, for src/core/error.c */
#include <errno.h>
#include <string.h>

#include "core/error.h"
#include "support/check.h"

static void the_first_failure_stays(void)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_EDATA, stoa_fail(&err, STOA_EDATA, "chunk %d is damaged", 3));
    CHECK_STATUS(STOA_EIO, stoa_fail(&err, STOA_EIO, "a later one"));
    CHECK_U64(err.status, STOA_EDATA);
    CHECK_STR(err.message, "chunk 3 is damaged");
}

static void no_error_struct_is_fine(void)
{
    CHECK_STATUS(STOA_EINVAL, stoa_fail(NULL, STOA_EINVAL, "x"));
    CHECK_STATUS(STOA_ENOTFOUND, stoa_fail_errno(NULL, ENOENT, "x"));
    CHECK_STATUS(STOA_EIO, stoa_at(NULL, STOA_EIO, "x"));
    stoa_advise(NULL, "x");
}

static void the_deepest_place_stays(void)
{
    stoa_error err = STOA_ERROR_INIT;

    (void)stoa_fail(&err, STOA_EDATA, "x");
    CHECK_STATUS(STOA_EDATA, stoa_at(&err, STOA_EDATA, "run.h5:/%s", "ts"));
    (void)stoa_at(&err, STOA_EDATA, "run.h5");
    CHECK_STR(err.where, "run.h5:/ts");
}

static void success_has_no_place(void)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_OK, stoa_at(&err, STOA_OK, "run.h5"));
    CHECK_STR(err.where, "");
}

static void an_outer_call_says_where_the_inner_place_is(void)
{
    stoa_error err = STOA_ERROR_INIT;
    char longer[600];

    CHECK_STATUS(STOA_EIO, stoa_within(NULL, STOA_EIO, "x"));
    (void)stoa_at(&err, STOA_EDATA, "attribute 'x'");
    CHECK_STATUS(STOA_OK, stoa_within(&err, STOA_OK, "run.h5"));
    CHECK_STR(err.where, "attribute 'x'");
    CHECK_STATUS(STOA_EDATA, stoa_within(&err, STOA_EDATA, "run.h5:/%s", "t"));
    CHECK_STR(err.where, "run.h5:/t: attribute 'x'");
    (void)stoa_within(&err, STOA_EDATA, "run.h5");
    CHECK_STR(err.where, "run.h5:/t: attribute 'x'");
    (void)strcpy(err.where, "x");
    (void)stoa_within(&err, STOA_EDATA, "run.h5:/t/x");
    CHECK_STR(err.where, "run.h5:/t/x");
    (void)stoa_within(&err, STOA_EDATA, "run.h5:/other"); /* the inner place says all */
    CHECK_STR(err.where, "run.h5:/t/x");
    err.where[0] = '\0';
    (void)stoa_within(&err, STOA_EDATA, "run.h5\n");
    CHECK_STR(err.where, "run.h5?");
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    (void)stoa_within(&err, STOA_EDATA, "%s", longer);
    CHECK_U64(strlen(err.where), sizeof err.where - 1);
}

static void a_message_is_one_line(void)
{
    stoa_error err = STOA_ERROR_INIT;

    (void)stoa_fail(&err, STOA_EDATA, "column '%s'", "a\nb\x1b[31m\x7f");
    CHECK_STR(err.message, "column 'a?b?[31m?'");
    stoa_advise(&err, "; see %s", "stoa\tcheck");
    CHECK_STR(err.message, "column 'a?b?[31m?'; see stoa?check");
}

static void a_long_message_is_cut_not_overrun(void)
{
    stoa_error err = STOA_ERROR_INIT;
    char longer[4000];

    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    (void)stoa_fail(&err, STOA_EDATA, "%s", longer);
    CHECK_U64(strlen(err.message), sizeof err.message - 1);
    stoa_advise(&err, "; see stoa check");
    CHECK_U64(strlen(err.message), sizeof err.message - 1);
    (void)stoa_at(&err, STOA_EDATA, "%s", longer);
    CHECK_U64(strlen(err.where), sizeof err.where - 1);
}

static void errno_chooses_the_status_and_adds_its_text(void)
{
    static const struct {
        int error_number;
        stoa_status status;
    } rows[] = {
        {ENOENT, STOA_ENOTFOUND}, {ENOMEM, STOA_ENOMEM}, {EACCES, STOA_EIO}, {ENOSPC, STOA_EIO}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        stoa_error err = STOA_ERROR_INIT;
        CHECK_U64(stoa_fail_errno(&err, rows[i].error_number, "cannot open"), rows[i].status);
        CHECK_U64(err.status, rows[i].status);
        CHECK(strncmp(err.message, "cannot open: ", 13) == 0);
        CHECK_STR(err.message + 13, strerror(rows[i].error_number));
    }
}

static void every_status_has_its_own_name(void)
{
    for (int a = STOA_OK; a <= STOA_ECANCELLED; a++) {
        CHECK(strcmp(stoa_status_name((stoa_status)a), "unknown status") != 0);
        for (int b = STOA_OK; b < a; b++) {
            CHECK(strcmp(stoa_status_name((stoa_status)a), stoa_status_name((stoa_status)b)) != 0);
        }
    }
    CHECK_STR(stoa_status_name((stoa_status)99), "unknown status");
    CHECK_STR(stoa_status_name(STOA_ENOTFOUND), "not found");
    CHECK_STR(stoa_status_name(STOA_ECANCELLED), "cancelled");
}

TEST_MAIN(TEST(the_first_failure_stays), TEST(no_error_struct_is_fine),
          TEST(the_deepest_place_stays), TEST(success_has_no_place),
          TEST(an_outer_call_says_where_the_inner_place_is), TEST(a_message_is_one_line),
          TEST(a_long_message_is_cut_not_overrun), TEST(errno_chooses_the_status_and_adds_its_text),
          TEST(every_status_has_its_own_name))
