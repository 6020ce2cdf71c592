package io.millrace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The limits that keep classes and packages of the program readable. */
class SourceSizeTest {
    private static final int MOST_LINES = 350;
    private static final int MOST_FILES = 85;

    /** A file in C has what several classes would have: a decoder, for example, and all of its tables. */
    private static final int MOST_LINES_OF_C = 700;

    /** A class with more lines is tested by name, or says where. */
    private static final int MOST_UNTESTED_LINES = 150;

    private static final Pattern TESTED =
            Pattern.compile("Tested by \\{@code (\\w+)}(?:\\s*\\*?\\s*and\\s*\\*?\\s*\\{@code (\\w+)})?\\.");

    private static final List<Path> FILES = new ArrayList<>();
    private static final Set<String> TESTS = new HashSet<>();

    @BeforeAll
    static void findSources() throws IOException {
        for (String sources : ArchitecturePage.SOURCES) {
            try (Stream<Path> all = Files.walk(Path.of("..", sources))) {
                all.filter(file -> file.toString().endsWith(".java")).forEach(FILES::add);
            }
        }
        assertThat(FILES).hasSizeGreaterThan(1_000);
        for (String module : List.of("operators", "gpu-sink", "jobs")) {
            find(Path.of("..", module, "src", "test", "java"), ".java").forEach(test -> TESTS.add(nameOf(test)));
        }
    }

    private static List<Path> find(Path folder, String end) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(file -> file.toString().endsWith(end)).sorted().toList();
        }
    }

    private static String nameOf(Path file) {
        return file.getFileName().toString().replace(".java", "");
    }

    @Test
    void noClassIsLongerThanAFewPages() throws IOException {
        assertThat(longerThan(MOST_LINES, FILES)).isEmpty();
    }

    @Test
    void noFileInCOrPythonIsLongerThanAFewPages() throws IOException {
        Path c = Path.of("..", "operators", "src", "main", "native");
        assertThat(longerThan(MOST_LINES_OF_C, find(c, ".c"))).isEmpty();
        assertThat(longerThan(MOST_LINES, find(Path.of("..", "python", "millrace"), ".py")))
                .isEmpty();
        assertThat(longerThan(MOST_LINES, find(Path.of("..", "operators", "src", "main", "resources"), ".py")))
                .isEmpty();
    }

    private static List<String> longerThan(int most, List<Path> files) throws IOException {
        assertThat(files).isNotEmpty();
        List<String> tooLong = new ArrayList<>();
        for (Path file : files) {
            int lines = Files.readAllLines(file).size();
            if (lines > most) {
                tooLong.add(file + ": " + lines + " lines, expected at most " + most);
            }
        }
        return tooLong;
    }

    @Test
    void everyLongClassIsTestedByNameOrSaysWhere() throws IOException {
        List<String> untested = new ArrayList<>();
        for (Path file : FILES) {
            String name = nameOf(file);
            List<String> lines = Files.readAllLines(file);
            boolean byName = Stream.of("Test", "PropertyTest", "ITCase", "E2E", "Contract")
                    .anyMatch(end -> TESTS.contains(name + end));
            if (lines.size() > MOST_UNTESTED_LINES && !byName) {
                Matcher tested = TESTED.matcher(String.join("\n", lines));
                if (!tested.find()
                        || !TESTS.contains(tested.group(1))
                        || (tested.group(2) != null && !TESTS.contains(tested.group(2)))) {
                    untested.add(file.toString());
                }
            }
        }
        assertThat(untested)
                .as(
                        "long classes without a test of their name, or a sentence 'Tested by {@code ATest}.' with a test that exists")
                .isEmpty();
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
