package io.millrace.dataset.tar;

import io.millrace.dataset.shard.ShardLoss;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A builder that collects the members of an archive in their order. Belongs to one thread. */
final class TarIndexBuilder {
    /** The largest size of an archive. An {@code int} cannot hold the positions of larger ones. */
    static final long MOST_ARCHIVE_BYTES = (1L << Integer.SIZE) * TarHeader.BLOCK_BYTES;

    /** The largest size of all keys of an archive, which are kept in one array. */
    private static final int MOST_KEY_BYTES = 1 << 30;

    private int[] firstMember = new int[64];
    private int[] keyEnds = new int[64];
    private byte[] keys = new byte[1024];
    private int[] blocks = new int[128];
    private int[] sizes = new int[128];
    private int[] suffixes = new int[128];
    private int samples;
    private int members;
    private int keyBytes;
    private final Map<String, Integer> suffixNumbers = new HashMap<>();
    private final List<String> suffixNames = new ArrayList<>();
    private final SortedMap<Integer, String> reasons = new TreeMap<>();
    private final List<String> skippedLinks = new ArrayList<>();
    private int skippedLinkCount;
    private @Nullable String current;

    /** Adds a member to the previous sample if it has the same key, and otherwise to a new sample. */
    void add(MemberName name, long offset, int size) throws IOException {
        if (!name.key().equals(current)) {
            begin(name.key());
        }
        if (members == blocks.length) {
            blocks = Arrays.copyOf(blocks, members * 2);
            sizes = Arrays.copyOf(sizes, members * 2);
            suffixes = Arrays.copyOf(suffixes, members * 2);
        }
        blocks[members] = (int) (offset / TarHeader.BLOCK_BYTES);
        sizes[members] = size;
        suffixes[members] = suffixNumbers.computeIfAbsent(name.suffix(), suffix -> {
            suffixNames.add(suffix);
            return suffixNames.size() - 1;
        });
        members++;
    }

    /** Adds a member that makes its sample bad for the given reason. */
    void addBad(MemberName name, long offset, String reason) throws IOException {
        add(name, offset, TarIndex.BAD);
        reasons.put(members - 1, reason);
    }

    /** Counts a symbolic link, which is not read. */
    void addSkippedLink(String name) {
        skippedLinkCount++;
        if (skippedLinks.size() < TarIndex.MOST_SHOWN_LINKS) {
            skippedLinks.add(name);
        }
    }

    /** Ends the sample, so that the next member begins a new one even if it has the same key. */
    void endSample() {
        current = null;
    }

    private void begin(String key) throws IOException {
        byte[] utf8 = key.getBytes(StandardCharsets.ISO_8859_1);
        if (utf8.length > MOST_KEY_BYTES - keyBytes) {
            throw new IOException("the archive's keys have more than " + MOST_KEY_BYTES + " bytes");
        }
        if (samples == firstMember.length) {
            firstMember = Arrays.copyOf(firstMember, samples * 2);
            keyEnds = Arrays.copyOf(keyEnds, samples * 2);
        }
        if (keyBytes + utf8.length > keys.length) {
            keys = Arrays.copyOf(keys, Math.max(keyBytes + utf8.length, keys.length * 2));
        }
        System.arraycopy(utf8, 0, keys, keyBytes, utf8.length);
        keyBytes += utf8.length;
        keyEnds[samples] = keyBytes;
        firstMember[samples] = members;
        samples++;
        current = key;
    }

    /** Returns the index of the collected members. */
    TarIndex build(@Nullable ShardLoss loss) {
        return new TarIndex(
                Arrays.copyOf(firstMember, samples),
                Arrays.copyOf(keyEnds, samples),
                Arrays.copyOf(keys, keyBytes),
                Arrays.copyOf(blocks, members),
                Arrays.copyOf(sizes, members),
                Arrays.copyOf(suffixes, members),
                suffixNames,
                reasons,
                skippedLinkCount,
                skippedLinks,
                loss);
    }
}
