package io.millrace.serve;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The temporary folder of a Unix socket, which only this user can enter. Its name contains the number of the process. */
final class SocketFolder {
    /** The name of the socket in its folder. */
    static final String SOCKET = "socket";

    private static final Pattern NAME = Pattern.compile("millrace-serve-([1-9][0-9]{0,9})-[0-9]+");

    private SocketFolder() {}

    /** Creates a folder in the folder for temporary files. The caller deletes it. */
    static Path create() throws IOException {
        return Files.createTempDirectory(
                "millrace-serve-" + ProcessHandle.current().pid() + "-",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    /**
     * Deletes the folders of servers that were killed. A server calls it at its start. A folder stays if its server's
     * process exists, or if somebody listens at its socket: that may be a process of another container. Folders of other
     * users stay, too.
     *
     * @return the deleted folders
     */
    static List<Path> sweep(Path parent) throws IOException {
        List<Path> deleted = new ArrayList<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent, "millrace-serve-*")) {
            for (Path folder : folders) {
                Matcher name = NAME.matcher(folder.getFileName().toString());
                if (name.matches()
                        && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty()
                        && Files.isWritable(folder)
                        && !isServed(folder.resolve(SOCKET))) {
                    Files.deleteIfExists(folder.resolve(SOCKET));
                    if (Files.deleteIfExists(folder)) {
                        deleted.add(folder);
                    }
                }
            }
        }
        return deleted;
    }

    private static boolean isServed(Path socket) throws IOException {
        if (!Files.exists(socket)) {
            return false;
        }
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            return channel.connect(UnixDomainSocketAddress.of(socket));
        } catch (ConnectException refused) {
            return false;
        }
    }
}
