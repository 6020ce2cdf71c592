package io.millrace.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.junit.jupiter.api.Test;

class LibraryBuildTest {
    @Test
    void jarHoldsAChecksum() {
        assertThat(LibraryBuild.current()).matches("[0-9a-f]{64}");
    }

    @Test
    void jobOfTheSameBuildIsAccepted() {
        LibraryBuild.require(LibraryBuild.current());
    }

    @Test
    void jobOfAnotherBuildIsRefusedWithoutRestarts() {
        assertThatThrownBy(() -> LibraryBuild.require("0".repeat(64)))
                .isInstanceOf(SuppressRestartsException.class)
                .cause()
                .isInstanceOf(BuildMismatchException.class)
                .hasMessageContaining("another build of Millrace")
                .hasMessageContaining(
                        "(job 00000000, here " + LibraryBuild.current().substring(0, 8) + ")")
                .hasMessageContaining("millrace-lib");
    }

    @Test
    void buildWithoutAChecksumIsCompatibleWithEveryOther() {
        assertThat(LibraryBuild.read(LibraryBuild.class, "/META-INF/millrace/none"))
                .isEmpty();
        assertThat(LibraryBuild.areCompatible("", LibraryBuild.current())).isTrue();
        assertThat(LibraryBuild.areCompatible("a", "b")).isFalse();
    }
}
