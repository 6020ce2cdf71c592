package io.millrace.dataset.jsonl;

import io.millrace.dataset.shard.DeltaLengths;
import io.millrace.dataset.shard.ShardIndex;
import io.millrace.dataset.shard.ShardLoss;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;

/**
 * The lines of one file. A line includes its end, and the lines of nothing but white space before it. Tested by {@code JsonlFormatTest}.
 */
final class LineIndex implements ShardIndex {
    private final DeltaLengths lines;

    /** For each line of white space, the number of the sample after it; ascending. */
    private final int[] blank;

    LineIndex(DeltaLengths lines, int[] blank) {
        this.lines = lines;
        this.blank = blank;
    }

    /** Returns the offset of a sample's line; that of sample {@link #samples} is the end of the last one. */
    long offset(int sample) {
        return lines.start(sample);
    }

    /** Returns the number of a sample's line in the file, from 1. */
    long line(int sample) {
        int found = Arrays.binarySearch(blank, sample);
        int before = found < 0 ? -found - 1 : found;
        while (before < blank.length && blank[before] <= sample) {
            before++;
        }
        return 1L + sample + before;
    }

    @Override
    public int samples() {
        return lines.count();
    }

    @Override
    public Optional<ShardLoss> loss() {
        return Optional.empty();
    }

    @Override
    public long contentBytes() {
        return lines.total();
    }

    void write(DataOutputStream out) throws IOException {
        lines.write(out);
        out.writeInt(blank.length);
        for (int sample : blank) {
            out.writeInt(sample);
        }
    }

    static LineIndex read(DataInputStream in) throws IOException {
        DeltaLengths lines = DeltaLengths.read(in);
        int count = in.readInt();
        if (count < 0 || count > in.available() / Integer.BYTES) {
            throw new IOException("expected a count of at most the remaining bytes, found " + count);
        }
        int[] blank = new int[count];
        for (int i = 0; i < count; i++) {
            blank[i] = in.readInt();
        }
        return new LineIndex(lines, blank);
    }
}
