#!/usr/bin/env python3
"""Runs the steps of the GPU kit and writes their figures into one JSON file.

    python3 run.py                   runs the steps that have no result yet
    python3 run.py --only devices    runs one step again
    python3 run.py --from gpu-tests  runs this step and those after it again

Each step is a row in results/figures.json: exit code, seconds, the end of its output, and its figures. A step that fails does
not stop later steps. A call starts no step after --budget seconds, and the next call goes on from there. The Python that runs
this script must be 3.8 or newer; --python names the one that has PyTorch. table.py prints the figures as the table of
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

KIT = os.path.dirname(os.path.abspath(__file__))
TAIL = 6000
PIPELINE = os.path.join("conf", "gpu-resnet50.yaml")
PICTURE_BYTES = 224 * 224 * 3
ENDED_BY_LIMIT = 124
REHEARSAL_LIMITS = 4
INTERRUPTED = 130
INTERRUPTIONS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
POLL_SECONDS = 0.02
# The step that a later call continues when its time was over.
CONTINUED = "gpu-tests"
# A class of tests is not started when less time is left.
LEAST_CLASS_SECONDS = 20
# pack.py writes the release of DJL into this file of the folder bridge: DJL looks for its bridge under that name.
DJL_VERSION_FILE = "djl-version.txt"


class Failure(Exception):
    """A step failed; the message is the reason."""


class Context:
    """The folders, the environment and the options of a call."""

    def __init__(self, options):
        self.options = options
        self.out = os.path.abspath(options.out)
        self.logs = os.path.join(self.out, "logs")
        self.work = os.path.join(self.out, "work")
        os.makedirs(self.logs, exist_ok=True)
        os.makedirs(self.work, exist_ok=True)
        self.rehearsal = options.rehearse
        self.java = os.path.join(KIT, "jre")
        self.launcher = os.path.join(KIT, "millrace", "millrace")
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

    def run(self, command, cwd=None, separate=False, expected=(0,), **environment):
        """
        Runs a program until the step's limit, logs its output, and returns it. With `separate` the returned text is standard
        output alone. An unexpected exit code is recorded as the step's, and raises.
        """
        with open(self.log, "ab") as log:
            log.write(("$ " + " ".join(command) + "\n").encode())
            log.flush()
            out_path = self.log + ".out"
            with open(out_path, "wb") as out:
                # An interruption between the start of the program and wait() would leave the program running.
                mask = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTIONS)
                process = None
                try:
                    process = subprocess.Popen(
                        command,
                        cwd=cwd or self.work,
                        env=self.environment(**environment),
                        stdin=subprocess.DEVNULL,
                        stdout=out,
                        stderr=log if separate else subprocess.STDOUT,
                        start_new_session=True,
                        preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, mask),
                    )
                except OSError as e:
                    self.exit = 127
                    raise Failure(f"{command[0]} cannot be started: {e.strerror}") from None
                finally:
                    if process is None:
                        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
                try:
                    ended = wait(process, self.deadline - time.monotonic(), mask)
                finally:  # an interrupted program's output belongs to the log too
                    with open(out_path, encoding="utf-8", errors="replace") as written:
                        text = written.read()
                    os.remove(out_path)
                    log.write(text.encode())
        if not ended:
            self.exit = ENDED_BY_LIMIT
            raise Failure(f"{os.path.basename(command[0])} was ended at the step's limit of time")
        if process.returncode not in expected:
            self.exit = process.returncode
            raise Failure(f"{os.path.basename(command[0])} ended with exit code {process.returncode}")
        return text

    def millrace(self, *arguments, **options):
        return self.run(["bash", self.launcher, *arguments], separate=True, **options)

    def millrace_json(self, *arguments):
        lines = self.millrace(*arguments, "--json").strip().splitlines()
        try:
            return json.loads(lines[-1] if lines else "")  # one line, the last one
        except json.JSONDecodeError as e:
            raise Failure(f"'millrace {arguments[0]} --json' printed no JSON: {e}") from None


def wait(process, seconds, mask):
    """
    Sets the mask of signals and waits for a program. When the time is over or this script is interrupted, it ends the program and
    what that started: a program in a session of its own would otherwise keep the GPU. Returns whether it ended by itself.
    """
    try:
        by_itself = ended(process, seconds, mask)
    except BaseException:
        end(process, mask)
        raise
    if not by_itself:
        end(process, mask)
    return by_itself


def end(process, mask):
    """Ends a program and what it started: after SIGTERM they have 10 s, and a second interruption kills them at once."""
    try:
        signal_group(process, signal.SIGTERM)
        ended(process, 10, mask)
    finally:
        signal_group(process, signal.SIGKILL)
        ended(process, float("inf"), mask)


def ended(process, seconds, mask):
    """
    Waits until a program ends, at most so many seconds; returns whether it has ended. The mask of signals holds but for the moments
    in which Popen asks for the program: it locks, and an interruption there could leave it locked for ever.
    """
    limit = time.monotonic() + seconds
    while True:
        signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTIONS)
        over = process.poll() is not None
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if over or time.monotonic() >= limit:
            return over
        time.sleep(POLL_SECONDS)


def signal_group(process, number):
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        pass  # all have ended


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
    import torchvision
    facts["torchvision"] = torchvision.__version__
except ImportError as e:
    facts["missing"] = str(e)
print(json.dumps(facts))
"""


