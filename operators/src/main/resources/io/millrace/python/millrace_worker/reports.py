"""Sentences about exceptions of user code."""

import os
import traceback

MOST_TEXT = 500

# The file names of this program in tracebacks begin with this text.
PROGRAM = "<millrace worker>"


def summary(error):
    """Returns the last line of Python's message, such as `ValueError: no`."""
    return "".join(traceback.format_exception_only(type(error), error)).strip().splitlines()[-1]


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
