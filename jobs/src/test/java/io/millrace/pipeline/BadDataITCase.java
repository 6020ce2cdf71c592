package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cli.CommandRun;
import io.millrace.cli.RunHistory;
import io.millrace.cli.SmallData;
import io.millrace.run.ExitCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands with data that is partly or completely unusable. */
class BadDataITCase {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @TempDir
    static Path shared;

    private static Path digits;
    private static Path photos;

    @TempDir
    Path folder;

    private Path runs;

    @BeforeAll
    static void draw() throws IOException {
        digits = SmallData.digits(shared.resolve("digits"));
        photos = SmallData.photos(shared.resolve("photos"), 40, 12, 1);
    }

    @BeforeEach
    void runsOfThisTest() {
        runs = folder.resolve("runs");
    }

    private CommandRun trainOnDigits(String... settings) throws IOException {
        return train(SmallData.digitsPipeline(folder.resolve("digits.yaml"), digits, runs), settings);
    }

    private CommandRun trainOnPhotos(String... settings) throws IOException {
        return train(SmallData.photosPipeline(folder.resolve("photos.yaml"), photos, runs), settings);
    }

    private static CommandRun train(Path pipeline, String... settings) {
        List<String> arguments = new ArrayList<>(List.of("train", pipeline.toString()));
        for (String setting : settings) {
            arguments.addAll(List.of("--set", setting));
        }
        return CommandRun.of(arguments.toArray(String[]::new));
    }

    /** In storage order each of two trainers has its own bad samples. Trainers that share all samples both have all of them. */
    @ParameterizedTest
    @CsvSource({"split, false", "all, true"})
    void badSampleIsListedOnceEvenIfSeveralTrainersReceiveIt(String share, boolean allReceiveAll) throws IOException {
        CommandRun run = trainOnPhotos("ranks=2", "share=" + share, "order.shuffle=none", "batch.size=4");

        assertThat(run.exitCode()).as(run.err()).isZero();
        Path written = CommandRun.folder(runs);
        assertThat(CommandRun.summary(runs).required("quarantined").asInt()).isEqualTo(12);
        assertThat(new RunHistory(written).quarantined()).hasSize(12).doesNotHaveDuplicates();
        List<Long> second = new RunHistory(written.resolve("rank-1")).quarantined();
        assertThat(second).isNotEmpty().doesNotHaveDuplicates();
        assertThat(second.size() == 12).as("%s", second).isEqualTo(allReceiveAll);
    }

    @Test
    void missingPathIsNamed() throws IOException {
        Path missing = folder.resolve("none");
        trainOnPhotos("dataset.path=" + missing).fails(ExitCode.FAILED, "no such folder: " + missing);
        assertThat(runs).doesNotExist();
    }

    @Test
    void emptyFolderIsReportedWithTheExpectedLayout() throws IOException {
        Path empty = Files.createDirectory(folder.resolve("empty"));
        trainOnPhotos("dataset.path=" + empty)
                .fails(ExitCode.FAILED, empty + " is empty", "expected one folder of images per class");
    }

    @Test
    void folderWithoutClassesIsReportedWithTheExpectedLayout() throws IOException {
        Path flat = Files.createDirectory(folder.resolve("flat"));
        Files.copy(photos.resolve("meadow/000000.jpg"), flat.resolve("1.jpg"));
        trainOnPhotos("dataset.path=" + flat)
                .fails(ExitCode.FAILED, flat + " holds 1 images but no class folders", "expected one folder per class");
    }

