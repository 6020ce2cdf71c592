"""Makes vectors/dataset/nested: Parquet and Arrow files with texts of all types, chats and other structs and lists, and what pyarrow
reads in them, as JSON. Made with Python 3.11 and pyarrow 25; run from the repository's root."""

import json
import pathlib
import random

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

FOLDER = pathlib.Path("operators/src/test/resources/vectors/dataset/nested")
FOLDER.mkdir(parents=True, exist_ok=True)
ROWS = 60
RANDOM = random.Random(1)
WORDS = ["", "hé", "a \"quoted\" \\ text", "line\nend\r\t\0", "\u2028", "😀", "x" * 20, "</s>"]


def text(row):
    return None if row % 11 == 7 else WORDS[row % len(WORDS)] + str(row)


def some(make, none=0.2):
    return None if RANDOM.random() < none else make()


def message():
    return {
        "role": RANDOM.choice(["system", "user", "assistant"]),
        "content": some(lambda: RANDOM.choice(WORDS)),
        "tool_calls": some(
            lambda: [
                some(lambda: {"name": some(lambda: "f"), "arguments": [some(lambda: RANDOM.choice(WORDS)) for _ in range(RANDOM.randrange(3))]})
                for _ in range(RANDOM.randrange(3))
            ],
            0.6,
        ),
    }


def deep():
    return [some(lambda: [some(lambda: [some(lambda: RANDOM.randrange(9)) for _ in range(RANDOM.randrange(3))]) for _ in range(RANDOM.randrange(3))]) for _ in range(RANDOM.randrange(4))]


call = pa.struct([("name", pa.string()), ("arguments", pa.list_(pa.string()))])
chat = pa.list_(pa.struct([("role", pa.string()), ("content", pa.large_string()), ("tool_calls", pa.list_(call))]))
numbers = pa.struct(
    [(name, kind) for name, kind in [("b", pa.bool_()), ("i8", pa.int8()), ("u8", pa.uint8()), ("i16", pa.int16()), ("u16", pa.uint16()),
     ("i32", pa.int32()), ("u32", pa.uint32()), ("i64", pa.int64()), ("u64", pa.uint64()), ("f32", pa.float32()), ("f64", pa.float64())]]
)


def number(row):
    top = {"b": True, "i8": -128, "u8": 255, "i16": -32768, "u16": 65535, "i32": -(2**31), "u32": 2**32 - 1, "i64": -(2**63), "u64": 2**63 - 1,
           "f32": 0.1, "f64": 1e300}
    return None if row % 7 == 3 else {key: some(lambda: value if row % 2 else type(value)(row % 2)) for key, value in top.items()}


columns = {
    "string": pa.array([text(i) for i in range(ROWS)], pa.string()),
    "large": pa.array([text(i) for i in range(ROWS)], pa.large_string()),
    "view": pa.array([text(i) for i in range(ROWS)], pa.string_view()),
    "dictionary": pa.array([text(i % 9) for i in range(ROWS)]).dictionary_encode(),
    "messages": pa.array([some(lambda: [message() for _ in range(RANDOM.randrange(4))], 0.1) for _ in range(ROWS)], chat),
    "required": pa.array(
        [[{"k": [str(i)] * (i % 3)}] * (i % 4) for i in range(ROWS)],
        pa.list_(pa.field("item", pa.struct([pa.field("k", pa.list_(pa.field("item", pa.string(), nullable=False)), nullable=False)]), nullable=False)),
    ),
    "preference": pa.array([{"prompt": "p", "chosen": some(lambda: "c"), "rejected": [some(message)]} for _ in range(ROWS)],
                           pa.struct([("prompt", pa.string()), ("chosen", pa.string()), ("rejected", chat)])),
    "strings": pa.array([some(lambda: [some(lambda: RANDOM.choice(WORDS)) for _ in range(RANDOM.randrange(4))]) for _ in range(ROWS)], pa.list_(pa.string())),
    "deep": pa.array([some(deep) for _ in range(ROWS)], pa.list_(pa.list_(pa.list_(pa.int32())))),
    "numbers": pa.array([number(i) for i in range(ROWS)], numbers),
}
arrow = {
    "named": pa.array([[{"kind": ["x", "y", None][i % 3]}] for i in range(ROWS)]).cast(pa.list_(pa.struct([("kind", pa.dictionary(pa.int8(), pa.string()))]))),
    "fixed": pa.array([some(lambda: [some(lambda: 1.5), 2.0]) for _ in range(ROWS)], pa.list_(pa.float64(), 2)),
    "views": pa.array([some(lambda: ["x" * RANDOM.randrange(30)] * 2) for _ in range(ROWS)], pa.list_view(pa.string_view())),
}


def expected(table):
    return {
        name: [value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
               for value in table.column(name).to_pylist()]
        for name in table.column_names
    }


table = pa.table(columns)
whole = pa.table({**columns, **arrow})
for name, options in {
    "plain": {"use_dictionary": False, "compression": "none"},
    "v2": {"data_page_version": "2.0", "compression": "snappy"},
    "pages": {"data_page_size": 64, "write_batch_size": 4, "row_group_size": 25, "write_page_index": True},
    "old": {"use_compliant_nested_type": False, "version": "1.0"},
}.items():
    pq.write_table(table, FOLDER / f"{name}.parquet", **options)
    assert expected(pq.read_table(FOLDER / f"{name}.parquet")) == expected(table), name
with pa.ipc.new_file(FOLDER / "file.arrow", whole.schema) as out:
    out.write_table(whole, max_chunksize=17)
with pa.ipc.new_stream(FOLDER / "stream.arrow", whole.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as out:
    out.write_table(whole.slice(0))
pa.feather.write_feather(whole, FOLDER / "feather.arrow", compression="lz4")
(FOLDER / "values.json").write_text(json.dumps(expected(whole), indent=0) + "\n")
print({path.name: path.stat().st_size for path in sorted(FOLDER.iterdir())})
