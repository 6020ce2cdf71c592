package io.millrace.serve;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * A connection over a Unix socket, or over TCP without encryption. It reads ahead, because a client that is fast sends several
 * messages before the server reads one, and then needs one call of the system for all of them.
 */
final class ChannelLink implements Link {
    private static final int AHEAD_BYTES = 1 << 12;

    private final SocketChannel channel;
    private final @Nullable TcpPeer peer;
    private final String name;

    /**
     * The bytes that were read ahead; the thread that reads uses it. It is in the heap, because memory outside it is freed late, and
     * anybody can open connections.
     */
    private final ByteBuffer ahead = ByteBuffer.allocate(AHEAD_BYTES).limit(0);

    ChannelLink(SocketChannel channel, @Nullable TcpPeer peer, String name) {
        this.channel = channel;
        this.peer = peer;
        this.name = name;
    }

    @Override
    public void readFully(ByteBuffer to) throws IOException {
        while (to.hasRemaining()) {
            if (!ahead.hasRemaining()) {
                fill();
            }
            int count = Math.min(to.remaining(), ahead.remaining());
            to.put(to.position(), ahead, ahead.position(), count);
            to.position(to.position() + count);
            ahead.position(ahead.position() + count);
        }
    }

    private void fill() throws IOException {
        ahead.clear();
        int count = -1;
        try {
            count = channel.read(ahead);
        } finally {
            ahead.flip();
        }
        if (count < 0) {
            throw new EOFException("the client has closed the connection");
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
    public @Nullable TcpPeer peer() {
        return peer;
    }

    @Override
    public String describe() {
        return name;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
