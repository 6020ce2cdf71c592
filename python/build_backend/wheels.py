"""A build backend (PEP 517, PEP 660) of the standard library alone, so that `pip install` needs no index.

It reads the section [project] of pyproject.toml, whose entries have one line each, and the version from the package. The files
of the package are those below its folder, without caches. Archives are reproducible.
"""

import ast
import base64
import contextlib
import csv
import gzip
import hashlib
import io
import os
import re
import stat
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Tuple, Union

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "millrace"
SCRIPTS = {"millrace": "millrace._command:main"}
Files = List[Tuple[str, bytes]]


def project() -> Dict[str, Any]:
    """Returns the entries of [project] whose values are strings or lists, and the version."""
    section = re.search(r"^\[project\]\n(.*?)(?=^\[|\Z)", (ROOT / "pyproject.toml").read_text("utf-8"), re.M | re.S)
    version = re.search(r'^__version__ = (".*")$', (ROOT / PACKAGE / "_version.py").read_text("utf-8"), re.M)
    if section is None or version is None:
        raise ValueError("pyproject.toml lacks [project], or _version.py lacks __version__")
    entries = re.findall(r'^([\w-]+) = (["\[].*)$', section.group(1), re.M)
    # Strings and lists of strings in one line are the same in TOML and Python.
    return {**{key: ast.literal_eval(value) for key, value in entries}, "version": ast.literal_eval(version.group(1))}


def info_folder() -> str:
    """Returns the folder of a wheel that describes it."""
    return f"{PACKAGE}-{project()['version']}.dist-info"


def metadata() -> bytes:
    """Returns the file METADATA of a wheel, which is PKG-INFO in a source distribution."""
    about = project()
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {about['name']}",
        f"Version: {about['version']}",
        f"Summary: {about['description']}",
        "License: Apache-2.0",
        f"Requires-Python: {about['requires-python']}",
        *(f"Requires-Dist: {one}" for one in about["dependencies"]),
        "Description-Content-Type: text/markdown",
        "",
        (ROOT / about["readme"]).read_text("utf-8"),
    ]
    return "\n".join(lines).encode()


def package_files() -> Files:
    """Returns the files of the package with their paths."""
    found = sorted(p for p in (ROOT / PACKAGE).rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    return [(p.relative_to(ROOT).as_posix(), p.read_bytes()) for p in found]


def write(folder: Union[str, Path], files: Iterable[Tuple[str, bytes, bool]], tag: str = "py3-none-any") -> str:
    """Writes a wheel into a folder and returns its name.

    Each file has its path, its content, and whether it is a program. A wheel with another tag than the default goes where
    libraries of the platform go.
    """
    about = project()
    info = info_folder()
    pure = str(tag == "py3-none-any").lower()
    tags = f"Wheel-Version: 1.0\nGenerator: millrace\nRoot-Is-Purelib: {pure}\nTag: {tag}\n"
    scripts = "[console_scripts]\n" + "".join(f"{name} = {where}\n" for name, where in SCRIPTS.items())
    entries = [
        *files,
        (f"{info}/METADATA", metadata(), False),
        (f"{info}/WHEEL", tags.encode(), False),
        (f"{info}/entry_points.txt", scripts.encode(), False),
    ]
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    for path, data, _ in entries:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.writerow((path, f"sha256={digest}", len(data)))
    rows.writerow((f"{info}/RECORD", "", ""))
    name = f"{PACKAGE}-{about['version']}-{tag}.whl"
    with zipfile.ZipFile(Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data, program in [*entries, (f"{info}/RECORD", record.getvalue().encode(), False)]:
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (stat.S_IFREG | (0o755 if program else 0o644)) << 16
            wheel.writestr(entry, data)
    return name


def build_wheel(folder: str, settings: Optional[Dict[str, Any]] = None, metadata_folder: Optional[str] = None) -> str:
    """Writes the wheel into a folder and returns its name.

    It has the path of the clone whose folder this is, so that the client finds the server that is built there. pip shows what is
    printed here only with -v; the client says it again when it finds no server.
    """
    files = [(path, data, False) for path, data in package_files()]
    clone = ROOT.parent
    if (clone / "millrace").is_file() and (clone / "pom.xml").is_file():
        files.append((f"{PACKAGE}/_clone.txt", os.fsencode(clone), False))
        where = f"the client, which uses the server in {clone} when that is built: run {clone / 'millrace'} --version"
    else:
        where = "the client alone: set MILLRACE_HOME to a folder with the server"
    print(f"millrace: this package has {where}, or install the wheel that has the server (docs/use/install.md)")
    return write(folder, files)


def build_editable(folder: str, settings: Optional[Dict[str, Any]] = None, metadata_folder: Optional[str] = None) -> str:
    """Writes a wheel that refers to the package here, and returns its name."""
    return write(folder, [(f"__editable__.{PACKAGE}.pth", f"{ROOT}\n".encode(), False)])


def build_sdist(folder: str, settings: Optional[Dict[str, Any]] = None) -> str:
    """Writes the source distribution and returns its name."""
    base = f"{PACKAGE}-{project()['version']}"
    files = [("PKG-INFO", metadata())]
    for name in ("pyproject.toml", "README.md", "build_backend/wheels.py"):
        files.append((name, (ROOT / name).read_bytes()))
    files += package_files()
    files += [(p.relative_to(ROOT).as_posix(), p.read_bytes()) for p in sorted((ROOT / "tests").glob("*.py"))]
    with contextlib.ExitStack() as opened:
        file = opened.enter_context(open(Path(folder) / f"{base}.tar.gz", "wb"))
        packed = opened.enter_context(gzip.GzipFile("", "wb", fileobj=file, mtime=0))
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for path, data in files:
                entry = tarfile.TarInfo(f"{base}/{path}")
                entry.size, entry.mode = len(data), 0o644
                archive.addfile(entry, io.BytesIO(data))
    return f"{base}.tar.gz"
