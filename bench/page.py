"""docs/performance.md, made of what every bench has measured."""

import aims
from report import STOA, Row, machine_line, number, shown

HEAD = """# How fast

This page compares Stoa's speed, memory and file sizes with those of other programs. It is written by
`{command}`. [bench/](../bench/README.md) says what is measured and how.

- {machine}
- {versions}
- The data are {scale} of the full size. Each table says how many rows. The run took {minutes:.0f} minutes.

A figure is a median, and the least time stands beside it in brackets. *Ratio* is Stoa's median over that of the strongest
peer in the row. Below 1, Stoa is better. Programs run in turn, with two threads each. The answers of all are
compared, and a row with a wrong one is void and says WRONG. Ratios carry over to other machines better than times.
"""

TITLES = {"modes": "Questions", "groups": "Groups and different values", "sorts": "Sorts", "texts": "Text",
          "writing": "Writing", "edits": "Edits", "storage": "Bytes and scans of columns", "functions": "Functions",
          "tpch": "TPC-H, by `stoa sql`", "layouts": "A table of PyTables", "python": "From Python", "lists": "Lists", "lh5": "LEGEND's files", "sparse": "Sparse arrays"}  # fmt: skip
BRIEF = {"storage", "functions", "tpch"}  # of these the page shows what is whole, missed or wrong
MODES = {"whole process cold": "cold process", "whole process warm": "warm process", "first question": "first",
         "the same again": "again", "new constants": "new constants", "all in turn": "all in turn"}  # fmt: skip
PEERS = ("DuckDB native", "DuckDB Parquet", "Polars", "pyarrow", "PyTables")
MAPPED = "Stoa by map"


def table(rows):
    """Rows of cells as Markdown; the first row is the head."""
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    lines.insert(1, "|" + " --- |" + " ---: |" * (len(rows[0]) - 1))
    return "\n".join(lines) + "\n"


def rows_of(section):
    return [Row(**row) for row in section["rows"]]


def reason(row):
    return row.wrong or "; ".join(filter(None, (row.why, row.aim.why)))


# --- aims --------------------------------------------------------------------------------------------------------


def judged(sections):
    """Rows that have an aim, and aims that no row has."""
    rows = [row for section in sections for row in rows_of(section) if row.aim or row.wrong]
    names = {section["section"] for section in sections}
    found = {id(row.aim) for row in rows}
    return rows, [aim for aim in aims.EVERY if aim.section not in names or id(aim) not in found]


def aim_table(sections):
    rows, rest = judged(sections)
    verdicts = [row.verdict for row in rows]
    parts = [f"{verdicts.count('met')} aims are met, {verdicts.count('missed')} are missed"
             + (f", and {verdicts.count('WRONG')} rows are void" if "WRONG" in verdicts else "") + ". Missed:\n"]  # fmt: skip
    cells = [["", "over", "ratio", "aim", "where the time goes"]]
    cells += [[f"{row.section}: {row.what}", row.peer, "WRONG" if row.wrong else number(row.ratio),
               number(row.aim.most) if row.aim else "", reason(row)] for row in rows if row.verdict != "met"]  # fmt: skip
    parts.append(table(cells))
    if rest:
        parts.append("Not measured in this run: " + "; ".join(f"{aim.section}: {aim.what}" for aim in rest) + ".\n")
    return "\n".join(parts)


# --- questions ---------------------------------------------------------------------------------------------------


def by_mode(section):
    """{mode: {question: row}}"""
    found = {mode: {} for mode in MODES}
    for row in rows_of(section):
        name, _, mode = row.what.partition(", ")
        if mode in found:
            found[mode][name] = row
    return found


def ms(values):
    return shown(values, "ms") if values else ""


def cell(row, who):
    values = row.ours if who == STOA else {**row.theirs, **row.also}.get(who)
    return "void" if row.wrong and who == STOA else ms(values)


def whole_process(section, of):
    rows = [["a whole process, warm, ms", STOA, "DuckDB native", "DuckDB Parquet", "ratio", "aim", "Stoa MB", "DuckDB MB"]]
    for name, row in of["whole process warm"].items():
        memory = [f"{row.memory[who] / 1e6:.0f}" for who in (STOA, "DuckDB native")]
        rows.append([f"{name} {section['questions'][name]}", *(cell(row, who) for who in (STOA, *PEERS[:2])),
                     "WRONG" if row.wrong else number(row.ratio), number(row.aim.most) if row.aim else "", *memory])  # fmt: skip
    return table(rows)


