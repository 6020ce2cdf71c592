package io.millrace.dataset;

import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Numbers;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The division of a dataset into parts. The hash of a sample is the first 8 bytes of the SHA-256 of {@code seed/unit} as a number
 * without a sign, big-endian. The unit is the value or the folder of the sample's group, else its name, and its index where the format
 * has no names. Without strata, a sample belongs to the part in whose interval its hash / 2^64 lies, so that no other sample matters.
 * With strata, {@link Strata} decides.
 *
 * <p>Tested by {@code PartDatasetTest}.
 */
final class PartDivision {
    /** The samples that one task hashes; a multiple of 64, so that no two tasks write the same word. */
    private static final int HASHED_TOGETHER = 1 << 16;

    /** The samples that one task reads for the values of their groups. */
    private static final int READ_TOGETHER = 1 << 10;

    private final String path;
    private final Dataset dataset;
    private final PartSpec part;

    PartDivision(String path, Dataset dataset, PartSpec part) {
        this.path = path;
        this.dataset = dataset;
        this.part = part;
    }

    /** A task for the samples {@code from} to {@code to - 1}. */
    @FunctionalInterface
    private interface Task {
        void apply(long from, long to) throws IOException;
    }

    /**
     * Returns the samples of the part.
     *
     * @throws DatasetException when the dataset has no names, no such field or no labels, and the division needs them
     */
    SampleSet samples() throws IOException {
        long size = dataset.size();
        if (size > (part.stratified() ? Integer.MAX_VALUE - 8 : 64L * (Integer.MAX_VALUE - 8))) {
            throw new DatasetException(
                    "dataset " + path + ": expected fewer samples to divide into parts, found " + size);
        }
        long[] words = new long[Math.toIntExact((size + 63) / 64)];
        Units units = units();
        if (part.stratified()) {
            stratify(words, units);
        } else {
            Interval interval = Interval.of(part);
            each(units.together(), (from, to) -> {
                MessageDigest digest = sha256();
                for (long i = from; i < to; i++) {
                    if (interval.contains(hash(digest, units, i))) {
                        words[(int) (i / 64)] |= 1L << i;
                    }
                }
            });
        }
        return new SampleSet(words);
    }

    private void stratify(long[] words, Units units) throws IOException {
        int size = (int) dataset.size();
        long[] hashes = new long[size];
        long[] labels = new long[size];
        each(units.together(), (from, to) -> {
            MessageDigest digest = sha256();
            for (int i = (int) from; i < to; i++) {
                hashes[i] = hash(digest, units, i);
                labels[i] = label(i);
            }
        });
        if (dataset.classes().isEmpty() && IntStream.range(0, size).allMatch(i -> labels[i] == labels[0])) {
            throw new DatasetException("dataset " + path + ": parts_stratified needs labels, expected at least two"
                    + " different ones, found " + (size == 0 ? "none" : labels[0]) + " for each sample");
        }
        new Strata(hashes, labels).choose(part, i -> words[i / 64] |= 1L << i);
    }

    /** Returns the label of a sample; bad samples have one of their own. */
    private long label(long index) throws IOException {
        try {
            return dataset.label(index);
        } catch (BadSampleException e) {
            return Long.MIN_VALUE;
        }
    }

