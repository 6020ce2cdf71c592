#!/usr/bin/env python3
"""Packs the GPU kit: what a bare, offline machine with a GPU needs, in parcels of at most 64 MiB.

    mvn -B package -Pdist -DskipTests
    python3 dist/gpu-kit/pack.py
    python3 dist/gpu-kit/pack.py --core     one parcel, with what the first call needs

The kit contains the distribution without PyTorch's libraries for CPUs, a Java runtime made with jlink, the classes and
libraries of the tests tagged "gpu", the Python client, the sources of DJL's bridge to PyTorch, the stubs of NVIDIA's libraries for a
rehearsal, and run.py, which runs everything. The core parcel has no distribution, and of the libraries those of the tests of
transfer, engine and training alone: of Flink the serializers, of JCuda the library of the driver, and no OpenCV. DJL's sources are fetched with git and never committed. docs/use/gpu-kit.md describes the kit.
"""

import argparse
import glob
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib

import jvms

OWN = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(OWN))
FOLDER = "millrace-gpu-kit"
MIB = 1 << 20
LARGEST_PARCEL = 64 * MIB

DJL_REPOSITORY = "https://github.com/deepjavalibrary/djl"
# The release whose bridge the jars contain, and its commit: a tag may be moved.
DJL_VERSION = "0.35.1"
DJL_COMMIT = "fc1f0640d65889673c785e938b48cd3ef67e3788"
DJL_NATIVE = "engines/pytorch/pytorch-native/src/main/native"
DJL_JAVA = "engines/pytorch/pytorch-engine/src/main/java/ai/djl/pytorch/jni"
DJL_UTILITIES = "api/src/main/native"
# run.py reads the release from this file.
DJL_VERSION_FILE = "djl-version.txt"

JAVA_MODULES = (
    "java.se,jdk.unsupported,jdk.management,jdk.crypto.ec,jdk.zipfs,jdk.localedata,jdk.naming.dns,jdk.httpserver,"
    "jdk.net"
)
# What the tests of the core parcel need of Java.
CORE_JAVA_MODULES = "java.base,java.compiler,java.desktop,java.instrument,java.logging,java.management,java.naming,java.sql,java.xml,jdk.unsupported,jdk.management"
SCRIPTS = ("run.py", "programs.py", "jvms.py", "bridges.py", "client.py", "gpus.py", "table.py", "resnet50.py", "bridge.sh")
CPU_LIBTORCH = "pytorch-native-cpu-"
# Test libraries that no test on a GPU uses: JUnit, which the console contains, RocksDB (50 MB) and containers.
MANIFEST = "manifest.json"
PARCEL = "gpu-kit."
UNPACK = "unpack.py"
UNUSED_BY_TESTS = (CPU_LIBTORCH, "junit-", "frocksdbjni-", "testcontainers-", "docker-java-")
CORE_FOLDER = "millrace-gpu-kit-core"
CORE_LIMIT = 50 * MIB
# The beginnings of the names of the jars from which the core's tests load classes or resources. Of Flink it is the library that
# serializes rows: the tests of transfer send them as a job does.
CORE_LIBRARIES = ("flink-core-", "millrace-", "api-", "pytorch-engine-", "pytorch-jni-", "jcuda-", "jna-", "jackson-annotations-", "jackson-core-",
                  "jackson-databind-", "gson-", "slf4j-api-", "log4j-", "assertj-core-", "jspecify-", "arrow-memory-",
                  "commons-compress-")
TEST_JAR = "-tests.jar"
# JCuda's libraries for cuBLAS and others are of no use here: Millrace calls the driver alone.
JCUDA_NATIVES = "jcuda-natives-"
JCUDA_DRIVER = "JCudaDriver"


class Failure(Exception):
    """The kit cannot be packed; the message says why and what to do."""


