"""Frames that grow: Stoa's append against that of pandas.

    frames_appended.py make  old.h5, which Stoa appends to; more.h5, the rows; both.h5, pandas' own
    frames_appended.py same  compares old.h5 with both.h5, and lets pandas append to both again; then
                             says what became of categories with new labels
"""

import sys
import warnings

import numpy as np
import pandas as pd

warnings.simplefilter("error")
warnings.filterwarnings("ignore", category=DeprecationWarning)
N = 60


def plain(first):
    i = np.arange(first, first + N)
    return pd.DataFrame(
        {
            "a": i.astype("i4"),
            "b": np.where(i % 7 == 0, np.nan, i / 4),
            "small": (i % 100).astype("u1"),
            "big": i.astype("u8") * 3,
            "text": [None if k % 9 == 0 else f"t{k % 50}" for k in i],
            "yes": i % 3 == 0,
            "when": pd.to_datetime(i * 10**9).where(i % 5 != 0, pd.NaT),
            "took": pd.to_timedelta(i, unit="s"),
            "z": pd.to_datetime(i * 10**9, utc=True).tz_convert("Europe/Berlin"),
            "kind": pd.Categorical.from_codes(i % 3, ["x", "yy", "z"]),
            "rank": pd.Categorical.from_codes(i % 3 - (i % 3 == 2) * 3, [10, 20, 30], ordered=True),
        }
    )


def of_index(index):
    return lambda first: plain(first).set_index(index(np.arange(first, first + N)))[["a", "text"]]


def levels(first):
    i = np.arange(first, first + N)
    index = pd.MultiIndex.from_arrays([i // 10, [f"s{k % 4}" for k in i]], names=["run", "part"])
    return plain(first)[["a", "b"]].set_index(index)


FRAMES = {
    "plain": (plain, {}),
    "columns": (lambda first: plain(first).drop(columns="big"), {"data_columns": True, "min_itemsize": {"text": 20}}),
    "some": (plain, {"data_columns": ["a", "text"], "index": False}),
    "texts": (of_index(lambda i: pd.Index([f"r{k}" for k in i], name="id")), {"min_itemsize": 8}),
    "times": (of_index(lambda i: pd.DatetimeIndex(i * 86400 * 10**9, freq="D", name="t")), {}),
    "zone": (of_index(lambda i: pd.DatetimeIndex(i * 10**9, tz="Europe/Berlin")), {}),
    "periods": (of_index(lambda i: pd.period_range("2000-01", periods=i[-1] + 1, freq="M")[i]), {}),
    "floats": (of_index(lambda i: pd.Index(i / 2, name="x")), {}),
    "levels": (levels, {}),
    "series": (lambda first: plain(first)["b"], {}),
    "numbered": (lambda first: plain(first)[["a", "b"]].set_axis([7, 8], axis=1), {}),
    "nan_rep": (lambda first: plain(first)[["text"]], {"nan_rep": "missing"}),
    "complete": (lambda first: plain(first + 1)[["a", "yes"]].assign(text="q"), {}),
}


def make():
    with pd.HDFStore("old.h5", "w") as old, pd.HDFStore("more.h5", "w") as more, \
            pd.HDFStore("both.h5", "w") as both:  # fmt: skip
        for key, (frame, how) in FRAMES.items():
            for store in (old, both):
                store.append(key, frame(0), **how)
            for store in (more, both):
                store.append(key, frame(N), **how)
        old.put("fixed", plain(0)[["a"]])
        united = pd.DataFrame({"k": pd.Categorical(["a", "b"]), "n": pd.Categorical([3, 1])})
        ordered = pd.DataFrame({"k": pd.Categorical(["a", "b"], ordered=True)})
        narrow = pd.DataFrame({"s": ["ab", "c"], "n": np.array([1, 2], "i1")})
        for key, frame in {"united": united, "ordered": ordered, "narrow": narrow}.items():
            old.append(key, frame)
        new = {"k": pd.Categorical(["ccc", "a", None]), "n": pd.Categorical([1, 7, 3])}
        more.append("united", pd.DataFrame(new))
    print("\n".join(FRAMES))


def equal(a, b):
    (pd.testing.assert_series_equal if isinstance(a, pd.Series) else pd.testing.assert_frame_equal)(
        a, b
    )


def compare(old, both, key):
    equal(old[key], both[key])
    if key in ("columns", "some"):
        for where in ("a > 55 & a < 65", "text == 't7'", "a == 119"):
            equal(old.select(key, where), both.select(key, where))


def same():
    with pd.HDFStore("old.h5", "a") as old, pd.HDFStore("both.h5", "a") as both:
        for key, (frame, how) in FRAMES.items():
            for step in ("appended by stoa", "and by pandas"):
                try:
                    compare(old, both, key)
                    for store in (old, both):
                        store.append(key, frame(2 * N), **how)
                except Exception as error:
                    print(f"{key}, {step}: {type(error).__name__}: {error}")
                    break
        for more in (False, True):
            frame = old["united"]
            for name in frame:
                kind = frame[name].cat
                print(name, list(kind.categories), kind.ordered, list(kind.codes))
            if not more:
                old.append("united", frame.iloc[-2:])


make() if sys.argv[1] == "make" else same()
