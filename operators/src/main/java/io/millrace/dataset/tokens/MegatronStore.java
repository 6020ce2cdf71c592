package io.millrace.dataset.tokens;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.shard.OpenFiles;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** The documents of pairs of files of Megatron-LM, one pair after another. Tested by {@code MegatronFormatTest}. */
final class MegatronStore implements TokenStore {
    private final List<Pair> pairs;
    private final OpenFiles open;

    /** For each pair, the number of documents in it and in all pairs before it. */
    private final long[] ends;

    /**
     * A pair of files.
     *
     * @param name the name of the file {@code .bin} for messages
     * @param bytes the size of the file {@code .bin}
     */
    record Pair(MegatronFile index, String name, long bytes) {}

    /**
     * Creates the documents and takes ownership of {@code open}.
     *
     * @param open the files {@code .bin} of the pairs, in their order
     */
    MegatronStore(List<Pair> pairs, OpenFiles open) {
        this.pairs = List.copyOf(pairs);
        this.open = open;
        this.ends = new long[pairs.size()];
        long end = 0;
        for (int number = 0; number < ends.length; number++) {
            end += pairs.get(number).index().documents();
            ends[number] = end;
        }
    }

    @Override
    public long documents() {
        return ends[ends.length - 1];
    }

    @Override
    public long bytes() {
        return pairs.stream().mapToLong(Pair::bytes).sum();
    }

    @Override
    public Document read(long index) throws IOException {
        Objects.checkIndex(index, documents());
        int found = Arrays.binarySearch(ends, index + 1);
        int number = found < 0 ? -found - 1 : found; // each pair has a document, so all ends differ
        long document = index - (number == 0 ? 0 : ends[number - 1]);
        Pair pair = pairs.get(number);
        String file = pair.name().substring(pair.name().lastIndexOf('/') + 1);
        try (OpenFiles.Lease lease = open.lease(number)) {
            return new Document(file, document, ids(pair, document, lease));
        }
    }

    private static byte[] ids(Pair pair, long document, OpenFiles.Lease lease) throws IOException {
        MegatronFile index = pair.index();
        long from = index.first(document);
        long to = index.first(document + 1);
        if (from < 0 || from > to || to > index.sequences()) {
            throw new BadSampleException(
                    index.name() + "#" + document,
                    index.boundsAt(document),
                    "expected a document of sequences between 0 and " + index.sequences() + ", found one from " + from
                            + " to " + to);
        }
        if (from == to) {
            throw new BadSampleException(
                    index.name() + "#" + document,
                    index.boundsAt(document),
                    "expected a document of at least 1 sequence, found 0");
        }
        String place = pair.name() + "#" + document;
        long tokens = 0;
        for (long sequence = from; sequence < to; sequence++) {
            tokens += checkedLength(pair, document, sequence);
        }
        byte[] ids = TokenReads.array(place, index.offset(from), tokens);
        int done = 0;
        for (long sequence = from; sequence < to; sequence++) {
            int length = index.length(sequence);
            TokenReads.read(lease.file(), place, index.type(), index.offset(sequence), length, ids, done);
            done += length;
        }
        return ids;
    }

    /** Returns the number of ids of a sequence, all of which lie in the file. */
    private static int checkedLength(Pair pair, long document, long sequence) throws BadSampleException {
        MegatronFile index = pair.index();
        int length = index.length(sequence);
        long offset = index.offset(sequence);
        if (length < 0
                || offset < 0
                || offset > pair.bytes() - (long) length * index.type().bytes()) {
            throw new BadSampleException(
                    index.name() + "#" + document,
                    index.lengthAt(sequence),
                    "expected sequence " + sequence + " within the " + pair.bytes() + " bytes of " + pair.name()
                            + ", found " + length + " ids of " + index.type().word() + " at offset " + offset);
        }
        return length;
    }

    @Override
    public void close() throws IOException {
        open.close();
    }
}
