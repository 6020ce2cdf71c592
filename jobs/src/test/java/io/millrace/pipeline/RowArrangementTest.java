package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.order.Order;
import io.millrace.preview.PreviewRun;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RowArrangementTest {
    private static final Path TOKENIZER = Path.of("../operators/src/test/resources/vectors/text/byte_level_gpt2.json")
            .toAbsolutePath();

    private static final int BATCH = 16;

    @TempDir
    Path folder;

    @BeforeEach
    void writeTexts() throws IOException {
        Random random = new Random(3);
        List<String> lines = new ArrayList<>();
        for (int document = 0; document < 600; document++) {
            int words = 1 + random.nextInt(random.nextInt(10) == 0 ? 400 : 40);
            lines.add("{\"text\": \"" + document + " " + "word ".repeat(words) + "\"}");
        }
        lines.set(9, "{\"text\": 5}");
        Files.write(folder.resolve("texts.jsonl"), lines);
    }

    private PipelineConfig config(String order, String pack, String... more) throws Exception {
        Path file = Files.writeString(folder.resolve("arranged.yaml"), """
                dataset: { format: jsonl, path: %s, epochs: 2 }
                order: { seed: 4%s }
                transforms:
                  - tokenize: { tokenizer: %s }
                %s
                batch: { size: %d, max_quarantined: 0.1, fields: [tokens%s] }
                train: { model: none, input: [tokens] }
                """.formatted(
                folder.resolve("texts.jsonl"), order, TOKENIZER, pack, BATCH, pack.isEmpty() ? "" : ", lengths"));
        return ConfigReader.read(file, List.of(more));
    }

    private static final String PACK = "  - pack_sequences: { length: 256, window: 64 }";

    /** Returns the work of each sequence of an epoch: that of its tokens and of their pairs. */
    private static List<Double> work(PipelineConfig config, int epoch) throws Exception {
        List<Double> work = new ArrayList<>();
        try (PreviewRun run = PreviewRun.open(config, RunPlanner.plan(config), Split.TRAIN, epoch)) {
            for (long i = 0; i < run.samples(); i++) {
                Sample sample = run.view(i).sample();
                assertThat(sample.badSample()).isNull();
                ByteBuffer lengths =
                        ByteBuffer.wrap(sample.field("lengths").data()).order(ByteOrder.LITTLE_ENDIAN);
                double sum = 0;
                while (lengths.hasRemaining()) {
                    int tokens = lengths.getInt();
                    sum += tokens + 0.01 * tokens * tokens;
                }
                work.add(sum);
            }
        }
        return work;
    }

    @Test
    void eachStepHasTheSameSequencesAndRanksHaveEvenWork() throws Exception {
        for (int epoch = 0; epoch < 2; epoch++) {
            List<Double> arrival = work(config("", PACK), epoch);
            List<Double> balanced = work(config(", balance_work: {ranks: 4, attention: 0.01}", PACK), epoch);
            assertThat(balanced).hasSameSizeAs(arrival).isNotEqualTo(arrival);
            for (int first = 0; first < arrival.size(); first += BATCH) {
                int end = Math.min(arrival.size(), first + BATCH);
                List<Double> rows = balanced.subList(first, end);
                assertThat(rows).containsExactlyInAnyOrderElementsOf(arrival.subList(first, end));
            }
            assertThat(slowest(balanced)).isLessThan(1.03);
            assertThat(slowest(arrival)).isGreaterThan(1.06);
        }
    }

    /** Returns the mean of the slowest of four ranks by the mean rank, over all full batches. */
    private static double slowest(List<Double> work) {
        double sum = 0;
        int full = work.size() / BATCH;
        for (int batch = 0; batch < full; batch++) {
            double[] ranks = new double[4];
            for (int row = 0; row < BATCH; row++) {
                ranks[row / 4] += work.get(batch * BATCH + row);
            }
            sum += Arrays.stream(ranks).max().orElseThrow()
                    / Arrays.stream(ranks).average().orElseThrow();
        }
        return sum / full;
    }

    @Test
    void planTellsTheSlowestRanksWithAndWithoutTheArrangement() throws Exception {
        PipelineConfig config = config(", balance_work: {ranks: 4, micro_batches: 2, attention: 0.01}", PACK);
        assertThat(RunPlanner.plan(config).remarks())
                .filteredOn(remark -> remark.startsWith("order.balance_work"))
                .singleElement()
                .asString()
                .matches("order.balance_work: the slowest of 4 ranks has 1\\.0\\d\\d times the work of the mean one,"
                        + " 1\\.\\d\\d\\d times without it");
    }

    @Test
    void bucketsGiveBatchesOfSimilarLengthThatHaveAllDocuments() throws Exception {
        PipelineConfig plain = config("", "");
        PipelineConfig bucketed = config(", bucket: {up_to: [32, 64, 128, 256, 512, 1024], window: 20}", "");
        RunPlan plan = RunPlanner.plan(bucketed);
        for (int epoch = 0; epoch < 2; epoch++) {
            Order before = RunPlanner.plan(plain).order();
            int number = epoch;
            assertThat(indexes(plan.order(), number))
                    .isNotEqualTo(indexes(before, number))
                    .containsExactlyInAnyOrderElementsOf(indexes(before, number));
        }
        assertThat(plan.remarks())
                .filteredOn(remark -> remark.startsWith("order.bucket"))
                .singleElement()
                .satisfies(remark -> {
                    List<Double> shares = Arrays.stream(remark.split("[^0-9.]+"))
                            .filter(word -> word.matches("\\d+\\.\\d"))
                            .map(Double::valueOf)
                            .toList();
                    assertThat(shares).hasSize(2);
                    assertThat(shares.get(0)).isLessThan(40);
                    assertThat(shares.get(1)).isGreaterThan(60);
                });
    }

    private static List<Long> indexes(Order order, int epoch) {
        return IntStream.range(0, (int) order.size())
                .mapToObj(i -> order.at(epoch, i).index())
                .toList();
    }

    @Test
    void arrangedOrderIsTheSameAfterATransfer() throws Exception {
        for (Order order : List.of(
                RunPlanner.plan(config(", balance_work: 4", PACK)).order(),
                RunPlanner.plan(config(", bucket: [16, 64]", "")).order())) {
            order.at(1, 3); // before the transfer, so that files are open
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(order);
            }
            try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
                Order copy = (Order) in.readObject();
                assertThat(copy).isEqualTo(order).hasSameHashCodeAs(order).hasToString(order.toString());
                assertThat(indexes(copy, 1)).isEqualTo(indexes(order, 1));
            }
        }
    }

    @Test
    void unsuitableArrangementsAreRefused() throws Exception {
        assertRefused(", balance_work: 4", "", "expected the transform pack_sequences for ");
        assertRefused(
                ", bucket: [16]", PACK, "order.bucket: expected documents that are not packed, found the transform");
        assertRefused(
                ", balance_work: {ranks: 3, micro_batches: 5}",
                PACK,
                "order.balance_work: a batch of 16 rows cannot be divided evenly among 3 ranks with 5 micro-batches each");
    }

    private void assertRefused(String order, String pack, String message) throws Exception {
        PipelineConfig config = config(order, pack);
        assertThatThrownBy(() -> RunPlanner.plan(config))
                .isInstanceOf(PipelineException.class)
                .hasMessageContaining(message);
    }

    @Test
    void badOptionsAreRefused() {
        assertThatThrownBy(() -> config(", bucket: [16, 16]", ""))
                .hasMessageContaining("expected numbers of tokens that ascend, found [16, 16]");
        assertThatThrownBy(() -> config(", bucket: 16", ""))
                .hasMessageContaining(
                        "expected the largest number of tokens of each bucket, such as [256, 1024], found 16");
        assertThatThrownBy(() -> config(", balance_work: {micro_batches: 2}", PACK))
                .hasMessageContaining("ranks");
        assertThatThrownBy(() -> config(", balance_work: 0", PACK)).hasMessageContaining("ranks");
        assertThatThrownBy(() -> config(", balance_work: two", PACK))
                .hasMessageContaining("expected a number of ranks, or {ranks: 8, micro_batches: 4}, found 'two'");
        assertThatThrownBy(() -> config(", balance_work: 2, bucket: [4]", PACK)).hasMessageContaining("found both");
    }
}
