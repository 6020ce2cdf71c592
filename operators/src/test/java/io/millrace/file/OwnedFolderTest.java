package io.millrace.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnedFolderTest {
    @TempDir
    Path parent;

    /** Creates a folder with content, prints its path, and waits for the end of its input. */
    static final class Owner {
        private Owner() {}

        public static void main(String[] arguments) throws IOException {
            OwnedFolder folder = OwnedFolder.create(Path.of(arguments[0]), "own-");
            Files.createDirectories(folder.path().resolve("deep/deeper"));
            Files.createSymbolicLink(folder.path().resolve("deep/link"), Path.of(arguments[0]));
            System.out.println(folder.path());
            while (System.in.read() >= 0) {
                Thread.onSpinWait();
            }
        }
    }

    private Process owner() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Owner.class.getName(),
                        parent.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static Path printed(Process owner) throws IOException {
        BufferedReader reader = owner.inputReader(StandardCharsets.UTF_8);
        return Path.of(String.valueOf(reader.readLine()));
    }

    @Test
    void folderOfAKilledProcessIsDeletedAndThoseOfLivingOnesStay() throws Exception {
        Path other = Files.createFile(parent.resolve("other.lock"));
        Process killed = owner();
        Process living = owner();
        try (OwnedFolder own = OwnedFolder.create(parent, "own-")) {
            Path left = printed(killed);
            Path used = printed(living);
            assertThat(OwnedFolder.sweep(parent, "own-").deleted()).isEmpty();
            killed.destroyForcibly().waitFor();

            assertThat(OwnedFolder.sweep(parent, "own-").deleted()).containsExactly(left);

            assertThat(left).doesNotExist();
            assertThat(used.resolve("deep/deeper")).isDirectory();
            assertThat(own.path()).isDirectory();
            assertThat(OwnedFolder.sweep(parent, "own-").deleted()).isEmpty();
            living.destroyForcibly().waitFor();
            assertThat(OwnedFolder.sweep(parent, "own-").deleted()).containsExactly(used);
        } finally {
            killed.destroyForcibly();
            living.destroyForcibly();
        }
        assertThat(parent.toFile().listFiles()).containsExactly(other.toFile());
    }

    @Test
    void folderOfAProcessThatIsInterruptedIsDeletedWithTheProcess() throws Exception {
        Process interrupted = owner();
        try {
            assertThat(printed(interrupted)).isDirectory();
        } finally {
            interrupted.destroy(); // SIGTERM; a JVM handles it as Ctrl-C
            interrupted.waitFor();
        }
        assertThat(parent).isEmptyDirectory();
    }

    @Test
    void folderThatWasCreatedAgainAfterItsLockWasDeletedIsDeleted() throws IOException {
        Path python = Files.createDirectory(parent.resolve("millrace-12345678")); // of Python's tempfile
        Path used = Files.createDirectory(parent.resolve("millrace-flink-12"));
        Files.createFile(parent.resolve("millrace-flink-12.lock"));
        Path left = Files.createDirectory(parent.resolve("millrace-serve-77-12"));
        Files.createDirectory(left.resolve("deep"));
        try (OwnedFolder own = OwnedFolder.create(parent, "millrace-flink-")) {
            assertThat(OwnedFolder.sweep(parent, "millrace-").deleted()).containsExactlyInAnyOrder(left, used);
            assertThat(own.path()).isDirectory();
        }
        assertThat(parent.toFile().listFiles()).containsExactly(python.toFile());
    }

    @Test
    void closingDeletesTheFolderWithItsContent() throws IOException {
        OwnedFolder own = OwnedFolder.create(parent, "own-");
        Files.writeString(Files.createDirectories(own.path().resolve("a/b")).resolve("file"), "content");
        own.close();
        own.close();
        assertThat(parent).isEmptyDirectory();
    }
}
