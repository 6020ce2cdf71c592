package io.millrace.pipeline;

import io.millrace.config.EvaluateConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.packed.PackedSpec;
import io.millrace.dataset.packed.TokenCounts;
import io.millrace.generate.ProgressListener;
import io.millrace.order.EpochOrder;
import io.millrace.order.MixtureOrder;
import io.millrace.order.Shuffle;
import io.millrace.sample.Split;
import io.millrace.sequence.DocumentLengths;
import io.millrace.sequence.LengthsFile;
import io.millrace.sequence.Overlong;
import io.millrace.sequence.PackChoice;
import io.millrace.sequence.PackCounter;
import io.millrace.sequence.PackFill;
import io.millrace.sequence.PackPolicy;
import io.millrace.sequence.PackRule;
import io.millrace.sequence.PackTotals;
import io.millrace.sequence.SequencePlan;
import io.millrace.sequence.SequencePlanFile;
import io.millrace.transform.TransformSpec;
import io.millrace.transform.text.PackOptions;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The packs of a dataset whose pipeline has the transform {@code pack_sequences}. The tokens of its documents are counted once; then the
 * packs of a run are a function of the lengths and the order of the documents.
 *
 * <p>Tested by {@code PackedRunTest}.
 */
final class SequencePacks {
    /** The number of documents by whose lengths the window and the policy are chosen. */
    private static final int SAMPLE = 1 << 16;

    private final PipelineConfig config;
    private final Split split;
    private final int source;
    private final List<TransformSpec> stages;
    private final PackOptions options;
    private final DatasetSpec spec;

    private SequencePacks(PipelineConfig config, Split split, int source, List<TransformSpec> transforms, int packing) {
        this.config = config;
        this.split = split;
        this.source = source;
        this.stages = transforms.subList(0, packing);
        this.options = PackOptions.of(transforms.get(packing));
        this.spec = DatasetOpening.spec(config, split);
    }

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
    static Optional<PackedSpec> of(
            PipelineConfig config,
            Split split,
            int source,
            Dataset documents,
            ProgressListener progress,
            List<String> remarks)
            throws IOException, PipelineException {
        List<TransformSpec> transforms = transforms(config, split);
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
            return Optional.of(
                    new SequencePacks(config, split, source, transforms, packing).plan(documents, progress, remarks));
        } catch (IllegalArgumentException e) {
            throw new PipelineException("pack_sequences: " + e.getMessage(), e);
        }
    }

    private static List<TransformSpec> transforms(PipelineConfig config, Split split) {
        return split == Split.TRAIN
                ? config.data().transforms()
                : config.evaluate().map(EvaluateConfig::transforms).orElse(List.of());
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

    private PackedSpec plan(Dataset documents, ProgressListener progress, List<String> remarks)
            throws IOException, PipelineException {
        TokenCounts counts = new CountedDocuments(
                        config,
                        split,
                        stages,
                        options.folder(),
                        new PackRule(options.length(), PackPolicy.BEST_FIT, 1, overlong()))
                .counts(documents, progress);
        Path file = Path.of(counts.file());
        LengthsFile lengths = counts.open();
        EpochOrder order = new EpochOrder(
                MixtureOrder.sourceSeed(config.data().order().seed(), source),
                documents.size(),
                split == Split.TRAIN ? config.data().order().shuffle() : Shuffle.NONE);
        int[] sample = sample(order, lengths);
        PackChoice choice = choice(sample, order.size());
        SequencePlan plan = plan(counts, order, choice.rule(), lengths);
        PackTotals totals = plan.totals();
        requireGood(totals, documents.size(), file);
        remarks.add(String.format(
                Locale.ROOT,
                "%s: %,d sequences of %,d tokens from %,d documents, %.2f %% filled, %.1f %% of the documents split; %s",
                spec.path(),
                totals.packs(),
                options.length(),
                documents.size() - totals.empty(),
                100 * totals.fill(options.length()),
                100.0 * totals.split() / Math.max(1, documents.size() - totals.empty()),
                choice.reason()));
        if (totals.empty() > 0) {
            remarks.add(String.format(
                    Locale.ROOT,
                    "%s: %,d of %,d documents are bad and in no sequence: %s lists them",
                    spec.path(),
                    totals.empty(),
                    documents.size(),
                    TokenCounting.badDocuments(file)));
        }
        boolean automatic = options.window().isEmpty() && options.policy().isEmpty();
        PackFill fill = PackFill.of(choice.rule(), totals, automatic, sample, order.size(), order.size());
        fill.remedy().ifPresent(remedy -> remarks.add(spec.path() + ": sequences are " + remedy));
        return new PackedSpec(plan, counts, fill);
    }

    private Overlong overlong() {
        return options.splitLong() ? Overlong.SPLIT : Overlong.REFUSE;
    }

    /** Returns the lengths of documents at the beginning of the order. */
    private static int[] sample(EpochOrder order, DocumentLengths lengths) {
        int[] sample = new int[(int) Math.min(SAMPLE, order.size())];
        for (int i = 0; i < sample.length; i++) {
            sample[i] = lengths.length(order.index(0, i));
        }
        return sample;
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

    private static SequencePlan plan(TokenCounts counts, EpochOrder order, PackRule rule, DocumentLengths lengths)
            throws IOException {
        Path file = Path.of(counts.file());
        byte[] key = HexFormat.of().parseHex(counts.key());
        String name = HexFormat.of().formatHex(CountedDocuments.sha256(order + "\n" + rule), 0, 8);
        Path kept = file.resolveSibling(file.getFileName() + "." + name + ".plan");
        try {
            return SequencePlanFile.read(kept, order, rule, key);
        } catch (NoSuchFileException e) {
            SequencePlan plan = new PackCounter(order, rule, lengths).count();
            SequencePlanFile.write(kept, plan, key);
            return plan;
        }
    }

    private void requireGood(PackTotals totals, long documents, Path file) throws PipelineException {
        double share = config.batch().maxQuarantined();
        if (totals.empty() > (long) Math.floor(share * documents)) {
            throw new PipelineException(String.format(
                    Locale.ROOT,
                    "%,d of %,d documents of %s are bad, more than batch.max_quarantined = %s %% allows: %s lists them",
                    totals.empty(),
                    documents,
                    spec.path(),
                    String.valueOf(100 * share),
                    TokenCounting.badDocuments(file)));
        }
    }
}
