package io.millrace.dataset.shard;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * The content of all members of a gzip file. The JDK's class ends without an exception where the bytes after a member are not a whole
 * header, and where the next member is not in the buffer of a remote file yet. This class reads on in the second case, and refuses the
 * first one. Zeros after the last member are padding, as for gzip and Python. Belongs to one thread.
 *
 * <p>Tested by {@code InflatedFilesTest}.
 */
public final class GzipMembers extends GZIPInputStream {
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int TRAILER_BYTES = 8;

    private final Counted source;

    /** The number of bytes of the file that were read when the inflater received the latest ones. */
    private long filled;

    private boolean ended;

    private GzipMembers(Counted source) throws IOException {
        super(source, BUFFER_BYTES);
        this.source = source;
    }

    /**
     * Returns the content of a file.
     *
     * @param file the file from its beginning, which supports {@link InputStream#mark}; closing the result closes it
     */
    public static GzipMembers of(InputStream file) throws IOException {
        return new GzipMembers(new Counted(file));
    }

    @Override
    protected void fill() throws IOException {
        super.fill();
        filled = source.count;
    }

    @Override
    public int read(byte[] target, int from, int count) throws IOException {
        int read = super.read(target, from, count);
        if (read < 0 && !ended) {
            ended = true;
            source.drain();
            // At the latest fill, the inflater held the trailer of the last member and what followed it in the buffer.
            if (source.afterLast > filled - inf.getRemaining() + TRAILER_BYTES) {
                throw new ZipException("expected another member or the end after a member, found other bytes");
            }
        }
        return read;
    }

    /** A file that counts its bytes, and whose available bytes are 0 only at its end. */
    private static final class Counted extends FilterInputStream {
        private long count;

        /** The number of bytes up to the last one that is not 0. */
        private long afterLast;

        Counted(InputStream in) {
            super(in);
        }

        @Override
        public int available() throws IOException {
            in.mark(1);
            boolean more = in.read() >= 0;
            in.reset();
            return more ? Math.max(1, in.available()) : 0;
        }

        @Override
        public int read() throws IOException {
            int next = in.read();
            count += next < 0 ? 0 : 1;
            afterLast = next > 0 ? count : afterLast;
            return next;
        }

        @Override
        public int read(byte[] target, int from, int most) throws IOException {
            int read = in.read(target, from, most);
            count += Math.max(0, read);
            int last = read - 1;
            while (last >= 0 && target[from + last] == 0) {
                last--;
            }
            afterLast = last >= 0 ? count - read + last + 1 : afterLast;
            return read;
        }

        /** Reads the rest. */
        void drain() throws IOException {
            byte[] rest = new byte[BUFFER_BYTES];
            while (read(rest, 0, rest.length) >= 0) {
                // The counts are kept while bytes are read.
            }
        }
    }
}
