package io.millrace.dataset.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.arrow.ArrowFormat;
import io.millrace.dataset.parquet.ParquetFormat;
import io.millrace.option.OptionValues;
import io.millrace.sample.Annotation;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of samples without boxes in files that pyarrow wrote, see src/test/python/boxes_vectors.py. */
class BoxesTest {
    private static final Path VECTORS = Path.of("src/test/resources/vectors/dataset/boxes");

    private static Dataset open(Object path, String field) throws IOException {
        DatasetFormat format = path.toString().contains(".parquet") ? new ParquetFormat() : new ArrowFormat();
        Dataset dataset = format.open(OptionValues.of(
                format.options(), Map.of("path", path, "fields", Map.of("label", "label", field, field))));
        FieldTypes types = TypeInspection.of("boxes", dataset, place -> place);
        return SettledDataset.of(dataset, types);
    }

    /** Declared boxes are float32 in all samples, whatever type the column has and the inspection settles. */
    @ParameterizedTest
    @ValueSource(strings = {"first-list.parquet", "later-list.arrow"})
    void declaredBoxesAreFloat32AndStayDeclared(String file) throws Exception {
        DatasetFormat format = file.endsWith(".parquet") ? new ParquetFormat() : new ArrowFormat();
        Map<String, Object> boxes = Map.of("from", "boxes", "as", Map.of("boxes", "xyxy"));
        try (Dataset dataset = format.open(OptionValues.of(
                format.options(), Map.of("path", VECTORS.resolve(file).toString(), "fields", Map.of("b", boxes))))) {
            Dataset settled = SettledDataset.of(dataset, TypeInspection.of("boxes", dataset, place -> place));
            for (long i = 0; i < settled.size(); i++) {
                Field read = settled.read(i).field("b");
                assertThat(read.dtype()).isEqualTo(DType.FLOAT32);
                assertThat(read.shape()[1]).isEqualTo(4);
                assertThat(read.annotation()).isEqualTo(new Annotation(Annotation.Form.XYXY, false, null));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "first-list.parquet",
                "first-large.parquet",
                "first-fixed.parquet",
                "first-list.arrow",
                "first-large.arrow",
                "first-view.arrow",
                "first-fixed.arrow",
                "later-list.parquet",
                "later-large.parquet",
                "later-fixed.parquet",
                "later-list.arrow",
                "later-large.arrow",
                "later-view.arrow",
                "later-fixed.arrow",
                "odd-list.parquet",
                "odd-large.parquet",
                "odd-list.arrow",
                "odd-large.arrow",
                "odd-view.arrow"
            })
    void sampleWithoutBoxesHasNoneOfTheShapeOfOthers(String file) throws Exception {
        assertBoxes(file, "boxes");
    }

    @ParameterizedTest
    @ValueSource(strings = {"objects.bbox", "objects.list.element.bbox"})
    void columnOfAListOfStructsIsAListOfItsValues(String column) throws Exception {
        assertBoxes("objects.parquet", column);
        try (Dataset dataset = open(VECTORS.resolve("objects.parquet").toString(), "objects.category")) {
            assertThat(dataset.read(0).field("objects.category")).hasToString("INT64[0]");
            assertThat(dataset.read(3).field("objects.category").data())
                    .containsExactly(7, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "objects | consists of several columns: name one of them, for example 'objects.bbox'",
                "nested | consists of several columns: name one of them, for example 'nested.u'",
                "map | consists of several columns: name one of them, for example 'map.value'",
                "texts | which is not supported",
                "objects.names | which is not supported",
                "bbox | has no column 'bbox'; it has label",
            })
    void refusalOfAGroupNamesAColumnThatCanBeRead(String column, String words) {
        assertThatExceptionOfType(DatasetException.class)
                .isThrownBy(() -> open(VECTORS.resolve("objects.parquet").toString(), column))
                .withMessageContaining(words);
    }

    private static void assertBoxes(String file, String column) throws Exception {
        JsonNode rows = new ObjectMapper()
                .readTree(VECTORS.resolve("rows.json").toFile())
                .required(file.split("[-.]", 2)[0]);
        try (Dataset dataset = open(VECTORS.resolve(file).toString(), column)) {
            assertThat(dataset.size()).isEqualTo(rows.size());
            for (int row = 0; row < rows.size(); row++) {
                int at = row;
                if (rows.get(row).isTextual()) {
                    assertThatExceptionOfType(BadSampleException.class)
                            .as("row %d", row)
                            .isThrownBy(() -> dataset.read(at));
                    continue;
                }
                Field boxes = dataset.read(row).field(column);
                assertThat(boxes.kind()).isEqualTo(FieldKind.RAGGED);
                assertThat(boxes.dtype()).isEqualTo(DType.FLOAT32);
                assertThat(FieldType.extents(boxes))
                        .isEqualTo(
                                List.of(rows.get(row).required("shape").get(0).asInt(), 4));
                assertThat(floats(boxes))
                        .isEqualTo(new ObjectMapper().convertValue(rows.get(row).required("values"), float[].class));
            }
        }
    }

    private static float[] floats(Field field) {
        float[] values = new float[field.bytes() / Float.BYTES];
        ByteBuffer.wrap(field.data())
                .order(ByteOrder.LITTLE_ENDIAN)
                .asFloatBuffer()
                .get(values);
        return values;
    }

    @Test
    void otherBoxesAreBadWithTheSettledTypeInTheReason() throws Exception {
        try (Dataset dataset = open(VECTORS.resolve("odd-list.arrow").toString(), "boxes")) {
            assertThatExceptionOfType(BadSampleException.class)
                    .isThrownBy(() -> dataset.read(5))
                    .withMessage(
                            "expected 'boxes' as float32 [?, 4], the type that the first samples of the run settled,"
                                    + " found float32 [1, 2]")
                    .satisfies(e -> assertThat(e.file()).isEqualTo("odd-list.arrow#5"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"parquet", "arrow"})
    void wholeNumbersOfOneFileAreFloatsWhereAnotherFileHasFloats(String format) throws Exception {
        List<String> files = List.of(
                VECTORS.resolve("mixed-0." + format).toString(),
                VECTORS.resolve("mixed-1." + format).toString());
        try (Dataset dataset = open(files, "x")) {
            List<Double> values = new ArrayList<>();
            for (int row = 0; row < dataset.size(); row++) {
                Sample sample = dataset.read(row);
                assertThat(sample.label()).isEqualTo(row % 3);
                assertThat(sample.field("x").dtype()).isEqualTo(DType.FLOAT64);
                values.add(ByteBuffer.wrap(sample.field("x").data())
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .getDouble());
            }
            assertThat(values).containsExactly(1.0, 2.0, 3.0, 0.5, 4.0, 0x1p53);
        }
    }

    @Test
    void fileThatDeclaresItsTypesNeedsNoInspection() throws Exception {
        DatasetFormat format = new ParquetFormat();
        try (Dataset dataset = format.open(OptionValues.of(
                format.options(),
                Map.of(
                        "path",
                        VECTORS.resolve("mixed-1.parquet").toString(),
                        "fields",
                        Map.of("label", "label", "x", "x"))))) {
            assertThat(dataset.undeclared()).isEmpty();
            assertThat(SettledDataset.of(dataset, TypeInspection.of("mixed", dataset, place -> place)))
                    .isSameAs(dataset);
        }
    }
}
