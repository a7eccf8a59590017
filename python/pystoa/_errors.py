"""What pystoa raises: one base, and a class for each kind of failure that is also a builtin one.

>>> issubclass(ColumnTypeError, TypeError) and issubclass(ColumnTypeError, Error)
True
"""

from __future__ import annotations

import errno
import os
from typing import Any


class Error(Exception):
    """A failure, in one line that says what is wrong, by which rule, and what to do.

    Attributes:
        where: the file and the object in it, as far as they are known; may be "".
        message: what is wrong.
    """

    where: str
    message: str
    _errno: int | None = None

    def __init__(self, message: str = "", where: str = "") -> None:
        super().__init__(message, where)
        made: Any = self
        if isinstance(self, OSError):  # which took the message for its errno
            made.errno, made.strerror = self._errno, message
        self.message = message
        self.where = where

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message


class ArgumentError(Error, ValueError):
    """An argument or option is wrong."""


class FileMissingError(Error, FileNotFoundError):
    """There is no such file."""

    _errno = errno.ENOENT


class NotFoundError(Error, KeyError):
    """A file has no such object, or a table no such column."""


class ExistsError(Error, FileExistsError):
    """The file or the object is there already."""

    _errno = errno.EEXIST


class LayoutError(Error, ValueError):
    """The object is not a table, or not of the layout that the call is for."""


class VersionError(Error, ValueError):
    """The object has a newer revision of its layout than this library reads."""


class ColumnTypeError(Error, TypeError):
    """Types do not match."""


class RangeError(Error, ValueError):
    """A row, a size or a value is out of range."""


class DataError(Error, ValueError):
    """Data is damaged, or breaks its specification."""


class LossError(Error, ValueError):
    """The call would lose information."""


class QuerySyntaxError(Error, ValueError):
    """A text cannot be parsed; the message says at which character."""


class SystemFailure(Error, OSError):
    """The system refused: no permission, a full disk, a lock that another program holds."""


class HDF5Error(Error, RuntimeError):
    """libhdf5 refused."""


class OutOfMemoryError(Error, MemoryError):
    """Memory ran out."""


class Cancelled(Error):
    """The progress callback stopped the call."""


# By stoa_status of <stoa/error.h>.
_CLASSES: tuple[type[Error], ...] = (
    Error, ArgumentError, NotFoundError, ExistsError, LayoutError, VersionError, ColumnTypeError,
    RangeError, DataError, LossError, QuerySyntaxError, SystemFailure, HDF5Error,
    OutOfMemoryError, Cancelled,
)  # fmt: skip


def make(status: int, where: str, message: str) -> Error:
    """The exception for a stoa_error."""
    known = _CLASSES[status] if 0 <= status < len(_CLASSES) else Error
    if known is NotFoundError and where and not os.path.exists(where.rsplit(":/", 1)[0]):
        known = FileMissingError
    return known(message, where)
