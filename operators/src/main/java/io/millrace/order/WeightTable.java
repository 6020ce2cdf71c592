package io.millrace.order;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.ObjectStreamException;
import java.io.OutputStream;
import java.io.Serializable;
import java.lang.ref.WeakReference;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * The probabilities with which the samples of a dataset are drawn, and the drawing, in constant time. Samples of equal weight form a
 * group: a draw chooses a group by an {@link AliasTable}, and then one of its samples, all with the same probability. A sample of weight
 * 0 is never drawn.
 *
 * <p>Immutable and safe for any thread. It takes 5 to 8 bytes of memory for each sample, and all tables of a process with the same
 * weights share them. In serialized form, the numbers of the groups are compressed: weights that follow from labels take at most 1 byte for each
 * sample.
 */
@SuppressWarnings("serial") // the fields are replaced by the serialized form
public final class WeightTable implements Serializable {
    /** The largest serialized size in bytes. A job description with more is slow to send to the machines. */
    public static final int MOST_BYTES = 16 << 20;

    private static final long serialVersionUID = 1;

    private static final int BUFFER = 1 << 16;

    /** A bit of the counter's last word, which is 0 for the first block of every draw. */
    private static final int SECOND = 1 << 16;

    /** The tables of this process, by their hashes. */
    private static final Map<String, WeakReference<WeightTable>> KNOWN = new ConcurrentHashMap<>();

    private final int size;
    private final byte[] packed;
    private final String sha256;

    private final AliasTable groups;

    /** The samples, group by group, and the place of the first one of each group. */
    private final int[] samples;

    private final int[] starts;

    private WeightTable(double[] values, int[] groupOf, byte[] packed) {
        this.size = groupOf.length;
        this.packed = packed;
        this.sha256 = sha256(values, groupOf);
        this.starts = new int[values.length + 1];
        for (int group : groupOf) {
            starts[group + 1]++;
        }
        double[] totals = new double[values.length];
        for (int group = 0; group < values.length; group++) {
            totals[group] = values[group] * starts[group + 1];
            starts[group + 1] += starts[group];
        }
        this.groups = new AliasTable(totals);
        this.samples = new int[size];
        int[] next = starts.clone();
        for (int sample = 0; sample < size; sample++) {
            samples[next[groupOf[sample]]++] = sample;
        }
    }

