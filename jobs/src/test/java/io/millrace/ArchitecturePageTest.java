package io.millrace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

class ArchitecturePageTest {
    /** Whether the test writes the page instead of comparing it. */
    private static final boolean WRITE = Boolean.getBoolean("millrace.write");

    @Test
    void pageHasTheTablesThatFollowFromTheRulesAndThePackageInfos() throws IOException {
        String page = Files.readString(ArchitecturePage.PAGE);
        String renewed = ArchitecturePage.withTables(page);
        if (WRITE) {
            Files.writeString(ArchitecturePage.PAGE, renewed);
            return;
        }
        assertThat(page)
                .as("docs/architecture.md is stale; run this test with -Dmillrace.write=true to write its tables")
                .isEqualTo(renewed);
    }
}
