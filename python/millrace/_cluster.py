"""The servers of a job on a Flink cluster, found over the REST interface of its JobManager."""

import http.client
import json
import re
import socket
import ssl
import time
import urllib.parse
from typing import Any, Callable, Dict, List, NamedTuple, Optional

from ._address import Address
from ._errors import JobFailed, MillraceError, ServerError, Starting
from ._machine import machine_id
from ._protocol import short, visible
from ._tls import explained

ACCUMULATORS = {"training": "millrace serve", "evaluation": "millrace serve evaluation"}
"""The names of the accumulators with the addresses of the sinks, by stream."""
STAGES = {"training": "deliver", "evaluation": "evaluation: deliver"}
"""The names of the sinks in Flink's graph, by stream."""

_ENDED = ("FAILED", "FINISHED", "CANCELED", "SUSPENDED")
_PATIENCE = 10.0
"""Seconds for one request."""
_LATE = 0.2
"""Seconds between requests for what Flink does not show yet."""
_MAX_ANSWER = 1 << 26
_WITHOUT_MACHINES = 5.0
"""Seconds without any TaskManager after which a job that has delivered cannot go on. A machine may just be restarting."""

Opened = Callable[[socket.socket], None]


class Job(NamedTuple):
    """A job that the cluster lists."""

    id: str
    name: str
    state: str
    start: int
    """The time at which it was submitted, in milliseconds since 1970."""

    def __str__(self) -> str:
        return f"'{self.name}' ({self.id}, {self.state})"


