"""The command `python -m millrace`."""

import argparse
import json
import os
import resource
import sys
import time
from typing import Any, Callable, Dict, List, NoReturn, Optional, TypeVar

from ._errors import MillraceError
from ._loader import Loader
from ._plan import Plan
from ._protocol import visible
from ._version import __version__

_Number = TypeVar("_Number", int, float)


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs a command and returns its exit code: 0, or 1 when it failed. Wrong arguments exit with 2."""
    options = _parser().parse_args(arguments)
    if options.address is None and isinstance(options.tls, str) and not os.path.exists(options.tls):
        options.address, options.tls = options.tls, True  # `--tls ADDRESS` without a file of certificates
    if options.address is None:
        options.refuse("the following arguments are required: ADDRESS")
    try:
        loader = Loader(
            options.address,
            rank=options.rank,
            world=options.world,
            token=options.token,
            tls=options.tls,
            insecure=options.insecure,
            job=options.job,
            memory=options.memory,
            buffers=options.buffers,
            transforms=options.transforms,
            timeout=options.timeout,
            settings=options.set,
            verbose=options.verbose,
        )
        with loader:
            if options.command == "check":
                print(_described(loader.plan, loader.stats()))
            else:
                print(json.dumps(bench(loader, options.seconds, options.batches)))
    except (MillraceError, OSError, ValueError) as e:
        print(f"millrace: {e}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m millrace", description="Examines a Millrace server from Python.")
    parser.add_argument("--version", action="version", version=f"millrace {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    usage = "%(prog)s [OPTION]... ADDRESS"
    check = commands.add_parser("check", help="connect and print the plan", usage=usage)
    bench = commands.add_parser("bench", help="receive batches and print the throughput as one line of JSON", usage=usage)
    for command in (check, bench):
        command.set_defaults(refuse=command.error)
        command.add_argument(
            "address",
            metavar="ADDRESS",
            nargs="?",  # because `--tls` before it takes it
            help="host:port, unix:/path, http://host:port of a JobManager, or a pipeline file",
        )
        command.add_argument("--rank", type=int, default=0, help="the number of this trainer; default: 0")
        command.add_argument("--world", type=int, default=1, help="the number of trainers; default: 1")
        command.add_argument("--token", help="32 hex digits or a file that contains them; default: MILLRACE_TOKEN")
        command.add_argument("--tls", nargs="?", const=True, metavar="FILE", help="use TLS, and trust the certificates in FILE")
        command.add_argument("--insecure", action="store_true", help="connect to another machine without TLS")
        command.add_argument("--job", help="the job on the cluster, by name or id, if several jobs serve")
        command.add_argument("--memory", default="auto", choices=("auto", "memfd", "file", "inline"))
        command.add_argument("--buffers", type=int, help="the number of batches in shared memory, 2 to 1024")
        command.add_argument("--slots", type=_renamed, help=argparse.SUPPRESS)
        command.add_argument("--transforms", default="client", choices=("client", "server"))
        command.add_argument("--timeout", type=float, default=30.0, help="seconds to try to connect; default: 30")
        command.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a key of the pipeline file")
        command.add_argument("--verbose", action="store_true", help="print progress")
    bench.add_argument("--seconds", type=_above_0(float), default=10.0, help="the duration; default: 10")
    bench.add_argument("--batches", type=_above_0(int), help="end after this number of batches")
    return parser


def _renamed(text: str) -> NoReturn:
    raise argparse.ArgumentTypeError("it is called --buffers now")


def _above_0(kind: Callable[[str], _Number]) -> Callable[[str], _Number]:
    def parse(text: str) -> _Number:
        try:
            value = kind(text)
            if value > 0:
                return value
        except ValueError:
            pass
        raise argparse.ArgumentTypeError(f"expected {'a whole' if kind is int else 'a'} number above 0, found '{text}'")

    return parse


def _described(plan: Plan, stats: Dict[str, Any]) -> str:
    """Returns the plan as lines of text."""
    memory = stats["memory"]
    lines = [
        f"{plan.name}: rank {plan.rank} of {plan.world}, {plan.batch} of {plan.global_batch} rows in a step",
        f"{plan.samples} samples, {plan.steps_per_epoch} steps per epoch, "
        + ("endless" if plan.steps is None else f"{plan.steps} steps"),
        f"memory: {memory['kind']}, {stats['buffers']} buffers of {plan.buffer_bytes} bytes",
        *(f"  not {kind}: {reason}" for kind, reason in memory["reasons"].items()),
        "fields:",
        *(f"  {f.name}: {f.form} {f.dtype}{list(f.shape)} ({f.kind})" for f in plan.fields.values()),
        "transforms left: " + (", ".join(f"{left.name} {dict(left.numbers)}" for left in plan.transforms) or "none"),
        "fingerprint:",
        *(f"  {key}: {value}" for key, value in sorted(plan.fingerprint.items())),
    ]
    return "\n".join(map(visible, lines))


def bench(loader: Loader, seconds: float, batches: Optional[int]) -> Dict[str, Any]:
    """Receives batches and returns the throughput. The clock starts with the first batch.

    `cpu_s_per_gb` is the CPU time of this process only.
    """
    iterator = loader.steps()
    if next(iterator, None) is None:
        raise ValueError("the run has no batches left")
    count = rows = size = 0
    begun, cpu = time.perf_counter(), _cpu()
    while (batches is None or count < batches) and time.perf_counter() - begun < seconds:
        batch = next(iterator, None)
        if batch is None:
            break
        count, rows, size = count + 1, rows + len(batch), size + batch.nbytes
        for name in batch.fields:
            batch[name]
    elapsed, used = time.perf_counter() - begun, _cpu() - cpu
    stats = loader.stats()
    return {
        "batches": count,
        "seconds": round(elapsed, 3),
        "images_per_s": round(rows / elapsed, 1),
        "batches_per_s": round(count / elapsed, 1),
        "gb_per_s": round(size / elapsed / 1e9, 3),
        "cpu_s_per_gb": round(used / size * 1e9, 4) if size else None,
        "cpu_us_per_batch": round(used / count * 1e6, 2) if count else None,
        "memory": stats["memory"]["kind"],
        "copies": stats["copies"],
        "starved": round(stats["starved"], 3),
    }


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
