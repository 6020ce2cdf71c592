"""Programs that print the ends of their epochs, with their CPU time: for the benchmarks beside this file.

One meter measures all programs: it reads the CPU time of the process and of its descendants from /proc.
"""

import json
import os
import statistics
import subprocess
import sys
import threading
import time

TICK = os.sysconf("SC_CLK_TCK")


class Meter(threading.Thread):
    """Records the CPU seconds of a process and its descendants, and those of the machine, five times in a second."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.process, self.samples = process, []

    def run(self):
        while self.process.poll() is None:
            self.samples.append((time.time(), self.own(), machine()))
            time.sleep(0.2)

    def own(self):
        parents, seconds = {}, {}
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    with open(f"/proc/{entry}/stat") as file:
                        fields = file.read().rpartition(")")[2].split()
                except OSError:
                    continue  # the process has ended
                parents[int(entry)] = int(fields[1])
                # With the time of children that have ended, such as the workers of a DataLoader after its last batch.
                seconds[int(entry)] = sum(int(ticks) for ticks in fields[11:15]) / TICK
        family, more = set(), {self.process.pid} & set(seconds)
        while more:
            family |= more
            more = {process for process, parent in parents.items() if parent in more}
        return sum(seconds[process] for process in family)

    def between(self, begin, end):
        """The CPU seconds of the process and of all others between two times."""
        def at(moment, column):
            for earlier, later in zip(self.samples, self.samples[1:]):
                if earlier[0] <= moment <= later[0]:
                    share = (moment - earlier[0]) / (later[0] - earlier[0])
                    return earlier[column] + share * (later[column] - earlier[column])
            sys.exit("the meter has no samples of the measured time")
        own = at(end, 1) - at(begin, 1)
        return own, at(end, 2) - at(begin, 2) - own


def machine():
    with open("/proc/stat") as file:
        ticks = [int(word) for word in file.readline().split()[1:]]
    return (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]) / TICK


def finished(command, work, environment):
    """Runs a command to its end in a folder, and returns its standard output and its meter."""
    process = subprocess.Popen(command, cwd=work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    meter = Meter(process)
    meter.start()
    output, errors = process.communicate()
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{errors[-2000:]}")
    return output, meter


def trained(millrace, pipeline, work, samples):
    """Trains with the text of a pipeline; returns the ends of its epochs, its meter and its summary."""
    file = os.path.join(work, "pipeline.yaml")
    with open(file, "w") as to:
        to.write(pipeline)
    begun = time.time()
    output, meter = finished([str(millrace), "train", file, "--json"], work, None)
    summary = json.loads(output.splitlines()[-1])
    if summary["samples"] != samples or summary["quarantined"]:
        sys.exit(f"expected {samples} samples, found {summary['samples']} and {summary['quarantined']} bad ones")
    seconds, end = summary["epoch_s"], begun + summary["wall_s"]
    return [end - sum(seconds[position:]) for position in range(1, len(seconds))] + [end], meter, summary


def peer(command, work, epochs, environment=None):
    """Runs a program that prints `epoch <Unix time>` after each epoch; returns these times and its meter."""
    output, meter = finished(command, work, environment)
    ends = [float(line.split()[1]) for line in output.splitlines() if line.startswith("epoch ")]
    if len(ends) != epochs:
        sys.exit(f"{' '.join(command)}: expected {epochs} epochs, found {len(ends)}")
    return ends, meter


def spread(values, digits):
    middle, least, most = statistics.median(values), min(values), max(values)
    return f"{middle:.{digits}f} ({least:.{digits}f} to {most:.{digits}f})"
