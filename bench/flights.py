"""The data: a real half-year of flights, repeated with its dates moved on, so that time stays in
order and nothing else changes."""

import datetime
import gzip
import os
import re

DAY = re.compile(rb"\n(\d{4}-\d\d-\d\d)T")


def by_day(text):
    """Cut lines into [(day, the text of its lines)], each text beginning with its line break."""
    cuts = {}
    for match in DAY.finditer(text):
        cuts.setdefault(match[1], match.start())
    starts = list(cuts.values()) + [len(text)]
    return [
        (datetime.date.fromisoformat(day.decode()), text[starts[k] : starts[k + 1]])
        for k, day in enumerate(cuts)
    ]


def write(source, times, csv, csv_gz):
    """Write `source`, a .csv.gz in order of its first column, `times` over; the number of rows."""
    with gzip.open(source) as file:
        header, text = file.read().rstrip(b"\n").split(b"\n", 1)
    days = by_day(b"\n" + text)
    first, last = days[0][0], days[-1][0]
    # A repetition may begin on the day on which the one before ends, if it is later in the day.
    opens, closes = text[11:19], text[text.rindex(b"\n") + 12 :][:8]
    period = (last - first).days + (closes > opens)
    rows = (text.count(b"\n") + 1) * times

    with open(csv, "wb") as plain, gzip.open(csv_gz, "wb", compresslevel=1) as packed:
        for file in (plain, packed):
            file.write(header)
        for k in range(times):
            moved = datetime.timedelta(days=k * period)
            for day, lines in days:
                old, new = (b"\n%sT" % d.isoformat().encode() for d in (day, day + moved))
                lines = lines.replace(old, new)
                plain.write(lines)
                packed.write(lines)
        for file in (plain, packed):
            file.write(b"\n")
    return rows, os.path.getsize(csv)
