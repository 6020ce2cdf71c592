package io.millrace.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WeightTableTest {
    private static long[] counts(WeightTable table, long seed, int draws) {
        long[] counts = new long[table.size()];
        for (int i = 0; i < draws; i++) {
            counts[table.draw(seed, i / 1000, i % 1000)]++;
        }
        return counts;
    }

    /** Returns the statistic of Pearson's test for counts that should have the proportions of the weights. */
    private static double statistic(long[] counts, double[] weights) {
        double draws = Arrays.stream(counts).sum();
        double sum = Arrays.stream(weights).sum();
        return IntStream.range(0, counts.length)
                .filter(sample -> weights[sample] > 0)
                .mapToDouble(sample -> {
                    double expected = weights[sample] / sum * draws;
                    return (counts[sample] - expected) * (counts[sample] - expected) / expected;
                })
                .sum();
    }

    @Test
    void samplesAreDrawnInProportionToTheirWeights() {
        Random random = new Random(1);
        double[] few = random.doubles(200, 0.5, 4).map(Math::rint).toArray();
        double[] different = random.doubles(300, 0.1, 10).toArray();
        double[] one = {3};
        for (double[] weights : new double[][] {few, different, one}) {
            long[] counts = counts(WeightTable.of(weights), 42, 400_000);

            assertThat(statistic(counts, weights)).isLessThanOrEqualTo(ChiSquare.bound(weights.length));
        }
    }

    /** Compares two samples of counts, as for homogeneity: both programs draw from the same distribution. */
    @Test
    void samplesAreDrawnAsOftenAsByTorch() throws Exception {
        List<String> lines = Files.readAllLines(Path.of("src/test/resources/vectors/order/weighted.csv"));
        double[] weights = lines.stream()
                .mapToDouble(line -> Double.parseDouble(line.split(",", -1)[0]))
                .toArray();
        long[] theirs = lines.stream()
                .mapToLong(line -> Long.parseLong(line.split(",", -1)[1]))
                .toArray();
        long[] ours = counts(WeightTable.of(weights), 42, 1_000_000);
        double statistic = 0;
        int drawn = 0;
        for (int sample = 0; sample < weights.length; sample++) {
            long both = ours[sample] + theirs[sample];
            if (both > 0) {
                statistic += Math.pow((double) (ours[sample] - theirs[sample]), 2) / both;
                drawn++;
            }
        }

        assertThat(statistic).isLessThanOrEqualTo(ChiSquare.bound(drawn - 1));
        assertThat(drawn).isEqualTo(weights.length - 1);
    }

    @Test
    void aSampleOfWeightZeroIsNeverDrawn() {
        double[] weights = new double[1000];
        weights[3] = 1e-300;
        weights[700] = 2e-300;
        weights[999] = -0.0;

        long[] counts = counts(WeightTable.of(weights), 7, 100_000);

        assertThat(counts[3] + counts[700]).isEqualTo(100_000);
        assertThat(counts[3]).isBetween(32_500L, 34_200L);
    }

    @Test
    void drawsDependOnTheSeedTheEpochAndThePlaceAlone() {
        WeightTable table = WeightTable.of(new Random(1).doubles(1000).toArray());
        int[] first = IntStream.range(0, 100).map(i -> table.draw(1, 0, i)).toArray();

        assertThat(IntStream.range(0, 100).map(i -> table.draw(1, 0, i)).toArray())
                .isEqualTo(first);
        assertThat(IntStream.range(0, 100).map(i -> table.draw(2, 0, i)).toArray())
                .isNotEqualTo(first);
        assertThat(IntStream.range(0, 100).map(i -> table.draw(1, 1, i)).toArray())
                .isNotEqualTo(first);
        assertThat(IntStream.range(0, 100)
                        .map(i -> table.draw(1, 0, i + (1L << 32)))
                        .toArray())
                .isNotEqualTo(first);
    }

    @Test
    void tablesOfTheSameWeightsAreSharedAndCompressed() throws Exception {
        double[] weights = IntStream.range(0, 1_000_000)
                .mapToDouble(i -> 1.0 / (1 + i / 1000))
                .toArray();
        WeightTable table = WeightTable.of(weights);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(table);
        }

        assertThat(bytes.size()).isLessThan(100_000);
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            assertThat(in.readObject()).isSameAs(table);
        }
        weights[5] = 2;
        assertThat(WeightTable.of(weights)).isNotEqualTo(table);
        assertThat(WeightTable.of(weights).sha256()).isNotEqualTo(table.sha256());
        assertThat(WeightTable.of(new double[] {0.5, 0, 0.5}).sha256())
                .as("the hash that checkpoints store")
                .isEqualTo("f9ba2cc66c4c0d1314dbd818148f6250ffad972b7d1309af18aeb82bc0c52aa3");
    }

    @Test
    void whatAreNoWeightsIsRefused() {
        assertThatThrownBy(() -> WeightTable.of(new double[] {1, -0.5}))
                .hasMessage("expected finite weights of 0 or more, found -0.5 for sample 1");
        assertThatThrownBy(() -> WeightTable.of(new double[] {Double.NaN}))
                .hasMessage("expected finite weights of 0 or more, found NaN for sample 0");
        assertThatThrownBy(() -> WeightTable.of(new double[] {1, 2, Double.POSITIVE_INFINITY}))
                .hasMessage("expected finite weights of 0 or more, found Infinity for sample 2");
        assertThatThrownBy(() -> WeightTable.of(new double[] {0, 0}))
                .hasMessage("expected at least one weight above 0, found 0 for all 2 samples");
        assertThatThrownBy(() -> WeightTable.of(new double[] {1e308, 1e308}))
                .hasMessage("expected weights with a finite sum, found more than 1.8e308");
        assertThatThrownBy(() -> WeightTable.of(new Random(1).doubles(2_500_000).toArray()))
                .hasMessageStartingWith("the weights of 2,500,000 samples have 2,500,000 different values, and take ")
                .hasMessageEndingWith("expected at most 16,777,216 bytes. Round the weights so that fewer differ");
    }
}
