package io.millrace.dataset.tokens;

import io.millrace.dataset.shard.OpenFiles;
import io.millrace.dataset.shard.Shards;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.LongStream;

/**
 * The signs that the ids of a file without a header were written as another type, or that documents end otherwise than the options say.
 * Such files can be read, so these are remarks. Tested by {@code TokensFormatTest}.
 */
final class TokenRemarks {
    private static final int LOOKED_AT = 1024;
    private static final int FEWEST = 16;

    /** More tokens than any vocabulary has. */
    private static final long MANY = 1 << 24;

    private TokenRemarks() {}

    /** Returns the sentences for the user, which are about the first file. */
    static List<String> of(Shards<TokenIndex> shards, TokenCut cut) throws IOException {
        List<String> remarks = new ArrayList<>();
        TokenArray array = shards.indexes().get(0).array();
        if (array.tokens() == 0) {
            return remarks;
        }
        if (array.offset() == 0) {
            strangeType(shards.name(0), array, ids(shards, 0, Math.min(LOOKED_AT, array.tokens())), remarks);
        }
        if (cut.kind() != TokenCut.Kind.LENGTH
                && shards.indexes().stream().allMatch(documents -> documents.samples() == 1)) {
            boolean atEnd = cut.kind() == TokenCut.Kind.END;
            long bound = ids(shards, atEnd ? array.tokens() - 1 : 0, 1)[0];
            if (bound != cut.value()) {
                remarks.add(String.format(
                        Locale.ROOT,
                        "%s is one document of %,d tokens, because the id %d of %s does not occur in it",
                        shards.name(0),
                        array.tokens(),
                        cut.value(),
                        atEnd ? "document_end" : "document_start"));
            }
        }
        return remarks;
    }

    private static void strangeType(String name, TokenArray array, long[] ids, List<String> remarks) {
        boolean zeros = ids.length >= FEWEST;
        boolean others = false;
        for (int i = 0; i < ids.length; i++) {
            zeros &= i % 2 == 0 || ids[i] == 0;
            others |= ids[i] != 0;
        }
        long largest = LongStream.of(ids).max().orElse(0);
        String found = zeros && others
                ? "every second id is 0, so that they were probably written with "
                        + 2 * array.type().bytes() + " bytes each"
                : largest >= MANY
                        ? String.format(
                                Locale.ROOT, "the largest id is %,d, which is more than vocabularies have", largest)
                        : "";
        if (!found.isEmpty()) {
            remarks.add(String.format(
                    Locale.ROOT,
                    "%s: of the first %,d ids, read as %s, %s: set dtype to the type with which the file was written",
                    name,
                    ids.length,
                    array.type().word(),
                    found));
        }
    }

    /** Returns values of the first file. */
    private static long[] ids(Shards<TokenIndex> shards, long first, long count) throws IOException {
        TokenArray array = shards.indexes().get(0).array();
        int bytes = array.type().bytes();
        byte[] stored;
        try (OpenFiles.Lease lease = shards.lease(0)) {
            stored = lease.file().read(array.offset() + first * bytes, (int) count * bytes);
        }
        long[] ids = new long[(int) count];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = array.type().at(stored, i * bytes);
        }
        return ids;
    }
}
