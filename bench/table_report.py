"""What bench/table has measured, as text."""

import statistics

import aims
import report


def milliseconds(value):
    return f"{1e3 * value:.3f}" if value < 0.1 else f"{1e3 * value:.1f}"


def question_lines(facts):
    limit = aims.limits(facts)
    rows = [["", "", "Stoa min", "median", "strongest peer", "min", "Stoa/peer", "aim", "of the limit"]]
    for name, words in facts["questions"].items():
        ours = facts["seconds"]["Stoa"][name]
        peer, theirs = aims.strongest(facts["seconds"], name)
        rows.append([name, words, milliseconds(min(ours)), milliseconds(statistics.median(ours)), peer,
                     milliseconds(theirs), report.number(min(ours) / theirs),
                     f"{aims.QUESTIONS[name]:.2f}",
                     f"{limit[name] / min(ours):.2f}" if name in limit else ""])  # fmt: skip
    return report.lines(rows, left=2)


def indexed_lines(facts):
    rows = [["", "Stoa min", "median", "strongest peer", "min", "Stoa/peer", "aim"]]
    for name, ours in facts["indexed"].items():
        peer, theirs = aims.strongest(facts["seconds"], name)
        rows.append([name, milliseconds(min(ours)), milliseconds(statistics.median(ours)), peer,
                     milliseconds(theirs), report.number(min(ours) / theirs),
                     f"{aims.INDEXED[name]:.2f}"])  # fmt: skip
    return report.lines(rows)


def pair_lines(pairs, aim_of):
    """Of {question: (Stoa's seconds, DuckDB's)}."""
    rows = [["", "Stoa min", "median", "DuckDB min", "median", "Stoa/DuckDB", "aim"]]
    for name, (ours, theirs) in pairs.items():
        rows.append([name, milliseconds(min(ours)), milliseconds(statistics.median(ours)),
                     milliseconds(min(theirs)), milliseconds(statistics.median(theirs)),
                     report.number(min(ours) / min(theirs)), f"{aim_of(name):.2f}"])  # fmt: skip
    return report.lines(rows)


def foreign_lines(facts):
    rows = [["", "Stoa", *(f"/ {peer} (aim {aim:.2f})" for peer, aim in aims.FOREIGN.items())]]
    for name, ours, theirs in aims.foreign(facts):
        rows.append([name, milliseconds(ours),
                     *(report.number(ours / took) for took in theirs.values())])  # fmt: skip
    return report.lines(rows)


def peer_lines(facts, of):
    names = list(facts["seconds"])
    yield from report.lines([["", *names]] + [
        [q, *(milliseconds(of(facts["seconds"][name][q])) for name in names)]
        for q in facts["questions"]
    ])  # fmt: skip


def writing_lines(facts):
    rows = [["", "", "min s", "median s", "Stoa/this", "aim"]]
    for name, times in facts["writing"].items():
        ours = min(next(iter(times.values())))
        for k, (who, seconds) in enumerate(times.items()):
            rows.append([name if k == 0 else "", who, f"{min(seconds):.3f}",
                         f"{statistics.median(seconds):.3f}",
                         "" if k == 0 else report.number(ours / min(seconds)),
                         f"{aims.WRITING[who]:.2f}" if who in aims.WRITING else ""])  # fmt: skip
    return report.lines(rows, left=2)


def size_lines(facts):
    rows = [["", "MB", "of Parquet zstd", "aim"]]
    for name, n in facts["bytes"].items():
        rows.append([name, f"{n / 1e6:.0f}", f"{n / facts['bytes']['Parquet zstd']:.2f}",
                     f"{aims.BYTES[name]:.2f}" if name in aims.BYTES else ""])  # fmt: skip
    return report.lines(rows)


def codec_lines(facts):
    asked = list(next(iter(facts["codecs"].values()))["seconds"])
    rows = [["", "bytes a row", "import s", *(f"{name} ms" for name in asked)]]
    for codec, of in facts["codecs"].items():
        rows.append([codec, f"{of['bytes'] / of['rows']:.2f}", f"{of['import']:.2f}",
                     *(milliseconds(of["seconds"][name]) for name in asked)])  # fmt: skip
    return report.lines(rows)


def limit_lines(facts):
    """Scans of one raw float column, beside what memory and the page cache give."""
    rows = [["", "GB/s"]]
    rows += [[line["limit"], f"{line['gb_per_s']:.1f}"] for line in facts["limits"] if "limit" in line]
    for name in ("Q1", "Q5", "Q9"):
        speed = 4 * facts["rows"] / min(facts["seconds"]["Stoa"][name]) / 1e9
        rows.append([f"{name}, 4 bytes a row", f"{speed:.1f}"])
    return report.lines(rows)


def aim_lines(facts):
    missed = [aim for aim in facts["aims"] if not aim["is_met"]]
    yield f"{len(facts['aims']) - len(missed)} of {len(facts['aims'])} aims are met"
    if missed:
        yield from report.lines([["missed", "over", "ratio", "aim"]] + [
            [aim["what"], aim["against"], report.number(aim["ratio"]), f"{aim['aim']:.2f}"]
            for aim in missed
        ], left=2)  # fmt: skip


def text(facts):
    machine = facts["machine"]
    parts = [
        [facts["version"],
         f"{machine['processors']} x {machine['processor']}, "
         f"{machine['memory_bytes'] / 2**30:.0f} GiB, {machine['system']}, "
         f"{machine['file_system']}, load {machine['load_at_start']} at the start",
         f"{facts['rows']:,} events, 3,000,000 flights; {facts['rounds']} rounds of {facts['times']} "
         f"runs each, {facts['threads']} threads, files open and in memory; milliseconds"],
        question_lines(facts),
        ["min/max on the energy, bitmaps on detector and label", *indexed_lines(facts)],
        ["without any index, DuckDB's own file", *pair_lines(facts["scanned"], aims.SCANNED.get)],
        ["everybody's least time", *peer_lines(facts, min)],
        ["everybody's median", *peer_lines(facts, statistics.median)],
        ["the file that h5py wrote", *foreign_lines(facts)],
        ["a whole process", *pair_lines(facts["processes"], aims.of_process)],
        ["writing, seconds", *writing_lines(facts)],
        ["bytes of the events", *size_lines(facts)],
        ["codecs, a quarter of the events", *codec_lines(facts)],
        ["limits, and scans beside them", *limit_lines(facts)],
        aim_lines(facts),
    ]  # fmt: skip
    return "\n\n".join("\n".join(part) for part in parts)
