package io.millrace.serve;

import io.millrace.lifecycle.Handles;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The folder of a Unix socket, which only its user can enter. Its name begins with the number of the process. */
final class SocketFolder {
    private static final Logger LOG = LoggerFactory.getLogger(SocketFolder.class);
    private static final String PREFIX = "millrace-socket-";
    private static final Pattern NAME = Pattern.compile(PREFIX + "([1-9][0-9]{0,9})-[0-9]+");
    private static final String SOCKET = "socket";

    private SocketFolder() {}

    /**
     * Creates a folder, and deletes those of processes that were killed.
     *
     * @param handles receives the deletion of the folder and of the socket
     * @return the path for the socket, where nothing is yet
     */
    static Path create(Handles handles) throws IOException {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        Path folder = Files.createTempDirectory(
                temporary,
                PREFIX + ProcessHandle.current().pid() + "-",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        handles.add(() -> Files.deleteIfExists(folder));
        Path socket = folder.resolve(SOCKET);
        handles.add(() -> Files.deleteIfExists(socket));
        sweep(temporary);
        return socket;
    }

    private static void sweep(Path temporary) throws IOException {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(temporary, PREFIX + "*")) {
            for (Path folder : folders) {
                Matcher name = NAME.matcher(folder.getFileName().toString());
                if (name.matches()
                        && Files.isReadable(folder)
                        && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty()
                        && !answers(folder.resolve(SOCKET))) {
                    delete(folder);
                }
            }
        }
    }

    /** Returns whether a process listens. It may have its number in another container. */
    private static boolean answers(Path socket) {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            return channel.isConnected();
        } catch (IOException e) {
            LOG.debug("no process listens on {}", socket, e);
            return false;
        }
    }

    /** Deletes a folder, which another process may be deleting too. */
    private static void delete(Path folder) {
        try {
            Files.deleteIfExists(folder.resolve(SOCKET));
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            LOG.info("the folder {} of a process that was killed cannot be deleted", folder, e);
        }
    }
}
