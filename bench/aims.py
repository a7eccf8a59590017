"""What the work on speed set out for, and which of it is met: the figures of bench/table beside their aims."""

from dataclasses import dataclass

# Files open: Stoa's least time over that of the strongest peer.
QUESTIONS = {"Q1": 0.25, "Q1b": 0.11, "Q2": 0.10, "Q3": 0.05, "Q4": 0.20, "Q5": 0.40, "Q6": 0.25,
             "Q7": 0.30, "Q8": 0.30, "Q9": 0.12, "Q10": 0.15, "F1": 0.25, "F2": 0.20, "F3": 0.25,
             "F4": 0.15}  # fmt: skip
# With the indexes that answer a question.
INDEXED = {"Q4": 0.05, "Q9": 0.01}
# Without any, over DuckDB's scan.
SCANNED = {"Q10": 0.15}
# Whole commands, over DuckDB's; Q3 is "Q3c" there.
PROCESS, PROCESSES = 0.15, {"Q3": 0.10, "Q8": 0.30}
# Writing, each against the peer it was set for.
WRITING = {"DuckDB to Parquet": 0.60, "pyarrow to Parquet": 0.60, "PyTables, with its indexes": 0.7,
           "PyTables, without index": 0.7, "DuckDB ART": 0.15, "PyTables CSI": 0.10}  # fmt: skip
# Bytes on disk over those of Parquet with Zstandard.
BYTES = {"Stoa": 0.85, "Stoa, --codec small": 0.75}
# Scans of the file that h5py wrote, over what others take: DuckDB of Parquet, h5py of the same file.
FOREIGN = {"DuckDB, Parquet snappy": 0.60, "h5py": 0.15}
SCANS = ("Q1", "Q1b", "Q2", "Q4", "Q5", "Q6", "Q7", "Q8", "Q9", "Q10", "F1", "F2", "F3", "F4")

# Columns that a scan must unpack, by the names and codecs of bench_decoders, and bytes of a value.
UNPACKED = {"Q1": [("energy", "none", 4)], "Q1b": [("energy", "none", 4)],
            "Q4": [("detector", "scale-offset", 2), ("label", "scale-offset", 1),
                   ("energy", "none", 4)],
            "Q5": [("energy", "none", 4)],
            "Q6": [("detector", "scale-offset", 2), ("label", "scale-offset", 1),
                   ("energy", "none", 4)],
            "Q7": [("name code", "scale-offset", 4)],
            "Q8": [("energy", "none", 4), ("id", "scale-offset", 8), ("time", "scale-offset", 8),
                   ("detector", "scale-offset", 2), ("label", "scale-offset", 1)],
            "Q9": [("energy", "none", 4)]}  # fmt: skip


@dataclass(frozen=True)
class Aim:
    what: str
    against: str
    ratio: float
    aim: float

    @property
    def is_met(self):
        return self.ratio <= self.aim


def strongest(seconds, question):
    """(name, seconds) of the peer with the least time, Stoa's own left out."""
    others = {name: min(of[question]) for name, of in seconds.items() if not name.startswith("Stoa")}
    return min(others.items(), key=lambda item: item[1])


def of_process(question):
    return PROCESSES.get(question, PROCESS)


def foreign(facts):
    """(question, Stoa's seconds, {peer: its seconds}) for h5py's file."""
    seconds = facts["seconds"]
    for name in SCANS:
        yield (name, min(seconds["Stoa on h5py's file"][name]),
               {peer: min(seconds[peer][name]) for peer in FOREIGN})  # fmt: skip


def limits(facts):
    """{scan: the seconds that its bytes take, the slower of getting them from memory and unpacking}."""
    lines = facts["limits"]
    memory = next(line["gb_per_s"] for line in lines if line.get("limit") == "memcpy")
    speed = {(line["column"], line["decoder"]): line for line in lines if "decoder" in line}
    found = {}
    for name, columns in UNPACKED.items():
        ns = 0.0
        for column, decoder, size in columns:
            line = speed[column, decoder]
            ns += max(size / line["gb_per_s"], line["bytes_per_value"] / memory)
        found[name] = facts["rows"] * ns / 1e9
    return found


def every(facts):
    """All that has an aim."""
    seconds = facts["seconds"]
    for name, aim in QUESTIONS.items():
        peer, theirs = strongest(seconds, name)
        yield Aim(name, peer, min(seconds["Stoa"][name]) / theirs, aim)
    for name, aim in INDEXED.items():
        peer, theirs = strongest(seconds, name)
        yield Aim(f"{name} by index", peer, min(facts["indexed"][name]) / theirs, aim)
    for name, (ours, theirs) in facts["scanned"].items():
        yield Aim(f"{name} as a scan", "DuckDB native, no index", min(ours) / min(theirs),
                  SCANNED[name])  # fmt: skip
    for name, (ours, theirs) in facts["processes"].items():
        yield Aim(f"{name}, the command", "DuckDB's", min(ours) / min(theirs), of_process(name))
    for name, times in facts["writing"].items():
        ours = min(next(iter(times.values())))
        for who, values in times.items():
            if who in WRITING:
                yield Aim(name.split(":")[0], who, ours / min(values), WRITING[who])
    for name, aim in BYTES.items():
        whole = facts["bytes"]["Parquet zstd"]
        yield Aim(f"bytes, {name}", "Parquet zstd", facts["bytes"][name] / whole, aim)
    for name, ours, theirs in foreign(facts):
        for peer, took in theirs.items():
            yield Aim(f"{name}, h5py's file", peer, ours / took, FOREIGN[peer])