def bench_device(context):
    device = ["--device", "cuda:0"]
    small = ["--batch", "1MiB", "--micro-batch", "256KiB,1MiB", "--in-flight", "1,4", "--repetitions", "1"]
    context.figures.update(context.millrace_json("bench-device", *device, *(small if context.rehearsal else [])))


def bench_overlap(context):
    batch = "1MiB" if context.rehearsal else str(256 * PICTURE_BYTES)
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
    library = os.path.join(context.work, "djl", "pytorch", f"{version}-{flavor}-linux-x86_64", djl_version(sources) + "-libdjl_torch.so")
    os.makedirs(os.path.dirname(library), exist_ok=True)
    headers = [os.path.join(context.java, "include"), os.path.join(context.java, "include", "linux"), os.path.join(sources, "include")]
    carried = os.path.join(KIT, "headers")
    headers += [folder for folder in (carried, os.path.join(carried, "cccl")) if os.path.isdir(folder)]
    libraries = os.path.join(facts["folder"], "lib")
    started = time.monotonic()
    context.run(["bash", os.path.join(KIT, "bridge.sh"), sources, os.pathsep.join(headers), facts["folder"], library])
    context.figures["compile_s"] = round(time.monotonic() - started, 1)
    text = context.run(["ldd", "-r", library], expected=(0, 1), LD_LIBRARY_PATH=libraries)
    undefined = sorted(set(re.findall(r"(?:undefined symbol: (\S+)|(\S+) => not found)", text)))
    context.figures["undefined"] = [a or b for a, b in undefined]
    with open(library, "rb") as file:
        context.figures["empties_cuda_cache"] = b"CUDACachingAllocator" in file.read()
    context.figures["environment"] = {
        "PYTORCH_LIBRARY_PATH": libraries,
        "PYTORCH_VERSION": version,
        "PYTORCH_FLAVOR": flavor,
    }
    if context.figures["undefined"]:
        context.exit = 1
        raise Failure("the bridge lacks " + ", ".join(context.figures["undefined"][:5]))
    if facts["cuda"] and not context.figures["empties_cuda_cache"]:
        context.exit = 1
        raise Failure("the bridge was compiled without -DUSE_CUDA")


def devices(context):
    context.figures.update(context.millrace_json("devices"))
    training = context.figures["training"]
    if not training["device"].startswith("cuda"):
        context.exit = 1
        raise Failure(f"training would use {training['device']}: {training['reason']}")


# The options of the tests in the build.
OPTIONS = [f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in ("java.nio", "java.util", "java.lang")]
OPTIONS += ["-Dai.djl.offline=true", "-XX:+EnableDynamicAgentLoading", "-Xmx4g"]


