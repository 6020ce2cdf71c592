package io.millrace.serve;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;

/**
 * A TCP address at which this process listens already, so that no other program can take the port before an endpoint accepts
 * clients there. Clients that connect meanwhile wait.
 */
public final class BoundAddress implements AutoCloseable {
    private final ListenAddress address;
    private final ServerSocketChannel channel;

    private BoundAddress(ListenAddress address, ServerSocketChannel channel) {
        this.address = address;
        this.channel = channel;
    }

    /**
     * Begins to listen.
     *
     * @throws IOException when that is not possible; the message names the address
     */
    public static BoundAddress bind(ListenAddress address) throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open();
        try {
            channel.bind(new InetSocketAddress(InetAddress.getByName(address.host()), address.port()));
            return new BoundAddress(address, channel);
        } catch (IOException e) {
            channel.close();
            throw new IOException("cannot listen on " + address + ": " + e.getMessage(), e);
        }
    }

    /** Returns the address. Its port is 0 where any port was asked for. */
    ListenAddress address() {
        return address;
    }

    /** Returns the channel, which remains this object's. */
    ServerSocketChannel channel() {
        return channel;
    }

    /** Stops listening; closing again does nothing. */
    @Override
    public void close() throws IOException {
        channel.close();
    }
}
