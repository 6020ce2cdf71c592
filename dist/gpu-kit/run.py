#!/usr/bin/env python3
"""Runs the steps of the GPU kit and writes their figures into one JSON file.

    python3 run.py --first           the first call: at most five minutes, and the core parcel is enough
    python3 run.py                   runs the steps that have no result yet
    python3 run.py --only devices    runs one step again
    python3 run.py --from gpu-tests  runs this step and those after it again

Each step is a row in results/figures.json: exit code, seconds, the end of its output, and its figures. A step that fails does
not stop later steps. A call starts no step after --budget seconds, and the next call goes on from there. The file is replaced
after each step, and after each check within one, so that a call that is killed leaves what has run. The Python that runs this
script must be 3.8 or newer; --python names the one that has PyTorch. table.py prints the figures as the table of
docs/develop/gpu.md.
"""

import argparse
import contextlib
import glob
import json
import math
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import time

import bridges
import jvms
from programs import ENDED_BY_LIMIT, NOT_STARTED, Failure, Guard, Program

KIT = os.path.dirname(os.path.abspath(__file__))
TAIL = 6000
PIPELINE = os.path.join("conf", "gpu-resnet50.yaml")
PICTURE_BYTES = 224 * 224 * 3
BATCH = 256
SLOTS = 8  # the option parallelism of the pipeline file
REHEARSAL_LIMITS = 4
INTERRUPTED = 130
# The step of all tests, and the steps of the first call that run some of them: a later call continues those whose time was over.
CONTINUED = "gpu-tests"
FIRST_TESTS = {"transfer-tests": jvms.TRANSFER, "engine-tests": jvms.ENGINE, "training-tests": jvms.TRAINING}
BUDGET = 570
FIRST_BUDGET = 290
BACKGROUND_BUDGET = 3600  # The call ends its process.
# The planted starvation: the data takes so many times as long as the step.
SLOWDOWN = 2
# The largest difference between the planted starvation and the one that the run reports.
STARVATION_TOLERANCE = 0.1
# pack.py writes the release of DJL into this file of the folder bridge: DJL looks for its bridge under that name.
DJL_VERSION_FILE = "djl-version.txt"


