package io.millrace.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GarbageCollectionsTest {
    @Test
    void collectionsAddToTheTime() {
        double before = GarbageCollections.stoppedNanos();
        // A collection of a small heap may take less than the millisecond that the JVM counts.
        for (int i = 0; i < 1_000 && GarbageCollections.stoppedNanos() == before; i++) {
            System.gc();
        }

        assertThat(GarbageCollections.stoppedNanos()).isGreaterThan(before);
    }

    @ParameterizedTest
    @CsvSource({
        "PS Scavenge, true",
        "PS MarkSweep, true",
        "G1 Young Generation, true",
        "G1 Old Generation, true",
        "ZGC Cycles, false",
        "ZGC Pauses, true",
        "Shenandoah Cycles, false",
        "Shenandoah Pauses, true"
    })
    void cyclesDuringWhichThreadsGoOnDoNotCount(String collector, boolean stops) {
        assertThat(GarbageCollections.stops(collector)).isEqualTo(stops);
    }
}
