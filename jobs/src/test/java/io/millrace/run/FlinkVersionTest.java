package io.millrace.run;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.report.Versions;
import org.junit.jupiter.api.Test;

class FlinkVersionTest {
    private static final String OURS = String.valueOf(Versions.current().get("flink"));

    @Test
    void clusterOfAnotherPatchVersionIsAccepted() {
        String minor = OURS.substring(0, OURS.lastIndexOf('.'));
        assertThatCode(() -> FlinkVersion.requireSame(minor + ".99")).doesNotThrowAnyException();
    }

    @Test
    void clusterOfAnotherMinorVersionIsRefusedWithBothVersions() {
        assertThatThrownBy(() -> FlinkVersion.requireSame("1.20.4"))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("the cluster runs Flink 1.20.4")
                .hasMessageContaining("built for Flink " + OURS.substring(0, OURS.lastIndexOf('.')));
    }
}