class Context:
    """The folders, the environment and the options of a call."""

    def __init__(self, options):
        self.options = options
        self.kit = KIT
        self.out = os.path.abspath(options.out)
        self.work = os.path.abspath(options.work or os.path.join(self.out, "work"))
        self.logs = os.path.join(self.work, "logs")
        os.makedirs(self.out, exist_ok=True)
        os.makedirs(self.logs, exist_ok=True)
        self.rehearsal = options.rehearse
        self.java = os.path.join(KIT, "jre")
        self.launcher = os.path.join(KIT, "millrace", "millrace")
        self.guard = Guard()
        self.log = None
        self.tail = ""
        self.exit = 0
        self.deadline = None
        self.figures = {}
        self.results = {}
        self.save = lambda: None  # records the figures so far of the running step

    def environment(self, **more):
        environment = dict(os.environ)
        environment.update(
            JAVA_HOME=self.java,
            MILLRACE_STATE=os.path.join(self.work, "state"),
            DJL_CACHE_DIR=os.path.join(self.work, "djl"),
        )
        environment.update(libtorch(self.results))
        if self.rehearsal:
            stubs = os.path.join(self.work, "stub")
            environment["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, [stubs, environment.get("LD_LIBRARY_PATH")]))
            environment["STUB_DEVICES"] = "1"
        environment.update(more)
        return environment

    def begin(self, command, out, errors=subprocess.STDOUT, cwd=None, **environment):
        """Starts a program. Interruptions wait until the caller calls its `wait` or `unblock`."""
        try:
            return Program(command, cwd or self.work, self.environment(**environment), out, errors, self.guard)
        except Failure:
            self.exit = NOT_STARTED
            raise

    def run(self, command, cwd=None, separate=False, expected=(0,), lines=None, **environment):
        """
        Runs a program until the step's limit, logs its output, and returns it. With `separate` the returned text is standard
        output alone. An unexpected exit code is recorded as the step's, and raises. `lines` gets each line when it is written.
        """
        with open(self.log, "ab") as log:
            log.write(("$ " + " ".join(command) + "\n").encode())
            log.flush()
            out_path = self.log + ".out"
            try:
                with open(out_path, "wb") as out:
                    program = self.begin(command, out, log if separate else subprocess.STDOUT, cwd, **environment)
                    with open(out_path, "rb") as written:
                        new_lines = LinesOf(written, lines) if lines else lambda: None
                        by_itself = program.wait(self.deadline - time.monotonic(), new_lines)
                        new_lines()
            finally:  # an interrupted program's output belongs to the log too
                with open(out_path, encoding="utf-8", errors="replace") as written:
                    text = written.read()
                os.remove(out_path)
                log.write(text.encode())
        if not by_itself:
            self.exit = ENDED_BY_LIMIT
            raise Failure(f"{os.path.basename(command[0])} was ended at the step's limit of time")
        code = program.process.returncode
        if code not in expected:
            self.exit = code
            raise Failure(f"{os.path.basename(command[0])} ended with exit code {code}")
        return text

    def millrace(self, *arguments, **options):
        return self.run(["bash", self.launcher, *arguments], separate=True, **options)

    def millrace_json(self, *arguments):
        lines = self.millrace(*arguments, "--json").strip().splitlines()
        try:
            return json.loads(lines[-1] if lines else "")  # one line, the last one
        except json.JSONDecodeError as e:
            raise Failure(f"'millrace {arguments[0]} --json' printed no JSON: {e}") from None


class LinesOf:
    """Gives the lines of a file that another program writes to a function, when they are complete."""

    def __init__(self, file, function):
        self._file = file
        self._function = function
        self._part = b""

    def __call__(self):
        *whole, self._part = (self._part + self._file.read()).split(b"\n")
        for line in whole:
            self._function(line.decode("utf-8", "replace"))


def libtorch(results):
    """Returns the variables that name the libtorch for which the bridge was compiled; empty unless its step succeeded."""
    row = results.get("bridge", {})
    return row.get("figures", {}).get("environment", {}) if row.get("exit") == 0 else {}


# The steps. Each gets the context and returns its figures; it raises Failure when it failed, and may have set figures before.


def inventory(context):
    figures = context.figures
    figures["machine"] = {
        "system": platform.platform(),
        "cores": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        "free_disk_bytes": shutil.disk_usage(context.out).free,
        "user": os.getuid(),
    }
    figures["programs"] = {name: shutil.which(name) for name in ("bash", "g++", "gcc", "nvcc", "nvidia-smi", "java", "git")}
    for name, command in (
        ("gpu", ["nvidia-smi", "--query-gpu=name,uuid,driver_version,memory.total,pcie.link.gen.max,pcie.link.width.max", "--format=csv"]),
        ("compiler", ["g++", "--version"]),
        ("page_locked", ["bash", "-c", "ulimit -l"]),
        ("java", [os.path.join(context.java, "bin", "java"), "-version"]),
        ("python", [context.options.python, "-c", PYTHON_FACTS]),
    ):
        try:
            text = context.run(command)
            figures[name] = json.loads(text.splitlines()[-1]) if name == "python" else text.strip()
        except (Failure, ValueError, IndexError) as e:
            figures[name] = None
            figures.setdefault("missing", {})[name] = str(e)
    context.exit = 0
    if figures["java"] is None:
        context.exit = 1
        raise Failure("the kit's Java runtime does not start: " + figures["missing"]["java"])


PYTHON_FACTS = """
import json, os, sys
facts = {"version": sys.version.split()[0]}
try:
    import torch
    facts.update(torch=torch.__version__, cuda=torch.version.cuda, folder=os.path.dirname(torch.__file__),
                 abi=torch.compiled_with_cxx11_abi(), gpu=torch.cuda.is_available())
except ImportError as e:
    facts["missing"] = str(e)
try:
    import torchvision
    facts["torchvision"] = torchvision.__version__
except Exception as e:  # One of another PyTorch raises all sorts of errors, and the bridge does not need it.
    facts["torchvision_missing"] = str(e)
print(json.dumps(facts))
"""


def bench_device(context):
    device = ["--device", "cuda:0"]
    small = ["--batch", "1MiB", "--micro-batch", "256KiB,1MiB", "--in-flight", "1,4", "--repetitions", "1"]
    context.figures.update(context.millrace_json("bench-device", *device, *(small if context.rehearsal else [])))


def bench_overlap(context):
    batch = "1MiB" if context.rehearsal else str(BATCH * PICTURE_BYTES)
    part = "256KiB" if context.rehearsal else "4MiB"
    step = "10ms" if context.rehearsal else "100ms"
    context.figures.update(
        context.millrace_json(
            "bench-device", "--device", "cuda:0", "--batch", batch, "--micro-batch", part, "--in-flight", "1,4", "--step", step
        )
    )


def djl_version(folder):
    """Returns the release of DJL whose bridge has its sources in this folder."""
    path = os.path.join(folder, DJL_VERSION_FILE)
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except OSError as e:
        raise Failure(f"{path}, which pack.py writes, cannot be read: {e.strerror}") from None


def bridge(context):
    facts = json.loads(context.run([context.options.python, "-c", PYTHON_FACTS]).splitlines()[-1])
    context.figures["python"] = facts
    if "torch" not in facts:
        context.exit = 1
        raise Failure(f"{context.options.python} has no PyTorch: {facts['missing']}")
    if not facts["abi"]:
        context.exit = 1
        raise Failure(
            f"PyTorch {facts['torch']} in {facts['folder']} was compiled with _GLIBCXX_USE_CXX11_ABI=0:"
            " expected 1, with which the bridge is compiled"
        )
    sources = os.path.join(KIT, "bridge")
    version = facts["torch"].split("+")[0]
    # In a rehearsal DJL must not load its libraries for CUDA: one of them needs more of the driver than the stub has.
    flavor = "cu" + facts["cuda"].replace(".", "") if facts["cuda"] and not context.rehearsal else "cpu"
    djl = djl_version(sources)
    library = os.path.join(context.work, "djl", "pytorch", f"{version}-{flavor}-linux-x86_64", djl + "-libdjl_torch.so")
    os.makedirs(os.path.dirname(library), exist_ok=True)
    libraries = os.path.join(facts["folder"], "lib")
    versions = {**facts, "djl": djl}
    environment = {"PYTORCH_LIBRARY_PATH": libraries, "PYTORCH_VERSION": version, "PYTORCH_FLAVOR": flavor}
    if context.options.bridge:
        reason = bridges.read(context.options.bridge, versions, library) or problem(context, library, facts)
        if reason is None:
            context.figures.update(accepted=True, environment=environment, library=library)
            return
        context.exit = 0
        context.figures["note"] = f"the bridge is compiled anew: {reason}"
        context.save()
    headers = [os.path.join(context.java, "include"), os.path.join(context.java, "include", "linux"), os.path.join(sources, "include")]
    carried = os.path.join(KIT, "headers")
    headers += [folder for folder in (carried, os.path.join(carried, "cccl")) if os.path.isdir(folder)]
    started = time.monotonic()
    context.run(["bash", os.path.join(KIT, "bridge.sh"), sources, os.pathsep.join(headers), facts["folder"], library])
    context.figures["compile_s"] = round(time.monotonic() - started, 1)
    reason = problem(context, library, facts)
    if reason:
        context.exit = 1
        raise Failure(reason)
    context.figures.update(environment=environment, library=library)
    bridges.write(library, versions, context.out)


def problem(context, library, facts):
    """Returns the sentence that says why a compiled bridge cannot be used, or None."""
    libraries = os.path.join(facts["folder"], "lib")
    text = context.run(["ldd", "-r", library], expected=(0, 1), LD_LIBRARY_PATH=libraries)
    undefined = sorted(set(re.findall(r"(?:undefined symbol: (\S+)|(\S+) => not found)", text)))
    context.figures["undefined"] = [a or b for a, b in undefined]
    with open(library, "rb") as file:
        context.figures["empties_cuda_cache"] = b"CUDACachingAllocator" in file.read()
    if context.figures["undefined"]:
        return "the bridge lacks " + ", ".join(context.figures["undefined"][:5])
    if facts["cuda"] and not context.figures["empties_cuda_cache"]:
        return "the bridge was compiled without -DUSE_CUDA"
    return None


def devices(context):
    context.figures.update(context.millrace_json("devices"))
    training = context.figures["training"]
    if not training["device"].startswith("cuda"):
        context.exit = 1
        raise Failure(f"training would use {training['device']}: {training['reason']}")


def gpu_tests(context):
    """
    Runs all classes. A call that continues this step keeps the results of all classes; a call whose options choose this step runs
    the classes again that failed. Classes that succeeded in the first call are not repeated.
    """
    options = context.options
    kept = {}
    if not options.again:
        for step in FIRST_TESTS:
            kept.update(succeeded(context, step))
        kept.update(succeeded(context, CONTINUED) if options.only or options.start else results(context, CONTINUED))
    names = jvms.listed(KIT)
    classes = context.figures.setdefault("classes", {name: row for name, row in kept.items() if name in names})
    jvms.run(context, names, classes, options.jvms)


def first_tests(step):
    """Returns the step of the first call that runs some of the classes."""

    def function(context):
        if step != "transfer-tests" and not libtorch(context.results):
            context.exit = 1
            raise Failure("these classes need the bridge, and the step 'bridge' has not succeeded")
        options = context.options
        chosen_again = options.again or options.only or options.start
        classes = context.figures.setdefault("classes", {} if chosen_again else dict(results(context, step)))
        jvms.run(context, [name for name in jvms.listed(KIT) if name in FIRST_TESTS[step]], classes, options.jvms)

    return function


def results(context, step):
    """Returns the results of the test classes of a step in an earlier call."""
    return context.results.get(step, {}).get("figures", {}).get("classes", {})


def succeeded(context, step):
    return {name: row for name, row in results(context, step).items() if row.get("exit") == 0}


def client(context):
    """Runs the program of the Python client, whose checks are recorded one by one."""
    checks = context.figures.setdefault("checks", {})

    def note(line):
        try:
            row = json.loads(line)
            name = row.pop("check")
        except (ValueError, TypeError, KeyError, AttributeError):
            return  # a line of a library; the log has it
        checks[name] = row
        context.save()

    command = [context.options.python, os.path.join(KIT, "client.py"), *(["--rehearse"] if context.rehearsal else [])]
    text = ""
    try:
        text = context.run(command, expected=(0, 1, 2), lines=note, PYTHONUNBUFFERED="1")
    finally:
        context.figures["passed"] = sum(bool(row.get("passed")) for row in checks.values())
        context.figures["found"] = len(checks)
    failed = [f"{name} ({row.get('reason')})" for name, row in checks.items() if not row.get("passed")]
    if not checks:
        context.exit = 1
        raise Failure("no check ran: " + (text.strip().splitlines() or ["the program printed nothing"])[-1])
    if failed:
        context.exit = 1
        raise Failure("these checks failed: " + ", ".join(failed))


def training(context, precision, *settings):
    """Returns the summary of a run of the pipeline file for a GPU."""
    chosen = [f"device.precision={precision}", *settings]
    if context.rehearsal:
        chosen += ["device.kind=host", "dataset.size=48", "batch.size=4", "dataset.shape=[64, 64, 3]", "parallelism=1", "dataset.epochs=1"]
    sets = [word for setting in chosen for word in ("--set", setting)]
    figures = context.millrace_json("train", os.path.join(KIT, "millrace", PIPELINE), *sets)
    return figures


def keep(context, summary):
    """Keeps the figures of a run that the table needs, and derives the length of a step."""
    for name in ("starvation", "steady_images_per_s", "images_per_s", "device_use", "versions", "parameters_sha256"):
        if name in summary:
            context.figures[name] = summary[name]
    rate = summary.get("steady_images_per_s")
    size = 4 if context.rehearsal else BATCH
    context.figures["step_ms"] = round(1000 * size / rate, 3) if rate else None
    use = summary.get("device_use") or {}
    idle = use.get("gpu_utilization")
    context.figures["one_minus_utilization"] = None if idle is None else round(1 - idle, 4)


def resnet50_bfloat16(context):
    keep(context, training(context, "bfloat16"))


def resnet50_float32(context):
    keep(context, training(context, "float32", "dataset.epochs=1"))


def pytorch(context, precision):
    arguments = ["--precision", precision]
    if context.rehearsal:
        arguments += ["--device", "cpu", "--batch", "4", "--edge", "64", "--steps", "4", "--warm-up", "1"]
    text = context.run([context.options.python, os.path.join(KIT, "resnet50.py"), *arguments], separate=True)
    context.figures.update(json.loads(text))


def pytorch_bfloat16(context):
    pytorch(context, "bfloat16")


def pytorch_float32(context):
    pytorch(context, "float32")


def starvation(context):
    """
    A run whose data is too slow on purpose: what Millrace reports must be what was planted, and what the GPU's own counter shows.
    Each sample sleeps, in all slots at once, so that the data of a batch takes SLOWDOWN times as long as the step without it.
    """
    step_ms = context.results.get("resnet50-bfloat16", {}).get("figures", {}).get("step_ms")
    if not step_ms:
        context.exit = 1
        raise Failure("the delay is computed from the step of 'resnet50-bfloat16', which has no result: run that step first")
    plan = planted(step_ms, *((4, 1) if context.rehearsal else (BATCH, SLOTS)))
    context.figures.update(plan)
    context.save()  # The expectation is on the disk before the run.
    delay = f"transforms=[{{RandomHorizontalFlip: {{p: 0.5}}}}, {{Delay: {{ms: {plan['delay_ms']}, mode: sleep}}}}]"
    keep(context, training(context, "bfloat16", delay, "dataset.size=25600", "dataset.epochs=1"))
    compare(context)
    found = context.figures.get("starvation")
    if context.rehearsal:
        return  # Other programs change the step of a CPU, and with it the starvation.
    if found is None or abs(found - plan["expected_starvation"]) > STARVATION_TOLERANCE:
        context.exit = 1
        raise Failure(f"the planted starvation is {plan['expected_starvation']}: expected at most {STARVATION_TOLERANCE} beside it, found {found}")


def planted(step_ms, batch, slots):
    """
    Returns the delay of a sample, and the starvation that follows from it: the data of a batch takes `batch` delays in `slots`
    slots, and the device waits for the part of that time in which it does not compute.
    """
    delay_ms = round(SLOWDOWN * step_ms * slots / batch, 3)
    return {
        "step_without_delay_ms": step_ms,
        "delay_ms": delay_ms,
        "expected_starvation": round(1 - step_ms / (delay_ms * batch / slots), 4),
    }


def compare(context):
    """Compares starvation with 1 - utilisation in this run and in that of the step resnet50-bfloat16."""
    runs = {"slow_data": context.figures, "fast_data": context.results.get("resnet50-bfloat16", {}).get("figures", {})}
    differences = {}
    for name, figures in runs.items():
        found, idle = figures.get("starvation"), figures.get("one_minus_utilization")
        differences[name] = None if found is None or idle is None else round(found - idle, 4)
    context.figures["difference"] = differences


def pageable(context):
    keep(context, training(context, "bfloat16", "device.pinned_limit=0", "dataset.epochs=1"))


def ladder(context):
    settings = ["device.precision=bfloat16"]
    if context.rehearsal:
        settings += ["device.kind=host", "dataset.size=48", "batch.size=4", "dataset.shape=[64, 64, 3]", "parallelism=1"]
    sets = [word for setting in settings for word in ("--set", setting)]
    summary = context.millrace_json("diagnose", os.path.join(KIT, "millrace", PIPELINE), *sets)
    context.figures["ladder"] = summary.get("ladder")


def oversized_batch(context):
    """Batches that do not fit must end in an error message, and leave the machine and its GPU usable."""
    if context.rehearsal:
        # The stub cannot train. A size that no device has is refused before anything is allocated.
        attempts = {"size": (["bench-device", "--device", "cuda:0", "--batch", "64GiB"], "--batch: expected at most")}
    else:
        train = ["train", os.path.join(KIT, "millrace", PIPELINE), "--set", "dataset.size=65536", "--set", "dataset.epochs=1"]
        attempts = {
            # 1,024 batches of 617 MB do not fit into the memory of any GPU; one of them does.
            "ring": ([*train, "--set", "batch.size=4096", "--set", "device.batches_in_flight=1024"], "memory"),
            # The batches fit, but not what the first step computes from them: 50 to 100 MB for each picture.
            "step": ([*train, "--set", "batch.size=8192", "--set", "device.batches_in_flight=2"], "memory"),
        }
    failures = []
    for name, (arguments, word) in attempts.items():
        started = time.monotonic()
        row = context.figures[name] = {"message": None}
        logged = os.path.getsize(context.log)
        try:
            context.millrace(*arguments, expected=(1, 2))
            with open(context.log, "rb") as log:
                log.seek(logged)
                lines = log.read().decode("utf-8", "replace").splitlines()
            row["message"] = next((line for line in lines if line.startswith("millrace: ") and word in line), None)
            if row["message"] is None:
                failures.append(f"{name}: the program failed without a message about '{word}'")
        except Failure as e:
            failures.append(f"{name}: {e}; expected exit code 1 with a message about '{word}'")
        row["seconds"] = round(time.monotonic() - started, 1)
    context.exit = 0
    after = context.millrace_json("devices")
    context.figures["gpu_usable_afterwards"] = bool(after["gpus"])
    if not after["gpus"]:
        failures.append("the GPU is not usable any more")
    if failures:
        context.exit = 1
        raise Failure("; ".join(failures))


# name, function, limit in seconds, what must be left of the budget to start it
STEPS = [
    ("inventory", inventory, 120, 30),
    ("bench-device", bench_device, 480, 240),
    ("bench-overlap", bench_overlap, 240, 90),
    ("bridge", bridge, 540, 240),
    ("devices", devices, 120, 60),
    ("gpu-tests", gpu_tests, 560, 120),
    ("resnet50-bfloat16", resnet50_bfloat16, 400, 180),
    ("resnet50-float32", resnet50_float32, 560, 300),
    ("pytorch-bfloat16", pytorch_bfloat16, 240, 90),
    ("pytorch-float32", pytorch_float32, 400, 150),
    ("starvation", starvation, 400, 180),
    ("pageable", pageable, 400, 120),
    ("ladder", ladder, 560, 300),
    ("oversized-batch", oversized_batch, 400, 150),
]

# The steps of the first call, and what each may take of its budget. A step also gets what the steps before it left. The bridge is
# compiled in the background from the end of the inventory on; its step waits for it.
FIRST = [
    ("inventory", inventory, 40, 0),
    ("client", client, 80, 0),
    ("transfer-tests", first_tests("transfer-tests"), 40, 0),
    ("bridge", None, 50, 0),
    ("engine-tests", first_tests("engine-tests"), 30, 0),
    ("training-tests", first_tests("training-tests"), 50, 0),
]


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            state = json.load(file)
    except FileNotFoundError:
        return {"steps": {}}
    except (OSError, ValueError) as e:
        raise Failure(f"{path} cannot be read: {e}: repair or delete it, or use another --out") from None
    steps = state.get("steps") if isinstance(state, dict) else None
    if not isinstance(steps, dict) or not all(isinstance(row, dict) for row in steps.values()):
        raise Failure(f"{path} has no results of this script: expected an object with 'steps'; delete it, or use another --out")
    return state


def save(path, state):
    """
    Replaces the file at once, so that a call that is ended leaves a whole one, and waits for the disk: the file must have the
    step that takes the machine down.
    """
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(state, file, indent=1)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".new", path)
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    try:
        os.fsync(folder)  # the new name
    finally:
        os.close(folder)