    private void each(int together, Task task) throws IOException {
        long size = dataset.size();
        try {
            IntStream.range(0, Math.toIntExact((size + together - 1) / together))
                    .parallel()
                    .forEach(number -> {
                        long from = (long) number * together;
                        try {
                            task.apply(from, Math.min(size, from + together));
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** The text by which a sample is divided, and the number of samples for one task. */
    private record Units(UnitOf text, int together) {}

    /** A function that returns the text by which a sample is divided. */
    @FunctionalInterface
    private interface UnitOf {
        String of(long index) throws IOException;
    }

    private Units units() throws IOException {
        PartGroup group = part.group();
        if (group == null) {
            return new Units(this::ownUnit, HASHED_TOGETHER);
        }
        String field = group.field();
        if (field == null) {
            if (dataset.size() > 0 && isNameless(0)) {
                throw new DatasetException(
                        "dataset " + path + ": parts_group: folder needs a format whose samples have"
                                + " names with folders, such as folder or tar: name a field instead, parts_group: {field: NAME}");
            }
            return new Units(index -> folder(ownUnit(index)), HASHED_TOGETHER);
        }
        Dataset view = dataset.only(field);
        return new Units(index -> value(view, field, index), READ_TOGETHER);
    }

    private String ownUnit(long index) throws IOException {
        try {
            String name = dataset.nameOf(index);
            return name == null ? Long.toString(index) : name;
        } catch (BadSampleException e) {
            return Long.toString(index);
        }
    }

    private boolean isNameless(long index) throws IOException {
        try {
            return dataset.nameOf(index) == null;
        } catch (BadSampleException e) {
            return false;
        }
    }

    private static String folder(String name) {
        return name.substring(0, Math.max(0, name.lastIndexOf('/')));
    }

    /** Returns the value of a field. A sample that cannot be read is a group of its own: it will be quarantined in its part. */
    private String value(Dataset view, String field, long index) throws IOException {
        Sample sample;
        try {
            sample = view.read(index);
        } catch (BadSampleException e) {
            return ownUnit(index);
        }
        if (!sample.fieldNames().contains(field)) {
            throw new DatasetException("dataset " + path + ": parts_group expected one of the fields "
                    + dataset.read(index).fieldNames() + ", found '" + field
                    + "'; the key fields of the dataset may name more of them");
        }
        return text(sample.field(field));
    }

    /** Returns a value as text: the text itself, or its numbers, where equal numbers of different types have the same text. */
    private static String text(Field field) {
        if (field.dtype() == DType.ENCODED || (field.kind().varies() && field.dtype() == DType.UINT8)) {
            return new String(field.data(), StandardCharsets.UTF_8);
        }
        ByteBuffer values = ByteBuffer.wrap(field.data()).order(ByteOrder.LITTLE_ENDIAN);
        int count = values.capacity() / field.dtype().bytes();
        ByteBuffer wide = ByteBuffer.allocate(count * Double.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        DType common = field.dtype().isFloat() ? DType.FLOAT64 : DType.INT64;
        Numbers.convert(values, field.dtype(), wide, common, count, Numbers.Policy.EXACT);
        return IntStream.range(0, count)
                .mapToObj(i -> common == DType.INT64
                        ? Long.toString(wide.getLong(i * Double.BYTES))
                        : decimal(wide.getDouble(i * Double.BYTES)))
                .collect(Collectors.joining(","));
    }

    private static String decimal(double number) {
        return number == Math.rint(number) && Math.abs(number) < 0x1p53
                ? Long.toString((long) number)
                : Double.toString(number);
    }

    private long hash(MessageDigest digest, Units units, long index) throws IOException {
        byte[] hash = digest.digest((part.seed() + "/" + units.text().of(index)).getBytes(StandardCharsets.UTF_8));
        return ByteBuffer.wrap(hash).getLong();
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /**
     * The hashes of a part, as numbers without a sign.
     *
     * @param last null when the interval has no hashes
     */
    private record Interval(long first, @Nullable Long last) {
        static Interval of(PartSpec part) {
            BigInteger first = scaled(part.begin());
            BigInteger last = scaled(part.end()).subtract(BigInteger.ONE);
            return new Interval(first.longValue(), last.compareTo(first) < 0 ? null : Long.valueOf(last.longValue()));
        }

        private static BigInteger scaled(BigDecimal share) {
            return share.multiply(new BigDecimal(BigInteger.ONE.shiftLeft(Long.SIZE)))
                    .setScale(0, RoundingMode.CEILING)
                    .toBigIntegerExact();
        }

        boolean contains(long hash) {
            Long end = last;
            return end != null && Long.compareUnsigned(hash, first) >= 0 && Long.compareUnsigned(hash, end) <= 0;
        }
    }
}
