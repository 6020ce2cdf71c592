"""Builds the wheel of a commit twice, in two fresh clones, and names what differs.

python3 reproduce.py                 builds HEAD twice, which takes some minutes
python3 reproduce.py A.whl B.whl     compares two wheels, or two jars

The exit code is 0 if both are the same, byte for byte, and 1 if not.
"""

import io
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Iterator

ROOT = Path(__file__).resolve().parents[3]


def differences(first: bytes, second: bytes, place: str = "") -> Iterator[str]:
    """Returns a line for each file that differs between two archives, also for those in jars within."""
    if first == second:
        return
    a, b = (zipfile.ZipFile(io.BytesIO(one)) for one in (first, second))
    names = a.namelist(), b.namelist()
    for name in sorted(set(names[0]) ^ set(names[1])):
        yield f"{place}{name} is only in the {'first' if name in names[0] else 'second'}"
    found = False
    for name in (one for one in names[0] if one in names[1]):
        contents = a.read(name), b.read(name)
        if contents[0] == contents[1]:
            if a.getinfo(name).date_time != b.getinfo(name).date_time:
                found = True
                yield f"{place}{name} has another time: {a.getinfo(name).date_time} and {b.getinfo(name).date_time}"
            continue
        found = True
        if all(zipfile.is_zipfile(io.BytesIO(one)) for one in contents):
            yield from differences(*contents, f"{place}{name}!")
        else:
            at = next((i for i, (x, y) in enumerate(zip(*contents)) if x != y), min(map(len, contents)))
            yield f"{place}{name} differs from byte {at:,} of {len(contents[0]):,} and {len(contents[1]):,} on"
    if not found and set(names[0]) == set(names[1]):
        yield f"{place[:-1] or 'the archive'} has the same files in another order or with other attributes"


def _build(folder: Path) -> Path:
    """Builds HEAD in a new clone, and returns its wheel."""
    subprocess.run(["git", "clone", "-q", str(ROOT), str(folder)], check=True)
    command = ["mvn", "-B", "-q", "package", "-Pdist", "-DskipTests", "-Dspotless.check.skip"]
    log = folder.with_suffix(".log")
    with open(log, "wb") as out:
        if subprocess.run(command, cwd=folder, stdout=out, stderr=out).returncode:
            sys.exit(f"the build failed:\n{log.read_text('utf-8', 'replace')[-4000:]}")
    wheels = list((folder / "dist/target/wheel").glob("*.whl"))
    if len(wheels) != 1:
        sys.exit(f"the build made {len(wheels)} wheels, expected one")
    return wheels[0]


def main() -> None:
    """Compares."""
    if len(sys.argv) not in (1, 3):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as temporary:
        if len(sys.argv) == 3:
            first, second = map(Path, sys.argv[1:])
            for path in (first, second):
                if not zipfile.is_zipfile(path):
                    sys.exit(f"{path} is not a wheel or a jar: expected a zip file")
        else:
            # Paths of other lengths show where a path has become a part of a file.
            first, second = (_build(Path(temporary) / name) for name in ("one", "the-second-clone"))
        lines = list(differences(first.read_bytes(), second.read_bytes()))
        print("\n".join(lines) if lines else f"{first.name}: both are the same, {first.stat().st_size:,} bytes")
        sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
