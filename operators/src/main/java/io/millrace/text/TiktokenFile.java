package io.millrace.text;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.stream.Collectors;
import java.util.zip.InflaterInputStream;
import org.jspecify.annotations.Nullable;

/**
 * A file of ranks of tiktoken: each line has a token in base64 and its rank, which is its id. The file contains no pattern, so that only
 * files that are known byte for byte are read. Text that spells a special token stays text, as in tiktoken's {@code encode_ordinary}.
 */
final class TiktokenFile {
    private TiktokenFile() {}

    /**
     * Reads a file.
     *
     * @param source the name of the file, for messages
     * @throws TokenizerException when it is not one of the files that are known
     */
    static RankedTokens read(String source, byte[] file) throws TokenizerException {
        String found = sha256(file);
        for (TiktokenEncoding encoding : TiktokenEncoding.values()) {
            if (encoding.sha256().equals(found)) {
                return new RankedTokens(encoding, tokens(file));
            }
        }
        throw new TokenizerException(
                source + " has ranks of tiktoken, but no pattern, and it is none of the files whose pattern is"
                        + " known: expected the file of "
                        + Arrays.stream(TiktokenEncoding.values())
                                .map(TiktokenEncoding::title)
                                .collect(Collectors.joining(", "))
                        + " without changes, found the SHA-256 "
                        + found + ". Name the tokenizer.json of the model instead.");
    }

    /** Returns a vocabulary that Millrace has. */
    static RankedTokens resource(TiktokenEncoding encoding) {
        String name = encoding.title() + ".deflate";
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (InputStream in = TiktokenFile.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the resource io/millrace/text/" + name + " is missing");
            }
            new InflaterInputStream(in).transferTo(all);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        byte[] plain = all.toByteArray();
        int count = 0;
        for (int at = 0; at < plain.length; at += 1 + (plain[at] & 0xFF)) {
            count++;
        }
        byte[] @Nullable [] tokens = new byte[count][];
        int at = 0;
        for (int id = 0; id < count; id++) {
            int end = at + 1 + (plain[at] & 0xFF);
            tokens[id] = Arrays.copyOfRange(plain, at + 1, end);
            at = end;
        }
        return new RankedTokens(encoding, tokens);
    }

    private static byte[] @Nullable [] tokens(byte[] file) {
        String[] lines = new String(file, StandardCharsets.US_ASCII).split("\n", -1);
        // The file ends with a line break.
        byte[] @Nullable [] tokens = new byte[lines.length - 1][];
        for (String line : Arrays.asList(lines).subList(0, lines.length - 1)) {
            int space = line.indexOf(' ');
            int rank = Integer.parseInt(line.substring(space + 1));
            tokens = rank < tokens.length ? tokens : Arrays.copyOf(tokens, rank + 1);
            tokens[rank] = Base64.getDecoder().decode(line.substring(0, space));
        }
        return tokens;
    }

    private static String sha256(byte[] file) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(file));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
