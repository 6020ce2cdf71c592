"""The beginning of the program, after the bootstrap that PythonWorker.java passes to the interpreter.

docs/develop/python-workers.md describes the messages. The process needs numpy only.
"""

import importlib
import json
import os
import signal
import sys

from millrace_worker import forks
from millrace_worker.channel import Channel
from millrace_worker.errors import WrongPipeline
from millrace_worker.profile import Profile

# The modules and classes of the kinds of workers.
WORKERS = {
    "dataset": ("millrace_worker.dataset", "DatasetWorker"),
    "transform": ("millrace_worker.transform", "TransformWorker"),
}


def serve(incoming, outgoing):
    """Serves until the control channel ends, whose two ends are not the process's descriptors 0 and 1."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C stops the job, which stops its workers
    forks.end_with_parent()
    channel = Channel(incoming, outgoing)
    start = channel.receive()
    if start is None:
        return
    settings = json.loads(start)
    before = forks.descriptors()
    module, name = WORKERS[settings["worker"]]
    try:
        worker = getattr(importlib.import_module(module), name)(settings)
    except WrongPipeline as e:
        channel.send(json.dumps({"error": str(e), "stage": e.stage}).encode())
        return
    hello = {"pid": os.getpid(), "python": "%d.%d.%d" % sys.version_info[:3], "executable": sys.executable}
    hello.update(worker.hello())
    if not forks.possible():
        worker.alone(hello)
        channel.send(json.dumps(hello).encode())
    else:
        opened = forks.descriptors() - before
        parent = forks.Parent(bytes.fromhex(settings["mark"]), opened)
        if settings["family"] and not forks.connected(opened):
            channel.send(json.dumps({**hello, "family": True}).encode())
            member = parent.family(channel, settings["memory"])
            channel = member.channel
            worker.join(member.memory)
        else:
            worker.alone(hello)
            parent.only(channel, lambda pid: channel.send(json.dumps({**hello, "child": pid}).encode()))
    channel.profile = Profile(settings["path"])
    channel.profile.start()
    worker.run(channel)
