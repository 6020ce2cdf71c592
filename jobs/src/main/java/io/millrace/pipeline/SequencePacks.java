package io.millrace.pipeline;

import io.millrace.config.PipelineConfig;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.packed.BadDocuments;
import io.millrace.dataset.packed.GrowingSpec;
import io.millrace.dataset.packed.PackedSpec;
import io.millrace.dataset.packed.PlannedSpec;
import io.millrace.dataset.packed.TokenCounts;
import io.millrace.generate.ProgressListener;
import io.millrace.order.EpochOrder;
import io.millrace.order.MixtureOrder;
import io.millrace.order.Shuffle;
import io.millrace.sample.Counted;
import io.millrace.sample.Split;
import io.millrace.sequence.LengthsFile;
import io.millrace.sequence.Overlong;
import io.millrace.sequence.PackChoice;
import io.millrace.sequence.PackFill;
import io.millrace.sequence.PackPolicy;
import io.millrace.sequence.PackRule;
import io.millrace.sequence.PackTotals;
import io.millrace.sequence.SequencePlan;
import io.millrace.transform.TransformSpec;
import io.millrace.transform.text.PackOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/**
 * The packs of a dataset whose pipeline has the transform {@code pack_sequences}. The tokens of its documents are counted once; then the
 * packs of a run are a function of the lengths and the order of the documents.
 *
 * <p>Tested by {@code PackedRunTest}.
 */
final class SequencePacks {
    /** The number of tokens that a run may wait for, which our own engine counts in some seconds. */
    private static final long MOST_WAITED_FOR = 1L << 27;

    private final PipelineConfig config;
    private final Split split;
    private final int source;
    private final Rounds rounds;
    private final List<TransformSpec> stages;
    private final PackOptions options;
    private final DatasetSpec spec;

    private SequencePacks(
            PipelineConfig config,
            Split split,
            int source,
            Rounds rounds,
            List<TransformSpec> transforms,
            int packing) {
        this.config = config;
        this.split = split;
        this.source = source;
        this.rounds = rounds;
        this.stages = transforms.subList(0, packing);
        this.options = PackOptions.of(transforms.get(packing));
        this.spec = DatasetOpening.spec(config, split);
    }

    /** What a run needs to know of the rounds of a dataset. */
    enum Rounds {
        /** The number of packs of a round, so that all documents are counted first. */
        COUNTED,
        /** Nothing: packs are numbered over all rounds, and documents that are not counted yet are counted while the run reads them. */
        ENDLESS,
        /** The number of packs of a round if the documents are counted in some seconds, or about this number otherwise. */
        ABOUT
    }

    /**
     * The packs of a dataset.
     *
     * @param round about how many packs a round has, where the run needs to know it and packs are numbered over all rounds
     */
    record Packed(PackedSpec spec, OptionalLong round) {}

    /**
     * Returns the packs of a dataset; empty when its documents are not packed, or its samples are packs already.
     *
     * @param config the pipeline of the dataset alone
     * @param source the number of the training dataset
     * @param documents the documents, with settled types
     * @param progress is told how many documents have been counted, if that is still to be done
     * @param remarks gets sentences on the packs
     * @throws PipelineException when the documents cannot be packed so
     */
    static Optional<Packed> of(
            PipelineConfig config,
            Split split,
            int source,
            Rounds rounds,
            Dataset documents,
            ProgressListener progress,
            List<String> remarks)
            throws IOException, PipelineException {
        List<TransformSpec> transforms = config.transforms(split);
        int packing = -1;
        for (int i = 0; i < transforms.size(); i++) {
            if (PackOptions.isPacking(transforms.get(i))) {
                if (packing >= 0) {
                    throw new PipelineException(
                            "pack_sequences: expected it once, found it twice among the transforms of "
                                    + DatasetOpening.spec(config, split).path());
                }
                packing = i;
            }
        }
        if (packing < 0 || documents.packed()) {
            return Optional.empty();
        }
        if (config.data().order().isDrawn()) {
            throw new PipelineException(
                    "order: samples are drawn by weight, but with pack_sequences the samples are packs"
                            + " of several documents: expected either pack_sequences, or weights, balance or draws");
        }
        try {
            return Optional.of(new SequencePacks(config, split, source, rounds, transforms, packing)
                    .plan(documents, progress, remarks));
        } catch (IllegalArgumentException e) {
            throw new PipelineException("pack_sequences: " + e.getMessage(), e);
        }
    }

    /**
     * Returns the kind of shuffling of the samples of a training dataset: none for packs, because their documents are shuffled.
     *
     * @param config the pipeline of the dataset alone
     */
    static Shuffle shuffle(PipelineConfig config) {
        boolean packed = config.data().transforms().stream().anyMatch(PackOptions::isPacking);
        return packed ? Shuffle.NONE : config.data().order().shuffle();
    }

    private Packed plan(Dataset documents, ProgressListener progress, List<String> remarks)
            throws IOException, PipelineException {
        CountedDocuments counted = new CountedDocuments(
                config,
                split,
                stages,
                options.folder(),
                new PackRule(options.length(), PackPolicy.BEST_FIT, 1, overlong()));
        EpochOrder order = new EpochOrder(
                MixtureOrder.sourceSeed(config.data().order().seed(), source),
                documents.size(),
                split == Split.TRAIN ? config.data().order().shuffle() : Shuffle.NONE);
        Optional<Packed> begun = rounds == Rounds.COUNTED
                ? Optional.empty()
                : withoutWaiting(documents, counted, order, progress, remarks);
        if (begun.isPresent()) {
            return begun.get();
        }
        TokenCounts counts = counted.counts(documents, progress, remarks);
        LengthsFile lengths = counts.open();
        int[] sample = TokenCounting.first(lengths, order, CountedDocuments.SAMPLE, Long.MAX_VALUE);
        PackChoice choice = choice(sample, order.size());
        return new Packed(planned(counts, lengths, false, order, sample, choice, remarks), OptionalLong.empty());
    }

