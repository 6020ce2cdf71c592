"""The machine of this process."""

import os
from typing import Optional


def machine_id() -> Optional[str]:
    """Returns a text that is equal for processes with the same loopback interface; None where the system does not show one."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return f"{file.read().strip()} {os.readlink('/proc/self/ns/net')}"
    except OSError:
        return None
