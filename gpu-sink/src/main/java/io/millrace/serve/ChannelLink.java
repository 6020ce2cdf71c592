package io.millrace.serve;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** A connection over a Unix socket, or over TCP without encryption. */
record ChannelLink(SocketChannel channel, @Nullable TcpPeer peer, String describe) implements Link {
    @Override
    public void readFully(ByteBuffer to) throws IOException {
        while (to.hasRemaining()) {
            if (channel.read(to) < 0) {
                throw new EOFException("the client has closed the connection");
            }
        }
        if (peer != null) {
            peer.heard();
        }
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        int bytes = from.remaining();
        while (from.hasRemaining()) {
            channel.write(from);
        }
        return bytes;
    }

    @Override
    public void endOutput() throws IOException {
        channel.shutdownOutput();
    }

    @Override
    public boolean isLocal() throws IOException {
        return Link.isLocal(channel);
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
