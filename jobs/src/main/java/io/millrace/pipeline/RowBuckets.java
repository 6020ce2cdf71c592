package io.millrace.pipeline;

import io.millrace.config.Bucketing;
import io.millrace.config.OrderConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.packed.CountSpec;
import io.millrace.dataset.packed.DocumentTokens;
import io.millrace.dataset.packed.GrowingTokens;
import io.millrace.dataset.packed.Opened;
import io.millrace.dataset.packed.PackedSpec;
import io.millrace.generate.ProgressListener;
import io.millrace.order.EpochOrder;
import io.millrace.order.MixtureOrder;
import io.millrace.order.Order;
import io.millrace.sample.Split;
import io.millrace.sequence.ArrangedOrder;
import io.millrace.sequence.DocumentLengths;
import io.millrace.sequence.LengthBuckets;
import io.millrace.sequence.Overlong;
import io.millrace.sequence.PackPolicy;
import io.millrace.sequence.PackRule;
import io.millrace.transform.TransformSpec;
import io.millrace.transform.text.TokenizerEngine;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The arrangement of the documents of several batches in which each batch has documents of similar length. Where many documents are not
 * counted yet, only the first ones are counted before the run, and the others while it reads.
 *
 * <p>Tested by {@code RowArrangementTest} and {@code GrowingLengthsTest}.
 *
 * @param seed the seed of the run
 * @param rows the number of rows of a batch of all ranks
 * @param lengths the numbers of tokens of each training dataset, by the numbers of the datasets
 * @param counted those of them that are counted while the run reads
 */
record RowBuckets(
        Bucketing bucket,
        long seed,
        int rows,
        Map<Integer, Opened.Spec<DocumentLengths>> lengths,
        Map<Integer, GrowingTokens> counted)
        implements RowArrangement {
    /** The number of documents that a thread counts at a time while the run reads. */
    private static final int COUNTED_TOGETHER = 1 << 8;

    /** Returns the arrangement as {@link RowArrangement#of} does. */
    static RowBuckets of(
            Bucketing bucket,
            List<PipelineConfig> configs,
            int rows,
            List<Dataset> documents,
            Map<Integer, PackedSpec> packs,
            ProgressListener progress,
            List<String> remarks)
            throws IOException, PipelineException {
        OrderConfig order = configs.get(0).data().order();
        Map<Integer, Opened.Spec<DocumentLengths>> lengths = new HashMap<>();
        Map<Integer, GrowingTokens> counted = new HashMap<>();
        for (int source = 0; source < configs.size(); source++) {
            PipelineConfig config = configs.get(source);
            if (packs.containsKey(source)) {
                throw new PipelineException("order.bucket: expected documents that are not packed, found the transform"
                        + " pack_sequences for "
                        + config.data().dataset().spec().path());
            }
            CountedDocuments counting = new CountedDocuments(
                    config,
                    Split.TRAIN,
                    tokenizing(config.data().transforms()),
                    bucket.lengths(),
                    new PackRule(PackRule.MOST_LENGTH, PackPolicy.BEST_FIT, 1, Overlong.SPLIT));
            Dataset own = documents.get(source);
            if (order.isDrawn()) { // any document may be drawn first
                lengths.put(source, counting.counts(own, progress, remarks));
                continue;
            }
            EpochOrder visited = new EpochOrder(
                    MixtureOrder.sourceSeed(order.seed(), source), own.size(), SequencePacks.shuffle(config));
            CountedDocuments.First first = counting.first(own, visited, progress, remarks);
            if (first.all().isPresent()) {
                lengths.put(source, first.counts());
            } else {
                GrowingTokens growing = new GrowingTokens(new CountSpec(
                        visited, COUNTED_TOGETHER, window(bucket, rows), first.counts(), first.counter()));
                lengths.put(source, growing);
                counted.put(source, growing);
                remarks.add(String.format(
                        Locale.ROOT,
                        "%s: the tokens of %,d documents are counted while the run reads them",
                        config.data().dataset().spec().path(),
                        own.size()));
            }
        }
        return new RowBuckets(bucket, order.seed(), rows, Map.copyOf(lengths), Map.copyOf(counted));
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

    /** Returns the number of documents that are arranged together. */
    private static int window(Bucketing bucket, int rows) {
        return Math.min(Integer.MAX_VALUE / rows, bucket.window()) * rows;
    }

    @Override
    public Order arrange(Order order, List<String> remarks) {
        DocumentTokens tokens = new DocumentTokens(lengths);
        int[] upTo = bucket.upTo().stream().mapToInt(each -> each).toArray();
        LengthBuckets buckets = new LengthBuckets(upTo, rows, seed, tokens);
        int window = window(bucket, rows);
        int sample = sample(order, tokens);
        if (sample > 0) {
            // Of a window that is longer than the sample, a part is arranged.
            Order arranged = new ArrangedOrder(order, Math.min(window, sample), buckets);
            int whole = sample < window || sample == order.size() ? sample : sample - sample % window;
            remarks.add(String.format(
                    Locale.ROOT,
                    "order.bucket: %.1f %% of a batch is padding if its documents are padded to the longest one, %.1f %% without it",
                    100 * padding(arranged, tokens, whole),
                    100 * padding(order, tokens, whole)));
        }
        return new ArrangedOrder(order, window, buckets);
    }

    /** Returns the number of the first rows whose documents are all counted, in whole batches if the order has more; 0 for less than one. */
    private int sample(Order order, DocumentTokens tokens) {
        int most = (int) Math.min(order.size(), SAMPLE);
        int known = 0;
        while (known < most && tokens.isCounted(order.at(0, known))) {
            known++;
        }
        return known == order.size() ? known : known - known % rows;
    }

    private double padding(Order order, DocumentTokens tokens, int count) {
        int[] found = new int[count];
        for (int i = 0; i < count; i++) {
            found[i] = Math.max(0, tokens.tokens(order.at(0, i)));
        }
        return LengthBuckets.padding(found, rows);
    }
}
