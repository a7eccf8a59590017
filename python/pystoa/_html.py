"""What notebooks show: files, tables and queries as HTML. Every text of a file is escaped."""

from __future__ import annotations

import html
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from ._errors import Error
from ._values import is_number, shown, time, units_of

if TYPE_CHECKING:
    from ._files import File
    from ._query import Query
    from ._table import Table

MAX_COLUMNS = 40  # in a list of columns; of rows a quarter of that
MAX_ROWS = 5  # at the beginning, and at the end
BINS = 24
BLOCKS = 4 * BINS  # of rows, over the whole table
SAMPLE = BLOCKS * 40  # rows
SECONDS = 1.0  # for the samples of all columns

_LIGHT = "--ink:#1f2328;--dim:#656d76;--line:#d8dee4;--back:#ffffff;--head:#f6f8fa;--bar:#3b7dd8;"
_DARK = "--ink:#e6edf3;--dim:#9198a1;--line:#30363d;--back:#14181d;--head:#1c2128;--bar:#6ea8fe;"
# Notebooks that say which theme they have are asked before the system.
_STYLE = (
    f".pystoa{{{_LIGHT}color-scheme:light}}"
    f"@media(prefers-color-scheme:dark){{.pystoa{{{_DARK}color-scheme:dark}}}}"
    f'[data-jp-theme-light="true"] .pystoa{{{_LIGHT}color-scheme:light}}'
    f'[data-jp-theme-light="false"] .pystoa{{{_DARK}color-scheme:dark}}'
    ".pystoa{color:var(--ink);background:var(--back);border:1px solid var(--line);border-radius:6px;"
    "padding:10px 14px;font:13px/1.45 system-ui,sans-serif;display:inline-block;max-width:100%;"
    "box-sizing:border-box;overflow-x:auto}"
    ".pystoa p{margin:0 0 8px}.pystoa b{font-weight:600}.pystoa .dim{color:var(--dim)}"
    ".pystoa p.title{font-size:15px;margin-bottom:2px}"
    ".pystoa table{border-collapse:collapse;margin:0 0 8px;font-size:12px;color:inherit}"
    ".pystoa th,.pystoa td{padding:3px 10px;text-align:left;border:0;border-bottom:1px solid "
    "var(--line);white-space:nowrap;background:none;vertical-align:middle}"
    ".pystoa tr{background:none}"
    ".pystoa th{background:var(--head);font-weight:600;color:inherit}"
    ".pystoa th small{font-weight:400;color:var(--dim);font-size:11px}"
    ".pystoa td.n,.pystoa th.n{text-align:right;font-variant-numeric:tabular-nums}"
    ".pystoa td.text{white-space:normal;max-width:22em}"
    ".pystoa code{font:12px ui-monospace,monospace;background:none;color:inherit;padding:0}"
    ".pystoa pre{font:12px/1.4 ui-monospace,monospace;background:var(--head);color:inherit;"
    "padding:6px 10px;margin:4px 0;overflow-x:auto}"
    ".pystoa summary{cursor:pointer;color:var(--dim)}"
    ".pystoa svg{display:block}.pystoa svg rect{fill:var(--bar)}"
)


# --- parts ---------------------------------------------------------------------------------------


def _text(value: object) -> str:
    return html.escape(str(value), quote=True)


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _bytes(n: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if n < 1000:
            return f"{n:.3g} {unit}"
        n /= 1000
    return f"{n:.3g} TB"


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}".replace(",", "\u2009")


def _box(*parts: str) -> str:
    return f'<div class="pystoa"><style>{_STYLE}</style>{"".join(parts)}</div>'


def _row(cells: Iterable[str]) -> str:
    return f"<tr>{''.join(cells)}</tr>"


def _th(content: str, is_number: bool = False) -> str:
    return f'<th class="n">{content}</th>' if is_number else f"<th>{content}</th>"


def _td(content: str, kind: str = "") -> str:
    return f'<td class="{kind}">{content}</td>' if kind else f"<td>{content}</td>"


