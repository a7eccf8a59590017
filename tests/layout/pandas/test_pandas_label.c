/* Labels that are times, as Python pickles them and as Stoa says them: src/layout/pandas/label.c.
 */
#include "layout/pandas/label.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

/* What Python's pickle.dumps() makes of the label, in words, as Stoa says it, as it says it to
 * pandas. */
static const struct {
    const char *program;
    const char *name;
    const char *said;
    const char *object;
} labels[] = {
    {"cpandas._libs.tslibs.timestamps\n_unpickle_timestamp\np0\n"
     "(L1577840523500L\nNNI8\ntp1\nRp2\n.",
     "2020-01-01T01:02:03.5", "(dVdatetime64[ms]\nI1577840523500\ns",
     "cpandas._libs.tslibs.timestamps\n_unpickle_timestamp\n(I1577840523500\nNNI8\ntR"},
    {"cpandas._libs.tslibs.timestamps\n_unpickle_timestamp\np0\n(I1577833200\nNcpytz\n_p\np1\n"
     "(VEurope/Berlin\np2\nI3600\nI0\nVCET\np3\ntp4\nRp5\nI7\ntp6\nRp7\n.",
     "2019-12-31T23:00:00Z", "(dVdatetime64[s, Europe/Berlin]\nI1577833200\ns",
     "cpandas._libs.tslibs.timestamps\n_unpickle_timestamp\n(I1577833200\nN"
     "cpandas._libs.tslibs.timezones\nmaybe_get_tz\n(VEurope/Berlin\ntRI7\ntR"},
    {"cpandas._libs.tslibs.timedeltas\n_timedelta_unpickle\np0\n(L5000000000L\nI10\ntp1\nRp2\n.",
     "5 s", "(dVtimedelta64[ns]\nI5000000000\ns",
     "cpandas._libs.tslibs.timedeltas\n_timedelta_unpickle\n(I5000000000\nI10\ntR"},
    {"cdatetime\ndate\np0\n(c_codecs\nencode\np1\n(V\x07\xe4\x01\x01\np2\nVlatin1\np3\ntp4\n"
     "Rp5\ntp6\nRp7\n.",
     "2020-01-01", "(dVdate\nI18262\ns", "cdatetime\ndate\n(I2020\nI1\nI1\ntR"},
    {"(dVdate\nI-719162\ns.", "0001-01-01", "(dVdate\nI-719162\ns",
     "cdatetime\ndate\n(I1\nI1\nI1\ntR"},
    {"(dVdate\nI-25509\ns.", "1900-02-28", "(dVdate\nI-25509\ns",
     "cdatetime\ndate\n(I1900\nI2\nI28\ntR"},
    {"(dVdate\nI-1\ns.", "1969-12-31", "(dVdate\nI-1\ns", "cdatetime\ndate\n(I1969\nI12\nI31\ntR"},
    {"(dVdate\nI2932896\ns.", "9999-12-31", "(dVdate\nI2932896\ns",
     "cdatetime\ndate\n(I9999\nI12\nI31\ntR"},
    {"cpandas._libs.tslibs.nattype\n_nat_unpickle\n(NtR.", "NaT",
     "(dVdatetime64[ns]\nI-9223372036854775808\ns",
     "cpandas._libs.tslibs.timestamps\nTimestamp\n(VNaT\ntR"},
    {"cpandas._libs.tslibs.nattype\n__nat_unpickle\np0\n(Ntp1\nRp2\n.", "NaT",
     "(dVdatetime64[ns]\nI-9223372036854775808\ns",
     "cpandas._libs.tslibs.timestamps\nTimestamp\n(VNaT\ntR"},
    {"cpandas._libs.tslibs.timestamps\nTimestamp\n(VNaT\ntR.", "NaT",
     "(dVdatetime64[ns]\nI-9223372036854775808\ns",
     "cpandas._libs.tslibs.timestamps\nTimestamp\n(VNaT\ntR"},
    {"cpandas._libs.tslibs.period\nPeriod\np0\n(Ncpandas._libs.tslibs.offsets\nMonthEnd\np1\n"
     "(I1\nI00\ntp2\nRp3\nI600\ntp4\nRp5\n.",
     "2020-01", "(dVperiod[M]\nI600\ns",
     "cpandas._libs.tslibs.period\nPeriod\n(Ncpandas._libs.tslibs.offsets\nMonthEnd\n(I1\nI00\n"
     "tRI600\ntR"},
    {"cpandas._libs.tslibs.period\nPeriod\n(Ncpandas._libs.tslibs.offsets\nMonthBegin\n(I1\nI00\n"
     "tRI600\ntR.",
     NULL, NULL, NULL},
    {"cpandas._libs.tslibs.period\nPeriod\n(t.", NULL, NULL, NULL},
    {"(dVperiod[MS]\nI0\ns.", NULL, NULL, NULL},
    {"(Va\ncpandas._libs.tslibs.timestamps\n_unpickle_timestamp\n(I0\nNNI10\ntRt.", "a, 1970-01-01",
     "(Va\n(dVdatetime64[ns]\nI0\nst",
     "(Va\ncpandas._libs.tslibs.timestamps\n_unpickle_timestamp\n(I0\nNNI10\ntRt"},
    {"cpandas._libs.tslibs.timestamps\n_unpickle_timestamp\n(I0\nNNI11\ntR.", NULL, NULL, NULL},
    {"cpandas._libs.tslibs.timestamps\n_unpickle_timestamp\n(Va\nNNI10\ntR.", NULL, NULL, NULL},
    {"cpandas._libs.tslibs.timestamps\n_unpickle_timestamp\n(t.", NULL, NULL, NULL},
    {"cdatetime\ndate\n(V123\ntR.", NULL, NULL, NULL},
    {"(dVdatetime64[h]\nI0\ns.", NULL, NULL, NULL},
    {"(dVdatetime64[ns, ]\nI0\ns.", NULL, NULL, NULL},
    {"(dVtimedelta64[ns, UTC]\nI0\ns.", NULL, NULL, NULL},
    {"(dVdate\nF0.5\ns.", NULL, NULL, NULL},
    {"(dVdate\nI2932896\ns.", "9999-12-31", "(dVdate\nI2932896\ns",
     "cdatetime\ndate\n(I9999\nI12\nI31\ntR"},
    {"(dVdate\nI-719162\ns.", "0001-01-01", "(dVdate\nI-719162\ns",
     "cdatetime\ndate\n(I1\nI1\nI1\ntR"},
    {"(dVdate\nI2932897\ns.", NULL, NULL, NULL}, /* which Python has no dates of */
    {"(dVdate\nI-719163\ns.", NULL, NULL, NULL},
    {"(dVdate\nI9223372036854775807\ns.", NULL, NULL, NULL},
};

