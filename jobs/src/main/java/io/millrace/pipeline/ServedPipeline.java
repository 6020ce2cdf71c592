package io.millrace.pipeline;

import io.millrace.config.BatchConfig;
import io.millrace.config.ConfigException;
import io.millrace.config.ConfigReader;
import io.millrace.config.EvaluateConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.config.TrainConfig;
import io.millrace.config.WireField;
import io.millrace.order.Tail;
import io.millrace.sample.Sample;
import io.millrace.train.input.DeviceTransforms;
import io.millrace.train.input.DeviceTransforms.Changes;
import io.millrace.train.network.Models;
import io.millrace.train.spec.Roles;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The pipelines of a run whose batches go to clients. The training belongs to the clients: the section {@code train} and
 * the checkpoints of the file have no effect, except that {@code train.input} and {@code train.target} name the
 * fields that the device transforms change. The section {@code evaluate} is a second pipeline, whose batches clients ask for.
 * Without {@code dataset.epochs}, the run has no end. The pipeline's {@code batch.size} is the number of rows of all ranks together,
 * so that a step has the same samples for any number of ranks. All ranks share the last batch of an epoch.
 *
 * @param every the number of epochs from one evaluation to the next, at least 1; 1 without an evaluation
 */
public record ServedPipeline(PipelineConfig training, Optional<PipelineConfig> evaluation, int every) {
    /** What transforms of batches change that apply to training only. */
    private static final Set<Changes> OF_TRAINING = Set.of(Changes.BATCHES, Changes.PICTURES_AT_RANDOM);

    /**
     * Reads the pipelines of a served run and of its evaluation, with the same device transforms. Those that are random or mix
     * the rows of a batch are for training only.
     *
     * @param settings the settings that override the file, each as {@code key=value}
     * @param world the number of ranks, at least 1
     * @throws PipelineException when the batch cannot be divided among the ranks, or a transform must run on a device
     */
    public static ServedPipeline read(Path file, List<String> settings, int world)
            throws ConfigException, PipelineException {
        for (String setting : settings) {
            if (setting.startsWith("ranks=")) {
                throw new PipelineException(
                        "--set " + setting + ": serve has the number of ranks in --world: expected --world "
                                + setting.substring("ranks=".length()));
            }
        }
        PipelineConfig config = ofSentFields(ConfigReader.readServed(
                file,
                settings,
                List.of(
                        TrainConfig.WITHOUT_MODEL,
                        "ranks=" + world,
                        "share=split",
                        "replicas=independent",
                        "checkpoint=off")));
        int global = config.batch().size();
        if (global % world != 0) {
            throw new PipelineException("batch.size is " + global + ", which " + world
                    + " ranks cannot share evenly: set a multiple of " + world + ", or another number of ranks");
        }
        BatchConfig batch = config.batch().withSize(global / world);
        PipelineConfig served = config.with(batch.fields().isEmpty() ? batch.withFields(WireField.ALL) : batch)
                .with(config.train().withTail(Tail.ALL_RANKS));
        Optional<PipelineConfig> evaluation = served.ofEvaluation();
        return new ServedPipeline(
                placed(served.withEvaluate(Optional.empty())),
                evaluation.isPresent() ? Optional.of(placed(withoutTrainingOnly(evaluation.get()))) : Optional.empty(),
                served.evaluate().map(EvaluateConfig::every).orElse(1));
    }

    private static PipelineConfig withoutTrainingOnly(PipelineConfig config) {
        return config.with(config.device()
                .withTransforms(config.device().transforms().stream()
                        .filter(part -> DeviceTransforms.changes(part.name())
                                .filter(OF_TRAINING::contains)
                                .isEmpty())
                        .toList()));
    }

    private static PipelineConfig placed(PipelineConfig served) throws PipelineException {
        PipelineConfig placed = TransformPlacement.onServers(served);
        if (!placed.device().placed().train().isEmpty()) {
            throw new PipelineException("the transform "
                    + placed.device().placed().train().get(0).name()
                    + " is placed on the device, which is the client's: write 'place: server', or put it into"
                    + " device.transforms");
        }
        return placed;
    }

    /** Returns the keys of a served pipeline that have an effect, with their values. */
    public static Map<String, Object> described(PipelineConfig config) {
        Map<String, Object> keys = new LinkedHashMap<>(config.toMap());
        keys.keySet().removeAll(List.of("share", "replicas", "checkpoint", "tensorboard"));
        keys.computeIfPresent("device", (key, section) -> only(section, "transforms", "batches_in_flight"));
        boolean usual = config.train().roles().equals(Roles.DEFAULT);
        keys.computeIfPresent("train", (key, section) -> usual ? null : only(section, "input", "target"));
        return keys;
    }

    private static Object only(Object section, String... kept) {
        Map<Object, Object> keys = new LinkedHashMap<>((Map<?, ?>) section);
        keys.keySet().retainAll(List.of(kept));
        return keys;
    }

    /**
     * Returns a pipeline without a model whose input is the first of the fields that {@code batch.fields} names, unless that is known
     * otherwise. Its device transforms change this field. Returns a pipeline with a model as it is.
     */
    public static PipelineConfig ofSentFields(PipelineConfig config) {
        Roles roles = config.train().roles();
        List<WireField> sent = config.batch().fields();
        boolean known = !config.train().recipe().model().name().equals(Models.NONE)
                || sent.isEmpty()
                || sent.equals(WireField.ALL)
                || !roles.inputs().equals(Roles.DEFAULT.inputs())
                || sent.stream().anyMatch(field -> field.name().equals(Sample.IMAGE));
        return known
                ? config
                : config.with(
                        config.train().withRoles(new Roles(List.of(sent.get(0).name()), roles.target())));
    }
}