def gpu_tests(context):
    """
    Runs each class in a JVM of its own, so that a crash ends one class and a later call goes on after it. A call that continues
    this step keeps the results of all classes; a call whose options choose this step runs the classes again that failed.
    """
    tests = os.path.join(KIT, "tests")
    with open(os.path.join(tests, "classes.txt"), encoding="utf-8") as file:
        names = file.read().split()
    with open(os.path.join(tests, "classpath.txt"), encoding="utf-8") as file:
        class_path = os.pathsep.join(os.path.join(KIT, entry) for entry in file.read().splitlines())
    options = context.options
    kept = {} if options.again else context.results.get(CONTINUED, {}).get("figures", {}).get("classes", {})
    if options.only or options.start:
        kept = {name: row for name, row in kept.items() if row.get("exit") == 0}
    classes = context.figures.setdefault("classes", dict(kept))
    # The limit is the result of the first class of a call: repeated first by each call, it would keep later classes from running.
    first = next((name for name in names if name not in classes), None)
    for name in names:
        if name in classes:
            continue
        if context.deadline - time.monotonic() < LEAST_CLASS_SECONDS:
            no_time_left(context, name)
        command = [os.path.join(context.java, "bin", "java"), *OPTIONS, "-cp", class_path,
                   "org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner", "--disable-ansi-colors",
                   "--details=tree", "--include-tag=gpu", "-c", name]
        started = time.monotonic()
        row = classes[name] = {}
        try:
            text = context.run(command, expected=range(-64, 256), MILLRACE_GPU_TESTS="1", CUBLAS_WORKSPACE_CONFIG=":4096:8",
                               OMP_WAIT_POLICY="PASSIVE", OPENCV_LOG_LEVEL="OFF")
            counts = {word: int(number) for number, word in re.findall(r"\[\s*(\d+) tests (\w+)\s*\]", text)}
            row.update(counts)
            # A class whose tests are all skipped is no success: the log has the reason.
            row["exit"] = 0 if counts.get("failed") == 0 and counts.get("successful") else 1
            if row["exit"]:
                row["tail"] = text[-1500:]
        except Failure as e:
            if context.exit == ENDED_BY_LIMIT and name != first:
                del classes[name]
                no_time_left(context, name)
            row.update(exit=context.exit, tail=str(e))
        row["seconds"] = round(time.monotonic() - started, 1)
        context.save()
    for word in ("found", "successful", "failed", "skipped"):
        context.figures[word] = sum(row.get(word, 0) for row in classes.values())
    bad = [name.rsplit(".", 1)[-1] for name, row in classes.items() if row["exit"]]
    if bad:
        context.exit = 1
        raise Failure("these classes failed: " + ", ".join(bad))


def no_time_left(context, name):
    context.exit = ENDED_BY_LIMIT
    raise Failure(f"no time was left for {name} and later classes: the next call continues there")


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
    size = 4 if context.rehearsal else 256
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
    """A run whose data is too slow on purpose: what Millrace reports must be what the GPU's own counter shows."""
    keep(context, training(context, "bfloat16", "parallelism=1", "dataset.epochs=1"))
    compare(context)


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
    return name in done and not (name == CONTINUED and done[name].get("exit") == ENDED_BY_LIMIT)


def chosen(options, done, steps):
    names = [step[0] for step in steps]
    for name in filter(None, (options.only, options.start)):
        if name not in names:
            raise Failure(f"there is no step '{name}': expected one of {', '.join(names)}")
    if options.only:
        return [step for step in steps if step[0] == options.only]
    if options.start:
        return steps[names.index(options.start):]
    return [step for step in steps if options.again or not has_result(step[0], done)]


def perform(context, step, state, path):
    name, function, limit, _ = step
    context.log = os.path.join(context.logs, name + ".log")
    open(context.log, "wb").close()
    context.exit = 0
    context.figures = {}
    context.results = state["steps"]
    # A rehearsal compiles and trains on few cores.
    context.deadline = time.monotonic() + min(limit * (REHEARSAL_LIMITS if context.rehearsal else 1), context.left())
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
    return row


