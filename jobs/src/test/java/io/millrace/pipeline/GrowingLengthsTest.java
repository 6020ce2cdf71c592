package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.types.SettledDataset;
import io.millrace.order.BatchPlan;
import io.millrace.order.SampleRandom;
import io.millrace.order.Sources;
import io.millrace.preview.PreviewRun;
import io.millrace.preview.StepRows;
import io.millrace.sample.Split;
import io.millrace.source.PositionReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class GrowingLengthsTest {
    private static final Path TOKENIZER = Path.of("../operators/src/test/resources/vectors/text/byte_level_gpt2.json")
            .toAbsolutePath();

    private static final int BATCH = 64;

    @TempDir
    Path folder;

    private Path texts;

    @BeforeEach
    void writeTexts() throws IOException {
        texts = LargeText.write(folder);
    }

    private PipelineConfig config(String... more) throws Exception {
        return of("dataset: { format: jsonl, path: " + texts + ", epochs: 2 }", more);
    }

    private PipelineConfig of(String dataset, String... more) throws Exception {
        Path file = Files.writeString(folder.resolve("bucketed.yaml"), """
                %s
                order: { seed: 4, bucket: [8, 16, 64] }
                transforms:
                  - tokenize: { tokenizer: %s }
                batch: { size: %d, max_quarantined: 0.1, fields: [tokens] }
                train: { model: none, input: [tokens] }
                """.formatted(dataset, TOKENIZER, BATCH));
        return ConfigReader.read(file, List.of(more));
    }

    private static List<String> rows(PipelineConfig config, RunPlan plan, long from, long to) throws IOException {
        List<String> rows = new ArrayList<>();
        try (PositionReader reader = PositionReader.open(plan.data(config))) {
            for (long position = from; position < to; position++) {
                rows.add(reader.read(position).key());
            }
        }
        return rows;
    }

    @Test
    void rowsAreThoseOfARunWhoseDocumentsWereCountedBefore() throws Exception {
        PipelineConfig config = config();
        RunPlan open = RunPlanner.plan(config);
        assertThat(open.sequences().counted()).containsOnlyKeys(0);
        assertThat(open.remarks())
                .anyMatch(remark ->
                        remark.endsWith(": the tokens of 70,000 documents are counted while the run reads them"))
                .anyMatch(remark -> remark.matches("order.bucket: [0-9.]+ % of a batch is padding .*"));
        assertThat(LargeText.countFiles(folder)).contains(".lengths-X.bin.part").doesNotContain("lengths-X.bin");
        long positions = open.batches().positions();
        List<String> rows = rows(config, open, 0, positions);
        assertThat(LargeText.countFiles(folder)).contains("lengths-X.bin").doesNotContain(".lengths-X.bin.part");

        RunPlan counted = RunPlanner.plan(config);
        assertThat(counted.sequences().counted()).isEmpty();
        assertThat(PositionSettings.of(config, counted, folder)).isEqualTo(PositionSettings.of(config, open, folder));
        assertThat(rows(config, counted, 0, positions)).isEqualTo(rows);
        assertThat(counted.remarks().stream().filter(remark -> remark.startsWith("order.bucket")))
                .isEqualTo(open.remarks().stream()
                        .filter(remark -> remark.startsWith("order.bucket"))
                        .toList());
        assertThat(rows.subList(0, LargeText.DOCUMENTS)).doesNotHaveDuplicates();
    }

    @Test
    void runThatLeavesOutStepsIsPlannedBeforeItsEndIsCounted() throws Exception {
        PipelineConfig config = config("order.skip_steps=[3-10]", "batch.drop_last=true");
        RunPlan open = RunPlanner.plan(config);
        assertThat(open.sequences().counted()).isNotEmpty();
        assertThat(open.packFill()).isEmpty();
        assertThat(LargeText.countFiles(folder)).contains(".lengths-X.bin.part").doesNotContain("lengths-X.bin");
        long positions = open.batches().positions();
        List<String> rows = rows(config, open, 0, positions);
        assertThat(rows(config, RunPlanner.plan(config), 0, positions)).isEqualTo(rows);
    }

    @Test
    void rowsOfAMixtureAreThoseOfARunWhoseDocumentsWereCountedBefore() throws Exception {
        Path few = Files.write(
                folder.resolve("few.jsonl"), Files.readAllLines(texts).subList(100, 400));
        String datasets = """
                datasets:
                  few: { format: jsonl, path: %s }
                  many: { format: jsonl, path: %s }
                mix:
                  - { steps: 1500, weights: { few: 0.25, many: 0.75 } }
                mix_epoch: 500
                """.formatted(few, texts);
        PipelineConfig config = of(datasets);
        RunPlan open = RunPlanner.plan(config);
        assertThat(open.sequences().counted()).containsOnlyKeys(1);
        long positions = open.batches().positions();
        List<String> rows = rows(config, open, 0, positions);
        RunPlan counted = RunPlanner.plan(config);
        assertThat(counted.sequences().counted()).isEmpty();
        assertThat(rows(config, counted, 0, positions)).isEqualTo(rows);
    }

    @Test
    void seekCountsWhatLiesBeforeAndTheNextRunContinuesTheCount() throws Exception {
        PipelineConfig config = config();
        RunPlan open = RunPlanner.plan(config);
        List<String> first = rows(config, open, 0, 4);
        assertThat(LargeText.countFiles(folder)).contains(".lengths-X.bin.part").doesNotContain("lengths-X.bin");

        RunPlan next = RunPlanner.plan(config);
        long last = next.batches().positions() - 1;
        List<String> end = rows(config, next, last, last + 1);
        assertThat(LargeText.countFiles(folder)).contains("lengths-X.bin");
        RunPlan counted = RunPlanner.plan(config);
        assertThat(rows(config, counted, last, last + 1)).isEqualTo(end);
        assertThat(rows(config, counted, 0, 4)).isEqualTo(first);
    }

    @Test
    void orderSaysWhetherItKnowsAPlace() throws Exception {
        PipelineConfig config = config();
        RunPlan plan = RunPlanner.plan(config);
        BatchPlan.Place last = plan.batches().place(LargeText.DOCUMENTS - 1);
        assertThat(plan.order().await(0, 0, 0)).isTrue();
        assertThat(plan.order().await(last.epoch(), last.i(), 0)).isFalse();
        try (PositionReader reader = PositionReader.open(plan.data(config))) {
            assertThat(reader.read(LargeText.DOCUMENTS - 1).index()).isNotNegative();
            assertThat(plan.order().await(last.epoch(), last.i(), 0)).isTrue();
        }
    }

    @Test
    void readersOfAProcessAndOfSeveralRunsCountTogether() throws Exception {
        PipelineConfig config = config();
        PipelineConfig other = config("order.seed=5");
        RunPlan plan = RunPlanner.plan(config);
        RunPlan otherPlan = RunPlanner.plan(other);
        long positions = plan.batches().positions();
        List<CompletableFuture<List<String>>> readers = Stream.of(0, 1, 2, 3)
                .map(number -> CompletableFuture.supplyAsync(() -> {
                    try {
                        return number < 2
                                ? rows(config, plan, number * positions / 2, (number + 1) * positions / 2)
                                : rows(other, otherPlan, positions - 100, positions);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }))
                .toList();
        List<String> rows = new ArrayList<>(readers.get(0).get());
        rows.addAll(readers.get(1).get());
        assertThat(readers.get(2).get()).isEqualTo(readers.get(3).get());
        assertThat(LargeText.countFiles(folder)).contains("lengths-X.bin").doesNotContain(".lengths-X.bin.part");
        assertThat(rows(config, RunPlanner.plan(config), 0, positions)).isEqualTo(rows);
        assertThat(rows(other, RunPlanner.plan(other), positions - 100, positions))
                .isEqualTo(readers.get(2).get());
    }

    @Test
    void readingHasTheCpuTimeOfCounting() throws Exception {
        PipelineConfig config = config();
        RunPlan plan = RunPlanner.plan(config);
        Dataset documents = DatasetOpening.openFilled(config, Split.TRAIN);
        try (Dataset counting = plan.sequences()
                .train(0, SettledDataset.of(documents, plan.types().train(0)))) {
            plan.order().at(0, LargeText.DOCUMENTS - 1);
            Dataset.Reading reading = counting.reading(new SampleRandom(4, SampleRandom.READ), 0, 2, i -> i);
            reading.read(0);
            assertThat(reading.remoteCpuNanos()).isPositive();
        }
    }

    @Test
    void stepsOfADocumentAreFound() throws Exception {
        PipelineConfig config = config();
        RunPlan plan = RunPlanner.plan(config);
        assertThat(plan.sequences().counted()).isNotEmpty();
        List<Long> found = new ArrayList<>();
        try (PreviewRun run = PreviewRun.open(config, plan, Split.TRAIN, 0)) {
            StepRows steps = run.rows();
            steps.find(
                    new Sources.Place(0, 69_000),
                    0,
                    steps.steps() - 1,
                    use -> found.add(steps.batch(use.step()).firstPosition() + use.row()));
        }
        RunPlan counted = RunPlanner.plan(config);
        assertThat(counted.sequences().counted()).isEmpty();
        assertThat(found).hasSize(2);
        for (long position : found) {
            BatchPlan.Place place = counted.batches().place(position);
            assertThat(counted.order().at(place.epoch(), place.i()).index()).isEqualTo(69_000);
        }
    }

    @Test
    void countThatFailsEndsTheRun() throws Exception {
        PipelineConfig config = config("order.shuffle=none");
        RunPlan plan = RunPlanner.plan(config);
        Files.write(texts, new byte[10]);
        assertThatThrownBy(() -> rows(config, plan, LargeText.DOCUMENTS - 10, LargeText.DOCUMENTS))
                .isInstanceOf(IOException.class);
    }
}
