package io.millrace.serve;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/** A connection over TLS. The first read or write does the handshake. */
final class TlsLink implements Link {
    /** The size of a piece: that of the largest record of TLS. */
    private static final int PIECE_BYTES = 1 << 14;

    private final SocketChannel channel;
    private final TcpPeer peer;
    private final String name;
    private final InputStream in;
    private final OutputStream out;

    /** One thread at a time reads, and uses this array; another one writes. */
    private final byte[] read = new byte[PIECE_BYTES];

    private final byte[] written = new byte[PIECE_BYTES];

    private TlsLink(SocketChannel channel, TcpPeer peer, String name, SSLSocket socket) throws IOException {
        this.channel = channel;
        this.peer = peer;
        this.name = name;
        this.in = socket.getInputStream();
        this.out = socket.getOutputStream();
    }

    /** Returns the server's side of a connection. */
    static TlsLink over(SocketChannel channel, TcpPeer peer, String name, SSLSocketFactory sockets) throws IOException {
        SSLSocket socket = (SSLSocket) sockets.createSocket(channel.socket(), null, true);
        socket.setUseClientMode(false);
        return new TlsLink(channel, peer, name, socket);
    }

    @Override
    public void readFully(ByteBuffer to) throws IOException {
        while (to.hasRemaining()) {
            int count = in.read(read, 0, Math.min(to.remaining(), read.length));
            if (count < 0) {
                throw new EOFException("the client has closed the connection");
            }
            to.put(read, 0, count);
        }
        peer.heard();
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        int bytes = from.remaining();
        synchronized (written) {
            while (from.hasRemaining()) {
                int count = Math.min(from.remaining(), written.length);
                from.get(written, 0, count);
                out.write(written, 0, count);
            }
            out.flush();
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
    public TcpPeer peer() {
        return peer;
    }

    @Override
    public String describe() {
        return name;
    }

    /** Closes the channel below TLS, because TLS itself would wait for a blocked writer to say goodbye. */
    @Override
    public void close() throws IOException {
        channel.close();
    }
}
