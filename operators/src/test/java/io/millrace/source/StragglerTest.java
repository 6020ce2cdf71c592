package io.millrace.source;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests with one slow slot among others. The slow slot may cost only its own share of the speed. */
class StragglerTest {
    private static final int RANGES = 100_000;

    @ParameterizedTest
    @CsvSource({
        "4, 10, 1000",
        "4, 10, 2000000",
        "16, 10, 20000",
        "4, 3, 20000",
        "2, 16, 100000",
        "64, 10, 20000",
        "16, 40, 1000"
    })
    void slowSlotCostsOnlyItsShare(int slots, double slowness, long sampleBytes) {
        ReadOptions options = ReadOptions.forDataset(64, sampleBytes, slots, Long.MAX_VALUE);
        VirtualReaders readers = new VirtualReaders(
                (long) RANGES * options.rangeSize(), options, slots, reader -> reader == 1 ? slowness : 1);
        readers.run(Long.MAX_VALUE);

        double share = slots - 1 + 1 / slowness;
        assertThat(readers.samplesPerSecond()).isGreaterThan(0.95 * share);
        assertThat((double) readers.samples(1) / readers.samples(0)).isLessThan(1.2 / slowness);
        assertThat(readers.widest()).isLessThanOrEqualTo((options.window() + 1L) * options.rangeSize());
    }

    @Test
    void slotThatBecomesFastAgainGetsWholeRangesAgain() {
        ReadOptions options = new ReadOptions(64, 30, 4, 1);
        double[] seconds = {1, 10};
        VirtualReaders readers = new VirtualReaders(64L * RANGES, options, 2, reader -> seconds[reader]);
        readers.run(1000);
        seconds[1] = 1;
        readers.run(1500);
        long slow = readers.samples(1);
        long before = readers.ranges();
        readers.run(2500);

        assertThat(readers.samples(1) - slow).isGreaterThan((readers.ranges() - before) * 64 * 4 / 10);
    }

    @Test
    void slotsOfSimilarSpeedGetMostlyWholeRanges() {
        ReadOptions options = new ReadOptions(64, 60, 4, 1);
        VirtualReaders readers =
                new VirtualReaders(64L * RANGES, options, 8, reader -> 1 + reader % 3 * 0.3).run(Long.MAX_VALUE);

        assertThat(readers.ranges()).isLessThan(RANGES * 3 / 2);
    }
}
