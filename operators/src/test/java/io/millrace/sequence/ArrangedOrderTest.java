package io.millrace.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.order.EpochOrder;
import io.millrace.order.Mixture;
import io.millrace.order.MixtureOrder;
import io.millrace.order.MixturePhase;
import io.millrace.order.Order;
import io.millrace.order.Shuffle;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.commons.lang3.SerializationUtils;
import org.junit.jupiter.api.Test;

class ArrangedOrderTest {
    private static final int EPOCHS = 3;

    @Property(tries = 200)
    void eachWindowKeepsItsRows(
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 500) int size,
            @ForAll @IntRange(min = 1, max = 60) int window) {
        EpochOrder inner = new EpochOrder(seed, size, Shuffle.FULL);
        ArrangedOrder order = new ArrangedOrder(inner, window, new Reverse());
        for (int epoch = 0; epoch < EPOCHS; epoch++) {
            for (int first = 0; first < size; first += window) {
                int end = Math.min(size, first + window);
                for (int i = first; i < end; i++) {
                    assertThat(order.at(epoch, i)).isEqualTo(inner.at(epoch, end - 1 - (i - first)));
                }
            }
        }
    }

    @Property(tries = 50)
    void balancedBatchesHaveTheSameRowsAtAnyNumberOfRanks(@ForAll long seed) {
        EpochOrder inner = new EpochOrder(seed, 100, Shuffle.FULL);
        List<Set<Order.Pick>> expected = batches(inner);
        for (int ranks : new int[] {1, 2, 8, 24}) {
            ArrangedOrder order = new ArrangedOrder(inner, 24, new BalancedRows(ranks, 1, 24, row -> row.index()));
            assertThat(batches(order)).isEqualTo(expected);
        }
    }

    @Property(tries = 50)
    void placesOfTheOriginalRowsAreThoseAtWhichTheyAre(
            @ForAll long seed, @ForAll @IntRange(min = 1, max = 60) int window) {
        EpochOrder inner = new EpochOrder(seed, 100, Shuffle.FULL);
        ArrangedOrder order = new ArrangedOrder(inner, window, (epoch, number, rows) -> {
            return IntStream.range(0, rows.length)
                    .map(place -> (place + 1) % rows.length)
                    .toArray();
        });
        for (int i = 0; i < 100; i++) {
            assertThat(order.at(1, order.place(1, i))).isEqualTo(inner.at(1, i));
        }
    }

    @Test
    void rowsOfAWindowAreComputedOnceWhileTheyAreAwaited() throws IOException {
        AtomicInteger computed = new AtomicInteger();
        AtomicInteger looks = new AtomicInteger();
        Order inner = new Order() {
            @Override
            public long seed() {
                return 1;
            }

            @Override
            public long size() {
                return 60;
            }

            @Override
            public Pick at(int epoch, long i) {
                computed.incrementAndGet();
                return new Pick(0, epoch, i);
            }
        };
        ArrangedOrder order = new ArrangedOrder(inner, 20, new Arrangement() {
            @Override
            public int[] arrange(int epoch, long window, Order.Pick[] rows) {
                return IntStream.range(0, rows.length).toArray();
            }

            @Override
            public boolean await(Order.Pick[] rows, long nanos) {
                return looks.incrementAndGet() > 3;
            }
        });
        assertThat(order.await(2, 25, 0)).isFalse();
        assertThat(order.await(2, 39, 0)).isFalse();
        assertThat(order.await(2, 20, 0)).isFalse();
        assertThat(order.await(2, 20, 0)).isTrue();
        assertThat(order.at(2, 39)).isEqualTo(new Order.Pick(0, 2, 39));
        assertThat(order.await(2, 21, 0)).isTrue();
        assertThat(computed).hasValue(20);
        assertThat(looks).hasValue(4);
    }

    private static List<Set<Order.Pick>> batches(Order order) {
        List<Set<Order.Pick>> batches = new ArrayList<>();
        for (int first = 0; first < 100; first += 24) {
            Set<Order.Pick> batch = new HashSet<>();
            for (int i = first; i < Math.min(100, first + 24); i++) {
                batch.add(order.at(1, i));
            }
            batches.add(batch);
        }
        return batches;
    }

    @Test
    void countsFollowTheArrangedRows() {
        Mixture mixture = new Mixture(List.of(new MixturePhase(MixturePhase.OPEN, new long[] {2, 1, 1}, 0)), 16, 7);
        MixtureOrder.Source source = new MixtureOrder.Source(50, Shuffle.FULL);
        MixtureOrder inner = new MixtureOrder(7, 30, mixture, List.of(source, source, source));
        ArrangedOrder order = new ArrangedOrder(inner, 8, new Reverse());
        long[] counts = new long[3];
        for (int place = 0; place < 3 * 30; place++) {
            assertThat(order.counts(place)).containsExactly(counts);
            counts[order.at(place / 30, place % 30).source()]++;
        }
        assertThat(order.counts(90)).containsExactly(inner.counts(90));
    }

    @Test
    void serializedOrderIsEqual() {
        ArrangedOrder order = new ArrangedOrder(new EpochOrder(3, 100, Shuffle.FULL), 16, new Reverse());
        Order.Pick pick = order.at(2, 50);
        ArrangedOrder copy = SerializationUtils.clone(order);
        assertThat(copy).isEqualTo(order).hasSameHashCodeAs(order);
        assertThat(copy.at(2, 50)).isEqualTo(pick);
        assertThat(copy.seed()).isEqualTo(3);
        assertThat(copy.size()).isEqualTo(100);
        assertThat(copy).isNotEqualTo(new ArrangedOrder(new EpochOrder(3, 100, Shuffle.FULL), 17, new Reverse()));
    }

    @Test
    void threadsSeeTheSameOrder() {
        EpochOrder inner = new EpochOrder(3, 5000, Shuffle.FULL);
        ArrangedOrder order = new ArrangedOrder(inner, 64, new BalancedRows(4, 2, 64, row -> row.index()));
        List<Order.Pick> expected =
                LongStream.range(0, 5000).mapToObj(i -> order.at(0, i)).toList();
        ArrangedOrder shared = new ArrangedOrder(inner, 64, new BalancedRows(4, 2, 64, row -> row.index()));
        assertThat(LongStream.range(0, 5000)
                        .parallel()
                        .mapToObj(i -> shared.at(0, 4999 - i))
                        .toList())
                .isEqualTo(LongStream.range(0, 5000)
                        .mapToObj(i -> expected.get((int) (4999 - i)))
                        .toList());
    }

    @Test
    void badArgumentsAreRefused() {
        EpochOrder inner = new EpochOrder(3, 10, Shuffle.FULL);
        assertThatThrownBy(() -> new ArrangedOrder(inner, 0, new Reverse()))
                .hasMessage("expected a window of at least 1 row, found 0");
        ArrangedOrder order = new ArrangedOrder(inner, 4, new Reverse());
        assertThatThrownBy(() -> order.at(0, 10)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> order.at(-1, 0)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    /** The rows of a window in reverse order. */
    private record Reverse() implements Arrangement {
        @Override
        public int[] arrange(int epoch, long window, Order.Pick[] rows) {
            int[] places = new int[rows.length];
            Arrays.setAll(places, place -> rows.length - 1 - place);
            return places;
        }
    }
}
