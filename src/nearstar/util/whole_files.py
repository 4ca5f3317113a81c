"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import uuid
from pathlib import Path


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Write a file under another name beside it, and rename it when all is on the disk.

    Whatever goes wrong, the old file, if there was one, is still there. A link stays one, and what
    is no file, such as a pipe or a device, is written to as it is.
    """
    path = Path(path)
    data = content.encode() if isinstance(content, str) else content
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    path = Path(os.path.realpath(path))
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