def one(pattern, remedy):
    found = sorted(glob.glob(pattern))
    if len(found) != 1:
        raise Failure(f"expected one file {pattern}, found {len(found)}: {remedy}")
    return found[0]


def run(command, **options):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    except FileNotFoundError:
        raise Failure(f"{command[0]} was not found") from None
    if done.returncode != 0:
        raise Failure(f"'{' '.join(command)}' failed with exit code {done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


def tool(name):
    """Returns a program of the JDK."""
    home = os.environ.get("JAVA_HOME")
    path = os.path.join(home, "bin", name) if home else shutil.which(name)
    if not path or not os.path.exists(path):
        raise Failure(f"there is no {name}: install a JDK, version 17 or newer, and put it on the PATH or set JAVA_HOME")
    return path


def distribution(archive, target):
    """Unpacks the distribution without PyTorch's libraries for CPUs, and returns its jars."""
    try:
        with tarfile.open(archive) as tar:
            for member in tar:
                parts = member.name.split("/", 1)
                if len(parts) < 2 or os.path.basename(member.name).startswith(CPU_LIBTORCH):
                    continue
                member.name = parts[1]
                tar.extract(member, target)
    except (OSError, tarfile.TarError, EOFError, zlib.error) as e:
        raise Failure(f"the distribution {archive} cannot be unpacked: {e}") from None
    jars = glob.glob(os.path.join(target, "*", "*.jar"))
    if not jars:
        raise Failure(f"{archive} contains no jars: is it a distribution?")
    return jars


def java_runtime(target, modules):
    """Makes a Java runtime. It keeps the C headers, because the bridge is compiled with them."""
    run([tool("jlink"), "--add-modules", modules, "--strip-java-debug-attributes", "--no-man-pages", "--output", target])
    if not os.path.isfile(os.path.join(target, "include", "jni.h")):
        raise Failure("jlink made a Java runtime without include/jni.h: use the jmods of a complete JDK")


def bridge(repository, target, jars):
    """Fetches the sources of DJL's bridge, and makes the header of its Java class."""
    with tempfile.TemporaryDirectory() as work:
        clone = os.path.join(work, "djl")
        run(["git", "clone", "--quiet", "--no-checkout", "--depth", "1", "--branch", "v" + DJL_VERSION, repository, clone])
        commit = run(["git", "-C", clone, "rev-parse", "HEAD"]).strip()
        if commit != DJL_COMMIT:
            raise Failure(f"the tag v{DJL_VERSION} of {repository} is commit {commit}: expected {DJL_COMMIT}")
        run(["git", "-C", clone, "checkout", "--quiet", "HEAD", "--", DJL_NATIVE, DJL_JAVA, DJL_UTILITIES, "LICENSE"])
        shutil.copytree(os.path.join(clone, DJL_NATIVE), os.path.join(target, "native"))
        shutil.copytree(os.path.join(clone, DJL_UTILITIES, "djl"), os.path.join(target, "djl"))
        shutil.copy(os.path.join(clone, "LICENSE"), target)
        write_version(target)
        run(
            [
                tool("javac"),
                "-proc:none",
                "-implicit:none",
                "-cp",
                os.pathsep.join(jars),
                "-d",
                os.path.join(work, "classes"),
                "-h",
                os.path.join(target, "include"),
                os.path.join(clone, DJL_JAVA, "PyTorchLibrary.java"),
            ]
        )


def write_version(target):
    with open(os.path.join(target, DJL_VERSION_FILE), "w", encoding="utf-8") as file:
        file.write(DJL_VERSION + "\n")


def tests(tree, target, jars, core=False):
    """Copies the classes of the tests and those of their libraries that the kit has nowhere else; of the core, all that it needs."""
    remedy = "run 'mvn -B package -Pdist -DskipTests'"
    sink = os.path.join(tree, "gpu-sink")
    names = tagged(os.path.join(sink, "src", "test", "java"))
    if core:
        names = [name for name in names if name in jvms.TRANSFER + jvms.ENGINE + jvms.TRAINING]
    for folder in ("classes", "test-classes"):
        if not os.path.isdir(os.path.join(sink, "target", folder)):
            raise Failure(f"there is no {os.path.join(sink, 'target', folder)}: {remedy}")
    shutil.copytree(os.path.join(sink, "target", "test-classes"), os.path.join(target, "classes"))
    listed = one(os.path.join(sink, "target", "test-classpath.txt"), remedy)
    console = one(os.path.join(sink, "target", "junit-console.jar"), remedy)
    with open(listed, encoding="utf-8") as file:
        entries = [entry for entry in file.read().strip().split(os.pathsep) if entry.endswith(".jar")]
    there = {os.path.basename(jar): jar for jar in jars}
    os.makedirs(os.path.join(target, "lib"))
    own = [name for name in there if name.startswith("millrace-gpu-sink-")]
    if len(own) != 1:
        raise Failure(f"expected one millrace-gpu-sink jar in the distribution, found {len(own)}")
    # The order is Maven's. The console contains JUnit itself, so that the other jars of JUnit are not needed.
    shutil.copy(console, os.path.join(target, "lib"))
    class_path = [os.path.join("tests", "classes"), os.path.join("tests", "lib", os.path.basename(console))]
    for jar in [there[own[0]], *entries]:
        name = os.path.basename(jar)
        if core:
            if not name.startswith(CORE_LIBRARIES) or name.endswith(TEST_JAR):
                continue
            copied = os.path.join(target, "lib", name)
            (driver_alone if name.startswith(JCUDA_NATIVES) else shutil.copy)(there.get(name, jar), copied)
            class_path.append(os.path.join("tests", "lib", name))
        elif name in there:
            class_path.append(os.path.relpath(there[name], os.path.dirname(target)))
        elif not name.startswith(UNUSED_BY_TESTS):
            shutil.copy(jar, os.path.join(target, "lib", name))
            class_path.append(os.path.join("tests", "lib", name))
    with open(os.path.join(target, "classpath.txt"), "w", encoding="utf-8") as file:
        file.writelines(entry + "\n" for entry in class_path)
    with open(os.path.join(target, "classes.txt"), "w", encoding="utf-8") as file:
        file.writelines(name + "\n" for name in names)


def driver_alone(jar, target):
    """Copies JCuda's jar of native libraries without those of other libraries than the driver."""
    with zipfile.ZipFile(jar) as read, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as written:
        kept = [entry for entry in read.infolist() if not entry.filename.endswith(".so") or JCUDA_DRIVER in entry.filename]
        if not any(entry.filename.endswith(".so") for entry in kept):
            raise Failure(f"{jar} has no library {JCUDA_DRIVER}")
        for entry in kept:
            written.writestr(entry, read.read(entry))


def client(tree, target):
    """Copies the Python client, and the scripted server and the stand-in for CUDA of its tests."""
    source = os.path.join(tree, "python")
    shutil.copytree(os.path.join(source, "millrace"), os.path.join(target, "millrace"), ignore=shutil.ignore_patterns("__pycache__"))
    os.makedirs(os.path.join(target, "tests"))
    for name in ("__init__.py", "cuda.py", "peer.py"):
        shutil.copy(os.path.join(source, "tests", name), os.path.join(target, "tests"))


def tagged(folder):
    """Returns the names of the test classes that are tagged "gpu"."""
    names = []
    for path in glob.glob(os.path.join(folder, "**", "*.java"), recursive=True):
        with open(path, encoding="utf-8") as file:
            if re.search(r'^@Tag\("gpu"\)', file.read(), re.MULTILINE):
                names.append(os.path.relpath(path, folder)[: -len(".java")].replace(os.sep, "."))
    if not names:
        raise Failure(f'no class in {folder} has @Tag("gpu")')
    return sorted(names)


class Parcels(io.RawIOBase):
    """A stream that is written to files of a limited size, and their checksums."""

    def __init__(self, folder, limit):
        self._folder = folder
        self._limit = limit
        self._file = None
        self._digest = None
        self._written = 0
        self.made = []

    def writable(self):
        return True

    def write(self, data):
        view = memoryview(data).cast("B")
        at = 0
        while at < len(view):
            if self._file is None:
                name = f"{PARCEL}{len(self.made) + 1:03d}"
                self._file = open(os.path.join(self._folder, name), "wb")
                self._digest = hashlib.sha256()
                self._written = 0
                self.made.append({"name": name})
            part = view[at : at + self._limit - self._written]
            self._file.write(part)
            self._digest.update(part)
            self._written += len(part)
            at += len(part)
            if self._written == self._limit:
                self._finish()
        return len(view)

    def _finish(self):
        self._file.close()
        self.made[-1].update(bytes=self._written, sha256=self._digest.hexdigest())
        self._file = None

    def close(self):
        if self._file is not None:
            self._finish()
        super().close()


def check_out(folder):
    """Requires that a folder is new, empty, or has an older kit."""
    if not os.path.lexists(folder):
        return
    if not os.path.isdir(folder):
        raise Failure(f"--out {folder}: expected a folder, found a file")
    if not os.listdir(folder):
        return
    try:
        with open(os.path.join(folder, MANIFEST), encoding="utf-8") as file:
            manifest = json.load(file)
    except (FileNotFoundError, ValueError):
        manifest = None
    if not isinstance(manifest, dict) or manifest.get("folder") not in (FOLDER, CORE_FOLDER) or "parcels" not in manifest:
        raise Failure(f"--out {folder}: expected a new or empty folder, or one with the {MANIFEST} of an older kit; found other files")


def empty(folder):
    """Deletes the files of an older kit and leaves all others. The manifest goes last: without it the folder is refused."""
    parcels = [name for name in os.listdir(folder) if re.fullmatch(re.escape(PARCEL) + "[0-9]{3,}", name)]
    for name in (*parcels, UNPACK, MANIFEST):
        path = os.path.join(folder, name)
        if os.path.lexists(path):
            os.remove(path)


def pack(kit, folder, limit, facts, name=FOLDER):
    """Writes a folder as parcels, with their manifest and the script that unpacks them. The same folder gives the same bytes."""
    check_out(folder)
    os.makedirs(folder, exist_ok=True)
    empty(folder)
    parcels = Parcels(folder, limit)
    with gzip.GzipFile(filename="", fileobj=parcels, mode="wb", compresslevel=6, mtime=0) as compressed:
        with tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for path in sorted(walk(kit)):
                member = tar.gettarinfo(path, os.path.join(name, os.path.relpath(path, kit)))
                member.uid = member.gid = member.mtime = 0
                member.uname = member.gname = ""
                if member.isreg():
                    with open(path, "rb") as file:
                        tar.addfile(member, file)
                else:
                    tar.addfile(member)
    parcels.close()
    manifest = {"folder": name, **facts, "parcels": parcels.made}
    with open(os.path.join(folder, MANIFEST), "w", encoding="utf-8") as file:
        json.dump(manifest, file, indent=1)
        file.write("\n")
    shutil.copy(os.path.join(OWN, UNPACK), folder)
    return manifest


def walk(kit):
    yield kit
    for folder, folders, files in os.walk(kit):
        for name in folders + files:
            yield os.path.join(folder, name)


def size(text):
    found = re.fullmatch(r"([0-9]+)MiB", text)
    if not found or not 0 < int(found[1]) * MIB <= LARGEST_PARCEL:
        raise argparse.ArgumentTypeError(f"expected 1MiB to 64MiB, found '{text}'")
    return int(found[1]) * MIB


def assemble(options, kit):
    archive = options.distribution or one(
        os.path.join(TREE, "dist", "target", "millrace-*-linux-x86_64.tar.gz"), "run 'mvn -B package -Pdist -DskipTests'"
    )
    # The core has the distribution's jars, but not the distribution.
    with tempfile.TemporaryDirectory() as work:
        jars = distribution(archive, os.path.join(work if options.core else kit, "millrace"))
        java_runtime(os.path.join(kit, "jre"), CORE_JAVA_MODULES if options.core else JAVA_MODULES)
        tests(TREE, os.path.join(kit, "tests"), jars, options.core)
        finish(options, kit, jars)


def finish(options, kit, jars):
    """Adds what both kits have in common."""
    client(TREE, os.path.join(kit, "python"))
    bridge(options.djl, os.path.join(kit, "bridge"), jars)
    for folder in options.headers:
        if not os.path.isdir(folder):
            raise Failure(f"--headers {folder}: there is no such folder")
        shutil.copytree(folder, os.path.join(kit, "headers"), dirs_exist_ok=True)
    os.makedirs(os.path.join(kit, "stub"))
    for source in ("cuda_stub.c", "nvml_stub.c"):
        shutil.copy(os.path.join(TREE, "gpu-sink", "src", "test", "native", source), os.path.join(kit, "stub"))
    for script in SCRIPTS:
        shutil.copy(os.path.join(OWN, script), kit)


def commit():
    try:
        return run(["git", "-C", TREE, "describe", "--always", "--dirty", "--abbrev=12"]).strip()
    except Failure:
        return None


def main(arguments):
    parser = argparse.ArgumentParser(description="Packs the GPU kit into parcels of at most 64 MiB.")
    parser.add_argument("--core", action="store_true", help="pack what the first call needs, as one parcel of at most 50 MiB")
    parser.add_argument("--out", help="default: gpu-kit, or gpu-kit-core with --core, in dist/target;"
                        " the folder for the parcels: a new or empty one, or one with an older kit, whose files are replaced")
    parser.add_argument("--limit", type=size, help="the size of a parcel, at most 64MiB; default: 48MiB, and 50MiB with --core")
    parser.add_argument("--distribution", help="the archive; default: the one in dist/target")
    parser.add_argument("--djl", default=DJL_REPOSITORY, help="the git repository of DJL, an address or a folder; default: " + DJL_REPOSITORY)
    parser.add_argument("--headers", action="append", default=[], metavar="FOLDER",
                        help="a folder with headers of CUDA to pack, for a machine without them; may be repeated")
    options = parser.parse_args(arguments)
    if options.core and options.limit is not None:
        parser.error("--limit: the core is one parcel; leave --limit out")
    name = CORE_FOLDER if options.core else FOLDER
    options.out = options.out or os.path.join(TREE, "dist", "target", "gpu-kit-core" if options.core else "gpu-kit")
    try:
        check_out(options.out)  # before the minutes of work
        with tempfile.TemporaryDirectory() as work:
            kit = os.path.join(work, name)
            os.makedirs(kit)
            assemble(options, kit)
            limit = CORE_LIMIT if options.core else options.limit or 48 * MIB
            manifest = pack(kit, options.out, limit, {"commit": commit(), "djl": DJL_VERSION}, name)
        if options.core and len(manifest["parcels"]) > 1:
            raise Failure(f"the core has more than {CORE_LIMIT // MIB} MiB, in {options.out}: leave out a library of CORE_LIBRARIES or a module of Java")
    except Failure as e:
        print(f"pack.py: {e}", file=sys.stderr)
        return 1
    except OSError as e:  # a full disk names no file
        print(f"pack.py: {e}" if e.filename else f"pack.py: --out {options.out}: {e}", file=sys.stderr)
        return 1
    total = sum(parcel["bytes"] for parcel in manifest["parcels"])
    print(f"{len(manifest['parcels'])} parcels, {total / MIB:.1f} MiB, in {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
