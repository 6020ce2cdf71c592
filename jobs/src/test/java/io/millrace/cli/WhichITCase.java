package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.device.DeviceBatch;
import io.millrace.order.BatchPlan;
import io.millrace.pipeline.RankRun;
import io.millrace.pipeline.RunPlanner;
import io.millrace.pipeline.TransformPlacement;
import io.millrace.preview.FieldText;
import io.millrace.preview.PreviewRun;
import io.millrace.preview.RowRecorder;
import io.millrace.preview.StepRows;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.train.TrainStep;
import io.millrace.train.spec.TrainSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rows of all steps as {@code which} shows them, compared with those that the trainers of a run got. */
class WhichITCase {
    private static final String TRANSFORMS =
            "transforms: [decode, {RandomResizedCrop: {size: [12, 8]}}, RandomHorizontalFlip, {RandomMask: {ratio: 0.1}}]";

    /** A row that arrived at a trainer: the number of the trainer and of its step, the index and the hash of the pixels. */
    private record Row(int trainer, long step, long index, String sha256) {}

    private static final Map<Long, Row> ARRIVED = new ConcurrentHashMap<>();
    private static final AtomicInteger TRAINERS = new AtomicInteger();

    @TempDir
    static Path folder;

    @BeforeAll
    static void photos() throws IOException {
        SmallData.photos(folder.resolve("a"), 18, 2, 1);
        SmallData.photos(folder.resolve("b"), 11, 0, 2);
    }

    private static Path single() throws IOException {
        return Files.writeString(folder.resolve("single.yaml"), """
                dataset: {format: folder, path: %1$s/a, epochs: 3}
                evaluate: {dataset: {format: folder, path: %1$s/b}, every: 2, transforms: [decode, {Resize: {size: [12, 8]}}]}
                order: {seed: 9}
                %2$s
                batch: {size: 4, max_quarantined: 1}
                train: {model: none}
                """.formatted(folder, TRANSFORMS));
    }

