package io.millrace.serve;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The first message of a client.
 *
 * @param protocol the version of the protocol
 * @param token the token of the run; null over a Unix socket
 * @param client a name of the client for messages
 * @param loader a random text that is the same for all connections of one loader; null if the client has none
 * @param rank the client's rank, 0 to {@code world - 1}
 * @param world the number of ranks that the client expects
 * @param fingerprint the settings of the run that the client's saved state belongs to; null without such a state
 * @param machine the {@link Machine#id} of the client's machine; null if the client does not know it
 * @param transforms {@code client} or null if the client applies the device transforms, {@code server} if the server does
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Hello(
        int protocol,
        @Nullable String token,
        @Nullable String client,
        @Nullable String loader,
        int rank,
        int world,
        @Nullable Map<String, String> fingerprint,
        @Nullable String machine,
        @Nullable String transforms) {
    /** The version of the protocol. */
    static final int PROTOCOL = 1;

    /** The largest number of bytes of a HELLO that are read before the token is known. The token must be among them. */
    static final int MOST_STRANGER_BYTES = 1 << 14;

    /** The side that applies the device transforms. In messages it is written in lower case. */
    public enum Transforms {
        CLIENT,
        SERVER
    }

    /**
     * Returns the side that applies the device transforms.
     *
     * @throws ProtocolException when the client names another side
     */
    public Transforms appliedBy() throws ProtocolException {
        if (transforms == null || transforms.equals("client")) {
            return Transforms.CLIENT;
        }
        if (transforms.equals("server")) {
            return Transforms.SERVER;
        }
        throw new ProtocolException(
                "the client asks for device transforms by '" + transforms + "': expected client or server");
    }

    /**
     * Reads the first message of a connection, no more of it than a stranger may send before the client has shown the token.
     *
     * @param trusted whether the client needs no token
     * @throws Refusal when the client has another token or another version of the protocol
     */
    static Hello read(Link link, ServeSpec spec, boolean trusted) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(Message.BYTES);
        link.readFully(buffer);
        Message message = Message.read(buffer.flip());
        if (message.type() != MessageType.HELLO) {
            throw new ProtocolException("a connection begins with " + message.type() + ": expected HELLO");
        }
        int bytes = Math.toIntExact(message.b());
        ArrivingBytes payload = new ArrivingBytes(link);
        if (!trusted) {
            Greeting.of(payload.upTo(Math.min(bytes, MOST_STRANGER_BYTES))).require(spec);
        }
        Hello hello = Encoding.parse(payload.upTo(bytes), message.type(), Hello.class);
        Greeting greeting = new Greeting(hello.protocol, hello.token);
        if (trusted) {
            greeting.requireVersion();
        } else {
            greeting.require(spec); // a member may occur twice, of which only the last one counts
        }
        return hello;
    }

    /**
     * Requires that the client fits the run.
     *
     * @throws Refusal when it does not
     * @throws ProtocolException when it names a side for the device transforms that does not exist
     */
    void require(ServeSpec spec) throws Refusal, ProtocolException {
        if (world != spec.world() || rank < 0 || rank >= spec.world()) {
            throw new Refusal(
                    Refusal.Code.WORLD,
                    "the client is rank " + rank + " of " + world + ", but the server has " + spec.world()
                            + (spec.world() == 1 ? " rank" : " ranks") + ": start both with the same world");
        }
        appliedBy(); // refuses what is no side
    }
}
