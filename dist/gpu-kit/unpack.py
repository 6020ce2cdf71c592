#!/usr/bin/env python3
"""Checks the parcels of the GPU kit and unpacks them: python3 unpack.py [--parcels FOLDER] [--to FOLDER].

It reads manifest.json beside the parcels. Nothing is unpacked unless all parcels are there with the recorded sizes and
checksums, and an existing kit is never changed: two releases in one folder would mix their jars. Python 3.8 and its standard library are all that it needs.
"""

import argparse
import hashlib
import io
import json
import os
import shutil
import sys
import tarfile
import tempfile
import zlib

MANIFEST = "manifest.json"
BLOCK = 1 << 20


class Unusable(Exception):
    """The parcels cannot be used; the message lists every problem."""


def read_manifest(folder):
    path = os.path.join(folder, MANIFEST)
    try:
        with open(path, encoding="utf-8") as file:
            manifest = json.load(file)
    except FileNotFoundError:
        raise Unusable(f"there is no {path}: expected the manifest that pack.py wrote beside the parcels") from None
    except ValueError as e:
        raise Unusable(f"{path} is no JSON: {e}") from None
    try:
        folder, parcels = manifest["folder"], manifest["parcels"]
        whole = isinstance(folder, str) and all(
            isinstance(parcel["name"], str) and isinstance(parcel["bytes"], int) and isinstance(parcel["sha256"], str) for parcel in parcels
        )
    except (KeyError, TypeError):
        whole = False
    if not whole:
        raise Unusable(f"{path}: expected 'folder' and 'parcels', each with 'name', 'bytes' and 'sha256', as pack.py writes them")
    if folder in ("", ".", "..") or "/" in folder:
        raise Unusable(f"{path}: expected the name of a folder, found '{folder}'")
    return manifest


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(BLOCK), b""):
            digest.update(block)
    return digest.hexdigest()


def problems(folder, manifest):
    """Returns a sentence for each parcel that is missing or damaged."""
    found = []
    for parcel in manifest["parcels"]:
        path = os.path.join(folder, parcel["name"])
        if not os.path.isfile(path):
            found.append(f"{parcel['name']} is missing")
        elif os.path.getsize(path) != parcel["bytes"]:
            found.append(f"{parcel['name']}: expected {parcel['bytes']} bytes, found {os.path.getsize(path)}")
        elif sha256(path) != parcel["sha256"]:
            found.append(f"{parcel['name']}: its SHA-256 differs from that in {MANIFEST}")
    return found


class Joined(io.RawIOBase):
    """The bytes of several files, one after another."""

    def __init__(self, paths):
        self._left = list(paths)
        self._file = None

    def readable(self):
        return True

    def readinto(self, buffer):
        while True:
            if self._file is None:
                if not self._left:
                    return 0
                self._file = open(self._left.pop(0), "rb")
            read = self._file.readinto(buffer)
            if read:
                return read
            self._file.close()
            self._file = None

    def close(self):
        if self._file is not None:
            self._file.close()
            self._file = None
        super().close()


def unpack(folder, target):
    """Unpacks the parcels of a folder into another folder and returns the folder of the kit."""
    manifest = read_manifest(folder)
    kit = os.path.join(target, manifest["folder"])
    if os.path.lexists(kit):
        raise Unusable(f"{kit} exists already: move or delete it (it may have results), or use another folder with --to")
    found = problems(folder, manifest)
    if found:
        raise Unusable(f"{len(found)} of {len(manifest['parcels'])} parcels in {folder} cannot be used: " + "; ".join(found))
    paths = [os.path.join(folder, parcel["name"]) for parcel in manifest["parcels"]]
    os.makedirs(target, exist_ok=True)
    # Unpacked beside its place, so that a kit with the right name is always a whole one.
    part = tempfile.mkdtemp(prefix=manifest["folder"] + ".part-", dir=target)
    try:
        extract(paths, manifest["folder"], part)
        os.rename(os.path.join(part, manifest["folder"]), kit)
    except (tarfile.TarError, EOFError, zlib.error) as e:
        raise Unusable(f"the parcels in {folder} have the recorded checksums, but are no archive: {e}") from None
    finally:
        shutil.rmtree(part)
    return kit


def extract(paths, folder, target):
    with io.BufferedReader(Joined(paths), BLOCK) as joined, tarfile.open(fileobj=joined, mode="r|gz") as archive:
        for member in archive:
            names = member.name.split("/")
            if names[0] != folder or ".." in names:
                raise Unusable(f"the kit contains {member.name}, which is outside of its folder {folder}")
            archive.extract(member, target)
    if not os.path.isdir(os.path.join(target, folder)):
        raise Unusable(f"the parcels contain no folder {folder}")


def main(arguments):
    parser = argparse.ArgumentParser(description="Checks the parcels of the GPU kit and unpacks them.")
    own = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--parcels", default=own, help="the folder with manifest.json and the parcels; default: that of this script")
    parser.add_argument("--to", default=".", help="the folder in which the kit's folder is created; default: the current one")
    options = parser.parse_args(arguments)
    try:
        kit = unpack(options.parcels, options.to)
    except Unusable as e:
        print(f"unpack.py: {e}", file=sys.stderr)
        return 1
    except OSError as e:  # a full disk names no file
        print(f"unpack.py: {e}" if e.filename else f"unpack.py: --to {options.to}: {e}", file=sys.stderr)
        return 1
    print(f"the kit is in {kit}; next: python3 {os.path.join(kit, 'run.py')} --first")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
