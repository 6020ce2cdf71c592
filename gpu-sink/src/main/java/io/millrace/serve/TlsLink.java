package io.millrace.serve;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLSocket;

/** A connection over TLS. */
final class TlsLink implements Link {
    private static final int PIECE_BYTES = 1 << 16;

    private final SSLSocket socket;
    private final InputStream in;
    private final OutputStream out;
    private final byte[] piece = new byte[PIECE_BYTES];

    TlsLink(SSLSocket socket) throws IOException {
        this.socket = socket;
        this.in = socket.getInputStream();
        this.out = socket.getOutputStream();
    }

    @Override
    public void readFully(ByteBuffer to) throws IOException {
        byte[] bytes = new byte[to.remaining()];
        if (in.readNBytes(bytes, 0, bytes.length) < bytes.length) {
            throw new EOFException("the client has closed the connection");
        }
        to.put(bytes);
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        int bytes = from.remaining();
        while (from.hasRemaining()) {
            int count = Math.min(from.remaining(), piece.length);
            from.get(piece, 0, count);
            out.write(piece, 0, count);
        }
        out.flush();
        return bytes;
    }

    @Override
    public void endOutput() throws IOException {
        socket.shutdownOutput();
    }

    @Override
    public boolean isOpen() {
        return !socket.isClosed();
    }

    @Override
    public String describe() {
        return String.valueOf(socket.getRemoteSocketAddress());
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
