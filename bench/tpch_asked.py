"""The questions of tpch.sql, about files or places; for bench/tpch and the test interop/tpch."""

import re
import subprocess
from pathlib import Path

TABLES = ["customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier"]

# The columns that get a search index, by table.
INDEXES = {
    "lineitem": "l_orderkey:minmax,l_partkey:sorted,l_shipdate:sorted",
    "orders": "o_orderkey:minmax",
    "part": "p_partkey:minmax",
    "partsupp": "ps_partkey:minmax",
}

# Texts of few values, which Parquet keeps as dictionaries, by table.
CATEGORIES = {
    "lineitem": ["l_returnflag", "l_linestatus", "l_shipinstruct", "l_shipmode"],
    "orders": ["o_orderstatus", "o_orderpriority"],
    "customer": ["c_mktsegment"],
    "part": ["p_mfgr", "p_brand", "p_type", "p_container"],
}

# Columns of long texts, by table, in short chunks: a question about few rows unpacks few texts.
LONG_TEXTS = {"lineitem": "l_comment", "orders": "o_comment", "partsupp": "ps_comment", "customer": "c_comment"}

# The questions about one table in the words of `stoa query`: the table, its filter, and the rest.
OWN = {
    "F1": ("lineitem", "l_orderkey between {orders_from} and {orders_to}",
           ["-a", "count(), sum(l_extendedprice * (1 - l_discount)), min(l_shipdate), max(l_receiptdate)"]),
    "F3": ("orders", "o_orderkey between {orders_from} and {orders_to} and o_comment like '%special%'",
           ["-c", "o_orderkey, o_comment", "--sort", "o_orderkey"]),
    "F4": ("lineitem", "l_partkey between {parts_from} and {parts_to}",
           ["-a", "count(), sum(l_quantity), sum(l_extendedprice)"]),
    "F5": ("lineitem", "l_shipdate between '1995-06-01' and '1995-06-25'",
           ["--by", "l_shipmode", "-a", "count(), sum(l_quantity)", "--sort", "l_shipmode"]),
}  # fmt: skip

ORDER_KEYS, PARTS = 6_000_000, 200_000  # at scale 1; keys of orders have gaps


def bounds(scale):
    """Which orders and parts the questions F are about."""
    return {
        f"{name}_{end}": int(n * scale * part)
        for name, n in (("orders", ORDER_KEYS), ("parts", PARTS))
        for end, part in (("from", 0.5), ("to", 0.51))
    }


def own_question(scale, file, name):
    """The arguments of `stoa query`; None if the question is not about one table."""
    if name not in OWN:
        return None
    table, where, more = OWN[name]
    return ["query", f"{file}:/{table}", "-w", where.format(**bounds(scale)), *more]


def questions(scale, table):
    """{"Q1: pricing summary": SQL}; table(name) gives what stands for a table."""
    said = Path(__file__).with_name("tpch.sql").read_text()
    words = {name: table(name) for name in TABLES} | bounds(scale)
    words["fraction"] = f"{0.0001 / scale:.10f}"
    parts = re.split(r"^-- ([QF]\d+: .*)\n", said, flags=re.MULTILINE)
    return {
        name: re.sub(r"^--.*\n", "", text, flags=re.MULTILINE).strip().rstrip(";").format(**words)
        for name, text in zip(parts[1::2], parts[2::2])
    }


def make(program, scale, folder):
    """The eight tables as Parquet files, by tpchgen-cli."""
    command = [program, "parquet", "--scale-factor", str(scale), "--output-dir", str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def imports(stoa, folder, file):
    """The commands that make tables in one file of them."""
    for name in TABLES:
        words = ["--index", INDEXES[name]] if name in INDEXES else []
        words += ["--chunk", f"{LONG_TEXTS[name]}=8192"] if name in LONG_TEXTS else []
        yield [stoa, "import", f"{folder}/{name}.parquet", f"{file}:/{name}", *words]


def categories(stoa, file):
    """The commands that make texts of few values categories, and trust the indexes of what was changed so."""
    for name, columns in CATEGORIES.items():
        yield [stoa, "column", "categories", f"{file}:/{name}", *columns]
    for name in INDEXES:
        yield [stoa, "index", "verify", f"{file}:/{name}"]
