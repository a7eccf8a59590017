"""What pandas does, run in the peers' environment:

    in_pandas.py THREADS import|ask parquet|hdf5 [NUMBER]

The answer goes to stdout as CSV. The last line on stderr is the time that the work took once Python
and its libraries had started.
"""

import sys
import time
import warnings

import pandas as pd
import pyarrow
from pyarrow import fs
from questions import QUESTIONS

warnings.filterwarnings("ignore")
FILE = {"parquet": "pandas.parquet", "hdf5": "pandas.h5"}


def store(form):
    flights = pd.read_csv("flights.csv", parse_dates=["date"])
    if form == "parquet":
        flights.to_parquet(FILE[form], index=False)
    else:
        searched = ["date", "delay", "origin"]
        flights.to_hdf(FILE[form], key="f", mode="w", format="table", data_columns=searched)


def read_parquet(columns, filters):
    typed = [(c, op, pd.Timestamp(v) if c == "date" else v) for c, op, v in filters or []]
    local = fs.LocalFileSystem()  # a Python file may keep the process from ending (arrow#50482)
    return pd.read_parquet(
        FILE["parquet"], columns=columns, filters=typed or None, filesystem=local
    )


def read_hdf5(columns, filters):
    where = " & ".join(f"({c} {op} {v!r})" for c, op, v in filters or [])
    return pd.read_hdf(FILE["hdf5"], "f", columns=columns, where=where or None)


def show(answer):
    if isinstance(answer, pd.DataFrame):
        answer.to_csv(sys.stdout, index=False, header=False)
    else:
        print(",".join(repr(float(value)) for value in answer))


def main(threads, task, form, number=0):
    pyarrow.set_cpu_count(int(threads))
    began = time.perf_counter()
    if task == "import":
        store(form)
    else:
        show(QUESTIONS[int(number)].pandas(read_parquet if form == "parquet" else read_hdf5))
    print(time.perf_counter() - began, file=sys.stderr)


main(*sys.argv[1:])
