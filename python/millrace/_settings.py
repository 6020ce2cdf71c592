"""The arguments of a loader: what it asks a server for, and where the server is."""

import os
import sys
from typing import Any, Optional, Sequence, Tuple

from ._address import Address, PathLike, is_cluster, is_pipeline, read_token
from ._cluster import Cluster
from ._cuda import Pinning
from ._handshake import MEMORY_KINDS, Join
from ._launch import Child
from ._plan import MAX_BUFFERS
from ._protocol import whole
from ._session import Source
from ._tls import Trust, context_for

PREFETCH = 2
"""The number of batches that are copied to a GPU ahead by default."""

MAX_PREFETCH = 64


def join_for(
    rank: int,
    world: int,
    token: Optional[PathLike],
    tls: Trust,
    insecure: bool,
    buffers: Optional[int],
    memory: str,
    transforms: str,
    ahead: int,
) -> Join:
    """Returns what a loader with these arguments asks for. Raises TypeError and ValueError for arguments that are wrong."""
    rank, world = whole(rank, "rank"), whole(world, "world")
    if world < 1:
        raise ValueError(f"world is {world}, expected at least 1")
    if not 0 <= rank < world:
        raise ValueError(f"rank is {rank}, expected a number from 0 to world - 1 = {world - 1}")
    buffers = None if buffers is None else whole(buffers, "buffers")
    if buffers is not None and not 2 <= buffers <= MAX_BUFFERS:
        raise ValueError(f"buffers is {buffers}, expected a number from 2 to {MAX_BUFFERS}")
    if memory != "auto" and memory not in MEMORY_KINDS:
        raise ValueError(f"memory is '{memory}', expected auto, {', '.join(MEMORY_KINDS)}")
    if transforms not in ("client", "server"):
        raise ValueError(f"transforms is '{transforms}', expected client or server")
    kinds = MEMORY_KINDS if memory == "auto" else (memory,)
    return Join(
        rank, world, read_token(token), None, transforms, buffers, ahead, kinds, context=context_for(tls), insecure=insecure
    )


def pinning_for(pin: Any, prefetch: Optional[int]) -> Tuple[Optional[Pinning], int]:
    """Returns how the loader copies to a GPU, and the number of buffers that it needs for that.

    Raises TypeError and ValueError for arguments that are wrong, and RuntimeError when `pin` is True and there is no GPU.
    """
    if not isinstance(pin, bool) and pin != "prefer":
        raise ValueError(f"pin is {pin!r}, expected True, False or 'prefer'")
    ahead = PREFETCH if prefetch is None else whole(prefetch, "prefetch")
    if not 0 <= ahead <= MAX_PREFETCH:
        raise ValueError(f"prefetch is {ahead}, expected a number from 0 to {MAX_PREFETCH}")
    if not pin:
        if prefetch:
            raise ValueError(f"prefetch is {ahead}, but pin is False: only page-locked memory is copied ahead")
        return None, 0
    made = Pinning(required=pin is True, prefetch=ahead)
    # A loop on a machine without a GPU needs no more memory.
    return made, ahead if prefetch is not None or pin is True or _sees_gpu() else 0


def _sees_gpu() -> bool:
    torch: Any = sys.modules.get("torch")
    # `is_available` may initialize the driver, after which a forked process cannot use the GPU.
    return torch is not None and bool(torch.cuda.device_count() > 0)


def source_for(
    source: PathLike,
    join: Join,
    job: Optional[str],
    settings: Sequence[str],
    millrace: Optional[PathLike],
    verbose: bool,
) -> Source:
    """Returns the server's addresses, the cluster on which it runs, or the server that is started for a pipeline file.

    Raises TypeError and ValueError for arguments that are wrong.
    """
    if isinstance(settings, str):
        raise TypeError(f"settings is '{settings}', expected a list of texts: ['{settings}']")
    name = os.fspath(source)
    if job is not None and not is_cluster(name):
        raise ValueError(f"job is for the address of a JobManager, http://host:port, but the source is {name}")
    if is_pipeline(source):
        if join.rank > 0:
            raise ValueError(
                f"{name} would start another server for rank {join.rank}, but all ranks share one: give all ranks"
                f" but rank 0 the address of its server, loader.address, or start one for all of them,"
                f" ./millrace serve {name} --world {join.world}"
            )
        return Child(source, millrace, settings, join.world, verbose)
    servers: Source
    servers = Cluster(name, join.rank, join.context, job) if is_cluster(name) else [Address.parse(a) for a in name.split(",")]
    if settings:
        raise ValueError(f"settings are for pipeline files, but {name} is the address of a server")
    return servers
