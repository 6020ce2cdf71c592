"""Writes the files that the tests of tfrecord, npy and cifar read: python record_vectors.py ../resources/vectors/dataset

TFRecords by TensorFlow's TFRecordWriter, arrays by numpy.save, and CIFAR's files in the layout that
https://www.cs.toronto.edu/~kriz/cifar.html describes.
"""

import hashlib
import pathlib
import sys

import numpy as np
import tensorflow as tf

folder = pathlib.Path(sys.argv[1])


def sha(content):
    return hashlib.sha256(content).hexdigest()


def picture(seed, height=5, width=7):
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def of_bytes(*values):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))


def of_floats(values):
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


def of_ints(values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def tfrecord():
    out = folder / "tfrecord"
    out.mkdir(parents=True, exist_ok=True)
    lines = []
    for shard in range(2):
        name = f"train-0000{shard}-of-00002.tfrecord"
        with tf.io.TFRecordWriter(str(out / name)) as writer:
            for number in range(3 + shard):
                seed = shard * 10 + number
                encoded = tf.io.encode_jpeg(picture(seed)).numpy()
                boxes = np.random.default_rng(seed).normal(size=4 * number).astype("<f4")
                ids = np.array([-seed, 2**40 + seed], "<i8")
                example = tf.train.Example(
                    features=tf.train.Features(
                        feature={
                            "image/encoded": of_bytes(encoded),
                            "image/class/label": of_ints([seed * 3]),
                            "image/class/text": of_bytes(f"Klasse {seed} ä".encode()),
                            "boxes": of_floats(boxes),
                            "ids": of_ints(ids),
                            "empty": tf.train.Feature(),
                        }
                    )
                )
                writer.write(example.SerializeToString())
                fields = {"image": encoded, "text": f"Klasse {seed} ä".encode(), "ids": ids.tobytes()}
                hashes = [f"{field}={sha(content)}" for field, content in fields.items()]
                lines.append("\t".join([f"{name}#{number}", str(seed * 3), *hashes]))
    (out / "expected.tsv").write_text("\n".join(lines) + "\n")
    for compression in ("GZIP", "ZLIB"):
        options = tf.io.TFRecordOptions(compression_type=compression)
        with tf.io.TFRecordWriter(str(out / f"{compression.lower()}.tfrecord"), options) as writer:
            writer.write(b"anything" * 10)
    # Not packed, as protocol buffers of before 2.1 and some writers in other languages have it: field 1, one by one.
    numbers = b"".join(b"\x08" + bytes([value]) for value in (7, 8))
    floats = b"".join(b"\x0d" + np.float32(value).tobytes() for value in (0.5, -2))

    def field(number, content):
        return bytes([number << 3 | 2, len(content)]) + content

    entries = field(1, field(1, b"ids") + field(2, field(3, numbers))) + field(
        1, field(1, b"floats") + field(2, field(2, floats))
    )
    with tf.io.TFRecordWriter(str(out / "unpacked.tfrecord")) as writer:
        example = tf.train.Example.FromString(field(1, entries))
        assert list(example.features.feature["ids"].int64_list.value) == [7, 8]
        assert list(example.features.feature["floats"].float_list.value) == [0.5, -2]
        writer.write(field(1, entries))


def npy():
    out = folder / "npy"
    out.mkdir(parents=True, exist_ok=True)
    images = np.stack([picture(seed) for seed in range(4)])
    np.save(out / "images.npy", images)
    np.save(out / "labels.npy", np.array([3, 1, 4, 1], "<i8"))
    np.save(out / "labels-float.npy", np.array([[3], [1], [4], [1]], ">f8"))
    for dtype in "?,u1,i1,<u2,>u2,<i2,>i2,<i4,>i4,<u4,>u4,<i8,>i8,<f2,>f2,<f4,>f4,<f8,>f8".split(","):
        values = (np.arange(12).reshape(4, 3) * 17 - 5).astype(dtype)
        wide = values.astype("<i8") if dtype[-2:] == "u4" else values.astype(values.dtype.newbyteorder("<"))
        name = dtype.replace("<", "little-").replace(">", "big-").replace("?", "bool")
        np.save(out / f"{name}.npy", values)
        (out / f"{name}.bin").write_bytes(wide.tobytes())
    np.save(out / "fortran.npy", np.asfortranarray(images))
    np.save(out / "uint64.npy", np.arange(4, dtype="<u8"))
    np.save(out / "structured.npy", np.zeros(4, [("a", "<i4"), ("b", "<f4")]))
    np.save(out / "strings.npy", np.array(["a", "bc", "d", "e"]))
    np.save(out / "scalar.npy", np.float32(3))
    for version in ((1, 0), (2, 0), (3, 0)):
        with open(out / f"version-{version[0]}.npy", "wb") as file:
            np.lib.format.write_array(file, images, version=version)


def cifar():
    for name, labels, files in (
        ("cifar10", 1, [f"data_batch_{i}.bin" for i in range(1, 6)] + ["test_batch.bin"]),
        ("cifar100", 2, ["train.bin", "test.bin"]),
    ):
        out = folder / name
        out.mkdir(parents=True, exist_ok=True)
        lines = []
        for number, file in enumerate(files):
            content = b""
            for record in range(2):
                seed = number * 2 + record
                pixels = picture(seed, 32, 32) // 64 * 64
                stored = [seed % 10] if labels == 1 else [seed % 20, seed % 100 + 50]
                content += bytes(stored) + pixels.transpose(2, 0, 1).tobytes()
                lines.append("\t".join([f"{file}#{record}", *map(str, stored), sha(pixels.tobytes())]))
            (out / file).write_bytes(content)
        (out / "expected.tsv").write_text("\n".join(lines) + "\n")
    ten = "airplane automobile bird cat deer dog frog horse ship truck"
    (folder / "cifar10" / "batches.meta.txt").write_text(ten.replace(" ", "\n") + "\n\n")


tfrecord()
npy()
cifar()
