package io.millrace.pipeline;

import io.millrace.config.Bucketing;
import io.millrace.config.PipelineConfig;
import io.millrace.config.WorkBalance;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.packed.DocumentTokens;
import io.millrace.dataset.packed.PackWork;
import io.millrace.dataset.packed.PackedSpec;
import io.millrace.dataset.packed.PlannedSpec;
import io.millrace.dataset.packed.TokenCounts;
import io.millrace.generate.ProgressListener;
import io.millrace.order.Order;
import io.millrace.sample.Counted;
import io.millrace.sample.Split;
import io.millrace.sequence.ArrangedOrder;
import io.millrace.sequence.BalancedRows;
import io.millrace.sequence.LengthBuckets;
import io.millrace.sequence.Overlong;
import io.millrace.sequence.PackPolicy;
import io.millrace.sequence.PackRule;
import io.millrace.sequence.SequenceCost;
import io.millrace.transform.TransformSpec;
import io.millrace.transform.text.TokenizerEngine;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The arrangement of a run's rows by their lengths: packed sequences within each batch, so that ranks have equal work, or documents
 * within several batches, so that each batch has documents of similar length.
 *
 * <p>Tested by {@code RowArrangementTest}.
 */
interface RowArrangement {
    /** The number of rows by which the effect of an arrangement is computed. */
    int SAMPLE = 1 << 14;

    /**
     * Returns the arranged order.
     *
     * @param order the order without the arrangement
     * @param rows the number of rows of a batch of all ranks
     * @param remarks gets a sentence on the effect
     * @throws IllegalArgumentException when the rows cannot be arranged so; the message is a sentence for the user
     */
    Order arrange(Order order, int rows, List<String> remarks);

    /**
     * Returns the arrangement of a run; empty when its rows keep their order.
     *
     * @param configs the pipelines of the training datasets alone
     * @param documents the training datasets before packing, with settled types
     * @param packs the packs of the datasets that are packed
     * @param progress is told how many documents have been counted, if that is still to be done
     * @param remarks gets a sentence if counts cannot be used
     * @throws PipelineException when a dataset cannot be arranged so
     */
    static Optional<RowArrangement> of(
            List<PipelineConfig> configs,
            List<Dataset> documents,
            Map<Integer, PackedSpec> packs,
            ProgressListener progress,
            List<String> remarks)
            throws IOException, PipelineException {
        Optional<WorkBalance> balance = configs.get(0).data().order().balanceWork();
        Optional<Bucketing> bucket = configs.get(0).data().order().bucket();
        if (balance.isPresent()) {
            for (int source = 0; source < configs.size(); source++) {
                if (!packs.containsKey(source)) {
                    throw new PipelineException("order.balance_work: expected the transform pack_sequences for "
                            + path(configs.get(source)) + ", found none; bucket is for documents that are not packed");
                }
            }
            return Optional.of(balanced(balance.get(), packs));
        }
        if (bucket.isEmpty()) {
            return Optional.empty();
        }
        Map<Integer, TokenCounts> counts = new HashMap<>();
        for (int source = 0; source < configs.size(); source++) {
            if (packs.containsKey(source)) {
                throw new PipelineException("order.bucket: expected documents that are not packed, found the transform"
                        + " pack_sequences for " + path(configs.get(source)));
            }
            counts.put(
                    source,
                    new CountedDocuments(
                                    configs.get(source),
                                    Split.TRAIN,
                                    tokenizing(configs.get(source).data().transforms()),
                                    bucket.get().lengths(),
                                    new PackRule(PackRule.MOST_LENGTH, PackPolicy.BEST_FIT, 1, Overlong.SPLIT))
                            .counts(documents.get(source), progress, remarks));
        }
        return Optional.of(bucketed(bucket.get(), configs.get(0).data().order().seed(), new DocumentTokens(counts)));
    }

    private static String path(PipelineConfig config) {
        return config.data().dataset().spec().path();
    }

    /** Returns the transforms up to the last one that makes tokens of text. */
    private static List<TransformSpec> tokenizing(List<TransformSpec> transforms) {
        int end = 0;
        for (int i = 0; i < transforms.size(); i++) {
            if (TokenizerEngine.isTokenizing(transforms.get(i))) {
                end = i + 1;
            }
        }
        return transforms.subList(0, end);
    }

    private static RowArrangement balanced(WorkBalance balance, Map<Integer, PackedSpec> packs) {
        PackWork work = new PackWork(packs, new SequenceCost(1, balance.attention()));
        return (order, rows, remarks) -> {
            BalancedRows balanced = rows(balance, rows, work);
            Order arranged = new ArrangedOrder(order, rows, balanced);
            long full = Math.min(order.size(), SAMPLE) / rows;
            if (full > 0 && packs.values().stream().allMatch(PlannedSpec.class::isInstance)) {
                double before = 0;
                double after = 0;
                for (long batch = 0; batch < full; batch++) {
                    before += balanced.slowest(costs(order, work, batch * rows, rows));
                    after += balanced.slowest(costs(arranged, work, batch * rows, rows));
                }
                remarks.add(String.format(
                        Locale.ROOT,
                        "order.balance_work: the slowest of %s has %.3f times the work of the mean one, %.3f times without it",
                        Counted.of(balance.ranks(), "rank"),
                        after / full,
                        before / full));
            }
            return arranged;
        };
    }

    private static BalancedRows rows(WorkBalance balance, int rows, PackWork work) {
        try {
            return new BalancedRows(balance.ranks(), balance.microBatches(), rows, work);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("order.balance_work: " + e.getMessage(), e);
        }
    }

    private static double[] costs(Order order, PackWork work, long first, int rows) {
        double[] costs = new double[rows];
        for (int row = 0; row < rows; row++) {
            costs[row] = work.cost(order.at(0, first + row));
        }
        return costs;
    }

    private static RowArrangement bucketed(Bucketing bucket, long seed, DocumentTokens tokens) {
        return (order, rows, remarks) -> {
            int window = Math.min(Integer.MAX_VALUE / rows, bucket.window()) * rows;
            int[] upTo = bucket.upTo().stream().mapToInt(each -> each).toArray();
            Order arranged = new ArrangedOrder(order, window, new LengthBuckets(upTo, rows, seed, tokens));
            remarks.add(String.format(
                    Locale.ROOT,
                    "order.bucket: %.1f %% of a batch is padding if its documents are padded to the longest one, %.1f %% without it",
                    100 * padding(arranged, tokens, rows),
                    100 * padding(order, tokens, rows)));
            return arranged;
        };
    }

    private static double padding(Order order, DocumentTokens tokens, int rows) {
        int[] lengths = new int[(int) Math.min(order.size(), Math.max(rows, SAMPLE / rows * rows))];
        for (int i = 0; i < lengths.length; i++) {
            lengths[i] = Math.max(0, tokens.tokens(order.at(0, i)));
        }
        return LengthBuckets.padding(lengths, rows);
    }
}
