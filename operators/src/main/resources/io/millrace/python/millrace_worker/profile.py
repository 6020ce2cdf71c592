"""The profile of the user's code: a thread looks at the running call from time to time, and counts the lines that it finds.

docs/develop/python-workers.md describes the message. No call waits for the profile, and nothing is done for a call.
"""

import _thread
import json
import linecache
import os
import random
import sys
import time
from collections import Counter

from millrace_worker.reports import PROGRAM

# The seconds from one look to the next. A look costs up to 0.2 ms of CPU time, because the thread must get the interpreter.
INTERVAL = 0.025
# The seconds between looks after several that found no call, and between which the thread hardly used a core.
IDLE_INTERVAL = 0.2
# The nanoseconds of CPU time between two looks after which a thread is not idle: its calls may have ended before the looks.
BUSY_NANOS = 1_000_000
# The seconds after which a thread that wants the interpreter gets it from one that computes in Python. With Python's 5 ms, a look
# would come after the end of most calls, because the wait for the next call gives the interpreter away.
SWITCH_INTERVAL = 0.0001

# The counts are sent when there are as many as were sent before, but at least after this number.
MOST_UNSENT = 64
MOST_TEXT = 200
LIBRARIES = "/site-packages/"

_calls = set()


def calls(function):
    """Marks a function of this program that calls the user's code. This costs nothing for a call."""
    _calls.add(function.__code__)
    return function


class Profile:
    """The lines in which the thread that creates the profile was found while it ran the user's code.

    A look counts the innermost line of the user's own files, which lie in the folders. Where none is running, it counts the innermost
    line of a library, or, where no Python code is running, line 0.
    """

    def __init__(self, folders):
        absolute = [os.path.join(os.path.abspath(folder), "") for folder in folders]
        self.folders = tuple(dict.fromkeys([os.path.join(folder, "") for folder in folders] + absolute))
        self.thread = _thread.get_ident()
        self.counts = Counter()
        self.sent = self.unsent = 0

    def start(self):
        sys.setswitchinterval(SWITCH_INTERVAL)
        _thread.start_new_thread(self._run, ())

    def _run(self):
        # Other random numbers than the user's, which are seeded for each sample. Even intervals could be in step with the code.
        draw = random.Random().uniform
        pause = INTERVAL
        used = self._used()
        while True:
            time.sleep(pause * draw(0.5, 1.5))
            before, used = used, self._used()
            busy = self.look() or used - before >= BUSY_NANOS
            pause = INTERVAL if busy else min(2 * pause, IDLE_INTERVAL)

    def _used(self):
        """Returns the CPU time of the thread in nanoseconds; always 0 where the system does not tell."""
        if not hasattr(time, "pthread_getcpuclockid"):
            return 0
        return time.clock_gettime_ns(time.pthread_getcpuclockid(self.thread))

    def look(self):
        """Counts the line that is running now; returns whether a call of the user's code is running."""
        place = self._place(sys._current_frames().get(self.thread))
        if place is not None:
            self.counts[place] += 1
            self.unsent += 1
        return place is not None

    def _place(self, frame):
        """Returns (stage, file, line, function) of the user's code above a frame; None while no call is running."""
        found, own = ("", 0, ""), False
        innermost = True
        while frame is not None:
            code = frame.f_code
            if code in _calls:
                return getattr(frame.f_locals.get("self"), "stage", 0), *found
            if not own:
                own = code.co_filename.startswith(self.folders) and LIBRARIES not in code.co_filename
                if (own or innermost) and not code.co_filename.startswith(PROGRAM):
                    found = code.co_filename, frame.f_lineno or 0, getattr(code, "co_qualname", code.co_name)
                innermost = False
            frame = frame.f_back
        return None

    def message(self):
        """Returns the message with the counts since the last one; None while it is too early for one."""
        if self.unsent <= min(self.sent, MOST_UNSENT):
            return None
        counts, self.counts = self.counts, Counter()
        self.sent, self.unsent = self.sent + self.unsent, 0
        stages = {}
        for (stage, file, line, function), count in list(counts.items()):  # the thread may still add to them
            found = {
                "file": self._shown(file),
                "line": line,
                "function": function,
                "text": linecache.getline(file, line).strip()[:MOST_TEXT],
                "samples": count,
            }
            stages.setdefault(stage, []).append(found)
        return json.dumps(stages).encode()

    def _shown(self, file):
        """Returns the path of a file in its folder of modules, which is the same on all machines."""
        roots = [root for root in self.folders if file.startswith(root)]
        roots += [os.path.join(root, "") for root in sys.path if root and file.startswith(os.path.join(root, ""))]
        return file[len(max(roots, key=len)) :] if roots else os.path.basename(file)
