package io.millrace.train.state;

import static io.millrace.train.Vectors.part;

import io.millrace.batch.BatchSpec;
import io.millrace.device.AlignedMemory;
import io.millrace.device.DeviceBatch;
import io.millrace.device.HostDevice;
import io.millrace.sample.DType;
import io.millrace.sample.Split;
import io.millrace.train.TrainStep;
import io.millrace.train.TrainingFigures;
import io.millrace.train.engine.TrainingRuntime;
import io.millrace.train.network.Models;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Recipe;
import io.millrace.train.spec.RunLength;
import io.millrace.train.spec.TrainData;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.Tuning;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * A benchmark of copies of a training's state: the time that a copy costs the trainer, and the time to write the copy.
 * It also checks that a new training that continues from the copy ends with the same parameters.
 *
 * <p>Arguments: threads, and {@code mlp} with the widths of its hidden layers, {@code resnet18}, or {@code torchscript}
 * with a file for images of 3 channels and the number of its classes. {@code mlp 16500 16500 16500} has 2.2 GB of
 * parameters, which are two blocks, and takes 12.5 GB of memory in all. Run: {@code java
 * --add-opens=java.base/java.nio=ALL-UNNAMED -Dai.djl.offline=true -cp <test class path>
 * io.millrace.train.state.StateBenchmark 2 mlp 16500 16500 16500}.
 */
final class StateBenchmark {
    private static final int ROWS = 8;
    private static final int STEPS = 2;
    private static final int COPIES = 3;

    private StateBenchmark() {}

    public static void main(String[] arguments) throws IOException {
        boolean gray = arguments[1].equals("mlp");
        int edge = gray ? 28 : 64;
        BatchSpec input =
                new BatchSpec(List.of(new BatchSpec.Column("image", DType.UINT8, List.of(edge, edge, gray ? 1 : 3))));
        TrainSpec spec = new TrainSpec(
                new TrainData(input, gray ? TrainingFigures.GRAY : TrainingFigures.COLOR),
                new Recipe(
                        model(arguments),
                        TrainingFigures.CROSS_ENTROPY,
                        TrainingFigures.SGD_NESTEROV,
                        TrainingFigures.CONSTANT,
                        1),
                new RunLength(100, 1),
                Tuning.ofThreads(Integer.parseInt(arguments[0])));
        TrainingRuntime.preload();
        ModelState state;
        String undisturbed;
        try (TrainStep step = TrainStep.open(spec, ROWS)) {
            System.out.printf(Locale.ROOT, "%,d bytes of parameters%n", step.parameterCount() * Float.BYTES);
            train(step, input, 0);
            for (int i = 1; i < COPIES; i++) {
                copy(step, i).close();
            }
            state = copy(step, COPIES);
            undisturbed = train(step, input, STEPS);
        }
        long begin = System.nanoTime();
        state.write(new DataOutputStream(OutputStream.nullOutputStream()));
        printCopied("written out to nowhere, checksums included", state, begin);
        String again;
        try (TrainStep step = TrainStep.open(spec, ROWS)) {
            begin = System.nanoTime();
            step.restore(state.chunks());
            printCopied("restored", state, begin);
            state.close();
            again = train(step, input, STEPS);
        }
        System.out.println("undisturbed " + undisturbed + "\nrestored    " + again);
        if (!again.equals(undisturbed)) {
            throw new IllegalStateException("the parameters differ");
        }
    }

    private static Component model(String[] arguments) {
        return switch (arguments[1]) {
            case "mlp" ->
                part(
                        Models.all(),
                        "mlp",
                        Map.of(
                                "hidden",
                                Arrays.stream(arguments)
                                        .skip(2)
                                        .map(Long::parseLong)
                                        .toList()));
            case "torchscript" ->
                part(
                        Models.all(),
                        "torchscript",
                        Map.of("path", arguments[2], "classes", Long.parseLong(arguments[3])));
            default -> part(Models.all(), arguments[1], Map.of());
        };
    }

    private static ModelState copy(TrainStep step, int number) {
        long begin = System.nanoTime();
        ModelState state = step.snapshot();
        printCopied("copy " + number, state, begin);
        return state;
    }

    private static void printCopied(String what, ModelState state, long begin) {
        double seconds = (System.nanoTime() - begin) / 1e9;
        System.out.printf(
                Locale.ROOT,
                "%s: %,d bytes in %d chunks, %.4f s, %.2f GB/s%n",
                what,
                state.bytes(),
                state.chunks().size(),
                seconds,
                state.bytes() / seconds / 1e9);
    }

    private static String train(TrainStep step, BatchSpec input, int from) {
        try (DeviceBatch batch = new HostDevice().allocate(input, ROWS);
                AlignedMemory row = AlignedMemory.allocate(input.rowBytes(), "a row")) {
            byte[] pixels = new byte[input.rowBytes()];
            for (int i = from; i < from + STEPS; i++) {
                Random random = new Random(i);
                batch.begin(i, i, 0, Split.TRAIN, ROWS);
                for (int j = 0; j < ROWS; j++) {
                    random.nextBytes(pixels);
                    row.buffer().put(0, pixels);
                    batch.filling().put(0, j, row.address());
                    batch.filling().place(j, j, j, j % 3);
                }
                batch.seal();
                long begin = System.nanoTime();
                double loss = step.train(batch).loss();
                System.out.printf(
                        Locale.ROOT, "step %d: loss %.6f, %.2f s%n", i, loss, (System.nanoTime() - begin) / 1e9);
            }
        }
        return step.parametersSha256();
    }
}
