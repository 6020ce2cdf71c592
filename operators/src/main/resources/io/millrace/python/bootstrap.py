# The beginning of a worker: PythonWorker passes this text to `python -c`. It runs with any version of Python, so that it can
# report one that is too old. Standard input and output are the control channel. The user's code gets other ones.
import json, os, struct, sys


def read(count):
    data = b""
    while len(data) < count:
        more = os.read(incoming, count - len(data))
        if not more:
            os._exit(0)
        data += more
    return data


def fail(reason):
    message = '{"error": "%s", "interpreter": true}' % reason.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    message = message.encode("ascii", "replace")
    os.write(outgoing, struct.pack("<I", len(message)) + message)


class Program:
    """The finder and the loader of the program, whose modules are texts that Java has sent."""

    def __init__(self, texts):
        self.texts = texts

    def find_spec(self, name, path=None, target=None):
        if name not in self.texts:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package="." not in name)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        text = self.texts[module.__name__]
        # The name begins in this way in tracebacks, where linecache shows the lines.
        name = "<millrace worker>/" + module.__name__.replace(".", "/") + ".py"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        exec(compile(text, name, "exec"), module.__dict__)


incoming, outgoing = os.dup(0), os.dup(1)
# Java opens the descriptors 0 and 1 of this process before it sends anything. They are replaced after that.
texts = json.loads(read(struct.unpack("<I", read(4))[0]).decode())
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
    import importlib.machinery
    import linecache

    sys.meta_path.insert(0, Program(texts))
    importlib.import_module("millrace_worker.main").serve(incoming, outgoing)
while os.read(incoming, 65536):
    pass
