package io.millrace.dataset.types;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.Fingerprint;
import io.millrace.dataset.OversizedSampleException;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.files.ParallelTasks;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;

/**
 * The inspection of a dataset's first samples, which settles the types that the format does not {@linkplain Dataset#undeclared
 * declare}. Several samples are read at a time. Bad samples are skipped. The result depends only on the dataset and the order: it is
 * the same on every machine.
 */
public final class TypeInspection {
    /** The number of samples of the order that are inspected. */
    public static final int SAMPLES = 1000;

    /**
     * The inspection ends early after the sample with which this number of bytes has been read, so that a run of large samples
     * begins soon.
     */
    private static final long ENOUGH_BYTES = 256L << 20;

    private static final int AT_ONCE = 125;

    /**
     * The inspection of samples that code of the user makes ends early after this time, because they may take long. The result of a
     * run is in its folder, so a resumed run does not depend on the time.
     */
    private static final long ENOUGH_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** The number of samples that are read at a time where the inspection may end early. */
    private static final int AT_ONCE_OF_CODE = 8;

    private final long size;
    private final Names names;
    private final Map<String, TypeVotes> votes = new LinkedHashMap<>();

    /** The number of good samples that have a field, by its name. */
    private final Map<String, Integer> counts = new LinkedHashMap<>();

    private long inspected;
    private int good;

    private TypeInspection(Dataset dataset) {
        this.size = dataset.size();
        this.names = dataset.namesUndeclared() ? Names.SETTLED : Names.DECLARED;
    }

    /**
     * Settles the types of a dataset.
     *
     * @param name the dataset's name for messages
     * @param order the index of the sample at each place of the order in which the run reads the dataset first
     * @throws DatasetException when all inspected values of a field are empty lists, and the dataset has more samples
     */
    public static FieldTypes of(String name, Dataset dataset, LongUnaryOperator order) throws IOException {
        Optional<Dataset> undeclared = dataset.undeclared();
        if (undeclared.isEmpty()) {
            return FieldTypes.NONE;
        }
        TypeInspection inspection = new TypeInspection(dataset);
        inspection.inspect(undeclared.get(), order);
        return inspection.settled(name, dataset.fingerprint());
    }

    /** The type of one value. The value itself is not kept, because many samples together may not fit into memory. */
    private record Seen(String name, FieldKind kind, DType dtype, List<Integer> shape) {
        long bytes() {
            long bytes = dtype.bytes();
            for (int extent : shape) {
                bytes *= extent;
            }
            return bytes;
        }
    }

    /**
     * Returns the types of a dataset that an earlier run settled. Types of fields that the earlier run did not read are settled as
     * {@link #of(String, Dataset, LongUnaryOperator)} does.
     *
     * @throws DatasetException when a sample differs from that of the earlier run
     */
    public static FieldTypes of(String name, Dataset dataset, LongUnaryOperator order, FieldTypes earlier)
            throws IOException {
        Optional<Dataset> undeclared = dataset.undeclared();
        if (undeclared.isEmpty()) {
            return FieldTypes.NONE;
        }
        dataset.fingerprint().requireSame(name, earlier.fingerprint(), "in the run that is continued");
        if (earlier.names() == Names.SETTLED && !earlier.byName().isEmpty()) {
            return earlier;
        }
        for (long place = 0; place < Math.min(SAMPLES, dataset.size()); place++) {
            List<Seen> seen = read(undeclared.get(), order.applyAsLong(place));
            if (!seen.isEmpty()) {
                boolean all = seen.stream().allMatch(field -> earlier.byName().containsKey(field.name()));
                return all ? earlier : of(name, dataset, order).replacedBy(earlier);
            }
        }
        return earlier;
    }

    private void inspect(Dataset undeclared, LongUnaryOperator order) throws IOException {
        OptionalLong stored = undeclared.storedBytes();
        long least = stored.isPresent() ? stored.getAsLong() / Math.max(1, size) : 0;
        long most = Math.min(size, SAMPLES);
        long bytes = 0;
        int atOnce = names == Names.SETTLED ? AT_ONCE_OF_CODE : AT_ONCE;
        long began = System.nanoTime();
        while (inspected < most
                && bytes < ENOUGH_BYTES
                && (names == Names.DECLARED || System.nanoTime() - began < ENOUGH_NANOS)) {
            List<Long> places = LongStream.range(inspected, Math.min(most, inspected + atOnce))
                    .boxed()
                    .toList();
            for (List<Seen> sample : ParallelTasks.map(places, place -> read(undeclared, order.applyAsLong(place)))) {
                if (bytes >= ENOUGH_BYTES) {
                    break;
                }
                bytes += Math.max(least, sample.stream().mapToLong(Seen::bytes).sum());
                sample.forEach(seen -> {
                    votes.computeIfAbsent(seen.name(), name -> new TypeVotes())
                            .add(seen.kind(), seen.dtype(), seen.shape());
                    counts.merge(seen.name(), 1, Integer::sum);
                });
                inspected++;
                good += sample.isEmpty() ? 0 : 1;
            }
        }
    }

    private static List<Seen> read(Dataset undeclared, long index) throws IOException {
        try {
            Sample sample = undeclared.read(index);
            List<Seen> seen = new ArrayList<>();
            for (String name : sample.fieldNames()) {
                Field field = sample.field(name);
                seen.add(new Seen(name, field.kind(), field.dtype(), FieldType.extents(field)));
            }
            return seen;
        } catch (OversizedSampleException e) {
            throw new DatasetException(e.file() + ": " + e.reason(), e);
        } catch (BadSampleException e) {
            return List.of();
        }
    }

    /**
     * Returns whether a field belongs to the samples, if only they name it: more than half of the good ones have it. A label that one
     * of them has belongs to all, because a sample without it would get a label that nobody has chosen.
     */
    private boolean belongs(String name) {
        return names == Names.DECLARED || name.equals(FieldSource.LABEL) || 2 * counts.getOrDefault(name, 0) > good;
    }

    private FieldTypes settled(String dataset, Fingerprint fingerprint) throws DatasetException {
        Map<String, FieldType> types = new LinkedHashMap<>();
        List<String> remarks = new ArrayList<>();
        for (Map.Entry<String, TypeVotes> each : votes.entrySet()) {
            if (!belongs(each.getKey())) {
                remarks.add("'" + each.getKey() + "' is left out, because only " + counts.get(each.getKey()) + " of "
                        + good + " samples that were looked at have it");
                continue;
            }
            Optional<FieldType> settled = each.getValue().settled();
            settled.ifPresent(type -> types.put(each.getKey(), type));
            if (settled.isEmpty() && inspected < size) {
                throw new DatasetException("dataset " + dataset + ": '" + each.getKey()
                        + "' is an empty list in all good samples among the first " + inspected
                        + " of the order, so its type is not known: expected at least one with elements. Another"
                        + " order.seed changes the order");
            }
        }
        return new FieldTypes(types, names, fingerprint, remarks);
    }
}
