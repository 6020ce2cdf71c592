package io.millrace.serve;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChannelLinkTest {
    @TempDir
    private Path folder;

    @Test
    void piecesOfAllSizesArriveInOrderAndThenTheEnd() throws Exception {
        byte[] sent = new byte[1 << 16];
        Random random = new Random(1);
        random.nextBytes(sent);
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("socket"));
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(address);
            try (SocketChannel client = SocketChannel.open(address);
                    ChannelLink link = new ChannelLink(server.accept(), null, "the client")) {
                CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> send(client, sent, new Random(2)));
                byte[] received = new byte[sent.length];
                int done = 0;
                while (done < received.length) {
                    // A message, a payload longer than what is read ahead, or a part of one.
                    int count = Math.min(received.length - done, random.nextInt(10_000));
                    link.readFully(ByteBuffer.wrap(received, done, count));
                    done += count;
                }
                sending.join();

                assertThat(received).isEqualTo(sent);
                client.write(ByteBuffer.wrap("half".getBytes(UTF_8)));
                client.shutdownOutput();
                assertThatThrownBy(() -> link.readFully(ByteBuffer.allocate(Message.BYTES)))
                        .isInstanceOf(EOFException.class)
                        .hasMessage("the client has closed the connection");
            }
        }
    }

    private static void send(SocketChannel to, byte[] bytes, Random random) {
        try {
            for (int done = 0; done < bytes.length; ) {
                done += to.write(ByteBuffer.wrap(bytes, done, Math.min(bytes.length - done, 1 + random.nextInt(300))));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