    private static Path mixture() throws IOException {
        return Files.writeString(folder.resolve("mixture.yaml"), """
                datasets:
                  a: {format: folder, path: %1$s/a}
                  b: {format: folder, path: %1$s/b, transforms: [decode, {ColorJitter: {brightness: 0.5}}]}
                mix: [{steps: 6, weights: {a: 1}}, {steps: 12, weights: {a: 0.5, b: 0.5}, ramp: 4}]
                mix_epoch: 6
                order: {seed: 9}
                %2$s
                batch: {size: 4, max_quarantined: 1}
                train: {model: none}
                """.formatted(folder, TRANSFORMS));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "parallelism=2",
                "order.shuffle={blocks: {size: 5, open: 2}}",
                "order.balance=classes",
                "order.skip_steps=[2, 4-6];batch.drop_last=true"
            })
    void eachRowOfARunHasTheBytesThatTheTrainerGot(String settings) throws Exception {
        requireTrainedRows(single(), settings.split(";"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "parallelism=2",
                "mix_jitter=16;order.skip_steps=[3-4, 9]",
                "ranks=2;share=split;batch.size=2;order.skip_steps=[3-4]"
            })
    void eachRowOfAMixtureHasTheBytesThatItsTrainerGot(String settings) throws Exception {
        requireTrainedRows(mixture(), settings.split(";"));
    }

    private static void requireTrainedRows(Path file, String... settings) throws Exception {
        ARRIVED.clear();
        TRAINERS.set(0);
        RankRun.of(file, folder.resolve("run"), 1, (spec, capacity, device) -> Recorder.open(spec), settings);
        PipelineConfig config = TransformPlacement.onServers(ConfigReader.read(file, List.of(settings)));
        Map<Integer, Integer> trainers = new HashMap<>();
        Set<Long> shown = new HashSet<>();
        Map<Long, Set<Long>> steps = new HashMap<>();
        ARRIVED.values().forEach(row -> steps.computeIfAbsent(row.index, absent -> new HashSet<>())
                .add(row.step));
        try (PreviewRun run = PreviewRun.open(config, RunPlanner.plan(config), Split.TRAIN, 0)) {
            StepRows rows = run.rows();
            for (long step = 0; step < rows.steps(); step++) {
                BatchPlan.Batch batch = rows.batch(step);
                for (int i = 0; i < batch.rows(); i++) {
                    StepRows.Row row = rows.read(batch, i);
                    Row arrived = ARRIVED.get(row.position());
                    Sample sample = run.at(row.position()).sample();
                    assertThat(arrived == null).as("%s", row).isEqualTo(sample.badSample() != null);
                    if (arrived != null) {
                        shown.add(row.position());
                        int trainer = trainers.computeIfAbsent(row.rank(), rank -> arrived.trainer);
                        assertThat(arrived)
                                .as("%s", row)
                                .isEqualTo(
                                        new Row(trainer, step, row.sample().index(), FieldText.sha256(sample.image())));
                    }
                }
            }
            assertThat(shown).isEqualTo(ARRIVED.keySet());
            assertThat(trainers.values()).doesNotHaveDuplicates().hasSize(TRAINERS.get());
            for (Map.Entry<Long, Set<Long>> sample : steps.entrySet()) {
                Set<Long> uses = new HashSet<>();
                rows.find(
                        rows.lookup().find(String.valueOf(sample.getKey())),
                        0,
                        rows.steps() - 1,
                        use -> uses.add(use.step()));
                assertThat(uses).isEqualTo(sample.getValue());
            }
        }
        requireSamePrinted(file, settings);
    }

    /** Requires that the command prints the hashes of what arrived in a step. */
    private static void requireSamePrinted(Path file, String... settings) {
        List<String> arguments = new ArrayList<>(List.of(file.toString(), "--json"));
        List.of(settings).forEach(setting -> arguments.addAll(List.of("--set", setting)));
        Path shown = folder.resolve("shown");
        JsonNode found = which(arguments, "--step", "7", "--show", "--out", shown.toString());
        assertThat(found.get("rows")).hasSize(4);
        for (JsonNode row : found.get("rows")) {
            Row arrived = ARRIVED.get(row.get("position").asLong());
            if (arrived != null) {
                assertThat(row.get("sha256").get("image").asText()).isEqualTo(arrived.sha256);
                assertThat(shown.resolve(row.get("fields").get(0).get("host").asText()))
                        .isRegularFile();
            }
        }
        assertThat(shown.resolve("step-7.png")).isRegularFile();
    }

    private static JsonNode which(List<String> arguments, String... more) {
        List<String> all = new ArrayList<>(List.of("which"));
        all.addAll(arguments);
        all.addAll(List.of(more));
        CommandRun run = CommandRun.of(all.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.json();
    }

    /** Trains with one more setting, and returns the folder of the run. */
    private static String trained(Path file, Path runs, String setting) {
        CommandRun trained = CommandRun.of(
                "train", file.toString(), "--set", "run.folder=" + runs, "--set", setting, "--set", "run.web_port=0");
        assertThat(trained.exitCode()).as(trained.err()).isZero();
        return runs.resolve("latest").toString();
    }

    @Test
    void theFolderOfARunHasItsPipeline() throws Exception {
        Path runs = folder.resolve("runs");
        String latest = trained(mixture(), runs, "order.seed=5");
        List<String> quarantined = Files.readAllLines(runs.resolve("latest").resolve("quarantine.jsonl"));
        assertThat(quarantined).hasSize(2).allMatch(line -> line.contains("\"source\":\"a\",\"source_index\":"));

        JsonNode found = which(List.of(latest, "--json"), "--step", "9", "--row", "2");
        assertThat(found.get("seed").asLong()).isEqualTo(5);
        assertThat(found)
                .isEqualTo(which(
                        List.of(mixture().toString(), "--json"), "--set", "order.seed=5", "--step", "9", "--row", "2"));
        CommandRun.of("which", latest, "--step", "1", "--set", "order.seed=6")
                .fails(1, "order.seed=6", "change the samples of the run");
        Path fewer = SmallData.photos(folder.resolve("fewer"), 10, 0, 3);
        CommandRun.of("which", latest, "--step", "1", "--set", "datasets.b.path=" + fewer)
                .fails(1, "datasets.b.size: the dataset has 10 samples, but had 11 in the run");
        Files.delete(runs.resolve("latest").resolve("pipeline.json"));
        CommandRun.of("which", latest, "--step", "1").fails(1, "has no pipeline.json");
    }

    @Test
    void otherWeightsThanThoseOfTheRunAreRefused() throws Exception {
        Path runs = folder.resolve("drawn");
        Path weights = folder.resolve("weights.csv");
        Files.writeString(weights, "1\n".repeat(19) + "5\n");
        String latest = trained(single(), runs, "order.weights=" + weights);
        assertThat(which(List.of(latest, "--json"), "--step", "3").get("rows")).hasSize(4);

        Files.writeString(weights, "1\n".repeat(19) + "6\n");
        CommandRun.of("which", latest, "--step", "3")
                .fails(1, "order.weights: the weights of the samples are not those of the run");
    }

    /** Records every training row by its position. */
    private static final class Recorder extends RowRecorder {
        private final int trainer = TRAINERS.getAndIncrement();
        private long step;

        static TrainStep open(TrainSpec spec) {
            assertThat(spec.data().input().columns()).hasSize(1);
            return new Recorder();
        }

        @Override
        protected void record(DeviceBatch batch, int row, byte[] pixels) {
            Row arrived = new Row(
                    trainer, step, batch.index(row), FieldText.sha256(Field.image(1, 1, pixels.length, pixels)));
            assertThat(ARRIVED.put(batch.position(row), arrived)).isNull();
        }

        @Override
        public StepResult train(DeviceBatch batch) {
            StepResult result = super.train(batch);
            step++;
            return result;
        }

        @Override
        public EvaluationResult evaluate(DeviceBatch batch) {
            return new EvaluationResult(0, 0, batch.rows());
        }
    }
}
