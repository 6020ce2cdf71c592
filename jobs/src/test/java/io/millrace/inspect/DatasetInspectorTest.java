package io.millrace.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.dataset.DatasetException;
import io.millrace.image.ImageVectors;
import io.millrace.image.codec.JpegRestarts;
import io.millrace.inspect.DatasetSummary.BadEntry;
import io.millrace.inspect.DatasetSummary.ClassCount;
import io.millrace.inspect.DatasetSummary.FirstSample;
import io.millrace.sample.Split;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatasetInspectorTest {
    /**
     * The hash of rgb420.jpg by Pillow: {@code
     * hashlib.sha256(Image.open("rgb420.jpg").convert("RGB").tobytes()).hexdigest()}.
     */
    private static final String RGB420_SHA256 = "5e93d7b59404bd21b88cc8b55e15df23606cd26f808b96a8c6a2dbac325a950f";

    /** The hash of gray.png, computed by Pillow in the same way. */
    private static final String GRAY_SHA256 = "6c4fa856e055899973816111280c93ce538aae12104c9f994e3923e5f7647d47";

    /** The hash of the second image, by Python: {@code hashlib.sha256(bytes(range(12, 24))).hexdigest()}. */
    private static final String SECOND_IDX_IMAGE_SHA256 =
            "34d169384e157254f9f687ef54647bcd98d27ade71de38cb0894f9cdee007488";

    @TempDir
    Path root;

    @BeforeEach
    void photos() throws Exception {
        write("photos/cat/1.jpg", ImageVectors.file("decode/rgb420.jpg"));
        write("photos/cat/2.png", ImageVectors.file("decode/gray.png"));
        byte[] whole = ImageVectors.file("decode/rgb420.jpg");
        write("photos/dog/1.jpg", Arrays.copyOf(whole, whole.length / 2));
        write("photos/dog/2.jpg", new byte[0]);
    }

    @Test
    void aFolderHasCountsShapesBytesAndPillowsHashes() throws Exception {
        DatasetSummary summary = inspect("transforms: [decode, {Resize: {size: [8, 6]}}]", 100);

        assertThat(summary.size()).isEqualTo(4);
        assertThat(summary.classes()).containsExactly(new ClassCount("cat", 0, 2L), new ClassCount("dog", 1, 2L));
        assertThat(summary.bytes()).isEqualTo(length("cat/1.jpg") + length("cat/2.png") + length("dog/1.jpg"));
        assertThat(summary.first())
                .containsExactly(
                        new FirstSample(0, "cat/1.jpg", 0L, null, RGB420_SHA256),
                        new FirstSample(1, "cat/2.png", 0L, null, GRAY_SHA256));
        assertThat(summary.read())
                .containsExactly(new FieldShape("image", "image", "encoded", List.of(FieldShape.VARIES)));
        assertThat(summary.transformed()).containsExactly(new FieldShape("image", "image", "uint8", List.of(8, 6, 3)));
    }

    @Test
    void documentsThatWillBePackedAreShownBeforeIt() throws Exception {
        Path texts = Files.writeString(root.resolve("texts.jsonl"), "{\"text\": \"a b\"}\n{\"text\": \"c\"}\n");
        Path tokenizer = Path.of("../operators/src/test/resources/vectors/text/byte_level_gpt2.json")
                .toAbsolutePath();
        DatasetSummary summary = DatasetInspector.inspect(
                ConfigReader.read(
                        Files.writeString(root.resolve("texts.yaml"), """
                                dataset: { format: jsonl, path: %s }
                                transforms: [ tokenize: { tokenizer: %s }, pack_sequences: { length: 8 } ]
                                train: { model: none }
                                """.formatted(texts, tokenizer)), List.of()),
                Split.TRAIN,
                8);

        assertThat(summary.bad()).isEmpty();
        assertThat(summary.first()).hasSize(2);
        assertThat(summary.transformed()).extracting(FieldShape::name).containsExactly("tokens");
        assertThat(summary.remarks())
                .containsExactly(
                        "the samples are documents before pack_sequences; preview shows the sequences that it makes");
    }

    @Test
    void badSamplesAmongTheFirstAreListedWithFileOffsetAndReason() throws Exception {
        List<BadEntry> bad = inspect("transforms: [decode]", 100).bad();

        assertThat(bad).extracting(BadEntry::index).containsExactly(2L, 3L);
        assertThat(bad.get(0).file()).isEqualTo("dog/1.jpg");
        assertThat(bad.get(0).reason()).contains("expected", "found");
        assertThat(bad.get(1).file()).isEqualTo("dog/2.jpg");
        assertThat(bad.get(1).offset()).isZero();
        assertThat(bad.get(1).reason()).isEqualTo("expected an image, found an empty file");
    }

    @Test
    void aScanFindsEveryBadSampleAndTheSizesOfImages() throws Exception {
        PipelineConfig config = config(photosPipeline("transforms: [decode, {Resize: {size: [8, 6]}}]"));
        AtomicLong reported = new AtomicLong();

        DatasetScan scan =
                DatasetInspector.scan(config, Split.TRAIN, done -> reported.accumulateAndGet(done, Math::max));

        assertThat(reported).hasValue(4);
        assertThat(scan.samples()).isEqualTo(4);
        assertThat(scan.bad()).isEqualTo(2);
        assertThat(scan.listed()).extracting(BadEntry::file).containsExactly("dog/1.jpg", "dog/2.jpg");
        assertThat(scan.bytes()).isEqualTo(length("cat/1.jpg") + length("cat/2.png"));
        assertThat(scan.labels()).containsExactly(Map.entry(0L, 2L));
        assertThat(scan.largest()).containsExactly(37, 51, 3);

        DatasetSummary summary =
                DatasetInspector.inspect(config, Split.TRAIN, 1).scanned(scan);
        assertThat(summary.bad()).extracting(BadEntry::index).containsExactly(2L, 3L);
        assertThat(SummaryText.render("photos", summary, false))
                .contains("all 4 samples: 2 bad")
                .contains("    1 sample: expected an image, found an empty file (dog/2.jpg at offset 0)");
        assertThat(SummaryText.render("photos", summary, true))
                .contains("        3  dog/2.jpg at offset 0: expected an image, found an empty file");
        write("photos/dog/3.jpg", new byte[0]);
        assertThat(SummaryText.render("photos", inspect("transforms: [decode]", 100), false))
                .contains("    2 samples: expected an image, found an empty file (first: dog/2.jpg at offset 0)");
        assertThat(summary.toJson()).containsKey("scan");
    }

    @Test
    void samplesOfADatasetWithoutLabelsHaveNone() throws Exception {
        write("table.csv", "a,b\n1,2\n3,4\n".getBytes(StandardCharsets.US_ASCII));
        PipelineConfig config =
                config("dataset: {format: csv, path: " + root.resolve("table.csv") + "}\ntrain: {model: none}");

        DatasetSummary summary = DatasetInspector.inspect(config, Split.TRAIN, 2)
                .scanned(DatasetInspector.scan(config, Split.TRAIN, done -> {}));

        assertThat(summary.first()).extracting(FirstSample::label).containsOnlyNulls();
        assertThat(SummaryText.render("table", summary, false)).contains("        0      -  ", "labels       none");
    }

    @Test
    void restartMarkersOfJpegsAreCountedByTheirInterval() throws Exception {
        byte[] marked = new JpegRestarts()
                .recode(ImageVectors.file("decode/rgb420.jpg"), 3)
                .bytes();
        write("photos/cat/3.jpg", marked);
        write("photos/cat/4.jpg", marked);
        DatasetSummary summary = inspect("transforms: [decode]", 100);
        assertThat(summary.restarts()).as("with the damaged one").containsExactly(Map.entry(0, 2L), Map.entry(3, 2L));
        assertThat(SummaryText.render("photos", summary, false))
                .contains("  restarts     2 of 4 JPEGs have restart markers: 2 every 3 coded units");
        assertThat(inspect("transforms: [decode]", 1).restarts()).containsExactly(Map.entry(0, 1L));
        assertThat(SummaryText.render("photos", inspect("transforms: [decode]", 1), false))
                .contains("0 of 1 JPEGs have restart markers" + System.lineSeparator());
    }

    @Test
    void onlyTheFirstSamplesAreRead() throws Exception {
        DatasetSummary summary = inspect("transforms: [decode]", 1);
        assertThat(summary.first()).hasSize(1);
        assertThat(summary.bad()).isEmpty();
        assertThat(summary.classes()).extracting(ClassCount::count).containsExactly(2L, 2L);
    }

    @Test
    void encodedImagesAreDecodedForTheirHashWhenThePipelineDoesNotDecode() throws Exception {
        DatasetSummary summary = inspect("transforms: []", 3);
        assertThat(summary.first()).extracting(FirstSample::pixelsSha256).containsExactly(RGB420_SHA256, GRAY_SHA256);
        assertThat(summary.bad()).extracting(BadEntry::index).containsExactly(2L);
    }

    @Test
    void hashesOfIdxAreThoseOfStoredPixelsAlthoughTransformsChangeThemInPlace() throws Exception {
        byte[] pixels = new byte[36];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (byte) i;
        }
        write("digits/train-images-idx3-ubyte", idx(pixels, 3, 4, 3));
        write("digits/train-labels-idx1-ubyte", idx(new byte[] {2, 0, 2}, 3));
        PipelineConfig config = config("""
                dataset: {format: idx, path: %s}
                transforms: [{RandomHorizontalFlip: {p: 1}}]
                train: {model: none}
                """.formatted(root.resolve("digits")));

        DatasetSummary summary = DatasetInspector.inspect(config, Split.TRAIN, 2);

        assertThat(summary.classes()).extracting(ClassCount::count).containsExactly(1L, 0L, 2L);
        assertThat(summary.bytes()).isEqualTo(16 + 36 + 8 + 3);
        assertThat(summary.first().get(1))
                .isEqualTo(new FirstSample(1, "train-images-idx3-ubyte#1", 0L, null, SECOND_IDX_IMAGE_SHA256));
        assertThat(summary.read()).containsExactly(new FieldShape("image", "image", "uint8", List.of(4, 3, 1)));
        assertThat(SummaryText.render("digits", summary, false)).contains("1 without samples", "63 bytes");
    }

    /** Counts the pictures in which a class is, for a format whose samples have no single label. */
    @Test
    void classesOfObjectsAreCountedByPicture() throws Exception {
        write("some.json", """
                {"images": [{"id": 1, "file_name": "cat/1.jpg"}, {"id": 2, "file_name": "cat/2.png"}],
                 "categories": [{"id": 4, "name": "cup"}, {"id": 9, "name": "dog"}],
                 "annotations": [{"image_id": 1, "category_id": 4, "bbox": [0, 0, 1, 1]},
                                 {"image_id": 1, "category_id": 4, "bbox": [0, 0, 1, 1]}]}
                """.getBytes(StandardCharsets.UTF_8));
        PipelineConfig config = config("""
                dataset: {format: coco, path: %s, annotations: %s}
                transforms: [decode]
                train: {model: none}
                """.formatted(root.resolve("photos"), root.resolve("some.json")));
        DatasetSummary summary = DatasetInspector.inspect(config, Split.TRAIN, 2);
        assertThat(summary.classes()).containsExactly(new ClassCount("cup", 0, 1L), new ClassCount("dog", 1, 0L));
        assertThat(summary.bad()).isEmpty();
    }

    @Test
    void labelsOfHugeDatasetsAreNotCounted() throws Exception {
        PipelineConfig config = config("""
                dataset: {format: synthetic, size: 1099511627776, shape: [2, 2, 1], classes: 3}
                train: {model: none}
                """);
        DatasetSummary summary = DatasetInspector.inspect(config, Split.TRAIN, 1);
        assertThat(summary.classes()).hasSize(3).extracting(ClassCount::count).containsOnlyNulls();
        assertThat(summary.bytes()).isNull();
        assertThat(SummaryText.render("huge", summary, false))
                .contains("1,099,511,627,776", "  1 of 1,099,511,627,776 samples read; --scan reads all")
                .doesNotContain("bytes", "unknown");
    }

    @Test
    void textHasHashesOnlyWhenItIsVerbose() throws Exception {
        DatasetSummary summary = inspect("transforms: [decode]", 1);
        assertThat(SummaryText.render("photos", summary, true)).contains("sha256 of the decoded pixels", RGB420_SHA256);
        assertThat(SummaryText.render("photos", summary, false))
                .doesNotContain("sha256", RGB420_SHA256)
                .contains(
                        "as read      image encoded (not decoded)" + System.lineSeparator(),
                        "1 of 4 samples read; --scan reads all");
        assertThat(SummaryText.render("photos", inspect("transforms: [decode]", 4), false))
                .doesNotContain("samples read");
    }

    @Test
    void evaluationDatasetHasItsOwnTransforms() throws Exception {
        DatasetSummary summary = DatasetInspector.inspect(
                config(photosPipeline("transforms: [decode]")
                        + "evaluate: {dataset: {format: folder, path: " + root.resolve("photos")
                        + "}, transforms: [decode, {CenterCrop: {size: 4}}]}\n"),
                Split.EVALUATE,
                2);
        assertThat(summary.transformed()).containsExactly(new FieldShape("image", "image", "uint8", List.of(4, 4, 3)));
    }

    @Test
    void aMissingFolderIsReported() {
        assertThatThrownBy(() -> DatasetInspector.inspect(
                        config("{dataset: {format: folder, path: nowhere}, train: {model: none}}"), Split.TRAIN, 1))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("no such folder: nowhere");
    }

    @Test
    void jsonHasTheNamesThatScriptsRelyOn() throws Exception {
        Map<String, Object> json = inspect("transforms: [decode]", 4).toJson();
        assertThat(json).containsOnlyKeys("size", "classes", "fields", "restart_intervals", "bytes", "first", "bad");
        assertThat(text(json, "classes")).startsWith("[{name=cat, label=0, count=2}");
        assertThat(text(json, "first")).startsWith("[{index=0, key=cat/1.jpg, label=0, pixels_sha256=" + RGB420_SHA256);
        assertThat(text(json, "fields")).contains("read=[{name=image, kind=image, dtype=encoded, shape=[null]}]");
        assertThat(text(json, "bad")).contains("{index=3, file=").contains("offset=0, reason=expected");
    }

    private static String text(Map<String, Object> json, String key) {
        return String.valueOf(json.get(key));
    }

    private DatasetSummary inspect(String transforms, long first) throws Exception {
        return DatasetInspector.inspect(config(photosPipeline(transforms)), Split.TRAIN, first);
    }

    private String photosPipeline(String transforms) {
        return """
                dataset: {format: folder, path: %s}
                %s
                train: {model: none}
                """.formatted(root.resolve("photos"), transforms);
    }

    private PipelineConfig config(String text) throws Exception {
        Path file = Files.writeString(root.resolve("some.yaml"), text);
        return ConfigReader.read(file, List.of());
    }

    private long length(String file) throws Exception {
        return Files.size(root.resolve("photos").resolve(file));
    }

    private void write(String name, byte[] content) throws Exception {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        Files.write(file, content);
    }

    private static byte[] idx(byte[] elements, int... extents) {
        ByteBuffer file = ByteBuffer.allocate(4 + 4 * extents.length + elements.length);
        file.put((byte) 0).put((byte) 0).put((byte) 8).put((byte) extents.length);
        for (int extent : extents) {
            file.putInt(extent);
        }
        return file.put(elements).array();
    }
}
