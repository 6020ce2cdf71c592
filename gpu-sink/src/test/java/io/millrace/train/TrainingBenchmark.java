package io.millrace.train;

import static io.millrace.train.Vectors.part;

import io.millrace.batch.BatchSpec;
import io.millrace.device.AlignedMemory;
import io.millrace.device.DeviceBatch;
import io.millrace.device.HostDevice;
import io.millrace.sample.DType;
import io.millrace.sample.Split;
import io.millrace.train.engine.TrainingRuntime;
import io.millrace.train.network.Models;
import io.millrace.train.spec.Precision;
import io.millrace.train.spec.Recipe;
import io.millrace.train.spec.RunLength;
import io.millrace.train.spec.TrainData;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.Tuning;
import io.millrace.train.update.Optimizers;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * A benchmark of whole training steps, in steps per second: bytes to normalized floats, forward, backward, Adam.
 *
 * <p>Arguments: model, image edge, channels, batch, steps, threads, and optionally a folder for the model; {@code
 * -Dprecision=bfloat16} for another precision than float32. Prints the rate of each fifth of the run, resident memory
 * after each, and the parameters' fingerprint.
 */
final class TrainingBenchmark {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private TrainingBenchmark() {}

    public static void main(String[] arguments) throws IOException {
        int edge = Integer.parseInt(arguments[1]);
        int channels = Integer.parseInt(arguments[2]);
        int rows = Integer.parseInt(arguments[3]);
        int steps = Integer.parseInt(arguments[4]) / 5;
        BatchSpec input =
                new BatchSpec(List.of(new BatchSpec.Column("image", DType.UINT8, List.of(edge, edge, channels))));
        TrainSpec spec = new TrainSpec(
                new TrainData(input, channels == 1 ? TrainingFigures.GRAY : TrainingFigures.COLOR),
                new Recipe(
                        part(Models.all(), arguments[0], Map.of()),
                        TrainingFigures.CROSS_ENTROPY,
                        part(Optimizers.all(), "adam", Map.of()),
                        TrainingFigures.CONSTANT,
                        1),
                new RunLength(steps, 1),
                Tuning.ofThreads(Integer.parseInt(arguments[5]))
                        .in(Precision.valueOf(
                                System.getProperty("precision", "float32").toUpperCase(Locale.ROOT))));
        TrainingRuntime.preload();
        long opening = System.nanoTime();
        try (TrainStep step = TrainStep.open(spec, rows);
                DeviceBatch batch = new HostDevice().allocate(input, rows)) {
            System.out.printf(Locale.ROOT, "opened in %.0f ms%n", (System.nanoTime() - opening) / 1e6);
            fill(batch, input, rows);
            long transfer = 0;
            for (int part = 0; part < 5; part++) {
                long begin = System.nanoTime();
                long beginCpu = THREADS.getCurrentThreadCpuTime();
                double loss = 0;
                transfer = 0;
                for (int i = 0; i < steps; i++) {
                    TrainStep.StepResult result = step.train(batch);
                    loss = result.loss();
                    transfer += result.transferNanos();
                }
                double cpuSeconds = (THREADS.getCurrentThreadCpuTime() - beginCpu) / 1e9;
                double seconds = (System.nanoTime() - begin) / 1e9;
                System.out.printf(
                        Locale.ROOT,
                        "%s %.1f steps/s, %.1f per CPU second of its thread, %.3f ms per step, of it transfer %.3f, loss %.4f, resident %d MB%n",
                        arguments[0],
                        steps / seconds,
                        steps / cpuSeconds,
                        1e3 * seconds / steps,
                        transfer / 1e6 / steps,
                        loss,
                        residentMegabytes());
            }
            System.out.println(step.parametersSha256());
            if (arguments.length > 6) {
                step.save(Path.of(arguments[6]));
            }
        }
    }

    private static void fill(DeviceBatch batch, BatchSpec input, int rows) {
        Random random = new Random(1);
        byte[] bytes = new byte[input.rowBytes()];
        batch.begin(0, 0, 0, Split.TRAIN, rows);
        try (AlignedMemory row = AlignedMemory.allocate(bytes.length, "a row")) {
            for (int i = 0; i < rows; i++) {
                random.nextBytes(bytes);
                row.buffer().put(0, bytes);
                batch.filling().put(0, i, row.address());
                batch.filling().place(i, i, i, i % 10);
            }
        }
        batch.seal();
    }

    private static long residentMegabytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                        .filter(line -> line.startsWith("VmRSS"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                        .sum()
                / 1024;
    }
}
