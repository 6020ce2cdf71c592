package io.millrace.train.input;

import static io.millrace.train.Vectors.part;

import ai.djl.Device;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.device.AlignedMemory;
import io.millrace.device.BufferDevice;
import io.millrace.device.DeviceBatch;
import io.millrace.lifecycle.Handles;
import io.millrace.sample.DType;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.serve.OwnBuffers;
import io.millrace.train.engine.TrainingRuntime;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.MemoryFormat;
import io.millrace.train.spec.Roles;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.arrow.memory.util.MemoryUtil;

/**
 * Measures the CPU time of the device transforms of a batch of 64 photos on the server, in turn with the time in which the
 * trainer makes its input of the same rows and with a copy of the floats. Run the class as a program.
 */
public final class DeliveredTransformsBenchmark {
    private static final int ROWS = 64;
    private static final int ROUNDS = 41;
    private static final BatchSpec.Column IMAGE = new BatchSpec.Column(Sample.IMAGE, DType.UINT8, List.of(224, 224, 3));

    private DeliveredTransformsBenchmark() {}

    /** Prints the median of each time. */
    public static void main(String[] arguments) {
        Component toFloat = part(DeviceTransforms.all(), "ToFloat", Map.of());
        Component normalize = part(
                DeviceTransforms.all(),
                "Normalize",
                Map.of("mean", List.of(0.485, 0.456, 0.406), "std", List.of(0.229, 0.224, 0.225)));
        measure("ToFloat", toFloat);
        measure("ToFloat, Normalize", toFloat, normalize);
        measure("ToFloat, Normalize, MixUp", toFloat, normalize, part(DeviceTransforms.all(), "MixUp", Map.of()));
    }

    private static void measure(String name, Component... transforms) {
        BatchSpec columns = new BatchSpec(List.of(IMAGE));
        DeliveredTransforms delivered =
                DeliveredTransforms.of(DeliveredTransformsTest.spec(columns, Roles.DEFAULT, transforms), 4);
        long floatBytes = (long) ROWS * IMAGE.elements() * Float.BYTES;
        try (Handles handles = new Handles()) {
            PtNDManager manager = handles.add(TrainingRuntime.open(1));
            BufferDevice device = handles.add(new BufferDevice(new OwnBuffers(2, 64), List.of(BufferDevice.APART)));
            DeviceBatch batch = handles.add(device.allocate(columns, ROWS));
            fill(batch, handles.add(AlignedMemory.allocate(IMAGE.rowBytes(), "a row")));
            AlignedMemory buffer = handles.add(AlignedMemory.allocate(floatBytes + ROWS * 64L, "a buffer"));
            AlignedMemory other = handles.add(AlignedMemory.allocate(floatBytes, "floats"));
            DeliveredRows rows = handles.add(delivered.open(ROWS));
            HostInput input = handles.add(new HostInput(
                    columns,
                    IMAGE,
                    ROWS,
                    DeviceTransforms.floatSteps(List.of(transforms), IMAGE.shape()),
                    MemoryFormat.CHANNELS_LAST));
            long[][] nanos = new long[3][ROUNDS];
            for (int round = 0; round < ROUNDS; round++) {
                long began = cpuNanos();
                rows.write(batch, field -> buffer.address() + (field.equals(Roles.LABEL) ? floatBytes : 0));
                long written = cpuNanos();
                try (PtNDManager step = manager.newSubManager(Device.cpu())) {
                    input.make(batch.column(0), ROWS, List.of(), step);
                }
                long made = cpuNanos();
                MemoryUtil.copyMemory(buffer.address(), other.address(), floatBytes);
                nanos[0][round] = written - began;
                nanos[1][round] = made - written;
                nanos[2][round] = cpuNanos() - made;
            }
            System.out.printf(
                    Locale.ROOT,
                    "%s: server %.2f ms, trainer's input without mixing %.2f ms, copy of the floats %.2f ms%n",
                    name,
                    median(nanos[0]),
                    median(nanos[1]),
                    median(nanos[2]));
        }
    }

    private static void fill(DeviceBatch batch, AlignedMemory row) {
        batch.begin(0, 0, 0, Split.TRAIN, ROWS);
        for (int i = 0; i < ROWS; i++) {
            for (int j = 0; j < row.bytes(); j++) {
                row.buffer().put(j, (byte) (((i * 31 + j) * 7919L) >> 5));
            }
            batch.filling().put(0, i, row.address());
            batch.filling().place(i, i, i, i % 4);
        }
        batch.seal();
    }

    private static double median(long[] nanos) {
        Arrays.sort(nanos);
        return nanos[nanos.length / 2] / 1e6;
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
