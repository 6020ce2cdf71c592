package io.millrace.train;

import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.DataType;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.batch.MicroBatch;
import io.millrace.batch.PackLimits;
import io.millrace.batch.Packer;
import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.device.HostDevice;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.train.TrainStep.StepResult;
import io.millrace.train.engine.TrainingRuntime;
import io.millrace.train.input.ColumnTensors;
import io.millrace.train.input.DeviceTransforms;
import io.millrace.train.input.ModelInput;
import io.millrace.train.input.PlainInput;
import io.millrace.train.input.PlainTensorInput;
import io.millrace.train.loss.Losses;
import io.millrace.train.network.Models;
import io.millrace.train.spec.Recipe;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.RunLength;
import io.millrace.train.spec.TrainData;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.Tuning;
import io.millrace.train.update.Optimizers;
import io.millrace.train.update.Schedules;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Training on the same samples, packed for each wire type. */
public class WireTrainingTest {
    private static final int ROWS = 8;
    private static final int WIDTH = 40;
    public static final BatchSpec PLAIN = spec(x(DType.FLOAT32, Form.DENSE), target(DType.INT64, Form.DENSE));

    public record Trained(String sha256, double loss) {}

    public static BatchSpec spec(BatchSpec.Column... columns) {
        return new BatchSpec(List.of(columns));
    }

    public static BatchSpec.Column x(DType dtype, Form form) {
        return new BatchSpec.Column("x", dtype, List.of(WIDTH), FieldKind.TENSOR, form, DType.FLOAT32);
    }

    public static BatchSpec.Column target(DType dtype, Form form) {
        return new BatchSpec.Column("target", dtype, List.of(1), FieldKind.TENSOR, form, DType.INT64);
    }

    static Stream<BatchSpec> exact() {
        BatchSpec.Column target = target(DType.INT64, Form.DENSE);
        return Stream.of(
                spec(x(DType.UINT8, Form.DENSE), target),
                spec(x(DType.FLOAT16, Form.DENSE), target),
                spec(x(DType.BFLOAT16, Form.DENSE), target),
                spec(x(DType.FLOAT32, Form.SPARSE), target),
                spec(x(DType.UINT8, Form.SPARSE), target),
                spec(x(DType.BFLOAT16, Form.SPARSE), target),
                spec(x(DType.FLOAT32, Form.DENSE), target(DType.UINT8, Form.DENSE)),
                spec(x(DType.FLOAT32, Form.DENSE), target(DType.INT16, Form.SPARSE)),
                spec(x(DType.FLOAT32, Form.DENSE), target(DType.UINT8, Form.BITS)));
    }

    @ParameterizedTest
    @MethodSource("exact")
    void numbersThatTheWireTypeHoldsTrainToTheSameBits(BatchSpec spec) {
        boolean bits = spec.column("target").form() == Form.BITS;
        assertThat(trained(spec, 1, bits ? 2 : 4).sha256())
                .isEqualTo(trained(PLAIN, 1, bits ? 2 : 4).sha256());
    }

    @Test
    void floatsRoundedOnTheWireTrainNearlyTheSame() {
        Trained plain = trained(PLAIN, 0.013f, 4);
        Trained half = trained(spec(x(DType.FLOAT16, Form.DENSE), target(DType.UINT8, Form.DENSE)), 0.013f, 4);
        Trained brain = trained(spec(x(DType.BFLOAT16, Form.DENSE), target(DType.UINT8, Form.DENSE)), 0.013f, 4);

        assertThat(half.sha256()).isNotEqualTo(plain.sha256());
        assertThat(half.loss()).isCloseTo(plain.loss(), within(1e-3));
        assertThat(brain.sha256()).isNotEqualTo(plain.sha256());
        assertThat(brain.loss()).isCloseTo(plain.loss(), within(1e-2));
    }

    @Test
    void unchangedInputsHaveTheSamplesTypeAgain() {
        requireRestored(new HostDevice());
    }

