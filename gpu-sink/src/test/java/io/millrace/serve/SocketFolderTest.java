package io.millrace.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SocketFolderTest {
    @TempDir
    Path parent;

    @Test
    void sweepDeletesTheFoldersOfServersThatWereKilled() throws Exception {
        Process ended = new ProcessBuilder("true").start();
        ended.waitFor();
        Path empty = Files.createDirectory(parent.resolve("millrace-serve-" + ended.pid() + "-1"));
        Path dead = Files.createDirectory(parent.resolve("millrace-serve-" + ended.pid() + "-2"));
        Path socket = dead.resolve(SocketFolder.SOCKET);
        try (ServerSocketChannel killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            killed.bind(UnixDomainSocketAddress.of(socket));
        }
        Path running = Files.createDirectory(
                parent.resolve("millrace-serve-" + ProcessHandle.current().pid() + "-3"));
        Path other = Files.createDirectory(parent.resolve("millrace-serve-4"));
        Path served = Files.createDirectory(parent.resolve("millrace-serve-" + ended.pid() + "-5"));

        assertThat(socket).exists();
        try (ServerSocketChannel elsewhere = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            elsewhere.bind(UnixDomainSocketAddress.of(served.resolve(SocketFolder.SOCKET)));
            assertThat(SocketFolder.sweep(parent)).containsExactlyInAnyOrder(empty, dead);
        }
        assertThat(parent.toFile().listFiles())
                .containsExactlyInAnyOrder(running.toFile(), other.toFile(), served.toFile());
    }

    @Test
    void foldersOfThisProcessCanBeEnteredByThisUserAloneAndStay() throws Exception {
        Path folder = SocketFolder.create();
        try {
            assertThat(Files.getPosixFilePermissions(folder)).hasSize(3).allMatch(p -> p.name()
                    .startsWith("OWNER_"));
            assertThat(SocketFolder.sweep(Path.of(System.getProperty("java.io.tmpdir"))))
                    .doesNotContain(folder);
            assertThat(folder).exists();
        } finally {
            Files.delete(folder);
        }
    }
}
