package io.millrace.dataset.tar;

import io.millrace.dataset.shard.ShardIndex;
import io.millrace.dataset.shard.ShardLoss;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The samples of one archive, stored in a few arrays. Each member needs 12 bytes, and each sample needs 8 bytes and its
 * key. Contents begin at multiples of 512 bytes, so an {@code int} can hold a position in archives of up to 2 TB.
 *
 * <p>Tested by {@code TarDatasetTest}.
 */
final class TarIndex implements ShardIndex {
    /** The size that marks a member that is larger than a sample may be. */
    static final int TOO_LARGE = -1;

    /** The size that marks a member that is stored without its holes. */
    static final int SPARSE = -2;

    /** The size that marks a member that makes its sample bad for the reason in {@link #reason}. */
    static final int BAD = -3;

    /** The number of skipped symbolic links whose names are kept. */
    static final int MOST_SHOWN_LINKS = 3;

    /** The largest member that is read, in bytes. */
    static final int MOST_MEMBER_BYTES = 1 << 30;

    private final int[] firstMember;
    private final int[] keyEnds;
    private final byte[] keys;
    private final int[] blocks;
    private final int[] sizes;
    private final int[] suffixes;
    private final List<String> suffixNames;
    private final SortedMap<Integer, String> reasons;
    private final int skippedLinks;
    private final List<String> shownLinks;
    private final @Nullable ShardLoss loss;

    TarIndex(
            int[] firstMember,
            int[] keyEnds,
            byte[] keys,
            int[] blocks,
            int[] sizes,
            int[] suffixes,
            List<String> suffixNames,
            SortedMap<Integer, String> reasons,
            int skippedLinks,
            List<String> shownLinks,
            @Nullable ShardLoss loss) {
        this.firstMember = firstMember;
        this.keyEnds = keyEnds;
        this.keys = keys;
        this.blocks = blocks;
        this.sizes = sizes;
        this.suffixes = suffixes;
        this.suffixNames = List.copyOf(suffixNames);
        this.reasons = reasons;
        this.skippedLinks = skippedLinks;
        this.shownLinks = List.copyOf(shownLinks);
        this.loss = loss;
    }

    @Override
    public int samples() {
        return firstMember.length;
    }

    @Override
    public Optional<ShardLoss> loss() {
        return Optional.ofNullable(loss);
    }

    @Override
    public long contentBytes() {
        long bytes = 0;
        for (int size : sizes) {
            bytes += Math.max(0, size);
        }
        return bytes;
    }

    /** Returns all suffixes in the archive, in the order of their first members. */
    List<String> suffixNames() {
        return suffixNames;
    }

    /** Returns a sample's key. */
    String key(int sample) {
        int start = sample == 0 ? 0 : keyEnds[sample - 1];
        return new String(keys, start, keyEnds[sample] - start, StandardCharsets.UTF_8);
    }

    /** Returns the number of a sample's first member. */
    int firstMember(int sample) {
        return firstMember[sample];
    }

    /** Returns the number after a sample's last member. */
    int endMember(int sample) {
        return sample + 1 < firstMember.length ? firstMember[sample + 1] : blocks.length;
    }

    /** Returns the offset of a member's content. */
    long offset(int member) {
        return Integer.toUnsignedLong(blocks[member]) * TarHeader.BLOCK_BYTES;
    }

    /** Returns a member's size in bytes, {@link #TOO_LARGE}, {@link #SPARSE} or {@link #BAD}. */
    int size(int member) {
        return sizes[member];
    }

    /** Returns the reason why a member of the size {@link #BAD} makes its sample bad. */
    String reason(int member) {
        return reasons.getOrDefault(member, "");
    }

    /** Returns the number of symbolic links among the members of samples, which are not read. */
    int skippedLinks() {
        return skippedLinks;
    }

    /** Returns the names of the first skipped symbolic links. */
    List<String> shownLinks() {
        return shownLinks;
    }

    /** Returns the number of a member's suffix. Equal suffixes have equal numbers. */
    int suffixNumber(int member) {
        return suffixes[member];
    }

    /** Returns a member's suffix. */
    String suffix(int member) {
        return suffixNames.get(suffixes[member]);
    }

