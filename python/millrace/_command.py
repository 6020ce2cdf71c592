"""The command `millrace` of an installed package: the launcher of its server, or of a clone."""

import os
import sys
from typing import NoReturn

from ._errors import MillraceError
from ._program import environment, find_launcher


def main() -> NoReturn:
    """Becomes the program with the arguments of this process."""
    try:
        launcher = find_launcher()
    except MillraceError as e:
        sys.exit(f"millrace: {e}")
    os.execve(launcher, [launcher, *sys.argv[1:]], environment(launcher))
