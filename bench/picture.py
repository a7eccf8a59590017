"""The summary of bench/modes as a picture: Stoa's time over each peer's, on a logarithmic scale."""

import math
import statistics

PEERS = [("DuckDB native", "#0072b2"), ("DuckDB Parquet", "#56b4e9"), ("Polars", "#009e73"), ("pyarrow", "#d55e00"),
         ("PyTables", "#cc79a7")]  # fmt: skip
LEFT, TOP, WIDTH, ROW, BOTTOM = 280, 64, 560, 24, 58
LEAST, MOST = 0.001, 10.0  # the scale's ends
INK, FAINT = "#333333", "#dddddd"


def place(ratio):
    """Where a ratio stands, from the left."""
    clamped = min(max(ratio, LEAST), MOST)
    return LEFT + WIDTH * math.log(clamped / LEAST) / math.log(MOST / LEAST)


def text(x, y, words, anchor="start", size=13, colour=INK):
    words = words.replace("&", "&amp;").replace("<", "&lt;")
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
            f'fill="{colour}">{words}</text>')  # fmt: skip


def line(x1, y1, x2, y2, colour, width=1):
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
            f'stroke-width="{width}"/>')  # fmt: skip


def ratios(questions, rows, under):
    """An SVG document: of {name: words} and {name: row of report.py}, with a line of text under it."""
    questions = list(questions.items())
    height = TOP + ROW * len(questions) + BOTTOM
    low = TOP + ROW * len(questions)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 30} {height}" '
        'font-family="sans-serif" role="img">',
        "<title>Stoa's time over that of its peers</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        text(20, 26, "Stoa's time over its peers' (left of the line: Stoa is faster)", size=15),
    ]
    x = 20
    for name, colour in PEERS:
        parts.append(f'<circle cx="{x + 5}" cy="43" r="5" fill="{colour}"/>')
        parts.append(text(x + 15, 48, name, size=12))
        x += 40 + 7 * len(name)
    for power in range(-3, 2):
        at = place(10.0**power)
        parts.append(line(at, TOP, at, low, INK if power == 0 else FAINT, 2 if power == 0 else 1))
        parts.append(text(at, low + 18, f"{10.0**power:g}", "middle", 12))
    for k, (name, words) in enumerate(questions):
        y = TOP + ROW * k + ROW / 2
        parts.append(text(20, y + 4, f"{name}  {words}", size=12))
        ours = statistics.median(rows[name].ours)
        found = [(ours / statistics.median(rows[name].theirs[peer]), colour) for peer, colour in PEERS
                 if peer in rows[name].theirs]  # fmt: skip
        parts.append(line(place(min(found)[0]), y, place(max(found)[0]), y, FAINT, 2))
        for ratio, colour in found:
            parts.append(f'<circle cx="{place(ratio):.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>')
    parts.append(text(20, height - 14, under, size=11))
    return "\n".join([*parts, "</svg>"]) + "\n"
