"""Writes the archives that TarDatasetTest reads: python tar_vectors.py ../resources/vectors/dataset/tar

By Python's tarfile in its three formats, and by GNU tar (1.34; tarfile of Python 3.11). expected.tsv says what is in them, a line for a sample: archive,
key, label, and name=SHA-256 of each field's bytes as a sample holds them.
"""

import hashlib
import io
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile

import numpy as np
from PIL import Image

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
LONG = "a-folder-with-a-long-name/" * 4
VERY_LONG = "a-folder-with-a-long-name/" * 11


def jpeg(seed):
    pixels = np.random.default_rng(seed).integers(0, 256, (6, 8, 3), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "JPEG", quality=50)
    return out.getvalue()


def png(seed):
    out = io.BytesIO()
    Image.fromarray(np.random.default_rng(seed).integers(0, 3, (6, 8), dtype=np.uint8)).save(out, "PNG")
    return out.getvalue()


def npy(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def sample(seed):
    """Members of one sample, and its fields' bytes as they are to be read."""
    boxes = np.random.default_rng(seed).normal(size=(seed + 1, 4)).astype(np.float32)
    text = f"Bild {seed}: ein Müllerbursche".encode()
    meta = json.dumps({"label": seed + 100, "box": [1, 2, 3, seed], "name": f"n{seed}"}).encode()
    members = {
        "jpg": jpeg(seed),
        "cls": f"{seed * 7}\n".encode(),
        "SEG.png": png(seed),
        "txt": text,
        "json": meta,
        "boxes.npy": npy(np.asfortranarray(boxes) if seed % 2 else boxes.astype(">f4")),
    }
    fields = {
        "image": members["jpg"],
        "mask": members["SEG.png"],
        "txt": text,
        "boxes": boxes.astype("<f4").tobytes(),
        "box": np.array([1, 2, 3, seed], "<i8").tobytes(),
        "name": f"n{seed}".encode(),
        "meta": meta,
    }
    return members, fields, seed * 7


def info(name, content):
    member = tarfile.TarInfo(name)
    member.size = len(content)
    member.mtime = 1_700_000_000
    return member


expected = []


def expect(archive, key, label, fields):
    hashes = [f"{name}={hashlib.sha256(content).hexdigest()}" for name, content in fields.items()]
    expected.append("\t".join([archive, key, str(label), *hashes]))


def write(archive, form, keys):
    with tarfile.open(folder / archive, "w", format=form) as tar:
        tar.addfile(info("__index__/shard.json", b"{}"), io.BytesIO(b"{}"))
        directory = tarfile.TarInfo("train.d")
        directory.type = tarfile.DIRTYPE
        tar.addfile(directory)
        for seed, key in enumerate(keys):
            members, fields, label = sample(seed)
            for suffix, content in members.items():
                tar.addfile(info(f"{key}.{suffix}", content), io.BytesIO(content))
            link = tarfile.TarInfo(f"{key}.link.jpg")
            link.type = tarfile.SYMTYPE
            link.linkname = "0000.jpg" if form == tarfile.USTAR_FORMAT else f"{key}.jpg"
            tar.addfile(link)
            expect(archive, key, label, fields)
        tar.addfile(info("README", b"no suffix"), io.BytesIO(b"no suffix"))


write("ustar.tar", tarfile.USTAR_FORMAT, ["train.d/0000", LONG + "0001", "0002"])
write("gnu.tar", tarfile.GNU_FORMAT, ["train.d/0000", VERY_LONG + "0001", "Mühle", "../../etc/0003"])
write("pax.tar", tarfile.PAX_FORMAT, ["train.d/0000", VERY_LONG + "0001", "Mühle", "/etc/0003"])

# GNU tar itself, as one makes shards by hand: a file with a hole, stored with and without --sparse.
with tempfile.TemporaryDirectory() as temporary:
    root = pathlib.Path(temporary)
    for seed, key in enumerate(["a", "b"]):
        members, fields, label = sample(seed)
        for suffix in ("jpg", "cls"):
            (root / f"{key}.{suffix}").write_bytes(members[suffix])
    (root / "b.hole").write_bytes(b"")
    with open(root / "b.hole", "r+b") as hole:
        for place in range(0, 6):
            hole.seek(place * 131072)
            hole.write(b"x")
    (root / "c.cls").write_bytes(b"3")
    (root / "c.jpg").write_bytes(jpeg(3))
    names = sorted(path.name for path in root.iterdir())
    for archive, options in {
        "by-gnu-tar-sparse.tar": ["--format=gnu", "--sparse"],
        "by-gnu-tar-sparse-pax.tar": ["--format=pax", "--sparse"],
    }.items():
        subprocess.run(
            ["tar", "-C", root, *options, "--mtime=@1700000000", "--owner=0", "--group=0", "-cf", folder / archive, *names],
            check=True,
        )
        for key, seed, label in (("a", 0, 0), ("b", 1, 7), ("c", 3, 3)):
            expect(archive, key, label, {"image": jpeg(seed)})



def read_back(archive):
    """Expects what tarfile reads: hard links with their target's bytes, and archives behind zero blocks."""
    samples = {}
    with tarfile.open(folder / archive, ignore_zeros=True) as tar:
        for member in tar:
            if member.isreg() or member.islnk():
                key, suffix = member.name.rsplit(".", 1)
                samples.setdefault(key, {})[suffix] = tar.extractfile(member).read()
    for key, fields in samples.items():
        expect(archive, key, int(fields["cls"]), {"image": fields["jpg"]})


# Hard links: to a file, to a link, and to a name that is longer than a header's field. tar stores the first name of a
# file with its bytes, and further names as links.
with tempfile.TemporaryDirectory() as temporary:
    root = pathlib.Path(temporary)
    (root / LONG).mkdir(parents=True)
    (root / (LONG + "a.jpg")).write_bytes(jpeg(4))
    (root / (LONG + "a.cls")).write_bytes(b"4")
    for number, key in enumerate(["b", "c"]):
        (root / f"{key}.jpg").hardlink_to(root / (LONG + "a.jpg"))
        (root / f"{key}.cls").write_bytes(str(number).encode())
    (root / "d.cls").hardlink_to(root / "c.cls")
    (root / "d.jpg").write_bytes(jpeg(5))
    (root / "e.jpg").symlink_to("d.jpg")
    names = [LONG + "a.jpg", LONG + "a.cls", *(f"{key}.{suffix}" for key in "bcd" for suffix in ("jpg", "cls")), "e.jpg"]
    pax = ["--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime"]
    for form, options in (("gnu", []), ("pax", pax)):
        archive = f"links-by-gnu-tar-{form}.tar"
        subprocess.run(
            ["tar", "-C", root, "-b", "1", f"--format={form}", *options]
            + ["--mtime=@1700000000", "--owner=0", "--group=0", "--mode=644", "-cf", folder / archive, *names],
            check=True,
        )
        read_back(archive)


def small(form, keys):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as tar:
        for seed, key in enumerate(keys):
            for suffix, content in (("jpg", jpeg(10 + seed)), ("cls", str(seed).encode())):
                tar.addfile(info(f"{key}.{suffix}", content), io.BytesIO(content))
    return out.getvalue()


# As from cat a.tar b.tar c.tar: tarfile fills each archive with zeros to 10,240 bytes.
parts = [small(tarfile.USTAR_FORMAT, "ab"), small(tarfile.GNU_FORMAT, "c"), small(tarfile.PAX_FORMAT, "de")]
(folder / "concatenated.tar").write_bytes(b"".join(parts))
read_back("concatenated.tar")
# One block of zeros between the members of a sample.
one = parts[0].rstrip(b"\0")
one += bytes(-len(one) % 512)
(folder / "zero-block-inside.tar").write_bytes(one[:1536] + bytes(512) + one[1536:] + bytes(1024))
read_back("zero-block-inside.tar")

(folder / "expected.tsv").write_text("\n".join(expected) + "\n")