    void write(DataOutputStream out) throws IOException {
        writeInts(out, firstMember);
        writeInts(out, keyEnds);
        out.writeInt(keys.length);
        out.write(keys);
        writeInts(out, blocks);
        writeInts(out, sizes);
        writeInts(out, suffixes);
        writeTexts(out, suffixNames);
        writeInts(out, reasons.keySet().stream().mapToInt(Integer::intValue).toArray());
        writeTexts(out, reasons.values());
        out.writeInt(skippedLinks);
        writeTexts(out, shownLinks);
        out.writeBoolean(loss != null);
        if (loss != null) {
            out.writeLong(loss.offset());
            out.writeLong(loss.lostBytes());
            out.writeUTF(loss.reason());
        }
    }

    static TarIndex read(DataInputStream in) throws IOException {
        int[] firstMember = readInts(in);
        int[] keyEnds = readInts(in);
        byte[] keys = readBytes(in);
        int[] blocks = readInts(in);
        int[] sizes = readInts(in);
        int[] suffixes = readInts(in);
        List<String> names = readTexts(in);
        int[] badMembers = readInts(in);
        List<String> badReasons = readTexts(in);
        int skippedLinks = in.readInt();
        List<String> shownLinks = readTexts(in);
        ShardLoss loss = in.readBoolean() ? new ShardLoss(in.readLong(), in.readLong(), in.readUTF()) : null;
        requireConsistent(firstMember, keyEnds, keys, blocks, sizes, suffixes, names);
        if (badMembers.length != badReasons.size()) {
            throw new IOException("expected an index with a reason for each bad member");
        }
        SortedMap<Integer, String> reasons = new TreeMap<>();
        for (int i = 0; i < badMembers.length; i++) {
            reasons.put(badMembers[i], badReasons.get(i));
        }
        return new TarIndex(
                firstMember, keyEnds, keys, blocks, sizes, suffixes, names, reasons, skippedLinks, shownLinks, loss);
    }

    private static void requireConsistent(
            int[] firstMember,
            int[] keyEnds,
            byte[] keys,
            int[] blocks,
            int[] sizes,
            int[] suffixes,
            List<String> names)
            throws IOException {
        boolean consistent = keyEnds.length == firstMember.length
                && sizes.length == blocks.length
                && suffixes.length == blocks.length
                && isAscending(firstMember, blocks.length)
                && isAscending(keyEnds, keys.length);
        for (int suffix : suffixes) {
            consistent &= suffix >= 0 && suffix < names.size();
        }
        if (!consistent) {
            throw new IOException("expected an index with parts of matching lengths");
        }
    }

    private static boolean isAscending(int[] values, int most) {
        int before = 0;
        for (int value : values) {
            if (value < before || value > most) {
                return false;
            }
            before = value;
        }
        return true;
    }

    private static void writeInts(DataOutputStream out, int[] values) throws IOException {
        out.writeInt(values.length);
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Integer.BYTES);
        bytes.asIntBuffer().put(values);
        out.write(bytes.array());
    }

    private static void writeTexts(DataOutputStream out, Collection<String> texts) throws IOException {
        out.writeInt(texts.size());
        for (String text : texts) {
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            out.writeInt(utf8.length);
            out.write(utf8);
        }
    }

    private static List<String> readTexts(DataInputStream in) throws IOException {
        List<String> texts = new ArrayList<>();
        for (int left = count(in, Integer.BYTES); left > 0; left--) {
            texts.add(new String(readBytes(in), StandardCharsets.UTF_8));
        }
        return texts;
    }

    private static int[] readInts(DataInputStream in) throws IOException {
        int[] values = new int[count(in, Integer.BYTES)];
        byte[] bytes = new byte[values.length * Integer.BYTES];
        in.readFully(bytes);
        ByteBuffer.wrap(bytes).asIntBuffer().get(values);
        return values;
    }

    private static byte[] readBytes(DataInputStream in) throws IOException {
        byte[] bytes = new byte[count(in, 1)];
        in.readFully(bytes);
        return bytes;
    }

    private static int count(DataInputStream in, int bytesEach) throws IOException {
        int count = in.readInt();
        if (count < 0 || count > in.available() / bytesEach) {
            throw new IOException("expected a count of at most the remaining bytes, found " + count);
        }
        return count;
    }
}