def has_result(name, done):
    """Returns whether a call without options leaves this step out."""
    if name not in done:
        return False
    if name == "bridge" and done[name].get("background"):
        return done[name].get("exit") not in (None, ENDED_BY_LIMIT)  # Another step, or the time, was over when it was ended.
    return not ((name == CONTINUED or name in FIRST_TESTS) and done[name].get("exit") == ENDED_BY_LIMIT)


def chosen(options, done, steps):
    names = [step[0] for step in steps]
    for name in filter(None, (options.only, options.start)):
        if name not in names:
            raise Failure(f"there is no step '{name}': expected one of {', '.join(names)}")
    if options.only:
        return [step for step in steps if step[0] == options.only]
    if options.start:
        return steps[names.index(options.start):]
    return [step for step in steps if options.again or not has_result(step[0], done) or (step[0] == "bridge" and lacks_bridge(options, done))]


def lacks_bridge(options, done):
    """Returns whether the bridge of an earlier call is not on this machine."""
    library = done["bridge"].get("figures", {}).get("library")
    return options.bridge is not None or (library is not None and not os.path.exists(library))


def perform(context, step, state, path, seconds):
    """Runs a step, at most so many seconds, and records it."""
    name, function, *_ = step
    context.log = os.path.join(context.logs, name + ".log")
    open(context.log, "wb").close()
    context.exit = 0
    context.figures = {}
    context.results = state["steps"]
    context.deadline = time.monotonic() + seconds
    previous = state["steps"].get(name, {})
    row = {"started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "exit": None, "reason": "the step was interrupted"}
    # Recorded before it starts: a later call does not repeat a step that took the machine down.
    state["steps"][name] = {**row, "figures": previous.get("figures", {})}
    save(path, state)

    def save_progress():
        state["steps"][name]["figures"] = context.figures
        save(path, state)

    context.save = save_progress
    begun = time.monotonic()
    reason = None
    try:
        function(context)
    except Failure as e:
        reason = str(e)
        context.exit = context.exit or 1
    except Exception as e:  # a fault of the kit itself is a result too, and later steps run
        reason = f"the kit failed: {type(e).__name__}: {e}"
        context.exit = context.exit or 1
    with open(context.log, encoding="utf-8", errors="replace") as log:
        tail = log.read()[-TAIL:]
    row.update(exit=context.exit, reason=reason, seconds=round(time.monotonic() - begun, 1), tail=tail, figures=context.figures)
    state["steps"][name] = row
    save(path, state)
    collect_logs(context)
    return row


class Background:
    """
    The step `bridge` of the first call: a second process of this script, which compiles while other steps run. Its result is that
    of the process, in a folder of its own.
    """

    def __init__(self, context, state, path):
        self._context, self._state, self._path = context, state, path
        self._folder = os.path.join(context.work, "background")
        self._joined = False
        self._started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self._begun = time.monotonic()
        shutil.rmtree(self._folder, ignore_errors=True)  # of an earlier call
        os.makedirs(self._folder)
        options = context.options
        command = [sys.executable, os.path.join(KIT, "run.py"), "--only", "bridge", "--out", self._folder, "--work", context.work,
                   "--python", options.python, "--budget", str(BACKGROUND_BUDGET)]
        command += ["--bridge", options.bridge] if options.bridge else []
        command += ["--rehearse"] if options.rehearse else []
        self._row(exit=None, reason="it was compiling when the call ended")
        # Two cores are for the steps that run meanwhile: some of them measure.
        jobs = os.environ.get("JOBS") or str(max(1, (os.cpu_count() or 1) - 2))
        with open(os.path.join(self._folder, "output"), "wb") as out:
            self.program = context.begin(command, out, JOBS=jobs)

    def _row(self, **row):
        self._state["steps"]["bridge"] = {"started": self._started, "background": True, "figures": {}, **row}
        save(self._path, self._state)

    def join(self, seconds):
        """Waits at most so many seconds, records the step and returns its row."""
        if self._joined:
            return self._state["steps"]["bridge"]
        by_itself = self.program.wait(seconds)
        found = {}
        with contextlib.suppress(Failure):  # It has no file when it could not begin, and then its output says why.
            found = load(os.path.join(self._folder, "figures.json"))["steps"].get("bridge", {})
        with open(os.path.join(self._folder, "output"), encoding="utf-8", errors="replace") as file:
            output = file.read()
        if not by_itself:
            found.update(exit=ENDED_BY_LIMIT, reason="the bridge was not compiled in the time of this call; a later call goes on")
            found["seconds"] = round(time.monotonic() - self._begun, 1)
        elif found.get("exit") is None:
            found.update(exit=1, reason=f"the bridge was not compiled: {output[-TAIL:].strip()}")
        file = os.path.join(self._folder, bridges.FILE)
        if os.path.exists(file):
            shutil.copyfile(file, os.path.join(self._context.out, bridges.FILE + ".new"))
            os.replace(os.path.join(self._context.out, bridges.FILE + ".new"), os.path.join(self._context.out, bridges.FILE))
        self._row(**found)
        self._joined = True
        return self._state["steps"]["bridge"]

    def poll(self):
        """Records the step when the process has ended: a call that is killed later has its result."""
        if not self._joined and self.program.over():
            self.join(0)

    def end(self):
        """Ends the process unless it has ended."""
        if not self._joined:
            self.program.end()


def build_stubs(context):
    folder = os.path.join(context.work, "stub")
    os.makedirs(folder, exist_ok=True)
    for source, library in (("cuda_stub.c", "libcuda.so.1"), ("nvml_stub.c", "libnvidia-ml.so.1")):
        made = os.path.join(folder, f"{library}.{os.getpid()}")
        command = ["gcc", "-std=gnu11", "-O1", "-fPIC", "-shared", "-pthread", "-Wl,-soname," + library, "-Wl,-Bsymbolic",
                   os.path.join(KIT, "stub", source), "-o", made]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
        except OSError as e:
            raise Failure(f"a rehearsal compiles stubs of NVIDIA's libraries, and gcc cannot be started: {e.strerror}") from None
        if done.returncode:
            raise Failure(f"gcc did not compile the stub {source}, and ended with exit code {done.returncode}:\n{done.stdout[-2000:]}")
        os.replace(made, os.path.join(folder, library))  # A program of the same call may use the one before.


def collect_logs(context):
    """Puts all logs into one file, because few files can be copied back from some machines."""
    collected = os.path.join(context.out, "logs.tar.gz")
    with tarfile.open(collected + ".new", "w:gz") as tar:
        for path in sorted(glob.glob(os.path.join(context.logs, "*.log"))):
            tar.add(path, os.path.basename(path))
    os.replace(collected + ".new", collected)


def seconds(text):
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 < found < math.inf:
        raise argparse.ArgumentTypeError(f"expected a positive number of seconds, found '{text}'")
    return found


def existing(text):
    if not os.path.isfile(text):
        raise argparse.ArgumentTypeError(f"there is no file '{text}'")
    return os.path.abspath(text)


def positive(text):
    if not re.fullmatch("[1-9][0-9]{0,2}", text):
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 to 999, found '{text}'")
    return int(text)


def parse(arguments):
    parser = argparse.ArgumentParser(description="Runs the steps of the GPU kit.")
    parser.add_argument("--out", default="results", help="the folder for the results: figures.json, logs.tar.gz and bridge.tar.gz; default: results")
    parser.add_argument("--work", metavar="FOLDER", help="the folder for temporary files; default: work in the folder of --out")
    parser.add_argument("--bridge", metavar="FILE", type=existing, help="the bridge.tar.gz of an earlier call, for the same PyTorch, CUDA and DJL")
    parser.add_argument("--jvms", type=positive, default=3, help="the number of test classes that run at once; default: 3")
    parser.add_argument("--python", default=sys.executable, help="the Python that has PyTorch; default: the one that runs this script")
    parser.add_argument("--first", action="store_true", help="run the steps of the first call, which need the core parcel alone")
    parser.add_argument("--budget", type=seconds, default=None,
                        help=f"seconds after which no step starts; default: {BUDGET}, and {FIRST_BUDGET} with --first, in a rehearsal four times as long")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--only", metavar="STEP", help="run this step, even if it has a result")
    choice.add_argument("--from", dest="start", metavar="STEP", help="run this step and all later ones, even if they have results")
    parser.add_argument("--again", action="store_true", help="run all steps, even if they have results")
    parser.add_argument("--rehearse", action="store_true", help="use stubs of NVIDIA's libraries and train on the CPU with tiny data")
    parser.add_argument("--list", action="store_true", help="print the steps and their results, and run nothing")
    options = parser.parse_args(arguments)
    if options.budget is None:
        options.budget = FIRST_BUDGET * (REHEARSAL_LIMITS if options.rehearse else 1) if options.first else BUDGET
    return options


def main(arguments, steps=None):
    options = parse(arguments)
    if steps is None:
        steps = FIRST if options.first else STEPS
    path = os.path.join(os.path.abspath(options.out), "figures.json")
    try:
        state = load(path)
        if options.list:
            print_results(steps, state)
            return 0
        if state.setdefault("rehearsal", options.rehearse) != options.rehearse:
            raise Failure(f"{path} has rehearsal={state['rehearsal']}: use another --out for this call")
        selected = chosen(options, state["steps"], steps)
        if not options.first and steps is STEPS and not os.path.isdir(os.path.join(KIT, "millrace")) and options.only != "bridge":
            raise Failure(f"{KIT} is the core parcel, which has no distribution: expected --first, or the whole kit")
        with interruptible():
            return call(options, selected, state, path, len(steps))
    except Failure as e:
        print(f"run.py: {e}", file=sys.stderr)
    except OSError as e:  # a step records its own; this is a file in one of the folders
        of_work = options.work and str(e.filename or "").startswith(os.path.abspath(options.work))
        print(f"run.py: --work {options.work}: {e}" if of_work else f"run.py: --out {options.out}: {e}", file=sys.stderr)
    except KeyboardInterrupt:
        print("run.py: interrupted; the program of the step was ended", file=sys.stderr)
        return INTERRUPTED
    return 2


@contextlib.contextmanager
def interruptible():
    """SIGTERM and SIGHUP end this script as an exception, so that it ends the program of the running step."""

    def leave(number, frame):
        raise SystemExit(128 + number)

    # nohup ignores SIGHUP, which stays so.
    numbers = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) != signal.SIG_IGN]
    before = [(number, signal.signal(number, leave)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def print_results(steps, state):
    for name, *_ in steps:
        row = state["steps"].get(name)
        print(f"{name:20s}", "no result" if row is None else f"exit {row['exit']}" + (f": {row['reason']}" if row["reason"] else ""))


def call(options, selected, state, path, count):
    """Runs the selected steps until the budget is spent, and returns the exit code of this script."""
    begun = time.monotonic()
    context = Context(options)
    context.left = lambda: options.budget - (time.monotonic() - begun)
    if options.rehearse:
        build_stubs(context)
    try:
        rows, left = (run_first if options.first else run_steps)(context, selected, state, path)
    finally:
        context.guard.close()
    if left:
        print(f"run.py: the time of this call ({options.budget:.0f} s) is over; call again for: {', '.join(left)}")
    collect_logs(context)
    print(f"{path}: {sum(has_result(name, state['steps']) for name in state['steps'])} of {count} steps have a result")
    return 1 if any(row["exit"] for row in rows) else 0


def run_steps(context, selected, state, path):
    """Runs steps one after another. Returns their rows, and the names of those for which no time was left."""
    rows, left = [], []
    for index, step in enumerate(selected):
        name, _, limit, needed = step
        if context.left() < needed:
            return rows, left + [name for name, *_ in selected[index:]]
        # A rehearsal compiles and trains on few cores.
        seconds = min(limit * (REHEARSAL_LIMITS if context.rehearsal else 1), context.left())
        rows.append(reported(name, lambda: perform(context, step, state, path, seconds)))
        if not has_result(name, state["steps"]):
            left.append(name)
    return rows, left


def run_first(context, selected, state, path):
    """
    Runs the steps of the first call. Each has its share of the budget for itself, and what the steps before it left: a step that
    does not end is ended, and the next one begins with its own share.
    """
    rows, left = [], []
    scale = context.options.budget / sum(step[2] for step in FIRST)
    background = None
    try:
        for index, step in enumerate(selected):
            name = step[0]
            if background is None and name != "inventory" and any(each[0] == "bridge" for each in selected[index:]):
                background = Background(context, state, path)
                background.program.unblock()
            seconds = context.left() - scale * sum(share for _, _, share, _ in selected[index + 1:])
            run_one = (lambda: background.join(seconds)) if name == "bridge" else (lambda: perform(context, step, state, path, seconds))
            rows.append(reported(name, run_one))
            if not has_result(name, state["steps"]):
                left.append(name)
            if background is not None:
                background.poll()
    except BaseException:
        if background is not None:
            background.end()
        raise
    return rows, left


def reported(name, run_one):
    """Runs a step, prints its name and its result, and returns its row."""
    print(f"{name:20s} ", end="", flush=True)
    row = run_one()
    print(f"exit {row['exit']}, {row.get('seconds', 0):.0f} s" + (f": {row['reason']}" if row["reason"] else ""), flush=True)
    if row["figures"].get("note"):
        print(f"run.py: {row['figures']['note']}", flush=True)
    return row


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
