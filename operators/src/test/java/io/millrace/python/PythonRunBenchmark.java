package io.millrace.python;

import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A benchmark of functions behind one another, and of the replacement of a worker that dies. It prints the CPU time of a call in
 * one process or in several, and the longest wait for the sample after a kill. Run: {@code java -cp <test class path>
 * io.millrace.python.PythonRunBenchmark <python> <module to import>...}.
 */
final class PythonRunBenchmark {
    private static final int EDGE = 224;
    private static final int CALLS = 5_000;
    private static final int ROUNDS = 3;
    private static final int KILLS = 5;

    private static final String MODULE = """
            import os
            import numpy as np
            def touch(sample): sample["image"][0, 0, 0] += 1
            def pid(sample): return {"pid": os.getpid()}
            """;

    private PythonRunBenchmark() {}

    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("python-benchmark");
        String imports = String.join(
                "",
                Arrays.stream(arguments)
                        .skip(1)
                        .map(name -> "import " + name + "\n")
                        .toList());
        Files.writeString(folder.resolve("augment.py"), imports + MODULE);
        for (int functions : new int[] {1, 2, 3}) {
            double[] together = new double[ROUNDS];
            double[] separate = new double[ROUNDS];
            for (int round = 0; round < ROUNDS; round++) {
                together[round] = micros(List.of(transform(arguments[0], folder, "touch", functions)));
                separate[round] = micros(IntStream.range(0, functions)
                        .mapToObj(i -> transform(arguments[0], folder, "touch", 1))
                        .toList());
            }
            System.out.printf(
                    Locale.ROOT,
                    "%d functions: in one call %.1f us, in calls of their own %.1f us%n",
                    functions,
                    median(together),
                    median(separate));
        }
        restarts(transform(arguments[0], folder, "pid", 1));
    }

    private static PythonTransform transform(String python, Path folder, String call, int functions) {
        WorkerSettings one = new WorkerSettings(
                "python",
                new Interpreter(Optional.of(python)),
                List.of(folder.toString()),
                "augment:" + call,
                null,
                false,
                true,
                Duration.ofMinutes(1),
                Duration.ofMinutes(5),
                List.of());
        List<SampleRandom> random = new ArrayList<>();
        for (int i = 1; i < functions; i++) {
            random.add(new SampleRandom(42, 3 + i));
        }
        return new PythonTransform(
                one.before(random.stream().map(other -> one).toList()),
                UnpackedModules.of(List.of(), ModuleArchives.NONE),
                random);
    }

    private static Sample sample(long index, byte[] pixels) {
        return new Sample(index, "photos/one.jpg", 1)
                .placeAt(index, 0, Split.TRAIN)
                .put(Sample.IMAGE, Field.image(EDGE, EDGE, 3, pixels));
    }

    /** Returns the CPU time of a sample in microseconds, and closes the transforms. */
    private static double micros(List<PythonTransform> transforms) throws Exception {
        byte[] pixels = new byte[EDGE * EDGE * 3];
        SampleRandom random = new SampleRandom(42, 3);
        long remote = 0;
        long began = 0;
        for (int i = -CALLS / 2; i < CALLS; i++) {
            if (i == 0) {
                remote = 0;
                began = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            }
            Sample sample = sample(CALLS + i, pixels);
            for (PythonTransform transform : transforms) {
                transform.apply(sample, random.reset(0, sample.index()));
                remote += transform.remoteCpuNanos();
                for (var done = transform.done(); done != null; done = done.next()) {
                    remote += done.next() == null ? 0 : done.next().cpuNanos();
                }
            }
        }
        long here = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - began;
        transforms.forEach(PythonTransform::close);
        return (here + remote) / 1e3 / CALLS;
    }

    /** Prints the time from a kill of the process that works to the result of the next sample. */
    private static void restarts(PythonTransform transform) throws Exception {
        SampleRandom random = new SampleRandom(42, 3);
        double[] seconds = new double[KILLS];
        long began = System.nanoTime();
        try (transform) {
            for (int i = -1; i < KILLS; i++) {
                Sample sample = sample(i + 1, new byte[EDGE * EDGE * 3]);
                transform.apply(sample, random.reset(0, sample.index()));
                double took = (System.nanoTime() - began) / 1e9;
                if (i < 0) {
                    System.out.printf(Locale.ROOT, "first start %.2f s%n", took);
                } else {
                    seconds[i] = took;
                }
                byte[] pid = sample.field("pid").data();
                long number = (pid[0] & 255L) | (pid[1] & 255L) << 8 | (pid[2] & 255L) << 16;
                began = System.nanoTime();
                ProcessHandle.of(number).orElseThrow().destroyForcibly();
            }
        }
        Arrays.sort(seconds);
        System.out.printf(
                Locale.ROOT, "after a kill: median %.2f s, longest %.2f s%n", median(seconds), seconds[KILLS - 1]);
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