def new_constants(of):
    rows = [["new constants, files open, ms", STOA, MAPPED, *PEERS, "ratio"]]
    for name, row in of["new constants"].items():
        rows.append([name, *(cell(row, who) for who in (STOA, MAPPED, *PEERS)), "WRONG" if row.wrong else number(row.ratio)])
    return table(rows)


def every_mode(of, title, pick):
    rows = [[title, *MODES.values()]]
    for name in of["new constants"]:
        rows.append([name, *(pick(of[mode][name]) for mode in MODES)])
    return table(rows)


def strongest(row):
    return f"{ms(row.theirs[row.peer])} {row.peer}"


def questions(section):
    of = by_mode(section)
    return "\n".join([
        whole_process(section, of),
        "The command reads by `pread`. Memory is the peak of the whole process. The bench itself takes "
        f"{section['own_bytes'] / 1e6:.0f} MB,\nand no process is seen to take less.\n",
        new_constants(of),
        "*Stoa* reads by `pread`, as it does by default. *Stoa by map* is `map=True`. Both are asked through Python, as all\n"
        "peers are, and the answer is an Arrow table. Polars is asked in SQL.\n",
        "The same questions in six modes. Before a cold process the data files leave the page cache by `posix_fadvise`. The\n"
        "programs stay in memory. *First* is the first question of a process that has just opened the tables. *All in turn*\n"
        "asks all questions on one handle, with new constants.\n",
        every_mode(of, "Stoa, ms", lambda row: cell(row, STOA)),
        every_mode(of, "Stoa by map, ms", lambda row: cell(row, MAPPED)),
        every_mode(of, "the strongest peer, ms", strongest),
        every_mode(of, "ratio", lambda row: "WRONG" if row.wrong else number(row.ratio)),
    ])  # fmt: skip


# --- the rest ----------------------------------------------------------------------------------------------------


def is_shown(row):
    return row.section not in BRIEF or row.verdict in ("missed", "WRONG") or "whole" in row.what or row.what.startswith(("22", "1 %"))


def plain(section):
    rows = rows_of(section)
    cells = [["", "Stoa", "peer", "its", "ratio", "aim", "Stoa MB", "its MB", ""]]
    for row in rows:
        if is_shown(row):
            one = row.cells()
            one[1], one[3] = (f"{text} {row.unit}" if text and text != "void" else text for text in (one[1], one[3]))
            cells.append(one)
    hidden = len(rows) - len(cells) + 1
    return table(cells) + (f"\n{hidden} more rows meet their aims or have none.\n" if hidden else "")


def page(facts):
    sections = facts["sections"]
    parts = [HEAD.format(machine=machine_line(facts["machine"]), versions=facts["versions"], command=facts["command"],
                         minutes=facts["seconds"] / 60, scale=f"{facts['scale']:g}")]  # fmt: skip
    first = next((section for section in sections if section["section"] == "modes"), None)
    if first:
        parts += ["![Stoa's time over its peers'](performance.svg)\n", "## Questions\n", about(first), questions(first)]
    parts += ["## Aims\n", aim_table(sections)]
    for section in sections:
        if section is not first:
            parts += [f"## {TITLES[section['section']]}\n", about(section), plain(section)]
    return "\n".join(parts)


def about(section):
    """The rows and rounds of a section, and the load before it."""
    machine, _, rest = section["says"].partition("\n")
    return f"{rest[0].upper()}{rest[1:]}. The load before it was {machine.rsplit('load ', 1)[1].split()[0]}. It took {section['seconds']:.0f} s.\n"


def in_picture(facts):
    """The questions, and their rows with new constants, for picture.py; None: they were not asked."""
    for section in facts["sections"]:
        if section["section"] == "modes":
            rows = {name: row for name, row in by_mode(section)["new constants"].items() if not row.wrong}
            return {name: section["questions"][name] for name in rows}, rows
    return None


