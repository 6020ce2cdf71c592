package io.millrace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

class ArchitecturePageTest {
    @Test
    void pageHasTheTablesThatFollowFromTheRulesAndThePackageInfos() throws IOException {
        String page = Files.readString(ArchitecturePage.PAGE);
        assertThat(page)
                .as("docs/architecture.md is stale; run ArchitecturePage.main to write its tables")
                .isEqualTo(ArchitecturePage.withTables(page));
    }
}
