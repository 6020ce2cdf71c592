package io.millrace.python;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.metrics.CodeLine;
import io.millrace.metrics.CodeProfile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** The profile of the user's code over all workers of a stage. One thread adds to it, and any thread reads it. */
final class CodeSamples {
    /** The first byte of a message with samples, which no other message begins with. */
    private static final byte MARK = (byte) 0xff;

    private static final ObjectMapper JSON = new ObjectMapper();

    private volatile CodeProfile profile;

    /** Creates a profile without samples of what {@code call} names. */
    CodeSamples(String call) {
        profile = CodeProfile.of(call);
    }

    /** Returns the profile until now. */
    CodeProfile profile() {
        return profile;
    }

    /** Returns whether a message contains samples and is no answer. */
    static boolean isIn(ByteBuffer message) {
        return message.hasRemaining() && message.get(message.position()) == MARK;
    }

    /**
     * Adds the samples of a message.
     *
     * @throws MalformedReplyException when the message does not follow the protocol
     */
    void add(ByteBuffer message) throws MalformedReplyException {
        byte[] json = new byte[message.remaining() - 1];
        message.get(message.position() + 1, json);
        try {
            profile = profile.plus(List.of(JSON.readValue(json, CodeLine[].class)));
        } catch (IOException e) {
            throw new MalformedReplyException("expected the samples of lines, found: " + e.getMessage());
        }
    }
}
