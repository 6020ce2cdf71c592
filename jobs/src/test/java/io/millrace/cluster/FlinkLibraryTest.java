package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlinkLibraryTest {
    @TempDir
    Path folder;

    private Path lib;
    private List<Path> jars;

    @BeforeEach
    void makeJars() throws Exception {
        lib = folder.resolve("lib");
        Path own = Files.createDirectory(folder.resolve("own"));
        jars = new ArrayList<>();
        for (String name : List.of(
                "javacpp-1.5.13.jar", "javacpp-1.5.13-linux-x86_64.jar", "millrace-operators-0.1.0-SNAPSHOT.jar")) {
            jars.add(Files.writeString(own.resolve(name), name));
        }
    }

    private List<String> names() throws Exception {
        try (Stream<Path> files = Files.list(lib)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private void present(String... names) throws Exception {
        Files.createDirectories(lib);
        for (String name : names) {
            Files.writeString(lib.resolve(name), "Flink's");
        }
    }

    @Test
    void aNewFolderGetsTheJarsOnce() throws Exception {
        FlinkLibrary library = new FlinkLibrary(lib);

        assertThat(library.add(jars, "2.3")).isEqualTo(3);
        assertThat(names())
                .containsExactlyElementsOf(jars.stream()
                        .map(jar -> jar.getFileName().toString())
                        .sorted()
                        .toList());
        assertThat(library.add(jars, "2.3")).isZero();
    }

    @Test
    void aJarOfAnotherBuildIsReplaced() throws Exception {
        FlinkLibrary library = new FlinkLibrary(lib);
        library.add(jars, "2.3");
        Files.writeString(jars.get(2), "a newer build");

        assertThat(library.add(jars, "2.3")).isEqualTo(1);
        assertThat(lib.resolve(jars.get(2).getFileName())).hasContent("a newer build");
    }

    @Test
    void theLibFolderOfFlinkKeepsItsOwnJars() throws Exception {
        present("flink-dist-2.3.1.jar", "log4j-api-2.24.3.jar");

        assertThat(new FlinkLibrary(lib).add(jars, "2.3")).isEqualTo(3);
        assertThat(names()).hasSize(5);
        assertThat(lib.resolve("flink-dist-2.3.1.jar")).hasContent("Flink's");
    }

    @Test
    void aFolderThatWasFilledInPartIsFilled() throws Exception {
        present("javacpp-1.5.13.jar", ".javacpp-1.5.13-linux-x86_64.jar.part");

        assertThat(new FlinkLibrary(lib).add(jars, "2.3")).isEqualTo(3);
        assertThat(names()).hasSize(3).noneMatch(name -> name.endsWith(".part"));
    }

    @Test
    void aFolderWithOtherFilesIsNotFilled() throws Exception {
        present("libc.so.6");

        assertThatThrownBy(() -> new FlinkLibrary(lib).add(jars, "2.3"))
                .isInstanceOf(ClusterException.class)
                .hasMessage(lib
                        + " has other files and no flink-dist-*.jar: expected the folder lib of Flink 2.3, or a new or empty"
                        + " folder");
        assertThat(names()).containsExactly("libc.so.6");
    }

    @ParameterizedTest
    @ValueSource(strings = {"flink-dist-2.2.0.jar", "flink-dist-2.30.0.jar", "flink-dist-1.20.jar"})
    void anotherVersionOfFlinkIsRefused(String dist) throws Exception {
        present(dist);

        assertThatThrownBy(() -> new FlinkLibrary(lib).add(jars, "2.3"))
                .hasMessageContaining(" has Flink ")
                .hasMessageEndingWith(", but this Millrace is built for Flink 2.3.x");
        assertThat(names()).containsExactly(dist);
    }

    @Test
    void jarsOfAnEarlierReleaseAreNamedAndNothingIsCopied() throws Exception {
        present("flink-dist-2.3.0.jar", "millrace-operators-0.0.9.jar", "javacpp-1.5.12-linux-x86_64.jar");

        assertThatThrownBy(() -> new FlinkLibrary(lib).add(jars, "2.3"))
                .hasMessageEndingWith("delete javacpp-1.5.12-linux-x86_64.jar, millrace-operators-0.0.9.jar first");
        assertThat(names()).hasSize(3);
    }

    @Test
    void aFileIsNoFolder() throws Exception {
        Files.writeString(lib, "");

        assertThatThrownBy(() -> new FlinkLibrary(lib).add(jars, "2.3")).hasMessage(lib + " is not a folder");
    }
}
