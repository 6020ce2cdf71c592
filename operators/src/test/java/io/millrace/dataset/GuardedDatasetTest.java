package io.millrace.dataset;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GuardedDatasetTest {
    /** A dataset whose samples are larger than the heap. */
    private static class TooLarge implements Dataset {
        private final String message;

        TooLarge(String message) {
            this.message = message;
        }

        @Override
        public long size() {
            return 9;
        }

        @Override
        public Sample read(long index) {
            throw new OutOfMemoryError(message);
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
    void sampleLargerThanTheHeapIsNamedWithTheRemedy() throws IOException {
        Dataset guarded = GuardedDataset.open("photos", () -> new TooLarge("Java heap space"));
        Dataset.Reading reading = guarded.reading(new SampleRandom(1, 0), 0, 3, i -> i + 5L);
        Dataset undeclared = guarded.undeclared().orElseThrow();
        assertThatThrownBy(() -> guarded.read(7))
                .isInstanceOf(DatasetException.class)
                .hasMessageMatching(
                        "sample 7 of photos cannot be read: the heap of \\d+ MB is too small; .*MILLRACE_JVM_OPTS=-Xmx8g.*");
        assertThatThrownBy(() -> guarded.label(8))
                .hasMessageStartingWith("sample 8 of photos cannot be read: the heap");
        assertThatThrownBy(() -> reading.read(1)).hasMessageStartingWith("sample 6 of photos cannot be read: the heap");
        assertThatThrownBy(() -> undeclared.read(2))
                .hasMessageStartingWith("sample 2 of photos cannot be read: the heap");
    }

    @Test
    void memoryOutsideOfTheHeapIsNoReasonForALargerHeap() throws IOException {
        Dataset guarded = GuardedDataset.open("photos", () -> new TooLarge("no native memory for images"));
        assertThatThrownBy(() -> guarded.read(7))
                .hasMessage(
                        "sample 7 of photos cannot be read: there is not enough memory: no native memory for images");
    }

    @Test
    void failuresWhileOpeningNameTheDatasetOrTheFile() {
        assertThatThrownBy(() -> GuardedDataset.open("photos", () -> {
                    throw new OutOfMemoryError("Java heap space");
                }))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith("dataset photos cannot be opened: the heap of ");
        assertThatThrownBy(() -> GuardedDataset.open("photos", () -> {
                    throw new BadSampleException("a.parquet", 12, "expected a value");
                }))
                .isInstanceOf(DatasetException.class)
                .hasMessage("a.parquet: at offset 12 expected a value");
    }
}
