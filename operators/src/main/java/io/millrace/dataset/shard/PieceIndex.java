package io.millrace.dataset.shard;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Optional;

/**
 * The pieces of one file, such as its lines. A piece includes the separator after it, and the skipped pieces of nothing but white space
 * before it. Immutable and safe for several threads. Tested by {@code PieceIndexerTest}.
 */
public final class PieceIndex implements ShardIndex {
    private final DeltaLengths pieces;

    /** For each piece, the number of skipped ones directly before it; no numbers where the file has none. */
    private final DeltaLengths skipped;

    private final boolean separated;

    private PieceIndex(DeltaLengths pieces, DeltaLengths skipped, boolean separated) {
        this.pieces = pieces;
        this.skipped = skipped;
        this.separated = separated;
    }

    /** Returns the offset of a sample's piece; that of sample {@link #samples} is the end of the last one. */
    public long offset(int sample) {
        return pieces.start(sample);
    }

    /** Returns the number of a sample's piece in the file, from 1, where skipped pieces count. */
    public long number(int sample) {
        return 1L + sample + (skipped.count() == 0 ? 0 : skipped.start(sample + 1));
    }

    /** Returns whether the file contains the separator. */
    public boolean separated() {
        return separated;
    }

    @Override
    public int samples() {
        return pieces.count();
    }

    @Override
    public Optional<ShardLoss> loss() {
        return Optional.empty();
    }

    @Override
    public long contentBytes() {
        return pieces.total();
    }

    void write(DataOutputStream out) throws IOException {
        pieces.write(out);
        skipped.write(out);
        out.writeBoolean(separated);
    }

    static PieceIndex read(DataInputStream in) throws IOException {
        DeltaLengths pieces = DeltaLengths.read(in);
        DeltaLengths skipped = DeltaLengths.read(in);
        if (skipped.count() != 0 && skipped.count() != pieces.count()) {
            throw new IOException(
                    "expected " + pieces.count() + " numbers of skipped pieces, found " + skipped.count());
        }
        return new PieceIndex(pieces, skipped, in.readBoolean());
    }

    /** The pieces so far, to which one thread adds. */
    static final class Builder {
        private final DeltaLengths.Builder pieces = new DeltaLengths.Builder();
        private final DeltaLengths.Builder skipped = new DeltaLengths.Builder();
        private long length;
        private long skippedBefore;
        private boolean content;
        private boolean separated;

        /**
         * Adds bytes without a separator to the present piece.
         *
         * @param hasContent whether one of them is no white space
         */
        void add(long bytes, boolean hasContent) {
            length += bytes;
            content |= hasContent;
        }

        /** Ends the present piece after a separator, whose bytes are added already. */
        void end() throws IOException {
            separated = true;
            endPiece();
        }

        private void endPiece() throws IOException {
            if (!content) {
                skippedBefore++;
                return;
            }
            if (skippedBefore > 0 && skipped.count() == 0) {
                for (int before = pieces.count(); before > 0; before--) {
                    skipped.add(0);
                }
            }
            if (skippedBefore > 0 || skipped.count() > 0) {
                skipped.add(skippedBefore);
            }
            pieces.add(length);
            length = 0;
            skippedBefore = 0;
            content = false;
        }

        /** Returns the pieces of the whole file. */
        PieceIndex build() throws IOException {
            if (content) {
                endPiece();
            }
            return new PieceIndex(pieces.build(), skipped.build(), separated);
        }
    }
}
