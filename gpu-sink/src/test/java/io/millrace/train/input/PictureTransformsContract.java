package io.millrace.train.input;

import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.djl.ndarray.types.DataType;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.device.AlignedMemory;
import io.millrace.device.Device;
import io.millrace.device.DeviceMemory;
import io.millrace.device.EngineTensors;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.train.TrainingFigures;
import io.millrace.train.Vectors;
import io.millrace.train.engine.TrainingRuntime;
import io.millrace.train.loss.Losses;
import io.millrace.train.network.Models;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Recipe;
import io.millrace.train.spec.RowStage;
import io.millrace.train.spec.RowStages;
import io.millrace.train.spec.RunLength;
import io.millrace.train.spec.TrainData;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.TrainSpecException;
import io.millrace.train.spec.Tuning;
import io.millrace.transform.PlacedTransform;
import io.millrace.transform.TransformSpec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that a transform on the device has the same bytes as the data servers' transform at the same place of the list,
 * for each sample and epoch, and on every device. docs/data/transforms.md promises this.
 */
public abstract class PictureTransformsContract {
    private static final long SEED = 42;
    private static final int ROWS = 24;

    private record Numbered(int count, int epoch, long first) implements BatchRows {
        @Override
        public long index(int row) {
            return first + 3L * row;
        }
    }

    /** Opens the device on which the engine computes. */
    abstract Device open();

