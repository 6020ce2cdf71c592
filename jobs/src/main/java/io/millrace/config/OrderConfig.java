package io.millrace.config;

import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.order.Shuffle;
import io.millrace.order.SkippedSteps;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The order of the training samples.
 *
 * <p>Tested by {@code ConfigReaderTest} and {@code RowArrangementTest}.
 *
 * @param seed the seed of the order and of every random transform
 * @param skipSteps the steps that the run leaves out
 * @param weights the weights with which samples are drawn; empty when they are not drawn by weights of the user
 * @param balance what is drawn equally often; empty when nothing is
 * @param draws the number of draws of an epoch; empty for the number of samples
 * @param balanceWork the ranks whose work is to be even; empty when the sequences of a batch keep the order of the run
 * @param bucket the buckets of documents of similar length; empty when documents keep the order of the run
 */
public record OrderConfig(
        long seed,
        Shuffle shuffle,
        List<StepRange> skipSteps,
        Optional<WeightSource> weights,
        Optional<Balance> balance,
        Optional<Integer> draws,
        Optional<WorkBalance> balanceWork,
        Optional<Bucketing> bucket) {
    static final Option<Object> SECTION = Option.of("order", Types.structure("section"), "The order of the samples.")
            .optional();
    static final Option<Long> SEED = Option.of(
                    "seed", OptionType.LONG, "The seed of the order of samples and of the random transforms.")
            .orElse(42L)
            .decides(Identity.BATCHES);
    static final Option<Shuffle> SHUFFLE = Option.of(
                    "shuffle",
                    ShuffleType.TYPE,
                    "none: storage order; full: a new permutation of the dataset in each epoch; blocks: the dataset is"
                            + " divided into blocks of {size} consecutive samples, the order of the blocks is permuted,"
                            + " and the samples of each group of {open} blocks are shuffled together; for shards on"
                            + " slow storage.")
            .orElse(Shuffle.FULL)
            .decides(Identity.BATCHES);
    static final Option<List<StepRange>> SKIP_STEPS = Option.of(
                    "skip_steps",
                    OptionType.listOf(StepRange.TYPE)
                            .writtenAs(ranges ->
                                    ranges.stream().map(StepRange::toString).toList()),
                    "Training steps that the run leaves out, such as [48200-48260]; all others keep their samples and move forward. The"
                            + " numbers are those of the logs: each entry counts without the steps of the entries before it. A"
                            + " resumed run may leave out further steps from the one on at which it resumes.")
            .optional()
            .decides(Identity.NOTHING);
    static final Option<WeightSource> WEIGHTS = Option.of(
                    "weights",
                    WeightSource.TYPE,
                    "The weights with which the samples of an epoch are drawn, with replacement, in place of a shuffle: a file with one"
                            + " number for each sample, a .npy array or lines of text, or {field: NAME} for a number in each sample.")
            .optional()
            .decides(Identity.NOTHING); // the weights themselves do, see PositionSettings
    static final Option<Balance> BALANCE = Option.of(
                    "balance",
                    OptionType.choice(Balance.class),
                    "classes: samples are drawn, with replacement, so that each label is equally likely.")
            .optional()
            .decides(Identity.NOTHING);
    static final Option<Integer> DRAWS = Option.of(
                    "draws",
                    Types.atLeast(1),
                    "The number of draws of an epoch, with weights or balance. Absent: the number of samples.")
            .optional()
            .decides(Identity.BATCHES);
    static final Option<WorkBalance> BALANCE_WORK = Option.of(
                    "balance_work",
                    WorkBalance.TYPE,
                    "The number of ranks whose work is made even: the packed sequences of each batch are arranged so that ranks, which get"
                            + " its parts in order, wait little for each other. micro_batches: those of a rank in a step, if ranks wait"
                            + " for each other after each; default 1. attention: the work of a model for a pair of tokens of a"
                            + " document as a share of its other work for a token, about layers * width / parameters; default"
                            + " 1.9e-5, of 7 * 10^9 parameters. A step has the same sequences with it and without.")
            .optional()
            .decides(Identity.BATCHES);
    static final Option<Bucketing> BUCKET = Option.of(
                    "bucket",
                    Bucketing.TYPE,
                    "Makes batches of documents of similar length, for documents that are not packed, so that a trainer adds little padding:"
                            + " the largest number of tokens of each bucket, [256, 512, 1024]. window: the number of batches whose"
                            + " documents are exchanged; default 64. lengths: as that of pack_sequences.")
            .optional()
            .decides(Identity.BATCHES);
    static final Bound<OrderConfig> KEYS = Bound.of(OrderConfig.class);

    /** Creates an order that visits each sample once in an epoch and leaves out no steps. */
    public OrderConfig(long seed, Shuffle shuffle) {
        this(
                seed,
                shuffle,
                List.of(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    public OrderConfig {
        skipSteps = List.copyOf(skipSteps);
    }

    /** Reads the section. */
    static OrderConfig read(Section root) {
        Section section = root.section(SECTION, KEYS.options());
        OrderConfig order = KEYS.read(section);
        if (order.weights.isPresent() && order.balance.isPresent()) {
            section.report(BALANCE, "expected either weights or balance, found both");
        }
        if (order.draws.isPresent() && !order.isDrawn()) {
            section.report(DRAWS, "expected weights or balance, by which samples are drawn, found neither");
        }
        if (order.isDrawn() && order.shuffle != Shuffle.FULL) {
            section.report(
                    SHUFFLE,
                    "expected no shuffle with " + order.drawnBy().key() + ", whose draws replace it; remove this key");
        }
        if (order.isDrawn() && root.entry(SourceConfig.SECTION).isPresent()) {
            section.report(
                    order.drawnBy(), "expected dataset, found datasets: samples are drawn from a single dataset");
        }
        if (order.balanceWork.isPresent() && order.bucket.isPresent()) {
            section.report(
                    BUCKET,
                    "expected either bucket, for documents that are not packed, or balance_work, for packed ones, found both");
        }
        return order;
    }

    private Option<?> drawnBy() {
        return weights.isPresent() ? WEIGHTS : BALANCE;
    }

    /** Returns whether samples are drawn with replacement, so that an epoch may have a sample several times or not at all. */
    public boolean isDrawn() {
        return weights.isPresent() || balance.isPresent();
    }

    /** Returns the same order, whose files have other paths. */
    OrderConfig withPaths(UnaryOperator<String> change) {
        return new OrderConfig(
                seed,
                shuffle,
                skipSteps,
                weights.map(source -> source.withPath(change)),
                balance,
                draws,
                balanceWork,
                bucket.map(buckets -> buckets.withPath(change)));
    }

    /** Returns the steps that the run leaves out. */
    public SkippedSteps skipped() {
        SkippedSteps skipped = SkippedSteps.NONE;
        for (StepRange range : skipSteps) {
            skipped = skipped.and(range.first(), range.last());
        }
        return skipped;
    }
}
