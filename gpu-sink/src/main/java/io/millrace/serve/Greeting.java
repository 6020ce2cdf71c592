package io.millrace.serve;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.io.IOException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The payload of HELLO, with which anybody may begin a connection.
 *
 * @param protocol the version of the protocol; null if there is none
 * @param version the version of Millrace that the client is part of; null if it says nothing about it
 * @param nonce the client's random number, 32 hexadecimal digits; null if there is none
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Greeting(
        @Nullable Integer protocol,
        @Nullable String version,
        @Nullable String nonce) {
    /** The version of the protocol. */
    public static final int PROTOCOL = 3;

    private static final Pattern NONCE = Pattern.compile("[0-9a-f]{32}");

    /**
     * Returns the client's random number.
     *
     * @throws Refusal when the client has another version of the protocol or is part of another release of Millrace
     * @throws ProtocolException when the client has no number of this form
     */
    String require() throws IOException {
        if (protocol == null || protocol != PROTOCOL) {
            throw new Refusal(
                    Refusal.Code.PROTOCOL,
                    "the client speaks " + (protocol == null ? "no version" : "version " + protocol)
                            + " of the protocol, this server version " + PROTOCOL
                            + ": install the client of this version of Millrace");
        }
        Release.requireSame(version);
        if (nonce == null || !NONCE.matcher(nonce).matches()) {
            throw new ProtocolException("the nonce of HELLO is " + (nonce == null ? "missing" : "of another form")
                    + ": expected 32 hexadecimal digits in lower case");
        }
        return nonce;
    }
}
