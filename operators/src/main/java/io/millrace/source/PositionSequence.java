package io.millrace.source;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.order.BatchPlan;
import io.millrace.order.EpochOrder;
import io.millrace.order.MixtureOrder;
import io.millrace.order.Order.Pick;
import io.millrace.order.SampleRandom;
import io.millrace.sample.BadSample;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.ToLongFunction;

/**
 * The reading of the samples at consecutive positions of a run. A dataset is told which of its samples will be read, as far as they are
 * known: where the run has one dataset, up to the end of an epoch. One thread uses a sequence.
 *
 * <p>Tested by {@code PositionReaderTest} and {@code RangeReaderTest}.
 */
final class PositionSequence {
    /** The largest number of positions whose samples are looked up together where they are of several datasets. */
    private static final int MOST_PICKS = 1 << 14;

    /** The longest time of a wait for an order that depends on documents which are being counted. */
    private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final PositionReader reader;
    private final long to;

    /** The first position of the current stretch, and the one after its last. */
    private long began;

    private long ends;

    private Split split = Split.TRAIN;
    private IntFunction<Pick> picks = i -> {
        throw new IllegalStateException("no reading has begun");
    };

    /** The readings of the current stretch. */
    private List<Dataset.Reading> readings = List.of();

    /** For each place of the stretch, the number of its reading, and of the sample in it; empty when there is one reading. */
    private int[] readingOf = {};

    private int[] numberOf = {};

    private Dataset.Reading latest = i -> {
        throw new IllegalStateException("no sample has been read");
    };
    private long remoteCpuNanos;
    private long remoteCoreWaitNanos;
    private long queuedNanos;

    PositionSequence(PositionReader reader, long from, long to) {
        this.reader = reader;
        this.began = from;
        this.ends = from;
        this.to = to;
    }

    /**
     * Reads the sample at a position and sets that position. A bad sample is returned as quarantined, so that its row is accounted for;
     * its key is its file and its label is -1.
     *
     * @param position a larger one than in the call before
     * @throws IOException when reading itself fails; the message contains dataset, index and position
     */
    Sample read(long position) throws IOException {
        int i = reach(position);
        Pick pick = picks.apply(i);
        return read(reader.source(split, pick.source(), position), number(i), pick, position)
                .placeAt(position, pick.round(), split)
                .ofSource(pick.source(), first(pick.source()));
    }

    /** Waits for the sample at a position as {@link Dataset.Reading#await} does. The next position to read is this one. */
    boolean await(long position) throws IOException {
        if (position >= ends && !awaitOrder(position)) {
            return false;
        }
        int i = reach(position);
        return latest.await(number(i));
    }

    /** Waits until the order knows which sample is at a position. */
    private boolean awaitOrder(long position) throws IOException {
        BatchPlan.Place place = reader.plan().place(position);
        if (place.split() != Split.TRAIN) {
            return true;
        }
        long beganNanos = System.nanoTime();
        boolean known = reader.order().await(place.epoch(), place.i(), WAIT_NANOS);
        queuedNanos += known ? 0 : System.nanoTime() - beganNanos;
        return known;
    }

    /** Goes to the reading of the sample at a position, and returns the number of the sample in the stretch. */
    private int reach(long position) throws IOException {
        if (position >= ends) {
            remoteCpuNanos = remoteCpuNanos();
            remoteCoreWaitNanos = remoteCoreWaitNanos();
            queuedNanos = queuedNanos();
            begin(position);
        }
        int i = (int) (position - began);
        latest = readings.get(readingOf.length == 0 ? 0 : readingOf[i]);
        return i;
    }

    private int number(int i) {
        return numberOf.length == 0 ? i : numberOf[i];
    }

    private long first(int source) {
        return split == Split.TRAIN ? reader.sources().get(source).first() : 0;
    }

    private void begin(long position) throws IOException {
        BatchPlan.Place place = reader.plan().place(position);
        split = place.split();
        began = position;
        long most = Math.min(reader.left(place), to - position);
        if (split == Split.TRAIN && !(reader.order() instanceof EpochOrder)) {
            beginMixed(place, (int) Math.min(MOST_PICKS, most));
        } else {
            beginSingle(place, (int) Math.min(Integer.MAX_VALUE, most));
        }
    }