    @ParameterizedTest
    @ValueSource(strings = {"RandomHorizontalFlip", "RandomVerticalFlip"})
    void theSameRowsAreMirroredAsOnTheServers(String flip) {
        for (double p : new double[] {0, 0.5, 0.9, 1}) {
            assertAsOnServers(flip, Map.of("p", p), 0, 7, 5, 3, FieldKind.IMAGE);
            assertAsOnServers(flip, Map.of("p", p), 3, 4, 6, 1, FieldKind.IMAGE);
            assertAsOnServers(flip, Map.of("p", p), (1 << 15) + 2, 4, 6, 1, FieldKind.MASK);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void colorsEqualTheServersInEveryOrder(int channels) {
        List<Map<String, Object>> options = List.of(
                Map.of("brightness", 0.4, "contrast", 0.4, "saturation", 0.4, "hue", 0.1),
                Map.of("brightness", List.of(0.0, 3.0), "hue", 0.5),
                Map.of("contrast", List.of(0.0, 4.0)),
                Map.of("saturation", List.of(0.0, 8.0), "contrast", 0.9),
                Map.of("hue", List.of(-0.5, 0.5)),
                Map.of());
        for (Map<String, Object> given : options) {
            assertAsOnServers("ColorJitter", given, 1, 13, 17, channels, FieldKind.IMAGE);
            assertAsOnServers("ColorJitter", given, 2, 1, 1, channels, FieldKind.IMAGE);
        }
        assertAsOnServers("ColorJitter", options.get(0), 1, 96, 80, channels, FieldKind.IMAGE);
    }

    @ParameterizedTest
    @CsvSource({
        "nearest",
        "bilinear",
        "bicubic",
        "box",
        "hamming",
        "lanczos",
    })
    void resizedPixelsEqualTheServersForEveryFilter(String interpolation) {
        for (int[] sizes : new int[][] {
            {32, 40, 16, 20},
            {31, 17, 64, 9},
            {9, 11, 23, 31},
            {8, 8, 8, 3},
            {8, 8, 5, 8},
            {5, 7, 5, 7},
            {350, 3, 20, 2},
            {2, 64, 1, 1},
        }) {
            Map<String, Object> options =
                    Map.of("size", List.of((long) sizes[2], (long) sizes[3]), "interpolation", interpolation);
            assertAsOnServers("Resize", options, 0, sizes[0], sizes[1], 3, FieldKind.IMAGE);
            assertAsOnServers("Resize", options, 0, sizes[0], sizes[1], 1, FieldKind.IMAGE);
            assertAsOnServers("Resize", options, 0, sizes[0], sizes[1], 1, FieldKind.MASK);
        }
        assertAsOnServers("Resize", Map.of("size", 20L, "interpolation", interpolation), 0, 33, 47, 3, FieldKind.IMAGE);
    }

    @Test
    void severalTransformsRunInOrder() {
        List<RowStage> stages = List.of(
                stage("Resize", Map.of("size", List.of(20L, 24L)), 1),
                stage("ColorJitter", Map.of("brightness", 0.5, "hue", 0.2), 2),
                stage("RandomHorizontalFlip", Map.of(), 3),
                stage("RandomVerticalFlip", Map.of(), 4));
        assertAsOnServers(stages, 41, 37, 3, FieldKind.IMAGE);
    }

    @Test
    void trainingAndEvaluationHaveTheirOwnTransforms() {
        RowStages stages = new RowStages(SEED, List.of(stage("RandomHorizontalFlip", Map.of("p", 1.0), 0)), List.of());
        BatchSpec.Column column = column(2, 2, 1, FieldKind.IMAGE);
        byte[] picture = {1, 2, 3, 4};
        assertThat(made(stages, column, Split.TRAIN, List.of(picture), 0)).containsExactly(new byte[] {2, 1, 4, 3});
        assertThat(made(stages, column, Split.EVALUATE, List.of(picture), 0)).containsExactly(picture);
    }

    @Test
    void splitsWithDifferentSizesAreRefused() {
        RowStages stages = new RowStages(SEED, List.of(stage("Resize", Map.of("size", 4L), 0)), List.of());
        BatchSpec.Column column = column(8, 8, 3, FieldKind.IMAGE);
        assertThatThrownBy(() -> made(stages, column, Split.TRAIN, List.of(new byte[192]), 0))
                .isInstanceOf(TrainSpecException.class)
                .hasMessageContaining("[4, 4, 3] in training and [8, 8, 3] in evaluation");
    }

    @Test
    void numbersOtherThanBytesAreRefused() {
        RowStages stages = new RowStages(SEED, List.of(stage("ColorJitter", Map.of("hue", 0.1), 0)), List.of());
        BatchSpec.Column floats =
                new BatchSpec.Column("image", DType.FLOAT32, List.of(8, 8, 3), FieldKind.IMAGE, Form.DENSE);
        assertThatThrownBy(() -> made(stages, floats, Split.TRAIN, List.of(new byte[192]), 0))
                .isInstanceOf(TrainSpecException.class)
                .hasMessageContaining("ColorJitter needs images of bytes")
                .hasMessageContaining("FLOAT32[8, 8, 3]");
    }

    @Test
    void picturesThatAreFloatsAlreadyAreRefused() {
        RowStages stages = new RowStages(
                SEED,
                List.of(
                        new RowStage(part(DeviceTransforms.all(), "ToFloat", Map.of()), 0),
                        stage("ColorJitter", Map.of("hue", 0.1), 1)),
                List.of());
        assertThatThrownBy(() -> made(stages, column(8, 8, 3, FieldKind.IMAGE), Split.TRAIN, List.of(new byte[192]), 0))
                .isInstanceOf(TrainSpecException.class)
                .hasMessageContaining("ColorJitter on the device changes bytes, but comes after ToFloat");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "horizontal; RandomHorizontalFlip; p; 1.0",
                "vertical; RandomVerticalFlip; p; 1.0",
                "brightness; ColorJitter; brightness; 1.4",
                "contrast; ColorJitter; contrast; 0.6",
                "saturation; ColorJitter; saturation; 1.37",
                "hue; ColorJitter; hue; 0.07",
            })
    void pixelsEqualTorchvisionToTheLastBit(String name, String transform, String option, double value)
            throws IOException {
        Object given = option.equals("p") ? value : List.of(value, value);
        assertThat(ofVectors(stage(transform, Map.of(option, given), 0))).containsExactly(tensor(name));
    }

    @ParameterizedTest
    @CsvSource({
        "nearest, down, 9, 8",
        "nearest, up, 25, 40",
        "bilinear, down, 9, 8",
        "bilinear, up, 25, 40",
        "bicubic, down, 9, 8",
        "bicubic, up, 25, 40"
    })
    void resizedPixelsEqualPillowAndTorchvisionsTensorsWithinOneLevel(
            String filter, String way, long height, long width) throws IOException {
        byte[] made = ofVectors(stage("Resize", Map.of("size", List.of(height, width), "interpolation", filter), 0));
        assertThat(made).containsExactly(tensor(filter + "_" + way));
        byte[] tensors = tensor(filter + "_" + way + "_tensors");
        for (int i = 0; i < made.length; i++) {
            assertThat(Math.abs((made[i] & 255) - (tensors[i] & 255))).isLessThanOrEqualTo(1);
        }
    }

    /**
     * Every conversion to floats after a change of pictures equals the conversion on the servers, including a fused
     * conversion of colors.
     */
    @Test
    void floatsEqualTheServers() {
        Map<String, Object> photo = Map.of("mean", List.of(0.485, 0.456, 0.406), "std", List.of(0.229, 0.224, 0.225));
        List<Map.Entry<String, Map<String, Object>>> listed = List.of(
                Map.entry("ConvertColor", Map.of()), Map.entry("ToFloat", Map.of()), Map.entry("Normalize", photo));
        BatchSpec.Column column = column(19, 23, 3, FieldKind.IMAGE);
        List<byte[]> pictures = pictures(ROWS, column.elementBytes());
        List<RowStage> onDevice = listed.stream()
                .map(e -> new RowStage(part(DeviceTransforms.all(), e.getKey(), e.getValue()), 0))
                .toList();
        float[] found = floats(new RowStages(SEED, onDevice, onDevice), column, Split.TRAIN, pictures, 0);
        float[] expected = new float[found.length];
        for (int row = 0; row < ROWS; row++) {
            Sample sample = new Sample(0, "a", -1)
                    .put("image", Field.image(19, 23, 3, pictures.get(row).clone()))
                    .placeAt(0, 0, Split.TRAIN);
            for (var e : listed) {
                TransformSpec spec = TransformSpec.of(e.getKey(), e.getValue());
                assertThat(new PlacedTransform("s", spec, "data", SEED, 0).apply(sample))
                        .isTrue();
            }
            ByteBuffer.wrap(sample.field("image").data())
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .asFloatBuffer()
                    .get(expected, row * column.elements(), column.elements());
        }
        assertThat(found).containsExactly(expected);
    }

    private static byte[] tensor(String name) throws IOException {
        var values = Vectors.read("pictures.safetensors").tensor(name).values();
        byte[] bytes = new byte[values.remaining()];
        values.get(0, bytes);
        return bytes;
    }

    /** Returns all rows of the file's pictures after the stage, one after another. */
    private byte[] ofVectors(RowStage stage) throws IOException {
        Vectors vectors = Vectors.read("pictures.safetensors");
        BatchSpec.Column column = vectors.spec().columns().get(0);
        byte[] images = tensor("images");
        List<byte[]> pictures = new ArrayList<>();
        for (int row = 0; row < vectors.rows(); row++) {
            pictures.add(Arrays.copyOfRange(images, row * column.elementBytes(), (row + 1) * column.elementBytes()));
        }
        List<byte[]> made = made(new RowStages(SEED, List.of(stage), List.of(stage)), column, Split.TRAIN, pictures, 0);
        byte[] all = new byte[made.size() * made.get(0).length];
        for (int row = 0; row < made.size(); row++) {
            System.arraycopy(made.get(row), 0, all, row * made.get(0).length, made.get(0).length);
        }
        return all;
    }

    private static RowStage stage(String name, Map<String, ?> options, int number) {
        return new RowStage(new Component(name, TransformSpec.of(name, options).options()), number);
    }

    private void assertAsOnServers(
            String name, Map<String, ?> options, int number, int height, int width, int channels, FieldKind kind) {
        assertAsOnServers(List.of(stage(name, options, number)), height, width, channels, kind);
    }

    /** Returns random pictures of several kinds, in two epochs. */
    private void assertAsOnServers(List<RowStage> stages, int height, int width, int channels, FieldKind kind) {
        BatchSpec.Column column = column(height, width, channels, kind);
        List<byte[]> pictures = pictures(ROWS, column.elementBytes());
        for (int epoch : new int[] {0, 5}) {
            List<byte[]> found = made(new RowStages(SEED, stages, stages), column, Split.TRAIN, pictures, epoch);
            for (int row = 0; row < ROWS; row++) {
                byte[] expected = onServer(
                        stages,
                        column,
                        pictures.get(row),
                        epoch,
                        rows(epoch, ROWS).index(row));
                assertThat(found.get(row))
                        .as("row %d of epoch %d after %s", row, epoch, stages)
                        .isEqualTo(expected);
            }
        }
    }

    private static byte[] onServer(
            List<RowStage> stages, BatchSpec.Column column, byte[] picture, int epoch, long index) {
        Field field = Field.of(
                        DType.UINT8, column.shape().stream().mapToInt(e -> e).toArray(), picture.clone())
                .as(column.kind());
        // Some transforms do not accept a sample whose only picture is a mask.
        Sample sample = new Sample(index, "a", -1).put(column.name(), field).placeAt(0, epoch, Split.TRAIN);
        for (RowStage stage : stages) {
            TransformSpec spec =
                    new TransformSpec(stage.part().name(), stage.part().options());
            assertThat(new PlacedTransform("s", spec, "data", SEED, stage.number()).apply(sample))
                    .isTrue();
        }
        return sample.field(column.name()).data();
    }

    private static BatchRows rows(int epoch, int count) {
        return new Numbered(count, epoch, 1L << 33);
    }

    private static BatchSpec.Column column(int height, int width, int channels, FieldKind kind) {
        return new BatchSpec.Column("image", DType.UINT8, List.of(height, width, channels), kind, Form.DENSE);
    }

    /** Returns noise, extremes, ramps, flat and nearly gray pictures in turn. */
    public static List<byte[]> pictures(int count, int bytes) {
        Random random = new Random(7);
        List<byte[]> pictures = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] picture = new byte[bytes];
            random.nextBytes(picture);
            for (int at = 0; at < bytes; at++) {
                int noise = picture[at] & 255;
                picture[at] = (byte)
                        switch (i % 5) {
                            case 0 -> noise;
                            case 1 -> noise < 128 ? 0 : 255;
                            case 2 -> (at / 7 + (noise & 7)) & 255;
                            case 3 -> i * 9;
                            default -> 100 + (noise & 3);
                        };
            }
            pictures.add(picture);
        }
        return pictures;
    }

    /** Returns the values that the model would get, converted back to bytes. */
    private List<byte[]> made(
            RowStages stages, BatchSpec.Column column, Split split, List<byte[]> pictures, int epoch) {
        float[] floats = floats(stages, column, split, pictures, epoch);
        List<byte[]> made = new ArrayList<>();
        int each = floats.length / pictures.size();
        for (int row = 0; row < pictures.size(); row++) {
            byte[] bytes = new byte[each];
            for (int i = 0; i < each; i++) {
                bytes[i] = (byte) (int) floats[row * each + i];
            }
            made.add(bytes);
        }
        return made;
    }

    /** Returns the same values with channels last. */
    private float[] floats(RowStages stages, BatchSpec.Column column, Split split, List<byte[]> pictures, int epoch) {
        TrainSpec spec = new TrainSpec(
                        new TrainData(new BatchSpec(List.of(column)), List.of()),
                        new Recipe(
                                part(Models.all(), "none", Map.of()),
                                part(Losses.all(), "cross_entropy", Map.of()),
                                TrainingFigures.ADAM,
                                TrainingFigures.CONSTANT,
                                0),
                        new RunLength(1, 1),
                        Tuning.ofThreads(1))
                .with(stages);
        int size = column.elementBytes();
        try (Device device = open();
                PtNDManager manager = TrainingRuntime.open(1, device);
                DeviceOps ops = new DeviceOps(manager);
                RowTensors rows = new RowTensors(manager);
                TensorInput input = new TensorInput(
                        spec,
                        DevicePlan.of(spec),
                        new ColumnTensors(spec.data().input(), column),
                        pictures.size(),
                        rows,
                        ops,
                        manager);
                AlignedMemory here = AlignedMemory.allocate((long) pictures.size() * size, "pictures");
                DeviceMemory there = device.memory(here.bytes(), "pictures")) {
            for (int row = 0; row < pictures.size(); row++) {
                here.buffer().put(row * size, pictures.get(row));
            }
            device.copies().copyIn(here.address(), there, 0, here.bytes());
            device.copies().synchronize();
            PtNDArray tensor = EngineTensors.numbers(
                    there, 0, ColumnNumbers.batch(pictures.size(), column.shape()), DataType.UINT8, manager);
            float[] floats = input.make(tensor, split, rows(epoch, pictures.size()), manager)
                    .transpose(0, 2, 3, 1)
                    .toFloatArray();
            there.read(0, here.address(), here.bytes());
            assertThat(hashes(here, size))
                    .as("the given pictures are unchanged")
                    .isEqualTo(hashes(pictures));
            return floats;
        }
    }

    private static List<Integer> hashes(AlignedMemory rows, int size) {
        List<Integer> hashes = new ArrayList<>();
        for (int at = 0; at < rows.bytes(); at += size) {
            byte[] row = new byte[size];
            rows.buffer().get(at, row);
            hashes.add(Arrays.hashCode(row));
        }
        return hashes;
    }

    private static List<Integer> hashes(List<byte[]> pictures) {
        return pictures.stream().map(Arrays::hashCode).toList();
    }
}
