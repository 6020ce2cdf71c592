"""The contact sheet of a pipeline, drawn by the command `millrace preview`."""

import os
import subprocess
from typing import List, Optional

from ._address import PathLike
from ._errors import MillraceError
from ._folder import OwnedFolder
from ._group import end_group, start_group
from ._launch import Launch, last_lines, reason
from ._protocol import whole

_MOST = 120
"""The number of samples that a contact sheet shows."""


class Preview:
    """A contact sheet: the first samples of an epoch, before and after the transforms. A notebook shows the picture."""

    def __init__(self, title: str, png: bytes) -> None:
        self._title = title
        self.png = png
        """The picture, as the bytes of a PNG file."""

    def save(self, path: PathLike) -> None:
        """Writes the picture to a file, whose name ends with `.png`. Raises ValueError for other names."""
        if not os.fspath(path).lower().endswith(".png"):
            raise ValueError(f"the picture is a PNG: expected the name of a .png file, found {os.fspath(path)}")
        with open(path, "wb") as file:
            file.write(self.png)

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        return f"Preview({self._title}, {len(self.png)} bytes of PNG)"


def preview(launch: Launch, count: int, epoch: Optional[int], split: str) -> Preview:
    """Draws the contact sheet as `Loader.preview` describes. An interrupt ends the program that draws."""
    count = whole(count, "count")
    if not 1 <= count <= _MOST:
        raise ValueError(f"count is {count}, expected a number of samples from 1 to {_MOST}")
    if split not in ("train", "evaluate"):
        raise ValueError(f"split is {split!r}, expected 'train' or 'evaluate'")
    options = ["--count", str(count), "--split", split]
    title = f"{launch.pipeline!r}, {split}"
    if epoch is not None:
        epoch = whole(epoch, "epoch")
        if epoch < 0:
            raise ValueError(f"epoch is {epoch}, expected at least 0")
        options += ["--epoch", str(epoch)]
        title += f", epoch {epoch}"
    temporary = OwnedFolder()
    try:
        return Preview(title, _drawn(launch, options, temporary.path))
    finally:
        temporary.delete()


def _drawn(launch: Launch, options: List[str], folder: str) -> bytes:
    picture, printed = os.path.join(folder, "preview.png"), os.path.join(folder, "preview.log")
    command = launch.command("preview", *options, "--out", picture)
    with open(printed, "wb") as log:
        process = start_group(command, folder, launch.place, launch.environment, subprocess.DEVNULL, log)
    try:
        code = process.wait()
    finally:
        end_group(process)
    if code != 0:
        raise MillraceError(reason(f"'{' '.join(command[:3])}' ended with the code {code}", code, last_lines(printed)))
    with open(picture, "rb") as file:
        return file.read()
