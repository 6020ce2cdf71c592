package io.millrace.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class ReadOptionsTest {
    @Test
    void tinySamplesGetLargeRangesAndPhotosSmallOnes() {
        assertThat(ReadOptions.forDataset(64, 784, 2, Long.MAX_VALUE).rangeSize())
                .isEqualTo(1337);
        assertThat(ReadOptions.forDataset(64, 4, 2, Long.MAX_VALUE).rangeSize()).isEqualTo(2048);
        assertThat(ReadOptions.forDataset(64, 70_000, 2, Long.MAX_VALUE).rangeSize())
                .isEqualTo(14);
        assertThat(ReadOptions.forDataset(64, 50_000_000, 2, Long.MAX_VALUE).rangeSize())
                .isEqualTo(8);
    }

    @Test
    void smallDatasetLeavesEveryReaderManyRanges() {
        assertThat(ReadOptions.forDataset(64, 784, 4, 60_000).rangeSize()).isEqualTo(234);
        assertThat(ReadOptions.forDataset(64, 192, 16, 4096).rangeSize()).isEqualTo(8);
        assertThat(ReadOptions.forDataset(64, 784, 4, 1_000_000).rangeSize()).isEqualTo(1337);
        assertThat(ReadOptions.forDataset(64, 784, 1, 60_000).rangeSize())
                .as("a single reader shares with nobody")
                .isEqualTo(1337);
    }

    @Property
    void windowHasRoomForTheRangesOfAllReadersAndTwoBatches(
            @ForAll @IntRange(min = 1, max = 100_000) int batch,
            @ForAll @LongRange(min = 1, max = 1L << 32) long sampleBytes,
            @ForAll @IntRange(min = 1, max = 1000) int parallelism) {
        ReadOptions options = ReadOptions.forDataset(batch, sampleBytes, parallelism, Long.MAX_VALUE);
        long held = (long) parallelism * (options.readAhead() + 1) * options.rangeSize();

        assertThat((long) options.window() * options.rangeSize()).isGreaterThanOrEqualTo(held + 2L * batch);
    }

    @Test
    void valuesBelowOneAreRefused() {
        assertThatThrownBy(() -> new ReadOptions(0, 1, 1, 1)).hasMessage("the range size must be at least 1, found 0");
        assertThatThrownBy(() -> new ReadOptions(1, -1, 1, 1)).hasMessage("the window must be at least 1, found -1");
        assertThatThrownBy(() -> new ReadOptions(1, 1, 0, 1)).hasMessage("the read-ahead must be at least 1, found 0");
        assertThatThrownBy(() -> new ReadOptions(1, 1, 1, 0))
                .hasMessage("the number of I/O threads must be at least 1, found 0");
    }
}
