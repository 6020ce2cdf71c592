package io.millrace.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lifecycle.Handles;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The search for vanished machines, with connections of this machine and tables that the test writes. */
class TcpPeersTest {
    private static final long INTERVAL = TimeUnit.SECONDS.toNanos(5);

    private final Handles handles = new Handles();
    private final TcpPeers peers = new TcpPeers();
    private final Map<TcpTable.Connection, Integer> table = new HashMap<>();
    private ServerSocketChannel server;
    private int readings;
    private long now = System.nanoTime();

    @BeforeEach
    void listen() throws IOException {
        server = handles.add(ServerSocketChannel.open())
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void close() {
        handles.close();
    }

    private SocketChannel connected() throws IOException {
        handles.add(SocketChannel.open(server.getLocalAddress()));
        return handles.add(server.accept());
    }

    private TcpPeer added(SocketChannel channel) throws IOException {
        TcpPeer peer = TcpPeer.of(channel);
        peers.add(peer);
        return peer;
    }

    private Map<TcpTable.Connection, Integer> read(List<TcpTable.Connection> connections) {
        readings++;
        assertThat(connections).doesNotHaveDuplicates();
        return table;
    }

    private void check() {
        peers.closeVanished(now, this::read);
    }

    @Test
    void tablesAreReadOnceForAllSilentClientsAndNotForOthers() throws Exception {
        for (int i = 0; i < 100; i++) {
            added(connected());
        }
        check();
        now = System.nanoTime() + TcpPeers.SILENT_NANOS / 2;
        check();
        assertThat(readings).as("nobody has been silent for long").isZero();
        now = System.nanoTime() + TcpPeers.SILENT_NANOS;
        check();
        assertThat(readings).isEqualTo(1);
    }

    @Test
    void onlyMachinesThatHaveVanishedLoseTheirConnection() throws Exception {
        SocketChannel vanished = connected();
        SocketChannel slow = connected();
        SocketChannel removed = connected();
        table.put(added(vanished).connection(), TcpPeers.MOST_UNANSWERED);
        table.put(added(slow).connection(), TcpPeers.MOST_UNANSWERED - 1);
        TcpPeer gone = added(removed);
        table.put(gone.connection(), TcpPeers.MOST_UNANSWERED);
        peers.remove(gone);
        now = System.nanoTime() + TcpPeers.SILENT_NANOS;
        check();
        assertThat(vanished.isOpen()).isFalse();
        assertThat(slow.isOpen()).isTrue();
        assertThat(removed.isOpen()).isTrue();
    }

    @Test
    void tablesThatTakeLongToReadAreReadLessOften() throws Exception {
        added(connected());
        now = System.nanoTime() + TcpPeers.SILENT_NANOS;
        long before = System.nanoTime();
        peers.closeVanished(now, connections -> {
            readings++;
            long began = System.nanoTime();
            while (System.nanoTime() - began < INTERVAL / TcpPeers.REST) {
                LockSupport.parkNanos(1);
            }
            return table;
        });
        now += INTERVAL - 1;
        check();
        assertThat(readings).isEqualTo(1);
        now += TcpPeers.REST * (System.nanoTime() - before);
        check();
        assertThat(readings).isEqualTo(2);
    }

    @Test
    void tablesThatCannotBeReadAreReadAgain() throws Exception {
        SocketChannel vanished = connected();
        table.put(added(vanished).connection(), TcpPeers.MOST_UNANSWERED);
        now = System.nanoTime() + TcpPeers.SILENT_NANOS;
        peers.closeVanished(now, connections -> {
            throw new NumberFormatException("not a number");
        });
        assertThat(vanished.isOpen()).isTrue();
        now += TimeUnit.HOURS.toNanos(1);
        check();
        assertThat(vanished.isOpen()).isFalse();
    }
}
