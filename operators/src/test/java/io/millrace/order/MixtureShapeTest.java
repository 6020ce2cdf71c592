package io.millrace.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class MixtureShapeTest {
    private static double bound(long... weights) {
        return MixtureShape.of(weights).bound();
    }

    @Test
    void oneSourceHasNoDeviation() {
        assertThat(bound(5)).isZero();
        assertThat(bound(0, 7, 0)).isZero();
        assertThat(MixtureShape.of(new long[] {0, 7, 0}).source(0)).isEqualTo(1);
    }

    @Test
    void twoSourcesDeviateByHalfASample() {
        assertThat(bound(1, 1)).isEqualTo(0.5);
        assertThat(bound(1, 1_000_000)).isEqualTo(0.5);
    }

    @Test
    void equalWeightsMakeABalancedTree() {
        long[] weights = new long[1024];
        Arrays.fill(weights, 3);

        assertThat(bound(weights)).isBetween(0.99, 1.0);
    }

    @Test
    void aLightSourceIsNotJoinedToOneOfManyHeavyOnes() {
        // A Huffman tree has a bound of 1.44 here.
        long[] weights = new long[17];
        Arrays.fill(weights, 10_000);
        weights[8] = 1;

        assertThat(bound(weights)).isLessThan(MixtureShape.WANTED);
    }

    @Test
    void weightsThatGrowLikeFibonacciNumbersStayWithinTheBound() {
        // The worst weights of a Huffman tree, which come close to 1.68.
        long[] weights = new long[80];
        weights[0] = 1;
        weights[1] = 1_000;
        weights[2] = 1_000;
        int count = 3;
        while (weights[count - 1] < 1L << 59) {
            weights[count] = weights[count - 1] + weights[count - 2];
            count++;
        }

        assertThat(bound(Arrays.copyOf(weights, count))).isLessThanOrEqualTo(MixtureShape.WANTED);
    }

    @Test
    void aSearchForBadWeightsFindsNoneBeyondTheBound() {
        Random random = new Random(1);
        for (int sources : new int[] {3, 4, 5, 6, 8, 11, 16, 17, 24, 40}) {
            for (int start = 0; start < 4; start++) {
                long[] worst = randomWeights(random, sources);
                double most = bound(worst);
                for (int step = 0; step < 600; step++) {
                    long[] changed = worst.clone();
                    for (int i = random.nextInt(3); i >= 0; i--) {
                        int source = random.nextInt(sources);
                        double factor = Math.exp(random.nextGaussian() * Math.pow(10, random.nextInt(3) - 1.5));
                        changed[source] = Math.max(1, Math.min((long) (changed[source] * factor), 1L << 55));
                    }
                    double found = bound(changed);
                    if (found >= most) {
                        most = found;
                        worst = changed;
                    }
                }
                assertThat(most).as("%s", Arrays.toString(worst)).isLessThanOrEqualTo(MixtureShape.WANTED);
            }
        }
    }

    @Test
    void manySourcesOfVeryDifferentWeightsStayWithinTheBound() {
        Random random = new Random(2);
        for (int sources : new int[] {100, 333, 1000}) {
            for (int i = 0; i < 20; i++) {
                long[] weights = randomWeights(random, sources);
                assertThat(bound(weights)).as("%s", Arrays.toString(weights)).isLessThanOrEqualTo(MixtureShape.WANTED);
            }
        }
    }

    /** Returns weights of one of several kinds: uniform, of very different scales, geometric, nearly equal, or of few values. */
    static long[] randomWeights(Random random, int sources) {
        int kind = random.nextInt(5);
        double ratio = 1 + random.nextDouble() * 3;
        return LongStream.range(0, sources)
                .map(source -> switch (kind) {
                    case 0 -> 1 + random.nextInt(1_000_000_000);
                    case 1 -> (long) Math.pow(10, 13 * random.nextDouble());
                    case 2 -> Math.max(1, (long) (1e15 * Math.pow(ratio, -(double) (source % 40))));
                    case 3 -> 1_000_000_000L + random.nextInt(1_000_000) - (source % 9 == 8 ? 999_999_999L : 0);
                    default -> new long[] {1, 5, 8, 13, 10_000}[random.nextInt(5)];
                })
                .map(weight -> Math.max(1, weight))
                .toArray();
    }
}
