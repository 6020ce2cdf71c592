package io.millrace.dataset;

import java.io.Serializable;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * The hashes of some samples of a dataset that code of the user makes. Two processes whose fingerprints agree have most likely made
 * the same dataset.
 *
 * @param hashes the hash of each sample by its index. Samples that cannot be compared are missing
 */
public record Fingerprint(Map<Long, String> hashes) implements Serializable {
    /** The fingerprint of a dataset whose samples are not compared. */
    public static final Fingerprint NONE = new Fingerprint(Map.of());

    public Fingerprint {
        hashes = Collections.unmodifiableMap(new TreeMap<>(hashes));
    }

    /**
     * Requires that the samples which both fingerprints have are the same.
     *
     * @param name the dataset's name
     * @param other where the other dataset is, for the message, such as "in another process"
     * @throws DatasetException with the index of the first sample that differs
     */
    public void requireSame(String name, Fingerprint others, String other) throws DatasetException {
        for (Map.Entry<Long, String> each : hashes.entrySet()) {
            String hash = others.hashes.get(each.getKey());
            if (hash != null && !hash.equals(each.getValue())) {
                throw new DatasetException("item " + each.getKey() + " of " + name + " differs from the same item "
                        + other
                        + ": expected that each process makes the same dataset. Often the order of files or of a"
                        + " set, the time, or numbers that no seed decides make the difference: sort what has no order,"
                        + " and draw from seeded generators. millrace inspect --check names what differs, and"
                        + " compare: false of the dataset allows it");
            }
        }
    }
}
