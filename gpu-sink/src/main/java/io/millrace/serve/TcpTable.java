package io.millrace.serve;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The operating system's tables of TCP connections, which have a line for each side of each connection of the machine. On systems
 * without these tables there are none.
 */
final class TcpTable {
    private static final List<Path> FILES = List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));

    private static final int LOCAL = 1;
    private static final int REMOTE = 2;
    private static final int RETRANSMITS = 6;
    private static final int OWNER = 7;
    private static final int PROBES_OUT = 8;
    private static final int INODE = 9;
    private static final int HEXADECIMAL = 16;

    /** The beginning of an IPv4 address in a table of IPv6 addresses, in the two orders of bytes. */
    private static final List<String> MAPPED = List.of("0000000000000000FFFF0000", "00000000000000000000FFFF");

    private final List<Path> files;

    /** Creates the tables of some files. */
    TcpTable(List<Path> files) {
        this.files = List.copyOf(files);
    }

    /** Returns the tables of the network in which this process is. */
    static TcpTable ofThisProcess() {
        return new TcpTable(FILES);
    }

    /**
     * A connection as the tables name it.
     *
     * @param local the address and port of this side in hexadecimal
     * @param remote the address and port of the other side
     */
    record Connection(String local, String remote) {
        /** Returns the name of a connection. */
        static Connection of(SocketChannel channel) throws IOException {
            return of((InetSocketAddress) channel.getLocalAddress(), (InetSocketAddress) channel.getRemoteAddress());
        }

        /** Returns the name of the connection between two addresses. */
        static Connection of(InetSocketAddress local, InetSocketAddress remote) {
            return new Connection(text(local), text(remote));
        }

        private static String text(InetSocketAddress address) {
            InetAddress host = address.getAddress();
            ByteBuffer words = ByteBuffer.wrap(host.getAddress()).order(ByteOrder.nativeOrder());
            StringBuilder text = new StringBuilder();
            while (words.hasRemaining()) {
                text.append(String.format("%08X", words.getInt()));
            }
            return text.append(String.format(":%04X", address.getPort())).toString();
        }
    }

    /**
     * Returns the number of attempts to reach the other machine of a connection since its last answer; 0 when the tables do not have
     * the connection.
     */
    int unanswered(Connection wanted) throws IOException {
        String[] columns = line(wanted);
        return columns == null
                ? 0
                : Math.max(Integer.parseInt(columns[RETRANSMITS], HEXADECIMAL), Integer.parseInt(columns[PROBES_OUT]));
    }

    /** Returns whether this system has the tables. */
    boolean isReadable() {
        return files.stream().anyMatch(Files::isReadable);
    }

    /**
     * Returns the id of the user whose socket has this side of a connection; empty when the tables do not have it, or when no
     * process has the socket any more. The tables show such a socket as root's.
     */
    OptionalLong owner(Connection wanted) throws IOException {
        String[] columns = line(wanted);
        return columns == null || columns[INODE].equals("0")
                ? OptionalLong.empty()
                : OptionalLong.of(Long.parseLong(columns[OWNER]));
    }

    /** Returns the columns of a connection's line; null if the tables do not have it. */
    private String @Nullable [] line(Connection wanted) throws IOException {
        for (Path file : files) {
            if (!Files.isReadable(file)) { // no IPv6, or another system
                continue;
            }
            try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.US_ASCII)) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    String[] columns = columns(line);
                    if (columns != null
                            && unmapped(columns[LOCAL]).equals(wanted.local)
                            && unmapped(columns[REMOTE]).equals(wanted.remote)) {
                        return columns;
                    }
                }
            }
        }
        return null;
    }

    /** Returns the first columns of a line; null if it has fewer. A loop, because a machine may have 100,000 connections. */
    private static String @Nullable [] columns(String line) {
        String[] columns = new String[INODE + 1];
        int end = 0;
        for (int i = 0; i < columns.length; i++) {
            int start = end;
            while (start < line.length() && line.charAt(start) == ' ') {
                start++;
            }
            end = start;
            while (end < line.length() && line.charAt(end) != ' ') {
                end++;
            }
            if (start == end) {
                return null;
            }
            columns[i] = line.substring(start, end);
        }
        return columns;
    }

    /** Returns an address as Java has it, which shows mapped IPv4 addresses as such. */
    private static String unmapped(String address) {
        for (String prefix : MAPPED) {
            if (address.startsWith(prefix)) {
                return address.substring(prefix.length());
            }
        }
        return address;
    }
}
