package io.millrace.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.serve.TcpTable.Connection;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TcpTableTest {
    private static final String HEADER =
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";

    private static final Connection WANTED = new Connection("0100000A:226F", "0700000A:C350");

    @TempDir
    Path folder;

    private TcpTable table(String... lines) throws IOException {
        return new TcpTable(List.of(
                folder.resolve("no-such-table"),
                Files.writeString(folder.resolve("tcp"), HEADER + String.join("\n", lines) + "\n")));
    }

    private static String line(int number, String local, String remote, String retransmits, int probes) {
        return String.format(
                "%4d: %s %s 01 00000000:00000000 01:00000014 %s     0        %d 12345 1 0000000000000000 20 4 30 10 -1",
                number, local, remote, retransmits, probes);
    }

    @Test
    void attemptsAreThoseOfDataOrOfProbes() throws Exception {
        Connection other = new Connection("0100000A:226F", "0800000A:C351");
        TcpTable table = table(
                line(0, WANTED.local(), WANTED.remote(), "0000000A", 0),
                line(1, other.local(), other.remote(), "00000000", 3),
                line(2, "0100000A:226F", "00000000:0000", "00000009", 0),
                "   3: cut off");
        assertThat(table.unanswered(WANTED)).isEqualTo(10);
        assertThat(table.unanswered(other)).isEqualTo(3);
        assertThat(table.unanswered(new Connection(other.remote(), other.local())))
                .as("a connection that the table does not have")
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0000000000000000FFFF0000", "00000000000000000000FFFF"})
    void mappedAddressesAreThoseOfIpv4(String prefix) throws Exception {
        TcpTable table = table(line(100_000, prefix + WANTED.local(), prefix + WANTED.remote(), "00000007", 0));
        assertThat(table.unanswered(WANTED)).isEqualTo(7);
    }

    @Test
    void oneOfManyConnectionsIsFound() throws Exception {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            lines.add(line(i, "0100000A:226F", String.format("%08X:C350", i), "00000000", 0));
        }
        lines.add(line(lines.size(), WANTED.local(), WANTED.remote(), "00000008", 0));
        assertThat(table(lines.toArray(String[]::new)).unanswered(WANTED)).isEqualTo(8);
    }

    @Test
    void theOwnerOfASocketWithoutAProcessIsNotKnown() throws Exception {
        String owned = "   0: %s %s 01 00000000:00000000 00:00000000 00000000  1001        0 %s 1 0 20 4 30 10 -1";
        assertThat(table(String.format(owned, WANTED.local(), WANTED.remote(), "12345"))
                        .owner(WANTED))
                .hasValue(1001);
        assertThat(table(String.format(owned, WANTED.local(), WANTED.remote(), "0"))
                        .owner(WANTED))
                .isEmpty();
        assertThat(table(String.format(owned, WANTED.remote(), WANTED.local(), "12345"))
                        .owner(WANTED))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    @SuppressWarnings("try") // the client is closed before the others
    void aConnectionOfThisProcessBelongsToItsUser(String host) throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(host, 0));
                SocketChannel client = SocketChannel.open(server.getLocalAddress());
                SocketChannel accepted = server.accept()) {
            InetSocketAddress clients = (InetSocketAddress) client.getLocalAddress();
            InetSocketAddress servers = (InetSocketAddress) client.getRemoteAddress();
            assertThat(TcpUsers.of(clients, servers)).isEqualTo(TcpUsers.own()).isPresent();
            assertThat(accepted.isOpen()).isTrue();
            client.close();
            assertThat(TcpUsers.of(clients, servers)).isEmpty();
        }
    }
}
