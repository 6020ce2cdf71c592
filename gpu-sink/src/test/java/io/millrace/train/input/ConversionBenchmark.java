package io.millrace.train.input;

import static io.millrace.train.Vectors.part;

import ai.djl.Device;
import ai.djl.ndarray.types.DataType;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.device.AlignedMemory;
import io.millrace.image.FloatStep;
import io.millrace.sample.DType;
import io.millrace.sample.Sample;
import io.millrace.train.TrainingFigures;
import io.millrace.train.engine.TrainingRuntime;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.MemoryFormat;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A benchmark of the conversion of 64 images to the model's floats, in milliseconds of CPU time. It compares the
 * engine's operations, one after the other, with {@link HostInput}. The images are photos of 224x224, scaled and
 * normalised, and photos of 256x256, converted to YCbCr and scaled. Run: {@code java
 * -cp <test class path> io.millrace.train.input.ConversionBenchmark}.
 */
final class ConversionBenchmark {
    private static final int ROWS = 64;
    private static final int ROUNDS = 15;
    private static final int PART_FLOATS = 1 << 18;

    private ConversionBenchmark() {}

    public static void main(String[] arguments) {
        compare("ToFloat and Normalize", 224, TrainingFigures.COLOR);
        compare(
                "ConvertColor and ToFloat",
                256,
                List.of(
                        part(DeviceTransforms.all(), "ConvertColor", Map.of()),
                        part(DeviceTransforms.all(), "ToFloat", Map.of())));
        compare(
                "ToFloat and ConvertColor",
                256,
                List.of(
                        part(DeviceTransforms.all(), "ToFloat", Map.of()),
                        part(DeviceTransforms.all(), "ConvertColor", Map.of())));
    }

    private static void compare(String name, int edge, List<Component> parts) {
        BatchSpec.Column column = new BatchSpec.Column(Sample.IMAGE, DType.UINT8, List.of(edge, edge, 3));
        try (PtNDManager manager = TrainingRuntime.open(1);
                DeviceOps ops = new DeviceOps(manager);
                AlignedMemory bytes = AlignedMemory.allocate((long) ROWS * column.rowBytes(), "the batch")) {
            List<FloatStep> steps = DeviceTransforms.floatSteps(parts, column.shape());
            List<TensorStep> onTensors = steps.stream()
                    .map(step -> TensorStep.of(step, column.shape(), manager))
                    .toList();
            for (int i = 0; i < bytes.bytes(); i++) {
                bytes.buffer().put(i, (byte) ((i * 7919L) >> 5));
            }
            try (HostInput input =
                    new HostInput(new BatchSpec(List.of(column)), column, ROWS, steps, MemoryFormat.CHANNELS_LAST)) {
                for (int round = 0; round < ROUNDS; round++) {
                    long begin = cpuNanos();
                    separately(bytes, column, onTensors, ops, manager);
                    long separate = cpuNanos();
                    try (PtNDManager step = manager.newSubManager(Device.cpu())) {
                        input.make(bytes.buffer(), ROWS, List.of(), step);
                    }
                    System.out.printf(
                            Locale.ROOT,
                            "%s: operation by operation %.2f ms, in one pass %.2f ms%n",
                            name,
                            (separate - begin) / 1e6,
                            (cpuNanos() - separate) / 1e6);
                }
            }
        }
    }

    private static void separately(
            AlignedMemory bytes, BatchSpec.Column column, List<TensorStep> steps, DeviceOps ops, PtNDManager manager) {
        int rowBytes = column.elementBytes();
        int partRows = PART_FLOATS / rowBytes;
        for (int from = 0; from < ROWS; from += partRows) {
            int count = Math.min(partRows, ROWS - from);
            try (PtNDManager part = manager.newSubManager(Device.cpu())) {
                PtNDArray made = part.create(
                                bytes.slice(from * rowBytes, count * rowBytes),
                                ColumnNumbers.batch(count, column.shape()),
                                DataType.UINT8)
                        .toType(DataType.FLOAT32, true);
                for (TensorStep step : steps) {
                    made = step.apply(made, ops, part);
                }
            }
        }
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
