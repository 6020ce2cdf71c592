package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.run.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs that continue finished runs, and the messages when that is impossible. */
class ResumeITCase {
    private static final int STEPS_PER_EPOCH = 16;

    @TempDir
    static Path folder;

    private static Path digits;

    @BeforeAll
    static void makeData() throws IOException {
        digits = SmallData.digits(folder.resolve("digits"));
    }

    private static Path pipeline(String name) throws IOException {
        return SmallData.digitsPipeline(folder.resolve(name + ".yaml"), digits, folder.resolve(name));
    }

    private static CommandRun train(Path pipeline, String... more) {
        List<String> arguments = new ArrayList<>(
                List.of("train", pipeline.toString(), "--json", "--set", "ledger=true", "--set", "tensorboard=true"));
        arguments.addAll(Arrays.asList(more));
        return CommandRun.of(arguments.toArray(String[]::new));
    }

    private static JsonNode trained(Path pipeline, String... more) {
        CommandRun run = train(pipeline, more);
        assertThat(run.exitCode()).as("%s%s", run.out(), run.err()).isZero();
        return run.json();
    }

    @Test
    void finishedRunContinuesForMoreEpochsAsIfItHadNotStopped() throws Exception {
        JsonNode undisturbed = trained(pipeline("whole"), "--set", "dataset.epochs=4");
        Path pipeline = pipeline("parts");
        trained(pipeline, "--set", "dataset.epochs=1");
        trained(pipeline, "--set", "dataset.epochs=3", "--resume", "--set", "parallelism=1");
        JsonNode last = trained(pipeline, "--set", "dataset.epochs=4", "--resume", "latest", "--set", "parallelism=3");

        assertThat(last.required("parameters_sha256")).isEqualTo(undisturbed.required("parameters_sha256"));
        assertThat(last.required("samples")).isEqualTo(undisturbed.required("samples"));
        assertThat(last.required("epochs").asInt()).isEqualTo(4);
        Path run = CommandRun.folder(folder.resolve("parts"));
        assertThat(firstColumn(run.resolve("steps.csv"))).isEqualTo(steps(4));
        assertThat(firstColumn(run.resolve("ledger.csv"))).isEqualTo(steps(4));
        try (Stream<Path> files = Files.list(run)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .as("TensorBoard's files of all three runs")
                    .filteredOn(name -> name.contains("tfevents"))
                    .hasSize(3);
        }
        assertThat(run.resolve("checkpoints")).doesNotExist();
    }

    @Test
    void otherPipelineIsRefusedWithTheDifferencesUnlessForced() throws Exception {
        Path pipeline = pipeline("other");
        trained(pipeline, "--set", "dataset.epochs=1");

        CommandRun refused = train(pipeline, "--resume", "latest", "--set", "order.seed=7", "--set", "batch.size=16");
        refused.fails(ExitCode.USAGE, "a run with other settings");
        assertThat(refused.err())
                .contains("batch.size: the checkpoint has 32, this run 16")
                .contains("order.seed: the checkpoint has 42, this run 7")
                .contains("--force");
        trained(pipeline, "--resume", "latest", "--set", "order.seed=7", "--set", "dataset.epochs=2", "--force");
    }

    @Test
    void otherLabelsAreRefusedAndMovedFilesAreNot() throws Exception {
        Path pipeline = pipeline("labels");
        Path first = Files.createDirectories(folder.resolve("labels-first"));
        Path moved = Files.createDirectories(folder.resolve("labels-moved"));
        for (Path target : List.of(first, moved)) {
            Files.copy(digits.resolve("train-images-idx3-ubyte"), target.resolve("images.gz"));
            Files.copy(digits.resolve("train-labels-idx1-ubyte"), target.resolve("labels.gz"));
        }
        Files.copy(moved.resolve("labels.gz"), moved.resolve("other.gz"));
        trained(pipeline, "--set", files(first, "labels.gz", 1));

        CommandRun other = train(pipeline, "--resume", "--set", files(moved, "other.gz", 2));
        other.fails(ExitCode.USAGE, "a run with other settings");
        assertThat(other.err()).contains("dataset.labels: the checkpoint has labels.gz, this run other.gz");
        CommandRun none = train(pipeline, "--resume", "--set", "dataset.epochs=2");
        none.fails(ExitCode.USAGE, "a run with other settings");
        assertThat(none.err()).contains("dataset.labels: the checkpoint has labels.gz, this run nothing");
        trained(pipeline, "--resume", "--set", files(moved, "labels.gz", 2));
    }

