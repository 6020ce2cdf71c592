package io.millrace.dataset.tokens;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.npy.MalformedNpyException;
import io.millrace.dataset.npy.NpyVector;
import io.millrace.dataset.shard.ScanWindow;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * The place of the ids in a file: a .npy file, a file with the header of llm.c, or nothing but ids. Tested by {@code TokensFormatTest}.
 *
 * @param offset the offset of the first id in bytes
 * @param tokens the number of ids
 */
record TokenArray(TokenType type, int offset, long tokens) {
    private static final byte[] NPY = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};

    /** The header of llm.c is 256 numbers of 4 bytes: a magic number, a version, the number of ids, and zeros. */
    private static final int LLM_C_BYTES = 1024;

    private static final int LLM_C_GPT_2 = 20240520;
    private static final int LLM_C_LLAMA_3 = 20240801;

    /**
     * Finds the ids of a file.
     *
     * @param chosen the type that the option {@code dtype} names
     * @throws DatasetException when the type is not known, or the file has another length than its header states
     */
    static TokenArray find(ScanWindow file, Optional<TokenType> chosen) throws IOException {
        byte[] prefix = file.copy(0, (int) Math.min(file.size(), NpyVector.MOST_HEADER_BYTES), "a header");
        TokenArray stated = prefix.length >= NPY.length
                        && ByteBuffer.wrap(prefix, 0, NPY.length).equals(ByteBuffer.wrap(NPY))
                ? npy(file, prefix)
                : llmC(file, prefix).orElse(null);
        if (stated == null) {
            return plain(file, chosen);
        }
        if (chosen.isPresent() && chosen.get() != stated.type()) {
            throw new DatasetException(
                    file.name() + ": dtype is " + chosen.get().word() + ", but the header of the file states "
                            + stated.type().word());
        }
        long expected = stated.offset() + stated.tokens() * stated.type().bytes();
        if (file.size() != expected) {
            throw new DatasetException(file.name() + " is " + (file.size() < expected ? "cut off" : "too long")
                    + ": its header states " + stated.tokens() + " ids of "
                    + stated.type().word()
                    + ", so expected the end at offset " + expected + ", found it at " + file.size());
        }
        return stated;
    }

    private static TokenArray npy(ScanWindow file, byte[] prefix) throws DatasetException {
        try {
            NpyVector vector = NpyVector.parse(prefix);
            TokenType type = TokenType.of(vector.dtype(), vector.elementBytes())
                    .orElseThrow(
                            () -> new DatasetException(file.name() + ": expected whole numbers, which ids of tokens"
                                    + " are, found an array of " + vector.dtype()));
            return new TokenArray(type, vector.offset(), vector.count());
        } catch (MalformedNpyException e) {
            throw new DatasetException(file.name() + ": at offset " + e.offset() + " " + e.reason(), e);
        }
    }

    private static Optional<TokenArray> llmC(ScanWindow file, byte[] prefix) throws DatasetException {
        if (prefix.length < 3 * Integer.BYTES) {
            return Optional.empty();
        }
        ByteBuffer numbers = ByteBuffer.wrap(prefix).order(ByteOrder.LITTLE_ENDIAN);
        int magic = numbers.getInt(0);
        if (magic != LLM_C_GPT_2 && magic != LLM_C_LLAMA_3) {
            return Optional.empty();
        }
        int version = magic == LLM_C_GPT_2 ? 1 : 7;
        if (numbers.getInt(4) != version || prefix.length < LLM_C_BYTES || numbers.getInt(8) < 0) {
            throw new DatasetException(file.name() + ": expected a header of llm.c of " + LLM_C_BYTES
                    + " bytes with version " + version + " and a number of ids, found version " + numbers.getInt(4)
                    + " and " + numbers.getInt(8) + " ids in a file of " + file.size() + " bytes");
        }
        return Optional.of(new TokenArray(
                magic == LLM_C_GPT_2 ? TokenType.UINT16 : TokenType.UINT32, LLM_C_BYTES, numbers.getInt(8)));
    }

    private static TokenArray plain(ScanWindow file, Optional<TokenType> chosen) throws DatasetException {
        TokenType type = chosen.orElseThrow(() -> new DatasetException(file.name()
                + " has no header that states the type of its ids; set dtype to the type with which it was written,"
                + " such as uint16"));
        if (file.size() % type.bytes() != 0) {
            throw new DatasetException(file.name() + ": expected ids of " + type.word()
                    + ", so a size that is a multiple of " + type.bytes() + " bytes, found " + file.size());
        }
        return new TokenArray(type, 0, file.size() / type.bytes());
    }
}
