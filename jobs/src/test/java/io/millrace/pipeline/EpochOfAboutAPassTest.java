package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.dataset.packed.GrowingSpec;
import io.millrace.dataset.packed.PlannedSpec;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The epochs of texts that are too large to be counted before a run. */
class EpochOfAboutAPassTest {
    private static final int DOCUMENTS = 8_200;
    private static final byte UINT16 = 8;

    @TempDir
    Path folder;

    /** Writes a dataset of 164 million tokens, all 0, whose file needs no room on a disk. */
    @BeforeEach
    void writeTokens() throws IOException {
        Random random = new Random(3);
        int[] lengths = random.ints(DOCUMENTS, 15_000, 25_000).toArray();
        ByteBuffer index =
                ByteBuffer.allocate(34 + DOCUMENTS * 12 + (DOCUMENTS + 1) * 8).order(ByteOrder.LITTLE_ENDIAN);
        index.put("MMIDIDX\0\0".getBytes(StandardCharsets.US_ASCII)).putLong(1).put(UINT16);
        index.putLong(DOCUMENTS).putLong(DOCUMENTS + 1);
        for (int length : lengths) {
            index.putInt(length);
        }
        long end = 0;
        for (int length : lengths) {
            index.putLong(end);
            end += 2L * length;
        }
        for (long document = 0; document <= DOCUMENTS; document++) {
            index.putLong(document);
        }
        Files.write(folder.resolve("a.idx"), index.array());
        try (RandomAccessFile tokens =
                new RandomAccessFile(folder.resolve("a.bin").toFile(), "rw")) {
            tokens.setLength(end);
        }
    }

    private PipelineConfig config(String... more) throws Exception {
        Path file = Files.writeString(folder.resolve("large.yaml"), """
                dataset: { format: megatron, path: %s, epochs: 2 }
                order: { seed: 4 }
                transforms:
                  - pack_sequences: { length: 8192, window: 64 }
                batch: { size: 4 }
                train: { model: none }
                """.formatted(folder.resolve("a")));
        return ConfigReader.read(file, List.of(more));
    }

    @Test
    void runBeginsBeforeAllDocumentsAreCountedAndALaterOneHasTheSameEpochs() throws Exception {
        PipelineConfig config = config();
        RunPlan open = RunPlanner.plan(config);
        assertThat(open.sequences().train().get(0)).isInstanceOf(GrowingSpec.class);
        long steps = open.batches().stepsPerEpoch();
        assertThat(open.remarks())
                .contains(String.format(
                        "%s: an epoch has %,d steps, about one pass over the documents, so that the run begins before all are"
                                + " counted. dataset.epoch_steps sets another number; with pass, an epoch is exactly one pass, after a count",
                        folder.resolve("a"), steps));

        RunPlan passes = RunPlanner.plan(config("dataset.epoch_steps=pass"));
        long round = passes.batches().size();
        assertThat(4 * steps).isCloseTo(round, withinPercentage(2)).isNotEqualTo(round);
        assertThat(passes.batches().positions()).isEqualTo(2 * round);

        RunPlan counted = RunPlanner.plan(config);
        assertThat(counted.sequences().train().get(0)).isInstanceOf(PlannedSpec.class);
        assertThat(counted.batches()).isEqualTo(open.batches());
        assertThat(counted.order()).isEqualTo(open.order());
        assertThat(PositionSettings.of(config, counted, folder)).isEqualTo(PositionSettings.of(config, open, folder));
        List<List<String>> rows = PackedRows.of(config, counted, round - 4, round + 4);
        assertThat(PackedRows.of(config, open, round - 4, round + 4)).isEqualTo(rows);
        assertThat(PackedRows.of(config, passes, round - 4, round + 4)).isEqualTo(rows);
    }

    @Test
    void positionsBesideAnEvaluationDependOnTheStepsOfAnEpoch() throws Exception {
        PipelineConfig config = config();
        Path subset = Files.writeString(folder.resolve("subset.txt"), "0\n1\n2\n");
        Path file = Files.writeString(
                folder.resolve("evaluated.yaml"),
                Files.readString(folder.resolve("large.yaml")) + """
                        evaluate:
                          dataset: { format: megatron, path: %s, subset: %s }
                          transforms: [ { pack_sequences: { length: 8192 } } ]
                        """.formatted(folder.resolve("a"), subset));
        PipelineConfig evaluated = ConfigReader.read(file, List.of());
        RunPlan plan = RunPlanner.plan(evaluated);
        long steps = RunPlanner.plan(config).batches().stepsPerEpoch();
        assertThat(plan.batches().stepsPerEpoch()).isEqualTo(steps);
        assertThat(plan.batches().evaluationSize()).isPositive();
        assertThat(PositionSettings.of(evaluated, plan, folder).positionSettings())
                .containsEntry("dataset.epoch_steps", String.valueOf(steps));
    }
}
