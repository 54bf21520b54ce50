"""Names of WARC files: `PREFIX-YYYYMMDDhhmmssSSS-SERIAL-HOSTNAME.warc.gz`, in the folder `warcs` of the job.

The serial rises within a job, over restarts too, so that no name is ever used twice and the files sort by age.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable

FOLDER = "warcs"
SUFFIX = ".warc.gz"
OPEN_SUFFIX = ".open"
"""Behind the name of a file that may still grow."""

_UNSAFE = re.compile(r"[^A-Za-z0-9.-]+")
_SERIAL = re.compile(r"-[0-9]{17}-([0-9]{5,})-")


def warc_name(prefix: str, when_wall: float, serial: int, hostname: str) -> str:
    """The path of a new file, relative to the job folder."""
    seconds, millis = divmod(int(when_wall * 1000), 1000)
    stamp = time.strftime("%Y%m%d%H%M%S", time.gmtime(seconds))
    return f"{FOLDER}/{_safe(prefix)}-{stamp}{millis:03d}-{serial:05d}-{_safe(hostname)}{SUFFIX}"


def highest_serial(names: Iterable[str]) -> int:
    """The highest serial in any of `names`, finished or not; 0 if there is none."""
    return max((int(found[1]) for name in names if (found := _SERIAL.search(name))), default=0)


def _safe(text: str) -> str:
    return _UNSAFE.sub("_", text).strip(".-_")[:64] or "unnamed"
