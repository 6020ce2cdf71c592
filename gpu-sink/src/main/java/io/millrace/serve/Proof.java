package io.millrace.serve;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The payload of PROOF, and the numbers with which server and client prove to each other that they know the token of a run, without
 * sending it: HMAC-SHA256 (RFC 2104) of both sides' random numbers, with the token as the key. Each side proves something else, so
 * that nobody can answer with what the other side has sent.
 *
 * @param proof the client's number, 64 hexadecimal digits; null if the client has no token
 */
@JsonIgnoreProperties(ignoreUnknown = true)
record Proof(@Nullable String proof) {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int NONCE_BYTES = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** Returns a random number for one connection, 32 hexadecimal digits. */
    static String newNonce() {
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        return HexFormat.of().formatHex(nonce);
    }

    /** Returns the server's number. */
    static String ofServer(String token, String clientNonce, String serverNonce) {
        return of("server", token, clientNonce, serverNonce);
    }

    /** Returns the client's number. */
    static String ofClient(String token, String clientNonce, String serverNonce) {
        return of("client", token, clientNonce, serverNonce);
    }

    private static String of(String side, String token, String clientNonce, String serverNonce) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(token.getBytes(US_ASCII), ALGORITHM));
            String text = "millrace " + side + " " + clientNonce + " " + serverNonce;
            return HexFormat.of().formatHex(mac.doFinal(text.getBytes(US_ASCII)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java runtime has " + ALGORITHM, e);
        }
    }

    /**
     * Requires that the client knows the token.
     *
     * @throws Refusal when it does not
     */
    void require(ServeSpec spec, String clientNonce, String serverNonce) throws Refusal {
        String expected = ofClient(spec.token(), clientNonce, serverNonce);
        if (proof == null || !MessageDigest.isEqual(proof.getBytes(US_ASCII), expected.getBytes(US_ASCII))) {
            throw new Refusal(
                    Refusal.Code.TOKEN,
                    "the client has " + (proof == null ? "no token" : "a wrong token")
                            + ": expected the one that the server printed the file of");
        }
    }
}
