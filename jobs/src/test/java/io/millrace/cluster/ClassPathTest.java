package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The order of class paths for the processes of a cluster. */
class ClassPathTest {
    @TempDir
    private Path folder;

    private Path ours;
    private Path library;
    private Path user;

    @BeforeEach
    void createJars() throws IOException {
        ours = jar("millrace-operators-1.jar");
        library = jar("flink-core.jar");
        user = jar("own/user.jar");
    }

    private Path jar(String name) throws IOException {
        Path file = folder.toRealPath().resolve(name);
        Files.createDirectories(file.getParent());
        return Files.createFile(file);
    }

    @Test
    void userJarIsBehindOurJars() {
        assertThat(ClassPath.ordered(List.of(ours, library, user), user.toString()))
                .containsExactly(library, ours, user);
    }

    @Test
    void jarsOfTheUsersFolderAreBehindOurJars() {
        assertThat(ClassPath.ordered(List.of(ours, library, user), user.getParent() + "/*"))
                .containsExactly(library, ours, user);
    }

    @Test
    void jarOfTheUserWithOurPrefixIsTheUsers() throws IOException {
        Path alike = jar("own/millrace-extra.jar");

        assertThat(ClassPath.ordered(List.of(alike, ours, library), alike.toString()))
                .containsExactly(library, ours, alike);
    }

    @Test
    void relativeEntryOfTheUserIsFound() {
        String relative = Path.of("").toAbsolutePath().relativize(user).toString();

        assertThat(ClassPath.ordered(List.of(ours, user, library), "missing.jar:" + relative))
                .containsExactly(library, ours, user);
    }

    @Test
    void withoutUserEntriesTheLibrariesAreBeforeOurJars() {
        assertThat(ClassPath.ordered(List.of(ours, folder, library, user), ""))
                .containsExactly(library, user, ours, folder);
    }
}
