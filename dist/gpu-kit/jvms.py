"""The test classes of the kit, each in a JVM of its own, so that a crash ends one class. Several JVMs run at once."""

import os
import re
import time

from programs import ENDED_BY_LIMIT, POLL_SECONDS, Failure, end_all

# The classes of the first call that need only the driver.
TRANSFER = ("io.millrace.device.GpuDeviceTest", "io.millrace.sink.trainer.GpuTransferTest")
# Those that need the bridge.
ENGINE = (
    "io.millrace.device.GpuEngineDeviceTest",
    "io.millrace.device.GpuEngineTensorsTest",
    "io.millrace.sink.trainer.GpuEngineTransferTest",
    "io.millrace.train.input.GpuRowTensorsTest",
    "io.millrace.train.input.GpuPictureTransformsTest",
)
TRAINING = (
    "io.millrace.train.gpu.GpuTrainingTest",
    "io.millrace.train.gpu.GpuAgreementTest",
    "io.millrace.train.gpu.GpuPrecisionTest",
    "io.millrace.train.gpu.GpuUpdatesTest",
    "io.millrace.train.gpu.GpuWireTest",
    "io.millrace.train.gpu.GpuPicturesTest",
    "io.millrace.train.gpu.GpuTrainersTest",
    "io.millrace.train.update.GpuWeightTest",
)
# It measures speed, which another JVM on the same GPU would change: it runs by itself, after the others, and in no first call.
ALONE = ("io.millrace.device.bench.GpuBenchTest",)
# It runs Flink, which the core parcel does not have.
WITH_FLINK = ("io.millrace.sink.trainer.GpuTrainingITCase",)

# The options of the tests in the build.
OPTIONS = [f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in ("java.nio", "java.util", "java.lang")]
OPTIONS += ["-Dai.djl.offline=true", "-XX:+EnableDynamicAgentLoading", "-Xmx4g"]
ENVIRONMENT = {
    "MILLRACE_GPU_TESTS": "1",
    "CUBLAS_WORKSPACE_CONFIG": ":4096:8",
    "OMP_WAIT_POLICY": "PASSIVE",
    "OPENCV_LOG_LEVEL": "OFF",
}
# A class is not started when less time is left, or less than a quarter of the step's.
LEAST_CLASS_SECONDS = 20
TAIL = 1500


def listed(kit):
    """Returns the names of the test classes that the kit contains."""
    with open(os.path.join(kit, "tests", "classes.txt"), encoding="utf-8") as file:
        return file.read().split()


class Jvm:
    """A running test class."""

    def __init__(self, context, name, class_path):
        self.name = name
        self.path = f"{context.log}.{name}.out"
        self.started = time.monotonic()
        command = [os.path.join(context.java, "bin", "java"), *OPTIONS, "-cp", class_path,
                   "org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner", "--disable-ansi-colors",
                   "--details=tree", "--include-tag=gpu", "-c", name]
        self._head = "$ " + " ".join(command) + "\n"
        with open(self.path, "wb") as out:
            self.program = context.begin(command, out, **ENVIRONMENT)

    def finish(self, context):
        """Moves the output into the log of the step, and returns it."""
        with open(self.path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        os.remove(self.path)
        with open(context.log, "ab") as log:
            log.write((self._head + text).encode())
        return text

    def row(self, text, reason=None):
        """Returns the result of the class: how many tests it has, its exit code and, of a failure, the end of its output."""
        counts = {word: int(number) for number, word in re.findall(r"\[\s*(\d+) tests (\w+)\s*\]", text)}
        # A class whose tests are all skipped is no success: the log has the reason.
        code = ENDED_BY_LIMIT if reason else 0 if counts.get("failed") == 0 and counts.get("successful") else 1
        row = {**counts, "exit": code, "seconds": round(time.monotonic() - self.started, 1)}
        if code:
            row["tail"] = reason or text[-TAIL:]
        return row


def run(context, names, classes, at_once):
    """
    Runs the classes of a step that have no result in `classes` yet, and puts their results there. Raises Failure when one failed,
    or when the time is over: a later call then continues with the classes that have no result. Only those that a call starts first
    count as failed when they reach the limit: repeated first by each call, they would keep later classes from running.
    """
    with open(os.path.join(context.kit, "tests", "classpath.txt"), encoding="utf-8") as file:
        class_path = os.pathsep.join(os.path.join(context.kit, entry) for entry in file.read().splitlines())
    waiting = [name for name in names if name not in classes]
    waiting.sort(key=lambda name: name in ALONE)
    first = waiting[:at_once]
    least = min(LEAST_CLASS_SECONDS, (context.deadline - time.monotonic()) / 4)
    running, left = [], []

    def results(jvm, reason=None):
        text = jvm.finish(context)
        if reason and jvm.name not in first:
            left.append(jvm.name)
        else:
            classes[jvm.name] = jvm.row(text, reason)
        context.save()

    try:
        while waiting or running:
            while waiting and len(running) < (1 if waiting[0] in ALONE else at_once):
                if context.deadline - time.monotonic() < least:
                    left += waiting
                    waiting = []
                    break
                running.append(Jvm(context, waiting.pop(0), class_path))
                running[-1].program.unblock()
            for jvm in [jvm for jvm in running if jvm.program.over()]:
                jvm.program.end()
                running.remove(jvm)
                results(jvm)
            if time.monotonic() >= context.deadline:
                late, running = running, []
                end_all([jvm.program for jvm in late])
                for jvm in late:
                    results(jvm, "java was ended at the step's limit of time")
            time.sleep(POLL_SECONDS)
    except BaseException:
        end_all([jvm.program for jvm in running])
        for jvm in running:  # The output of an interrupted class belongs to the log too.
            jvm.finish(context)
        raise
    judge(context, classes, left)


def judge(context, classes, left):
    """Counts the tests of a step, and raises Failure when a class failed or has no result."""
    for word in ("found", "successful", "failed", "skipped"):
        context.figures[word] = sum(row.get(word, 0) for row in classes.values())
    if left:
        context.exit = ENDED_BY_LIMIT
        raise Failure(f"no time was left for {', '.join(map(short, left))}: the next call continues there")
    bad = [short(name) for name, row in classes.items() if row["exit"]]
    if bad:
        context.exit = 1
        raise Failure("these classes failed: " + ", ".join(bad))


def short(name):
    return name.rsplit(".", 1)[-1]
