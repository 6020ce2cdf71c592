package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.CommandRun;
import io.millrace.cli.SmallData;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs, packs and inspections of parts of a dataset. */
class PartsITCase {
    private static final String TRAIN = "dataset.part=train";
    private static final String PARTS = "dataset.parts={train: 0.8, validation: 0.2}";
    private static final String EVALUATE = "evaluate={part: validation}";

    @TempDir
    static Path folder;

    private static Path digits;

    @BeforeAll
    static void writePipeline() throws IOException {
        Path data = SmallData.digits(folder.resolve("digits"));
        digits = SmallData.digitsPipeline(folder.resolve("digits.yaml"), data, folder.resolve("runs"));
    }

    private static CommandRun run(String command, List<String> more, String... settings) {
        List<String> arguments = new ArrayList<>(List.of(command, digits.toString()));
        arguments.addAll(more);
        Arrays.stream(settings).forEach(setting -> arguments.addAll(List.of("--set", setting)));
        return CommandRun.of(arguments.toArray(String[]::new));
    }

    private static JsonNode json(String command, List<String> more, String... settings) {
        List<String> arguments = new ArrayList<>(more);
        arguments.add("--json");
        CommandRun run = run(command, arguments, settings);
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.json();
    }

    private static Set<Long> indexes(JsonNode summary) {
        Set<Long> indexes = new HashSet<>();
        summary.required("first")
                .forEach(sample -> indexes.add(sample.required("index").asLong()));
        return indexes;
    }

    @Test
    void partTrainsTheSameParametersAtAnyParallelismAndIsCounted() {
        JsonNode one = json("train", List.of(), TRAIN, PARTS, EVALUATE, "parallelism=1");
        JsonNode three = json("train", List.of(), TRAIN, PARTS, EVALUATE, "parallelism=3", "stages=separate");

        assertThat(three.required("parameters_sha256")).isEqualTo(one.required("parameters_sha256"));
        assertThat(three.required("final_accuracy")).isEqualTo(one.required("final_accuracy"));
        long size = json("inspect", List.of(), TRAIN, PARTS).required("size").asLong();
        assertThat(size).isBetween(350L, 450L);
        assertThat(one.required("samples").asLong()).isEqualTo(2 * size);
        assertThat(json("train", List.of(), "dataset.part=validation", PARTS)
                        .required("samples")
                        .asLong())
                .isEqualTo(2 * (500 - size));
    }

    @Test
    void inspectionShowsBothPartsWithTheIndexesOfTheWholeDataset() {
        JsonNode summary = json("inspect", List.of("--first", "500"), TRAIN, PARTS, EVALUATE);

        Set<Long> all = indexes(summary);
        Set<Long> evaluated = indexes(summary.required("evaluation"));
        assertThat(all).doesNotContainAnyElementsOf(evaluated);
        all.addAll(evaluated);
        assertThat(all).hasSize(500);
        assertThat(run("inspect", List.of(), TRAIN, PARTS).out()).contains("the part 'train' has ", " of 500 samples");
    }

    @Test
    void packHasTheSamplesOfThePartAndContinuesOnlyForTheSamePart() {
        String target = folder.resolve("packed").toString();
        JsonNode packed = json("pack", List.of(target, "--evaluation", "--encode", "png"), TRAIN, PARTS, EVALUATE);

        long train = json("inspect", List.of(), TRAIN, PARTS).required("size").asLong();
        assertThat(packed.at("/manifest/samples").asLong()).isEqualTo(500 - train);
        assertThat(packed.at("/manifest/source/part").asText())
                .isEqualTo("validation of [train: 0.8, validation: 0.2], seed 0");
        CommandRun other = run("pack", List.of(target, "--encode", "png"), TRAIN, PARTS, EVALUATE);
        assertThat(other.exitCode()).isNotZero();
    }

    @Test
    void runContinuesOnlyWithTheSameParts() {
        Path runs = folder.resolve("resumed");
        String inFolder = "run.folder=" + runs;
        JsonNode whole = json("train", List.of(), TRAIN, PARTS, EVALUATE);
        json("train", List.of(), TRAIN, PARTS, EVALUATE, inFolder, "dataset.epochs=1");

        CommandRun reordered = run(
                "train",
                List.of("--resume"),
                TRAIN,
                "dataset.parts={validation: 0.2, train: 0.8}",
                EVALUATE,
                inFolder,
                "dataset.epochs=2");
        assertThat(reordered.exitCode()).isEqualTo(2);
        assertThat(reordered.err())
                .contains("dataset.parts: the checkpoint has [\"train: 0.8\",\"validation: 0.2\"], this run"
                        + " [\"validation: 0.2\",\"train: 0.8\"]");
        JsonNode continued = json("train", List.of("--resume"), TRAIN, PARTS, EVALUATE, inFolder, "dataset.epochs=2");
        assertThat(continued.required("parameters_sha256")).isEqualTo(whole.required("parameters_sha256"));
    }

    @Test
    void partWithoutSamplesIsReportedBeforeAnythingStarts() {
        CommandRun empty = run("train", List.of(), "dataset.part=none", "dataset.parts={none: 1e-7, train: 0.9}");

        assertThat(empty.exitCode()).isNotZero();
        assertThat(empty.err())
                .contains("the part 'none' has none of the 500 samples: expected at least one; set a larger fraction in"
                        + " parts");
    }
}
