"""A server of this process's own: `./millrace serve <pipeline>` as a child process."""

import json
import logging
import os
import subprocess
import time
from typing import Dict, List, NamedTuple, Optional, Sequence

from ._address import Address, PathLike
from ._errors import ConnectionLost, JobFailed, MillraceError, Starting
from ._folder import OwnedFolder
from ._group import end_group, start_group
from ._program import environment, find_launcher
from ._protocol import visible

_log = logging.getLogger("millrace")

_PATIENCE = 10.0
"""Seconds for which the end of a server is waited for. It writes the report of its run first."""

_SHORT = 0.5
"""The same for a server whose start was interrupted, which has no report to write."""

_LONG = 2.0
"""Seconds after which a server that still starts is reported."""

_STARTS = 3
"""How often a server that was killed is started again without having delivered anything."""


class Launch(NamedTuple):
    """How Millrace's program is started for a pipeline: always from the same folder, in the same environment."""

    program: str
    pipeline: str
    settings: Sequence[str]
    place: str
    environment: Dict[str, str]

    def command(self, name: str, *options: str) -> List[str]:
        """Returns the words of a command for the pipeline."""
        words = [self.program, name, self.pipeline, *options]
        for setting in self.settings:
            words += ["--set", setting]
        return words


class Child:
    """A server that this process started, and its folder for temporary files. The server ends with this process."""

    def __init__(
        self, pipeline: PathLike, launcher: Optional[PathLike], settings: Sequence[str], world: int, verbose: bool
    ) -> None:
        # The server may be started again after the program has changed its folder and its environment.
        program = os.path.abspath(find_launcher(pipeline, launcher))
        self.launch = Launch(program, os.fspath(pipeline), tuple(settings), os.getcwd(), environment(program))
        self._temporary = OwnedFolder()
        self._folder = self._temporary.path
        self._ready = os.path.join(self._folder, "ready.json")
        self._log = os.path.join(self._folder, "serve.log")
        self._verbose = verbose
        self._world = world
        listen = ("--listen", "127.0.0.1:0", "--world", str(world), "--ready-file", self._ready)
        self._command = self.launch.command("serve", *listen)
        self._starts = 0
        self._hurried = False
        self._told = time.monotonic()
        self._said: List[str] = [""]
        try:
            self._process = self._start()
        except BaseException:
            self._temporary.delete()
            raise

    @property
    def pid(self) -> int:
        """The process of the server."""
        return self._process.pid

    def addresses(self) -> List[Address]:
        """Returns where the server listens, which is another place after each start: its Unix socket, if it has one.

        Raises Starting until the server has written its file.
        """
        try:
            with open(self._ready, encoding="utf-8") as file:
                found = json.load(file)
        except FileNotFoundError:
            # It may build itself, or generate the pipeline's data.
            raise Starting("the server starts") from None
        addresses = [Address.parse(one) for one in found["addresses"]]
        for one in addresses:
            if one.unix:
                return [Address(path=self._link(one.path))]
        return addresses

    def _link(self, socket: str) -> str:
        """Returns a link to the server's socket that keeps its path when the server is started again, for other ranks."""
        link = os.path.join(self._folder, "socket")
        if not os.path.lexists(link) or os.readlink(link) != socket:
            os.symlink(socket, link + ".part")
            os.replace(link + ".part", link)
        return link

    def token(self) -> str:
        """Returns the token of the server that `addresses` has found."""
        with open(self._ready, encoding="utf-8") as file:
            return str(json.load(file)["token"])

    def _start(self) -> "subprocess.Popen[bytes]":
        self._starts += 1
        place = self.launch.place
        if not os.path.isdir(place):
            raise MillraceError(f"the server cannot be started again in {place}, the program's folder: it is gone")
        with open(self._log, "wb") as log:
            # The reason for a failure is at the end of standard error.
            out, err = (2, None) if self._verbose else (subprocess.DEVNULL, log)
            return start_group(self._command, self._folder, place, self.launch.environment, out, err)

    def waits(self) -> None:
        """Says what the server does, with its own words, if its start takes long."""
        now = time.monotonic()
        if self._verbose or now - self._told < _LONG:
            return
        lines = self._printed()
        if lines[-1:] != self._said:
            self._told, self._said = now, lines[-1:]
            _log.warning(
                "waiting for '%s' to start%s (its output: %s, or standard error with Loader(verbose=True))",
                " ".join(self._command[:3]),
                f": {lines[-1]}" if lines else "",
                self._log,
            )

    def _printed(self) -> List[str]:
        """Returns the last lines that the server has printed, without empty ones."""
        return last_lines(self._log)

    def delivered(self) -> None:
        """Notes that the server works, so that it may be started again when it is killed."""
        self._starts = 0

    def check(self) -> None:
        """Starts the server again if it was killed.

        Raises JobFailed when the server ended by itself with an error, and ConnectionLost when it is killed again and again.
        """
        code = self._process.poll()
        if code is None:
            return
        self._end()
        if code > 0 and code < 128:
            raise JobFailed(self._reason(code))
        if self._starts >= _STARTS:
            raise ConnectionLost(f"the server was started {self._starts} times and ended each time: {self._reason(code)}")
        if os.path.exists(self._ready):
            os.unlink(self._ready)
        self._process = self._start()

    def _reason(self, code: int) -> str:
        """Returns the reason why the server ended, with the cause in the first line: the last message that it printed, which may
        have several lines. A server that was killed had no time for a message."""
        how = f"ended with the code {code}" if code >= 0 else f"was ended by signal {-code}"
        server = f"the server {how}: '{' '.join(self._command[:3])}'"
        if self._verbose:
            return f"{server}; its output is above"
        return reason(server, code, self._printed())

    def _end(self) -> None:
        """Ends what is left of the server."""
        end_group(self._process)

    def hurry(self) -> None:
        """Lets `stop` wait for half a second only."""
        self._hurried = True

    def stop(self, *, asked: bool) -> None:
        """Ends the server: waits for its end if a client has `asked` for it with BYE, then asks it, and kills it at last.

        With several ranks, the server ends when the last of them has said BYE.
        """
        patience = _SHORT if self._hurried else _PATIENCE if self._world == 1 else 3 * _PATIENCE
        try:
            for ask in (not asked, True):
                if ask and self._process.poll() is None:
                    self._process.terminate()
                try:
                    self._process.wait(patience)
                    break
                except subprocess.TimeoutExpired:
                    continue
        finally:  # also after another Ctrl-C
            self._end()
            self._temporary.delete()


def last_lines(path: str) -> List[str]:
    """Returns the last lines that a program has printed into a file, without empty ones."""
    with open(path, "rb") as log:
        log.seek(max(0, os.path.getsize(path) - 4096))
        return [visible(line) for line in log.read().decode(errors="replace").split("\n") if line.strip()]


def reason(ended: str, code: int, lines: Sequence[str]) -> str:
    """Returns the reason why a program has ended with a code: its last message, or that it `ended`, and its last lines."""
    starts = [i for i, line in enumerate(lines) if line.startswith("millrace: ")]
    if starts and 0 < code < 128:
        return "\n".join(lines[starts[-1] :]).strip()
    return f"{ended}, and printed nothing" if not lines else "\n".join([f"{ended}; its last lines:", *lines[-5:]])
