"""Progress of long calls, as a bar of tqdm where someone looks."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import Any, Literal

#: Called as progress(stage, rows, total_rows), where a total of 0 is unknown. False: no bar.
Progress = Callable[[str, int, int], object] | Literal[False]

DELAY = 0.5  # seconds; shorter calls show nothing


class Bar:
    """A bar of tqdm from when a call takes long to its end, one for each stage."""

    def __init__(self) -> None:
        self._began: float | None = None
        self._stage = ""
        self._bar: Any = None

    def __call__(self, stage: str, rows: int, total: int) -> None:
        now = time.monotonic()
        if stage != self._stage or self._bar is not None and rows < self._bar.n:
            self.close()
            self._stage = stage
        if self._began is None:
            self._began = now
        if self._bar is None and now - self._began > DELAY:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                self._began = math.inf  # which is not looked for again in this stage
                return
            self._bar = tqdm(total=total or None, desc=stage, unit=" rows", unit_scale=True, leave=False)
        if self._bar is not None:
            self._bar.update(rows - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._bar = self._began = None

    def __del__(self) -> None:
        self.close()


def shown(progress: Progress | None) -> Callable[[str, int, int], object] | None:
    """What the extension calls: by default a bar in terminals and notebooks."""
    if progress is None and ("ipykernel" in sys.modules or sys.stderr is not None and sys.stderr.isatty()):
        return Bar()
    return progress or None
