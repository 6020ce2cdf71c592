package io.millrace.serve;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.util.HashMap;
import java.util.Map;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/** A client that writes and reads the protocol's bytes by itself, after docs/develop/serving.md. Used by one thread. */
public final class WireClient implements AutoCloseable {
    public static final int HELLO = 1;
    public static final int PLAN = 2;
    public static final int MEMORY = 3;
    public static final int MAPPED = 4;
    public static final int SEEK = 5;
    public static final int BATCH = 6;
    public static final int RETURN = 7;
    public static final int STEP = 8;
    public static final int WAIT = 9;
    public static final int END = 10;
    public static final int ERROR = 11;
    public static final int BYE = 12;
    public static final int REDIRECT = 13;
    public static final int CHALLENGE = 14;
    public static final int PROOF = 15;
    public static final int JOIN = 16;

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int BYTES = 32;

    private final Closeable connection;
    private final ReadableByteChannel in;
    private final WritableByteChannel out;

    /** A message that was received and not yet returned. */
    private @Nullable Received answer;

    /** A message with its payload. */
    public record Received(int type, int flags, int generation, long number, long a, long b, ByteBuffer payload) {
        /** Returns the payload as JSON. */
        public JsonNode json() throws IOException {
            byte[] bytes = new byte[payload.remaining()];
            payload.duplicate().get(bytes);
            return JSON.readTree(bytes);
        }
    }

    private WireClient(Closeable connection, ReadableByteChannel in, WritableByteChannel out) {
        this.connection = connection;
        this.in = in;
        this.out = out;
    }

    /** Connects to {@code unix:/path} or {@code host:port}. */
    public static WireClient connect(String address) throws IOException {
        int colon = address.lastIndexOf(':');
        SocketAddress to = address.startsWith("unix:")
                ? UnixDomainSocketAddress.of(address.substring("unix:".length()))
                : new InetSocketAddress(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
        SocketChannel channel = SocketChannel.open(to);
        return new WireClient(channel, channel, channel);
    }

    /** Connects to {@code host:port} with TLS, and checks that the certificate is one for the host. */
    static WireClient connect(String address, SSLSocketFactory sockets) throws IOException {
        int colon = address.lastIndexOf(':');
        SSLSocket socket = (SSLSocket)
                sockets.createSocket(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        return new WireClient(
                socket, Channels.newChannel(socket.getInputStream()), Channels.newChannel(socket.getOutputStream()));
    }

    /**
     * Sends HELLO, PROOF and JOIN with these values beside the defaults of rank 0 of 1. The value {@code token} is proved, and
     * {@code protocol} goes into HELLO. A server that does not answer HELLO with CHALLENGE is sent nothing more, and
     * its answer is the next message that is received.
     */
    public void join(Map<String, Object> more) throws IOException {
        Map<String, Object> join = new HashMap<>(Map.of("client", "a test", "rank", 0, "world", 1));
        join.putAll(more);
        Object protocol = join.remove("protocol");
        Object token = join.remove("token");
        String nonce = Proof.newNonce();
        sendJson(HELLO, Map.of("protocol", protocol == null ? 3 : protocol, "nonce", nonce));
        answer = receive();
        if (answer == null || answer.type() != CHALLENGE) {
            return;
        }
        JsonNode challenge = answer.json();
        answer = null;
        String serverNonce = challenge.required("nonce").asText();
        Map<String, Object> proof = new HashMap<>();
        proof.put("proof", token == null ? null : Proof.ofClient(token.toString(), nonce, serverNonce));
        sendJson(PROOF, proof);
        sendJson(JOIN, join);
    }

    /** Sends a message with a JSON payload. */
    public void sendJson(int type, Object payload) throws IOException {
        byte[] json = JSON.writeValueAsBytes(payload);
        send(type, 1, 0, 0, 0, json.length, json);
    }

    /** Sends a message without payload. */
    public void send(int type, int generation, long number, long a, long b) throws IOException {
        send(type, 0, generation, number, a, b, new byte[0]);
    }

    /** Sends any message. */
    public void send(int type, int flags, int generation, long number, long a, long b, byte[] payload)
            throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(BYTES + payload.length).order(ByteOrder.LITTLE_ENDIAN);
        buffer.putShort((short) type).putShort((short) flags).putInt(generation);
        buffer.putLong(number).putLong(a).putLong(b).put(payload);
        sendBytes(buffer.array());
    }

    /** Sends any bytes. */
    public void sendBytes(byte[] bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            out.write(buffer);
        }
    }

    /** Sends nothing more; the server can still send. */
    public void shutdownOutput() throws IOException {
        ((SocketChannel) connection).shutdownOutput(); // not over TLS
    }

    /** Returns the next message; null when the server has closed the connection. */
    public @Nullable Received receive() throws IOException {
        if (answer != null) {
            Received early = answer;
            answer = null;
            return early;
        }
        ByteBuffer header = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        try {
            readFully(header);
        } catch (EOFException | SocketException e) { // "Connection reset": the server has not read everything
            return null;
        }
        header.flip();
        int type = header.getShort();
        int flags = header.getShort();
        int generation = header.getInt();
        long number = header.getLong();
        long a = header.getLong();
        long b = header.getLong();
        ByteBuffer payload = ByteBuffer.allocate((flags & 1) == 0 ? 0 : Math.toIntExact(b));
        readFully(payload.order(ByteOrder.LITTLE_ENDIAN));
        return new Received(type, flags, generation, number, a, b, payload.flip());
    }

    /** Returns the next message that is no WAIT. */
    public Received next() throws IOException {
        Received received = receive();
        while (received != null && received.type() == WAIT) {
            received = receive();
        }
        if (received == null) {
            throw new EOFException("the server has closed the connection");
        }
        return received;
    }

    private void readFully(ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            if (in.read(buffer) < 0) {
                throw new EOFException();
            }
        }
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
