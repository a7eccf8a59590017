"""What Python's libraries do in bench/table, run in the peers' environment:

    in_process.py make pytables|h5py|arrow
    in_process.py import CSV PARQUET
    in_process.py append CSV FILE [INDEXED COLUMN]...
    in_process.py index FILE
    in_process.py ask arrow|snappy|zstd|pytables|h5py THREADS TIMES ROWS

`ask` puts the questions to files that are open; each time a line goes to stdout: the question's name,
seconds, the answer as bench_ask prints it. `append` adds the rows of events in CSV to a file of PyTables,
whose indexes are brought along; `index` makes a completely sorted index of its ids; `import` is pyarrow's
way from CSV to Parquet. These three say on stderr what they took behind Python's start.
"""

import os
import shutil
import sys
import time
import warnings

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from asked import LABELS, STEP, id_of, questions

warnings.filterwarnings("ignore")
LOW, HIGH = (np.datetime64(day, "us") for day in ("2001-05-01", "2001-05-03"))


def bounds(n):
    """Of the times that Q2 asks for, and the keys of Q3 and Q10."""
    low = 1700000000000 + n // 2 * STEP
    keys = [id_of(row * (n // 100) + 17) for row in range(100)]
    return low, low + n // 100 * STEP, keys, id_of(n // 3)


def show(value):
    if value is None:
        return ""
    return repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)


def rows(*columns):
    return ";".join(",".join(show(cell) for cell in row) for row in zip(*columns))


# --- Arrow: a table in memory, mapped from an uncompressed IPC file; or a dataset of Parquet --------


class Arrow:
    def __init__(self, form, threads, n):
        pa.set_cpu_count(threads)
        pa.set_io_thread_count(threads)
        self.low, self.high, self.keys, self.one = bounds(n)
        if form == "arrow":
            opened = {t: pa.ipc.open_file(pa.memory_map(f"{t}.arrow")) for t in ("events", "flights")}
            tables = {t: file.read_all() for t, file in opened.items()}
            self.source = {t: ds.dataset(table) for t, table in tables.items()}
        else:
            self.source = {t: ds.dataset(f"{t}-{form}.parquet") for t in ("events", "flights")}

    def get(self, table, columns, where=None):
        return self.source[table].to_table(columns=columns, filter=where)

    def count_and(self, table, what, column, where):
        found = self.get(table, [column], where)[column]
        return rows([len(found)], [what(found).as_py()])

    def mean_by(self, table, column, keys):
        found = self.get(table, [*keys, column])
        found = found.group_by(keys).aggregate([(column, "mean")])
        names = [*keys, f"{column}_mean"]
        return rows(*(found[name].to_pylist() for name in names))

    def ask(self, name):
        f = ds.field
        muon = (f("det") == 7) & (f("label") == "muon")
        pair = (f("origin") == "LAX") & (f("destination") == "SFO")
        days = (f("date") >= pa.scalar(LOW)) & (
            f("date") < pa.scalar(HIGH)
        )
        time_range = (f("ts") >= self.low) & (f("ts") < self.high)
        if name == "Q3":
            found = self.get("events", ["det", "run"], f("eid") == self.one)
            return rows(*(found[c].to_pylist() for c in ("det", "run")))
        if name == "Q8":
            columns = ["eid", "ts", "det", "run", "label"]
            found = self.get("events", columns, f("energy") > pa.scalar(1151.2925))
            return rows([len(found)], [pc.sum(found["eid"]).as_py()])
        if name == "Q9":
            return str(self.source["events"].count_rows(filter=f("energy").is_null()))
        if name == "Q7":
            return str(self.source["events"].count_rows(filter=f("name") == "detector-012345"))
        return {
            "Q1": lambda: self.count_and("events", pc.sum, "energy", f("energy") > 5000),
            "Q1b": lambda: self.count_and("events", pc.sum, "energy", f("energy") > 1000),
            "Q2": lambda: self.count_and("events", pc.sum, "energy", time_range),
            "Q4": lambda: self.count_and("events", pc.sum, "energy", muon),
            "Q5": lambda: show(pc.sum(self.get("events", ["energy"])["energy"]).as_py()),
            "Q6": lambda: self.mean_by("events", "energy", ["det", "label"]),
            "Q10": lambda: self.count_and("events", pc.sum, "run", f("eid").isin(self.keys)),
            "F1": lambda: self.count_and("flights", pc.mean, "delay", f("delay") > 60),
            "F2": lambda: self.count_and("flights", pc.mean, "delay", pair),
            "F3": lambda: self.mean_by("flights", "delay", ["origin"]),
            "F4": lambda: self.count_and("flights", pc.mean, "delay", days),
        }[name]()


# --- PyTables: one table of rows, completely sorted indexes on id and time -------------------------


class PyTables:
    def __init__(self, threads, n):
        import numexpr
        import tables

        numexpr.set_num_threads(threads)
        tables.parameters.MAX_NUMEXPR_THREADS = tables.parameters.MAX_BLOSC_THREADS = threads
        self.file = tables.open_file("pytables.h5")
        self.low, self.high, self.keys, self.one = bounds(n)

    def where(self, table, condition, column):
        return getattr(self.file.root, table).read_where(condition, field=column)

    def total(self, table, condition, column):
        found = self.where(table, condition, column)
        return rows([len(found)], [float(np.nansum(found, dtype="f8"))])

    def mean(self, condition):
        found = self.where("flights", condition, "delay")
        return rows([len(found)], [float(found.mean(dtype="f8"))])

    def ask(self, name):
        events, flights = self.file.root.events, self.file.root.flights
        low, high = (int(t.astype("i8")) for t in (LOW, HIGH))
        if name == "Q3":
            found = events.read_where(f"eid == {self.one}")
            return rows(found["det"], found["run"])
        if name == "Q5":
            return show(float(np.nansum(events.read(field="energy"), dtype="f8")))
        if name == "Q6":
            keys = events.read(field="det").astype("i8") * 256 + events.read(field="label")
            return by_two(keys, events.read(field="energy"))
        if name == "Q8":
            found = events.read_where("energy > 1151.2925")
            return rows([len(found)], [int(found["eid"].sum())])
        if name == "Q10":
            parts = [events.read_where(f"eid == {key}", field="run") for key in self.keys]
            return rows([sum(map(len, parts))], [int(sum(part.sum() for part in parts))])
        if name == "F3":
            return by_one(flights.read(field="origin"), flights.read(field="delay"))
        return {
            "Q1": lambda: self.total("events", "energy > 5000", "energy"),
            "Q1b": lambda: self.total("events", "energy > 1000", "energy"),
            "Q2": lambda: self.total(
                "events", f"(ts >= {self.low}) & (ts < {self.high})", "energy"
            ),
            "Q4": lambda: self.total("events", "(det == 7) & (label == 1)", "energy"),
            "Q7": lambda: str(len(self.where("events", "name == b'detector-012345'", "det"))),
            "Q9": lambda: str(len(self.where("events", "energy != energy", "det"))),
            "F1": lambda: self.mean("delay > 60"),
            "F2": lambda: self.mean("(origin == b'LAX') & (destination == b'SFO')"),
            "F4": lambda: self.mean(f"(date >= {low}) & (date < {high})"),
        }[name]()


# --- h5py: a dataset a column, gzip and shuffle, read whole and asked with numpy -------------------


def by_two(keys, energy):
    good = ~np.isnan(energy)
    sums = np.bincount(keys[good], energy[good].astype("f8"))
    counts = np.bincount(keys[good])
    found = np.nonzero(counts)[0]
    return rows(found // 256, [LABELS[k % 256] for k in found], sums[found] / counts[found])


def by_one(names, values):
    found, inverse = np.unique(names, return_inverse=True)
    means = np.bincount(inverse, values.astype("f8")) / np.bincount(inverse)
    return rows([n.decode() for n in found], means)


class H5py:
    def __init__(self, n):
        import h5py

        self.file = h5py.File("h5py.h5")
        self.low, self.high, self.keys, self.one = bounds(n)

    def read(self, table, column):
        return self.file[table][column][:]

    def total(self, mask, column="energy"):
        found = self.read("events", column)[mask]
        total = np.nansum(found, dtype="f8") if column == "energy" else int(found.sum())
        return rows([len(found)], [total])

    def mean(self, mask):
        found = self.read("flights", "delay")[mask]
        return rows([len(found)], [float(found.mean(dtype="f8"))])

    def ask(self, name):
        def e(column):
            return self.read("events", column)

        def f(column):
            return self.read("flights", column)

        low, high = (int(t.astype("i8")) for t in (LOW, HIGH))
        if name == "Q3":
            at = np.nonzero(e("eid") == self.one)[0]
            return rows(e("det")[at], e("run")[at])
        if name == "Q5":
            return show(float(np.nansum(e("energy"), dtype="f8")))
        if name == "Q6":
            labels = e("label")
            codes = sum(k * (labels == label.encode()) for k, label in enumerate(LABELS))
            return by_two(e("det").astype("i8") * 256 + codes, e("energy"))
        if name == "Q7":
            return str(int((e("name") == b"detector-012345").sum()))
        if name == "Q8":
            mask = e("energy") > np.float32(1151.2925)
            found = [e(c)[mask] for c in ("eid", "ts", "det", "run", "label")]
            return rows([len(found[0])], [int(found[0].sum())])
        if name == "Q9":
            return str(int(np.isnan(e("energy")).sum()))
        if name == "F3":
            return by_one(f("origin"), f("delay"))
        masks = {
            "Q1": lambda: e("energy") > 5000,
            "Q1b": lambda: e("energy") > 1000,
            "Q2": lambda: (e("ts") >= self.low) & (e("ts") < self.high),
            "Q4": lambda: (e("det") == 7) & (e("label") == b"muon"),
            "Q10": lambda: np.isin(e("eid"), self.keys),
            "F1": lambda: f("delay") > 60,
            "F2": lambda: (f("origin") == b"LAX") & (f("destination") == b"SFO"),
            "F4": lambda: (f("date") >= low) & (f("date") < high),
        }
        if name[0] == "F":
            return self.mean(masks[name]())
        return self.total(masks[name](), "run" if name == "Q10" else "energy")


# --- the files ------------------------------------------------------------------------------------


def columns(table, labels_as_codes):
    """(name, numpy values) of a table, from Parquet; times as numbers, NaN for missing."""
    whole = pq.read_table(f"{table}-snappy.parquet")
    for name in whole.column_names:
        values = whole[name].combine_chunks()
        if name == "label" and labels_as_codes:
            values = pc.index_in(values, pa.array(LABELS)).cast(pa.int8())
        if pa.types.is_timestamp(values.type):
            values = values.cast(pa.timestamp("us")).cast(pa.int64())
        if pa.types.is_string(values.type):
            width = pc.max(pc.binary_length(values)).as_py()
            yield name, values.to_numpy(zero_copy_only=False).astype(f"S{width}")
        else:
            yield name, values.to_numpy(zero_copy_only=False)


def make_pytables():
    import tables

    plain = "plain-pytables.h5"
    with tables.open_file(plain, "w", filters=tables.Filters(5, "blosc")) as file:
        for name in ("events", "flights"):
            parts = list(columns(name, labels_as_codes=True))
            kinds = np.dtype([(column, values.dtype) for column, values in parts])
            table = file.create_table("/", name, kinds, expectedrows=len(parts[0][1]))
            for first in range(0, len(parts[0][1]), 1_000_000):
                batch = np.empty(min(1_000_000, len(parts[0][1]) - first), kinds)
                for column, values in parts:
                    batch[column] = values[first : first + 1_000_000]
                table.append(batch)
            table.flush()
    shutil.copy(plain, "pytables.h5")
    with tables.open_file("pytables.h5", "a") as file:
        for name, column in (("events", "eid"), ("events", "ts"), ("flights", "date")):
            file.root[name].colinstances[column].create_csindex()


def sync(name):
    with open(name, "rb") as file:
        os.fsync(file.fileno())


def index_pytables(name):
    import tables

    with tables.open_file(name, "a") as file:
        file.root.events.colinstances["eid"].create_csindex()
    sync(name)


def import_arrow(csv, name):
    """The file is on the disk at the end."""
    import pyarrow.csv

    pq.write_table(pyarrow.csv.read_csv(csv), name)
    sync(name)


def append_pytables(csv, name, indexed):
    """Rows behind the last one; the file is on the disk at the end, its indexes cover them."""
    import pyarrow.csv
    import tables

    more = pyarrow.csv.read_csv(csv)
    labels = pc.index_in(more["label"], pa.array(LABELS)).cast(pa.int8())
    more = more.set_column(more.column_names.index("label"), "label", labels)
    with tables.open_file(name, "a") as file:
        events = file.root.events
        batch = np.empty(len(more), events.dtype)
        for column in more.column_names:
            batch[column] = more[column].to_numpy()
        before = events.nrows
        events.append(batch)
        events.flush()
        for column in indexed:
            index = events.colinstances[column].index
            assert index.nelements == before + len(more) and not index.dirty, column
    sync(name)


def make_h5py():
    """A HEP001 table as somebody without Stoa would write it: each column with gzip and shuffle."""
    import h5py

    with h5py.File("h5py.h5", "w") as file:
        for name in ("events", "flights"):
            group = file.create_group(name)
            group.attrs.create("CLASS", np.bytes_("COLUMN_TABLE"))
            group.attrs.create("VERSION", np.bytes_("1.0"))
            for column, values in columns(name, labels_as_codes=False):
                options = {"compression": "gzip", "shuffle": True, "chunks": (131072,)}
                options["maxshape"] = (None,)
                if values.dtype.kind == "f":
                    options["fillvalue"] = np.nan
                dataset = group.create_dataset(column, data=values, **options)
                if column == "date":
                    dataset.attrs["units"] = "microseconds since 1970-01-01"
            group.attrs.create("NROWS", np.uint64(len(values)))


def make_arrow():
    for name in ("events", "flights"):
        table = pq.read_table(f"{name}-snappy.parquet")
        for column in ("label", "name", "origin", "destination"):
            if column in table.column_names:
                at = table.column_names.index(column)
                table = table.set_column(at, column, table[column].dictionary_encode())
        table = table.unify_dictionaries()
        with pa.ipc.new_file(f"{name}.arrow", table.schema) as file:
            file.write_table(table, max_chunksize=1 << 20)


def ask(form, threads, times, n):
    if form == "pytables":
        peer = PyTables(threads, n)
    elif form == "h5py":
        peer = H5py(n)
    else:
        peer = Arrow(form, threads, n)
    for question in questions(n):
        for _ in range(times):
            began = time.perf_counter()
            answer = peer.ask(question.name)
            print(question.name, f"{time.perf_counter() - began:.9f}", answer, sep="\t", flush=True)


began = time.perf_counter()
if sys.argv[1] == "make":
    {"pytables": make_pytables, "h5py": make_h5py, "arrow": make_arrow}[sys.argv[2]]()
elif sys.argv[1] == "import":
    import_arrow(sys.argv[2], sys.argv[3])
elif sys.argv[1] == "append":
    append_pytables(sys.argv[2], sys.argv[3], sys.argv[4:])
elif sys.argv[1] == "index":
    index_pytables(sys.argv[2])
else:
    ask(sys.argv[2], *map(int, sys.argv[3:6]))
print(time.perf_counter() - began, file=sys.stderr)
