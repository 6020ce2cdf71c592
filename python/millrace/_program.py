"""The program `millrace`: where it is, and the environment in which it runs."""

import os
import re
import shutil
import sys
from importlib import util
from pathlib import Path
from typing import Dict, Iterator, Optional, Tuple

from ._address import PathLike
from ._errors import MillraceError

_SERVER = Path(__file__).resolve().parent / "_server"
"""The folder of the server in a package that has one. It is a distribution with a Java runtime."""

_CLONE = Path(__file__).resolve().parent / "_clone.txt"
"""The path of the clone from which pip has installed this package. The build backend writes it into the wheel."""


def find_launcher(pipeline: Optional[PathLike] = None, given: Optional[PathLike] = None) -> str:
    """Returns the path of the program `millrace`.

    It is `given`, or in the folder MILLRACE_HOME, or in a folder above the pipeline's file or this package, where a clone has it,
    or a part of this package, or in the clone from which this package was installed, if that is built, or on the PATH. Raises
    MillraceError when it is in none of these.
    """
    if given is not None:
        path = Path(given)
        if not _is_program(path):
            raise MillraceError(f"{path} is not a program: give the path of Millrace's launcher, millrace=...")
        return str(path.resolve())
    for candidate in _candidates(pipeline):
        if _is_program(candidate):
            return str(candidate)
    # The command of this package lies on the PATH too, and would look for the program again.
    found = shutil.which("millrace") if pipeline is not None else None
    if found is not None and not _is_own_command(Path(found)):
        return found
    where, first = _clone_lacks()
    raise MillraceError(
        f"the server was not found: this package has only the client{where}, and the program 'millrace' is not in MILLRACE_HOME,"
        f" above the pipeline's file, above this package or on the PATH. {first} the wheel that has the server"
        " (docs/use/install.md), or set MILLRACE_HOME to the folder of a clone, which a JDK and Maven build, or give the"
        " program's path, millrace=..."
    )


def _clone() -> Optional[Path]:
    """Returns the clone from which `pip install ./python` has made this package, or None for a package from elsewhere."""
    try:
        return Path(os.fsdecode(_CLONE.read_bytes()))
    except FileNotFoundError:
        return None


def _is_built(clone: Path) -> bool:
    """Returns whether a clone has a server, which its launcher or Maven has built."""
    state = Path(os.environ.get("MILLRACE_STATE") or clone / ".millrace")
    return (state / "build" / "current").is_file() or any(clone.glob("jobs/target/millrace-*.jar"))


def _clone_lacks() -> Tuple[str, str]:
    """Returns why the clone of this package has no server, and what to do first; both are parts of sentences."""
    clone = _clone()
    if clone is None:
        return "", "Install"
    if not _is_program(clone / "millrace"):
        lack, first = f"the clone {clone} from which it was installed is gone", "Install it again from the clone's new place"
    else:
        lack, first = f"nothing is built in the clone {clone} from which it was installed", f"Run {clone / 'millrace'} --version"
    return f", {lack}", f"{first}, or install"


def _candidates(pipeline: Optional[PathLike]) -> Iterator[Path]:
    home = os.environ.get("MILLRACE_HOME")
    if home:
        yield Path(home).resolve() / "millrace"
    for below in ([] if pipeline is None else [Path(pipeline).resolve()]) + [Path(__file__).resolve()]:
        for folder in below.parents:
            # The folder of a package is no clone, although its name is the program's.
            yield folder / "millrace"
    yield _SERVER / "millrace"
    clone = _clone()
    if clone is not None and _is_built(clone):
        yield clone / "millrace"


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _is_own_command(path: Path) -> bool:
    """Returns whether a program is the script that pip has made for this package's command."""
    with open(path, "rb") as file:
        return b"millrace._command" in file.read(1000)


def environment(launcher: str) -> Dict[str, str]:
    """Returns the environment of a program.

    Its transforms `python` run with the interpreter of this program, which has their modules. The server of a package has no
    libtorch: it uses that of the interpreter's torch. The launcher needs the usual tools, which the system has in its own places
    also where PATH does not name them. What the user has set stays.
    """
    chosen = {"MILLRACE_PYTHON": sys.executable} if sys.executable else {}
    if Path(launcher).parent == _SERVER and "PYTORCH_LIBRARY_PATH" not in os.environ:
        chosen.update(_torch())
    path = [one for one in os.environ.get("PATH", "").split(os.pathsep) if one]
    path += [one for one in os.defpath.split(os.pathsep) if one not in path]
    return {**chosen, **os.environ, "PATH": os.pathsep.join(path)}


def _torch() -> Dict[str, str]:
    """Returns the variables with which DJL loads the libraries of the installed torch, which is not imported.

    Empty without a torch of the version for which the server has a bridge.
    """
    bridge = next(_SERVER.glob("lib/pytorch-jni-*.jar"), None)
    spec = util.find_spec("torch")
    if spec is None or not spec.origin:
        return {}
    folder = Path(spec.origin).parent
    try:
        text = (folder / "version.py").read_text("utf-8")
    except OSError:
        return {}
    version = re.search(r"^__version__ = '(\d+\.\d+\.\d+)", text, re.M)
    cuda = re.search(r"^cuda(?:: [^=]*)? = '(\d+)\.(\d+)", text, re.M)
    if version is None or bridge is None or not bridge.name.startswith(f"pytorch-jni-{version.group(1)}-"):
        return {}
    return {
        "PYTORCH_LIBRARY_PATH": str(folder / "lib"),
        "PYTORCH_VERSION": version.group(1),
        "PYTORCH_FLAVOR": f"cu{cuda.group(1)}{cuda.group(2)}" if cuda else "cpu",
    }
