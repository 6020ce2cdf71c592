package io.millrace.dataset.packed;

import io.millrace.sequence.DocumentLengths;
import io.millrace.sequence.LengthsFile;
import java.io.IOException;
import java.util.Arrays;

/**
 * The lengths of documents that are counted while the dataset is read. All documents of an earlier window of round 0 are counted before one
 * that is asked for, so that those of a later round wait for the whole count, which has ended by then unless a run begins there.
 *
 * <p>Tested by {@code GrowingLengthsTest}.
 */
final class GrowingLengths extends GrowingCount implements DocumentLengths {
    private final LengthsFile lengths;

    GrowingLengths(GrowingTokens spec, LengthsFile lengths) {
        super(spec, lengths);
        this.lengths = lengths;
    }

    @Override
    public long size() {
        return lengths.size();
    }

    @Override
    public int length(long document) {
        return lengths.length(document);
    }

    @Override
    public boolean await(long[] documents, long nanos) throws IOException {
        if (isComplete()) {
            return true;
        }
        if (!areCounted(documents) && !await("a batch", () -> areCounted(documents), nanos)) {
            return false;
        }
        ask(Arrays.stream(documents).mapToInt(windows()::windowOf).max().orElse(0));
        return true;
    }

    private boolean areCounted(long[] documents) {
        return lengths.uncounted(Arrays.stream(documents)).length == 0;
    }
}
