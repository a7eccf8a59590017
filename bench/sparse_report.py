"""What bench/sparse has measured, as text and as the last section of docs/sparse.md."""

import report

BEST = "zstd:1"  # the codec of values that is held against dense arrays
HEAD = "## How fast"
N_CHUNKS = 256


def best_dense(case):
    """The least of everything over both dense arrays."""
    found = case["dense"].values()
    return {what: min(one[what] for one in found) for what in ("write", "read", "bytes")}


def main_case(facts):
    return next(c for c in facts["cases"] if (c["pattern"], c["percent"]) == ("random", 1))


def aims(facts):
    """[{what, is, aim, at_least}]: of 1 % at random, but for the positions."""
    case, c = main_case(facts), facts["connector"]
    dense, ours = best_dense(case), case["sparse"][BEST]
    found = []

    def add(what, value, aim, at_least=False):
        met = round(value, 2) >= aim if at_least else round(value, 2) <= aim
        found.append({"what": what, "is": value, "aim": aim, "at_least": at_least, "met": met})

    add("times faster to write than dense", dense["write"] / ours["write"], 15, True)
    add("times faster to read, as coordinates, than dense", dense["read"] / ours["read"], 25, True)
    add("times smaller than dense", dense["bytes"] / ours["bytes"], 2.2, True)
    for codec, csr in case["csr"].items():
        same = case["sparse"][codec]
        add(f"of the time of CSR to read all as CSR, {codec}", same["csr"] / csr["read"], 1.0)
        add(f"times faster than CSR to read a box, {codec}", csr["box"] / same["box"], 20, True)
        add(f"times faster than CSR read whole and cut, {codec}", csr["cut"] / same["box"], 20, True)
    add("of the direct calls' time, H5Dwrite()", c["write"] / c["direct write"], 2)
    add("of the direct calls' time, H5Dread()", c["read"] / c["direct read"], 2)
    add("of the direct calls' time, H5Dread() of rows", c["rows"] / c["direct rows"], 2)
    add("s for H5Dget_defined() of 10^6", c["get_defined"], 1)
    add("us a point for H5Dget_defined() of 50,000", 1e6 * c["get_defined of 50,000"] / 50000, 1)
    add("s for H5Derase() of 10^6", c["erase"], 1)
    add("s for H5Dread() of 10^6 defined elements", c["read defined"], 1)
    add("of the time of stock chunks in cache, 4096 columns written", c["columns"] / c["stock columns"], 2)
    for one in facts["cases"]:
        if one["pattern"] == "random":
            p = one["positions"]
            add(f"of the bits that positions need, {one['percent']} %", p["bits"] / p["bound"], 1.1)
    return found


# --- tables ---------------------------------------------------------------------------------------


def aim_rows(facts):
    rows = [["1 % at random", "is", "aim", ""]]
    for aim in facts["aims"]:
        sign = "≥" if aim["at_least"] else "≤"
        rows.append([aim["what"], f"{aim['is']:.2f}", f"{sign} {aim['aim']:g}",
                     "met" if aim["met"] else "missed"])  # fmt: skip
    return rows


def dense_rows(facts):
    rows = [["against the best dense", *(f"{which} {what}" for which in ("write", "read", "size")
                                         for what in ("raw", "zstd:1"))]]  # fmt: skip
    for case in facts["cases"]:
        dense = best_dense(case)
        rows.append([f"{case['pattern']}, {case['percent']} %",
                     *(f"{dense[which] / case['sparse'][codec][which]:.3g}"
                       for which in ("write", "read", "bytes") for codec in ("none", BEST))])  # fmt: skip
    return rows


def csr_rows(facts):
    columns = [(codec, what) for codec in ("none", "deflate:1")
               for what in ("write", "read", "box", "size")]  # fmt: skip
    rows = [["against CSR", *(f"{codec}, {what}" for codec, what in columns)]]
    for case in facts["cases"]:
        cells = []
        for codec, what in columns:
            ours, theirs = case["sparse"][codec], case["csr"][codec]
            name = {"size": "bytes"}.get(what, what)
            cells.append(f"{theirs[name] / ours['csr' if what == 'read' else name]:.3g}")
        rows.append([f"{case['pattern']}, {case['percent']} %", *cells])
    return rows


def position_rows(facts):
    rows = [["positions", "elements", "bits each", "bound at random", "packed, 10^6/s", "unpacked"]]
    for case in facts["cases"]:
        p = case["positions"]
        rows.append([f"{case['pattern']}, {case['percent']} %", f"{p['elements']:,}",
                     f"{p['bits']:.2f}", f"{p['bound']:.2f}",
                     f"{1e-6 * p['elements'] / p['encode']:.0f}",
                     f"{1e-6 * p['elements'] / p['decode']:.0f}"])  # fmt: skip
    return rows


