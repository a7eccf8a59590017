"""docs/performance.md, made of what bench/table has measured."""

import statistics

import aims

HEAD = """# How fast

This page compares Stoa's speed and file sizes with those of DuckDB, Arrow, PyTables and h5py. It is written by
`bench/table --markdown docs/performance.md`. [bench/](../bench/README.md) says what is measured and how. The figures
hold for this machine and these versions; ratios carry over better than times.

{machine}

The data are {rows:,} synthetic events and 3,000,000 flights. There are {threads} threads, and files are open and in
memory. Each of {rounds} rounds has {times} runs, interleaved. Stoa's file has the default codec, min/max indexes
on the times and a sorted index on the id.

*Stoa* reads the file from a memory map (`stoa_open_options.map`), as Arrow IPC does. Files stay open, and each query
runs three times. *Stoa by pread* is a library that does not use the map. The command reads in this way, too: a whole
process reads each byte once, and mapping a page costs more than copying it.
"""


def table(rows):
    """Rows of cells as Markdown; the first row is the head."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + " --- |" + " ---: |" * (len(rows[0]) - 1))
    return "\n".join(lines) + "\n"


def number(value):
    return f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


def ms(value):
    return f"{1e3 * value:.2f}" if value < 0.01 else f"{1e3 * value:.0f}"


def met(facts):
    missed = [aim for aim in facts["aims"] if not aim["is_met"]]
    text = f"{len(facts['aims']) - len(missed)} of {len(facts['aims'])} aims are met"
    if not missed:
        return text + ".\n"
    return text + "; missed:\n\n" + table([["", "over", "ratio", "aim"]] + [
        [aim["what"], aim["against"], number(aim["ratio"]), f"{aim['aim']:.2f}"] for aim in missed
    ])  # fmt: skip


def questions(facts):
    seconds, limit = facts["seconds"], aims.limits(facts)
    rows = [["question", "Stoa, least ms", "median ms", "strongest peer", "its least ms", "Stoa/peer",
             "aim", "of the limit"]]  # fmt: skip
    for name, text in facts["questions"].items():
        ours = seconds["Stoa"][name]
        peer, theirs = aims.strongest(seconds, name)
        rows.append([f"{name} {text}", ms(min(ours)), ms(statistics.median(ours)), peer, ms(theirs),
                     number(min(ours) / theirs), f"{aims.QUESTIONS[name]:.2f}",
                     number(limit[name] / min(ours)) if name in limit else ""])  # fmt: skip
    return table(rows)


def indexed(facts):
    rows = [["with an index", "Stoa, least ms", "median ms", "strongest peer", "Stoa/peer", "aim"]]
    for name, ours in facts["indexed"].items():
        peer, theirs = aims.strongest(facts["seconds"], name)
        rows.append([f"{name} {facts['questions'][name]}", ms(min(ours)), ms(statistics.median(ours)),
                     peer, number(min(ours) / theirs), f"{aims.INDEXED[name]:.2f}"])  # fmt: skip
    return table(rows)


def pairs(facts, what, head, aim_of):
    """Of {question: (Stoa's seconds, DuckDB's)}."""
    rows = [[head, "Stoa, least ms", "median ms", "DuckDB, least ms", "median ms", "Stoa/DuckDB",
             "aim"]]  # fmt: skip
    for name, (ours, theirs) in facts[what].items():
        rows.append([name, ms(min(ours)), ms(statistics.median(ours)), ms(min(theirs)),
                     ms(statistics.median(theirs)), number(min(ours) / min(theirs)),
                     f"{aim_of(name):.2f}"])  # fmt: skip
    return table(rows)


def foreign(facts):
    rows = [["h5py's file", "Stoa, least ms",
             *(f"/ {peer} (aim {aim:.2f})" for peer, aim in aims.FOREIGN.items())]]  # fmt: skip
    for name, ours, theirs in aims.foreign(facts):
        rows.append([name, ms(ours), *(number(ours / took) for took in theirs.values())])
    return table(rows)


def everybody(facts, head, of):
    names = list(facts["seconds"])
    rows = [[head, *names]]
    for question in facts["questions"]:
        rows.append([question, *(ms(of(facts["seconds"][name][question])) for name in names)])
    return table(rows)


def writing(facts):
    rows = [["writing, durable", "least s", "median s", "Stoa/this", "aim"]]
    for name, times in facts["writing"].items():
        ours = min(next(iter(times.values())))
        for k, (who, values) in enumerate(times.items()):
            rows.append([f"{name}: {who}", f"{min(values):.2f}", f"{statistics.median(values):.2f}",
                         "" if k == 0 else number(ours / min(values)),
                         f"{aims.WRITING[who]:.2f}" if who in aims.WRITING else ""])  # fmt: skip
    return table(rows)


def sizes(facts):
    whole = facts["bytes"]["Parquet zstd"]
    return table([["bytes of the events", "MB", "of Parquet zstd", "aim"]] + [
        [name, f"{n / 1e6:.0f}", f"{n / whole:.2f}",
         f"{aims.BYTES[name]:.2f}" if name in aims.BYTES else ""]
        for name, n in facts["bytes"].items()
    ])  # fmt: skip


def codecs(facts):
    asked = list(next(iter(facts["codecs"].values()))["seconds"])
    rows = [["`--codec`", "bytes a row", "import s", *(f"{name} ms" for name in asked)]]
    for codec, of in facts["codecs"].items():
        rows.append([f"`{codec}`", f"{of['bytes'] / of['rows']:.2f}", f"{of['import']:.2f}",
                     *(ms(of["seconds"][name]) for name in asked)])  # fmt: skip
    return table(rows)


def limits(facts):
    rows = [["limit", "GB/s"]]
    rows += [[line["limit"], f"{line['gb_per_s']:.1f}"] for line in facts["limits"] if "limit" in line]
    for name in ("Q1", "Q5", "Q9"):
        speed = 4 * facts["rows"] / min(facts["seconds"]["Stoa"][name]) / 1e9
        rows.append([f"{name}: 4 bytes a row", f"{speed:.1f}"])
    return table(rows)


def decoders(facts):
    lines = [line for line in facts["limits"] if "decoder" in line]
    columns = list(dict.fromkeys(line["column"] for line in lines))
    rows = [["bytes a value / GB/s unpacked", *columns]]
    for codec in dict.fromkeys(line["decoder"] for line in lines):
        found = {line["column"]: line for line in lines if line["decoder"] == codec}
        rows.append([codec, *(
            f"{found[c]['bytes_per_value']:.2f} / {found[c]['gb_per_s']:.1f}" if c in found else ""
            for c in columns
        )])  # fmt: skip
    return table(rows)


def page(facts):
    m = facts["machine"]
    machine = (
        f"{facts['version']}; {m['processors']} x {m['processor']}, "
        f"{m['memory_bytes'] / 2**30:.0f} GiB, {m['system']}, {m['file_system']}, "
        f"load {m['load_at_start']} at the start."
    )
    parts = [
        HEAD.format(machine=machine, rows=facts["rows"], threads=facts["threads"],
                    rounds=facts["rounds"], times=facts["times"]),
        "![Stoa's time over its peers'](performance.svg)\n",
        "## Aims\n", met(facts),
        "## Questions\n", questions(facts),
        "*Of the limit* is the time to fetch the bytes of the columns from memory and decode them, by the limits\n"
        "below, divided by Stoa's time. It is above 1 if columns stay decoded in the processor's cache.\n",
        "With min/max bounds on the energy, and bitmaps on detector and label:\n", indexed(facts),
        "Without any index, neither here nor in DuckDB's own file:\n",
        pairs(facts, "scanned", "as a scan", aims.SCANNED.get),
        "Scans of a file that h5py wrote (gzip and shuffle, a dataset a column). The ratios are to DuckDB on\n"
        "Parquet and to h5py:\n", foreign(facts),
        "The least times of all, and the medians:\n", everybody(facts, "least ms", min),
        everybody(facts, "median ms", statistics.median),
        "## Whole commands\n", pairs(facts, "processes", "a whole process", aims.of_process),
        "## Writing and size\n", writing(facts), sizes(facts),
        "## Codecs\n",
        "A quarter of the events, imported with each codec and queried ([codecs.md](codecs.md)). Columns of so\n"
        "few rows stay decoded in memory once two queries have read them, so Q1 to Q7 hardly differ:\n",
        codecs(facts), "Decoders alone, on synthetic columns in chunks of 131,072 rows:\n",
        decoders(facts),
        "## The machine's limits\n", limits(facts),
    ]  # fmt: skip
    return "\n".join(parts)