def build_stubs(context):
    folder = os.path.join(context.work, "stub")
    os.makedirs(folder, exist_ok=True)
    for source, library in (("cuda_stub.c", "libcuda.so.1"), ("nvml_stub.c", "libnvidia-ml.so.1")):
        command = ["gcc", "-std=gnu11", "-O1", "-fPIC", "-shared", "-pthread", "-Wl,-soname," + library, "-Wl,-Bsymbolic",
                   os.path.join(KIT, "stub", source), "-o", os.path.join(folder, library)]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
        except OSError as e:
            raise Failure(f"a rehearsal compiles stubs of NVIDIA's libraries, and gcc cannot be started: {e.strerror}") from None
        if done.returncode:
            raise Failure(f"gcc did not compile the stub {source}, and ended with exit code {done.returncode}:\n{done.stdout[-2000:]}")


def collect_logs(context):
    """Puts all logs into one file, because few files can be copied back from some machines."""
    with tarfile.open(os.path.join(context.out, "logs.tar.gz"), "w:gz") as tar:
        for path in sorted(glob.glob(os.path.join(context.logs, "*.log"))):
            tar.add(path, os.path.basename(path))


def seconds(text):
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 < found < math.inf:
        raise argparse.ArgumentTypeError(f"expected a positive number of seconds, found '{text}'")
    return found


def parse(arguments):
    parser = argparse.ArgumentParser(description="Runs the steps of the GPU kit.")
    parser.add_argument("--out", default="results", help="the folder for figures.json, logs and temporary files; default: results")
    parser.add_argument("--python", default=sys.executable, help="the Python that has PyTorch; default: the one that runs this script")
    parser.add_argument("--budget", type=seconds, default=570, help="seconds after which no step starts; default: 570")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--only", metavar="STEP", help="run this step, even if it has a result")
    choice.add_argument("--from", dest="start", metavar="STEP", help="run this step and all later ones, even if they have results")
    parser.add_argument("--again", action="store_true", help="run all steps, even if they have results")
    parser.add_argument("--rehearse", action="store_true", help="use stubs of NVIDIA's libraries and train on the CPU with tiny data")
    parser.add_argument("--list", action="store_true", help="print the steps and their results, and run nothing")
    return parser.parse_args(arguments)


def main(arguments, steps=None):
    steps = STEPS if steps is None else steps
    options = parse(arguments)
    path = os.path.join(os.path.abspath(options.out), "figures.json")
    try:
        state = load(path)
        if options.list:
            print_results(steps, state)
            return 0
        if state.setdefault("rehearsal", options.rehearse) != options.rehearse:
            raise Failure(f"{path} has rehearsal={state['rehearsal']}: use another --out for this call")
        selected = chosen(options, state["steps"], steps)
        with interruptible():
            return call(options, selected, state, path, len(steps))
    except Failure as e:
        print(f"run.py: {e}", file=sys.stderr)
    except OSError as e:  # a step records its own; this is a file in --out
        print(f"run.py: --out {options.out}: {e}", file=sys.stderr)
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
    failed = 0
    left = []
    for index, step in enumerate(selected):
        if context.left() < step[3]:
            left += [name for name, *_ in selected[index:]]
            break
        print(f"{step[0]:20s} ", end="", flush=True)
        row = perform(context, step, state, path)
        failed += row["exit"] != 0
        print(f"exit {row['exit']}, {row['seconds']:.0f} s" + (f": {row['reason']}" if row["reason"] else ""), flush=True)
        if not has_result(step[0], state["steps"]):
            left.append(step[0])
    if left:
        print(f"run.py: the time of this call ({options.budget:.0f} s) is over; call again for: {', '.join(left)}")
    collect_logs(context)
    print(f"{path}: {sum(has_result(name, state['steps']) for name in state['steps'])} of {count} steps have a result")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