    @Test
    void everyKindOfBadPhotoIsQuarantinedAndTheRunContinues() throws IOException {
        CommandRun run = trainOnPhotos();

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .contains("finished 80 samples in 14 steps", "12 bad samples (quarantine.jsonl)", "\nbad     ");
        JsonNode summary = CommandRun.summary(runs);
        assertThat(summary.required("quarantined").asInt()).isEqualTo(12);
        assertThat(summary.required("quarantined_rows").asInt()).isEqualTo(24);
        assertThat(summary.required("samples").asInt()).isEqualTo(80);
        Map<String, String> reasons = reasons();
        assertThat(reasons).hasSize(12);
        assertThat(reasons.get("meadow/bad-truncated-0.jpg")).contains("truncated JPEG: expected the EOI marker");
        assertThat(reasons.get("desert/bad-corrupt-1.jpg")).matches("(corrupt|truncated) JPEG: expected .*");
        assertThat(reasons.get("forest/bad-empty-2.jpg")).contains("expected an image, found an empty file");
        assertThat(reasons.get("mountain/bad-wrong-extension-3.jpg"))
                .contains("expected the first bytes of a JPEG", "bytes of text");
        assertThat(reasons.get("meadow/bad-twelve-bits-4.jpg")).contains("a JPEG of 12 bits per channel");
        assertThat(reasons.get("desert/bad-huge-header-5.jpg")).contains("30000x30000", "max_pixels");
        List<Integer> rows = rowsOfSteps();
        assertThat(rows).hasSize(14).anyMatch(n -> n < 4);
        assertThat(rows.stream().mapToInt(n -> n).sum()).isEqualTo(80);
        Path report = CommandRun.folder(runs).resolve("report.html");
        assertThat(run.out().lines()).contains("report  " + report);
        assertThat(Files.readString(report).contains("meadow/bad-truncated-0.jpg</td>"))
                .isTrue();
    }

    @Test
    void moreBadPhotosThanAllowedEndTheJob() throws IOException {
        CommandRun run = trainOnPhotos("batch.max_quarantined=7%");

        run.fails(
                ExitCode.FAILED,
                "4 of 52 samples are bad, more than batch.max_quarantined = 7% allows (3)",
                "The latest: ",
                "quarantine.jsonl");
        assertThat(reasons()).hasSize(4);
        JsonNode summary = CommandRun.summary(runs);
        assertThat(summary.required("status").asText()).isEqualTo("failed");
        assertThat(summary.required("message").asText()).contains("4 of 52 samples are bad");
        assertThat(summary.required("quarantined").asInt()).isEqualTo(4);
    }

    @Test
    void idxFilesWithWrongHeadersAreReportedWithOffsetAndExpectedValue() throws IOException {
        Path images = digits.resolve("train-images-idx3-ubyte");
        Path labels = digits.resolve("train-labels-idx1-ubyte");

        Path wrongMagic = edited(images, 0, 0x12345678);
        trainOnIdx(wrongMagic, labels)
                .fails(ExitCode.FAILED, wrongMagic + " is no IDX file", "offset 0", "expected two zero bytes");

        Path wrongCount = edited(images, 4, 501);
        trainOnIdx(wrongCount, labels)
                .fails(ExitCode.FAILED, wrongCount + " is cut off", "501", "expected the end at offset");

        Path fewerLabels = Files.write(folder.resolve("labels"), firstItems(labels, 499));
        trainOnIdx(images, fewerLabels).fails(ExitCode.FAILED, images + " has 500 images", fewerLabels + ", found 499");
    }

    @Test
    void truncatedIdxFileIsReportedWithExpectedAndActualSize() throws IOException {
        byte[] whole = Files.readAllBytes(digits.resolve("train-images-idx3-ubyte"));
        Path cut = Files.write(folder.resolve("images"), Arrays.copyOf(whole, 1000));
        trainOnIdx(cut, digits.resolve("train-labels-idx1-ubyte"))
                .fails(
                        ExitCode.FAILED,
                        cut + " is cut off",
                        "expected the end at offset " + whole.length,
                        "found it at 1000");
    }

    private CommandRun trainOnIdx(Path images, Path labels) throws IOException {
        return trainOnDigits("dataset={format: idx, images: " + images + ", labels: " + labels + "}");
    }

