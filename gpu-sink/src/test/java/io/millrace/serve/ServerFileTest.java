package io.millrace.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.device.JavaProgram;
import io.millrace.file.Swept;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.List;
import org.apache.arrow.memory.util.MemoryUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerFileTest {
    @TempDir
    Path folder;

    @Test
    void clientMapsTheFileAndSeesWhatTheServerWrites() throws IOException {
        ServerFile memory = ServerFile.create(folder, 3, 8192);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(memory.path())))
                .isEqualTo("rw-------");
        assertThat(Files.size(memory.path())).isEqualTo(3 * 8192);
        assertThat(Mappings.of(folder.toString())).isEqualTo(3);
        try (FileChannel client = FileChannel.open(memory.path(), StandardOpenOption.READ)) {
            ByteBuffer read = ByteBuffer.allocate(16);
            client.read(read, 0);
            assertThat(HexFormat.of().formatHex(read.array())).isEqualTo(memory.nonce());

            memory.delete();
            memory.delete();
            assertThat(folder).isEmptyDirectory();
            MemoryUtil.putLong(memory.address(2) + 8184, Long.reverseBytes(77));
            client.read(read.clear(), 3 * 8192 - 16);
            assertThat(read.getLong(8)).isEqualTo(77);
        }
        memory.close();
        assertThat(Mappings.of(folder.toString())).isZero();
    }

    @Test
    void closingDeletesAFileThatNoClientHasMapped() throws IOException {
        ServerFile.create(folder, 2, 4096).close();
        assertThat(folder).isEmptyDirectory();
        assertThat(Mappings.of(folder.toString())).isZero();
    }

    @Test
    void folderWithoutRoomIsRefused() {
        assertThatThrownBy(() -> ServerFile.create(folder, 1 << 30, BufferLayout.MOST_BUFFER_BYTES))
                .isInstanceOf(MemoryRefusedException.class)
                .hasMessage(folder + " has no room for 1073741824 buffers of 2147479552 bytes: expected "
                        + (2147479552L << 30) + " bytes and one eighth more, also of the machine's memory");
        assertThatThrownBy(() -> ServerFile.create(folder.resolve("none"), 2, 4096))
                .isInstanceOf(MemoryRefusedException.class)
                .hasMessageContaining("has no room");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void buffersThatAreNoPagesAreRefused() {
        assertThatThrownBy(() -> ServerFile.create(folder, 2, 4095))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("2 buffers of 4095 bytes: expected at least 1 buffer, and a multiple of 4096 bytes, at most"
                        + " 2147479552");
    }

    @Test
    void sweepDeletesTheFilesOfServersThatHaveEnded() throws Exception {
        Process ended = new ProcessBuilder("true").start();
        ended.waitFor();
        String token = "0123456789abcdef0123456789abcdef";
        Path left = Files.createFile(folder.resolve("millrace-serve-" + ended.pid() + "-" + token));
        Path running = Files.createFile(
                folder.resolve("millrace-serve-" + ProcessHandle.current().pid() + "-" + token));
        Path other = Files.createFile(folder.resolve("millrace-serve-x"));
        Path gradients = Files.createFile(folder.resolve("millrace-" + token));

        assertThat(ServerFile.sweep(folder).deleted()).containsExactly(left);
        assertThat(folder.toFile().listFiles())
                .containsExactlyInAnyOrder(running.toFile(), other.toFile(), gradients.toFile());
        assertThat(ServerFile.sweep(folder.resolve("none")).deleted()).isEmpty();
    }

    @Test
    void sweepKeepsFilesOfOtherUsersAndLinks() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root can create files of another user");
        Process ended = new ProcessBuilder("true").start();
        ended.waitFor();
        String name = "millrace-serve-" + ended.pid() + "-0123456789abcdef0123456789abcde";
        Path foreign = Files.createFile(folder.resolve(name + "1"));
        Files.setAttribute(foreign, "unix:uid", 65534);
        Path link = Files.createSymbolicLink(folder.resolve(name + "2"), Path.of("/dev/null"));

        assertThat(ServerFile.sweep(folder)).isEqualTo(new Swept(List.of(), List.of()));
        assertThat(folder.toFile().listFiles()).containsExactlyInAnyOrder(foreign.toFile(), link.toFile());
    }

    /** The JVM of this test would end with the server, so the server has one of its own. */
    @ParameterizedTest
    @ValueSource(strings = {"-Xint", "-XX:TieredStopAtLevel=1", "-Xbatch"})
    void fileThatIsMadeShorterFailsTheClientAndNotTheServer(String option) throws Exception {
        Process server = new ProcessBuilder(JavaProgram.command(List.of(option), LostMemory.class, folder.toString()))
                .redirectErrorStream(true)
                .start();
        String output = new String(server.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(server.waitFor()).as(output).isZero();
        assertThat(output)
                .contains(" was made shorter while it was used: expected ")
                .doesNotContain("whole");
        assertThat(folder).isEmptyDirectory();
    }
}
