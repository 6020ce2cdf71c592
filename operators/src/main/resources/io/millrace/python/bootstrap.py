# The beginning of a worker: PythonWorker passes this text to `python -c`. It runs with any version of Python, so that it can
# report one that is too old. Standard input and output are the control channel. The user's code gets other ones.
import os, struct, sys


def read(count):
    data = b""
    while len(data) < count:
        more = os.read(incoming, count - len(data))
        if not more:
            os._exit(0)
        data += more
    return data


def fail(reason):
    message = '{"error": "%s"}' % reason.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    message = message.encode("ascii", "replace")
    os.write(outgoing, struct.pack("<I", len(message)) + message)


incoming, outgoing = os.dup(0), os.dup(1)
# Java opens the descriptors 0 and 1 of this process before it sends anything. They are replaced after that.
source = read(struct.unpack("<I", read(4))[0])
nothing = os.open(os.devnull, os.O_RDONLY)
os.dup2(nothing, 0)
os.dup2(2, 1)
started = False
if sys.version_info < (3, 9):
    fail("expected Python 3.9 or newer, found %d.%d in %s" % (sys.version_info[0], sys.version_info[1], sys.executable))
else:
    try:
        import numpy

        started = True
    except ImportError as e:
        fail("%s has no numpy: %s" % (sys.executable, e))
if started:
    text = source.decode()
    names = {"__name__": "millrace_worker"}
    exec(compile(text, "<millrace worker>", "exec"), names)
    names["serve"](incoming, outgoing, text)
while os.read(incoming, 65536):
    pass
