"""Memory for results that are computed for each batch. It is used again, because the system clears the pages of new memory."""

import mmap
from typing import Any, Dict, List

import numpy as np

from ._buffers import Death, Lent

_KEPT = 2


class Results:
    """Blocks of memory. A block is free again when the last view of it has died; two free blocks are kept.

    Thread-safe: the last views die in any thread.
    """

    def __init__(self) -> None:
        self._free: List[mmap.mmap] = []
        self._lent: Dict[int, Death] = {}

    def take(self, count: int) -> Lent:
        """Returns memory with undefined content: uint8 [count], on a page boundary."""
        memory = None
        while self._free and (memory is None or len(memory) < count):
            try:
                memory = self._free.pop()
            except IndexError:  # another thread was faster
                break
        if memory is None or len(memory) < count:
            memory = mmap.mmap(-1, max(1, count))
        lent = Lent((count,), np.dtype(np.uint8), memory)
        death = Death(lent, self._died)
        death.of = memory
        self._lent[id(death)] = death
        return lent

    def _died(self, death: Any) -> None:
        del self._lent[id(death)]
        if len(self._free) < _KEPT:
            self._free.append(death.of)
