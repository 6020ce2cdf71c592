package io.millrace.text;

import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The ids of texts that were tokenised for their number alone, until the same text is tokenised again for a batch. A text is known by its
 * bytes and its vocabulary. All tokenizers of a process share an object. Any thread may use it.
 *
 * <p>The texts that are needed next are the oldest ones. Therefore a full object takes no more texts, unless its oldest one has waited
 * for so long that another process must have had its turn.
 *
 * <p>Tested by {@code KnownIdsTest}.
 */
public final class KnownIds {
    /** The ids of this process: at most an eighth of its heap. */
    public static final KnownIds OF_PROCESS =
            new KnownIds(Math.min(256L << 20, Runtime.getRuntime().maxMemory() / 8), TimeUnit.MINUTES.toNanos(1));

    /** The memory of an entry besides its arrays' elements, about. */
    private static final int OVERHEAD = 128;

    private final long mostBytes;
    private final long forgetNanos;
    private final Map<Text, Known> known = new LinkedHashMap<>();
    private long bytes;
    private volatile boolean empty = true;

    /**
     * Creates an object without texts.
     *
     * @param mostBytes the memory of all texts and ids
     * @param forgetNanos the time after which a text may be forgotten
     */
    KnownIds(long mostBytes, long forgetNanos) {
        this.mostBytes = mostBytes;
        this.forgetNanos = forgetNanos;
    }

    /** A text of a vocabulary. */
    private record Text(Object vocabulary, ByteBuffer utf8) {}

    /** What is known of a text. */
    public static final class Known {
        private final int[] ids;
        private final long cpuNanos;
        private final long since;

        private Known(int[] ids, long cpuNanos, long since) {
            this.ids = ids;
            this.cpuNanos = cpuNanos;
            this.since = since;
        }

        /** Appends the ids of the text. */
        public void appendTo(TokenIds all) {
            all.addAll(ids);
        }

        /** Returns the CPU time that it took to make the ids. */
        public long cpuNanos() {
            return cpuNanos;
        }
    }

    /**
     * Keeps the ids of a text.
     *
     * @param vocabulary the tokenizer's {@link Tokenizer#vocabulary}
     * @param utf8 the text, of which a copy is kept
     * @param ids its ids, which belong to this object from now on
     * @return whether they are kept
     */
    public boolean put(Object vocabulary, byte[] utf8, int[] ids, long cpuNanos) {
        Text text = new Text(vocabulary, ByteBuffer.wrap(utf8.clone()));
        long now = System.nanoTime();
        synchronized (this) {
            long size = size(text, ids);
            Iterator<Map.Entry<Text, Known>> oldest = known.entrySet().iterator();
            while (bytes + size > mostBytes && oldest.hasNext()) {
                Map.Entry<Text, Known> first = oldest.next();
                if (now - first.getValue().since < forgetNanos) {
                    return false;
                }
                oldest.remove();
                bytes -= size(first.getKey(), first.getValue().ids);
            }
            boolean kept = bytes + size <= mostBytes && known.putIfAbsent(text, new Known(ids, cpuNanos, now)) == null;
            bytes += kept ? size : 0;
            empty = known.isEmpty();
            return kept;
        }
    }

    /** Returns what is known of a text, and forgets it; null when nothing is known. */
    public @Nullable Known take(Object vocabulary, byte[] utf8) {
        if (empty) {
            return null;
        }
        Text text = new Text(vocabulary, ByteBuffer.wrap(utf8));
        synchronized (this) {
            Known found = known.remove(text);
            if (found != null) {
                bytes -= size(text, found.ids);
                empty = known.isEmpty();
            }
            return found;
        }
    }

    /** Forgets the texts of a vocabulary that no run counts any more. */
    public synchronized void forget(Object vocabulary) {
        for (Iterator<Map.Entry<Text, Known>> each = known.entrySet().iterator(); each.hasNext(); ) {
            Map.Entry<Text, Known> entry = each.next();
            if (entry.getKey().vocabulary == vocabulary) {
                each.remove();
                bytes -= size(entry.getKey(), entry.getValue().ids);
            }
        }
        empty = known.isEmpty();
    }

    private static long size(Text text, int[] ids) {
        return OVERHEAD + text.utf8.capacity() + (long) Integer.BYTES * ids.length;
    }
}