static void check_put(const stoa_pickled *node, stoa_pandas_for whom, const char *wanted)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_buffer out = {0};
    bool is_plain = true;

    CHECK_OK(stoa_pandas_put_node(&out, node, whom, &is_plain, &err), &err);
    CHECK(is_plain);
    CHECK_OK(stoa_buffer_append(&out, "", 1, &err), &err);
    CHECK_STR((const char *)out.data, wanted);
    stoa_buffer_clear(&out);
}

static void check_label(const char *program, const char *name, const char *said, const char *object)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_pickle *pickle = NULL;

    if (stoa_pickle_read(program, strlen(program), &pickle, &err) != STOA_OK) {
        CHECK(name == NULL);
        return;
    }
    const stoa_pickled *const root = stoa_pickle_root(pickle);
    char *const words = stoa_pandas_label(root);
    CHECK(stoa_pandas_is_label(root) == (name != NULL));
    CHECK(name == NULL ? words == NULL : words != NULL && strcmp(words, name) == 0);
    if (name != NULL) {
        check_put(root, STOA_PANDAS_FOR_STOA, said);
        check_put(root, STOA_PANDAS_FOR_PANDAS, object);
    }
    free(words);
    stoa_pickle_close(pickle);
}

static void times_are_read_from_python_and_said_again(void)
{
    char program[256];

    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        check_label(labels[i].program, labels[i].name, labels[i].said, labels[i].object);
        if (labels[i].said != NULL) { /* which reads as the same */
            (void)snprintf(program, sizeof program, "%s.", labels[i].said);
            check_label(program, labels[i].name, labels[i].said, labels[i].object);
        }
    }
}

TEST_MAIN(TEST(times_are_read_from_python_and_said_again))
