package io.millrace.dataset.coco;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.Mutation;
import io.millrace.image.ImageVectors;
import io.millrace.image.ImageVectors.Row;
import io.millrace.option.OptionValues;
import io.millrace.sample.Annotation;
import io.millrace.sample.Annotation.Form;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests with a file whose content pycocotools has read, see src/test/python/coco_vectors.py, and with files that others have made badly. */
class CocoDatasetTest {
    static final Path VECTORS = Path.of("src/test/resources/vectors/dataset/coco");
    private static final String PICTURE = "000000000012.png";

    @TempDir
    Path folder;

    static Dataset open(Path pictures, Path annotations, Map<String, Object> more) throws IOException {
        Map<String, Object> raw = new HashMap<>(more);
        raw.put("path", pictures.toString());
        raw.put("annotations", annotations.toString());
        CocoFormat format = new CocoFormat();
        return format.open(OptionValues.of(format.options(), raw));
    }

    private Dataset json(String json, Object... fields) throws IOException {
        Path file = Files.writeString(folder.resolve("some.json"), json.replace('\'', '"'));
        return open(
                VECTORS.resolve("pictures"), file, fields.length == 0 ? Map.of() : Map.of("fields", List.of(fields)));
    }

    static double[] numbers(Field field) {
        ByteBuffer bytes = ByteBuffer.wrap(field.data()).order(ByteOrder.LITTLE_ENDIAN);
        double[] numbers = new double[field.bytes() / field.dtype().bytes()];
        Arrays.setAll(numbers, i -> field.dtype() == DType.INT64 ? bytes.getLong() : bytes.getFloat());
        return numbers;
    }

    private static double[] expected(List<Row> rows, String column) {
        return rows.stream()
                .flatMapToDouble(row -> Arrays.stream(row.reals(column)))
                .map(value -> (float) value)
                .toArray();
    }

    @Test
    void samplesHaveWhatPycocotoolsReads() throws Exception {
        List<Row> all = ImageVectors.tableAt("/vectors/dataset/coco/expected.csv");
        Map<String, Object> fields = new HashMap<>();
        for (CocoColumn column : CocoColumn.values()) {
            fields.put("my_" + column.text(), column.text());
        }
        try (Dataset dataset =
                open(VECTORS.resolve("pictures"), VECTORS.resolve("instances.json"), Map.of("fields", fields))) {
            assertThat(dataset.size()).isEqualTo(5);
            assertThat(dataset.classes()).containsExactly("person", "dog", "toothbrush");
            assertThat(dataset.remarks())
                    .containsExactly(
                            "the 3 category ids from 1 to 90 became the class numbers 0 to 2, in the order of the ids;"
                                    + " the field category_ids has the ids of the file",
                            "the keypoints of the categories have names with left and right, but a horizontal flip exchanges"
                                    + " them only with flip_pairs: names");
            long[] ids = {3, 7, 12, 55, 900};
            for (int i = 0; i < ids.length; i++) {
                Sample sample = dataset.read(i);
                String id = String.valueOf(ids[i]);
                List<Row> rows = all.stream()
                        .filter(row -> row.text("image_id").equals(id))
                        .toList();
                assertThat(numbers(sample.field("my_image_id"))).containsExactly((double) ids[i]);
                assertThat(sample.label()).isEqualTo(dataset.label(i)).isEqualTo(-1);
                assertThat(dataset.shownClasses(i))
                        .containsExactlyInAnyOrder(rows.stream()
                                .mapToLong(row -> row.number("label"))
                                .distinct()
                                .toArray());
                assertThat(numbers(sample.field("my_labels"))).isEqualTo(expected(rows, "label"));
                assertThat(numbers(sample.field("my_category_ids"))).isEqualTo(expected(rows, "category_id"));
                assertThat(numbers(sample.field("my_annotation_ids"))).isEqualTo(expected(rows, "id"));
                assertThat(numbers(sample.field("my_iscrowd"))).isEqualTo(expected(rows, "iscrowd"));
                assertThat(numbers(sample.field("my_area"))).isEqualTo(expected(rows, "area"));
                assertThat(numbers(sample.field("my_boxes"))).isEqualTo(expected(rows, "box"));
                Field points = sample.field("my_keypoints");
                assertThat(points.shape()).containsExactly(rows.size(), 3, 3);
                double[] padded = rows.stream()
                        .flatMapToDouble(row -> Arrays.stream(Arrays.copyOf(row.reals("keypoints"), 9)))
                        .toArray();
                assertThat(numbers(points)).isEqualTo(padded);
                assertThat(sample.field("my_image").data())
                        .isEqualTo(
                                Files.readAllBytes(VECTORS.resolve("pictures").resolve(sample.key())));
                assertThat(sample.field("my_boxes").annotation()).isEqualTo(new Annotation(Form.XYWH, false, null));
                assertThat(points.annotation()).isEqualTo(new Annotation(Form.POINTS, false, "my_boxes"));
                assertMasks(sample.field("my_masks"), rows);
                assertThat(sample.field("my_labels").annotation())
                        .isEqualTo(new Annotation(Form.VALUES, false, "my_boxes"));
                assertThat(sample.field("my_labels").kind()).isEqualTo(FieldKind.RAGGED);
            }
        }
    }

