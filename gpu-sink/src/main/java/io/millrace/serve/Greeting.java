package io.millrace.serve;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonEOFException;
import java.io.IOException;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/**
 * The part of a HELLO that shows whether the client belongs to the run. It is read first, without objects for the rest.
 *
 * @param protocol the version of the protocol; null if there is none
 * @param token the token; null if there is none
 */
record Greeting(@Nullable Integer protocol, @Nullable String token) {
    /** A factory that keeps no names of members: those of strangers would fill its table. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .build();

    /**
     * Reads the members of a HELLO until both are found.
     *
     * @param json the beginning of the payload, which may end anywhere
     */
    static Greeting of(byte[] json) throws IOException {
        Integer protocol = null;
        String token = null;
        try (JsonParser parser = JSON.createParser(json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new ProtocolException("the payload of HELLO is no JSON object");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME && (protocol == null || token == null)) {
                String name = parser.currentName();
                JsonToken value = parser.nextToken();
                if (name.equals("protocol") && value == JsonToken.VALUE_NUMBER_INT) {
                    protocol = parser.getIntValue();
                } else if (name.equals("token") && value == JsonToken.VALUE_STRING) {
                    token = parser.getText();
                } else {
                    parser.skipChildren();
                }
            }
        } catch (JsonEOFException e) {
            return new Greeting(protocol, token); // what follows has not been read yet
        } catch (JsonProcessingException e) {
            throw new ProtocolException("the payload of HELLO cannot be read: " + e.getOriginalMessage());
        }
        return new Greeting(protocol, token);
    }

    /** Requires the version of the protocol, if the client names one, and the token of the run. */
    void require(ServeSpec spec) throws Refusal {
        requireVersion();
        if (token == null
                || !MessageDigest.isEqual(token.getBytes(UTF_8), spec.token().getBytes(UTF_8))) {
            throw new Refusal(
                    Refusal.Code.TOKEN,
                    "the client has " + (token == null ? "no token" : "a wrong token")
                            + ": expected the one that the server printed the file of");
        }
    }

    /** Requires the version of the protocol, if the client names one. */
    void requireVersion() throws Refusal {
        if (protocol != null && protocol != Hello.PROTOCOL) {
            throw new Refusal(
                    Refusal.Code.PROTOCOL,
                    "the client speaks version " + protocol + " of the protocol, this server version " + Hello.PROTOCOL
                            + ": install the client of this version of Millrace");
        }
    }
}
