"""The import of the user's objects."""

import importlib
import inspect
import os
import sys
import traceback

from millrace_worker.errors import WrongPipeline
from millrace_worker.reports import summary


def load(settings):
    """Returns what `call` names, or what it returns with `args`, and the words for it in messages."""
    word = settings["call"]
    found = found_in(settings)
    if settings["args"] is not None or inspect.isclass(found):
        found = made(word, found, settings["args"] or {})
        word += "(...)"
    return found, word


def found_in(settings):
    """Returns what `call` names."""
    for path in settings["path"]:
        if not os.path.exists(path):
            raise WrongPipeline(
                "python.path: there is no folder or zip file %s on machine %s" % (path, os.uname().nodename)
            )
    sys.path[:0] = settings["path"]
    module_name, _, attributes = settings["call"].partition(":")
    found = imported(module_name, settings["path"])
    for attribute in attributes.split("."):
        try:
            found = getattr(found, attribute)
        except AttributeError as e:
            raise WrongPipeline("%s has no '%s': %s" % (module_name, attribute, e)) from None
    return found


def imported(module_name, paths):
    try:
        return importlib.import_module(module_name)
    except BaseException as e:
        machinery = os.path.dirname(importlib.__file__)
        frames = [f for f in traceback.extract_tb(e.__traceback__) if not f.filename.startswith((machinery, "<"))]
        where = " (%s:%d)" % (frames[-1].filename, frames[-1].lineno) if frames else ""
        if isinstance(e, SyntaxError):
            where = " (%s:%s)" % (e.filename, e.lineno)
        raise WrongPipeline(
            "cannot import %s from %s: %s%s" % (module_name, ", ".join(paths), summary(e), where)
        ) from e


def made(word, factory, arguments):
    if not callable(factory):
        raise WrongPipeline("%s is of type %s, which cannot be called with args" % (word, type(factory).__name__))
    try:
        return factory(**arguments)
    except Exception as e:
        traceback.print_exc()
        called = ", ".join("%s=%r" % item for item in arguments.items())
        raise WrongPipeline("%s(%s) failed: %s" % (word, called, summary(e))) from e


def prepare_torch(needed):
    """Imports torch if it is needed, and gives it one thread: there is a worker for each slot."""
    if needed:
        try:
            importlib.import_module("torch")
        except ImportError as e:
            raise WrongPipeline("tensors: true needs torch in %s: %s" % (sys.executable, e)) from None
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)