    /** Returns the packs of documents of which only the first are counted; empty if the run waits until all are. */
    private Optional<Packed> withoutWaiting(
            Dataset documents,
            CountedDocuments counted,
            EpochOrder order,
            ProgressListener progress,
            List<String> remarks)
            throws IOException, PipelineException {
        CountedDocuments.First first = counted.first(documents, order, progress, remarks);
        int[] sample = first.lengths();
        double ofAll = (double) order.size() / sample.length;
        if (rounds == Rounds.ABOUT && ofAll * tokens(sample) <= MOST_WAITED_FOR) {
            return Optional.empty();
        }
        PackChoice choice = choice(sample, order.size());
        PackedSpec packs = first.all().isEmpty()
                ? growing(first, order, choice, remarks)
                : planned(first.counts(), first.all().get(), true, order, sample, choice, remarks);
        // Also where all lengths are known: a position has the same samples then.
        long round = Math.round(ofAll * choice.rule().totals(sample).packs());
        return Optional.of(new Packed(packs, rounds == Rounds.ENDLESS ? OptionalLong.empty() : OptionalLong.of(round)));
    }

    /** Returns the packs of documents that are all counted. */
    private PackedSpec planned(
            TokenCounts counts,
            LengthsFile lengths,
            boolean endless,
            EpochOrder order,
            int[] sample,
            PackChoice choice,
            List<String> remarks)
            throws IOException, PipelineException {
        SequencePlan plan = KeptPlans.plan(counts, order, choice.rule(), lengths, remarks);
        PackTotals totals = plan.totals();
        Path bad = StageCounter.badDocuments(Path.of(counts.file()));
        if (totals.empty() > mostBad(order.size())) {
            throw new PipelineException(String.format(
                    Locale.ROOT,
                    "%,d of %s of %s are bad, more than batch.max_quarantined = %s %% allows: %s",
                    totals.empty(),
                    Counted.of(order.size(), "document"),
                    spec.path(),
                    String.valueOf(100 * config.batch().maxQuarantined()),
                    BadDocuments.describe(bad)));
        }
        if (totals.packs() == 0 && order.size() > 0) {
            throw new PipelineException(BadDocuments.all(spec.path(), order.size(), bad));
        }
        remarks.add(String.format(
                Locale.ROOT,
                "%s: %s of %s from %s, %s; %s",
                spec.path(),
                Counted.of(totals.packs(), "sequence"),
                Counted.of(options.length(), "token"),
                Counted.of(order.size() - totals.empty(), "document"),
                filled(totals, order.size()),
                choice.reason()));
        if (totals.empty() > 0) {
            remarks.add(String.format(
                    Locale.ROOT,
                    "%s: %,d of %s %s bad and in no sequence: %s",
                    spec.path(),
                    totals.empty(),
                    Counted.of(order.size(), "document"),
                    totals.empty() == 1 ? "is" : "are",
                    BadDocuments.describe(bad)));
        }
        return new PlannedSpec(plan, counts, fill(totals, order.size(), order, sample, choice, remarks), endless);
    }

    /** Returns the packs of documents of which the first ones are counted. */
    private PackedSpec growing(
            CountedDocuments.First first, EpochOrder order, PackChoice choice, List<String> remarks) {
        int[] sample = first.lengths();
        PackTotals totals = choice.rule().totals(sample);
        remarks.add(String.format(
                Locale.ROOT,
                "%s: sequences of %s from %s, which are counted while the run reads them; the first %,d of them: %s; %s",
                spec.path(),
                Counted.of(options.length(), "token"),
                Counted.of(order.size(), "document"),
                sample.length,
                filled(totals, sample.length),
                choice.reason()));
        return new GrowingSpec(
                order,
                choice.rule(),
                first.counts(),
                first.counter(),
                mostBad(order.size()),
                fill(totals, sample.length, order, sample, choice, remarks));
    }

    private String filled(PackTotals totals, long documents) {
        return String.format(
                Locale.ROOT,
                "%.2f %% filled, %.1f %% of the documents split",
                100 * totals.fill(options.length()),
                100.0 * totals.split() / Math.max(1, documents - totals.empty()));
    }

    /** @param counted the number of documents of the totals */
    private PackFill fill(
            PackTotals totals, long counted, EpochOrder order, int[] sample, PackChoice choice, List<String> remarks) {
        boolean automatic = options.window().isEmpty() && options.policy().isEmpty();
        PackFill fill = PackFill.of(choice.rule(), totals, automatic, sample, counted, order.size());
        fill.remedy().ifPresent(remedy -> remarks.add(spec.path() + ": sequences are " + remedy));
        return fill;
    }

    /** Returns the largest number of documents that may be bad. */
    private long mostBad(long documents) {
        return (long) Math.floor(config.batch().maxQuarantined() * documents);
    }

    private Overlong overlong() {
        return options.splitLong() ? Overlong.SPLIT : Overlong.REFUSE;
    }

    private PackChoice choice(int[] sample, long documents) {
        return PackChoice.choose(
                options.length(),
                overlong(),
                options.window().isPresent() ? List.of(options.window().getAsInt()) : PackChoice.WINDOWS,
                options.policy().map(List::of).orElse(PackChoice.POLICIES),
                sample,
                documents);
    }

    private static long tokens(int[] lengths) {
        return IntStream.of(lengths).filter(length -> length > 0).asLongStream().sum();
    }
}
