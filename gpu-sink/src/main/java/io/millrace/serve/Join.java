package io.millrace.serve;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a client asks for when it has shown that it belongs to the run.
 *
 * @param client a name of the client for messages
 * @param loader a random text that is the same for all connections of one loader; null if the client has none
 * @param rank the client's rank, 0 to {@code world - 1}
 * @param world the number of ranks that the client expects
 * @param fingerprint the settings of the run that the client's saved state belongs to; null without such a state
 * @param machine the {@link Machine#id} of the client's machine; null if the client does not know it
 * @param stream {@code training} or null for the batches to train on, {@code evaluation} for those to evaluate with
 * @param transforms {@code client} or null if the client applies the device transforms, {@code server} if the server does
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Join(
        @Nullable String client,
        @Nullable String loader,
        int rank,
        int world,
        @Nullable Map<String, String> fingerprint,
        @Nullable String machine,
        @Nullable String stream,
        @Nullable String transforms) {
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
     * Returns whether the client asks for the batches of the evaluation.
     *
     * @throws ProtocolException when the client names another stream
     */
    boolean asksForEvaluation() throws ProtocolException {
        if (stream == null || stream.equals("training")) {
            return false;
        }
        if (stream.equals("evaluation")) {
            return true;
        }
        throw new ProtocolException("the client asks for the stream '" + stream + "': expected training or evaluation");
    }

    /**
     * Receives a client: each side proves that it knows the token, then the client says what it asks for. Until its proof has
     * arrived, a client may send only short messages.
     *
     * @param trusted whether the client needs no token
     * @throws Refusal when the client has another token, another version of the protocol or another release
     */
    static Join read(Link link, ServeSpec spec, boolean trusted) throws IOException {
        String clientNonce = read(link, MessageType.HELLO, Greeting.class).require();
        String serverNonce = Proof.newNonce();
        Map<String, Object> challenge = Map.of(
                "version",
                Release.own(),
                "nonce",
                serverNonce,
                "proof",
                Proof.ofServer(spec.token(), clientNonce, serverNonce));
        Client.send(link, MessageType.CHALLENGE, challenge);
        Proof proof = read(link, MessageType.PROOF, Proof.class);
        if (!trusted) {
            proof.require(spec, clientNonce, serverNonce);
        }
        return read(link, MessageType.JOIN, Join.class);
    }

    private static <T> T read(Link link, MessageType expected, Class<T> type) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(Message.BYTES);
        link.readFully(buffer);
        Message message = Message.read(buffer.flip());
        if (message.type() != expected) {
            throw new ProtocolException("a client sent " + message.type() + ": expected " + expected);
        }
        return MessageEncoding.read(link, message, type);
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
