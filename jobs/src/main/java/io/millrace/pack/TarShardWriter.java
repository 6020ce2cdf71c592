package io.millrace.pack;

import io.millrace.sample.Sample;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/**
 * A tar file as WebDataset reads it: the members of a sample lie side by side and are called after its index,
 * {@code 000000012.jpg}, {@code 000000012.cls}. Times and owners are 0, so that equal samples make equal files.
 */
final class TarShardWriter implements ShardWriter {
    private static final int BLOCK = 512;

    private final TarArchiveOutputStream tar;

    TarShardWriter(OutputStream out) {
        tar = new TarArchiveOutputStream(out, StandardCharsets.UTF_8.name());
        // Sizes over 8 GB and names over 100 bytes have their place in pax headers.
        tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
        tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
    }

    private record Member(String name, byte[] content) {}

    private static List<Member> members(Sample sample) throws IOException {
        String key = String.format(Locale.ROOT, "%09d", sample.index());
        List<Member> members = new ArrayList<>();
        for (String name : sample.fieldNames()) {
            StoredFields.File file = StoredFields.file(sample.field(name));
            members.add(new Member(key + "." + StoredFields.suffix(name, file), file.content()));
        }
        members.add(new Member(key + ".cls", Long.toString(sample.label()).getBytes(StandardCharsets.US_ASCII)));
        return members;
    }

    @Override
    public long bytes(Sample sample) throws IOException {
        return members(sample).stream()
                .mapToLong(member -> BLOCK + (member.content.length + BLOCK - 1L) / BLOCK * BLOCK)
                .sum();
    }

    @Override
    public void add(Sample sample) throws IOException {
        for (Member member : members(sample)) {
            TarArchiveEntry entry = new TarArchiveEntry(member.name);
            entry.setSize(member.content.length);
            entry.setModTime(0L);
            tar.putArchiveEntry(entry);
            tar.write(member.content);
            tar.closeArchiveEntry();
        }
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
