package io.millrace.python;

import io.millrace.dataset.Fingerprint;
import io.millrace.order.SampleRandom;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * The hashes of some items of a dataset, with which processes are compared. The items are read with fixed random numbers, twice: one
 * that differs when it is read again has numbers that no seed decides, and cannot be compared. Stateless.
 */
final class ItemHashes {
    /** After this time no further item is read. */
    private static final long ENOUGH_NANOS = TimeUnit.SECONDS.toNanos(3);

    private static final int HASH_BYTES = 8;

    private ItemHashes() {}

    /** Returns the hashes of items that are good and can be compared. */
    static Fingerprint of(DatasetWorker worker, Collection<Long> indexes) throws WorkerLostException {
        Map<Long, String> hashes = new TreeMap<>();
        long began = System.nanoTime();
        for (long index : new TreeSet<>(indexes)) {
            if (System.nanoTime() - began > ENOUGH_NANOS) {
                break;
            }
            Optional<String> first = hash(worker, index);
            if (first.isPresent() && first.equals(hash(worker, index))) {
                hashes.put(index, first.get());
            }
        }
        return new Fingerprint(hashes);
    }

    private static Optional<String> hash(DatasetWorker worker, long index) throws WorkerLostException {
        return hash(worker.items(new long[] {index}, new long[] {bits(index)}).get(0));
    }

    /** Returns the random bits of an item that is compared. */
    static long bits(long index) {
        SampleRandom random = new SampleRandom(0, SampleRandom.READ).reset(0, index);
        return (long) random.nextInt() << Integer.SIZE | Integer.toUnsignedLong(random.nextInt());
    }

    /** Returns the hash of an item's values, whatever their order; empty for a bad item. */
    static Optional<String> hash(ItemReply reply) {
        if (reply.status() != WorkerReply.Status.DONE) {
            return Optional.empty();
        }
        MessageDigest digest = sha256();
        List<ItemReply.Value> values = reply.values().stream()
                .sorted(Comparator.comparing(ItemReply.Value::name))
                .toList();
        for (ItemReply.Value value : values) {
            digest.update(value.name().getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0);
            digest.update((byte) value.form().ordinal());
            digest.update((byte) value.field().dtype().ordinal());
            int[] shape = value.field().shape();
            ByteBuffer extents = ByteBuffer.allocate((1 + shape.length) * Integer.BYTES).putInt(shape.length);
            for (int extent : shape) {
                extents.putInt(extent);
            }
            digest.update(extents.flip());
            digest.update(value.field().data());
        }
        return Optional.of(HexFormat.of().formatHex(digest.digest(), 0, HASH_BYTES));
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
