package io.millrace.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class VersionsTest {
    @Test
    void runHasThePyTorchThatTheTrainerLoaded() {
        assertThat(Versions.ofRun(RunReports.GPU))
                .containsEntry("pytorch", "2.11.0")
                .containsEntry("flink", Versions.current().get("flink"))
                .containsOnlyKeys(Versions.current().keySet());
    }

    @Test
    void runWithoutReportHasAPyTorchOfUnknownVersion() {
        assertThat(Versions.ofRun(null)).containsEntry("pytorch", null);
    }
}