    private static String files(Path folder, String labels, int epochs) {
        return "dataset={format: idx, images: " + folder.resolve("images.gz") + ", labels: " + folder.resolve(labels)
                + ", epochs: " + epochs + "}";
    }

    @Test
    void eachOfSeveralTrainersContinuesForMoreEpochs() throws Exception {
        String[] replicas = {"--set", "ranks=2", "--set", "replicas=sync", "--set", "batch.size=16"};
        JsonNode undisturbed = trained(pipeline("ranks-whole"), with(replicas, "--set", "dataset.epochs=2"));
        Path pipeline = pipeline("ranks-parts");
        trained(pipeline, with(replicas, "--set", "dataset.epochs=1"));
        JsonNode last = trained(pipeline, with(replicas, "--set", "dataset.epochs=2", "--resume"));

        assertThat(last.required("parameters_sha256").isTextual()).isTrue();
        assertThat(last.required("parameters_sha256")).isEqualTo(undisturbed.required("parameters_sha256"));
        for (String rank : List.of("", "rank-1")) {
            Path run = CommandRun.folder(folder.resolve("ranks-parts")).resolve(rank);
            assertThat(firstColumn(run.resolve("ledger.csv"))).isEqualTo(steps(2));
        }
    }

    @Test
    void otherNumberOfTrainersIsRefusedEvenWhenForced() throws Exception {
        Path pipeline = pipeline("fewer");
        trained(pipeline, "--set", "ranks=2", "--set", "dataset.epochs=1");

        for (int ranks : new int[] {1, 3}) {
            String[] others = {"--resume", "--set", "ranks=" + ranks};
            CommandRun refused = train(pipeline, others);
            refused.fails(ExitCode.USAGE, "cannot resume from");
            assertThat(refused.err()).contains("ranks: the checkpoint has 2, this run " + ranks);
            train(pipeline, with(others, "--force"))
                    .fails(ExitCode.USAGE, "not even with --force", "ranks: the checkpoint has 2, this run " + ranks);
        }
    }

    private static String[] with(String[] some, String... more) {
        return Stream.concat(Arrays.stream(some), Arrays.stream(more)).toArray(String[]::new);
    }

    @Test
    void nothingToResumeIsReportedWithTheSearchedFolders() throws Exception {
        Path pipeline = pipeline("none");

        train(pipeline, "--resume")
                .fails(
                        ExitCode.FAILED,
                        "nothing to resume",
                        folder.resolve("none").toString());
        train(pipeline, "--resume", folder.resolve("absent").toString())
                .fails(ExitCode.FAILED, "nothing to resume at", "absent", "_metadata");
        train(pipeline, "--force").fails(ExitCode.USAGE, "--force requires --resume");
    }

    @Test
    void finishedRunWithoutMoreEpochsExplainsHowToContinue() throws Exception {
        Path pipeline = pipeline("done");
        trained(pipeline);

        train(pipeline, "--resume").fails(ExitCode.USAGE, "has finished its 2 epochs", "dataset.epochs=4");
    }

    @Test
    void damagedCheckpointIsRefused() throws Exception {
        Path broken = Files.createDirectories(folder.resolve("broken/chk-3"));
        Files.write(broken.resolve("_metadata"), new byte[100]);

        train(pipeline("damaged"), "--resume", broken.toString())
                .fails(ExitCode.FAILED, "cannot be read", broken.toString());
    }

    private static List<String> steps(int epochs) {
        return IntStream.range(0, epochs * STEPS_PER_EPOCH)
                .mapToObj(String::valueOf)
                .toList();
    }

    private static List<String> firstColumn(Path file) throws IOException {
        return Files.readAllLines(file).stream()
                .skip(1)
                .map(line -> line.substring(0, line.indexOf(',')))
                .toList();
    }
}