def _cell(value: Any) -> str:
    """A value of a row, as HTML."""
    if value is None:
        return '<span class="dim">—</span>'
    if isinstance(value, float):
        return _text(f"{value:.6g}")
    if isinstance(value, list):
        more = ", …" if len(value) > 4 else ""
        return f"[{', '.join(_cell(item) for item in value[:4])}{more}]"
    if isinstance(value, dict):
        items = list(value.items())
        more = ", …" if len(items) > 4 else ""
        return f"{{{', '.join(f'{_text(_short(key, 20))}: {_cell(item)}' for key, item in items[:4])}{more}}}"
    if isinstance(value, bytes):
        return _text(_short(value.hex(" "), 36))
    return _text(_short(str(value), 36))


def _is_time(field: Any) -> bool:
    return field.dictionary is None and field.format.startswith("t")


# --- histograms ----------------------------------------------------------------------------------


class Bar(NamedTuple):
    height: int  #: values
    label: str


def _value(field: Any, value: Any) -> str:
    if _is_time(field):
        try:
            return str(time(field.format, round(value)))
        except ValueError:
            return f"{round(value)}"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _bins(field: Any, values: Sequence[Any]) -> list[Bar]:
    """Bars over the range that holds all but a hundredth of the values, which the end bars have."""
    ordered = sorted(values)
    low, high = ordered[len(ordered) // 200], ordered[-1 - len(ordered) // 200]
    if low == high:
        low, high = ordered[0], ordered[-1]
    if low == high:
        return [Bar(len(ordered), _value(field, low))]
    n, width = BINS, high / BINS - low / BINS  # the difference itself may be infinite
    if isinstance(low, int):
        width = -(-(high - low + 1) // BINS)
        n = -(-(high - low + 1) // width)
    counts = [0] * n
    for value in ordered:
        inside = max(low, min(high, value))
        at = (inside - low) // width if isinstance(low, int) else inside / width - low / width
        counts[min(n - 1, int(at))] += 1
    edges = [low + i * width for i in range(n + 1)]
    return [Bar(n, f"{_value(field, a)} to {_value(field, b)}") for n, a, b in zip(counts, edges, edges[1:])]


def bars(field: Any, values: Sequence[Any]) -> list[Bar]:
    """A histogram of values that are there: bins of numbers and times, or single values."""
    if is_number(field) or _is_time(field):
        finite = [value for value in values if math.isfinite(value)]
        if not finite:
            return []
        distinct = Counter(finite)
        if len(distinct) > BINS:
            return _bins(field, finite)
        return [Bar(distinct[value], _value(field, value)) for value in sorted(distinct)]
    most = Counter(values).most_common(BINS)
    return [Bar(n, _short(str(value), 60)) for value, n in most]


def _svg(found: list[Bar]) -> str:
    """A small histogram. Each bar tells on hovering what it stands for."""
    if not found:
        return ""
    most = max(bar.height for bar in found) or 1
    step = min(12.0, 120 / len(found))
    rects = []
    for i, bar in enumerate(found):
        height = max(1.0, 26 * bar.height / most) if bar.height else 0
        title = f"<title>{_text(f'{bar.label}: {bar.height}')}</title>"
        rects.append(f'<rect x="{i * step:.4g}" y="{27 - height:.4g}" width="{step * 0.85:.4g}" '
                     f'height="{height:.4g}">{title}</rect>')  # fmt: skip
    return (f'<svg width="120" height="27" viewBox="0 0 120 27" role="img" '
            f'aria-label="histogram of a sample">{"".join(rects)}</svg>')  # fmt: skip


def _plain(column: Any) -> list[Any]:
    """The values of an Array that are there; times as their ticks."""
    field = column.schema
    if not is_number(field) and not _is_time(field):
        return [value for value in column.to_list() if value is not None]
    try:
        values = memoryview(column).tolist()
    except (NotImplementedError, BufferError):  # float16 before Python 3.12
        return [value for value in column.to_list() if value is not None]
    mask = column._mask()
    return values if mask is None else [value for value, gone in zip(values, mask) if not gone]


def sample(table: Table, name: str, rows: int) -> list[Any]:
    """Values of a column, of blocks of rows that are spread over the table."""
    column = table[name]
    if rows <= SAMPLE:
        return _plain(column.read(0, rows))
    size = SAMPLE // BLOCKS
    values = []
    for i in range(BLOCKS):
        first = (rows - size) * i // (BLOCKS - 1)
        values += _plain(column.read(first, first + size))
    return values


def _samples(table: Table, fields: list[Any], rows: int) -> dict[str, list[Any]]:
    """Samples of as many columns as there is time for."""
    found: dict[str, list[Any]] = {}
    end = monotonic() + SECONDS
    for field in fields[:MAX_COLUMNS]:
        if rows and _has_histogram(field) and monotonic() < end:
            found[field.name] = sample(table, field.name, rows)
    return found


def _has_histogram(field: Any) -> bool:
    return is_number(field) or _is_time(field) or field.dictionary is not None or field.format == "b"


def _range(field: Any, values: Sequence[Any]) -> str:
    """The smallest and the largest value of a sample."""
    if not values or not (is_number(field) or _is_time(field)):
        return ""
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        return ""
    low, high = _value(field, min(finite)), _value(field, max(finite))
    return _text(low if low == high else f"{low} … {high}")


# --- tables --------------------------------------------------------------------------------------


def _schema(fields: list[Any], indexes: dict[str, list[str]], samples: dict[str, list[Any]]) -> str:
    """The columns, one a line; columns of the list that say nothing are left out."""
    listed = fields[:MAX_COLUMNS]
    has_units = any(units_of(field) for field in listed)
    has_words = any(field.description for field in listed)
    heads = [_th("column"), _th("type")]
    heads += [_th("units")] if has_units else []
    heads += [_th("description")] if has_words else []
    heads += [_th("index")] if indexes else []
    heads += [_th("sample"), _th("from … to")] if samples else []
    lines = []
    for field in listed:
        cells = [_td(f"<b>{_text(_short(field.name, 60))}</b>"), _td(f"<code>{_text(field.type)}</code>")]
        cells += [_td(_text(units_of(field) or ""))] if has_units else []
        cells += [_td(_text(_short(field.description or "", 200)), "text")] if has_words else []
        cells += [_td(_text(", ".join(indexes.get(field.name, []))))] if indexes else []
        if samples:
            values = samples.get(field.name, [])
            cells += [_td(_svg(bars(field, values))), _td(_range(field, values), "dim")]
        lines.append(_row(cells))
    more = ""
    if len(fields) > len(listed):
        more = f'<p class="dim">and {_count(len(fields) - len(listed), "column")} more</p>'
    return f"<table>{_row(heads)}{''.join(lines)}</table>{more}"


def _rows(fields: list[Any], numbers: list[int], columns: list[list[Any]], gap: int | None,
          has_more: bool) -> str:  # fmt: skip
    """Rows with their numbers; `gap` is the place of what lies between."""
    heads = [_th("")]
    for field in fields:
        units = f" <small>{_text(units_of(field))}</small>" if units_of(field) else ""
        heads.append(_th(_text(_short(field.name, 30)) + units, is_number(field)))
    heads += [_th("…")] if has_more else []
    lines = [_row(heads)]
    for i, number in enumerate(numbers):
        if i == gap:
            lines.append(_row(_td('<span class="dim">⋮</span>') for _ in heads))
        cells = [_td(str(number), "n dim")]
        cells += [_td(_cell(values[i]), "n" if is_number(field) else "") for field, values in zip(fields, columns)]
        lines.append(_row([*cells, _td("")] if has_more else cells))
    return f"<table>{''.join(lines)}</table>"


def _ends(table: Table, fields: list[Any], rows: int) -> str:
    """The first rows, and the last ones."""
    first = fields[: MAX_COLUMNS // 4]
    head = min(rows, MAX_ROWS) if rows > 2 * MAX_ROWS else rows
    tail = min(rows - head, MAX_ROWS)
    numbers = [*range(head), *range(rows - tail, rows)]
    columns = []
    for field in first:
        column = table[field.name]
        values = shown(column.read(0, head))
        columns.append(values + (shown(column.read(rows - tail, rows)) if tail else []))
    return _rows(first, numbers, columns, head if tail else None, len(fields) > len(first))


def _problem(error: Exception) -> str:
    return f'<p class="dim">The values cannot be read: {_text(error)}</p>'


def _or_problem(what: str, show: Callable[[], str]) -> str:
    """What is shown of an object, or why nothing can be."""
    try:
        return show()
    except Error as error:
        return _box(f'<p class="title"><b>{_text(what)}</b></p>', _problem(error))


def _closed(path: str) -> str:
    return _box(f'<p class="title"><b>{_text(path)}</b> <span class="dim">closed</span></p>')


def table(of: Table) -> str:
    """A table: its columns with histograms of a sample, its first rows and its last ones."""
    return _closed(of.path) if of.closed else _or_problem(of.path, lambda: _table(of))


def _table(of: Table) -> str:
    fields, rows = list(of.schema), len(of)
    title = f"<p>{_text(_short(of.title, 200))}</p>" if of.title else ""
    head = (f'<p class="title"><b>{_text(of.object)}</b> <span class="dim">in {_text(of.path)}</span></p>'
            f'<p class="dim">{_count(rows, "row")}, {_count(len(fields), "column")}, '
            f"{_text(of.layout)}{_count_files(of)}</p>{title}")  # fmt: skip
    try:
        indexes: dict[str, list[str]] = {}
        for index in of.indexes:
            indexes.setdefault(index["column"], []).append(_kind(index["kind"]))
        samples = _samples(of, fields, rows)
        body = _schema(fields, indexes, samples) + (_ends(of, fields, rows) if rows else "")
        size = f"a sample of {_count(SAMPLE, 'row')}" if rows > SAMPLE else "all rows"
        if samples:
            body += f'<p class="dim" style="margin:0">Histograms and ranges are of {size}.</p>'
    except Error as error:
        body = _schema(fields, {}, {}) + _problem(error)
    return _box(head, body)


def _count_files(of: Table) -> str:
    return f", {_count(len(of.files), 'file')}" if len(of.files) > 1 else ""


def _kind(kind: str) -> str:
    """The KIND of an index as add_index() takes it."""
    return kind.rpartition("_")[2].lower() if kind.isupper() else kind


# --- queries and files ---------------------------------------------------------------------------


def query(of: Query) -> str:
    """A query: the columns of its result, its first rows, and its plan."""
    asked: Any = of.table
    return _or_problem(f"Query of {asked.path}", lambda: _query(of, asked))


def _query(of: Query, asked: Any) -> str:
    head = f'<p class="title"><b>Query</b> <span class="dim">of {_text(asked._place)}</span></p>'
    fields = list(of.schema)
    with of.read() as reader:
        batch = next(reader, None)
    n = 0 if batch is None else min(len(batch), 2 * MAX_ROWS)
    first = fields[: MAX_COLUMNS // 4]
    body = _schema(fields, {}, {})
    if batch is None or n == 0:
        body += '<p class="dim">no rows</p>'
    else:
        columns = [shown(batch[field.name][:n]) for field in first]
        body += _rows(first, list(range(n)), columns, None, len(fields) > len(first))
        if len(batch) > n:
            body += f'<p class="dim">the first {n} rows of the result</p>'
    plan = f"<details><summary>plan</summary><pre>{_text(of.explain())}</pre></details>"
    return _box(head, body, plan)


def file(of: File) -> str:
    """A file: its tables and its arrays."""
    return _closed(of.path) if of.closed else _or_problem(of.path, lambda: _file(of))


def _file(of: File) -> str:
    tables, arrays = of._everything()
    counts = [_count(len(tables), "table"), *([_count(len(arrays), "array")] if arrays else [])]
    head = f'<p class="title"><b>{_text(of.path)}</b></p><p class="dim">{", ".join(counts)}</p>'
    lines = [_row([_th("object"), _th("layout"), _th("rows", True), _th("columns", True), _th("size", True)])]
    for one in tables[: 5 * MAX_COLUMNS]:
        name = _td(f"<b>{_text(one.path)}</b>")
        if one.kind == "unreadable":
            problem = f'<td class="dim" colspan="4">{_text(_short(one.problem or "", 200))}</td>'
            lines.append(_row([name, problem]))
            continue
        numbers = [f"{one.rows:,}".replace(",", "\u2009"), str(one.columns), _bytes(one.bytes)]
        lines.append(_row([name, _td(_text(one.layout)), *[_td(number, "n") for number in numbers]]))
    for array in arrays[: 5 * MAX_COLUMNS]:
        shape = " × ".join(map(str, array.shape))
        lines.append(_row([_td(f"<b>{_text(array.path)}</b>"), _td(_text(f"{array.layout} {array.kind}")),
                           _td(_text(shape), "n"), _td(""), _td(_bytes(array.bytes), "n")]))  # fmt: skip
    left = len(tables) + len(arrays) - (len(lines) - 1)
    more = f'<p class="dim">and {_count(left, "object")} more</p>' if left else ""
    return _box(head, f"<table>{''.join(lines)}</table>" if len(lines) > 1 else "", more)
