"""Random frames of pandas and AnnData, and whether those that Stoa wrote are equal to them.

    frames.py make              pandas.h5 (table format), fixed.h5, and anndata.h5
    frames.py pandas FILE       every frame of a file, of either format, and every Series
    frames.py odd               odd-table.h5 and odd-fixed.h5
    frames.py same FILE FILE    whether two files hold the same
    frames.py regular           steps.h5: frames whose index has a frequency
    frames.py disturb FILE      change a row between the first and the last one, in HEP001
    frames.py irregular FILE    no index of a file has a frequency, and each has the changed row
    frames.py use FILE          append, select and index the frames of a file of the table format
    frames.py anndata FILE

What is not equal is printed. Warnings are errors.
"""

import datetime
import os
import shutil
import sys
import warnings

import anndata
import h5py
import numpy as np
import pandas as pd

N = int(os.environ.get("FRAMES", 300))
ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata",
         datetime.timezone(datetime.timedelta(hours=5, minutes=30)),
         datetime.timezone(-datetime.timedelta(hours=3))]  # fmt: skip
FREQUENCIES = ["h", "15min", "90s", "ms", "250us", "ns", "D", "2D", "-1D", "B", "W-SUN", "2W-WED",
               "MS", "ME", "BMS", "BME", "SMS-15", "SME-15", "QS-FEB", "QE-MAR", "BQS-JAN", "BQE-NOV",
               "YS-MAY", "YE-DEC", "BYS-OCT", "BYE-JUN", "WOM-3FRI"]  # fmt: skip
STEPS = ["h", "15min", "90s", "ms", "us", "ns", "D", "2D", "36h"]
SPANS = ["h", "3h", "min", "s", "ms", "us", "ns", "D", "W-SUN", "W-WED", "M", "2M", "Q-DEC", "Q-JAN",
         "Y-DEC", "Y-MAR"]  # fmt: skip
CODES = ["", "x", "zé"]  # in order: pandas looks for them by bisection when it selects


def zone(r):
    return ZONES[r.integers(0, len(ZONES))] if r.random() < 0.7 else None


def times(r, n, tz, name=None):
    made = pd.DatetimeIndex(r.integers(0, 10**18, n), name=name)
    return made if tz is None else made.tz_localize("UTC").tz_convert(tz)


def day(r):
    return pd.Timestamp(int(r.integers(0, 18000)), unit="D")


def regular(r, n, name=None):
    """Times of a frequency, in any unit and zone."""
    tz = zone(r) if r.random() < 0.4 else None
    unit = str(r.choice(["s", "ms", "us"])) if r.random() < 0.2 else "ns"
    freq = r.choice(FREQUENCIES) if unit == "ns" else r.choice(FREQUENCIES[6:])
    return pd.date_range(day(r), periods=n, freq=freq, tz=tz, name=name, unit=unit)


def periods(r, n, name=None):
    return pd.period_range(day(r), periods=n, freq=r.choice(SPANS), name=name)


def categorical_level(r, n):
    labels = r.choice(np.array(["kä", "a", "zz"], object), n) if r.random() < 0.5 else r.integers(0, 4, n)
    return pd.Categorical(labels, ordered=bool(r.integers(0, 2)))


def index(r, n):
    kind = r.integers(0, 17)
    if kind in (10, 11):
        return regular(r, n, r.choice([None, "t"]))
    if kind == 12:
        return pd.timedelta_range(f"{r.integers(0, 99)}h", periods=n, freq=r.choice(STEPS))
    if kind == 13:
        return periods(r, n, r.choice([None, "p"]))
    if kind == 14:  # of missing ones
        return periods(r, n).where(r.random(n) < 0.7)
    if kind == 15:
        levels = [categorical_level(r, n), r.integers(0, 9, n), categorical_level(r, n)]
        return pd.MultiIndex.from_arrays(levels, names=["c", None, "d"])
    if kind == 16:
        return times(r, n, zone(r)).floor("s").as_unit(str(r.choice(["s", "ms", "us"])))
    if kind == 0:
        return pd.Index(r.integers(0, 99, n), name=r.choice([None, "i"]))
    if kind == 1:
        return pd.Index([f"é{v}" for v in r.integers(0, 99, n)], name="key", dtype=object)
    if kind == 2:
        return times(r, n, zone(r), r.choice([None, "t"]))
    if kind == 3:
        return pd.Index(r.random(n), name="f")
    if kind == 4:
        texts = pd.Index([f"k{v}" for v in r.integers(0, 4, n)], dtype=object)
        return pd.MultiIndex.from_arrays([r.integers(0, 5, n), texts], names=["a", None])
    if kind == 5:
        levels = [times(r, n, zone(r)), r.random(n)]
        return pd.MultiIndex.from_arrays(levels, names=["x", "y"])
    if kind == 6:
        levels = [r.integers(0, 2, n).astype(bool), holes(r, texts_of(r, n)), r.integers(0, 9, n)]
        return pd.MultiIndex.from_arrays(levels, names=["b", "s", None])
    return pd.RangeIndex(n)


