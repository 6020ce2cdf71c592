package io.millrace.pack;

import io.millrace.sample.Sample;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/**
 * A writer of tar files for WebDataset: the members of a sample are consecutive and named after its index,
 * {@code 000000012.jpg}, {@code 000000012.cls}. Times and owners are 0, so that equal samples yield equal files.
 */
final class TarShardWriter implements ShardWriter {
    private static final int BLOCK = 512;

    private final TarArchiveOutputStream tar;
    private final boolean labelled;

    TarShardWriter(OutputStream out, boolean labelled) {
        this.labelled = labelled;
        tar = new TarArchiveOutputStream(out, StandardCharsets.UTF_8.name());
        // Sizes above 8 GB and names above 100 bytes are stored in pax headers.
        tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
        tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
    }

    private static byte[] label(Sample sample) {
        return Long.toString(sample.label()).getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns the bytes that a sample will occupy, exactly or slightly more. */
    static long bytes(Sample sample) throws IOException {
        long bytes = bytes(label(sample));
        for (String name : sample.fieldNames()) {
            bytes += bytes(StoredFields.file(sample.field(name)).content());
        }
        return bytes;
    }

    private static long bytes(byte[] content) {
        return BLOCK + (content.length + BLOCK - 1L) / BLOCK * BLOCK;
    }

    @Override
    public void add(Sample sample) throws IOException {
        String key = String.format(Locale.ROOT, "%09d.", sample.index());
        for (String name : sample.fieldNames()) {
            StoredFields.File file = StoredFields.file(sample.field(name));
            add(key + file.suffix(name), file.content());
        }
        if (labelled) {
            add(key + "cls", label(sample));
        }
    }

    private void add(String name, byte[] content) throws IOException {
        TarArchiveEntry entry = new TarArchiveEntry(name);
        entry.setSize(content.length);
        entry.setModTime(0L);
        tar.putArchiveEntry(entry);
        tar.write(content);
        tar.closeArchiveEntry();
    }

    @Override
    public void finish() throws IOException {
        tar.finish();
        tar.flush();
    }

    @Override
    public void close() throws IOException {
        tar.close();
    }
}
