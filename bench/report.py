"""What was measured: rows of figures, beside their aims; as text at once, and as JSON for the page.

A row compares the median of Stoa's values with that of the strongest peer. The least value stands beside each:
the difference shows how much the machine was disturbed. A row whose answers differ is void, and says WRONG.
"""

import json
import os
import platform
import re
import statistics
from dataclasses import asdict, dataclass, field
from pathlib import Path

import aims

STOA = "Stoa"
HEAD = ["", "Stoa", "peer", "its", "ratio", "aim", "MB", "its MB", ""]


def first_line(path, pattern, otherwise="unknown"):
    try:
        found = re.search(pattern, Path(path).read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        found = None
    return found[1].strip() if found else otherwise


def file_system(path):
    """The type of the file system that holds `path`."""
    best, kind = "", "unknown"
    for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines():
        _, mount, fs, *_ = line.split()
        if (str(path) + "/").startswith(mount.rstrip("/") + "/") and len(mount) > len(best):
            best, kind = mount, fs
    return kind


def machine(scratch):
    memory = first_line("/proc/meminfo", r"^MemTotal: *(\d+)", "0")
    return {
        "processor": first_line("/proc/cpuinfo", r"^model name\s*: (.*)$", platform.machine()),
        "processors": len(os.sched_getaffinity(0)),
        "memory_bytes": int(memory) * 1024,
        "system": f"{platform.system()} {platform.release()}",
        "file_system": file_system(scratch),
        "load_at_start": round(os.getloadavg()[0], 2),
    }


def machine_line(m):
    return (f"{m['processors']} x {m['processor']}, {m['memory_bytes'] / 2**30:.0f} GiB, {m['system']}, "
            f"{m['file_system']}, load {m['load_at_start']} at the start")  # fmt: skip


def number(value):
    """A ratio, with two digits that count."""
    return f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


def shown(values, unit):
    """The median of values, and the least one where there are more."""
    scale, digits = {"s": (1, 3), "ms": (1e3, 2), "MB": (1e-6, 1)}[unit]
    middle, least = (f"{scale * f(values):.{digits}f}" for f in (statistics.median, min))
    return middle if len(values) == 1 else f"{middle} ({least})"


def lines(rows, left=1):
    """Rows of cells as aligned columns, the first `left` of them to the left."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    for row in rows:
        cells = [c.ljust(w) for c, w in zip(row[:left], widths)]
        cells += [c.rjust(w) for c, w in zip(row[left:], widths[left:])]
        yield "  " + "  ".join(cells).rstrip()


@dataclass
class Row:
    """Values of Stoa and of its peers: seconds, or bytes where the unit is MB."""

    section: str
    what: str
    ours: list
    theirs: dict  # {peer: values}
    unit: str = "s"
    memory: dict = field(default_factory=dict)  # {who: most bytes of its process}
    wrong: str = ""  # whose answer differs, and how
    also: dict = field(default_factory=dict)  # {who: values} of Stoa in another way
    why: str = ""  # a reason that was measured, for an aim that is missed

    @property
    def peer(self):
        """The strongest one."""
        return min(self.theirs, key=lambda who: statistics.median(self.theirs[who])) if self.theirs else ""

    @property
    def ratio(self):
        """Stoa's median over the strongest peer's; below 1, Stoa is the better."""
        return statistics.median(self.ours) / statistics.median(self.theirs[self.peer]) if self.theirs else None

    @property
    def aim(self):
        return aims.of(self.section, self.what)

    @property
    def verdict(self):
        if self.wrong:
            return "WRONG"
        if self.aim is None or self.ratio is None:
            return ""
        return "met" if self.ratio <= self.aim.most else "missed"

    def cells(self):
        """Of HEAD."""
        void = bool(self.wrong)
        memory = [f"{self.memory[who] / 1e6:.0f}" if who in self.memory else "" for who in (STOA, self.peer)]
        return [self.what, "void" if void else shown(self.ours, self.unit), self.peer,
                shown(self.theirs[self.peer], self.unit) if self.theirs else "",
                "" if void or self.ratio is None else number(self.ratio),
                number(self.aim.most) if self.aim else "", *memory, self.verdict]  # fmt: skip


class Report:
    """The rows of one program; each is shown when it is there."""

    def __init__(self, section, given, says):
        self.section, self.given, self.says = section, given, says
        self.rows = []
        self.extra = {}
        print(says, *lines([HEAD_WIDE]), sep="\n", flush=True)

    def add(self, what, ours, theirs, unit="s", memory=None, wrong="", also=None, why=""):
        row = Row(self.section, what, list(ours), {who: list(v) for who, v in theirs.items()}, unit,
                  memory or {}, wrong, also or {}, why)  # fmt: skip
        self.rows.append(row)
        cells = row.cells()
        cells[1] = f"{cells[1]} {unit}"
        print(*lines([cells_wide(cells)]), flush=True)
        if wrong:
            print(f"    WRONG: {wrong}", flush=True)
        return row

    def end(self):
        """The status of the program: 1 where an answer was wrong."""
        verdicts = [row.verdict for row in self.rows]
        print(f"{verdicts.count('met')} aims met, {verdicts.count('missed')} missed, {verdicts.count('WRONG')} wrong")
        if self.given.json:
            facts = {"section": self.section, "says": self.says, "rows": [asdict(row) for row in self.rows], **self.extra}
            self.given.json.write_text(json.dumps(facts, indent=1) + "\n")
        return 1 if "WRONG" in verdicts else 0


WIDTHS = [46, 20, 22, 18, 7, 6, 7, 7, 6]


def cells_wide(cells):
    """Of a width that is known before the cells are."""
    return [cells[0].ljust(WIDTHS[0])] + [c.rjust(w) for c, w in zip(cells[1:], WIDTHS[1:])]


HEAD_WIDE = cells_wide(["median (least)", *HEAD[1:]])
