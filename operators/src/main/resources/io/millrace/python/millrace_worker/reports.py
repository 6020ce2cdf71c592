"""Sentences about exceptions of user code."""

import os
import traceback

MOST_TEXT = 500

# The file names of this program in tracebacks begin with this text.
PROGRAM = "<millrace worker>"


def summary(error):
    """Returns the type of an exception and the first line of its text, such as `ValueError: no`."""
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ in ("builtins", "__main__") else kind.__module__ + "." + kind.__qualname__
    try:
        text = error.msg if isinstance(error, SyntaxError) else str(error)
    except Exception as e:
        text = "its text cannot be made: " + type(e).__qualname__
    lines = [line.strip() for line in str(text).splitlines() if line.strip()]
    return "%s: %s" % (name, lines[0]) if lines else name


def reason(error, folders):
    """Returns the last line of the user's code and the error; lines of the folders precede those of libraries."""
    what = summary(error)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(PROGRAM)]
    own = [frame for frame in frames if os.path.abspath(frame.filename).startswith(tuple(folders))]
    if not frames:
        return what
    last = (own or frames)[-1]
    return "%s:%d: %s" % (os.path.basename(last.filename), last.lineno, what)


def cut(text):
    text = " ".join(text.split())
    return text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + "..."
