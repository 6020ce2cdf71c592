package io.millrace.python;

import io.millrace.dataset.Fingerprint;
import io.millrace.order.SampleRandom;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
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
        Map<String, String> values = values(read(worker, index));
        if (values.isEmpty()) {
            return Optional.empty();
        }
        MessageDigest digest = sha256();
        values.forEach((name, hash) -> digest.update((name + "=" + hash + "\n").getBytes(StandardCharsets.UTF_8)));
        return Optional.of(HexFormat.of().formatHex(digest.digest(), 0, HASH_BYTES));
    }

    /** Reads an item with the random numbers of the comparison. */
    static ItemReply read(DatasetWorker worker, long index) throws WorkerLostException {
        SampleRandom random = new SampleRandom(0, SampleRandom.READ).reset(0, index);
        long bits = (long) random.nextInt() << Integer.SIZE | Integer.toUnsignedLong(random.nextInt());
        return worker.items(new long[] {index}, new long[] {bits}).get(0);
    }

    /** Returns the hashes of an item's values by name; empty for a bad item. */
    static Map<String, String> values(ItemReply reply) {
        Map<String, String> hashes = new TreeMap<>();
        for (ItemReply.Value value : reply.values()) {
            MessageDigest digest = sha256();
            digest.update((value.form() + " " + value.field().dtype() + " "
                            + Arrays.toString(value.field().shape()))
                    .getBytes(StandardCharsets.UTF_8));
            digest.update(value.field().data());
            hashes.put(value.name(), HexFormat.of().formatHex(digest.digest(), 0, HASH_BYTES));
        }
        return hashes;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