    /**
     * Creates the table of a dataset.
     *
     * @param weights the weight of each sample, in proportion to one another: finite numbers of 0 or more, at least one above 0
     * @throws IllegalArgumentException when a weight is something else, their sum is not finite, or the table is too large to be sent
     *     to the machines; the message is a clause that names the sample
     */
    public static WeightTable of(double[] weights) {
        double sum = 0;
        for (int sample = 0; sample < weights.length; sample++) {
            double weight = weights[sample];
            if (!(weight >= 0) || weight == Double.POSITIVE_INFINITY) {
                throw new IllegalArgumentException(
                        "expected finite weights of 0 or more, found " + weight + " for sample " + sample);
            }
            sum += weight;
        }
        if (sum == 0) {
            throw new IllegalArgumentException(
                    "expected at least one weight above 0, found 0 for all " + weights.length + " samples");
        }
        if (sum == Double.POSITIVE_INFINITY) {
            throw new IllegalArgumentException("expected weights with a finite sum, found more than 1.8e308");
        }
        double[] values = Arrays.stream(weights)
                .map(weight -> weight + 0.0)
                .sorted()
                .distinct()
                .toArray(); // -0.0 becomes 0.0
        int[] groupOf = new int[weights.length];
        for (int sample = 0; sample < weights.length; sample++) {
            groupOf[sample] = Arrays.binarySearch(values, weights[sample] + 0.0);
        }
        byte[] packed = pack(values, groupOf);
        if (packed.length > MOST_BYTES) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "the weights of %,d samples have %,d different values, and take %,d bytes in the description of the job: expected"
                            + " at most %,d bytes. Round the weights so that fewer differ",
                    weights.length,
                    values.length,
                    packed.length,
                    MOST_BYTES));
        }
        return new WeightTable(values, groupOf, packed).shared();
    }

    /** Returns the compressed weights. */
    private static byte[] pack(double[] values, int[] groupOf) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Deflater deflater = new Deflater(Deflater.BEST_SPEED);
        try (OutputStream packed = new DeflaterOutputStream(bytes, deflater, BUFFER)) {
            write(values, groupOf, packed);
        } catch (IOException e) {
            throw new IllegalStateException("memory cannot be written", e);
        } finally {
            deflater.end();
        }
        return bytes.toByteArray();
    }

    private static void write(double[] values, int[] groupOf, OutputStream to) throws IOException {
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(to, BUFFER));
        out.writeInt(values.length);
        for (double value : values) {
            out.writeDouble(value);
        }
        out.writeInt(groupOf.length);
        for (int group : groupOf) {
            if (values.length <= 1 << Byte.SIZE) {
                out.writeByte(group);
            } else if (values.length <= 1 << Short.SIZE) {
                out.writeShort(group);
            } else {
                out.writeInt(group);
            }
        }
        out.flush();
    }

    private static WeightTable unpack(byte[] packed) throws IOException {
        try (DataInputStream in = new DataInputStream(
                new BufferedInputStream(new InflaterInputStream(new ByteArrayInputStream(packed)), BUFFER))) {
            double[] values = new double[in.readInt()];
            for (int group = 0; group < values.length; group++) {
                values[group] = in.readDouble();
            }
            int[] groupOf = new int[in.readInt()];
            for (int sample = 0; sample < groupOf.length; sample++) {
                groupOf[sample] = values.length <= 1 << Byte.SIZE
                        ? in.readUnsignedByte()
                        : values.length <= 1 << Short.SIZE ? in.readUnsignedShort() : in.readInt();
            }
            return new WeightTable(values, groupOf, packed);
        }
    }

    /** Returns the table of this process with the same weights, so that its tasks need the memory once. */
    private WeightTable shared() {
        WeightTable[] found = {this};
        KNOWN.compute(sha256, (key, known) -> {
            WeightTable table = known == null ? null : known.get();
            if (table == null) {
                return new WeakReference<>(this);
            }
            found[0] = table;
            return known;
        });
        KNOWN.values().removeIf(known -> known.get() == null);
        return found[0];
    }

    /** Returns the number of samples. */
    public int size() {
        return size;
    }

    /** Returns the SHA-256 of the weights, in hexadecimal digits. */
    public String sha256() {
        return sha256;
    }

    /**
     * Returns the sample of a draw.
     *
     * @param seed the run's seed
     * @param epoch the epoch of the draw, 0 or more
     * @param i the number of the draw in the epoch, 0 to 2^40 - 1
     */
    int draw(long seed, int epoch, long i) {
        int[] words = new int[Philox.WORDS];
        int high = (int) (i >>> Integer.SIZE);
        Philox.block(seed, (int) i, Philox.DRAW, epoch, high, words);
        int group = groups.draw(half(words, 0), half(words, 2));
        int members = starts[group + 1] - starts[group];
        if (members == 1) {
            return samples[starts[group]];
        }
        Philox.block(seed, (int) i, Philox.DRAW, epoch, high | SECOND, words);
        return samples[starts[group] + (int) Math.multiplyHigh(half(words, 0), 2L * members)];
    }

    /** Returns 63 random bits. */
    private static long half(int[] words, int at) {
        return (((long) words[at] << Integer.SIZE) | (words[at + 1] & 0xFFFF_FFFFL)) >>> 1;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof WeightTable table && sha256.equals(table.sha256);
    }

    @Override
    public int hashCode() {
        return sha256.hashCode();
    }

    @Override
    public String toString() {
        return "WeightTable[size=" + size + ", sha256=" + sha256 + "]";
    }

    private Object writeReplace() {
        return new Packed(packed);
    }

    /** The serialized form. */
    private static final class Packed implements Serializable {
        private static final long serialVersionUID = 1;

        private final byte[] bytes;

        Packed(byte[] bytes) {
            this.bytes = bytes;
        }

        private Object readResolve() throws ObjectStreamException {
            try {
                return unpack(bytes).shared();
            } catch (IOException | RuntimeException e) {
                InvalidObjectException damaged = new InvalidObjectException("a table of weights is damaged: " + e);
                damaged.initCause(e);
                throw damaged;
            }
        }
    }

    /** Returns the hash of the weights before compression, whose result may differ between versions of Java. */
    private static String sha256(double[] values, int[] groupOf) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            write(values, groupOf, new DigestOutputStream(OutputStream.nullOutputStream(), digest));
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        } catch (IOException e) {
            throw new IllegalStateException("memory cannot be written", e);
        }
    }
}
