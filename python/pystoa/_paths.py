"""Paths that are given as URLs of fsspec."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ._errors import ArgumentError

Path = str | os.PathLike[str]


def local(path: Path) -> list[str]:
    """The files of a path: itself, or what fsspec has on this machine for a URL such as "simplecache::s3://b/run.h5".

    Raises:
        ValueError: the URL stands for no local file, or fsspec is not installed.
    """
    name = os.fsdecode(path)
    if "://" not in name or os.path.exists(name):
        return [name]
    try:
        import fsspec
    except ImportError:
        raise ArgumentError("a URL needs the package fsspec, which is not installed", name) from None
    try:
        found: str | Sequence[str] = fsspec.open_local(name)
    except (ImportError, ValueError) as error:
        raise ArgumentError(f"fsspec has no file of this URL here ({error}); simplecache:: before it makes a copy",
                            name) from error  # fmt: skip
    return [found] if isinstance(found, str) else list(found)