class Cluster:
    """The sinks of one rank of a job that delivers batches. Serves one thread.

    `job` is an id, the beginning of an id, or a name. `run` is the folder of the job's run, which chooses the job exactly.
    Without both, it is the only job of the cluster that delivers batches. `stream` is `training` or `evaluation`, whose sinks are in
    the same job.
    """

    def __init__(
        self,
        url: str,
        rank: int,
        context: Optional[ssl.SSLContext],
        job: Optional[str] = None,
        run: Optional[str] = None,
        stream: str = "training",
    ) -> None:
        parts = urllib.parse.urlsplit(url)
        try:
            port = parts.port
        except ValueError:
            port = 0
        if parts.scheme not in ("http", "https") or not parts.hostname or port == 0 or parts.query or parts.fragment:
            raise ValueError(f"'{url}' is not the address of a JobManager: expected http://host:port")
        self.url = url.rstrip("/")
        self._secure = parts.scheme == "https"
        self._host, self._port, self._path = parts.hostname, port, parts.path.rstrip("/")
        self._rank = rank
        self._context = context
        self._job = job
        self._run = run
        self._stream = stream
        self._delivers: Dict[str, bool] = {}
        self._used: Optional[str] = None
        self._opened: Opened = lambda made: None
        self._deadline = 0.0
        self._lost: Optional[float] = None
        self._evaluation: Optional[Cluster] = None

    def evaluation(self) -> "Cluster":
        """Returns the sinks of the evaluation in the same job, the same object at each call."""
        if self._evaluation is None:
            self._evaluation = Cluster(self.url, self._rank, self._context, self._job, self._run, "evaluation")
            self._evaluation._used = self._used
        return self._evaluation

    def addresses(self, seconds: float, opened: Opened) -> List[Address]:
        """Asks where the sink of the rank listens now, for at most some seconds.

        `opened` receives the sockets of the requests. Raises Starting while the job's sinks do not run, JobFailed when the job
        has failed, MillraceError when several jobs deliver batches, and OSError when no job does or the JobManager does not
        answer.
        """
        self._opened = opened
        self._deadline = time.monotonic() + min(max(1.0, seconds), _PATIENCE)
        try:
            return self._found()
        except (KeyError, TypeError, AttributeError, ValueError) as e:
            raise ConnectionError(f"{self.url} does not answer as Flink's REST interface: {type(e).__name__}: {e}") from e

    def _found(self) -> List[Address]:
        job = self._chosen()
        details = self._get(f"/jobs/{job.id}")
        vertex = self._sink(details)
        state = str(details.get("state"))
        if job.id == self._used and (vertex is None or state != "RUNNING"):
            self._require_machines(job)
        if vertex is None or state != "RUNNING":
            raise Starting(f"the job {job} starts: it is {state}")
        ranks = int(vertex.get("parallelism", 0))
        running = int(vertex.get("tasks", {}).get("RUNNING", 0))
        if running < ranks:
            if job.id == self._used:
                self._require_machines(job)
            raise Starting(f"{running} of {ranks} sinks of the job {job} run; the job starts, or waits for slots")
        if self._rank >= ranks:
            raise MillraceError(f"the job {job} delivers to {ranks} rank{'s' * (ranks > 1)}, which excludes rank {self._rank}")
        for one in self._get(f"/jobs/{job.id}/accumulators").get("user-task-accumulators", []):
            if one.get("name") == ACCUMULATORS[self._stream] and one.get("value"):
                places = json.loads(one["value"])
                found = [Address.parse(a) for a in places.get(str(self._rank), [])]
                if found:
                    self._used, self._lost = job.id, None
                    return reachable(found, places.get("machines", {}).get(str(self._rank), {}))
        raise Starting(f"the job {job} runs, and Flink does not show the addresses of its sinks yet")

    def _chosen(self) -> Job:
        """Returns the job to use, which has not ended."""
        listed = [
            Job(str(j["jid"]), str(j["name"]), str(j["state"]), int(j["start-time"])) for j in self._get("/jobs/overview")["jobs"]
        ]
        jobs = [job for job in self._named(listed) if self._is_served(job)]
        living = [job for job in jobs if job.state not in _ENDED]
        used = [job for job in living if job.id == self._used]
        if len(living) == 1 or used:
            return (used or living)[0]
        if living:
            raise MillraceError(
                f"{len(living)} jobs at {self.url} deliver batches: choose one with job=..., its name or the beginning of its id:"
                f" {', '.join(map(str, living))}"
            )
        ended = [job for job in jobs if job.id == self._used] or sorted(jobs, key=lambda job: job.start)[-1:]
        if ended and ended[0].state == "FAILED":
            raise JobFailed(f"the job '{ended[0].name}' ({ended[0].id}) has failed: {self._cause(ended[0])}")
        # A job that was stopped has finished, and may be started again. The job of a command ends with it, and so may both.
        if ended and ended[0].id == self._used and ended[0].state == "CANCELED" and self._run is None:
            raise JobFailed(f"the job '{ended[0].name}' ({ended[0].id}) was cancelled, in Flink's web UI or by another program")
        which = "no job" if self._job is None else f"no job '{self._job}'"
        raise ConnectionRefusedError(
            f"{which} at {self.url} delivers batches"
            + (f", and the latest, {ended[0]}, has ended" if ended else f"; it has {', '.join(map(str, listed)) or 'no jobs'}")
        )

    def _require_machines(self, job: Job) -> None:
        """Raises JobFailed if the cluster has had no TaskManager for some time, although the job has delivered batches."""
        if self._run is not None or int(self._get("/overview")["taskmanagers"]) > 0:
            self._lost = None
        elif self._lost is None:
            self._lost = time.monotonic()
        elif time.monotonic() - self._lost > _WITHOUT_MACHINES:
            raise JobFailed(
                f"the job '{job.name}' ({job.id}) has lost all TaskManagers: {self.url} has none any more. Its last failure:"
                f" {self._cause(job)}"
            )

    def _named(self, jobs: List[Job]) -> List[Job]:
        if self._run is not None:
            return [job for job in jobs if self._folder(job) == self._run]
        if self._job is None:
            return jobs
        prefix = self._job.lower()
        return [job for job in jobs if job.id.startswith(prefix)] or [
            job for job in jobs if job.name in (self._job, f"millrace {self._job}")
        ]

    def _folder(self, job: Job) -> Optional[str]:
        config = self._get(f"/jobs/{job.id}/config").get("execution-config", {})
        found = config.get("user-config", {}).get("millrace.run")
        return found if isinstance(found, str) else None

    def _is_served(self, job: Job) -> bool:
        """Returns whether a job has a sink that delivers. The graph of a job does not change."""
        known = self._delivers.get(job.id)
        if known is None:
            details = self._get(f"/jobs/{job.id}")
            known = self._sink(details) is not None
            if details.get("vertices"):
                self._delivers[job.id] = known
        return known

    def _sink(self, details: Dict[str, Any]) -> Optional[Dict[str, Any]]:
        """Returns the vertex of a job that contains the sink."""
        for vertex in details.get("vertices", []):
            if STAGES[self._stream] in str(vertex.get("name")).split(" -> "):
                return dict(vertex)
        return None

    def _cause(self, job: Job) -> str:
        """Returns the reason why a job has failed. Flink's answers about a job are some seconds old, unlike its list of jobs."""
        self._deadline = time.monotonic() + _PATIENCE
        entries: List[Dict[str, Any]] = []
        while not entries and time.monotonic() < self._deadline - _LATE:
            history = self._get(f"/jobs/{job.id}/exceptions?maxExceptions=1").get("exceptionHistory", {})
            entries = history.get("entries") or []
            if not entries:
                time.sleep(_LATE)
        entries = entries or [{}]
        stack = entries[0].get("stacktrace") or entries[0].get("exceptionName") or "Flink does not know the cause"
        return visible(sentence(str(stack)), kept="\n")

    def _get(self, path: str) -> Any:
        """Returns the JSON that the JobManager answers. Raises OSError for anything else."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"no answer from the JobManager at {self.url}")
        if self._secure:
            connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                self._host, self._port, timeout=left, context=self._context
            )
        else:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=left)
        try:
            connection.connect()
            assert connection.sock is not None
            self._opened(connection.sock)
            connection.request("GET", self._path + path)
            answer = connection.getresponse()
            body = answer.read(_MAX_ANSWER)
            if answer.status != 200:
                raise ConnectionError(f"{self.url}{path} answers with the status {answer.status} {answer.reason}")
            value = json.loads(body)
        except ssl.SSLError as e:
            raise explained(e) from e
        except (http.client.HTTPException, ValueError) as e:
            raise ConnectionError(f"{self.url}{path} is not Flink's REST interface: {type(e).__name__}: {short(str(e))}") from e
        finally:
            connection.close()
        if not isinstance(value, dict):
            raise ConnectionError(f"{self.url}{path} answers {type(value).__name__}, expected an object")
        return value


def reachable(found: List[Address], machine: Dict[str, Any]) -> List[Address]:
    """Returns the addresses of a sink that can lead to its machine from here. Raises ServerError when there are none."""
    if machine.get("id") in (None, machine_id()):
        return found
    there = [a for a in found if not a.unix and a.host not in ("localhost", "::1") and not a.host.startswith("127.")]
    if not there:
        raise ServerError(
            "unreachable",
            f"the sink listens on the loopback interface of another machine, {machine.get('name')}: start this program there, or"
            " serve with --listen and an address of the network",
        )
    return there


_CAUSE = re.compile(r"^(?:Caused by: )?((?:[\w$]+\.)+[\w$]+)(?:: (.*))?$")


def sentence(stack: str) -> str:
    """Returns the message for the user in a stack trace of Java: that of the first exception of Millrace or of input and output.

    Without such an exception, it is the last one with the name of its class.
    """
    chain: List[List[str]] = []
    within = False
    for line in stack.splitlines():
        found = _CAUSE.match(line)
        if found and (not chain or line.startswith("Caused by: ")):
            chain.append([found.group(1), found.group(2) or ""])
            within = True
        elif line.startswith(("\t", "    at ", "Suppressed: ")):
            within = False
        elif within and chain:
            chain[-1][1] += "\n" + line
    if not chain:
        return stack.strip()
    for prefixes in ("io.millrace.",), ("java.io.", "java.nio.file."):
        for i, (name, message) in enumerate(chain):
            # An exception that was made from its cause alone repeats the cause.
            borrowed = i + 1 < len(chain) and message.startswith(chain[i + 1][0])
            if name.startswith(prefixes) and message and not borrowed:
                return message if not name.startswith("java.nio.") else f"{_short(name)}: {message}"
    name, message = chain[-1]
    return _short(name) + (f": {message}" if message else "")


def _short(name: str) -> str:
    return name.rpartition(".")[2]
