package io.millrace.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EpochOrderTest {
    @Test
    void withoutShuffleEveryEpochIsStorageOrder() {
        EpochOrder order = new EpochOrder(42, 10, Shuffle.NONE);

        for (int epoch = 0; epoch < 3; epoch++) {
            for (long i = 0; i < 10; i++) {
                assertThat(order.index(epoch, i)).isEqualTo(i);
            }
        }
    }

    @Test
    void fullShuffleIsTheEpochsPermutation() {
        EpochOrder order = new EpochOrder(42, 1000, Shuffle.FULL);

        for (int epoch : new int[] {0, 1, 0, 7, Integer.MAX_VALUE}) {
            Permutation permutation = new Permutation(42, epoch, 1000);
            for (long i = 0; i < 1000; i++) {
                assertThat(order.index(epoch, i)).isEqualTo(permutation.apply(i));
            }
        }
    }

    @Test
    void seedsAndEpochsGiveDifferentOrders() {
        assertThat(epoch(1, 0)).isNotEqualTo(epoch(2, 0)).isNotEqualTo(epoch(1, 1));
    }

    @Test
    void threadsThatUseDifferentEpochsDoNotDisturbEachOther() {
        EpochOrder order = new EpochOrder(42, 1000, Shuffle.FULL);

        boolean same = IntStream.range(0, 40_000).parallel().allMatch(i -> {
            int epoch = i % 3;
            return order.index(epoch, i % 1000) == new Permutation(42, epoch, 1000).apply(i % 1000);
        });

        assertThat(same).isTrue();
    }

    @Test
    void survivesSerialization() throws Exception {
        EpochOrder order = new EpochOrder(42, 1000, Shuffle.FULL);
        order.index(3, 5);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(order);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            EpochOrder copy = (EpochOrder) in.readObject();

            assertThat(copy).isEqualTo(order).hasSameHashCodeAs(order);
            assertThat(copy.index(3, 5)).isEqualTo(order.index(3, 5));
        }
    }

    @Test
    void badArgumentsAreRefused() {
        assertThatThrownBy(() -> new EpochOrder(0, -1, Shuffle.NONE)).hasMessageContaining("size -1 is not in 0 to");
        for (Shuffle shuffle : List.of(Shuffle.NONE, Shuffle.FULL, new Shuffle.Blocks(3, 2))) {
            EpochOrder order = new EpochOrder(0, 10, shuffle);
            assertThatThrownBy(() -> order.index(-1, 0)).hasMessageContaining("negative epoch -1");
            assertThatThrownBy(() -> order.index(0, 10)).isInstanceOf(IndexOutOfBoundsException.class);
            EpochOrder empty = new EpochOrder(0, 0, shuffle);
            assertThatThrownBy(() -> empty.index(0, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    private static long[] epoch(long seed, int epoch) {
        EpochOrder order = new EpochOrder(seed, 50, Shuffle.FULL);
        return IntStream.range(0, 50).mapToLong(i -> order.index(epoch, i)).toArray();
    }
}