def time_rows(facts):
    case = main_case(facts)
    rows = [["1 % at random", "write ms", "read ms", "as CSR ms", "a box ms", "MB"]]

    def add(name, one, csr):
        cells = [one["write"], None if csr else one["read"], one["read"] if csr else one.get("csr"),
                 one.get("box")]  # fmt: skip
        rows.append([name, *("" if cell is None else f"{1e3 * cell:.2f}" for cell in cells),
                     f"{1e-6 * one['bytes']:.2f}"])  # fmt: skip

    for codec, one in case["sparse"].items():
        add(f"Stoa, {codec}", one, False)
    for codec, one in case["dense"].items():
        add(f"dense, {codec}", one, False)
    for codec, one in case["csr"].items():
        add(f"SciPy CSR, {codec}", one, True)
    return rows


def connector_rows(facts):
    return [["the connector", "ms"]] + [
        [what, f"{1e3 * seconds:.1f}"] for what, seconds in facts["connector"].items()
    ]


def tables(facts):
    for rows in (aim_rows, time_rows, dense_rows, csr_rows, position_rows, connector_rows):
        yield rows(facts)


def machine_line(facts):
    m = facts["machine"]
    return (f"{facts['peers']}; {m['processors']} x {m['processor']}, {m['system']}, "
            f"load {m['load_at_start']} at the start; {facts['rounds']} rounds, least times")  # fmt: skip


def text(facts):
    yield machine_line(facts)
    for rows in tables(facts):
        yield ""
        yield from report.lines(rows)


def markdown(rows):
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "| --- |" + " ---: |" * (len(rows[0]) - 1), *lines[1:]])


INTRODUCTION = """
This section is made by `bench/sparse --markdown` ([bench/](../bench/README.md#sparse-arrays)).

- **Arrays:** 16384 x 16384 float32 in chunks of 1024 x 1024. Elements are scattered at random, in blocks of 16 x 16, or
  in runs of about 64 along the rows.
- **Dense arrays** are standard HDF5's, deflate:1 with and without shuffle. The better of the two counts in each column.
- **CSR** is three datasets written by SciPy and h5py, plain or with shuffle and gzip 1.
- **Ratios** above 1 are in Stoa's favour, except where `of` gives a share.
- **Threads:** two for Stoa, one for the others.

Values are multiples of 2^-24 in (0, 1], as generators of random floats make them: 24 bits each that no codec saves.
At 1 % a position takes at least 8.08 bits. So the smallest possible file is {floor:.2f} times smaller than the dense one.
For values of 32 random bits it would be {floor_32:.2f} times.

Uncompressed CSR is copied out of the system's page cache, 8 bytes an entry, with little other work. Stoa reads 5
bytes an entry and decodes the positions. Then it brings the entries of 256 chunks, which also suit boxes and columns,
into the order of rows. It does so on two threads, band by band, so that decoded data stay in the processor's caches.

What is possible for a box of 1 %, against such CSR? CSR copies the entries of a tenth of the rows, 2.1 MB, and
searches them. Stoa reads {chunks:.1f} chunks on average, {box_mb:.2f} MB, decodes their {unpacked:,.0f} positions and writes 20 bytes for each
of 26,800 points. Reading those bytes and writing as many takes {touch:.3f} ms; decoding the positions, at the rate below,
takes {unpack:.3f} ms. That alone would be {most:.0f} times faster than CSR. So 20 times is out of reach for chunks of this shape on
one thread, and waking another thread takes about as long as all of it.
"""


def box_bound(case):
    """What a box takes at least, in milliseconds, and how much of everything it has."""
    ours, p = case["sparse"]["none"], case["positions"]
    share = ours["chunks"] / N_CHUNKS
    unpack = share * p["decode"]
    return {"chunks": ours["chunks"], "box_mb": 1e-6 * share * ours["bytes"],
            "unpacked": round(share * p["elements"], -3), "touch": 1e3 * ours["touch"],
            "unpack": 1e3 * unpack,
            "most": case["csr"]["none"]["box"] / (ours["touch"] + unpack)}  # fmt: skip


def page(facts):
    case = main_case(facts)
    bits = 8 * best_dense(case)["bytes"] / case["positions"]["elements"]
    bound = case["positions"]["bound"]
    introduction = INTRODUCTION.format(
        floor=bits / (24 + bound), floor_32=(bits + 4) / (32 + bound), **box_bound(case)
    )
    return "\n".join([HEAD, introduction, machine_line(facts) + ".\n",
                      "\n\n".join(map(markdown, tables(facts))), ""])  # fmt: skip


def renew(path, facts):
    """The section is the last one of the page."""
    before = path.read_text(encoding="utf-8").split(HEAD)[0].rstrip()
    path.write_text(f"{before}\n\n{page(facts)}", encoding="utf-8")
