package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.packed.GrowingSpec;
import io.millrace.dataset.packed.PlannedSpec;
import io.millrace.dataset.packed.TokenCounts;
import io.millrace.dataset.types.SettledDataset;
import io.millrace.order.SampleRandom;
import io.millrace.order.Sources;
import io.millrace.preview.PreviewRun;
import io.millrace.preview.StepRows;
import io.millrace.sample.Split;
import io.millrace.sequence.LengthsWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class GrowingPacksTest {
    private static final Path TOKENIZER = Path.of("../operators/src/test/resources/vectors/text/byte_level_gpt2.json")
            .toAbsolutePath();

    @TempDir
    Path folder;

    private Path texts;

    @BeforeEach
    void writeTexts() throws IOException {
        texts = LargeText.write(folder);
    }

    private PipelineConfig config(String... more) throws Exception {
        Path file = Files.writeString(folder.resolve("open.yaml"), """
                dataset: { format: jsonl, path: %s, epochs: 3, epoch_steps: 850 }
                order: { seed: 4 }
                transforms:
                  - tokenize: { tokenizer: %s }
                  - pack_sequences: { length: 256, window: 64, policy: best_fit }
                batch: { size: 4, max_quarantined: 0.1 }
                train: { model: none }
                """.formatted(texts, TOKENIZER));
        return ConfigReader.read(file, List.of(more));
    }

    @Test
    void rowsAreThoseOfARunWhoseDocumentsWereCountedBefore() throws Exception {
        PipelineConfig config = config();
        RunPlan open = RunPlanner.plan(config);
        assertThat(open.sequences().train().get(0)).isInstanceOf(GrowingSpec.class);
        assertThat(open.remarks())
                .anyMatch(remark -> remark.contains(
                        "sequences of 256 tokens from 70,000 documents, which are counted while the run reads them; the first"
                                + " 65,536 of them: "));
        assertThat(LargeText.countFiles(folder)).contains(".lengths-X.bin.part").doesNotContain("lengths-X.bin");
        long positions = open.batches().positions();
        List<List<String>> rows = PackedRows.of(config, open, 0, positions);
        assertThat(LargeText.countFiles(folder)).contains("lengths-X.bin").doesNotContain(".lengths-X.bin.part");

        RunPlan counted = RunPlanner.plan(config);
        assertThat(counted.sequences().train().get(0)).isInstanceOf(PlannedSpec.class);
        assertThat(counted.order()).isEqualTo(open.order());
        assertThat(PositionSettings.of(config, counted, folder)).isEqualTo(PositionSettings.of(config, open, folder));
        assertThat(counted.packFill().orElseThrow().fill())
                .isCloseTo(open.packFill().orElseThrow().fill(), within(0.001));
        assertThat(counted.packFill().orElseThrow().documents())
                .isCloseTo(open.packFill().orElseThrow().documents(), withinPercentage(5));
        assertThat(PackedRows.of(config, counted, 0, positions)).isEqualTo(rows);

        PipelineConfig passes = config("dataset.epoch_steps=");
        RunPlan passed = RunPlanner.plan(passes);
        long round = passed.batches().size();
        assertThat(round).isLessThan(positions);
        assertThat(PackedRows.of(passes, passed, 0, positions)).isEqualTo(rows);
    }

    @Test
    @Timeout(60)
    void balancedRowsAreThoseOfARunWhoseDocumentsWereCountedBefore() throws Exception {
        PipelineConfig config =
                config("order.balance_work=4", "batch.size=512", "dataset.epoch_steps=30", "dataset.epochs=1");
        RunPlan open = RunPlanner.plan(config);
        assertThat(open.sequences().train().get(0)).isInstanceOf(GrowingSpec.class);
        long positions = open.batches().positions();
        assertThat(open.order().await(0, open.order().size() - 1, 0)).isFalse();
        List<List<String>> end = PackedRows.of(config, open, positions - 10, positions);
        List<List<String>> rows = PackedRows.of(config, open, 0, positions);
        assertThat(rows.subList(rows.size() - 10, rows.size())).isEqualTo(end);

        RunPlan counted = RunPlanner.plan(config);
        assertThat(counted.sequences().train().get(0)).isInstanceOf(PlannedSpec.class);
        assertThat(counted.order().await(0, counted.order().size() - 1, 0)).isTrue();
        assertThat(PackedRows.of(config, counted, 0, positions)).isEqualTo(rows);
    }

    @Test
    void readingHasTheCpuTimeOfCounting() throws Exception {
        PipelineConfig config = config();
        long counting = cpuOfCounting(config, RunPlanner.plan(config));
        assertThat(LargeText.countFiles(folder)).contains("lengths-X.bin");
        assertThat(counting).isPositive();
        assertThat(cpuOfCounting(config, RunPlanner.plan(config))).isZero();
    }

    /** Returns the CPU time of other threads than the reader's on all packs of a round. */
    private static long cpuOfCounting(PipelineConfig config, RunPlan plan) throws Exception {
        Dataset documents = DatasetOpening.openFilled(config, Split.TRAIN);
        try (Dataset packs = plan.sequences()
                .train(0, SettledDataset.of(documents, plan.types().train(0)))) {
            Dataset.Reading reading = packs.reading(new SampleRandom(4, SampleRandom.READ), 0, 10_000, i -> i);
            for (int i = 0; i < 10_000; i++) {
                reading.read(i);
            }
            return reading.remoteCpuNanos();
        }
    }

    @Test
    void seekCountsWhatLiesBeforeAndTheNextRunContinuesTheCount() throws Exception {
        PipelineConfig config = config();
        RunPlan open = RunPlanner.plan(config);
        List<List<String>> first = PackedRows.of(config, open, 0, 4);
        assertThat(LargeText.countFiles(folder)).contains(".lengths-X.bin.part").doesNotContain("lengths-X.bin");

        RunPlan next = RunPlanner.plan(config);
        long last = next.batches().positions() - 1;
        List<List<String>> end = PackedRows.of(config, next, last, last + 1);
        assertThat(LargeText.countFiles(folder)).contains("lengths-X.bin");
        RunPlan counted = RunPlanner.plan(config);
        assertThat(PackedRows.of(config, counted, last, last + 1)).isEqualTo(end);
        assertThat(PackedRows.of(config, counted, 0, 4)).isEqualTo(first);
    }

    @Test
    void readersOfAProcessAndOfSeveralRunsCountTogether() throws Exception {
        PipelineConfig config = config();
        PipelineConfig other = config("order.seed=5");
        RunPlan plan = RunPlanner.plan(config);
        RunPlan otherPlan = RunPlanner.plan(other);
        long positions = plan.batches().positions();
        List<CompletableFuture<List<List<String>>>> readers = Stream.of(0, 1, 2, 3)
                .map(number -> CompletableFuture.supplyAsync(() -> {
                    try {
                        return number < 2
                                ? PackedRows.of(config, plan, number * positions / 2, (number + 1) * positions / 2)
                                : PackedRows.of(other, otherPlan, positions - 100, positions);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }))
                .toList();
        List<List<String>> rows = new ArrayList<>(readers.get(0).get());
        rows.addAll(readers.get(1).get());
        assertThat(readers.get(2).get()).isEqualTo(readers.get(3).get());

        assertThat(LargeText.countFiles(folder)).contains("lengths-X.bin").doesNotContain(".lengths-X.bin.part");
        assertThat(PackedRows.of(config, RunPlanner.plan(config), 0, positions)).isEqualTo(rows);
        assertThat(PackedRows.of(other, RunPlanner.plan(other), positions - 100, positions))
                .isEqualTo(readers.get(2).get());
        assertThat(badDocuments()).hasSize(2);
    }

    @Test
    @Timeout(60)
    void runWhoseCountCouldNotBeginDoesNotKeepItsFilesForTheNextRun() throws Exception {
        PipelineConfig config = config();
        RunPlan plan = RunPlanner.plan(config);
        TokenCounts counts =
                Objects.requireNonNull(plan.sequences().train().get(0)).counts();
        Path lengths = Path.of(counts.file());
        Path windows = lengths.resolveSibling("." + lengths.getFileName() + ".windows");
        Files.delete(windows);
        Files.createDirectory(windows);
        assertThatThrownBy(() -> PackedRows.of(config, plan, 0, 4)).isInstanceOf(FileSystemException.class);

        try (Stream<Path> files = Files.list(folder.resolve(".millrace"))) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        byte[] key = HexFormat.of().parseHex(counts.key());
        LengthsWriter.share(lengths, key, LargeText.DOCUMENTS).close(); // as a planner in another process begins it
        long last = plan.batches().positions() - 1;
        assertThat(PackedRows.of(config, plan, last, last + 1)).hasSize(1);
    }

    @Test
    void moreBadDocumentsThanAllowedEndTheRunWhenTheyAreFound() throws Exception {
        List<String> lines = new ArrayList<>(Files.readAllLines(texts));
        for (int document = 66_000; document < LargeText.DOCUMENTS; document++) {
            lines.set(document, "{}");
        }
        Files.write(texts, lines);
        PipelineConfig config = config("order.shuffle=none", "batch.max_quarantined=0.01");
        RunPlan plan = RunPlanner.plan(config);
        assertThatThrownBy(() -> PackedRows.of(config, plan, 0, plan.batches().positions()))
                .hasMessageContaining("more than 700 of 70,000 documents of " + texts + " are bad, which is all that"
                        + " batch.max_quarantined allows: " + folder.resolve(".millrace"))
                .hasMessageContaining(" lists them; the first one in the list is " + texts
                        + ":1"); // the bad lines 18 and 19 come first
        assertThat(badDocuments()).hasSizeGreaterThan(700);
    }

    @Test
    void usesOfADocumentAreFoundInEachRound() throws Exception {
        PipelineConfig config = config();
        RunPlan plan = RunPlanner.plan(config);
        List<List<String>> rows = PackedRows.of(config, plan, 0, plan.batches().positions());
        String document = rows.get(rows.size() - 1).get(0).replaceFirst(" .*", "");
        List<Long> expected = LongStream.range(0, rows.size())
                .filter(position -> rows.get((int) position).stream().anyMatch(part -> part.startsWith(document + " ")))
                .boxed()
                .toList();
        assertThat(expected).hasSizeGreaterThan(1);
        List<Long> found = new ArrayList<>();
        try (PreviewRun run = PreviewRun.open(config, RunPlanner.plan(config), Split.TRAIN, 0)) {
            StepRows steps = run.rows();
            long line = Long.parseLong(document.replaceFirst(".*#", ""));
            steps.find(new Sources.Place(0, line), 0, steps.steps() - 1, use -> found.add(4 * use.step() + use.row()));
        }
        assertThat(found).isEqualTo(expected);
    }

    private List<String> badDocuments() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve(".millrace"))) {
            return Files.readAllLines(files.filter(file -> file.toString().endsWith(".quarantine.jsonl"))
                    .findAny()
                    .orElseThrow());
        }
    }
}
