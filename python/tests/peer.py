"""A scripted server for tests, written from docs/develop/serving.md alone: it shares no code with the client."""

import hashlib
import hmac
import json
import mmap
import os
import secrets
import socket
import ssl
import struct
import tempfile
import threading

import numpy as np

HELLO, PLAN, MEMORY, MAPPED, SEEK, BATCH, RETURN, STEP, WAIT, END, ERROR, BYE, REDIRECT, CHALLENGE, PROOF, JOIN = range(
    1, 17
)
SHARED_PREFIX = "millrace-test-%d-" % os.getpid()
TOKEN = "00112233445566778899aabbccddeeff"


def proof(token, side, client, server):
    """Returns the number that shows that a side knows the token."""
    return hmac.new(token.encode(), b"millrace %s %s %s" % (side, client.encode(), server.encode()), hashlib.sha256).hexdigest()


def message(kind, generation=0, number=0, a=0, b=0, flags=0):
    return struct.pack("<HHIQQQ", kind, flags, generation, number, a, b)


def text_message(kind, value):
    payload = value if isinstance(value, bytes) else json.dumps(value).encode()
    return message(kind, b=len(payload), flags=1) + payload


def layout(rows, shape=(4, 5, 3), sequence=0):
    """Returns the fields of a buffer for some rows, and the bytes of the buffer. `sequence` is the length of packed sequences."""
    place = 64
    fields = []

    def add(name, dtype, extents, form, kind, size, varies=0):
        nonlocal place
        place = (place + 63) & ~63
        entry = {"name": name, "dtype": dtype, "shape": list(extents), "form": form, "kind": kind, "from": dtype}
        entry.update(offset=place, offsets=None)
        if varies:
            entry["offsets"] = (place + 16 + 63) & ~63
            place = (entry["offsets"] + 8 * (rows + 1) + 63) & ~63
            place += varies
        else:
            place += size * rows
        fields.append(entry)

    add("__index__", "int64", (), "dense", "tensor", 8)
    add("__position__", "int64", (), "dense", "tensor", 8)
    add("__weight__", "float32", (), "dense", "tensor", 4)
    add("label", "int64", (), "dense", "tensor", 8)
    add("image", "uint8", shape, "dense", "image", int(np.prod(shape)))
    add("mask", "uint8", (3, 5, 1), "bits", "mask", 2)
    add("half", "bfloat16", (3,), "dense", "tensor", 6)
    add("boxes", "float32", (4,), "ragged", "ragged", 0, 16 * 3 * rows)
    add("words", "float32", (7,), "sparse", "tensor", 0, 8 * 7 * rows)
    if sequence:
        add("tokens", "int32", (sequence,), "dense", "tensor", 4 * sequence)
        add("lengths", "int32", (), "ragged", "ragged", 0, 4 * sequence * rows)
        add("label_mask", "uint8", (sequence,), "dense", "tensor", sequence)
    return fields, (place + 4095) & ~4095


def expected(step, rows, shape=(4, 5, 3), present=None):
    """Returns the arrays of a batch by name; boxes as a list of rows."""
    whole = list(range(rows)) if present is None else present
    positions = np.array([step * rows + i for i in whole], np.int64)
    count = int(np.prod(shape))
    values = {
        "__position__": positions,
        "__weight__": np.ones(len(positions), np.float32),
        "__index__": positions * 3 % 101,
        "label": positions % 10,
        "image": ((positions[:, None] * 31 + np.arange(count)) % 256).astype(np.uint8).reshape((-1, *shape)),
        "mask": ((positions[:, None] + np.arange(15)) % 3 == 0).astype(np.uint8).reshape((-1, 3, 5, 1)),
        "half": (positions[:, None] % 8 + np.array([0, 0.5, -2])).astype(np.float32),
        "boxes": [np.full((p % 3, 4), p, np.float32) for p in positions],
        "words": np.where((positions[:, None] + np.arange(7)) % 3 == 0, positions[:, None] + 1.0, 0).astype(np.float32),
    }
    return values


def padded(shape=(4, 5, 3)):
    """Returns the arrays of a batch whose only row is padded."""
    values = expected(0, 1, shape)
    values = {name: np.zeros_like(rows) for name, rows in values.items() if name != "boxes"}
    values.update(boxes=[np.zeros((1, 4), np.float32)], __position__=np.array([-1]), __index__=np.array([-1]))
    return values


