package io.millrace.python;

import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.transform.Transform;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A benchmark of the overhead of a call: microseconds of CPU time for a picture of 224x224, both sides together, with the
 * copy of the result that the packer makes; and, for comparison, that of a byte that goes to a Python process and back through two
 * pipes, which is the least that any call costs. Run: {@code java -cp <test class path> io.millrace.python.PythonCallBenchmark
 * <python>}.
 */
final class PythonCallBenchmark {
    private static final int EDGE = 224;
    private static final int WARM_UP = 5_000;
    private static final int CALLS = 10_000;
    private static final int ROUNDS = 5;

    private static final String MODULE = """
            import numpy as np
            def nothing(sample): pass
            def touch(sample): sample["image"][0, 0, 0] += 1
            def copy(sample): return {"image": sample["image"].copy()}
            made = [np.full((224, 224, 3), i, np.uint8) for i in range(4)]
            def ready(sample, index): return {"image": made[index % 4]}
            def drawing(sample, rng): rng.random()
            """;

    private PythonCallBenchmark() {}

    public static void main(String[] arguments) throws Exception {
        printRoundTrips(arguments[0]);
        Path folder = Files.createTempDirectory("python-benchmark");
        Files.writeString(folder.resolve("augment.py"), MODULE);
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        byte[] pixels = new byte[EDGE * EDGE * 3];
        ByteBuffer packed = ByteBuffer.allocateDirect(pixels.length);
        for (boolean seed : new boolean[] {false, true}) {
            for (String call : List.of("nothing", "touch", "ready", "copy", "drawing")) {
                double[] java = new double[ROUNDS];
                double[] python = new double[ROUNDS];
                double[] inside = new double[ROUNDS];
                for (int round = 0; round < ROUNDS; round++) {
                    PythonTransformFactory factory = new PythonTransformFactory();
                    OptionValues options = OptionValues.of(
                            factory.options(),
                            Map.of(
                                    "call",
                                    "augment:" + call,
                                    "seed",
                                    seed,
                                    "executable",
                                    arguments[0],
                                    "path",
                                    List.of(folder.toString())));
                    SampleRandom random = new SampleRandom(42, 3);
                    List<ProcessHandle> before =
                            ProcessHandle.current().descendants().toList();
                    try (Transform transform = factory.create(options)) {
                        long javaBegan = 0;
                        long pythonBegan = 0;
                        long reported = 0;
                        List<ProcessHandle> worker = new ArrayList<>();
                        for (int i = -WARM_UP; i < CALLS; i++) {
                            if (i == 0) {
                                worker.addAll(
                                        ProcessHandle.current().descendants().toList());
                                worker.removeAll(before);
                                pythonBegan = nanos(worker);
                                javaBegan = threads.getCurrentThreadCpuTime();
                                reported = 0;
                            }
                            Sample sample = new Sample(i + WARM_UP, "photos/one.jpg", 1)
                                    .placeAt(i + WARM_UP, 0, Split.TRAIN)
                                    .put(Sample.IMAGE, Field.image(EDGE, EDGE, 3, pixels));
                            transform.apply(sample, random.reset(0, i + WARM_UP));
                            ByteBuffer stored = sample.image().stored();
                            if (stored == null) {
                                throw new IllegalStateException("the result was copied");
                            }
                            packed.put(0, stored, 0, stored.capacity());
                            reported += transform.remoteCpuNanos();
                        }
                        java[round] = (threads.getCurrentThreadCpuTime() - javaBegan) / 1e3 / CALLS;
                        python[round] = (nanos(worker) - pythonBegan) / 1e3 / CALLS;
                        inside[round] = reported / 1e3 / CALLS;
                    }
                }
                System.out.printf(
                        Locale.ROOT,
                        "%-8s seed %-5s  java %.1f us  python %.1f us (%.1f reported)  together %.1f us%n",
                        call,
                        seed,
                        median(java),
                        median(python),
                        median(inside),
                        median(java) + median(python));
            }
        }
    }

    private static void printRoundTrips(String python) throws IOException {
        Process echo = new ProcessBuilder(python, "-c", "import os\nwhile os.write(1, os.read(0, 1)): pass").start();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        double[] java = new double[ROUNDS];
        double[] remote = new double[ROUNDS];
        try (OutputStream out = echo.getOutputStream();
                InputStream in = echo.getInputStream()) {
            for (int round = 0; round < ROUNDS; round++) {
                long pythonBegan = nanos(List.of(echo.toHandle()));
                long javaBegan = threads.getCurrentThreadCpuTime();
                for (int i = 0; i < CALLS; i++) {
                    out.write(1);
                    out.flush();
                    if (in.read() < 0) {
                        throw new EOFException("the Python process ended");
                    }
                }
                java[round] = (threads.getCurrentThreadCpuTime() - javaBegan) / 1e3 / CALLS;
                remote[round] = (nanos(List.of(echo.toHandle())) - pythonBegan) / 1e3 / CALLS;
            }
        } finally {
            echo.destroy();
        }
        System.out.printf(
                Locale.ROOT,
                "a byte, there and back  java %.1f us  python %.1f us  together %.1f us%n",
                median(java),
                median(remote),
                median(java) + median(remote));
    }

    private static long nanos(List<ProcessHandle> processes) {
        return processes.stream()
                .mapToLong(process ->
                        process.info().totalCpuDuration().orElseThrow().toNanos())
                .sum();
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
