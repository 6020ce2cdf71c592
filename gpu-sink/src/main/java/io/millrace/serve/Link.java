package io.millrace.serve;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a client, as a stream of bytes in both directions. One thread may read while another writes. Any thread
 * may close it, which ends both.
 */
interface Link extends WritableByteChannel {
    /**
     * Reads bytes until the buffer is full.
     *
     * @throws EOFException when the client has closed the connection
     */
    void readFully(ByteBuffer to) throws IOException;

    /** Writes all bytes of the buffer. */
    @Override
    int write(ByteBuffer from) throws IOException;

    /** Ends the output in order: the client reads all that was written, and then the end. */
    void endOutput() throws IOException;

    /** Returns whether the client is on this machine. */
    boolean isLocal() throws IOException;

    /** Returns whether the other side of a connection is on this machine. */
    static boolean isLocal(SocketChannel channel) throws IOException {
        if (!(channel.getRemoteAddress() instanceof InetSocketAddress client)
                || !(channel.getLocalAddress() instanceof InetSocketAddress server)) {
            return true; // a Unix socket
        }
        return client.getAddress().isLoopbackAddress() || client.getAddress().equals(server.getAddress());
    }

    /** Returns the other side of a TCP connection; null for a Unix socket, which the operating system closes with its process. */
    @Nullable
    TcpPeer peer();

    /** Returns the client's address for messages. */
    String describe();

    @Override
    void close() throws IOException;
}
