package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.image.ImageDecoder;
import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.run.ExitCode;
import io.millrace.sample.Field;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class PreviewCommandTest {
    @TempDir
    Path root;

    private final StringWriter err = new StringWriter();

    @BeforeEach
    void digits() throws IOException {
        byte[] pixels = new byte[12 * 36];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (byte) (i * 7);
        }
        Files.write(root.resolve("train-images-idx3-ubyte"), idx(pixels, 12, 6, 6));
        Files.write(root.resolve("train-labels-idx1-ubyte"), idx(new byte[] {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}, 12));
        Files.writeString(root.resolve("digits.yaml"), """
                name: digits
                dataset: {format: idx, path: %1$s, epochs: 4}
                transforms: [RandomHorizontalFlip, {RandomMask: {ratio: 0.2}}]
                train: {model: none}
                evaluate: {dataset: {format: idx, path: %1$s}, every: 2}
                run: {folder: %1$s/runs}
                """.formatted(root));
    }

    private int run(String... arguments) {
        List<String> all =
                new ArrayList<>(List.of("preview", root.resolve("digits.yaml").toString()));
        all.addAll(List.of(arguments));
        CommandLine commandLine = Main.commandLine(List.of(new CommandGroup("Data", List.of(new PreviewCommand()))));
        commandLine.setErr(new PrintWriter(err, true));
        return Main.run(commandLine, all.toArray(String[]::new));
    }

    @Test
    void sheetIsAPngInTheFolderOfRuns() throws Exception {
        assertThat(run("--count", "3")).as(err.toString()).isZero();
        Field sheet = decoded(root.resolve("runs/preview.png"));
        assertThat(sheet.width()).isBetween(600, 1700);
        assertThat(sheet.height()).isGreaterThan(250);
        // The sheet has paper, cards, ink and images, so it has more than one colour.
        assertThat(colours(sheet)).hasSizeGreaterThan(20);
    }

    @Test
    void epochsLookDifferentAndRepeatedEpochsLookTheSame() throws Exception {
        assertThat(run("--out", file("a.png"))).isZero();
        assertThat(run("--out", file("b.png"))).isZero();
        assertThat(run("--out", file("c.png"), "--epoch", "1")).isZero();
        byte[] first = Files.readAllBytes(root.resolve("a.png"));
        assertThat(Files.readAllBytes(root.resolve("b.png"))).isEqualTo(first);
        assertThat(Files.readAllBytes(root.resolve("c.png"))).isNotEqualTo(first);
    }

    @Test
    void npyFolderHasAnIndexOfExistingFiles() throws IOException {
        assertThat(run("--count", "50", "--npy", file("npy")))
                .as(err.toString())
                .isZero();
        JsonNode index =
                new ObjectMapper().readTree(root.resolve("npy/index.json").toFile());
        assertThat(index.get("split").asText()).isEqualTo("train");
        assertThat(index.get("samples")).hasSize(12);
        for (JsonNode sample : index.get("samples")) {
            assertThat(sample.get("drawn").fieldNames())
                    .toIterable()
                    .containsExactly("RandomHorizontalFlip", "RandomMask");
            assertThat(sample.get("label").asLong())
                    .isEqualTo(sample.get("index").asLong() % 3);
            JsonNode image = sample.get("fields").get(0);
            assertThat(image.get("shape").toString()).isEqualTo("[6,6,1]");
            assertThat(root.resolve("npy").resolve(image.get("host").asText())).hasSize(128 + 36);
            assertThat(root.resolve("npy").resolve(image.get("device").asText()))
                    .hasSize(128 + 4 * 36);
        }
    }

    @Test
    void theBatchOfAStepIsShown() throws IOException {
        Path step = root.resolve("step");
        String[] batch = {"--set", "batch.size=4", "--npy", step.toString()};
        assertThat(run("--step", "4", batch[0], batch[1], batch[2], batch[3]))
                .as(err.toString())
                .isZero();
        JsonNode shown = new ObjectMapper().readTree(step.resolve("index.json").toFile());
        assertThat(shown.get("epoch").asInt()).isEqualTo(1);
        assertThat(shown.get("step").asInt()).isEqualTo(4);

        Path epoch = root.resolve("epoch");
        assertThat(run("--epoch", "1", "--count", "8", "--npy", epoch.toString()))
                .isZero();
        JsonNode whole = new ObjectMapper().readTree(epoch.resolve("index.json").toFile());
        assertThat(whole.has("step")).isFalse();
        assertThat(shown.get("samples")).hasSize(4);
        for (int i = 0; i < 4; i++) {
            assertThat(shown.get("samples").get(i))
                    .isEqualTo(whole.get("samples").get(4 + i));
        }
        assertThat(run("--step", "4", "--epoch", "1")).isEqualTo(ExitCode.USAGE);
        assertThat(run("--step", "1000")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString())
                .contains("--step names a training step: expected no --epoch beside it")
                .contains("--step 1000: expected a step from 0 to 3, because the run has 4");
    }

    @Test
    void aSampleWithoutALabelHasNone() throws IOException {
        Files.writeString(root.resolve("table.csv"), "a,b\n1,2\n3,4\n");
        Path file = Files.writeString(root.resolve("table.yaml"), """
                dataset: {format: csv, path: %1$s/table.csv}
                train: {model: none, input: features}
                run: {folder: %1$s/runs}
                """.formatted(root));

        CommandRun run = CommandRun.of("preview", file.toString(), "--npy", file("npy"));

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("label -").doesNotContain("label 0");
        JsonNode index =
                new ObjectMapper().readTree(root.resolve("npy/index.json").toFile());
        assertThat(index.get("samples").get(0).get("label").isNull()).isTrue();
    }

    @Test
    void evaluationIsShownAfterTheFirstEpochThatHasOne() throws IOException {
        assertThat(run("--split", "evaluate", "--count", "1", "--npy", file("npy")))
                .isZero();
        JsonNode index =
                new ObjectMapper().readTree(root.resolve("npy/index.json").toFile());
        assertThat(index.get("epoch").asInt()).isEqualTo(1);
        assertThat(index.get("samples").get(0).get("position").asLong()).isEqualTo(24);
    }

    @ParameterizedTest
    @CsvSource({
        "--count=0, --count: expected 1 to 1000 samples",
        "--epoch=4, --epoch 4: expected an epoch from 0 to 3",
        "--epoch=-1, --epoch -1: expected an epoch from 0 to 3",
        "--split=test, --split: expected train or evaluate",
        "--out=sheet.jpg, --out: expected the name of a .png file",
    })
    void badOptionIsReportedInASentenceWithExitCode2(String option, String sentence) {
        assertThat(run(option)).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains(sentence);
    }

    @Test
    void epochWithoutEvaluationIsNamed() {
        assertThat(run("--split", "evaluate", "--epoch", "2")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("--epoch 2: there is no evaluation after that epoch, only after every 2");
    }

    @Test
    void unwritableSheetIsReportedInASentence() throws IOException {
        Files.writeString(root.resolve("taken"), "a file");
        assertThat(run("--out", file("taken/x.png"))).isEqualTo(ExitCode.FAILED);
        assertThat(err.toString()).contains("taken is a file, expected a folder");
        Files.createDirectory(root.resolve("folder.png"));
        assertThat(run("--out", file("folder.png"))).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("folder.png is a folder");
    }

    private String file(String name) {
        return root.resolve(name).toString();
    }

    private static Field decoded(Path file) throws Exception {
        try (ImageDecoder decoder = new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE)) {
            return decoder.decode(Files.readAllBytes(file));
        }
    }

    private static List<Integer> colours(Field image) {
        byte[] data = image.data();
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < data.length; i += 3) {
            all.add((data[i] << 16) + (data[i + 1] << 8) + data[i + 2]);
        }
        return all.stream().distinct().toList();
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
