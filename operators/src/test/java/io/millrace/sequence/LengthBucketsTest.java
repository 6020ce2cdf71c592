package io.millrace.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.order.EpochOrder;
import io.millrace.order.Order;
import io.millrace.order.Shuffle;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class LengthBucketsTest {
    private static final int[] BOUNDARIES = {128, 256, 512, 1024, 2048};

    @Property(tries = 200)
    void eachDocumentHasOnePlaceAndMostBatchesOneBucket(
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 700) int size,
            @ForAll @IntRange(min = 1, max = 20) int batch) {
        int[] lengths = LengthSamples.CHATS.lengths(size, seed);
        int[] places = arrange(lengths, batch, seed);
        assertThat(Arrays.stream(places).sorted())
                .containsExactlyElementsOf(IntStream.range(0, size).boxed().toList());
        int mixed = 0;
        for (int first = 0; first < size; first += batch) {
            long buckets = IntStream.range(first, Math.min(size, first + batch))
                    .map(place -> bucket(lengths[places[place]]))
                    .distinct()
                    .count();
            mixed += buckets > 1 ? 1 : 0;
        }
        // Each bucket has less than a batch of documents left.
        assertThat(mixed).isLessThanOrEqualTo(BOUNDARIES.length + 1);
    }

    private static int bucket(int length) {
        int found = Arrays.binarySearch(BOUNDARIES, length);
        return found >= 0 ? found : -found - 1;
    }

    @Test
    void bucketsLeaveLittlePadding() {
        int[] lengths = LengthSamples.CHATS.lengths(16_384, 1);
        double arrival = LengthBuckets.padding(lengths, 16);
        int[] places = arrange(lengths, 16, 1);
        double bucketed = LengthBuckets.padding(
                Arrays.stream(places).map(row -> lengths[row]).toArray(), 16);
        assertThat(arrival).isGreaterThan(0.6);
        assertThat(bucketed).isLessThan(0.3);
    }

    @Test
    void batchesAreShuffledAndDifferInEachEpoch() {
        int[] lengths = LengthSamples.CHATS.lengths(512, 1);
        LengthBuckets buckets = buckets(lengths, 16);
        Order.Pick[] rows = rows(lengths.length);
        List<int[]> orders =
                List.of(buckets.arrange(0, 0, rows), buckets.arrange(1, 0, rows), buckets.arrange(0, 1, rows));
        assertThat(orders.get(0)).isNotEqualTo(orders.get(1)).isNotEqualTo(orders.get(2));
        assertThat(orders.get(0)).isEqualTo(buckets(lengths, 16).arrange(0, 0, rows));
    }

    @Test
    void paddingCountsTheLongestDocumentOfEachBatch() {
        assertThat(LengthBuckets.padding(new int[] {1, 3, 4, 4, 2}, 2)).isEqualTo(1 - 14.0 / 16);
        assertThat(LengthBuckets.padding(new int[0], 2)).isZero();
        assertThat(LengthBuckets.padding(new int[] {0, 0}, 2)).isZero();
    }

    @Test
    void badDocumentsBelongToTheFirstBucket() {
        int[] lengths = {-1, 100, 3000, 3000};
        assertThat(arrange(lengths, 2, 1)).containsAnyOf(0, 1);
        int[] places = arrange(lengths, 2, 1);
        assertThat(Math.min(places[0], places[1]) / 2).isEqualTo(Math.max(places[0], places[1]) / 2);
    }

    @Test
    void badValuesAreRefused() {
        assertThatThrownBy(() -> new LengthBuckets(new int[] {5, 5}, 2, 1, row -> 1))
                .hasMessage("the boundaries of buckets must be at least 1 and ascend, found [5, 5]");
        assertThatThrownBy(() -> new LengthBuckets(new int[] {0}, 2, 1, row -> 1))
                .hasMessageContaining("found [0]");
        assertThatThrownBy(() -> new LengthBuckets(new int[] {5}, 0, 1, row -> 1))
                .hasMessage("expected a batch of at least 1 document, found 0");
    }

    private static int[] arrange(int[] lengths, int batch, long seed) {
        return new LengthBuckets(BOUNDARIES, batch, seed, row -> lengths[(int) row.index()])
                .arrange(0, 0, rows(lengths.length));
    }

    private static LengthBuckets buckets(int[] lengths, int batch) {
        return new LengthBuckets(BOUNDARIES, batch, 1, row -> lengths[(int) row.index()]);
    }

    private static Order.Pick[] rows(int count) {
        EpochOrder order = new EpochOrder(0, count, Shuffle.NONE);
        return IntStream.range(0, count).mapToObj(i -> order.at(0, i)).toArray(Order.Pick[]::new);
    }
}
