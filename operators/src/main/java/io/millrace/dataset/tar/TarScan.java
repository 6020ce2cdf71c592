package io.millrace.dataset.tar;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.shard.Compression;
import io.millrace.dataset.shard.LostStructureException;
import io.millrace.dataset.shard.ScanWindow;
import io.millrace.dataset.shard.ShardLoss;
import io.millrace.dataset.tar.LinkTargets.Target;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A scan of one archive, or of several archives one behind another, which reads the headers and skips the contents. A second
 * scan finds the targets of hard links, so that archives without hard links need no memory for names. Belongs to one thread.
 *
 * <p>Tested by {@code TarDatasetTest}.
 */
final class TarScan {
    /** The largest size of an extension header. Such headers hold names and attributes, so a larger header means damage. */
    private static final int MOST_EXTENSION_BYTES = 1 << 24;

    /** The largest length of a path on Linux. */
    private static final int MOST_NAME_BYTES = 4096;

    private static final int MOST_SHOWN_BYTES = 200;

    /** The number of decimal digits that a {@code long} holds in any case. A larger size is beyond the end of any file. */
    private static final int MOST_DIGITS = 18;

    /** The number of zero blocks that end an archive. */
    private static final int END_BLOCKS = 2;

    private static final String GNU_LONG_NAME = "L";
    private static final String GNU_LONG_LINK = "K";
    private static final String PAX = "xX";
    private static final String PAX_GLOBAL = "g";

    private final ScanWindow file;
    private final TarIndexBuilder index = new TarIndexBuilder();
    private final Map<String, String> globalRecords = new HashMap<>();
    private Map<String, String> nextRecords = new HashMap<>();
    private @Nullable String longName;
    private @Nullable String longLink;

    /** The reason why the next member is bad; null when its extension headers are sound. */
    private @Nullable String nextProblem;

    private final LinkTargets targets;

    private TarScan(ScanWindow file, LinkTargets targets) {
        this.file = file;
        this.targets = targets;
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
        LinkTargets targets = new LinkTargets(Set.of());
        TarIndex index = new TarScan(file, targets).index();
        return targets.linked().isEmpty() ? index : new TarScan(file, new LinkTargets(targets.linked())).index();
    }

    private TarIndex index() throws IOException {
        ShardLoss loss = null;
        try {
            scan();
        } catch (LostStructureException e) {
            loss = e.loss(file.size());
        }
        return index.build(loss);
    }

    private void scan() throws IOException {
        long at = 0;
        int zeroBlocks = 0;
        // As with Python's tarfile, an archive may end without the blocks of zeros, but not within a block.
        while (at < file.size() || at == 0) {
            if (zeroBlocks > 0 && file.size() - at < TarHeader.BLOCK_BYTES) {
                requireZeros(at);
                return;
            }
            ByteBuffer block = file.bytes(at, TarHeader.BLOCK_BYTES, "a tar header");
            if (TarHeader.isEnd(block)) {
                zeroBlocks++;
                at += TarHeader.BLOCK_BYTES;
                continue;
            }
            if (zeroBlocks > 0) {
                requireHeader(block, at);
                beginAfterZeros(zeroBlocks);
                zeroBlocks = 0;
            }
            TarHeader header = TarHeader.parse(block, at);
            at = process(header, at, at + TarHeader.BLOCK_BYTES);
        }
    }

    /** Checks the last bytes of a file that do not fill a block. */
    private void requireZeros(long at) throws IOException {
        ByteBuffer rest = file.bytes(at, (int) (file.size() - at), "zeros");
        while (rest.hasRemaining()) {
            if (rest.get() != 0) {
                throw behindTheEnd(at);
            }
        }
    }

    private static void requireHeader(ByteBuffer block, long at) throws LostStructureException {
        if (!TarHeader.isHeaderOrEnd(block)) {
            throw behindTheEnd(at);
        }
    }

    private static LostStructureException behindTheEnd(long at) {
        return new LostStructureException(
                at,
                "expected zeros or the header of a further archive behind the end of an archive, found other bytes");
    }

    /**
     * Forgets what belongs to the archive before. A single block of zeros does not end an archive: some programs write one
     * between members.
     */
    private void beginAfterZeros(int zeroBlocks) {
        longName = null;
        longLink = null;
        nextProblem = null;
        nextRecords = new HashMap<>();
        if (zeroBlocks >= END_BLOCKS) {
            globalRecords.clear();
            index.endSample();
        }
    }

