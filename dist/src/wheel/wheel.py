"""Makes the wheel of Millrace with its server: the client, the distribution without libtorch, and a Java runtime.

python3 wheel.py --archive millrace-...tar.gz --sbom millrace-...cdx.json --java-home /usr/lib/jvm/... --out folder

Prints the size of each part, and the oldest glibc that all libraries need, from which the wheel's tag follows. Two runs with the
same archive and JDK write the same bytes.
"""

import argparse
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter
from pathlib import Path
from typing import Dict, Iterator, List, Tuple

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "python" / "build_backend"))

import sbom  # noqa: E402
import wheels  # noqa: E402

SERVER = f"{wheels.PACKAGE}/_server"
"""The folder of the server in the package."""

PARTS = ("millrace", "LICENSE", "NOTICE", "CHANGELOG.md", "conf/", "licenses/", "job/", "selftest/", "lib/", "flink/")
"""The files and folders of the distribution that the wheel has. The pages of docs are left out."""

MODULES = (
    "java.se,jdk.unsupported,jdk.management,jdk.net,jdk.jfr,jdk.crypto.ec,jdk.zipfs,jdk.localedata,jdk.naming.dns"
)
"""The modules of the runtime. jdk.net has the options of Unix sockets."""

LIBRARY = re.compile(r"\.(so|dll|dylib|jnilib|a|lib)(\.[\d.]+)?$")
"""Names of native libraries."""

HERE = re.compile(r"linux[-/_]?(x86_64|x86-64|amd64|x64)\b|(epoll|io_uring42)_x86_64", re.I)
"""Names of native libraries for this platform."""

KEPT = {
    "opencv-": re.compile(r"/lib(jni)?opencv_(core|imgproc|imgcodecs)\.so"),
    "openblas-": re.compile(r"/lib(openblas|jniopenblas(_nolapack)?|gfortran|quadmath|gcc_s)\.so"),
    "jcuda-natives-": re.compile(r"/libJCudaDriver"),
}
"""The only files below the platform's folder that the jars of these libraries keep."""

LEFT_OUT = {
    # libtorch: an installed torch has it.
    "pytorch-native-": re.compile(""),
    # A copy of the jar beside it. The launcher puts that one on the class path.
    "flink-rpc-akka-loader-": re.compile(r"^flink-rpc-akka\.jar$"),
    # HTTP/3.
    "flink-shaded-netty-": re.compile(r"quiche"),
}

Entry = Tuple[str, bytes, bool]


def _is_kept(jar: str, name: str) -> bool:
    if any(jar.startswith(start) and pattern.search(name) for start, pattern in LEFT_OUT.items()):
        return False
    for start, pattern in KEPT.items():
        if jar.startswith(start) and "linux-x86_64" in name and not name.startswith("META-INF/"):
            return name.endswith("/") or bool(pattern.search(name))
    return not LIBRARY.search(name) or bool(HERE.search(name))


def slim(jar: str, data: bytes) -> bytes:
    """Returns a jar without the native libraries that this platform and Millrace do not use; the same bytes if all are used."""
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        entries = old.infolist()
        kept = [one for one in entries if _is_kept(jar, one.filename)]
        if len(kept) == len(entries):
            return data
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
            for one in kept:
                entry = zipfile.ZipInfo(one.filename, (1980, 1, 1, 0, 0, 0))
                entry.compress_type = zipfile.ZIP_DEFLATED
                new.writestr(entry, old.read(one))
    return out.getvalue()


def distribution(archive: Path) -> Iterator[Entry]:
    """Returns the files of the distribution that the wheel has, with slim jars."""
    with tarfile.open(archive) as unpacked:
        for member in unpacked:
            path = member.name.split("/", 1)[-1]
            if not member.isfile() or not path.startswith(PARTS):
                continue
            file = unpacked.extractfile(member)
            assert file is not None
            jar = os.path.basename(path)
            if jar.endswith(".jar"):
                if not _is_kept(jar, ""):
                    continue
                yield path, slim(jar, file.read()), False
            else:
                yield path, file.read(), path == "millrace"


def runtime(java_home: Path, folder: Path) -> Iterator[Entry]:
    """Makes a Java runtime in a folder that does not exist yet, and returns its files."""
    subprocess.run(
        [
            *(java_home / "bin" / "jlink", "--add-modules", MODULES, "--output", folder, "--no-header-files", "--no-man-pages"),
            *("--strip-java-debug-attributes", "--compress=0"),
        ],
        check=True,
    )
    for path in sorted(folder.rglob("*")):
        # A link to another module's licence is written as the file.
        if path.is_file():
            name = path.relative_to(folder).as_posix()
            yield f"java/{name}", path.read_bytes(), os.access(path, os.X_OK)


def _libraries(entries: List[Entry]) -> Iterator[Tuple[str, bytes]]:
    """Returns the native libraries and programs, also those in jars."""
    for path, data, _ in entries:
        if data.startswith(b"\x7fELF"):
            yield path, data
        elif path.endswith(".jar"):
            with zipfile.ZipFile(io.BytesIO(data)) as jar:
                for one in jar.infolist():
                    if LIBRARY.search(one.filename):
                        yield f"{path}!{one.filename}", jar.read(one)


def oldest_glibc(entries: List[Entry]) -> Tuple[int, List[str]]:
    """Returns n of the oldest glibc 2.n that all libraries accept, and those that need it."""
    needs: Dict[str, int] = {}
    for path, data in _libraries(entries):
        needs[path] = max((int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)(?:\.\d+)?\0", data)), default=0)
    most = max(needs.values())
    return most, [path for path, minor in needs.items() if minor == most]


def _table(entries: List[Entry]) -> str:
    sizes: Counter[str] = Counter()
    for path, data, _ in entries:
        sizes[path.split("/", 1)[0]] += len(data)
    return "\n".join(f"{size / 1e6:8.1f} MB  {part}" for part, size in sizes.most_common())


def main() -> None:
    """Writes the wheel."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--archive", type=Path, required=True)
    parser.add_argument("--java-home", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sbom", type=Path, required=True, help="the SBOM of the archive")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        entries = [*distribution(given.archive), *runtime(given.java_home, Path(temporary) / "java")]
    glibc, because = oldest_glibc(entries)
    files = [(path, data, False) for path, data in wheels.package_files()]
    files += [(f"{SERVER}/{path}", data, program) for path, data, program in entries]
    version = wheels.project()["version"]
    components = sbom.of_wheel(given.sbom.read_bytes(), entries, given.java_home, version)
    # Its place in a wheel is that of PEP 770.
    files.append((f"{wheels.info_folder()}/sboms/{wheels.PACKAGE}.cdx.json", components, False))
    name = wheels.write(given.out, files, f"py3-none-manylinux_2_{glibc}_x86_64")
    (given.out / f"{wheels.PACKAGE}-{version}.cdx.json").write_bytes(components)
    size = (given.out / name).stat().st_size
    print(_table(entries))
    print(f"glibc 2.{glibc}, which {', '.join(because)} needs")
    print(f"{given.out / name}: {size / 1e6:.1f} MB, {sum(len(data) for _, data, _ in entries) / 1e6:.1f} MB unpacked")


if __name__ == "__main__":
    main()
