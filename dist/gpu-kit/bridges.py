"""The compiled bridge between Java and libtorch as a file that a later call accepts, on a machine with the same PyTorch."""

import hashlib
import io
import json
import os
import tarfile
import zlib

FILE = "bridge.tar.gz"
FACTS = "bridge.json"
LIBRARY = "libdjl_torch.so"
# What must be the same as on the machine that compiled it, and what a sentence calls it.
COMPARED = {"torch": "PyTorch", "cuda": "CUDA", "djl": "DJL"}


def write(library, facts, folder):
    """Writes the bridge, and for which versions it was compiled, into a file of a folder, at once."""
    with open(library, "rb") as file:
        data = file.read()
    found = {name: facts[name] for name in COMPARED}
    found["sha256"] = hashlib.sha256(data).hexdigest()
    path = os.path.join(folder, FILE)
    with tarfile.open(path + ".new", "w:gz") as tar:
        for name, content in ((FACTS, json.dumps(found).encode()), (LIBRARY, data)):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    os.replace(path + ".new", path)


def read(path, facts, library):
    """Writes the library of such a file to its place. Returns None, or the sentence that says why it cannot be used here."""
    try:
        with tarfile.open(path, "r:gz") as tar:
            found = json.loads(member(tar, FACTS))
            data = member(tar, LIBRARY)
    except (OSError, EOFError, ValueError, KeyError, tarfile.TarError, zlib.error) as e:
        return f"{path}: expected an archive with {FACTS} and {LIBRARY}, as a call of this script writes it; it cannot be read: {e}"
    if not isinstance(found, dict):
        return f"{path}: {FACTS} is no object"
    for name, words in COMPARED.items():
        if found.get(name) != facts[name]:
            return f"{path} was compiled for {words} {found.get(name)}: expected {words} {facts[name]}"
    if found.get("sha256") != hashlib.sha256(data).hexdigest():
        return f"{path}: the SHA-256 of {LIBRARY} differs from that in {FACTS}"
    with open(library + ".new", "wb") as file:
        file.write(data)
    os.replace(library + ".new", library)
    return None


def member(tar, name):
    file = tar.extractfile(name)
    if file is None:
        raise ValueError(f"{name} is no file")
    return file.read()