    /** Begins a stretch of samples of one dataset with the random numbers of one epoch. */
    private void beginSingle(BatchPlan.Place place, int count) {
        boolean training = split == Split.TRAIN;
        int epoch = place.epoch();
        picks = training ? i -> reader.order().at(epoch, place.i() + i) : i -> new Pick(0, epoch, place.i() + i);
        readings = List.of(reader.source(split, 0, began)
                .dataset()
                .reading(
                        new SampleRandom(
                                reader.order().seed(), training ? SampleRandom.READ : SampleRandom.READ_EVALUATION),
                        epoch,
                        count,
                        i -> picks.apply(i).index()));
        readingOf = new int[0];
        numberOf = readingOf;
        ends = began + count;
    }

    /** The samples of a stretch that one reading returns. */
    private record Share(int source, int round) {}

    /** Begins a stretch of samples of several datasets, or of several epochs of a dataset, as far as the order knows them. */
    private void beginMixed(BatchPlan.Place place, int most) throws IOException {
        Pick[] found = new Pick[most];
        readingOf = new int[most];
        numberOf = new int[most];
        Map<Share, Integer> numbers = new HashMap<>();
        List<Share> shares = new ArrayList<>();
        List<List<Pick>> members = new ArrayList<>();
        int count = 0;
        while (count < most && (count == 0 || reader.order().await(place.epoch(), place.i() + count, 0))) {
            int i = count++;
            Pick pick = reader.order().at(place.epoch(), place.i() + i);
            found[i] = pick;
            Share share = new Share(pick.source(), reader.order().readRound(pick));
            int number = numbers.computeIfAbsent(share, absent -> {
                shares.add(absent);
                members.add(new ArrayList<>());
                return members.size() - 1;
            });
            readingOf[i] = number;
            numberOf[i] = members.get(number).size();
            members.get(number).add(pick);
        }
        picks = i -> found[i];
        List<Dataset.Reading> begun = new ArrayList<>();
        for (int number = 0; number < members.size(); number++) {
            Share share = shares.get(number);
            List<Pick> own = members.get(number);
            begun.add(reader.source(split, share.source, began)
                    .dataset()
                    .reading(
                            new SampleRandom(
                                    MixtureOrder.sourceSeed(reader.order().seed(), share.source), SampleRandom.READ),
                            share.round,
                            own.size(),
                            i -> own.get(i).index()));
        }
        readings = List.copyOf(begun);
        ends = began + count;
    }

    private Sample read(NamedDataset source, int number, Pick pick, long position) throws IOException {
        try {
            return latest.read(number);
        } catch (BadSampleException e) {
            Sample bad = new Sample(source.dataset().indexInWhole(pick.index()), e.file(), -1);
            bad.quarantine(new BadSample(PositionReader.STAGE, source.path(), e.file(), e.offset(), e.reason()));
            return bad;
        } catch (IOException e) {
            throw PositionReader.unreadable(source, pick.index(), position, e);
        }
    }

    /** Returns the CPU time that other processes have spent on the samples so far. */
    long remoteCpuNanos() {
        return remoteCpuNanos + sum(Dataset.Reading::remoteCpuNanos);
    }

    /** Returns the time for which other processes were ready to work on the samples so far, and had no core. */
    long remoteCoreWaitNanos() {
        return remoteCoreWaitNanos + sum(Dataset.Reading::remoteCoreWaitNanos);
    }

    /** Returns the time for which the sequence has waited so far for something that other readings used, or for a count of documents. */
    long queuedNanos() {
        return queuedNanos + sum(Dataset.Reading::queuedNanos);
    }

    private long sum(ToLongFunction<Dataset.Reading> figure) {
        long sum = 0;
        for (Dataset.Reading reading : readings) {
            sum += figure.applyAsLong(reading);
        }
        return sum;
    }

    /** Returns the number of following samples that have been obtained together with the latest one, at its cost. */
    int obtained() {
        return latest.obtained();
    }
}
