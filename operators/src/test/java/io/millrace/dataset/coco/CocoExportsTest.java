package io.millrace.dataset.coco;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.sample.Annotation;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files as annotation tools write them, which differ from COCO's own. */
class CocoExportsTest {
    private static final String OBJECTS = "'categories': [{'id': 7, 'name': 'cup', 'supercategory': null}],"
            + " 'annotations': [{'id': 1, 'image_id': 1, 'category_id': 7, 'bbox': [1, 2, 3, 4]%s}]";

    @TempDir
    Path folder;

    private Dataset open(byte[] file, String... fields) throws IOException {
        Path annotations = Files.write(folder.resolve("export.json"), file);
        Path pictures = Files.createDirectories(folder.resolve("pictures"));
        return CocoDatasetTest.open(
                pictures, annotations, fields.length == 0 ? Map.of() : Map.of("fields", List.of(fields)));
    }

    private Dataset json(String json, String... fields) throws IOException {
        return open(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8), fields);
    }

    private void picture(String path) throws IOException {
        Path file = folder.resolve("pictures").resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, path);
    }

    private static String text(Field field) {
        return new String(field.data(), StandardCharsets.UTF_8);
    }

    @Test
    void idsAreTextsInTheOrderOfPythonsSorted() throws Exception {
        String file = "{'images': [{'id': 'b-9', 'file_name': '9.png', 'height': 4, 'width': 4},"
                + " {'id': 'b-10', 'file_name': '10.png', 'height': 4, 'width': 4}],"
                + " 'categories': [{'id': 'zebra'}, {'id': 'ape', 'name': 5}],"
                + " 'annotations': [{'id': 'x', 'image_id': 'b-9', 'category_id': 'zebra', 'bbox': [1, 1, 2, 2]},"
                + " {'id': 'y', 'image_id': 'none', 'category_id': 'ape', 'bbox': [1, 1, 2, 2]},"
                + " {'id': 'w', 'image_id': 'b-9', 'category_id': 'ape', 'bbox': [2, 2, 2, 2]}]}";
        try (Dataset dataset = json(file, "labels", "image_id", "boxes")) {
            assertThat(dataset.classes()).containsExactly("5", "zebra");
            assertThat(dataset.nameOf(0)).isEqualTo("10.png");
            assertThat(text(dataset.read(0).field("image_id"))).isEqualTo("b-10");
            Sample second = dataset.read(1);
            assertThat(text(second.field("image_id"))).isEqualTo("b-9");
            assertThat(CocoDatasetTest.numbers(second.field("labels"))).containsExactly(1, 0);
            assertThat(dataset.remarks())
                    .containsExactly(
                            "1 annotation belongs to pictures that images does not list, such as image_id none, and is left out");
        }
        assertThatThrownBy(() -> json(file, "category_ids"))
                .isInstanceOf(DatasetException.class)
                .hasMessage(
                        "dataset.fields: expected no field category_ids, because the ids of categories in the file are texts,"
                                + " such as 'ape', and a field of objects has numbers; labels has the numbers of the classes");
        assertThatThrownBy(() -> json(file, "annotation_ids"))
                .hasMessageContaining("the ids of annotations in the file");
        assertThatThrownBy(() -> json(file.replace("b-10", "b-9")))
                .hasMessageContaining("expected each image id once, found b-9 for 9.png and for 10.png");
        assertThatThrownBy(() -> json(file.replace("'y'", "'x'")))
                .hasMessageContaining("expected each annotation id once, found x several times");
        try (Dataset dataset = json(file.replace("'category_id': 'ape'", "'category_id': 'cat'"), "labels")) {
            assertThatThrownBy(() -> dataset.read(1))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageContaining("annotation w: expected a category_id that categories lists, found cat");
        }
    }

    @Test
    void numbersBeyondThoseOfDoublesStayApart() throws Exception {
        try (Dataset dataset = json(
                "{'images': [{'id': 9007199254740993, 'file_name': 'b'}, {'id': 9007199254740992, 'file_name': 'a'},"
                        + " {'id': -3.0, 'file_name': 'c'}, {'id': 9223372036854775807, 'file_name': 'd'}],"
                        + " 'annotations': [{'id': 1, 'image_id': 9007199254740993, 'category_id': 0, 'bbox': [1, 1, 1, 1]}]}",
                "image_id",
                "boxes")) {
            assertThat(List.of(dataset.nameOf(0), dataset.nameOf(1), dataset.nameOf(2), dataset.nameOf(3)))
                    .containsExactly("c", "a", "b", "d");
            assertThat(dataset.read(1).field("boxes").shape()[0]).isZero();
            assertThat(dataset.read(2).field("boxes").shape()[0]).isEqualTo(1);
            assertThat(dataset.read(3).field("image_id").data()).containsExactly(-1, -1, -1, -1, -1, -1, -1, 127);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "./1.png, 1.png, ''",
        "sub/./1.png, sub/1.png, ''",
        "sub//1.png, sub/1.png, ''",
        "images\\\\1.png, images/1.png, '1 file_name has backslashes, which are read as folders, such as images\\1.png'",
        "images\\\\4/1.png, images/4/1.png, '1 file_name has backslashes, which are read as folders, such as images\\4/1.png'",
        ".\\\\1.png, 1.png, '1 file_name has backslashes, which are read as folders, such as .\\1.png'",
        "\\/sub\\/1.png, none, ''",
        "FOLDER/pictures/sub/1.png, sub/1.png, ''",
        "a b%20ä.png, a b%20ä.png, ''",
    })
    void picturesAreFoundByThePathsThatToolsWrite(String name, String path, String remark) throws Exception {
        picture("1.png");
        picture(path);
        String written =
                name.replace("FOLDER", folder.toAbsolutePath().normalize().toString());
        try (Dataset dataset =
                json("{'images': [{'id': 1, 'file_name': '" + written + "'}], 'annotations': []}", "image")) {
            assertThat(dataset.remarks()).isEqualTo(remark.isEmpty() ? List.of() : List.of(remark));
            if (path.equals("none")) {
                assertThatThrownBy(() -> dataset.read(0)).hasMessageContaining("expected a path below the folder");
            } else {
                assertThat(text(dataset.read(0).image())).isEqualTo(path);
            }
        }
    }

    @Test
    void aBackslashIsPartOfANameWhereTheFileExists() throws Exception {
        picture("odd\\name.png");
        try (Dataset dataset = json("{'images': [{'id': 1, 'file_name': 'odd\\\\name.png'}]}", "image")) {
            assertThat(text(dataset.read(0).image())).isEqualTo("odd\\name.png");
            assertThat(dataset.remarks()).isEmpty();
        }
    }

    @Test
    void imagesOfLvisAreFoundByTheirAddresses() throws Exception {
        picture("train2017/1.png");
        try (Dataset dataset = json(
                "{'images': [{'id': 1, 'coco_url': 'http://images.cocodataset.org/train2017/1.png',"
                        + " 'neg_category_ids': [3]}]}",
                "image")) {
            assertThat(text(dataset.read(0).image())).isEqualTo("train2017/1.png");
            assertThat(dataset.remarks())
                    .containsExactly("1 image has no file_name; the path in coco_url is read, such as train2017/1.png");
        }
        assertThatThrownBy(() -> json("{'images': [{'id': 1, 'coco_url': 'http://images.cocodataset.org/'}]}"))
                .hasMessageContaining("expected an image with file_name, found one without it");
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-8", "UTF-16LE", "UTF-16BE", "UTF-32LE"})
    void anyUnicodeEncodingIsRead(String name) throws Exception {
        Charset charset = Charset.forName(name);
        for (String mark : new String[] {"", "\uFEFF"}) {
            byte[] file = (mark + "{'images': [{'id': 1, 'file_name': 'ä😀.png'}]}")
                    .replace('\'', '"')
                    .getBytes(charset);
            try (Dataset dataset = open(file, "image_id")) {
                assertThat(dataset.nameOf(0)).isEqualTo("ä😀.png");
            }
        }
    }

    /** The last member has white space only, which no reader of JSON needs. */
    @Test
    void everyCutWithinLaterMembersOfAnArchiveIsRefused() throws Exception {
        ByteArrayOutputStream members = new ByteArrayOutputStream();
        List<Integer> ends = new ArrayList<>();
        for (String part : List.of("{\"images\": [{\"id\": 1, ", "\"file_name\": \"a.png\"}]}", " \n")) {
            try (GZIPOutputStream gzip = new GZIPOutputStream(members)) {
                gzip.write(part.getBytes(StandardCharsets.UTF_8));
            }
            ends.add(members.size());
        }
        byte[] whole = members.toByteArray();
        try (Dataset dataset = open(whole, "image_id")) {
            assertThat(dataset.size()).isEqualTo(1);
        }
        for (int length = ends.get(0) + 1; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            if (!ends.contains(length)) {
                assertThatThrownBy(() -> open(cut))
                        .as("%d of %d bytes", length, whole.length)
                        .isInstanceOf(DatasetException.class)
                        .hasMessageContaining("export.json: expected a complete gzip file, found a damaged one");
            }
        }
    }

    @Test
    void aGzippedFileIsUnpackedAndADamagedOneRefused() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write("{\"images\": [{\"id\": 1, \"file_name\": \"a.png\"}]}".getBytes(StandardCharsets.UTF_8));
        }
        byte[] file = bytes.toByteArray();
        try (Dataset dataset = open(file, "image_id")) {
            assertThat(dataset.size()).isEqualTo(1);
        }
        List<byte[]> damaged = new ArrayList<>();
        damaged.add(Arrays.copyOf(file, 3));
        damaged.add(Arrays.copyOf(file, file.length - 9));
        byte[] changed = file.clone();
        changed[file.length - 5] ^= 1;
        damaged.add(changed);
        for (byte[] one : damaged) {
            assertThatThrownBy(() -> open(one))
                    .isInstanceOf(DatasetException.class)
                    .hasMessageContaining("export.json: expected a complete gzip file, found a damaged one");
        }
    }

    @Test
    void pairsOfKeypointsComeFromTheirNamesOrFromTheFile() throws Exception {
        String file =
                "{'images': [{'id': 1, 'file_name': 'a'}], 'categories': [{'id': 7, 'name': 'person', 'keypoints':"
                        + " ['nose', 'left_eye', 'right_eye']}], 'annotations': [{'id': 1, 'image_id': 1, 'category_id': 7,"
                        + " 'keypoints': [1, 2, 2, 3, 4, 2, 5, 6, 1]}]}";
        Annotation points = new Annotation(Annotation.Form.POINTS, false, null);
        assertThat(flipPairs(file, "names")).isEqualTo(points.withFlipPairs(List.of(1, 2)));
        assertThat(flipPairs(file, List.of(List.of(0L, 2L)))).isEqualTo(points.withFlipPairs(List.of(0, 2)));
        try (Dataset dataset = json(file, "keypoints")) {
            assertThat(dataset.read(0).field("keypoints").annotation()).isEqualTo(points);
            assertThat(dataset.remarks())
                    .contains(
                            "the keypoints of the categories have names with left and right, but a horizontal flip exchanges"
                                    + " them only with flip_pairs: names");
        }
        assertThatThrownBy(() -> flipPairs(file.replace("left_", "l"), "names"))
                .hasMessage(
                        "dataset.flip_pairs: expected categories with keypoints whose names differ in left and right,"
                                + " found [nose, leye, right_eye]");
        String two = file.replace("'annotations'", "'x': 1, 'annotations'")
                .replace("]}], 'x'", "]}, {'id': 8, 'keypoints': ['left_ear', 'right_ear']}], 'x'");
        assertThatThrownBy(() -> flipPairs(two, "names"))
                .hasMessageContaining("found no names, or different ones in the categories");
        for (Object wrong : List.of("name", 3L, List.of(List.of("left_eye", "right_eye")))) {
            assertThatThrownBy(() -> flipPairs(file, wrong))
                    .hasMessageContaining("expected names, or pairs of different numbers");
        }
    }

    private Annotation flipPairs(String json, Object pairs) throws IOException {
        Path annotations = Files.writeString(folder.resolve("pairs.json"), json.replace('\'', '"'));
        Path pictures = Files.createDirectories(folder.resolve("pictures"));
        try (Dataset dataset = CocoDatasetTest.open(
                pictures, annotations, Map.of("fields", List.of("keypoints", "labels"), "flip_pairs", pairs))) {
            assertThat(dataset.remarks()).noneMatch(remark -> remark.contains("flip_pairs: names"));
            return Objects.requireNonNull(dataset.read(0).field("keypoints").annotation());
        }
    }

    @Test
    void whatIsLeftOutOrDoubleIsTold() throws Exception {
        try (Dataset dataset = json("{'images': [{'id': 1, 'file_name': 'a'}, {'id': 2, 'file_name': 'a'}],"
                + " 'categories': [{'id': 0, 'name': 'cup'}, {'id': 1, 'name': 'cup'}], 'annotations': []}")) {
            assertThat(dataset.classes()).containsExactly("cup", "cup");
            assertThat(dataset.remarks())
                    .containsExactly(
                            "the file has no annotations, so no picture has objects",
                            "several images have the file_name a, and each of them is a sample of its own",
                            "several categories have the name 'cup', and each is a class of its own");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'segmentation': [1, 1, 3, 1, 3, 3] | expected lists of numbers as segmentation, found the number 1",
                "'segmentation': [[1, 1, 3, 1, 3, '3']] | expected lists of numbers as segmentation, found the text '3' among the numbers",
                "'segmentation': [{'size': [4, 4], 'counts': [16]}] | expected lists of numbers as segmentation, found an object",
                "'segmentation': [[1, 1, 3, 3]] | expected polygons of at least three points x, y as segmentation, found 4 numbers",
                "'segmentation': {'size': [4, 4]} | expected size and counts in the object segmentation, found no counts",
                "'segmentation': {'size': ['4', 4], 'counts': [16]} | expected size: [height, width] and counts",
                "'segmentation': {'size': [5, 4], 'counts': [20]} | expected runs of the size of the picture, [4, 4], found [5, 4]",
                "'segmentation': 'x' | expected lists of coordinates, or size and counts as segmentation, found the text 'x'",
                "'segmentation': [[1, 1, 3, NaN, 3, 3]] | expected coordinates of at most 1048576 pixels as segmentation, found NaN",
                "'keypoints': [1, 2, '2'] | expected x, y and visibility of each point as keypoints, found the text '2' among the numbers",
                "'keypoints': [[1, 2, 2]] | found a list among the numbers",
                "'keypoints': [1, 2] | expected x, y and visibility of each point as keypoints, found 2 numbers",
            })
    void aShapeThatCannotBeReadMakesItsSampleBad(String values, String message) throws Exception {
        String file = "{'images': [{'id': 1, 'file_name': 'a', 'height': 4, 'width': 4.0}], "
                + OBJECTS.formatted(", " + values) + "}";
        try (Dataset dataset = json(file, "boxes", "masks", "keypoints")) {
            assertThatThrownBy(() -> dataset.read(0))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageContaining("annotation 1: ")
                    .hasMessageContaining(message);
        }
        try (Dataset dataset = json(file, "boxes")) {
            assertThat(dataset.read(0).field("boxes").shape()).containsExactly(1, 4);
        }
    }

    @Test
    void anObjectWithoutSegmentationHasAnEmptyMaskAndThisIsTold() throws Exception {
        for (String values : List.of("", ", 'segmentation': null", ", 'segmentation': []", ", 'segmentation': [[]]")) {
            String file = "{'images': [{'id': 1, 'file_name': 'a', 'height': 4, 'width': 4}], "
                    + OBJECTS.formatted(values) + "}";
            try (Dataset dataset = json(file, "masks")) {
                assertThat(dataset.read(0).field("masks").data()).hasSize(16).containsOnly(0);
                assertThat(dataset.remarks()).contains("1 object has no segmentation; masks of zeros stand for them");
            }
        }
        assertThatThrownBy(() -> json(
                        "{'images': [{'id': 1, 'file_name': 'a', 'height': '4', 'width': 4}], " + OBJECTS.formatted("")
                                + "}",
                        "masks"))
                .hasMessageContaining(
                        "expected a whole number of pixels as the height of an image, found the text '4'");
    }
}