def texts_of(r, n):
    return pd.Series([f"é{v}" * r.integers(0, 3) for v in r.integers(0, 99, n)], dtype=object)


def holes(r, values):
    values = pd.Series(values)
    return values.mask(r.random(len(values)) < 0.2) if r.random() < 0.5 else values


def column(r, n):
    kind = r.integers(0, 11)
    if kind == 0:
        return pd.Series(r.integers(-100, 100, n).astype(r.choice(["i1", "i2", "i4", "i8"])))
    if kind == 1:
        return pd.Series(r.integers(0, 100, n).astype(r.choice(["u1", "u2", "u4", "u8"])))
    if kind == 9:
        info = np.iinfo(r.choice(["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]))
        ends = [info.min, info.min + 1, info.max, info.max - 1, 7]  # which HEP001 needs a fill beside
        return pd.Series(r.choice(np.array(ends, info.dtype), n))
    if kind == 10:
        parts = r.random(n) + 1j * r.random(n)
        return pd.Series(parts.astype(r.choice(["c8", "c16"])))
    if kind == 2:
        return holes(r, r.random(n).astype(r.choice(["f4", "f8"])))
    if kind == 3:
        return pd.Series(r.integers(0, 2, n).astype(bool))
    if kind in (4, 5):
        return holes(r, times(r, n, None if kind == 4 else zone(r)))
    if kind == 6:
        return holes(r, pd.TimedeltaIndex(r.integers(-(10**18), 10**18, n)))
    if kind == 7:
        texts = holes(r, texts_of(r, n))  # the fixed format tells these dtypes apart
        return texts.astype("string") if r.random() < 0.5 else texts
    return categorical(r, n)


def categorical(r, n):
    """Of texts; or of times, of times of a zone, timedeltas, floats, integers, bools."""
    times_of = [times(r, 5, None), times(r, 5, zone(r)), pd.TimedeltaIndex(r.integers(0, 10**18, 5))]
    whole = [pd.Index(r.integers(-99, 99, 5).astype(r.choice(["i2", "i8"]))), pd.Index([True, False])]
    kind = r.integers(0, 12)
    if kind < 6:
        labels = [pd.Index(CODES, dtype=object), *times_of, pd.Index(r.random(5))][max(0, kind - 1)]
    else:
        labels = whole[kind % 2] if kind < 8 else pd.Index(CODES, dtype=object)
    labels = labels.unique().sort_values() if kind < 8 else labels
    least = 0 if kind in (6, 7) else -1  # numbers and bools have no room for missing ones elsewhere
    codes = r.integers(least, len(labels), n)
    return pd.Series(pd.Categorical.from_codes(codes, labels, ordered=bool(r.integers(0, 2))))


def names(r, n):
    return [f"c{i}" if r.random() < 0.8 else f"a name, {i}" for i in range(n)]


def frame(seed):
    r = np.random.default_rng(seed)
    n = int(r.choice([1, 7, 50]))
    made = pd.DataFrame({name: column(r, n) for name in names(r, r.integers(1, 9))})
    made.index = index(r, n)
    return made


def thing(seed):
    """A frame; or one whose columns are called by numbers, by times, by labels of several levels, or
    whose axes have names; or a Series."""
    r = np.random.default_rng(seed)
    made = frame(seed)
    n = made.shape[1]
    kind = seed % 15
    if made.index.nlevels > 1:  # pandas' own tables lose such labels and names then
        return made
    if kind == 1:
        made.columns = pd.Index(r.integers(0, 10**12, n) * 2 + np.arange(n) % 2)
    elif kind == 2:
        made.columns = pd.Index(np.arange(n) + 0.25)
    elif kind == 3:
        made.columns = pd.Index([k if k % 2 else f"c{k}" for k in range(n)], dtype=object)
    elif kind == 4:
        made.columns.name = "of columns"
        made.index.name = "index"
    elif kind == 5:
        made = made.iloc[:, 0]
        made.name = [None, "s", "a name, 0"][seed // 12 % 3]
    elif kind == 6:
        labels = [("ba"[v], k) for k, v in enumerate(r.integers(0, 2, n))]
        made.columns = pd.MultiIndex.from_tuples(labels, names=r.choice([None, "p"], 2))
    elif kind == 7:
        made.columns = times(r, n, zone(r), r.choice([None, "t"]))
    elif kind == 8:
        labels = [("x", *pair) for pair in zip(times(r, n, None), r.random(n), strict=True)]
        made.columns = pd.MultiIndex.from_tuples(labels)
    elif kind == 9:
        made.columns = pd.TimedeltaIndex(r.integers(0, 10**12, n) * 2 + np.arange(n) % 2)
    elif kind == 12:
        made.columns = periods(r, n, r.choice([None, "p"]))
    elif kind == 13:
        made.columns = regular(r, n)
    elif kind == 14:
        labels = [f"c{k}" for k in range(n)] if r.random() < 0.5 else range(n)
        made.columns = pd.CategoricalIndex(labels, ordered=bool(r.integers(0, 2)))
    return made


def with_names(made, seed):
    """Its levels called by labels that are no texts, which pandas' fixed format alone has."""
    if made.index.nlevels == 1:
        return made
    r = np.random.default_rng(seed)
    names = [None, 0, 7, 1.5, True, ("a", 1), pd.Timestamp("2020"), "level_1", "", "x", "x"]
    return made.rename_axis(index=[names[k] for k in r.integers(0, len(names), made.index.nlevels)])


def without_categories(made):
    """The same frame or Series, as pandas' fixed format can hold it."""

    def values(column):
        if not isinstance(column.dtype, pd.CategoricalDtype):
            return column
        return column.astype(column.cat.categories.dtype)

    if is_series(made):
        return values(made)
    parts = [values(made.iloc[:, i]) for i in range(made.shape[1])]
    whole = pd.concat(parts, axis=1) if parts else made
    whole.columns = made.columns
    return whole


def is_refused(made):
    """Levels of a zone or of categories, and columns by such, pandas' fixed format does not take."""
    axes = [made.index] if is_series(made) else [made.index, made.columns]
    extended = (pd.DatetimeTZDtype, pd.CategoricalDtype)
    return any(axis.nlevels > 1 and any(isinstance(d, extended) for d in axis.dtypes) or
               isinstance(axis, pd.CategoricalIndex) for axis in axes)  # fmt: skip


def is_series(made):
    return isinstance(made, pd.Series)


def nullable(r, values):
    """The same column with missing values of pandas' own, of which there is at least one."""
    kind = values.dtype.kind
    if kind == "O":
        return values.astype("string") if values.isna().any() else values
    if kind not in "iub" or r.random() < 0.5:
        return values
    name = values.dtype.name
    own = "boolean" if kind == "b" else name.replace("uint", "UInt").replace("int", "Int")
    gone = r.random(len(values)) < 0.3
    gone[0] = True
    return values.astype(own).mask(gone)


def observed(seed):
    r = np.random.default_rng(seed)
    made = frame(seed)
    for name in list(made):
        dtype = made[name].dtype
        if getattr(dtype, "categories", made[name]).dtype.kind in "mMc":
            del made[name]
        else:
            made[name] = nullable(r, made[name])
    labels = [f"r{k}" for k in range(len(made))]
    made.index = pd.Index(labels, dtype=object, name=r.choice([None, "cell"]))
    return made


def make():
    warnings.simplefilter("ignore")
    anndata.settings.allow_write_nullable_strings = True
    with pd.HDFStore("pandas.h5", "w") as store:
        for i in range(N):
            store.put(f"f{i}", thing(i), format="table", index=False)
    with pd.HDFStore("fixed.h5", "w") as store:
        for i in range(N):
            if not is_refused(thing(i)):
                store.put(f"f{i}", with_names(without_categories(thing(i)), i))
    with h5py.File("anndata.h5", "w") as file:
        for i in range(N):
            anndata.io.write_elem(file, f"f{i}", observed(i))


def called(columns):
    values = np.arange(3.0 * len(columns)).reshape(3, len(columns))
    return pd.DataFrame(values, columns=columns)


def labelled():
    """Frames by what their columns are called: of several levels, by times, without a name."""
    several = called(pd.MultiIndex.from_tuples([("a", 1), ("b", 2), ("a", 2)], names=["p", None]))
    mixed = called(pd.MultiIndex.from_tuples([("a", "x"), ("b", "x"), ("a", "y")]))
    mixed[("c", "z")] = [1, 2, 3]
    mixed[("a", "w")] = ["s", "t", "u"]
    days = pd.DatetimeIndex(["2020-01-01", "2021-01-01T00:00:01.5"])
    zones = {f"zone{k}": called(days.tz_localize("UTC").tz_convert(tz)) for k, tz in enumerate(ZONES)}
    numbered = called([1, 2])
    numbered.insert(1, "1", [7, 8, 9])
    return {
        "several": several,
        "mixed": mixed,
        "by_days": called(pd.MultiIndex.from_product([["a", "b"], days])),
        "three": called(pd.MultiIndex.from_product([[1.5, 2.5], [True, False], ["u", "v"]])),
        "holes": called(pd.MultiIndex.from_tuples([(1.5, "a"), (np.nan, "b"), (2.5, None)])),
        "days": called(days.rename("k")),
        "seconds": called(days.floor("s").as_unit("s")),
        "range": called(pd.date_range("2020-01-01", periods=3)),
        "deltas": called(pd.TimedeltaIndex([10**9, 5, -1])),
        "dates": called([datetime.date(2020, 1, 1), datetime.date(1900, 12, 31)]),
        "truths": called(pd.Index([True, False])),
        "nameless": called(pd.Index(["a", None], dtype=object)),
        "kinds": called(pd.Index(["a", 1, 2.5, pd.Timestamp("2020")], dtype=object)),
        "missing": called(pd.Index(["a", "nan"], dtype=object)),
        "nan": called(pd.Index([1.5, np.nan])),
        "numbered": numbered,
        "axis": called(pd.Index([1, 2], name=3)),
        "months": called(pd.period_range("2020-01", periods=2, freq="M")),
        "nat": called(pd.DatetimeIndex(["2020", None])),
        "steps": called(pd.timedelta_range("1h", periods=3, freq="h")),
        "spans": called(pd.PeriodIndex(["2020-01", None], freq="M")),
        **{f"in_{dtype}": called(pd.Index([1, 2, 3], dtype=dtype)) for dtype in
           ("int8", "uint8", "int32", "uint64", "float32")},
        **zones,
    }  # fmt: skip


def indexes():
    """Which pandas' tables do not have, or lose."""
    dates = [datetime.date(2020, 1, k) for k in (1, 2, 31)]
    return {
        "no_times": pd.DatetimeIndex([], freq="h"),
        "no_times_of_zone": pd.DatetimeIndex([], tz="Asia/Kolkata"),
        "no_durations": pd.TimedeltaIndex([], freq="D"),
        "no_periods": pd.PeriodIndex([], freq="Q-JAN"),
        "no_levels": pd.MultiIndex.from_arrays([[], pd.DatetimeIndex([])], names=["a", None]),
        "backwards": pd.timedelta_range("9D", periods=3, freq="-1D"),
        "early_periods": pd.PeriodIndex(["0001-03", "1700-01", None], freq="M"),
        "dates": pd.Index(dates, dtype=object),
        "date_level": pd.MultiIndex.from_arrays([dates, [1, 2, 3]], names=["d", 0]),
        "unit_level": pd.MultiIndex.from_arrays([pd.DatetimeIndex(dates).as_unit("s"), [1, 2, 3]]),
        "alike": pd.MultiIndex.from_arrays([[1, 1, 2], [1, 2, 3]], names=["a", "a"]),
        "swapped": pd.MultiIndex.from_arrays([[1, 1, 2], [1, 2, 3]], names=["level_1", "level_0"]),
    }


def odd():
    warnings.simplefilter("ignore")
    twice = pd.DataFrame(np.arange(10).reshape(5, 2), columns=["a", "a"])
    levels = pd.MultiIndex.from_tuples([("a", 1), ("b", 2)], names=["p", None])
    several = pd.DataFrame(np.arange(10).reshape(5, 2), columns=levels)
    taken = pd.DataFrame({"index": [1, 2], "values": [3.5, 4.5], "unnamed": [1, 2], "": [3, 4]})
    named = pd.Series([1, 2, 3], name=7, index=pd.Index([1.5, 2.5, 3.5], name=0))
    nothing = {"x": np.array([], "f4"), "y": np.array([], "i2"), "s": np.array([], object),
               "t": pd.DatetimeIndex([]), "d": pd.TimedeltaIndex([]), "b": np.array([], bool),
               "z": times(np.random.default_rng(0), 0, "Asia/Kolkata")}  # fmt: skip
    with pd.HDFStore("odd-table.h5", "w") as store:
        hidden = taken.set_index(pd.MultiIndex.from_arrays([[1, 2], [3, 4]], names=["_x", "a name"]))
        for name, made in (("twice", twice), ("several", several), ("taken", taken),
                           ("hidden", hidden)):  # fmt: skip
            store.put(name, made, format="table", index=False)
        store.put("named", named.rename("s"), format="table")
        for name, made in labelled().items():
            store.put(f"by_{name}", made, format="table", index=False)
    with pd.HDFStore("odd-fixed.h5", "w") as store:
        for name, made in (("taken", taken), ("named", named), ("no_rows", pd.DataFrame(nothing)),
                           ("no_columns", pd.DataFrame(index=range(3))),
                           ("nothing", pd.DataFrame()),
                           ("of_time", named.rename(pd.Timestamp("2020", tz="Asia/Kolkata"))),
                           ("of_levels", named.rename(("a", 1)))):  # fmt: skip
            store.put(name, made)
        for name, made in labelled().items():
            store.put(f"by_{name}", made)
        for name, labels in indexes().items():
            store.put(f"of_{name}", pd.DataFrame({"a": np.arange(float(len(labels)))}, index=labels))


STEADY = {"hours": "h", "days": "D", "months": "MS", "back": "-1D"}


def regular_frames():
    with pd.HDFStore("steps.h5", "w") as store:
        for name, freq in STEADY.items():
            labels = pd.date_range("2020-01-01", periods=5, freq=freq)
            store.put(name, pd.DataFrame({"a": np.arange(5.0)}, index=labels))


def disturb(file):
    with h5py.File(file, "r+") as opened:
        for name in STEADY:
            rows = opened[name]["index"]
            rows[1] = rows[1] + (1 if name != "months" else rows[2])


def irregular(file):
    with pd.HDFStore("steps.h5", "r") as made, pd.HDFStore(file, "r") as found:
        for name in STEADY:
            a, b = found.get(name).index, made.get(name).index
            if a.freq is not None or b.freq is None or list(a == b) != [True, False, True, True, True]:
                print(name, a, b)


def freqs(made):
    """Which pandas' own tester does not look at."""
    axes = [made.index] if is_series(made) else [made.index, made.columns]
    return [getattr(axis, "freq", None) for axis in axes]


def assert_equal(a, b):
    equal = pd.testing.assert_series_equal if is_series(b) else pd.testing.assert_frame_equal
    equal(a, b)
    assert freqs(a) == freqs(b), (freqs(a), freqs(b))
    assert list(a.index.names) == list(b.index.names), (a.index.names, b.index.names)


def same(wanted, found):
    with pd.HDFStore(wanted, "r") as stored, pd.HDFStore(found, "r") as written:
        for key in stored.keys():
            a, b = written.get(key), stored.get(key)
            try:
                assert_equal(a, b)
            except AssertionError as error:
                print(key, str(error).replace("\n", " "))


def each(compare, n=N):
    for i in range(n):
        try:
            compare(i)
        except Exception as error:
            print(f"f{i}: {type(error).__name__} {error}".replace("\n", " ")[:500])


def plain(index):
    """An index as the fixed format holds it. pandas' tables lose more: of durations that they are such,
    of times in a zone most frequencies, and of labels of columns the units."""
    if index.nlevels == 1:
        return index
    levels = [index.get_level_values(k) for k in range(index.nlevels)]
    return pd.MultiIndex.from_arrays(
        [x.astype(x.categories.dtype) if isinstance(x, pd.CategoricalIndex) else x for x in levels],
        names=index.names,
    )


def compare_pandas(file):
    with pd.HDFStore(file, "r") as found, pd.HDFStore("pandas.h5", "r") as made:
        is_fixed = found.get_storer("f0").format_type == "fixed"

        def compare(i):
            wanted = made.get(f"f{i}")
            if not is_series(wanted):  # pandas itself loses the name where there are several blocks
                wanted.columns.names = thing(i).columns.names
            if is_fixed:
                wanted = without_categories(wanted)
                wanted.index = plain(thing(i).index)
                if not is_series(wanted) and isinstance(wanted.columns, pd.DatetimeIndex):
                    wanted.columns = wanted.columns.as_unit(thing(i).columns.unit)
            assert_equal(found.get(f"f{i}"), wanted)

        each(compare)


def select(store, key, made, name):
    values = made[name].dropna()
    kind = made[name].dtype.kind
    if kind not in "ifO" or not len(values) or not str(name).isidentifier() or name not in (
            store.get_storer(key).data_columns):  # fmt: skip
        return
    value = values.iloc[0]
    if kind == "O" and not isinstance(value, str):
        return
    where = f"{name} == {value!r}" if kind == "O" else f"{name} > {value.item()!r}"
    wanted = (made[name] == value if kind == "O" else made[name] > value).sum()
    if not (kind == "O" and value in ("", "nan")) and made[name].dtype != "f4":
        got = len(store.select(key, where=where))
        assert got == 2 * wanted, (name, where, got, wanted)
        got = store.select(key, where=where, columns=[name])
        assert (len(got), list(got)) == (2 * wanted, [name]), (name, where)


def outcome(do, *arguments, **named):
    """What it gives, or how it fails."""
    try:
        return do(*arguments, **named)
    except Exception as error:
        return type(error)


def assert_same(a, b):
    if isinstance(a, type) or isinstance(b, type):
        assert a is b, (a, b)
    elif is_series(b):
        pd.testing.assert_series_equal(a, b, check_freq=False)
    else:
        pd.testing.assert_frame_equal(a, b, check_freq=False, check_names=False)


def use(file):
    """Whatever pandas does with its own file it does with ours."""
    shutil.copy("pandas.h5", "own-" + file)
    with (pd.HDFStore(file, "a") as store, pd.HDFStore("own-" + file, "a") as own,
          pd.HDFStore("pandas.h5", "r") as source):  # fmt: skip

        def compare(i):
            key = f"f{i}"
            made = source.get(key)
            names = [] if is_series(made) else list(made)
            last = made.iloc[-1:].index
            for columns in (names[:1], names[1:], names[::-1]) if names else ():
                assert_same(outcome(store.select, key, columns=columns),
                            outcome(own.select, key, columns=columns))  # fmt: skip
            if made.index.nlevels == 1 and made.index.dtype.kind in "iM":
                for columns in (None, names[:1] or None):
                    assert_same(outcome(store.select, key, "index >= last[0]", columns=columns),
                                outcome(own.select, key, "index >= last[0]", columns=columns))  # fmt: skip
            for text in ("nrows->", "ncols->"):
                a, b = (str(x.get_storer(key)).split(text)[1].split(",")[0] for x in (store, own))
                assert a == b, (text, a, b)
            appended = outcome(own.append, key, made)
            assert appended is None or not isinstance(made.index, pd.RangeIndex), appended
            ours = outcome(store.append, key, made)
            is_named = any(n is not None for n in names and thing(i).columns.names)
            assert ours is None or appended is not None or is_named, (ours, appended)
            if appended is not None or ours is not None:
                return
            assert_same(store.get(key), own.get(key))
            assert len(store.get(key)) == 2 * len(made)
            for name in names:
                select(store, key, made, name)
            store.create_table_index(key, optlevel=9, kind="full")
            for name in names:
                select(store, key, made, name)

        each(compare, 150)
        assert store.info().count("appendable") >= N


def compare_anndata(file):
    with h5py.File(file, "r") as found, h5py.File("anndata.h5", "r") as made:

        def compare(i):
            got = anndata.io.read_elem(found[f"f{i}"])
            pd.testing.assert_frame_equal(got, anndata.io.read_elem(made[f"f{i}"]))
            for name in made[f"f{i}"]:
                for key in ("encoding-type", "encoding-version"):
                    a, b = found[f"f{i}"][name].attrs[key], made[f"f{i}"][name].attrs[key]
                    assert a == b, (name, a, b)

        each(compare)


if __name__ == "__main__":
    warnings.simplefilter("error")
    command = {"make": make, "odd": odd, "regular": regular_frames, "disturb": disturb,
               "irregular": irregular, "same": same, "pandas": compare_pandas, "use": use,
               "anndata": compare_anndata}  # fmt: skip
    command[sys.argv[1]](*sys.argv[2:])
