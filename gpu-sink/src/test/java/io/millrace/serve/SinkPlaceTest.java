package io.millrace.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SinkPlaceTest {
    private static final Machine HERE = new Machine("gpu-1", "boot-1 net:[1]");
    private static final Machine THERE = new Machine("worker-3", "boot-2 net:[1]");

    private static SinkPlace place(Machine machine, String... addresses) {
        return new SinkPlace(List.of(addresses), machine);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:4711", "localhost:4711", "[::1]:4711"})
    void loopbackIsReachedFromItsOwnMachineAlone(String loopback) {
        SinkPlace place = place(THERE, "unix:/tmp/socket", loopback);
        assertThatCode(() -> place.requireReachable(1, null, Optional.of(THERE)))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> place.requireReachable(1, null, Optional.of(HERE)))
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.codeText()).isEqualTo("unreachable"))
                .hasMessageStartingWith(
                        "the sink of rank 1 listens on the loopback interface of worker-3, which the client"
                                + " cannot reach from gpu-1: ");
        assertThatThrownBy(() -> place.requireReachable(1, null, Optional.empty()))
                .hasMessageContaining("cannot reach from another machine");
        assertThatCode(() -> place.requireReachable(1, THERE.id(), Optional.of(HERE)))
                .as("the client is behind a tunnel, and on the sink's machine")
                .doesNotThrowAnyException();
        assertThatCode(() -> place.requireReachable(1, THERE.id(), Optional.empty()))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> place.requireReachable(1, HERE.id(), Optional.empty()))
                .isInstanceOf(Refusal.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.7:4711", "0.0.0.0:4711", "no-such-host.invalid:4711"})
    void addressOfTheNetworkIsReachedFromEverywhere(String address) {
        SinkPlace place = place(THERE, "unix:/tmp/socket", address);
        assertThatCode(() -> place.requireReachable(0, null, Optional.of(HERE))).doesNotThrowAnyException();
        assertThatCode(() -> place.requireReachable(0, null, Optional.empty())).doesNotThrowAnyException();
    }

    @Test
    void containersThatShareTheSocketReachIt(@TempDir Path folder) throws Exception {
        Path socket = Files.createFile(folder.resolve("socket"));
        SinkPlace place = place(THERE, "unix:" + socket, "127.0.0.1:4711");
        assertThatCode(() -> place.requireReachable(0, null, Optional.of(HERE))).doesNotThrowAnyException();
        assertThatThrownBy(() -> place.requireReachable(0, null, Optional.empty()))
                .isInstanceOf(Refusal.class);
    }

    @Test
    void machineIsTheSameForAllCallsAndHasAName() {
        assertThat(Machine.here()).isEqualTo(Machine.here());
        assertThat(Machine.here().name()).isNotBlank();
        assertThat(Machine.here().id()).isNotBlank();
    }

    @Test
    void connectionOverOwnAddressesIsLocal() throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress("0.0.0.0", 0))) {
            int port = ((InetSocketAddress) server.getLocalAddress()).getPort();
            List<InetAddress> all = NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(Inet4Address.class::isInstance)
                    .toList();
            assertThat(all).isNotEmpty();
            for (InetAddress own : all) {
                try (SocketChannel client = SocketChannel.open(new InetSocketAddress(own, port));
                        SocketChannel accepted = server.accept()) {
                    assertThat(client.isConnected()).isTrue();
                    assertThat(Link.isLocal(accepted)).isTrue();
                }
            }
        }
    }
}
