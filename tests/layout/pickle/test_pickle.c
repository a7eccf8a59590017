/* Pickles: every program here was printed by Python's own pickle, or stands in its documentation.
 */
#include "layout/pickle/pickle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

/* A program whose bytes may hold NULs. */
#define READ(program) read_program(program, sizeof(program) - 1)

static stoa_pickle *read_program(const void *program, size_t n)
{
    stoa_pickle *pickle = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_pickle_read(program, n, &pickle, &err), &err);
    return pickle;
}

static const stoa_pickled *root_of(const stoa_pickle *pickle)
{
    return stoa_pickle_root(pickle);
}

/* pickle.dumps(["a", "é"], 0), pickle.dumps([(0, "index")], 0): PyTables notes §8. */
static void lists_of_protocol_0_are_read(void)
{
    stoa_pickle *names = READ("(lp0\nVa\np1\naV\xe9\np2\na.");
    stoa_pickle *pairs = READ("(lp0\n(I0\nVindex\np1\ntp2\na.");
    const stoa_pickled *pair = stoa_pickled_item(root_of(pairs), 0);

    CHECK_I64((int64_t)stoa_pickled_count(root_of(names)), 2);
    CHECK(stoa_pickled_is_text(stoa_pickled_item(root_of(names), 0), "a"));
    CHECK(stoa_pickled_is_text(stoa_pickled_item(root_of(names), 1), "\xc3\xa9"));
    CHECK(stoa_pickled_item(root_of(names), 2) == NULL);
    CHECK_I64((int64_t)stoa_pickled_count(pair), 2);
    CHECK_I64(stoa_pickled_item(pair, 0)->as.integer, 0);
    CHECK(stoa_pickled_is_text(stoa_pickled_item(pair, 1), "index"));
    stoa_pickle_close(names);
    stoa_pickle_close(pairs);
}

/* None, True, 1 << 70, 2.5, NaN of protocol 0. */
static void scalars_of_protocol_0_are_read(void)
{
    stoa_pickle *none = READ("N.");
    stoa_pickle *truth = READ("I01\n.");
    stoa_pickle *big = READ("L1180591620717411303424L\n.");
    stoa_pickle *number = READ("F2.5\n.");
    stoa_pickle *nan = READ("Fnan\n.");

    CHECK_I64(root_of(none)->kind, STOA_PICKLE_NONE);
    CHECK_I64(root_of(truth)->kind, STOA_PICKLE_BOOL);
    CHECK(root_of(truth)->as.truth);
    CHECK_I64(root_of(big)->kind, STOA_PICKLE_BIG);
    CHECK_I64((int64_t)root_of(big)->as.bytes.length, 22);
    CHECK(root_of(number)->as.number == 2.5);
    CHECK(isnan(root_of(nan)->as.number));
    stoa_pickle_close(none);
    stoa_pickle_close(truth);
    stoa_pickle_close(big);
    stoa_pickle_close(number);
    stoa_pickle_close(nan);
}

/* pickle.dumps({"a": 1, "b": {2: "x"}, "a\n": -70000}, 2) with the memo as Python makes it. */
static void dicts_are_read(void)
{
    stoa_pickle *pickle = READ("\x80\x02}q\x00(X\x01\x00\x00\x00"
                               "aq\x01K\x01X\x01\x00\x00\x00"
                               "bq\x02}q\x03K\x02X\x01\x00\x00\x00xq\x04sX\x02\x00\x00\x00"
                               "a\nq\x05J\x90\xee\xfe\xffu.");
    const stoa_pickled *root = root_of(pickle);

    CHECK_I64(stoa_pickled_get(root, "a")->as.integer, 1);
    CHECK(stoa_pickled_is_text(stoa_pickled_get_int(stoa_pickled_get(root, "b"), 2), "x"));
    CHECK_I64(stoa_pickled_get(root, "a\n")->as.integer, -70000);
    CHECK(stoa_pickled_get(root, "c") == NULL);
    stoa_pickle_close(pickle);
}

/* pickle.dumps(np.array(["é", None], object), 5) by the shape that notes §8 describe. */
static void an_array_of_objects_keeps_its_shape(void)
{
    stoa_pickle *pickle = READ("\x80\x05\x95\x10\x00\x00\x00\x00\x00\x00\x00"
                               "\x8c\x16numpy._core.multiarray\x94\x8c\x0c_reconstruct\x94\x93\x94"
                               "\x8c\x05numpy\x94\x8c\x07ndarray\x94\x93\x94K\x00\x85\x94"
                               "C\x01"
                               "b\x94\x87\x94R\x94"
                               "(K\x01K\x02\x85\x94N\x89]\x94(\x8c\x02\xc3\xa9\x94Net\x94"
                               "b.");
    const stoa_pickled *arguments = stoa_pickled_call(root_of(pickle), "_reconstruct");
    const stoa_pickled *state = root_of(pickle)->as.items.at[2];

    CHECK_I64((int64_t)stoa_pickled_count(arguments), 3);
    CHECK_I64((int64_t)stoa_pickled_count(state), 5);
    CHECK(stoa_pickled_is_text(stoa_pickled_item(stoa_pickled_item(state, 4), 0), "\xc3\xa9"));
    CHECK_I64(stoa_pickled_item(stoa_pickled_item(state, 4), 1)->kind, STOA_PICKLE_NONE);
    CHECK(stoa_pickled_call(root_of(pickle), "construct") == NULL);
    stoa_pickle_close(pickle);
}

