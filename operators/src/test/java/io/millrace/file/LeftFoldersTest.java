package io.millrace.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeftFoldersTest {
    @TempDir
    Path parent;

    @TempDir
    Path elsewhere;

    /** Deletes the folders in a folder, and prints what was deleted and what was kept. */
    static final class Sweeper {
        private Sweeper() {}

        public static void main(String[] arguments) {
            System.out.println(OwnedFolder.sweep(Path.of(arguments[0]), "millrace-"));
        }
    }

    @AfterEach
    void letJUnitDeleteTheFolder() throws IOException {
        Path closed = parent.resolve("millrace-flink-9/closed");
        if (Files.exists(closed)) {
            Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
        }
    }

    private static final String FOREIGN = """
            umask 0
            for i in 1 2 3 4; do : > millrace-flink-$i.lock; done
            mkdir millrace-flink-1 millrace-flink-5
            echo mine > millrace-flink-1/file
            ln -s %s millrace-flink-2
            mkfifo millrace-serve-7-6.lock
            """;

    @Test
    void locksFoldersAndLinksOfAnotherUserStayAndNothingBehindTheLinksIsTouched() throws Exception {
        OtherUser.assumeAvailable();
        OtherUser.share(parent);
        Path precious = Files.writeString(elsewhere.resolve("file"), "precious");
        OtherUser.run(parent, FOREIGN.formatted(elsewhere));
        Path own = Files.createDirectory(parent.resolve("millrace-flink-3")); // beside a lock of the other user

        Swept swept = OwnedFolder.sweep(parent, "millrace-");

        assertThat(swept.deleted()).containsExactly(own);
        assertThat(swept.kept()).isEmpty();
        assertThat(precious).hasContent("precious");
        assertThat(parent.resolve("millrace-flink-1/file")).exists();
        assertThat(parent.toFile().list()).hasSize(8);
    }

    @Test
    void folderOfRootWithALockThatAllMayWriteStaysWhenAnotherUserSweeps() throws Exception {
        OtherUser.assumeAvailable();
        OtherUser.share(parent);
        Path lock = Files.createFile(parent.resolve("millrace-flink-1.lock"));
        Files.setPosixFilePermissions(lock, PosixFilePermissions.fromString("rw-rw-rw-"));
        Path folder = Files.createDirectory(parent.resolve("millrace-flink-1"));
        Path unlocked = Files.createDirectory(parent.resolve("millrace-serve-1-2"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.setPosixFilePermissions(unlocked, PosixFilePermissions.fromString("rwxrwxrwx"));
        OtherUser.run(parent, "mkdir millrace-flink-8; : > millrace-flink-8.lock");

        String printed = OtherUser.java(Sweeper.class, parent.toString());

        assertThat(printed.strip())
                .isEqualTo(new Swept(List.of(parent.resolve("millrace-flink-8")), List.of()).toString());
        assertThat(parent.toFile().listFiles())
                .containsExactlyInAnyOrder(lock.toFile(), folder.toFile(), unlocked.toFile());
    }

    @Test
    void linkInPlaceOfAFolderAndLinksInAFolderAreNotFollowed() throws IOException {
        Path precious = Files.writeString(elsewhere.resolve("file"), "precious");
        Files.createFile(parent.resolve("millrace-flink-1.lock"));
        Path link = Files.createSymbolicLink(parent.resolve("millrace-flink-1"), elsewhere);
        Path linkedLock = Files.createSymbolicLink(parent.resolve("millrace-flink-2.lock"), precious);
        Path left = Files.createDirectory(parent.resolve("millrace-flink-3"));
        Files.createFile(parent.resolve("millrace-flink-3.lock"));
        Files.createSymbolicLink(left.resolve("deep"), elsewhere);

        assertThat(OwnedFolder.sweep(parent, "millrace-")).isEqualTo(new Swept(List.of(left), List.of()));

        assertThat(precious).hasContent("precious");
        assertThat(parent.toFile().listFiles()).containsExactlyInAnyOrder(link.toFile(), linkedLock.toFile());
    }

    @Test
    void folderThatCannotBeDeletedIsReportedAndTheOthersAreDeleted() throws Exception {
        Path stubborn = Files.createDirectory(parent.resolve("millrace-flink-9"));
        Path closed = Files.createDirectory(stubborn.resolve("closed"));
        Files.createFile(closed.resolve("file"));
        Files.setPosixFilePermissions(closed, Set.of());
        if (System.getProperty("user.name").equals("root")) { // whom permissions do not stop
            Files.setAttribute(closed, "unix:uid", 65534);
        }
        Path left = Files.createDirectory(parent.resolve("millrace-flink-10"));

        Swept swept = OwnedFolder.sweep(parent, "millrace-");

        assertThat(swept.deleted()).containsExactly(left);
        assertThat(swept.kept())
                .singleElement()
                .asString()
                .startsWith(stubborn + " of a process that has ended cannot");
    }

    @Test
    void parentThatIsMissingIsReported() {
        Path missing = parent.resolve("missing");
        assertThat(OwnedFolder.sweep(missing, "millrace-").kept())
                .singleElement()
                .asString()
                .startsWith("the folder " + missing + " cannot be searched");
    }

    @Test
    void lockOfAnotherProgramStaysWithTheFolderBesideIt() throws IOException {
        Path lock = Files.createFile(parent.resolve("millrace-notes.lock"));
        Path folder = Files.createDirectory(parent.resolve("millrace-notes"));

        assertThat(OwnedFolder.sweep(parent, "millrace-").deleted()).isEmpty();

        assertThat(parent.toFile().listFiles()).containsExactlyInAnyOrder(lock.toFile(), folder.toFile());
    }

    /** The program prints its folder and waits. It runs the file of the Python client alone, which needs no numpy. */
    private static final String CLIENT = """
            import runpy, sys
            folder = runpy.run_path("../python/millrace/_folder.py")["OwnedFolder"]()
            print(folder.path, flush=True)
            sys.stdin.read()
            """;

    @Test
    void folderOfAPythonClientIsDeletedWhenItsProcessIsGone() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/python3")), "there is no /usr/bin/python3");
        ProcessBuilder builder = new ProcessBuilder("/usr/bin/python3", "-c", CLIENT);
        builder.environment().put("TMPDIR", parent.toString());
        Process client = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try {
            Path folder = Path.of(String.valueOf(client.inputReader().readLine()));
            assertThat(folder).isDirectory();
            assertThat(OwnedFolder.sweep(parent, "millrace-").deleted()).isEmpty();
            client.destroyForcibly().waitFor();

            assertThat(OwnedFolder.sweep(parent, "millrace-").deleted()).containsExactly(folder);
            assertThat(parent).isEmptyDirectory();
        } finally {
            client.destroyForcibly();
        }
    }
}
