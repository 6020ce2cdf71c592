package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cli.CommandRun;
import io.millrace.run.ExitCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs on data whose samples have values of different types: JSON in archives, and boxes that some samples lack. */
class SettledTypesITCase {
    private static final int SAMPLES = 24;
    private static final Path BOXES = Path.of("../operators/src/test/resources/vectors/dataset/boxes");
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @TempDir
    Path folder;

    private Path runs;

    @BeforeEach
    void runsOfThisTest() {
        runs = folder.resolve("runs");
    }

    private static byte[] tar(Map<String, String> files) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        files.forEach((name, content) -> {
            byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
            byte[] header = Arrays.copyOf(name.getBytes(StandardCharsets.UTF_8), 512);
            put(header, 100, "0000644\0");
            put(header, 124, String.format("%011o\0", bytes.length));
            put(header, 136, "00000000000\0        0");
            put(header, 257, "ustar\0" + "00");
            int sum = 0;
            for (byte value : header) {
                sum += value & 0xFF;
            }
            put(header, 148, String.format("%06o\0 ", sum));
            out.writeBytes(header);
            out.writeBytes(Arrays.copyOf(bytes, (bytes.length + 511) / 512 * 512));
        });
        out.writeBytes(new byte[1024]);
        return out.toByteArray();
    }

    private static void put(byte[] block, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(bytes, 0, block, at, bytes.length);
    }

    /** Writes an archive of samples whose x is [i, 1, 2], except for the given ones. */
    private Path archive(Map<Integer, String> others) throws IOException {
        Map<String, String> files = new TreeMap<>();
        for (int i = 0; i < SAMPLES; i++) {
            String name = String.format("%03d", i);
            files.put(name + ".cls", String.valueOf(i % 3));
            String x = others.getOrDefault(i, "[" + i + ", 1, 2]");
            String boxes = i % 2 == 0 ? "[]" : "[[0, 1, 2, " + i + (i % 3 == 0 ? "" : ".5") + "]]";
            files.put(name + ".json", "{\"x\": " + x + ", \"boxes\": " + boxes + "}");
        }
        return Files.write(folder.resolve("data.tar"), tar(files));
    }

    private Path pipeline(Path archive) throws IOException {
        return Files.writeString(folder.resolve("json.yaml"), """
                dataset:
                  format: tar
                  path: %s
                  fields: { x: json/x, label: cls, boxes: { from: json/boxes, as: ragged } }
                  index_cache: none
                parallelism: 2
                batch: { size: 4, max_quarantined: 0.5 }
                train: { model: { mlp: { hidden: [4], classes: 3 } }, input: x }
                run: { folder: %s, web_port: 0 }
                """.formatted(archive, runs));
    }

    private static CommandRun train(Path pipeline, String... more) {
        List<String> arguments = new ArrayList<>(List.of("train", pipeline.toString(), "--json"));
        arguments.addAll(Arrays.asList(more));
        return CommandRun.of(arguments.toArray(String[]::new));
    }

    private List<String> reasons() throws IOException {
        List<String> reasons = new ArrayList<>();
        for (String line : Files.readAllLines(CommandRun.folder(runs).resolve("quarantine.jsonl"))) {
            JsonNode entry = MAPPER.readTree(line);
            reasons.add(entry.required("index").asInt() + ": "
                    + entry.required("reason").asText());
        }
        return reasons;
    }

    @Test
    void wholeNumbersBecomeFloatsAndOtherValuesAreBadSamples() throws Exception {
        Path pipeline = pipeline(archive(
                Map.of(7, "[0.5, 1, 2]", 9, "[1, 2]", 11, "\"text\"", 13, "[1, NaN, 2]", 15, "5", 17, "[1, true, 2]")));
        CommandRun run = train(pipeline);
        assertThat(run.exitCode()).as("%s%s", run.out(), run.err()).isZero();
        assertThat(run.json().required("quarantined").asInt()).isEqualTo(4);
        assertThat(reasons())
                .hasSize(4)
                .anySatisfy(reason -> assertThat(reason)
                        .startsWith("9: ")
                        .contains("'x' as FLOAT64[2], but the batch expects FLOAT64[3]"))
                .anySatisfy(reason -> assertThat(reason)
                        .isEqualTo(
                                "11: expected 'x' as float64 [3], the type that the first samples of the run settled,"
                                        + " found text or bytes"))
                .anySatisfy(reason -> assertThat(reason).startsWith("15: ").contains("found int64 []"))
                .anySatisfy(reason -> assertThat(reason).startsWith("17: ").contains("found both of them"));
        JsonNode types =
                MAPPER.readTree(CommandRun.folder(runs).resolve(TypesFile.NAME).toFile());
        assertThat(types.required("train").toString())
                .isEqualTo("{\"x\":{\"kind\":\"tensor\",\"dtype\":\"float64\",\"shape\":[3]},"
                        + "\"boxes\":{\"kind\":\"ragged\",\"dtype\":\"float64\",\"shape\":[null,4]}}");
    }

    @Test
    void resumedRunHasTheTypesOfTheEarlierRunAlsoWhenItsFirstSamplesSettleOthers() throws Exception {
        Path pipeline = pipeline(archive(Map.of(7, "[0.5, 1, 2]")));
        CommandRun first = train(pipeline, "--set", "dataset.epochs=1");
        assertThat(first.exitCode()).as("%s%s", first.out(), first.err()).isZero();
        byte[] types = Files.readAllBytes(CommandRun.folder(runs).resolve(TypesFile.NAME));

        archive(Map.of(3, "1", 5, "[true, false, true]")); // all numbers are whole now
        CommandRun second = train(pipeline, "--set", "dataset.epochs=2", "--resume");
        assertThat(second.exitCode()).as("%s%s", second.out(), second.err()).isZero();
        assertThat(CommandRun.folder(runs).resolve(TypesFile.NAME)).hasBinaryContent(types);
        assertThat(reasons()).singleElement().asString().contains("expected 'x' as float64 [3]", "found int64 []");

        CommandRun anew = train(pipeline, "--set", "dataset.epochs=1");
        assertThat(anew.out()).as("the model needs floats").contains("found 'x' INT64[3]");
        assertThat(CommandRun.folder(runs).resolve(TypesFile.NAME)).content().contains("int64");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "first-list.parquet",
                "later-list.parquet",
                "first-list.arrow",
                "later-large.arrow",
                "odd-list.parquet"
            })
    void samplesWithoutBoxesAreTrainedOn(String file) throws Exception {
        Path data = BOXES.resolve(file).toAbsolutePath().normalize();
        Path pipeline = Files.writeString(
                folder.resolve("boxes.yaml"), """
                dataset: { format: %s, path: %s, fields: { boxes: boxes, label: label } }
                order: { shuffle: none }
                batch: { size: 2, max_quarantined: 1.0 }
                train: { model: none, input: boxes }
                run: { folder: %s, web_port: 0 }
                """.formatted(file.substring(file.indexOf('.') + 1), data, runs));
        CommandRun run = train(pipeline);
        assertThat(run.exitCode()).as("%s%s", run.out(), run.err()).isZero();
        int bad = file.startsWith("odd") ? 7 : 0;
        assertThat(run.json().required("quarantined").asInt()).isEqualTo(bad);
        assertThat(CommandRun.folder(runs).resolve(TypesFile.NAME)).content().contains("[ null, 4 ]");
    }

    @Test
    void tensorsOfManyShapesAreRefusedBeforeTheRunWithTheAdviceToUseRagged() throws Exception {
        Map<Integer, String> others = new TreeMap<>();
        for (int i = 0; i < SAMPLES; i++) {
            others.put(i, Arrays.toString(new int[1 + i % 3]));
        }
        train(pipeline(archive(others))).fails(ExitCode.USAGE, "have 'x' as int64 [?]", "batch: {forms: {x: ragged}}");
    }
}
