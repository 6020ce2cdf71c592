package io.millrace.dataset.types;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.folder.FolderFormat;
import io.millrace.dataset.npy.NpyFormat;
import io.millrace.dataset.parquet.ParquetFormat;
import io.millrace.dataset.tar.TarFormat;
import io.millrace.option.OptionValues;
import io.millrace.sample.Annotation;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.transform.PlacedTransform;
import io.millrace.transform.TransformSpec;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of masks of objects in several formats, whose files and masks numpy made, see src/test/python/object_mask_vectors.py. */
class ObjectMasksTest {
    private static final Path VECTORS = Path.of("src/test/resources/vectors/dataset/masks");

    private static Map<String, Object> masks(String from) {
        return Map.of("from", from, "as", "masks");
    }

    private static Map<String, Object> ids(String from) {
        return Map.of("from", from, "as", Map.of("masks", "ids"));
    }

    private static Arguments of(DatasetFormat format, String path, String image, Map<String, Object> declared) {
        return Arguments.of(format, path, image, declared);
    }

    static Stream<Arguments> files() {
        return Stream.of(
                of(new TarFormat(), "samples.tar", "jpg", masks("masks.npy")),
                of(new TarFormat(), "samples.tar", "jpg", ids("wide.npy")),
                of(new TarFormat(), "samples.tar", "jpg", ids("ids.png")),
                of(new ParquetFormat(), "samples.parquet", "image", masks("masks")),
                of(new ParquetFormat(), "samples.parquet", "image", masks("truths")),
                of(new ParquetFormat(), "samples.parquet", "image", ids("ids")),
                of(new FolderFormat(), "folder", "file", ids("ids")),
                of(new NpyFormat(), "npy", "images.npy", masks("masks.npy")));
    }

    @ParameterizedTest
    @MethodSource("files")
    void masksAreReadMovedAndHaveTheSizeOfTheirPicture(
            DatasetFormat format, String path, String image, Map<String, Object> declared) throws Exception {
        Map<String, Object> fields = new HashMap<>();
        fields.put("image", image);
        fields.put("objects", declared);
        JsonNode expected = new ObjectMapper()
                .readTree(VECTORS.resolve("expected.json").toFile())
                .get(path.equals("npy") ? "npy" : "masks");
        Map<String, Object> options =
                new HashMap<>(Map.of("path", VECTORS.resolve(path).toString(), "fields", fields));
        if (path.equals("folder")) {
            options.put("labels", VECTORS.resolve("folder/objects.csv").toString());
        }
        try (Dataset dataset = format.open(OptionValues.of(format.options(), options))) {
            Dataset settled = SettledDataset.of(dataset, TypeInspection.of("masks", dataset, place -> place));
            assertThat(settled.size()).isEqualTo(expected.size());
            for (int i = 0; i < settled.size(); i++) {
                Sample sample = apply("decode", Map.of(), settled.read(i).placeAt(i, 0, Split.TRAIN));
                assertMasks(sample.field("objects"), expected.get(i), false);
                int[] size = {sample.image().height(), sample.image().width()};
                apply("RandomVerticalFlip", Map.of("p", 1.0), sample);
                assertMasks(sample.field("objects"), expected.get(i), true);
                assertThat(sample.field("objects").shape()).endsWith(size);
            }
        }
    }

    private static Sample apply(String name, Map<String, Object> options, Sample sample) throws Exception {
        try (PlacedTransform transform = new PlacedTransform(name, TransformSpec.of(name, options), "masks", 5, 0)) {
            transform.apply(sample);
        }
        assertThat(sample.badSample()).isNull();
        return sample;
    }

    private static void assertMasks(Field masks, JsonNode expected, boolean flipped) {
        assertThat(masks.dtype()).isEqualTo(DType.BOOL);
        assertThat(masks.kind()).isEqualTo(FieldKind.RAGGED);
        assertThat(masks.annotation()).isEqualTo(new Annotation(Annotation.Form.MASKS, false, null));
        List<JsonNode> shape = List.of(
                expected.get("shape").get(0),
                expected.get("shape").get(1),
                expected.get("shape").get(2));
        int height = shape.get(1).asInt();
        int width = shape.get(2).asInt();
        assertThat(masks.shape()[0]).isEqualTo(shape.get(0).asInt());
        for (int i = 0; i < masks.bytes(); i++) {
            int row = i / width % height;
            int from = flipped ? i + (height - 1 - 2 * row) * width : i;
            assertThat((int) masks.data()[i])
                    .isEqualTo(expected.get("values").get(from).asInt());
        }
    }
}
