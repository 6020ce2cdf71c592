package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.order.ChiSquare;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RandomOrderTest {
    @Test
    void everyOrderIsAsLikelyAndEachTransformIsAppliedOnce() throws Exception {
        List<Object> transforms = List.of(
                Map.of("Pad", Map.of("padding", 1L)),
                "RandomMask",
                Map.of("Resize", Map.of("size", 2L)),
                "RandomHorizontalFlip");
        TransformFixture order = TransformFixture.of("RandomOrder", Map.of("transforms", transforms));
        Map<String, Long> orders = new TreeMap<>();
        for (int draw = 0; draw < 12_000; draw++) {
            order.apply(TransformFixture.noise(2, 2, 1));
            orders.merge(order.drawn().replaceAll(":[^;]*", ""), 1L, Long::sum);
        }
        assertThat(orders).hasSize(24);
        assertThat(orders).allSatisfy((names, count) -> assertThat(names.split("; ", -1))
                .containsExactlyInAnyOrder("Pad", "RandomMask", "Resize", "RandomHorizontalFlip"));
        long[] counts = orders.values().stream().mapToLong(count -> count).toArray();
        assertThat(ChiSquare.uniform(counts)).isLessThan(ChiSquare.bound(23));
    }

    @Test
    void describedOrderIsTheAppliedOrder() throws Exception {
        List<Object> transforms =
                List.of(Map.of("Pad", Map.of("padding", 1L)), Map.of("CenterCrop", Map.of("size", 2L)));
        TransformFixture order = TransformFixture.of("RandomOrder", Map.of("transforms", transforms));
        for (int draw = 0; draw < 20; draw++) {
            int width = order.apply(TransformFixture.noise(4, 4, 1)).width();
            assertThat(width).isEqualTo(order.drawn().equals("Pad; CenterCrop") ? 2 : 4);
        }
    }
}
