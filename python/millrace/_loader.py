"""The loader: the batches of a run, epoch by epoch."""

import os
from itertools import count
from typing import TYPE_CHECKING, Any, Dict, Iterator, NoReturn, Optional, Sequence, Union

from ._address import PathLike
from ._attributes import Sampler, Samples
from ._batch import Batch
from ._describe import fields_line, run_facts, table
from ._errors import EXPECTED, MillraceError
from ._figures import shares_line
from ._mix import Mix
from ._notebook import has_started
from ._pass import Epoch, Pass, Passes
from ._plan import Plan
from ._preview import Preview, preview
from ._progress import Shows, progress_for
from ._protocol import whole
from ._receiver import Receiver
from ._session import Session
from ._settings import join_for, pinning_for, source_for
from ._state import Stateful
from ._stats import Meter
from ._tls import Trust

if TYPE_CHECKING:
    from ._iterable import LoaderDataset


class Loader(Stateful):
    """The batches of a Millrace run, in order, epoch by epoch as those of a DataLoader.

    `source` is a pipeline file, for which a server is started that ends with the loader; or the address of a running server,
    `host:port` or `unix:/path`; or `http://host:port`, the JobManager of the Flink cluster on which a job serves, which is asked
    for the place of this rank's server at each connection.

    A `for` over the loader is the next epoch, from its first batch to its last, and `len(loader)` is the number of batches of an
    epoch. After `load_state_dict` or `seek`, the first `for` is the rest of the epoch that they chose. After a `break`, the next
    `for` is the next epoch; with `repeat`, it is the same one. An iterator that is dropped before it has given two batches gives
    them again: a look at the first batch costs nothing. After the last of `dataset.epochs`, a `for` raises NoMoreEpochs.

    `steps()` iterates over the whole run, `epoch(n)` and `epochs()` over epochs by number, and `next(loader)` returns the next
    batch of the run.

    - `rank`, `world`: this trainer's number and the number of trainers. Each gets its rows of each global batch.
    - `token`: the server's token, 32 hex digits, or the path of a file that contains it, `serve.token` or the server's ready
      file; default: MILLRACE_TOKEN. TCP needs it.
    - `tls`: use TLS over TCP, and trust the system's certificates (True), or those in this file (PEM).
    - `insecure`: connect to another machine without TLS, as a server needs that was started with `--insecure`.
    - `job`: the job on the cluster, by its name, its id, or the beginning of its id, if several jobs serve.
    - `buffers`: the number of batches in shared memory, 2 to 1024; default: what the server recommends, at least 3, and where
      torch finds a GPU, `prefetch` more. To copy `prefetch` batches ahead, a loop needs at least `prefetch` + 3 buffers.
    - `memory`: `memfd`, `file` or `inline`; `auto` uses the first of them that works.
    - `transforms`: `server` applies the pipeline's device.transforms on the server.
    - `pin`: page-lock the shared memory for CUDA, so that `batch.torch(device="cuda")` copies without waiting. "prefer" does so
      when the loop first copies to a GPU, and prints a warning if it cannot. True does so at once, or raises RuntimeError.
    - `prefetch`: the number of batches, 0 to 64, that are copied to a GPU before the loop asks for them, with the fields that
      `batch.torch(device="cuda")` has copied of the batch before; default: 2. A loop on the CPU copies nothing ahead.
    - `verbose`: print a line on standard error every few seconds, and what a started server prints.
    - `progress`: show the batches of each epoch, their rate and what is left, on standard error: in one line that changes, or,
      where that is neither a notebook nor a terminal, or with `verbose`, in a line every few seconds. By default, in a notebook
      only.
    - `timeout`: seconds for which a lost connection is tried again before ConnectionLost.
    - `settings`: keys of the pipeline, `["dataset.epochs=2"]`, for a server that is started here.
    - `copy`: copy every batch out of its buffer.
    - `repeat`: each `for` is the same epoch, as for a validation set.
    - `millrace`: the path of Millrace's launcher, if it is neither in MILLRACE_HOME, above the pipeline's file, nor on the PATH.

    One thread iterates at a time; views of batches may be used and dropped in any thread. A loader belongs to the process that
    created it.
    """

    _passes: Passes

    def __init__(
        self,
        source: PathLike,
        *,
        rank: int = 0,
        world: int = 1,
        token: Optional[PathLike] = None,
        tls: Trust = None,
        insecure: bool = False,
        job: Optional[str] = None,
        buffers: Optional[int] = None,
        memory: str = "auto",
        transforms: str = "client",
        pin: Union[bool, str] = "prefer",
        prefetch: Optional[int] = None,
        verbose: bool = False,
        progress: Optional[bool] = None,
        timeout: float = 300.0,
        settings: Sequence[str] = (),
        copy: bool = False,
        repeat: bool = False,
        millrace: Optional[PathLike] = None,
        slots: None = None,
    ) -> None:
        if slots is not None:
            raise TypeError(f"slots is called buffers now: pass Loader(..., buffers={slots})")
        pinning, ahead = pinning_for(pin, prefetch)
        join = join_for(rank, world, token, tls, insecure, buffers, memory, transforms, ahead)
        shows = progress_for(progress, verbose)
        try:
            session = Session(source_for(source, join, job, settings, millrace, verbose), join, timeout, pinning)
        except MillraceError as e:
            raise e.with_traceback(None) from None
        self._open(session, os.fspath(source), world=join.world, copy=copy, repeat=repeat, shows=shows)
        if session.launch is not None:
            has_started(self)

    def _open(
        self, session: Session, source: str, *, world: int, copy: bool, repeat: bool, shows: Shows, name: Optional[str] = None
    ) -> None:
        self._source = source
        self._session = session
        self._world, self._copy, self._shows = world, copy, shows
        self._evaluation: Optional["Loader"] = None
        self._meter = Meter(shows, name)
        receiver = Receiver(session, self._meter, copy=copy, watched=world > 1)
        self._passes = Passes(receiver, source, repeat=repeat)
        try:
            self._session.connected()
        except EXPECTED as e:
            self.close()
            raise e.with_traceback(None) from None
        except BaseException:
            session.hurry()  # An interrupt ends the start.
            self.close()
            raise

    @property
    def plan(self) -> Plan:
        """What the server delivers: fields, sizes, epochs and steps."""
        return self._session.plan

    @property
    def mix(self) -> Optional[Mix]:
        """The mixture of the run: the shares of its datasets, phase by phase. None for a run of one dataset."""
        return self.plan.mix

    @property
    def address(self) -> str:
        """Where the server is found, for the loaders of other ranks: its addresses, or that of the cluster."""
        return self._session.address

    @property
    def step(self) -> int:
        """The next step: the number of steps that the loop has received, if it began with step 0."""
        return self._passes.step

    @property
    def batch_size(self) -> int:
        """The number of rows of a batch of this rank."""
        return self.plan.batch

    @property
    def dataset(self) -> Samples:
        """An object whose length is the number of samples."""
        return Samples(self.plan.samples, self.iterable, repr(self))

    @property
    def sampler(self) -> Sampler:
        """An object with DistributedSampler's method `set_epoch`."""
        return Sampler(self._passes.set_epoch)

    @property
    def batch_sampler(self) -> None:
        """None, as in a DataLoader whose batches are ready."""
        return None

    @property
    def num_workers(self) -> int:
        """0: the loader has no worker processes in this program."""
        return 0

    def __len__(self) -> int:
        return self.plan.steps_per_epoch

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Pass:
        return self._passes.begin()

    def __next__(self) -> Batch:
        try:
            batch = self._passes.next_before(None)
        except EXPECTED as e:
            raise e.with_traceback(None) from None
        if batch is None:
            raise StopIteration
        return batch

    def seek(self, step: int) -> None:
        """Continues with `step`, and asks the server for it now. Batches that the loop holds stay valid.

        The next `for` is the rest of the epoch of this step. A `for` that is under way goes on with it, to the end of its epoch.

        With several ranks, all ranks seek the same step. Raises ValueError for a step outside of the run, and the error that has
        ended the delivery, unless it was about the step.
        """
        self._passes.seek(step)

    def evaluation(self) -> "Loader":
        """Returns the loader of the pipeline's section `evaluate` at the same server, the same loader at each call.

        Each `for` over it is one pass over all samples of the evaluation in the order of the dataset, from the first one on, also
        after a `break`. It moves neither `step` nor `state_dict` of this loader, and waits for no batch of it. The server reads the
        first batches of the first pass about 2 s before the end of an epoch after which `evaluate.every` expects an evaluation, or
        when the program asks; those of each later pass as soon as the pass before it has ended. With several ranks, all ranks call
        it, and each gets its rows. It is closed with this loader. One thread uses both loaders at a time.

        Raises MillraceError when the server delivers no evaluation, and JobFailed when the evaluation cannot be delivered, for
        example because its dataset cannot be read.
        """
        self._session.require_open()
        if self._evaluation is None:
            if not self.plan.evaluation:
                raise MillraceError(
                    f"the server of {self._source} delivers no evaluation: expected a pipeline with the section evaluate, such as"
                    " evaluate: {dataset: {format: folder, path: data/test}}"
                )
            made = Loader.__new__(Loader)
            made._open(
                self._session.evaluation(),
                f"the evaluation of {self._source}",
                world=self._world,
                copy=self._copy,
                repeat=True,
                shows=self._shows,
                name="evaluation",
            )
            self._evaluation = made
        return self._evaluation

    def epoch(self, number: int) -> Epoch:
        """Returns an iterator over the batches of one epoch.

        It continues where the loader is if that is within the epoch, for example after `load_state_dict`. Otherwise it begins
        with the epoch's first step.
        """
        epochs = self.plan.epochs
        number = whole(number, "the number of the epoch")
        if number < 0 or (epochs is not None and number >= epochs):
            raise ValueError(f"epoch {number} is outside of the run, which has {'no end' if epochs is None else epochs}")
        return Epoch(self._passes, number)

    def epochs(self) -> Iterator[Epoch]:
        """Returns the epochs from the current one on, each as `epoch` does; those of an endless run do not end."""
        epochs = self.plan.epochs
        first = self.step // self.plan.steps_per_epoch
        return map(self.epoch, count(first) if epochs is None else range(first, epochs))

    def steps(self) -> Iterator[Batch]:
        """Returns an iterator over all batches from the next step to the end of the run; that of an endless run does not end."""
        return iter(lambda: next(self, None), None)

    def stats(self) -> Dict[str, Any]:
        """Returns figures of this process since the loader was created.

        `steps`, `rows` and `bytes` that the loop received; `left_out`, the steps that were left out because none of their
        samples is good; `wait_seconds` and `busy_seconds`, the time of waits in `next` and the other time of the loop, with its
        copies to a GPU; `starved`, the wait's share of both, without the waits for the first batch after a start, a seek or a
        loss of the connection, as in the server's report; `waiting_for`, the server's last reason for a wait; `memory`, the
        kind of memory and the reasons against the others; `buffers`; `lent`, the buffers in use by the loop and by copies to a
        GPU; `copies`, the batches that were copied because of too few buffers, or with `copy=True`; `reconnects`; of a mixture,
        `sources`, the rows of each dataset by its name.
        """
        session = self._session
        connection = session.current
        return {
            **self._meter.figures.as_dict(self.plan.sources),
            "memory": session.memory,
            "buffers": 0 if connection is None else connection.buffers.count,
            "lent": 0 if connection is None else connection.buffers.lent,
            "copies": session.copies + (0 if connection is None else connection.buffers.copies),
            "reconnects": max(0, session.connections - 1),
        }

    def preview(self, count: int = 8, *, epoch: Optional[int] = None, split: str = "train") -> Preview:
        """Returns the contact sheet of the first `count` samples (1 to 120) of an epoch, before and after the transforms.

        A notebook shows it; `save(path)` writes it, and `png` has its bytes. It is drawn by `millrace preview`, a process of its
        own with the loader's pipeline and settings, so that the place of the loader does not change. `epoch` is by default the
        first one, and `split` may be `evaluate`.

        Raises ValueError for wrong arguments, and MillraceError when this loader has not started its server or the samples
        cannot be drawn.
        """
        self._session.require_open()
        launch = self._session.launch
        if launch is None:
            raise MillraceError(
                f"only a loader of a pipeline file has a preview, but this one is connected to {self._source}: run"
                " `millrace preview` with the pipeline file of that server"
            )
        return preview(launch, count, epoch, split)

    def iterable(self, *names: str, device: Any = None, transforms: bool = False) -> "LoaderDataset":
        """Returns a torch IterableDataset for `torch.utils.data.DataLoader(iterable, batch_size=None,
        num_workers=0)`.

        It iterates as the loader does. Its elements are tensors of the fields `names`, as `Batch.torch` returns them, or `Batch`
        objects without names. With page-locked memory and no `device` they are copies, because whoever moves them to a GPU may
        not wait for the end of it.
        """
        from ._iterable import LoaderDataset

        return LoaderDataset(self, names, device, transforms)

    def close(self) -> None:
        """Says goodbye to the server, and stops a server that was started here. Views of batches stay valid. Idempotent.

        Another server ends when all ranks have received the last batch and are closed. Before that, it waits for the next loader.
        """
        try:
            if self._evaluation is not None:
                self._evaluation.close()
        finally:
            self._passes.close()

    def __enter__(self) -> "Loader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a Millrace loader cannot be sent to another process: it delivers ready batches, so use DataLoader(num_workers=0),"
            " or create a loader in each process"
        )

    def __repr__(self) -> str:
        plan = self.plan
        place = f"step={self.step}, {plan.steps_per_epoch} batches per epoch"
        place += f", mix='{plan.mix}'" if plan.mix is not None else ""
        return f"Loader({self._source!r}, address={self.address!r}, {place}, {fields_line(plan.fields.values(), plan.batch)})"

    def _repr_html_(self) -> str:
        plan = self.plan
        facts = run_facts(plan, self._source, self.address, self.step, shares_line(plan.sources, self._meter.figures.sources))
        return table("Loader", facts.items(), plan.fields.values(), plan.batch)