    private static void assertMasks(Field masks, List<Row> rows) throws Exception {
        assertThat(masks.dtype()).isEqualTo(DType.BOOL);
        assertThat(masks.annotation()).isEqualTo(new Annotation(Form.MASKS, false, "my_boxes"));
        assertThat(masks.shape()[0]).isEqualTo(rows.size());
        int pixels = masks.shape()[1] * masks.shape()[2];
        for (int i = 0; i < rows.size(); i++) {
            byte[] mask = Arrays.copyOfRange(masks.data(), i * pixels, (i + 1) * pixels);
            int sum = 0;
            for (byte one : mask) {
                sum += one;
            }
            assertThat(sum).as("pixels of " + rows.get(i)).isEqualTo(rows.get(i).number("pixels"));
            assertThat(HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(mask)))
                    .as("mask of " + rows.get(i))
                    .isEqualTo(rows.get(i).text("sha256"));
        }
    }

    @Test
    void crowdsCanBeLeftOut() throws Exception {
        try (Dataset dataset = open(
                VECTORS.resolve("pictures"),
                VECTORS.resolve("instances.json"),
                Map.of("crowds", false, "fields", List.of("iscrowd")))) {
            double[] crowds = numbers(dataset.read(4).field("iscrowd"));
            assertThat(crowds).hasSize(12).containsOnly(0);
        }
    }

    @ParameterizedTest
    @CsvSource({"xyxy, 1 2 31 42", "xywh, 1 2 30 40", "cxcywh, 16 22 30 40"})
    void boxesHaveTheFormThatTheFileAsksFor(String form, String expected) throws Exception {
        Path file = Files.writeString(
                folder.resolve("one.json"),
                "{\"images\": [{\"id\": 1, \"file_name\": \"" + PICTURE
                        + "\"}], \"annotations\": [{\"id\": 1, \"image_id\": 1, \"category_id\": 3, \"bbox\": [1, 2, 30, 40]}]}");
        Map<String, Object> fields = Map.of("boxes", Map.of("as", Map.of("boxes", form)));
        try (Dataset dataset = open(VECTORS.resolve("pictures"), file, Map.of("fields", fields))) {
            Field boxes = dataset.read(0).field("boxes");
            assertThat(numbers(boxes))
                    .isEqualTo(Arrays.stream(expected.split(" "))
                            .mapToDouble(Double::parseDouble)
                            .toArray());
            assertThat(boxes.annotation())
                    .isEqualTo(new Annotation(Form.valueOf(form.toUpperCase(Locale.ROOT)), false, null));
            assertThat(dataset.classes()).containsExactly("3");
        }
    }

    private static final String IMAGE = "'images': [{'id': 1, 'file_name': '" + PICTURE + "', 'license': 4}]";

    @Test
    void captionsAreLinesOfText() throws Exception {
        try (Dataset dataset = json(
                "{" + IMAGE
                        + ", 'annotations': [{'id': 5, 'image_id': 1, 'caption': ' A cup.\\n'}, {'id': 6, 'image_id': 1,"
                        + " 'caption': 'Zwei Tassen \\u00e4.'}]}",
                "captions",
                "boxes")) {
            Sample sample = dataset.read(0);
            assertThat(new String(sample.field("captions").data(), StandardCharsets.UTF_8))
                    .isEqualTo("A cup.\nZwei Tassen ä.");
            assertThat(sample.field("boxes").shape()).containsExactly(0, 4);
        }
    }

    @Test
    void oddBoxesAndStrayAnnotationsAreTold() throws Exception {
        try (Dataset dataset = json("{" + IMAGE + ", 'categories': [{'id': 0, 'name': 'cup'}], 'annotations': ["
                + "{'id': 1, 'image_id': 1, 'category_id': 0, 'bbox': [1, 2, 0, 4], 'segmentation': [], 'iscrowd': false},"
                + "{'image_id': 1.0, 'category_id': 0.0, 'bbox': [-1.5, 2, 3, 4], 'area': null, 'segmentation': [[]]},"
                + "{'id': 1, 'image_id': 77, 'category_id': 0, 'bbox': [1, 2, 3, 4]}]}")) {
            assertThat(numbers(dataset.read(0).field("boxes"))).containsExactly(1, 2, 0, 4, -1.5, 2, 3, 4);
            assertThat(dataset.remarks())
                    .containsExactly(
                            "1 annotation belongs to pictures that images does not list, such as image_id 77, and is left out",
                            "1 box has no width or height; samples have them until a transform that moves pixels removes them");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'bbox': [1, 2, 3] | annotation 5: expected bbox: [left, top, width, height], found [1.0, 2.0, 3.0]",
                "'bbox': [1, 2, 3, NaN] | expected bbox: [left, top, width, height], found [1.0, 2.0, 3.0, NaN]",
                "'bbox': [1, 2, 3, '4'] | expected bbox: [left, top, width, height], found the text '4' among the numbers",
                "'bbox': [1, 2, 3, null] | found null among the numbers",
                "'bbox': {'x': 1} | expected bbox: [left, top, width, height], found an object",
                "'bbox': null | expected bbox: [left, top, width, height], found none",
                "'bbox': [1, 2, 3, 4], 'iscrowd': '1' | expected 0 or 1 as iscrowd, found the text '1'",
                "'bbox': [1, 2, 3, 4], 'iscrowd': 2 | expected 0 or 1 as iscrowd, found the number 2",
                "'bbox': [1, 2, 3, 4], 'iscrowd': [[1], {}] | expected 0 or 1 as iscrowd, found a list",
                "'bbox': [1, 2, 3, 4], 'iscrowd': {'x': []} | expected 0 or 1 as iscrowd, found an object",
                "'area': 3 | annotation 5: expected bbox: [left, top, width, height], found none",
                "'bbox': [1, 2, 3, 4], 'category_id': 9 | expected a category_id that categories lists, found 9"
            })
    void annotationThatCannotBeUsedMakesItsSampleBad(String values, String message) throws Exception {
        String json = "{" + IMAGE.replace("]", ", {'id': 2, 'file_name': 'sub/000000000007.png'}]")
                + ", 'categories': [{'id': 3, 'name': 'cup'}], 'annotations': [{'id': 5, 'image_id': 1, 'category_id': 3, "
                + values.replace('\'', '"') + "}]}";
        try (Dataset dataset = json(json)) {
            assertThatThrownBy(() -> dataset.read(0))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageContaining(message);
            assertThat(dataset.read(1).field("boxes").shape()).containsExactly(0, 4);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'none.png', 'expected a file, found none; the annotations file names it'",
        "'../instances.json', 'expected a path below the folder, such as masks/1.png, found ''../instances.json'''",
        "'/etc/passwd', 'expected a path below the folder'",
        "'https://example.com/data/1.png', 'expected a path below dataset.path as file_name, found an address; download'",
        "'sub', 'cannot read the file: Is a directory'"
    })
    void pictureThatCannotBeReadIsABadSample(String name, String message) throws Exception {
        try (Dataset dataset = json("{" + IMAGE.replace(PICTURE, name) + "}")) {
            assertThatThrownBy(() -> dataset.read(0))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageContaining(message);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[] | expected an object with images, annotations and categories, found a list, as files of results have it",
                "7 | expected an object with images, annotations and categories, found something else",
                "'' | expected an object with images, annotations and categories, found an empty file",
                "{} | expected the list images, found none",
                "{'images': {}} | expected a list as images, found something else in line 1, column 12",
                "{'images': [3]} | expected objects in the list images, found something else",
                "{'images': [{'id': 1}]} | expected an image with file_name, found one without it",
                "{'images': [{'file_name': 'a'}]} | expected an image with id, found one without it",
                "{'images': [{'id': null, 'file_name': 'a'}]} | expected a whole number below 2^63 or text as the id of an image, found null",
                "{'images': [{'id': 1.5, 'file_name': 'a'}]} | expected a whole number below 2^63 or text as the id of an image, found the number 1.5",
                "{'images': [{'id': 9223372036854775808, 'file_name': 'a'}]} | found the number 9223372036854775808",
                "{'images': [{'id': NaN, 'file_name': 'a'}]} | found the number NaN",
                "{'images': [{'id': 1, 'file_name': 'a'}], 'annotations': [{'id': 1, 'image_id': '1', 'category_id': 1}]} | expected a whole number as the image_id of an annotation, like the ids of images before it, found the text '1' in line 1, column 81",
                "{'annotations': [{'id': 1, 'image_id': 'a', 'category_id': 1}], 'images': [{'id': 1, 'file_name': 'a'}]} | expected text as the id of an image, like the ids of images before it, found the number 1",
                "{'images': [], 'annotations': [{'id': 1, 'image_id': 1, 'bbox': [1, 2, 3, 4]}]} | expected an annotation with category_id, or with caption, found one without them",
                "{'images': [], 'annotations': [{'image_id': 1, 'file_name': 'a.png', 'segments_info': []}]} | found segments_info, as panoptic files have it",
                "{'images': [], 'categories': [{'id': 'a'}, {'id': 'a', 'name': 'b'}]} | expected each category id once, found a for \"a\" and for \"b\"",
                "{'images': [{'id': 1, 'file_name': 2}]} | expected text as the file_name of an image, found the number 2",
                "{'images': [{'id': 1, 'file_name': 'a'}, {'id': 1.0, 'file_name': 'b'}]} | expected each image id once, found 1 for a and for b",
                "{'images': [], 'categories': [{'id': 1}, {'id': 1, 'name': 'b'}]} | expected each category id once, found 1 for \"1\" and for \"b\"",
                "{'images': [], 'categories': [{'name': 'b'}]} | expected a category with id, found one without it",
                "{'images': [], 'annotations': [{'id': 1}]} | expected an annotation with image_id, found one without it",
                "{'images': [], 'annotations': [{'id': 1, 'image_id': 1, 'category_id': 1}, {'id': 1, 'image_id': 2, 'category_id': 1}]} | expected each annotation id once, found 1 several times",
                "{'images': [], 'annotations': [{'id': 1 | expected JSON, found the end of the file within a value; is the file cut off?",
                "{'images': [nan]} | expected JSON, found something else in line 1, column",
                "{'images': []} {} | expected one JSON value, found another one after it"
            })
    void fileThatCannotBeUsedIsRefused(String json, String message) {
        assertThatThrownBy(() -> json(json == null ? "" : json))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("some.json: ")
                .hasMessageContaining(message.replace('"', '\''));
    }

    @Test
    void missingFilesAndFoldersAreRefused() {
        Path json = VECTORS.resolve("instances.json");
        assertThatThrownBy(() -> open(VECTORS.resolve("none"), json, Map.of()))
                .hasMessage("dataset.path: expected the folder of the pictures, found no folder "
                        + VECTORS.resolve("none"));
        assertThatThrownBy(() -> open(json, json, Map.of()))
                .hasMessage("dataset.path: expected the folder of the pictures, found the file " + json);
        assertThatThrownBy(() -> open(VECTORS, VECTORS.resolve("none.json"), Map.of()))
                .hasMessage("dataset.annotations: expected a JSON file, found no file " + VECTORS.resolve("none.json"));
        assertThatThrownBy(() -> open(VECTORS, VECTORS, Map.of()))
                .hasMessage("dataset.annotations: expected a JSON file, found the folder " + VECTORS);
    }

    @Test
    void damagedFilesEndInSamplesOrAnException() throws Exception {
        byte[] original = Files.readAllBytes(VECTORS.resolve("instances.json"));
        Path damaged = folder.resolve("damaged.json");
        List<String> fields =
                Arrays.stream(CocoColumn.values()).map(CocoColumn::text).toList();
        int read = 0;
        for (int seed = 0; seed < Mutation.CASES; seed++) {
            Files.write(damaged, Mutation.mutate(original, new Random(seed)));
            try (Dataset dataset = open(VECTORS.resolve("pictures"), damaged, Map.of("fields", fields))) {
                for (long i = 0; i < dataset.size(); i++) {
                    dataset.read(i);
                    read++;
                }
            } catch (DatasetException | BadSampleException e) {
                assertThat(e.getMessage()).isNotBlank();
            }
        }
        assertThat(read).isPositive();
    }

    @Test
    void fieldsThatTheFormatDoesNotHaveAreRefused() {
        assertThatThrownBy(() -> json("{}", "image", "label"))
                .hasMessageContaining(
                        "dataset.fields: expected one of image, boxes, labels, category_ids, iscrowd, area,")
                .hasMessageContaining(
                        "found 'label'; a picture has no single label, and labels has the class of each box");
        Map<String, Object> asText = Map.of("fields", Map.of("area", Map.of("as", "text")));
        assertThatThrownBy(() -> open(VECTORS, VECTORS.resolve("instances.json"), asText))
                .hasMessageContaining("dataset.fields.area: expected no as and no labels_of");
        Map<String, Object> normalized =
                Map.of("fields", Map.of("boxes", Map.of("as", Map.of("boxes", "xyxy", "normalized", true))));
        assertThatThrownBy(() -> open(VECTORS, VECTORS.resolve("instances.json"), normalized))
                .hasMessageContaining("as: {boxes: xyxy}, {boxes: xywh} or {boxes: cxcywh}, in pixels");
    }
}
