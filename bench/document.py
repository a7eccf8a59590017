"""docs/performance.md, made of what bench/table has measured."""

import statistics

HEAD = """# How fast

Made by `bench/table --markdown docs/performance.md`; [bench/](../bench/README.md) says what is measured
and how. The figures hold for this machine and these versions; ratios carry over better than times.

{machine}

{rows:,} synthetic events and 3,000,000 flights, {threads} threads, files open and in memory; {rounds} rounds
of three runs each, interleaved. Stoa's file has the default codec, min/max indexes on the times and a
sorted index on the id.

Stoa reads the file from a map in memory (`stoa_open_options.map`), as Arrow IPC does: files stay open,
and a question is asked three times. *Stoa by pread* is how a library reads that does not ask for the
map, and how the command reads: whole processes look at each byte once, and to map a page costs them
more than to copy it.
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


def questions(facts):
    seconds = facts["seconds"]
    peers = [name for name in seconds if not name.startswith("Stoa")]
    rows = [["question", "Stoa, least ms", "median ms", "strongest peer", "its least ms", "Stoa/peer",
             "aim"]]  # fmt: skip
    for name, text in facts["questions"].items():
        best = min(peers, key=lambda peer: min(seconds[peer][name]))
        ours, theirs = seconds["Stoa"][name], min(seconds[best][name])
        rows.append([f"{name} {text}", ms(min(ours)), ms(statistics.median(ours)), best, ms(theirs),
                     number(min(ours) / theirs), f"{facts['aims'][name]:.2f}"])  # fmt: skip
    return table(rows)


def indexed(facts):
    seconds = facts["seconds"]
    peers = [name for name in seconds if not name.startswith("Stoa")]
    rows = [["with an index", "Stoa, least ms", "median ms", "strongest peer", "Stoa/peer", "aim"]]
    for name, ours in facts["indexed"].items():
        best = min(peers, key=lambda peer: min(seconds[peer][name]))
        rows.append([f"{name} {facts['questions'][name]}", ms(min(ours)), ms(statistics.median(ours)),
                     best, number(min(ours) / min(seconds[best][name])),
                     f"{facts['indexed_aims'][name]:.2f}"])  # fmt: skip
    return table(rows)


def everybody(facts):
    names = list(facts["seconds"])
    rows = [["least ms", *names]]
    for question in facts["questions"]:
        rows.append([question, *(ms(min(facts["seconds"][name][question])) for name in names)])
    return table(rows)


def processes(facts):
    rows = [["a whole process, least ms", "Stoa", "DuckDB", "Stoa/DuckDB"]]
    for name, (ours, theirs) in facts["processes"].items():
        rows.append([name, ms(min(ours)), ms(min(theirs)), number(min(ours) / min(theirs))])
    return table(rows)


def writing(facts):
    rows = [["writing, durable", "least s", "Stoa/this", "aim"]]
    for name, times in facts["writing"].items():
        ours = min(next(iter(times.values())))
        for k, (who, values) in enumerate(times.items()):
            rows.append([f"{name}: {who}", f"{min(values):.2f}",
                         "" if k == 0 else number(ours / min(values)),
                         f"{facts['writing_aims'][who]:.2f}"
                         if who in facts["writing_aims"] else ""])  # fmt: skip
    return table(rows)


def sizes(facts):
    whole = facts["bytes"]["Parquet zstd"]
    return table([["bytes of the events", "MB", "of Parquet zstd"]] + [
        [name, f"{n / 1e6:.0f}", f"{n / whole:.2f}"] for name, n in facts["bytes"].items()
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
                    rounds=facts["rounds"]),
        "![Stoa's time over its peers'](performance.svg)\n",
        "## Questions\n", questions(facts),
        "Where the energy has min/max bounds, and detector and label have bitmaps:\n", indexed(facts),
        "Everybody's least times:\n", everybody(facts),
        "## Whole commands\n", processes(facts),
        "## Writing and size\n", writing(facts), sizes(facts),
        "## Codecs\n",
        "A quarter of the events, imported with each codec and asked ([codecs.md](codecs.md)). Columns "
        "of so few\nrows stay unpacked in memory once two questions have read them, so that Q1 to Q7 "
        "hardly differ:\n",
        codecs(facts), "Decoders alone, on made-up columns in chunks of 131,072 rows:\n",
        decoders(facts),
        "## The machine's limits\n", limits(facts),
    ]  # fmt: skip
    return "\n".join(parts)