    private Path edited(Path file, int offset, int value) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        ByteBuffer.wrap(bytes).putInt(offset, value);
        return Files.write(folder.resolve("edited-" + offset), bytes);
    }

    private static byte[] firstItems(Path labels, int count) throws IOException {
        byte[] bytes = Arrays.copyOf(Files.readAllBytes(labels), 8 + count);
        ByteBuffer.wrap(bytes).putInt(4, count);
        return bytes;
    }

    @Test
    void photoOfAnotherShapeIsNamedWithBothShapes() throws IOException {
        Path mixed = SmallData.photos(folder.resolve("mixed"), 20, 0, 1);
        Path other = folder.resolve("other");
        assertThat(CommandRun.of("generate", "photos", other.toString(), "--count=4", "--classes=4", "--size=64x80")
                        .exitCode())
                .isZero();
        Files.copy(other.resolve("meadow/000000.jpg"), mixed.resolve("meadow/other.jpg"));

        CommandRun run = trainOnPhotos("dataset.path=" + mixed, "transforms=[decode]");

        run.fails(
                ExitCode.FAILED,
                "sample meadow/other.jpg (index ",
                "UINT8[80, 64, 3]",
                "the batch expects UINT8[72, 96, 3]",
                "add a resize or crop");
        assertThat(CommandRun.summary(runs).required("status").asText()).isEqualTo("failed");
    }

    @Test
    void moreClassesThanTheModelHasAreRefusedBeforeTheStart() throws IOException {
        trainOnDigits("train.model.mlp.classes=3")
                .fails(ExitCode.USAGE, digits + " has 10 classes, but the model mlp has 3", "train.model.mlp.classes");
        assertThat(runs).doesNotExist();
    }

    @Test
    void labelBeyondTheModelsClassesIsReportedWithItsSample() throws IOException {
        // The label is too large to list all classes, and not among those that are inspected, so only training can
        // detect it.
        ByteBuffer labels = ByteBuffer.allocate(8 + 500 * Integer.BYTES);
        labels.putInt(0x00000C01).putInt(500).putInt(8 + 124 * Integer.BYTES, 70_000);
        Path file = Files.write(folder.resolve("labels"), labels.array());

        trainOnIdx(digits.resolve("train-images-idx3-ubyte"), file)
                .fails(
                        ExitCode.FAILED,
                        "training sample 124 has label 70000, but the model has 10 classes: expected 0 to 9");
        JsonNode summary = CommandRun.summary(runs);
        assertThat(summary.required("status").asText()).isEqualTo("failed");
        assertThat(rowsOfSteps()).hasSize(summary.required("steps").asInt());
    }

    @Test
    void incompatiblePartsAreRefusedBeforeTheStart() throws IOException {
        trainOnPhotos("transforms=[RandomHorizontalFlip]")
                .fails(ExitCode.USAGE, "still encoded: 'decode' is missing before RandomHorizontalFlip");
        trainOnPhotos("transforms=[]").fails(ExitCode.USAGE, "need a 'decode'");
        trainOnDigits("batch={size: 600, drop_last: true}").fails(ExitCode.USAGE, "nothing would be trained");
        trainOnDigits("evaluate.dataset={format: folder, path: " + photos + "}", "evaluate.transforms=[decode]")
                .fails(ExitCode.USAGE, "UINT8[28, 28, 1]", "UINT8[72, 96, 3]");
    }

    @Test
    void lossThatDoesNotFitTheModelEndsTheJobWithASentence() throws IOException {
        trainOnDigits("train.loss=mean_squared_error")
                .fails(ExitCode.FAILED, "mean_squared_error compares one output", "classes: 1, found 10");
    }

    /** Returns the bad samples by file. */
    private Map<String, String> reasons() throws IOException {
        Map<String, String> reasons = new TreeMap<>();
        for (String line : Files.readAllLines(CommandRun.folder(runs).resolve("quarantine.jsonl"))) {
            JsonNode bad = MAPPER.readTree(line);
            assertThat(bad.required("dataset").asText()).isEqualTo(photos.toString());
            reasons.put(bad.required("file").asText(), bad.required("reason").asText());
        }
        return reasons;
    }

    private List<Integer> rowsOfSteps() throws IOException {
        return Files.readAllLines(CommandRun.folder(runs).resolve("steps.csv")).stream()
                .skip(1)
                .map(line -> Integer.valueOf(line.split(",", -1)[2]))
                .collect(Collectors.toList());
    }
}
