package io.millrace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The limits that keep classes and packages of the program readable. */
class SourceSizeTest {
    private static final int MOST_LINES = 350;
    private static final int MOST_FILES = 85;

    private static final List<Path> FILES = new ArrayList<>();

    @BeforeAll
    static void findSources() throws IOException {
        for (String sources : ArchitecturePage.SOURCES) {
            try (Stream<Path> all = Files.walk(Path.of("..", sources))) {
                all.filter(file -> file.toString().endsWith(".java")).forEach(FILES::add);
            }
        }
        assertThat(FILES).hasSizeGreaterThan(1_000);
    }

    @Test
    void noClassIsLongerThanAFewPages() throws IOException {
        List<String> tooLong = new ArrayList<>();
        for (Path file : FILES) {
            int lines = Files.readAllLines(file).size();
            if (lines > MOST_LINES) {
                tooLong.add(file + ": " + lines + " lines");
            }
        }
        assertThat(tooLong).as("classes of more than %d lines", MOST_LINES).isEmpty();
    }

    @Test
    void everyPackageIsSmallAndDescribed() {
        Map<Path, List<Path>> packages = FILES.stream().collect(Collectors.groupingBy(Path::getParent));
        assertThat(packages).allSatisfy((folder, files) -> {
            assertThat(files).as("files of %s", folder).hasSizeLessThanOrEqualTo(MOST_FILES);
            assertThat(files).as("files of %s", folder).contains(folder.resolve("package-info.java"));
        });
    }
}
