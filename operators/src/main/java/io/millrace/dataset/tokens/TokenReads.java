package io.millrace.dataset.tokens;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.storage.RangedFile;
import io.millrace.file.HeapLimit;
import java.io.IOException;

/** The reading of ids from an open file. Tested by {@code TokensFormatTest} and {@code MegatronFormatTest}. */
final class TokenReads {
    private TokenReads() {}

    /**
     * Returns the array for the ids of a document.
     *
     * @param place the name of the document for messages
     * @param offset the offset of the document in its file
     * @throws BadSampleException when the document is empty or larger than the heap allows
     */
    static byte[] array(String place, long offset, long tokens) throws BadSampleException {
        if (tokens == 0) {
            throw new BadSampleException(place, offset, "expected a document of at least 1 token, found 0");
        }
        String refusal = HeapLimit.refusalOfArray("a document", tokens * Integer.BYTES);
        if (!refusal.isEmpty()) {
            throw new BadSampleException(place, offset, refusal);
        }
        return new byte[(int) (tokens * Integer.BYTES)];
    }

    /**
     * Reads {@code count} ids that begin at an offset of the file.
     *
     * @param place the name of the document for messages
     * @param ids the array that receives the ids as int32
     * @param from the number of the first id in {@code ids}
     * @throws BadSampleException when a value is no id
     */
    static void read(RangedFile file, String place, TokenType type, long offset, int count, byte[] ids, int from)
            throws IOException {
        long bytes = (long) count * type.bytes();
        String refusal = HeapLimit.refusalOfArray("the ids of a document", bytes);
        if (!refusal.isEmpty()) {
            throw new BadSampleException(place, offset, refusal);
        }
        byte[] stored = file.read(offset, (int) bytes);
        int bad = type.widen(stored, ids, from);
        if (bad >= 0) {
            throw new BadSampleException(
                    place,
                    offset + (long) bad * type.bytes(),
                    "expected the id of a token, 0 to " + Integer.MAX_VALUE + ", found "
                            + type.at(stored, bad * type.bytes()));
        }
    }
}
