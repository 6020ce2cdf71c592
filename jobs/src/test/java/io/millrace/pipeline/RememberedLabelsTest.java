package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.dataset.Dataset;
import io.millrace.sample.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RememberedLabelsTest {
    /** A dataset whose samples have the label 10 times their index, and that notes which samples it makes. */
    private record Made(List<Long> read, boolean namesUndeclared) implements Dataset {
        @Override
        public long size() {
            return 5;
        }

        @Override
        public Sample read(long index) {
            read.add(index);
            return new Sample(index, "made", 10 * index);
        }

        @Override
        public Optional<Dataset> undeclared() {
            return Optional.of(this);
        }

        @Override
        public List<String> classes() {
            return List.of();
        }

        @Override
        public void close() {}
    }

    @Test
    void aSampleIsMadeOnceForItsFieldsAndItsLabel() throws Exception {
        Made made = new Made(new ArrayList<>(), true);
        try (Dataset dataset = RememberedLabels.of(made)) {
            dataset.undeclared().orElseThrow().read(3);
            dataset.read(1);
            assertThat(dataset.label(3)).isEqualTo(30);
            assertThat(dataset.label(1)).isEqualTo(10);
            assertThat(made.read()).containsExactly(3L, 1L);
            assertThat(dataset.label(4)).isEqualTo(40);
            assertThat(made.read()).containsExactly(3L, 1L, 4L);
        }
    }

    @Test
    void aFormatThatStoresLabelsIsLeftAsItIs() {
        Made made = new Made(new ArrayList<>(), false);
        assertThat(RememberedLabels.of(made)).isSameAs(made);
    }
}
