package io.millrace.diagnosis.planted;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs cases that wait and hardly compute, so that the culprits are the same on a loaded machine. It does not check
 * speeds.
 */
@Tag("measurements")
class SelfTestITCase {
    @TempDir
    Path folder;

    @Test
    void waitingCulpritsAreNamed() throws Exception {
        List<CaseResult> received = new ArrayList<>();

        List<CaseResult> results = new SelfTest()
                .run(
                        folder,
                        List.of("slow-storage", "host-to-device", "straggling-slot", "two-culprits"),
                        received::add);

        assertThat(results)
                .extracting(CaseResult::named)
                .containsExactly(
                        "read (storage)", "transfer (link)", "Delay (straggler)", "read (storage), then Delay (slots)");
        assertThat(results).allSatisfy(result -> {
            assertThat(result.before()).isPositive();
            assertThat(result.predicted()).isGreaterThan(result.before());
        });
        assertThat(received).isEqualTo(results);
    }

    @Test
    void slowStorageOfCheckpointsIsNamed() throws Exception {
        List<CaseResult> results = new SelfTest().run(folder, List.of("slow-checkpoint-storage"), result -> {});

        assertThat(results).extracting(CaseResult::named).containsExactly("Delay (slots), checkpoint (storage)");
    }
}
