package io.millrace.train;

import io.millrace.train.network.FlatState;
import io.millrace.train.network.Network;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The fingerprint of a model: SHA-256 over its tensors' raw little-endian float32 values. */
final class ParameterDigest {
    private ParameterDigest() {}

    /** Returns an empty digest. */
    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /**
     * Returns the digest of the parameters in the model's order, then the running statistics, and then the state that
     * only the network can access; in hexadecimal.
     */
    static String of(FlatState state, Network network) {
        MessageDigest digest = sha256();
        state.parameterValues().forEach(values -> values.read(digest::update));
        state.statisticValues().forEach(values -> values.read(digest::update));
        network.digestRest(digest);
        return HexFormat.of().formatHex(digest.digest());
    }
}
