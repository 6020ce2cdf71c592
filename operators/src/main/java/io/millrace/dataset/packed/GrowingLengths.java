package io.millrace.dataset.packed;

import io.millrace.sequence.DocumentLengths;
import io.millrace.sequence.LengthsFile;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.BooleanSupplier;

/**
 * The lengths of documents that are counted while the dataset is read. All documents of an earlier window of round 0 are counted before one
 * that is asked for, so that those of a later round wait for the whole count, which has ended by then unless a run begins there.
 *
 * <p>Tested by {@code GrowingLengthsTest}.
 */
final class GrowingLengths extends GrowingCount implements DocumentLengths {
    GrowingLengths(GrowingTokens spec, LengthsFile lengths) {
        super(spec, lengths);
    }

    @Override
    public long size() {
        return lengths().size();
    }

    @Override
    public int length(long document) {
        return lengths().length(document);
    }

    @Override
    public boolean await(long[] documents, long nanos) throws IOException {
        if (isComplete()) {
            return true;
        }
        AllCounted counted = new AllCounted(documents);
        if (!counted.getAsBoolean() && !await("a batch", counted, nanos)) {
            return false;
        }
        ask(Arrays.stream(documents).mapToInt(windows()::windowOf).max().orElse(0));
        return true;
    }

    /** Says whether some documents are counted. It looks at each of them once. */
    private final class AllCounted implements BooleanSupplier {
        private final long[] documents;
        private int known;

        AllCounted(long[] documents) {
            this.documents = documents;
        }

        @Override
        public boolean getAsBoolean() {
            while (known < documents.length && length(documents[known]) != NOT_COUNTED) {
                known++;
            }
            return known == documents.length;
        }
    }
}