/* What would run a command stays what it is called. */
static void nothing_is_called(void)
{
    stoa_pickle *pickle = READ("cposix\nsystem\n(Vtouch /tmp/never\ntR.");
    const stoa_pickled *arguments = stoa_pickled_call(root_of(pickle), "system");

    CHECK_I64(root_of(pickle)->kind, STOA_PICKLE_OBJECT);
    CHECK(stoa_pickled_is_text(stoa_pickled_item(arguments, 0), "touch /tmp/never"));
    stoa_pickle_close(pickle);
}

/* A list that holds itself, as pickle.dumps() writes one. */
static void a_list_may_hold_itself(void)
{
    stoa_pickle *pickle = READ("(lp0\ng0\na.");

    CHECK(stoa_pickled_item(root_of(pickle), 0) == root_of(pickle));
    stoa_pickle_close(pickle);
}

/* Python 2 wrote literals, classes by name, and instances. */
static void python_2_is_read(void)
{
    stoa_pickle *text = READ("S'a\\'b\\x41\\n'\np0\n.");
    stoa_pickle *instance = READ("(I1\nitables.filters\nFilters\np0\n(dp1\nb.");

    CHECK_I64((int64_t)root_of(text)->as.bytes.length, 5);
    CHECK(memcmp(root_of(text)->as.bytes.data, "a'bA\n", 5) == 0);
    CHECK_I64(stoa_pickled_item(stoa_pickled_call(root_of(instance), "Filters"), 0)->as.integer, 1);
    stoa_pickle_close(text);
    stoa_pickle_close(instance);
}

static void refuse(const void *program, size_t n)
{
    stoa_pickle *pickle = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_I64(stoa_pickle_read(program, n, &pickle, &err), STOA_EDATA);
    CHECK(pickle == NULL);
}

#define REFUSE(program) refuse(program, sizeof(program) - 1)

static void bad_programs_are_refused(void)
{
    REFUSE("");
    REFUSE(".");
    REFUSE("N");
    REFUSE("N.N");            /* bytes behind the end */
    REFUSE("NN.");            /* more than one value */
    REFUSE("t.");             /* no mark */
    REFUSE("(a.");            /* a mark is no item */
    REFUSE("I1\na.");         /* nothing to append to */
    REFUSE("I1\nI2\na.");     /* an integer holds no items */
    REFUSE("(I1\nd.");        /* a key without a value */
    REFUSE("g0\n.");          /* nothing was kept */
    REFUSE("Np999999999\n."); /* kept where nothing can be */
    REFUSE("X\xff\xff\xff\xff"
           "a."); /* longer than the file */
    REFUSE("\x8d\xff\xff\xff\xff\xff\xff\xff\xff"
           "a.");
    REFUSE("X\x01\x00\x00\x00\xff."); /* not UTF-8 */
    REFUSE("Ix\n.");
    REFUSE("L-\n.");
    REFUSE("V\\u12\n.");
    REFUSE("S'a\n.");
    REFUSE("P1\n.");   /* a persistent id */
    REFUSE("I1\n}b."); /* a state for an integer */
    REFUSE("\x80");
}

/* Every beginning of a good program is a bad one. */
static void beginnings_of_programs_are_refused(void)
{
    static const char program[] = "\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00}\x94\x8c\x01x\x94]"
                                  "\x94(K\x01M\x02\x03G?\xf0\x00\x00\x00\x00\x00\x00\x8a\x01\xff"
                                  "es.";
    stoa_pickle *pickle = READ(program);
    const stoa_pickled *list = stoa_pickled_get(root_of(pickle), "x");

    CHECK_I64(stoa_pickled_item(list, 1)->as.integer, 0x302);
    CHECK(stoa_pickled_item(list, 2)->as.number == 1.0);
    CHECK_I64(stoa_pickled_item(list, 3)->as.integer, -1);
    stoa_pickle_close(pickle);
    for (size_t n = 0; n < sizeof program - 1; n++) {
        refuse(program, n);
    }
}

TEST_MAIN(TEST(lists_of_protocol_0_are_read), TEST(scalars_of_protocol_0_are_read),
          TEST(dicts_are_read), TEST(an_array_of_objects_keeps_its_shape), TEST(nothing_is_called),
          TEST(a_list_may_hold_itself), TEST(python_2_is_read), TEST(bad_programs_are_refused),
          TEST(beginnings_of_programs_are_refused))