    private long process(TarHeader header, long offset, long afterHeader) throws IOException {
        String type = String.valueOf(header.type());
        if (PAX.contains(type)) {
            nextRecords = new HashMap<>();
            nextProblem = null;
            try {
                PaxRecords.parse(extension(header, offset, afterHeader), afterHeader, nextRecords);
            } catch (MalformedPaxException e) {
                // The header's own size is sound, so only the member that it describes is lost.
                nextProblem = e.reason();
            }
            return after(afterHeader, header.contentBytes());
        }
        if (PAX_GLOBAL.equals(type)) {
            try {
                PaxRecords.parse(extension(header, offset, afterHeader), afterHeader, globalRecords);
            } catch (MalformedPaxException e) {
                throw e.lostStructure();
            }
            return after(afterHeader, header.contentBytes());
        }
        if (GNU_LONG_NAME.equals(type) || GNU_LONG_LINK.equals(type)) {
            String text = text(extension(header, offset, afterHeader));
            longName = GNU_LONG_NAME.equals(type) ? text : longName;
            longLink = GNU_LONG_LINK.equals(type) ? text : longLink;
            return after(afterHeader, header.contentBytes());
        }
        return member(header, offset, afterHeader);
    }

    private long member(TarHeader header, long offset, long afterHeader) throws IOException {
        Map<String, String> records = PaxRecords.merged(globalRecords, nextRecords);
        long content = header.extended() ? afterSparseMap(afterHeader) : afterHeader;
        long size = size(header, records, offset, content);
        String name = name(header, records);
        String target = linkName(header, records);
        longName = null;
        longLink = null;
        nextRecords = new HashMap<>();
        String problem = nextProblem;
        nextProblem = null;
        requireLength("a name", name, offset);
        requireLength("the name of a link's target", target, offset);
        Optional<MemberName> sample = MemberName.of(name);
        if (problem != null && (header.isFile() || header.isHardLink())) {
            if (sample.isPresent()) {
                index.addBad(sample.get(), offset, problem);
            }
            targets.define(name, Target.not("a member with a damaged pax header"));
        } else if (header.isHardLink() && size == 0) {
            addLink(name, sample, target, offset);
        } else if (header.isFile() || header.isHardLink()) {
            boolean sparse = header.isSparse() || PaxRecords.isSparse(records);
            int stored = sparse ? TarIndex.SPARSE : size > TarIndex.MOST_MEMBER_BYTES ? TarIndex.TOO_LARGE : (int) size;
            if (sample.isPresent()) {
                index.add(sample.get(), content, stored);
            }
            targets.define(name, new Target(content, stored, null));
        } else {
            if (header.isSymbolicLink() && sample.isPresent()) {
                index.addSkippedLink(MemberName.text(name));
            }
            targets.define(name, Target.not("a folder, a symbolic link or a device"));
        }
        return after(content, size);
    }

    /** Adds the bytes of the link's target under the link's name. */
    private void addLink(String name, Optional<MemberName> sample, String targetName, long offset) throws IOException {
        Target target = targets.link(targetName);
        targets.define(name, target.problem() == null ? target : Target.not("a hard link without a target"));
        if (sample.isEmpty()) {
            return;
        }
        if (target.problem() == null) {
            index.add(sample.get(), target.content(), target.size());
            return;
        }
        String shown = MemberName.text(targetName.substring(0, Math.min(targetName.length(), MOST_SHOWN_BYTES)));
        index.addBad(
                sample.get(),
                offset,
                "expected the target '" + shown + "' of a hard link as a file before the link, found "
                        + target.problem());
    }

    private long size(TarHeader header, Map<String, String> records, long offset, long content) throws IOException {
        String digits = records.get(PaxRecords.SIZE);
        if (header.isHardLink()) {
            long size = digits == null ? header.size() : size(digits, offset);
            return size > 0 && hasContent(content, size) ? size : 0;
        }
        return digits != null && header.contentBytes() == header.size() ? size(digits, offset) : header.contentBytes();
    }

    /**
     * Returns whether a hard link with a size has content. Old programs write the size of the target and no content, and pax
     * writes the content. The block after the header decides, as in libarchive.
     */
    private boolean hasContent(long content, long size) throws IOException {
        long next = after(content, size);
        return next <= file.size() && !isHeaderOrEnd(content) && (next == file.size() || isHeaderOrEnd(next));
    }

    private boolean isHeaderOrEnd(long at) throws IOException {
        return at + TarHeader.BLOCK_BYTES <= file.size()
                && TarHeader.isHeaderOrEnd(file.bytes(at, TarHeader.BLOCK_BYTES, "a tar header"));
    }

    private static void requireLength(String what, String name, long offset) throws LostStructureException {
        if (name.length() > MOST_NAME_BYTES) {
            throw new LostStructureException(
                    offset, "expected " + what + " of up to " + MOST_NAME_BYTES + " bytes, found " + name.length());
        }
    }

    private String linkName(TarHeader header, Map<String, String> records) {
        String path = records.get(PaxRecords.LINK_PATH);
        return path != null ? path : longLink != null ? longLink : header.linkName();
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
        if (digits.isEmpty() || !digits.chars().allMatch(digit -> digit >= '0' && digit <= '9')) {
            throw new LostStructureException(
                    offset,
                    "expected the size of a tar member in its pax header, found '"
                            + digits.substring(0, Math.min(digits.length(), 40)) + "'");
        }
        String significant = digits.replaceFirst("^0+(?=.)", "");
        return significant.length() > MOST_DIGITS ? Long.MAX_VALUE : Long.parseLong(significant);
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