def buffer_bytes(fields, step, generation, rows, epoch=0, present=None, shape=(4, 5, 3), values=None, pad=False):
    """Returns the bytes of a buffer."""
    pads = 1 if present == [] and pad else 0
    values = values or (padded(shape) if pads else expected(step, rows, shape, present))
    count = len(values["__index__"])
    data = bytearray(max(f["offset"] for f in fields) + 1)
    end = 64

    def put(offset, raw):
        nonlocal end
        end = max(end, offset + len(raw))
        if len(data) < end:
            data.extend(bytes(end - len(data)))
        data[offset : offset + len(raw)] = raw

    for field in fields:
        value, offset = values[field["name"]], field["offset"]
        if field["form"] == "bits":
            put(offset, b"".join(np.packbits(row.reshape(-1), bitorder="little").tobytes() for row in value))
        elif field["dtype"] == "bfloat16":
            put(offset, (value.view(np.uint32) >> 16).astype("<u2").tobytes())
        elif field["form"] == "ragged" or field["form"] == "sparse":
            if field["form"] == "ragged":
                lengths = [len(row) for row in value]
                raw = b"".join(row.tobytes() for row in value)
            else:
                lengths = [int((row != 0).sum()) for row in value]
                raw = b"".join(struct.pack("<If", i, row[i]) for row in value for i in np.flatnonzero(row))
            start = (field["offsets"] + 8 * (count + 1) + 7) & ~7
            put(offset, struct.pack("<QQ", start, len(raw)))
            put(field["offsets"], np.concatenate([[0], np.cumsum(lengths)]).astype("<i8").tobytes())
            put(start, raw)
        else:
            put(offset, value.tobytes())
    del data[end:]
    struct.pack_into("<4sIQIIIIQQQQ", data, 0, b"MRB1", generation, step, epoch, count, rows, pads, step * rows, end, 0, 0)
    return bytes(data)


class Gone(Exception):
    """The client has closed its connection."""


