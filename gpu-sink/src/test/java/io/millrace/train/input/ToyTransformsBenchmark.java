package io.millrace.train.input;

import static io.millrace.train.Vectors.part;

import ai.djl.Device;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.device.AlignedMemory;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.train.engine.TrainingRuntime;
import io.millrace.train.spec.MemoryFormat;
import io.millrace.transform.Transform;
import io.millrace.transform.TransformFactory;
import io.millrace.transform.TransformSpec;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.ServiceLoader;

/**
 * A benchmark of transforms on images of 1024x1024, in milliseconds of CPU time per image: a random crop of 256x256, a
 * random mask, a conversion to YCbCr and a division by 255. As in a job, the pixels are bytes until they reach the
 * device, and floats on the device. Run: {@code java -cp <test class path>
 * io.millrace.train.input.ToyTransformsBenchmark}.
 */
final class ToyTransformsBenchmark {
    private static final int EDGE = 256;
    private static final int ROWS = 64;
    private static final int ROUNDS = 10;

    private ToyTransformsBenchmark() {}

    public static void main(String[] arguments) throws Exception {
        byte[] pixels = new byte[1024 * 1024 * 3];
        new Random(1).nextBytes(pixels);
        Field raw = Field.image(1024, 1024, 3, pixels);
        List<Transform> transforms =
                List.of(transform("RandomCrop", Map.of("size", (long) EDGE)), transform("RandomMask", Map.of()));
        SampleRandom random = new SampleRandom(42, 3);
        BatchSpec.Column column = new BatchSpec.Column(Sample.IMAGE, DType.UINT8, List.of(EDGE, EDGE, 3));
        BatchSpec spec = new BatchSpec(List.of(column));
        try (PtNDManager manager = TrainingRuntime.open(1);
                AlignedMemory batch = AlignedMemory.allocate((long) ROWS * column.rowBytes(), "the batch");
                HostInput input = new HostInput(
                        spec,
                        column,
                        ROWS,
                        DeviceTransforms.floatSteps(
                                List.of(
                                        part(DeviceTransforms.all(), "ConvertColor", Map.of()),
                                        part(DeviceTransforms.all(), "ToFloat", Map.of())),
                                column.shape()),
                        MemoryFormat.CHANNELS_LAST)) {
            for (int round = 0; round < ROUNDS; round++) {
                long begin = cpuNanos();
                for (int row = 0; row < ROWS; row++) {
                    Sample sample = new Sample(row, "noise", 0).put(Sample.IMAGE, raw);
                    for (int stage = 0; stage < transforms.size(); stage++) {
                        transforms.get(stage).apply(sample, random.reset(stage, row));
                    }
                    batch.buffer().put(row * column.rowBytes(), sample.image().data());
                }
                long bytes = cpuNanos();
                try (PtNDManager step = manager.newSubManager(Device.cpu())) {
                    input.make(batch.buffer(), ROWS, List.of(), step);
                }
                System.out.printf(
                        Locale.ROOT,
                        "crop, mask and packing %.3f ms, conversion %.3f ms per image%n",
                        (bytes - begin) / 1e6 / ROWS,
                        (cpuNanos() - bytes) / 1e6 / ROWS);
            }
        }
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static Transform transform(String name, Map<String, ?> options) {
        TransformFactory factory = ServiceLoader.load(TransformFactory.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(candidate -> candidate.name().equals(name))
                .findFirst()
                .orElseThrow();
        return new TransformSpec(name, OptionValues.of(factory.options(), options)).create();
    }
}
