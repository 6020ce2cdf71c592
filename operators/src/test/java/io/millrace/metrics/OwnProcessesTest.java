package io.millrace.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class OwnProcessesTest {
    private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    @Test
    @Timeout(60)
    void cpuTimeOfAProcessCountsAlsoAfterItsEnd() throws Exception {
        Process process = new ProcessBuilder("sh", "-c", "while :; do :; done").start();
        long before = OwnProcesses.cpuNanos();
        try {
            OwnProcesses.add(process.toHandle());
            while (OwnProcesses.cpuNanos() < before + BUSY_NANOS) {
                Thread.onSpinWait();
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
        long after = OwnProcesses.cpuNanos();
        assertThat(after).isGreaterThanOrEqualTo(before + BUSY_NANOS);
        assertThat(OwnProcesses.cpuNanos()).as("an ended process uses no more").isEqualTo(after);
    }
}