    /** Makes inputs of numbers that crossed the network as another type, and compares them with the samples'. */
    public static void requireRestored(Device device) {
        BatchSpec spec = spec(
                new BatchSpec.Column("tokens", DType.UINT16, List.of(2), FieldKind.TENSOR, Form.DENSE, DType.INT64),
                new BatchSpec.Column("boxes", DType.BFLOAT16, List.of(), FieldKind.RAGGED, Form.RAGGED, DType.FLOAT32),
                new BatchSpec.Column("small", DType.INT8, List.of(2), FieldKind.TENSOR, Form.SPARSE, DType.INT32),
                new BatchSpec.Column("words", DType.UINT8, List.of(), FieldKind.RAGGED, Form.RAGGED, DType.INT64));
        Sample sample = new Sample(0, "a", 0)
                .put("tokens", longs(65_535, 7))
                .put("boxes", floats(1.5f, -256, 0.125f))
                .put("small", ints(0, -128))
                .put("words", longs(255))
                .placeAt(0, 0, Split.TRAIN);
        NDList given = new NDList();
        try (DeviceBatch batch = device.allocate(spec, 1);
                PtNDManager manager = TrainingRuntime.open(1, device)) {
            fill(batch, List.of(sample), device);
            batch.beginUse();
            for (BatchSpec.Column column : spec.columns()) {
                ModelInput input = device instanceof HostDevice
                        ? new PlainInput(spec, column)
                        : new PlainTensorInput(new ColumnTensors(spec, column));
                assertThat(input.modelColumn().dtype()).isEqualTo(column.from());
                input.make(batch, List.of(), manager, given);
                switch (column.name()) {
                    case "tokens" -> assertThat(given.get(0).toLongArray()).containsExactly(65_535, 7);
                    case "boxes" -> assertThat(given.get(1).toFloatArray()).containsExactly(1.5f, -256, 0.125f);
                    case "small" -> {
                        assertThat(given.get(3).getDataType()).isEqualTo(DataType.INT32);
                        assertThat(given.get(3).toIntArray()).containsExactly(0, -128);
                    }
                    default -> assertThat(given.get(4).toLongArray()).containsExactly(255);
                }
                input.close();
            }
        }
    }

    /** Trains some steps; values are whole numbers from 0 to 60, most of them 0, times {@code scale}. */
    public static Trained trained(BatchSpec batchSpec, float scale, int classes) {
        return trained(batchSpec, scale, classes, new HostDevice());
    }

    public static Trained trained(BatchSpec batchSpec, float scale, int classes, Device device) {
        TrainSpec spec = new TrainSpec(
                new TrainData(
                        batchSpec,
                        new Roles(List.of("x"), "target"),
                        List.of(part(DeviceTransforms.all(), "ToFloat", Map.of("scale", 60.0)))),
                new Recipe(
                        part(Models.all(), "mlp", Map.of("hidden", List.of(8L), "classes", 4L)),
                        part(Losses.all(), "cross_entropy", Map.of()),
                        part(Optimizers.all(), "sgd", Map.of("learning_rate", 0.1)),
                        part(Schedules.all(), "constant", Map.of()),
                        1),
                new RunLength(1, 1),
                Tuning.ofThreads(1));
        Random random = new Random(5);
        try (TrainStep step = TrainStep.open(spec, ROWS, device);
                DeviceBatch batch = device.allocate(batchSpec, ROWS)) {
            double loss = 0;
            for (int i = 0; i < 4; i++) {
                fill(batch, samples(random, scale, classes), device);
                batch.beginUse();
                Pending<StepResult> pending = step.enqueue(batch);
                batch.endUse();
                loss = pending.result().loss();
            }
            return new Trained(step.parametersSha256(), loss);
        }
    }

    private static List<Sample> samples(Random random, float scale, int classes) {
        return Stream.generate(() -> sample(random, scale, classes)).limit(ROWS).toList();
    }

    private static Sample sample(Random random, float scale, int classes) {
        float[] x = new float[WIDTH];
        for (int i = 0; i < WIDTH; i++) {
            x[i] = Math.max(0, random.nextInt(240) - 180 + 1) * scale;
        }
        return new Sample(0, "a", 0).put("x", floats(x)).put("target", longs(random.nextInt(classes)));
    }

    private static void fill(DeviceBatch batch, List<Sample> samples, Device device) {
        batch.begin(0, 0, 0, Split.TRAIN, samples.size());
        try (RootAllocator allocator = new RootAllocator();
                Packer packer = new Packer(allocator, batch.spec(), PackLimits.ofRows(ROWS))) {
            for (int row = 0; row < samples.size(); row++) {
                packer.add(samples.get(row).placeAt(row, 0, Split.TRAIN));
            }
            try (MicroBatch packed = packer.flush()) {
                batch.filling().put(0, packed, 0, packed.rows());
                device.copies().synchronize(); // until then the micro-batch stays open
            }
        }
        batch.seal();
    }

    private static Field floats(float... values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * 4).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(values);
        return Field.of(DType.FLOAT32, new int[] {values.length}, bytes.array());
    }

    private static Field longs(long... values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * 8).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asLongBuffer().put(values);
        return Field.of(DType.INT64, new int[] {values.length}, bytes.array());
    }

    private static Field ints(int... values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * 4).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asIntBuffer().put(values);
        return Field.of(DType.INT32, new int[] {values.length}, bytes.array());
    }
}
