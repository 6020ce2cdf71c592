package io.millrace.config;

import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OtherName;
import io.millrace.order.Tail;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Recipe;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.Updates;
import io.millrace.transform.text.PackOptions;
import java.util.List;
import java.util.Optional;

/**
 * The training: the model and its recipe, and the trainers.
 *
 * <p>Tested by {@code ConfigReaderTest}.
 *
 * @param recipe the model, its loss, optimizer, schedule and updates; for ranks without entries of their own
 * @param roles the fields that are the model's inputs and its target
 * @param threads the CPU threads of one training step; 0 for the trainer's choice
 */
public record TrainConfig(Recipe recipe, Roles roles, int threads, TrainersConfig trainers)
        implements PipelineConfig.Part {
    static final Option<Object> SECTION =
            Option.of("train", Types.structure("section"), "The model and how it is trained.");
    static final Option<Object> MODEL = Option.of(
                    "model", Types.structure("model"), "The model, or none to only feed the device.")
            .decides(Identity.NOTHING);
    static final Option<List<String>> INPUT = Option.of(
                    "input",
                    OptionType.of("name, or list of names", TrainConfig::names),
                    "The field that is the model's input. text_mlp needs two, [tokens, lengths]. A torchscript model can have several,"
                            + " in its own order; a ragged field is passed as its values and its offsets. Default: image, or with"
                            + " pack_sequences [tokens, lengths].")
            .orElse(Roles.DEFAULT.inputs())
            .decides(Identity.TRAINING);
    static final Option<String> TARGET = Option.of(
                    "target",
                    OptionType.TEXT,
                    "The field that the loss compares the model's outputs with: label, or a mask, vector or number; or labels, the"
                            + " next token of each token of packed sequences.")
            .orElse(Roles.DEFAULT.target())
            .decides(Identity.TRAINING);
    static final Option<Object> LOSS = Option.of("loss", Types.structure("loss"), "The value that training minimizes.")
            .orElse("cross_entropy")
            .decides(Identity.NOTHING);
    static final Option<Object> OPTIMIZER = Option.of(
                    "optimizer", Types.structure("optimizer"), "The rule that updates the parameters.")
            .orElse("adam")
            .decides(Identity.NOTHING)
            .alsoCalled(OtherName.of("optimizer: {adam: {learning_rate: 0.001}}", "lr", "learning_rate"));
    static final Option<Object> SCHEDULE = Option.of(
                    "schedule", Types.structure("schedule"), "The course of the learning rate over the run.")
            .orElse("constant")
            .decides(Identity.NOTHING);
    static final Option<Integer> ACCUMULATE = Option.of(
                    "accumulate",
                    Types.between(1, 1_000_000),
                    "The number of batches in one update of the parameters; they train like one batch. The last update"
                            + " of an epoch may have fewer.")
            .orElse(Updates.OF_EACH_BATCH.accumulate())
            .decides(Identity.NOTHING);
    static final Option<Double> CLIP_NORM = Option.of(
                    "clip_norm",
                    OptionType.NUMBER.where(n -> n > 0, "above 0"),
                    "The largest norm of all gradients together. Gradients with a larger norm are scaled down to this"
                            + " norm, as PyTorch's clip_grad_norm_ does. Default: no limit.")
            .optional()
            .decides(Identity.NOTHING);
    static final Option<Integer> THREADS = Option.of(
                    "threads",
                    Types.between(0, 1024),
                    "CPU threads of one training step; with 0 the trainer chooses the number.")
            .orElse(0)
            .decides(Identity.NOTHING);
    static final Option<Long> SEED = Option.of(
                    "seed", OptionType.LONG, "The seed of the initial parameters. Default: order.seed.")
            .optional()
            .decides(Identity.TRAINING);
    static final List<Option<?>> OPTIONS = List.of(
            MODEL, INPUT, TARGET, LOSS, OPTIMIZER, SCHEDULE, ACCUMULATE, CLIP_NORM, THREADS, SEED, TrainersConfig.OWN);

    /** The fields of packed sequences, which the loop needs to separate documents. */
    private static final String PACKED = "[tokens, lengths]";

    /** The setting of a pipeline that trains no model. */
    public static final String WITHOUT_MODEL = "train.model=none";

    /** Returns whether the file names a model, or has something else than a section {@code train} in its place. */
    static boolean namesModel(Tree.Mapping root) {
        return root.names(SECTION.key(), MODEL.key());
    }

    /** Reports that the file names no model. */
    static void missingModel(Tree.Mapping root, Problems problems) {
        Tree.Entry section = root.entries().get(SECTION.key());
        problems.add(
                section == null ? root.location() : section.keyLocation(),
                SECTION.key() + "." + MODEL.key(),
                "missing: name the model to train, or write 'train: { model: none }' to run the data stages without one");
    }

    /** Makes the fields of packed sequences the inputs, where the file packs sequences and names no inputs. */
    static void packedByDefault(Tree.Mapping root, Overrides overriding) {
        if (packs(root) && !root.names(SECTION.key(), INPUT.key())) {
            overriding.apply(root, SECTION.key() + "." + INPUT.key() + "=" + PACKED);
        }
    }

    /** Returns whether some list {@code transforms} of a file, be it of one source of a mixture, packs sequences. */
    private static boolean packs(Tree tree) {
        if (!(tree instanceof Tree.Mapping mapping)) {
            return tree instanceof Tree.Listing list && list.items().stream().anyMatch(TrainConfig::packs);
        }
        return mapping.entries().entrySet().stream()
                .anyMatch(entry -> (entry.getKey().equals(DataConfig.TRANSFORMS.key())
                                && entry.getValue().value() instanceof Tree.Listing list
                                && list.items().stream().anyMatch(TrainConfig::isPacking))
                        || packs(entry.getValue().value()));
    }

    private static boolean isPacking(Tree transform) {
        return transform instanceof Tree.Mapping mapping
                ? mapping.entries().keySet().stream().anyMatch(PackOptions::isPacking)
                : PackOptions.isPacking(String.valueOf(transform.raw()));
    }

    /** Removes everything from the section {@code train} but the names of fields. */
    static void keepFields(Tree.Mapping root) {
        Tree.Entry section = root.entries().get(SECTION.key());
        if (section == null) {
            return;
        }
        Tree.Mapping kept = Tree.Mapping.empty(section.value().location());
        if (section.value() instanceof Tree.Mapping mapping) {
            kept.entries().putAll(mapping.entries());
            kept.entries().keySet().retainAll(List.of(INPUT.key(), TARGET.key()));
        }
        root.entries().put(SECTION.key(), new Tree.Entry(section.keyLocation(), kept));
    }

    /**
     * Reads the section {@code train} and the keys of the trainers; empty when a problem was reported.
     *
     * @param seed the seed of the initial parameters when the file has none
     */
    static Optional<TrainConfig> read(Section root, long seed) {
        Optional<Section> section = root.findSection(SECTION, OPTIONS);
        Optional<Recipe> recipe = section.flatMap(train -> recipe(train, seed));
        TrainersConfig trainers = TrainersConfig.read(root, section);
        return recipe.map(found -> new TrainConfig(
                found,
                new Roles(section.get().get(INPUT), section.get().get(TARGET)),
                section.get().get(THREADS),
                trainers));
    }

    private static Optional<Recipe> recipe(Section section, long seed) {
        Catalogs catalogs = section.catalogs();
        Optional<Component> model = section.findComponent(MODEL, "model", catalogs.models());
        Optional<Component> loss = section.component(LOSS, catalogs.losses());
        Optional<Component> optimizer = section.component(OPTIMIZER, catalogs.optimizers());
        Optional<Component> schedule = section.component(SCHEDULE, catalogs.schedules());
        if (model.isEmpty() || loss.isEmpty() || optimizer.isEmpty() || schedule.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Recipe(
                model.get(),
                loss.get(),
                optimizer.get(),
                schedule.get(),
                new Updates(section.get(ACCUMULATE), section.find(CLIP_NORM).orElse(null)),
                section.find(SEED).orElse(seed)));
    }

    void write(WrittenConfig root) {
        root.section(SECTION, this, TrainConfig::writeSection);
        trainers.write(root);
    }

    private void writeSection(WrittenConfig section) {
        section.put(MODEL, recipe.model())
                .put(INPUT, roles.inputs())
                .put(TARGET, roles.target())
                .put(LOSS, recipe.loss())
                .put(OPTIMIZER, recipe.optimizer())
                .put(SCHEDULE, recipe.schedule())
                .put(ACCUMULATE, recipe.updates().accumulate())
                .put(CLIP_NORM, Optional.ofNullable(recipe.updates().clipNorm()))
                .put(THREADS, threads)
                .put(SEED, recipe.seed())
                .sections(TrainersConfig.OWN, trainers.own(), RankConfig::write);
    }

    /** Returns the same training by another recipe. */
    TrainConfig with(Recipe other) {
        return new TrainConfig(other, roles, threads, trainers);
    }

    /** Returns the same training with other fields. */
    public TrainConfig withRoles(Roles others) {
        return new TrainConfig(recipe, others, threads, trainers);
    }

    /** Returns the same training with another division of batches that are not full. */
    public TrainConfig withTail(Tail tail) {
        return withTrainers(trainers.withTail(tail));
    }

    /** Returns the same training with other trainers. */
    TrainConfig withTrainers(TrainersConfig others) {
        return new TrainConfig(recipe, roles, threads, others);
    }

    private static List<String> names(Object raw) {
        return raw instanceof List<?>
                ? OptionType.listOf(OptionType.TEXT).parse(raw)
                : List.of(OptionType.TEXT.parse(raw));
    }
}
