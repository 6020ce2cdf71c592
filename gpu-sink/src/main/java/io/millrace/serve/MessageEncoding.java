package io.millrace.serve;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.stream.Collectors;

/** The bytes of messages and of their JSON payloads. Any thread may call the methods. */
final class MessageEncoding {
    /** A factory that keeps no names of members: those of strangers would fill its table. */
    private static final ObjectMapper JSON = new ObjectMapper(JsonFactory.builder()
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .build());

    /**
     * The largest number of bytes of a message in the heap. Larger ones are outside, where a connection can send them
     * at once.
     */
    private static final int MOST_HEAP_BYTES = 1 << 13;

    private MessageEncoding() {}

    /**
     * Reads the JSON payload that follows a message.
     *
     * @throws ProtocolException when it is not the JSON of this type
     */
    static <T> T read(Link link, Message message, Class<T> type) throws IOException {
        return parse(ArrivingBytes.read(link, Math.toIntExact(message.b())), message.type(), type);
    }

    /**
     * Parses a JSON payload.
     *
     * @throws ProtocolException when it is not the JSON of this type
     */
    static <T> T parse(byte[] payload, MessageType message, Class<T> type) throws IOException {
        try {
            T read = JSON.readValue(payload, type);
            if (read == null) {
                throw new ProtocolException("the payload of " + message + " is null: expected a JSON object");
            }
            return read;
        } catch (JsonMappingException e) { // its message has the names of our classes
            String member = e.getPath().stream()
                    .map(JsonMappingException.Reference::getFieldName)
                    .filter(Objects::nonNull)
                    .collect(Collectors.joining("."));
            throw new ProtocolException("the payload of " + message + " is not the expected JSON object"
                    + (member.isEmpty() ? "" : ": the value of '" + member + "' has another type"));
        } catch (JsonProcessingException e) {
            throw new ProtocolException("the payload of " + message + " cannot be read: " + e.getOriginalMessage());
        }
    }

    /** Returns a message with a JSON payload. */
    static ByteBuffer of(MessageType type, Object payload) throws JsonProcessingException {
        byte[] json = JSON.writeValueAsBytes(payload);
        int bytes = Message.BYTES + json.length;
        // Memory outside the heap is freed late, and strangers could cause much of it.
        ByteBuffer buffer = bytes > MOST_HEAP_BYTES ? ByteBuffer.allocateDirect(bytes) : ByteBuffer.allocate(bytes);
        Message.withPayload(type, json.length).write(buffer);
        return buffer.put(json).flip();
    }

    /** Returns a message without payload. */
    static ByteBuffer of(Message message) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(Message.BYTES);
        message.write(buffer);
        return buffer.flip();
    }
}
