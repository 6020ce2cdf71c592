package io.millrace.dataset.packed;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.ForwardingDataset;
import io.millrace.dataset.StoredLabels;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Part;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.sample.StoredRows;
import io.millrace.sequence.DocumentLengths;
import io.millrace.sequence.PackPlan;
import io.millrace.sequence.Slice;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A view of a dataset of documents whose samples are packs: each sample has the documents of a pack as its {@linkplain Sample#parts
 * parts}, which the stage {@code pack_sequences} joins after their texts have become tokens. The epoch of a reading is the round of the
 * packs. The view owns the dataset.
 *
 * <p>A document that cannot be read was found when the documents were counted, and is in no pack. If one cannot be read any more, its
 * packs are bad.
 */
public final class PackedDataset extends ForwardingDataset {
    private final String place;
    private final PackPlan plan;
    private final DocumentLengths lengths;

    /**
     * Creates the view.
     *
     * @param place the name of the dataset in messages
     * @param lengths the number of tokens of each document
     * @throws DatasetException when the dataset has another number of documents than were counted
     */
    public PackedDataset(String place, Dataset documents, PackPlan plan, DocumentLengths lengths)
            throws DatasetException {
        super(documents);
        if (documents.size() != lengths.size()) {
            throw new DatasetException("dataset " + place + " has " + documents.size() + " documents, but "
                    + lengths.size() + " were counted: it has changed, or this machine has another copy of it");
        }
        this.place = place;
        this.plan = plan;
        this.lengths = lengths;
    }

    @Override
    public long size() {
        return plan.packs();
    }

    @Override
    public Sample read(long index) throws IOException {
        return reading(new SampleRandom(0, SampleRandom.READ), 0, 1, i -> index).read(0);
    }

    @Override
    public Reading reading(SampleRandom random, int epoch, int count, IntToLongFunction indexes) {
        return new PackReading(random, epoch, indexes);
    }

    /** Returns the documents of a pack. */
    public List<Slice> slices(int round, long pack) {
        return plan.pack(round, pack, lengths);
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
        private final IntToLongFunction packs;
        private Reading documents = i -> {
            throw new IllegalStateException("no pack has been begun");
        };
        private long remoteCpuNanos;
        private long remoteCoreWaitNanos;
        private long queuedNanos;

        PackReading(SampleRandom random, int round, IntToLongFunction packs) {
            this.random = random;
            this.round = round;
            this.packs = packs;
        }

        @Override
        public Sample read(int i) throws IOException {
            long pack = packs.applyAsLong(i);
            List<Slice> slices = slices(round, pack);
            remoteCpuNanos = remoteCpuNanos();
            remoteCoreWaitNanos = remoteCoreWaitNanos();
            queuedNanos = queuedNanos();
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
            return queuedNanos + documents.queuedNanos();
        }
    }
}
