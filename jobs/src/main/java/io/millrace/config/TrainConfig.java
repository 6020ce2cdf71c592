package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.TrainSpec.Part;
import io.millrace.train.spec.TrainSpec.Updates;
import java.util.List;

/**
 * What is trained and how.
 *
 * @param roles what the model is given, and what its outputs are compared with
 * @param schedule the learning rate over the updates
 * @param updates when parameters follow their gradients, and how far at most
 * @param threads of one training step; 0 lets the trainer choose
 * @param seed of the initial parameters
 * @param ranks what each of several independent trainers does in a way of its own; empty: nothing
 */
public record TrainConfig(
        Part model,
        Roles roles,
        Part loss,
        Part optimizer,
        Part schedule,
        Updates updates,
        int threads,
        long seed,
        List<RankConfig> ranks) {
    /** What {@code loss} is when the file does not say. */
    static final String DEFAULT_LOSS = "cross_entropy";

    /** What {@code optimizer} is when the file does not say. */
    static final String DEFAULT_OPTIMIZER = "adam";

    /** What {@code schedule} is when the file does not say. */
    static final String DEFAULT_SCHEDULE = "constant";

    static final Option<Object> MODEL =
            Option.of("model", Types.structure("model"), "The model, or none to only feed the device.");
    static final Option<List<String>> INPUT = Option.of(
                    "input",
                    OptionType.of("name, or list of names", TrainConfig::names),
                    "The field that is the model's input; several, in the model's order, for a torchscript model, which gets a"
                            + " ragged one as its entries and its offsets.")
            .orElse(Roles.DEFAULT.inputs());
    static final Option<String> TARGET = Option.of(
                    "target",
                    OptionType.TEXT,
                    "The field that the loss compares the model's outputs with: label, or a mask, vector or number.")
            .orElse(Roles.DEFAULT.target());
    static final Option<Object> LOSS = Option.of("loss", Types.structure("loss"), "What training makes small.")
            .orElse(DEFAULT_LOSS);
    static final Option<Object> OPTIMIZER = Option.of(
                    "optimizer", Types.structure("optimizer"), "How parameters follow their gradients.")
            .orElse(DEFAULT_OPTIMIZER);
    static final Option<Object> SCHEDULE = Option.of(
                    "schedule", Types.structure("schedule"), "The learning rate over the steps.")
            .orElse(DEFAULT_SCHEDULE);
    static final Option<Integer> ACCUMULATE = Option.of(
                    "accumulate",
                    Types.between(1, 1_000_000),
                    "Batches in one update of the parameters, as if they were one batch; what is left of an epoch is its last"
                            + " update.")
            .orElse(Updates.OF_EACH_BATCH.accumulate());
    static final Option<Double> CLIP_NORM = Option.of(
                    "clip_norm",
                    OptionType.NUMBER.where(n -> n > 0, "above 0"),
                    "All gradients together are shortened to this norm where theirs is larger, as PyTorch's"
                            + " clip_grad_norm_. Default: never.")
            .optional();
    static final Option<Integer> THREADS = Option.of(
                    "threads", Types.between(0, 1024), "Threads of one training step; 0 lets the trainer choose.")
            .orElse(0);
    static final Option<Long> SEED = Option.of(
                    "seed", OptionType.LONG, "Determines the initial parameters. Default: order.seed.")
            .optional();
    static final Option<Object> RANKS = Option.of(
                    "ranks",
                    Types.structure("list of sections"),
                    "With ranks: what each does in a way of its own, in their order, as [{optimizer: {adam: {learning_rate:"
                            + " 0.01}}}, {}].")
            .optional();
    static final List<Option<?>> OPTIONS =
            List.of(MODEL, INPUT, TARGET, LOSS, OPTIMIZER, SCHEDULE, ACCUMULATE, CLIP_NORM, THREADS, SEED, RANKS);

    public TrainConfig {
        ranks = List.copyOf(ranks);
    }

    /** Images are the input and labels the target, and each batch is an update. */
    public TrainConfig(Part model, Part loss, Part optimizer, Part schedule, int threads, long seed) {
        this(model, Roles.DEFAULT, loss, optimizer, schedule, Updates.OF_EACH_BATCH, threads, seed, List.of());
    }

    /** The keys of {@code updates}, of the section {@code train}. */
    static Updates updates(Section section) {
        return new Updates(section.get(ACCUMULATE), section.find(CLIP_NORM).orElse(null));
    }

    private static List<String> names(Object raw) {
        return raw instanceof List<?>
                ? OptionType.listOf(OptionType.TEXT).parse(raw)
                : List.of(OptionType.TEXT.parse(raw));
    }
}
