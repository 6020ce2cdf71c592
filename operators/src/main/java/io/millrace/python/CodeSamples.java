package io.millrace.python;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.metrics.CodeLine;
import io.millrace.metrics.CodeProfile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** The profile of the user's code over all workers of a stage. Any thread may add to it and read it. */
final class CodeSamples {
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

    /**
     * Adds the samples of a message.
     *
     * @throws MalformedReplyException when the message does not follow the protocol
     */
    synchronized void add(ByteBuffer message) throws MalformedReplyException {
        byte[] json = new byte[message.remaining()];
        message.get(json);
        try {
            profile = profile.plus(List.of(JSON.readValue(json, CodeLine[].class)));
        } catch (IOException e) {
            throw new MalformedReplyException("expected the samples of lines, found: " + e.getMessage());
        }
    }
}
