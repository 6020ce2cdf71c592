package io.millrace.dataset.tar;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.shard.Compression;
import io.millrace.dataset.shard.LostStructureException;
import io.millrace.dataset.shard.ScanWindow;
import io.millrace.dataset.shard.ShardLoss;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A scan of one archive, which reads the headers and skips the contents. Belongs to one thread. */
final class TarScan {
    /** The largest size of an extension header. Such headers hold names, so a larger header means damage. */
    private static final int MOST_EXTENSION_BYTES = 1 << 20;

    /** The largest length of a path on Linux. */
    private static final int MOST_NAME_BYTES = 4096;

    private static final String GNU_LONG_NAME = "L";
    private static final String GNU_LONG_LINK = "K";
    private static final String PAX = "xX";
    private static final String PAX_GLOBAL = "g";

    private final ScanWindow file;
    private final TarIndexBuilder index = new TarIndexBuilder();
    private final Map<String, String> globalRecords = new HashMap<>();
    private Map<String, String> nextRecords = new HashMap<>();
    private @Nullable String longName;

    private TarScan(ScanWindow file) {
        this.file = file;
    }

    /**
     * Returns the index of an archive's samples.
     *
     * @throws DatasetException when the archive is compressed or too large
     */
    static TarIndex scan(ScanWindow file) throws IOException {
        Compression.requireNone(file);
        if (file.size() > TarIndexBuilder.MOST_ARCHIVE_BYTES) {
            throw new DatasetException(file.name() + " has " + file.size() + " bytes: expected an archive of up to "
                    + TarIndexBuilder.MOST_ARCHIVE_BYTES);
        }
        TarScan scan = new TarScan(file);
        ShardLoss loss = null;
        try {
            scan.scan();
        } catch (LostStructureException e) {
            loss = e.loss(file.size());
        }
        return scan.index.build(loss);
    }

    private void scan() throws IOException {
        long at = 0;
        // As with Python's tarfile, an archive may end without the blocks of zeros, but not within a block.
        while (at < file.size() || at == 0) {
            ByteBuffer block = file.bytes(at, TarHeader.BLOCK_BYTES, "a tar header");
            if (TarHeader.isEnd(block)) {
                return;
            }
            TarHeader header = TarHeader.parse(block, at);
            at = process(header, at, at + TarHeader.BLOCK_BYTES);
        }
    }

    private long process(TarHeader header, long offset, long afterHeader) throws IOException {
        String type = String.valueOf(header.type());
        if (PAX.contains(type)) {
            nextRecords = new HashMap<>();
            PaxRecords.parse(extension(header, offset, afterHeader), afterHeader, nextRecords);
            return after(afterHeader, header.contentBytes());
        }
        if (PAX_GLOBAL.equals(type)) {
            PaxRecords.parse(extension(header, offset, afterHeader), afterHeader, globalRecords);
            return after(afterHeader, header.contentBytes());
        }
        if (GNU_LONG_NAME.equals(type) || GNU_LONG_LINK.equals(type)) {
            String text = text(extension(header, offset, afterHeader));
            longName = GNU_LONG_NAME.equals(type) ? text : longName;
            return after(afterHeader, header.contentBytes());
        }
        return member(header, offset, afterHeader);
    }

    private long member(TarHeader header, long offset, long afterHeader) throws IOException {
        Map<String, String> records = new HashMap<>(globalRecords);
        records.putAll(nextRecords);
        long content = header.extended() ? afterSparseMap(afterHeader) : afterHeader;
        long size = records.containsKey(PaxRecords.SIZE) && header.contentBytes() == header.size()
                ? size(records.getOrDefault(PaxRecords.SIZE, ""), offset)
                : header.contentBytes();
        String name = name(header, records);
        longName = null;
        nextRecords = new HashMap<>();
        if (name.length() > MOST_NAME_BYTES) {
            throw new LostStructureException(
                    offset, "expected a name of up to " + MOST_NAME_BYTES + " bytes, found " + name.length());
        }
        Optional<MemberName> sample = header.isFile() ? MemberName.of(name) : Optional.empty();
        if (sample.isPresent()) {
            boolean sparse = header.isSparse() || PaxRecords.isSparse(records);
            int stored = size > TarIndex.MOST_MEMBER_BYTES ? TarIndex.TOO_LARGE : (int) size;
            index.add(sample.get(), content, sparse ? TarIndex.SPARSE : stored);
        }
        return after(content, size);
    }

    private String name(TarHeader header, Map<String, String> records) {
        String sparse = records.get(PaxRecords.SPARSE_NAME);
        String path = sparse == null ? records.get(PaxRecords.PATH) : sparse;
        if (path != null) {
            return path;
        }
        return longName == null ? header.name() : longName;
    }

    private static long size(String digits, long offset) throws LostStructureException {
        if (digits.length() > 18 || !digits.chars().allMatch(digit -> digit >= '0' && digit <= '9')) {
            throw new LostStructureException(
                    offset,
                    "expected the size of a tar member in its pax header, found '"
                            + digits.substring(0, Math.min(digits.length(), 40)) + "'");
        }
        return Long.parseLong(digits);
    }

    private long afterSparseMap(long position) throws IOException {
        long at = position;
        boolean more = true;
        while (more) {
            more = file.bytes(at, TarHeader.BLOCK_BYTES, "a GNU sparse map").get(504) != 0;
            at += TarHeader.BLOCK_BYTES;
        }
        return at;
    }

    private byte[] extension(TarHeader header, long offset, long position) throws IOException {
        if (header.size() > MOST_EXTENSION_BYTES) {
            throw new LostStructureException(
                    offset,
                    "expected a tar header '" + header.type() + "' of up to " + MOST_EXTENSION_BYTES + " bytes, found "
                            + header.size());
        }
        return file.copy(position, (int) header.size(), "a tar header '" + header.type() + "'");
    }

    private static String text(byte[] content) {
        int length = 0;
        while (length < content.length && content[length] != 0) {
            length++;
        }
        return new String(content, 0, length, StandardCharsets.ISO_8859_1);
    }

    /** Returns the offset of the next header. Contents are filled up to whole blocks. */
    private static long after(long content, long size) {
        long end = content + size;
        // A size near 2^63 is beyond the end of any file, so an overflow of the sum does not matter.
        return end < 0 || end > Long.MAX_VALUE - TarHeader.BLOCK_BYTES
                ? Long.MAX_VALUE
                : (end + TarHeader.BLOCK_BYTES - 1) / TarHeader.BLOCK_BYTES * TarHeader.BLOCK_BYTES;
    }
}
