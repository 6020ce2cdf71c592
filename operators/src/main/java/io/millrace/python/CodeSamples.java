package io.millrace.python;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.metrics.CodeLine;
import io.millrace.metrics.CodeProfile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The profile of the user's code over all workers of a stage. Samples of the stages behind it, whose work the same workers do, wait
 * here until the next sample of the dataset passes them on. Any thread may add to it and read it.
 */
final class CodeSamples {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final TypeReference<Map<Integer, List<CodeLine>>> BY_STAGE = new TypeReference<>() {};

    private static final TypeReference<List<CodeLine>> LINES = new TypeReference<>() {};

    private volatile CodeProfile profile;

    /** The lines of the stages behind this one, by their number from 1, each as a text. */
    private final Map<Integer, String> later = new HashMap<>();

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
            for (Map.Entry<Integer, List<CodeLine>> stage :
                    JSON.readValue(json, BY_STAGE).entrySet()) {
                if (stage.getKey() == 0) {
                    profile = profile.plus(stage.getValue());
                } else {
                    String waiting = later.get(stage.getKey());
                    CodeProfile sum = profile(waiting).plus(stage.getValue());
                    later.put(stage.getKey(), JSON.writeValueAsString(sum.lines()));
                }
            }
        } catch (IOException e) {
            throw new MalformedReplyException("expected the samples of lines, found: " + e.getMessage());
        }
    }

    private static CodeProfile profile(@Nullable String lines) throws IOException {
        CodeProfile none = CodeProfile.of("");
        return lines == null ? none : none.plus(JSON.readValue(lines, LINES));
    }

    /** Returns the samples of a stage behind this one since the last call, for its own {@link #add(String)}; null without any. */
    synchronized @Nullable String takeLater(int stage) {
        return later.remove(stage);
    }

    /** Adds samples that {@link #takeLater} of a stage before this one has returned. */
    synchronized void add(String lines) {
        try {
            profile = profile.plus(JSON.readValue(lines, LINES));
        } catch (IOException e) {
            throw new UncheckedIOException("the samples were written by another version", e);
        }
    }
}
