package io.millrace.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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

    @TempDir
    Path threads;

    private void thread(String id, String name, long cpuNanos) throws IOException {
        Path folder = Files.createDirectories(threads.resolve(id));
        Files.writeString(folder.resolve("comm"), name + "\n");
        Files.writeString(folder.resolve("schedstat"), cpuNanos + " 12345 67\n");
    }

    /** On a busy machine the collector waits for cores that other programs have. */
    @Test
    void aStopCountsForAsLongAsTheCollectorComputed() throws IOException {
        thread("1", "main", 900);
        thread("2", "GC Thread#0", 10);
        thread("3", "VM Thread", 5);
        GarbageCollections collections = new GarbageCollections(threads);
        assertThat(collections.plus(10)).isEqualTo(10);

        thread("2", "GC Thread#0", 30);
        thread("4", "GC Thread#1", 15);
        assertThat(collections.plus(1_010)).as("35 ns in a stop of 1,000").isEqualTo(45);
        thread("2", "GC Thread#0", 100);
        assertThat(collections.plus(1_050))
                .as("70 ns on several cores in a stop of 40")
                .isEqualTo(85);
    }

    @Test
    void withoutTheCollectorsCpuTimeAStopCountsAsAWhole() throws IOException {
        GarbageCollections elsewhere = new GarbageCollections(threads.resolve("none"));
        assertThat(elsewhere.plus(10)).isEqualTo(10);
        thread("2", "GC Thread#0", 0);
        GarbageCollections uncounted = new GarbageCollections(threads);
        assertThat(uncounted.plus(10)).isEqualTo(10);
        assertThat(uncounted.plus(30)).isEqualTo(30);
    }

    @Test
    void theCollectorsOfThisProcessAreFound() throws IOException {
        assumeTrue(Files.isDirectory(Path.of("/proc/self/task")));
        System.gc();
        GarbageCollections collections = new GarbageCollections(Path.of("/proc/self/task"));
        double counted = collections.plus(TimeUnit.DAYS.toNanos(1));
        assertThat(counted).as("CPU time, not the day").isPositive().isLessThan(8.64e13);
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
