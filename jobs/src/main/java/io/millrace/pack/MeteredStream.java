package io.millrace.pack;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A stream that counts the bytes that are written to it and computes their SHA-256. */
final class MeteredStream extends FilterOutputStream {
    private final MessageDigest digest;
    private long bytes;

    MeteredStream(OutputStream out) {
        super(out);
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    @Override
    public void write(int value) throws IOException {
        out.write(value);
        digest.update((byte) value);
        bytes++;
    }

    @Override
    public void write(byte[] source, int from, int count) throws IOException {
        out.write(source, from, count);
        digest.update(source, from, count);
        bytes += count;
    }

    /** Returns the number of bytes written so far. */
    long bytes() {
        return bytes;
    }

    /** Returns the SHA-256 of all written bytes, in hexadecimal. Can be called only once. */
    String sha256() {
        return HexFormat.of().formatHex(digest.digest());
    }
}