class Peer:
    """A server on a thread. `script(connection)` serves one connection; by default `Connection.serve`.

    `received` has all messages of all connections: (type, generation, number, a, b, JSON or None).
    """

    def __init__(self, folder, script=None, tcp=False, tls=None, **options):
        self.options = {"rows": 4, "steps": 10, "epochs": 1, "refuse": (), "buffers": 4, "plan": {}, "token": TOKEN, **options}
        self.script = script or (lambda connection: connection.serve())
        self.tls = tls
        self.received = []
        self.connections = []
        self.errors = []
        self.changed = threading.Condition()
        if tcp:
            self.listener = socket.create_server((tcp if isinstance(tcp, str) else "127.0.0.1", 0))
            self.address = "%s:%d" % self.listener.getsockname()
        else:
            self.path = os.path.join(str(folder), "s%s" % secrets.token_hex(3))
            self.listener = socket.socket(socket.AF_UNIX)
            self.listener.bind(self.path)
            self.listener.listen()
            self.address = "unix:" + self.path
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()

    def _accept(self):
        while True:
            try:
                accepted, _ = self.listener.accept()
            except OSError:
                return
            connection = Connection(self, accepted, len(self.connections))
            with self.changed:
                self.connections.append(connection)
                self.changed.notify_all()
            connection.thread = threading.Thread(target=self._run, args=(connection,), daemon=True)
            connection.thread.start()

    def _run(self, connection):
        try:
            if self.tls is not None:
                connection.socket = self.tls.wrap_socket(connection.socket, server_side=True)
            self.script(connection)
        except (Gone, ConnectionError, ssl.SSLError):
            pass
        except BaseException as e:
            self.errors.append(e)
            raise
        finally:
            connection.close()

    def of(self, kind):
        return [m for m in self.received if m[0] == kind]

    def wait_for(self, condition, seconds=20):
        """Waits until a condition on the received messages holds."""
        with self.changed:
            assert self.changed.wait_for(condition, seconds), "the client did not send what was expected: %r" % self.received

    def stop_listening(self):
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # It has stopped already.

    def close(self):
        self.stop_listening()
        self.listener.close()
        for connection in self.connections:
            connection.hang_up()
        for connection in self.connections:
            connection.thread.join(60)
            assert not connection.thread.is_alive()
        self.thread.join(60)
        assert not self.errors, self.errors

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Connection:
    def __init__(self, peer, accepted, number):
        self.peer = peer
        self.socket = accepted
        self.number = number
        self.memory = None
        self.kind = None
        self.proved = False
        self.free = set()
        self.generation = 0
        self.step = None

    def hang_up(self):
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def close(self):
        self.hang_up()
        self.socket.close()
        self.memory = None

    def send(self, data):
        self.socket.sendall(data)

    def exactly(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise Gone
            data += part
        return data

    def receive(self):
        kind, flags, generation, number, a, b = struct.unpack("<HHIQQQ", self.exactly(32))
        value = json.loads(self.exactly(b)) if flags & 1 else None
        found = (kind, generation, number, a, b, value)
        with self.peer.changed:
            self.peer.received.append(found)
            self.peer.changed.notify_all()
        return found

    def greet(self):
        """Proves that the peer knows the token, and returns what the client asks for and whether it has proved the same."""
        kind, _, _, _, _, hello = self.receive()
        assert kind == HELLO and set(hello) == {"protocol", "version", "nonce"} and hello["protocol"] == 3, hello
        token, nonce = self.peer.options["token"], secrets.token_hex(16)
        version = self.peer.options.get("version", hello["version"])
        self.send(text_message(CHALLENGE, {"version": version, "nonce": nonce, "proof": proof(token, b"server", hello["nonce"], nonce)}))
        kind, _, _, _, _, value = self.receive()
        assert kind == PROOF and set(value) == {"proof"}, value
        self.proved = value["proof"] == proof(token, b"client", hello["nonce"], nonce)
        assert self.proved or value["proof"] is None
        if not self.proved and self.socket.family != socket.AF_UNIX:
            self.send(text_message(ERROR, {"code": "token", "message": "the client has no token"}))
            raise Gone
        kind, _, _, _, _, join = self.receive()
        assert kind == JOIN, kind
        return join

    def plan(self, join):
        options = self.peer.options
        shape = options.get("shape", (4, 5, 3))
        self.fields, self.buffer_size = layout(options["rows"], shape, options.get("sequence", 0))
        if options.get("only"):
            self.fields = [f for f in self.fields if f["name"].startswith("__") or f["name"] in options["only"]]
        steps = options["steps"]
        plan = {
            "protocol": 3, "name": "test", "fingerprint": {"order.seed": "1", "batch.size": "4"},
            "world": join["world"], "rank": join["rank"], "batch": options["rows"],
            "global_batch": options["rows"] * join["world"], "epochs": options["epochs"],
            "steps_per_epoch": (steps or 10) // (options["epochs"] or 1), "steps": steps, "drop_last": True,
            "samples": 100, "classes": ["a", "b"], "fields": self.fields, "capacity": options["rows"],
            "buffer_bytes": self.buffer_size, "buffers": options["buffers"], "transforms": [],
        }  # fmt: skip
        plan.update(options["plan"])
        return plan

    def handshake(self):
        plan = self.plan(self.greet())
        self.send(text_message(PLAN, plan))
        while True:
            kind, _, _, _, _, wish = self.receive()
            assert kind == MEMORY, kind
            self.count = wish["buffers"]
            length = self.count * plan["buffer_bytes"]
            if wish["kind"] in self.peer.options["refuse"]:
                self.send(text_message(MAPPED, {"kind": "refused", "reason": "the test says so"}))
                continue
            answer = {"kind": wish["kind"]}
            if wish["kind"] == "memfd":
                assert wish["bytes"] >= length
                try:
                    with open(wish["path"], "r+b") as file:
                        self.memory = mmap.mmap(file.fileno(), wish["bytes"])
                except OSError:
                    raise Gone from None  # The client died, or was interrupted, in between.
                assert self.memory[:16].hex() == wish["nonce"]
            elif wish["kind"] == "file":
                fd, path = tempfile.mkstemp(prefix=SHARED_PREFIX, dir="/dev/shm")
                os.ftruncate(fd, length)
                self.memory = mmap.mmap(fd, length)
                os.close(fd)
                nonce = secrets.token_bytes(16)
                self.memory[:16] = nonce
                answer.update(path=path, nonce=nonce.hex())
            self.kind = wish["kind"]
            self.free = set(range(self.count))
            self.send(text_message(MAPPED, answer))
            return plan

    def handle(self):
        """Receives one message and applies it."""
        kind, generation, number, a, _, _ = self.receive()
        if kind == SEEK:
            assert generation == self.generation + 1
            self.generation, self.step, self.ended = generation, number, False
        elif kind == RETURN:
            assert a not in self.free, "buffer %d was returned twice" % a
            self.free.add(a)
        elif kind == BYE:
            raise Gone
        else:
            assert kind == STEP, kind

    def batch(self, step, buffer=None, generation=None, inline=None, epoch=None, **how):
        """Sends the batch of a step, in the lowest free buffer."""
        options = self.peer.options
        buffer = min(self.free) if buffer is None else buffer
        self.free.discard(buffer)
        generation = self.generation if generation is None else generation
        epoch = step // max(1, (options["steps"] or 10) // (options["epochs"] or 1)) if epoch is None else epoch
        shape = options.get("shape", (4, 5, 3))
        if "values" in options:
            how.setdefault("values", options["values"](step, options["rows"]))
        data = buffer_bytes(self.fields, step, generation, options["rows"], epoch=epoch, shape=shape, **how)
        if self.kind == "inline" if inline is None else inline:
            self.send(message(BATCH, generation, step, buffer, len(data), 1) + data)
        else:
            place = buffer * self.buffer_size
            self.memory[place : place + len(data)] = data
            self.send(message(BATCH, generation, step, buffer, len(data)))

    def serve(self, until=None, **how):
        """Serves batches, to the end of the run, or until a step."""
        self.handshake()
        self.go_on(until, **how)

    def go_on(self, until=None, **how):
        steps = self.peer.options["steps"]
        while True:
            if self.step is not None and self.step == until:
                return
            if self.step is not None and steps is not None and self.step >= steps and not self.ended:
                self.send(message(END, self.generation, steps))
                self.ended = True
            elif self.step is not None and self.free and not (steps is not None and self.step >= steps):
                self.batch(self.step, **how)
                self.step += 1
                continue
            self.handle()
