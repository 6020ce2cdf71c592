package io.millrace.serve;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/** The users of this machine to whom TCP connections belong, where the operating system shows them. */
public final class TcpUsers {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String USERS = "Uid:";

    /** The user of this process as files and sockets have it, in the line that begins with {@link #USERS}. */
    private static final int FILE_USER = 4;

    /** The system does not show its tables at one instant: a line may be missing while other connections come and go. */
    private static final int READINGS = 3;

    private TcpUsers() {}

    /**
     * Returns the id of the user whose process has a side of a connection; empty when the system does not show it, the side is on
     * another machine, or its process has closed it.
     *
     * @param local the address of that side
     * @param remote the address of the other side
     */
    public static OptionalLong of(InetSocketAddress local, InetSocketAddress remote) throws IOException {
        TcpTable.Connection wanted = TcpTable.Connection.of(local, remote);
        OptionalLong owner = OptionalLong.empty();
        for (int i = 0; i < READINGS && owner.isEmpty(); i++) {
            owner = TcpTable.ofThisProcess().owner(wanted);
        }
        return owner;
    }

    /** Returns the id of the user of this process; empty when the system does not show it. */
    public static OptionalLong own() throws IOException {
        if (!Files.isReadable(STATUS)) {
            return OptionalLong.empty();
        }
        for (String line : Files.readAllLines(STATUS)) {
            if (line.startsWith(USERS)) {
                return OptionalLong.of(Long.parseLong(line.split("\\s+", -1)[FILE_USER]));
            }
        }
        return OptionalLong.empty();
    }

    /** Returns whether the system shows the users of connections. */
    public static boolean areShown() throws IOException {
        return own().isPresent() && TcpTable.ofThisProcess().isReadable();
    }
}
