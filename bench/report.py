"""What was measured, for people and for programs."""

import math
import os
import platform
import re
from pathlib import Path

from clock import own_memory

SIZES = {
    "flights.csv": "CSV",
    "flights.csv.gz": "CSV.gz (gzip -1)",
    "stoa.h5": "Stoa, with index",
    "plain.h5": "Stoa, without index",
    "duckdb.parquet": "DuckDB's Parquet",
    "native.duckdb": "DuckDB's own file",
    "pandas.parquet": "pandas' Parquet",
    "pandas.h5": "pandas' HDF5",
}


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


def sizes(scratch):
    return {name: (scratch / name).stat().st_size for name in SIZES}


def ratio(task, runner):
    """Stoa's least time over this one's: below 1, Stoa is the faster."""
    return task.stoa.least / runner.least


def as_json(tasks, facts):
    def runner_facts(task, runner):
        return {
            "name": runner.name,
            "is_limit": runner.is_limit,
            "seconds": runner.seconds,
            "seconds_after_start": runner.inside or None,
            "min": runner.least,
            "median": runner.middle,
            "stoa_over_this": ratio(task, runner),
            "peak_bytes": runner.peak,
        }

    return {
        **facts,
        "tasks": [
            {
                "kind": task.kind,
                "name": task.name,
                "csv_bytes": task.bytes or None,
                "runners": [runner_facts(task, runner) for runner in task.runners],
            }
            for task in tasks
        ],
    }


def seconds(value):
    return f"{value:.3f}" if value < 10 else f"{value:.2f}"


def peak(runner):
    """Its memory in MB; a child that takes less than we do seems to take as much."""
    own = own_memory()
    return f"<{own / 1e6:.0f}" if runner.peak <= own else f"{runner.peak / 1e6:.0f}"


def number(value):
    """A ratio, with two digits that count."""
    return f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


def lines(rows, left=1):
    """Rows of cells as aligned columns, the first `left` of them to the left."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    for row in rows:
        cells = [c.ljust(w) for c, w in zip(row[:left], widths)]
        cells += [c.rjust(w) for c, w in zip(row[left:], widths[left:])]
        yield "  " + "  ".join(cells).rstrip()


def task_lines(task):
    imports = task.kind == "import"
    rows = [["", "min s", "median s", "in it s", "MB/s" if imports else "", "peak MB", "Stoa/this"]]
    for runner in task.runners:
        rows.append([
            f"[{runner.name}]" if runner.is_limit else runner.name,
            seconds(runner.least),
            seconds(runner.middle),
            seconds(min(runner.inside)) if runner.inside else "",
            f"{task.bytes / runner.least / 1e6:.0f}" if imports else "",
            "" if runner.is_limit else peak(runner),
            "" if runner is task.stoa else number(ratio(task, runner)),
        ])  # fmt: skip
    # A column that says nothing is left out.
    kept = [k for k in range(len(rows[0])) if k == 0 or any(row[k] for row in rows[1:])]
    return lines([[row[k] for k in kept] for row in rows])


def summary(tasks):
    """The ratios of all queries, a column for each rival."""
    queries = [task for task in tasks if task.kind == "query"]
    names = [r.name for r in queries[0].runners if not (r.is_stoa or r.is_limit)]
    rows = [["", *names]]
    columns = []
    for task in queries:
        columns.append([ratio(task, r) for r in task.runners if r.name in names])
        rows.append([task.name, *map(number, columns[-1])])
    means = [math.exp(sum(map(math.log, c)) / len(c)) for c in zip(*columns)]
    rows.append(["geometric mean", *map(number, means)])
    return lines(rows)


def as_text(tasks, facts):
    m, v, disk = facts["machine"], facts["versions"], facts["sizes"]
    yield f"{v['stoa']} against {', '.join(v['peers'])}"
    yield (
        f"{m['processors']} x {m['processor']}, {m['memory_bytes'] / 2**30:.0f} GiB, "
        f"{m['system']}, "
        f"{m['file_system']}, load {m['load_at_start']} at the start"
    )
    yield (
        f"flights x{facts['times']}: {facts['rows']:,} rows, {disk['flights.csv'] / 1e6:.0f} MB of "
        f"CSV; {facts['rounds']} interleaved rounds, {facts['threads']} threads, files in memory"
    )
    for task in tasks:
        yield ""
        yield f"{task.kind}: {task.name}"
        yield from task_lines(task)
    yield ""
    yield "Stoa's time over theirs (least of each; below 1, Stoa is the faster)"
    yield from summary(tasks)
    yield ""
    yield "sizes"
    whole = disk["flights.csv"]
    rows = [[SIZES[n], f"{b / 1e6:.1f} MB", f"{100 * b / whole:.1f} %"] for n, b in disk.items()]
    yield from lines(rows)
