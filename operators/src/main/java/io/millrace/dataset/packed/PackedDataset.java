package io.millrace.dataset.packed;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.ForwardingDataset;
import io.millrace.dataset.StoredLabels;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Part;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.sample.StoredRows;
import io.millrace.sequence.Packs;
import io.millrace.sequence.PlannedPacks;
import io.millrace.sequence.Slice;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A view of a dataset of documents whose samples are packs: each sample has the documents of a pack as its {@linkplain Sample#parts
 * parts}, which the stage {@code pack_sequences} joins after their texts have become tokens. The epoch of a reading is the round of the
 * packs. The view owns the dataset.
 *
 * <p>A document that cannot be read was found when the documents were counted, and is in no pack. If one cannot be read any more, its
 * packs are bad.
 *
 * <p>Tested by {@code PackedRunTest}.
 */
public final class PackedDataset extends ForwardingDataset {
    /** The longest time of a wait for a pack whose documents are being counted. */
    private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final String place;
    private final Packs packs;

    /**
     * Creates the view.
     *
     * @param place the name of the dataset in messages
     * @param packs the packs, of as many documents as the dataset has
     */
    PackedDataset(String place, Dataset documents, Packs packs) {
        super(documents);
        this.place = place;
        this.packs = packs;
    }

    @Override
    public long size() {
        return packs.size();
    }

    @Override
    public Sample read(long index) throws IOException {
        return reading(new SampleRandom(0, SampleRandom.READ), 0, 1, i -> index).read(0);
    }

    @Override
    public Reading reading(SampleRandom random, int epoch, int count, IntToLongFunction indexes) {
        return new PackReading(random, epoch, indexes);
    }

    /** Returns the parts of documents in a pack; none of them is empty. */
    public List<Slice> slices(int round, long pack) throws IOException {
        return packs.pack(round, pack);
    }

    /** Returns the number of documents. */
    public long documents() {
        return packs.documents();
    }

    /** Returns the packs of each round, after waiting until all documents are counted. */
    public PlannedPacks planned() throws IOException {
        return packs.planned();
    }

    @Override
    public boolean packed() {
        return true;
    }

    @Override
    public long label(long index) {
        return -1;
    }

    @Override
    public long[] shownClasses(long index) {
        return new long[0];
    }

    @Override
    public @Nullable String nameOf(long index) {
        return null;
    }

    @Override
    public long indexInWhole(long index) {
        return index;
    }

    @Override
    public Dataset only(String field) {
        return this;
    }

    @Override
    public List<String> classes() {
        return List.of();
    }

    @Override
    public @Nullable String classesOfObjects() {
        return null;
    }

    @Override
    public StoredLabels labels() {
        return new StoredLabels(StoredLabels.State.NOT_NAMED, List.of(), Optional.empty());
    }

    @Override
    public Optional<Dataset> undeclared() {
        return Optional.empty();
    }

    @Override
    public boolean namesUndeclared() {
        return false;
    }

    @Override
    public @Nullable StoredRows rows() {
        return null;
    }

    /** The reading of several packs. Each pack is a reading of documents. */
    private final class PackReading implements Reading {
        private final SampleRandom random;
        private final int round;
        private final IntToLongFunction numbers;
        private Reading documents = i -> {
            throw new IllegalStateException("no pack has been begun");
        };
        private long remoteCpuNanos;
        private long remoteCoreWaitNanos;
        private long queuedNanos;
        private long awaitedNanos;

        PackReading(SampleRandom random, int round, IntToLongFunction numbers) {
            this.random = random;
            this.round = round;
            this.numbers = numbers;
        }

        @Override
        public boolean await(int i) throws IOException {
            long began = System.nanoTime();
            boolean known = packs.await(numbers.applyAsLong(i), WAIT_NANOS);
            awaitedNanos += known ? 0 : System.nanoTime() - began;
            return known;
        }

        @Override
        public Sample read(int i) throws IOException {
            long pack = numbers.applyAsLong(i);
            List<Slice> slices = slices(round, pack);
            remoteCpuNanos += documents.remoteCpuNanos();
            remoteCoreWaitNanos = remoteCoreWaitNanos();
            queuedNanos = queuedNanos() - awaitedNanos;
            documents = dataset()
                    .reading(
                            random,
                            0, // a document has the same content in each round
                            slices.size(),
                            number -> slices.get(number).document());
            List<Part> parts = new ArrayList<>(slices.size());
            for (int number = 0; number < slices.size(); number++) {
                Slice slice = slices.get(number);
                parts.add(new Part(document(number, slice), slice.from(), slice.to()));
            }
            return new Sample(pack, place + ", pack " + pack, -1).ofParts(parts);
        }

        private Sample document(int number, Slice slice) throws IOException {
            try {
                return documents.read(number).placeAt(-1, 0, Split.TRAIN);
            } catch (BadSampleException e) {
                throw new BadSampleException(
                        e.file(),
                        e.offset(),
                        "document " + slice.document() + " was good when its tokens were counted, and now: "
                                + e.reason());
            }
        }

        @Override
        public long remoteCpuNanos() {
            return remoteCpuNanos + documents.remoteCpuNanos();
        }

        @Override
        public long remoteCoreWaitNanos() {
            return remoteCoreWaitNanos + documents.remoteCoreWaitNanos();
        }

        @Override
        public long queuedNanos() {
            return awaitedNanos + queuedNanos + documents.queuedNanos();
        }
    }
}
