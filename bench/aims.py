"""What the work on speed set out for: a line an aim. The page says which are met, and why others are not.

An aim is the most that Stoa may take, over what `peer` takes in the same row: the strongest of that row.
Names are patterns; the first that fits counts. `why` says where the time goes, for an aim that is missed.
"""

from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True)
class Aim:
    section: str
    what: str
    most: float
    peer: str
    why: str = ""


TWO_OVER_ONE = 1 / 1.7
ALONE = "Stoa, one thread"
SERIAL = "what one thread does alone: the answer's table, reading, or writing"
START = "starting and opening the file, which no question avoids, is most of a process of some milliseconds"
COPY = "the kernel's copy of each page"
ROWS_LIE_IN_PLACE = "DuckDB marks rows as deleted; in HEP001 a row's number is its place, and the rows behind it are written again"
FINDS = "finding the group of each row in a table that is larger than the processor's caches"
LABELS_ONCE = "the first question of an open table reads all labels; later ones know the least and the largest"
TEXTS = "each text is unpacked, hashed and compared; there is no dictionary of plain strings"

EVERY = [
    *(Aim("modes", f"{name}, whole process warm", 0.10, "DuckDB", START) for name in ("Q1", "Q2", "Q4", "Q5", "Q6", "Q7")),
    Aim("modes", "*, pread over map", 1.3, "Stoa by map", COPY),
    Aim("modes", "Q3, new constants, over its target", 1.0, "0.15 ms", "a query's start, and pages of the index that were not read before"),
    Aim("modes", "Q10, new constants, over its target", 1.0, "1.5 ms", "a hundred places of the index and of the column, each read for itself"),

    Aim("groups", "*, two threads over one", TWO_OVER_ONE, ALONE, SERIAL),
    Aim("groups", "count(), sum(x) by name", 0.25, "DuckDB", "rows are spread over partitions, so that each group's rows are added up in their order"),
    Aim("groups", "count(), sum(x) by name, label", 0.6, "DuckDB", FINDS),
    Aim("groups", "distinct(name)", 0.15, "DuckDB", "unpacking the codes, and marking those that were seen"),
    Aim("groups", "distinct(name) by det", 0.5, "DuckDB", FINDS),
    Aim("groups", "min(name), max(name)", 4.0, "DuckDB", LABELS_ONCE),
    Aim("groups", "min(named), max(named)", 1.0, "DuckDB", LABELS_ONCE),
    Aim("groups", "count(), sum(x) by *", 1.0, "DuckDB", FINDS),
    Aim("groups", "distinct(id)", 1.0, "DuckDB", FINDS),
    Aim("groups", "*text*", 1.0, "DuckDB", TEXTS),
    Aim("groups", "median(x) by name", 0.8, "DuckDB", "sorting the values of each group"),

    Aim("sorts", "top 10 of unique strings", 1.0, "DuckDB", TEXTS),
    Aim("sorts", "top 1000 by two keys", 1.0, "DuckDB", "rows are compared by both keys"),
    Aim("sorts", "top 10 *, over a filter", 1.5, "a filter scan", "for each row found a chunk of the other columns is unpacked"),
    Aim("sorts", "top 10 *", 0.8, "DuckDB", "unpacking the column once; an open table has it afterwards"),
    Aim("sorts", "sort of *, two threads over one", TWO_OVER_ONE, ALONE, "new pages of memory: the system gives them one after another"),
    Aim("sorts", "sort of *", 1.0, "DuckDB", "each row of the answer is gathered by its place"),
    Aim("sorts", "equality of unique strings", 1.0, "DuckDB", TEXTS),
    Aim("sorts", "range of ns times, no index", 1.0, "DuckDB", "DuckDB's file has bounds of each column; Stoa scans without an index"),
    Aim("sorts", "* of two-decimals floats", 0.5, "DuckDB", "unpacking the column once; an open table has it afterwards"),

    Aim("texts", "*, two threads over one", TWO_OVER_ONE, ALONE, SERIAL),
    Aim("texts", "floats to CSV", 0.35, "DuckDB", "the shortest text of each float, and writing it"),
    Aim("texts", "events to CSV", 0.6, "DuckDB", "unpacking and writing"),
    Aim("texts", "floats to JSON lines", 0.5, "DuckDB", "the shortest text of each float, and writing it"),
    Aim("texts", "floats from CSV", 0.6, "DuckDB", "packing, and the sync of the file"),

    Aim("writing", "import of CSV", 0.6, "DuckDB, pyarrow", "parsing and packing"),
    Aim("writing", "append", 0.7, "DuckDB, PyTables", "the last chunk of each column is packed again"),
    Aim("writing", "append, with indexes", 0.7, "DuckDB", "a sorted index is merged with the new rows"),
    Aim("writing", "a sorted index", 0.15, "DuckDB, PyTables", "sorting, and writing the index"),
    Aim("writing", "import of 5,000 columns, over its target", 1.0, "2.5 s", "for each column one thread tries codecs, and libhdf5 makes, opens and closes a dataset"),
    Aim("writing", "append of 10 rows*, over its target", 1.0, "0.4 s", "libhdf5 opens and extends each column's dataset"),
    Aim("writing", "*, memory over its target", 1.0, "0.8 and 1 GB", "a batch of every column at once"),
    Aim("writing", "*, over beside 10", 1.2, "a file of ten tables", "syncs of the file"),
    Aim("writing", "to *, over its target", 1.0, "4 s for 20 million rows", "deflate tries and packs each byte of the rows for itself"),
    Aim("writing", "to *, two threads over one", TWO_OVER_ONE, ALONE, SERIAL),

    Aim("edits", "*: delete", 2.5, "DuckDB", ROWS_LIE_IN_PLACE),
    Aim("edits", "*: size after it", 1.1, "the file before", "chunks that were packed again lie behind the old ones"),
    Aim("edits", "*: largest size *", 1.1, "the file before", "chunks that were packed again lie behind the old ones"),

    *(Aim("storage", f"{name}: *o*", 1.02, "Parquet zstd", "noise: no codec saves anything")
      for name in ("orders.noise", "events.energy")),
    Aim("storage", "*: scan of *", 1.0, "DuckDB on Parquet", "unpacking by deflate where that is smaller"),
    Aim("storage", "*, whole: auto", 0.8, "Parquet zstd", "texts, noise and negative decimals, which make up most of it"),
    Aim("storage", "*, whole: small", 0.65, "Parquet zstd", "texts, noise and negative decimals, which make up most of it"),
    *(Aim("storage", f"{name}: auto", 1.0, "Parquet zstd", "scale-offset alone, which is read five times as fast as what deflate would save")
      for name in ("events.det", "events.label")),
    *(Aim("storage", f"{name}: {codec}", aim, "Parquet zstd", "negative decimals, which scale-offset would round")
      for name in ("trips.fare", "trips.total") for codec, aim in (("auto", 1.0), ("small", 0.85))),
    Aim("storage", "*: auto", 1.0, "Parquet zstd", "stock filters take no less, or only at slow levels: docs/codecs.md says why of each column"),
    Aim("storage", "*: small", 0.85, "Parquet zstd", "the entropy of the values, or what stock filters get to: docs/codecs.md says why of each column"),
    Aim("storage", "*: import by small over auto", 3.0, "auto", "deflate's level 6, and choices that are tried on a quarter of each chunk"),

    *(Aim("functions", name, 0.6, "DuckDB", "inflating the texts, 10 ns each, and the function itself") for name in ("*(s[,) ]*", "s in *")),
    Aim("functions", "*", 0.6, "DuckDB", "the function itself"),

    Aim("tpch", "22 questions, *", 1.3, "DuckDB on Parquet", "opening tables, and handing batches to DuckDB's library"),
    Aim("tpch", "1 % by an index, *", 0.3, "DuckDB on Parquet", "DuckDB's library takes longer to load than its program does for the answer"),

    *(Aim("python", name, most, peer, why) for name, most, peer, why in (
        ("scan of pytables", 1 / 5, "PyTables", "unpacking Blosc chunks of whole rows"),
        ("scan of pandas", 1 / 10, "pandas", "reading whole rows for two of their columns"),
        ("scan of pandas by map", 1 / 10, "pandas", "reading whole rows for two of their columns"),
        ("to pandas", 1, "pyarrow", "copying what was unpacked into the library's own arrays"),
        ("to polars", 1, "pyarrow", "copying what was unpacked into the library's own arrays"),
        ("to arrow", 1, "pyarrow", "copying what was unpacked into the library's own arrays"),
        ("scan", 1, "Polars, pyarrow, DuckDB", "unpacking the two columns"),
        ("columns of lh5", 1, "lh5", "inflating every chunk"),
    )),
    Aim("python", "a query of one row*, over its target", 1.0, "1 ms", "making the query and its answer"),

    Aim("lists", "read, over pread of its parts", 1.2, "pread", "batches are filled one after another"),
    Aim("lists", "read, over variable length", 1 / 5, "h5py", "batches are filled one after another"),
    Aim("lists", "sum(sum(v)), over sum(value)*", 1.5, "the flattened values", "each list is summed for itself"),

    Aim("layouts", "* HEP001, over its target", 1.0, "200 MB/s", "packing each column anew"),
    Aim("layouts", "*", 1 / 5, "PyTables", "unpacking Blosc chunks of whole rows"),

    Aim("lh5", "vectors of float32", 1 / 4, "numba and h5py", "libdeflate alone takes most of it"),
    Aim("lh5", "energy of chosen hits", 1 / 3.3, "numba and h5py", "libdeflate alone takes most of it"),
    Aim("lh5", "*", 1 / 5, "numba and h5py", "reading the pages"),

    Aim("sparse", "write, over CSR", 2.5, "SciPy and h5py", "points are grouped by chunk and their positions coded; the peer writes its arrays as they are"),
    Aim("sparse", "a box of 1 %, over CSR", 1 / 20, "SciPy and h5py", "each chunk is read, checked and unpacked whole, of which a box needs a part"),
    Aim("sparse", "all as CSR", 1.0, "SciPy and h5py", "chunks are put together by rows"),
    Aim("sparse", "H5Dget_defined() of a box", 1.0, "5 ms", "libhdf5 makes a selection of each element"),
]  # fmt: skip


def of(section, what):
    """The aim of a row; None: it has none."""
    return next((aim for aim in EVERY if aim.section == section and fnmatchcase(what, aim.what)), None)
