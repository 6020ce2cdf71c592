package io.millrace.generate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TimedProgressTest {
    @Test
    void aLineIsPrintedEveryThreeSeconds() {
        AtomicLong clock = new AtomicLong();
        List<String> lines = new ArrayList<>();
        ProgressListener progress = new TimedProgress("photos", "images", lines::add, clock::get);
        for (int second = 0; second < 8; second++) {
            progress.progressed(100L * second, 2_000);
            progress.progressed(100L * second + 1, 2_000);
            clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
        }
        assertThat(lines).containsExactly("photos: 300 of 2,000 images", "photos: 600 of 2,000 images");
    }
}
