package io.millrace.pipeline;

import io.millrace.config.PipelineConfig;
import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.StoredLabels;
import io.millrace.dataset.files.ParallelTasks;
import io.millrace.sample.Counted;
import io.millrace.train.input.DevicePlan;
import io.millrace.train.loss.Loss;
import io.millrace.train.loss.Losses;
import io.millrace.train.network.Models;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Roles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The check of a dataset's labels before a run starts. A pipeline that needs labels refuses a dataset without them. Labels that are
 * all the same are described to the user, and a label that is not one of the model's outputs ends the command.
 */
final class LabelCheck {
    /** The largest number of labels that are inspected, evenly over the dataset. */
    private static final int LABELS = 256;

    /** The number of labels where code of the user makes whole samples to find them. */
    private static final int LABELS_OF_CODE = 32;

    private static final int AT_ONCE = 32;

    /** The inspection ends early after this time, so that a run whose labels are far away begins soon. */
    private static final long ENOUGH_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final PipelineConfig config;
    private final Component model;

    /** Whether labels are fields of the samples, which are no class numbers of the dataset. */
    private final boolean fields;

    /**
     * Creates a check.
     *
     * @param model the model with its number of outputs
     * @param columns the columns of a batch
     */
    LabelCheck(PipelineConfig config, Component model, List<WireColumn> columns) {
        this.config = config;
        this.model = model;
        this.fields = columns.stream().anyMatch(column -> column.column().name().equals(Roles.LABEL));
    }

    /**
     * Checks the labels of a dataset.
     *
     * @param name the dataset's name for messages
     * @param labels the labels of this dataset
     * @return sentences for the user, without the dataset's name
     * @throws PipelineException when the pipeline needs labels and the dataset has none, or has one that the model has no output for
     */
    List<String> remarks(String name, Dataset dataset, StoredLabels labels) throws IOException, PipelineException {
        if (fields) {
            return List.of();
        }
        if (!labels.isPresent()) {
            String need = need();
            if (need != null) {
                throw new PipelineException("the samples of " + name + " have no labels, but " + need + ": "
                        + labels.advice()
                        + (labels.remedy().isPresent()
                                ? ""
                                : ". Set train.target to a field of the samples"
                                        + (model.name().equals(Models.NONE) ? "" : ", or train.model: none")));
            }
            return labels.remark().stream().toList();
        }
        return inspected(name, dataset);
    }

    /**
     * Returns a sentence on outputs of the model that no class of the dataset has. That is legal, for example for a pretrained model,
     * but often a mistake.
     *
     * @param name the dataset's name for the sentence
     * @param classes the number of the dataset's classes; 0 when unknown
     */
    Optional<String> unusedOutputs(String name, int classes) {
        OptionalInt outputs = fields
                ? OptionalInt.empty()
                : outputs(Losses.create(config.train().recipe().loss()));
        return outputs.isEmpty() || classes == 0 || outputs.getAsInt() <= classes
                ? Optional.empty()
                : Optional.of(name + ": the model " + model.name() + " has " + outputs.getAsInt()
                        + " outputs, but the dataset has only " + Counted.of(classes, "class") + ". Set train.model."
                        + model.name() + ".classes to " + classes + " unless the other outputs are wanted");
    }

    /** Returns the part of the pipeline that needs labels, or null when none does. */
    private @Nullable String need() {
        Roles roles = config.train().roles();
        if (!model.name().equals(Models.NONE) && roles.target().equals(Roles.LABEL)) {
            return "the loss " + config.train().recipe().loss().name() + " compares the model's outputs with labels";
        }
        if (roles.inputs().contains(Roles.LABEL)) {
            return "train.input names them";
        }
        DevicePlan plan = DevicePlan.of(roles, config.device().transforms());
        boolean changed = plan.encodings().containsKey(Roles.LABEL)
                || (!plan.mixes().isEmpty() && roles.target().equals(Roles.LABEL));
        return changed ? "device.transforms change them" : null;
    }

    private List<String> inspected(String name, Dataset dataset) throws IOException, PipelineException {
        long most = Math.min(dataset.size(), dataset.namesUndeclared() ? LABELS_OF_CODE : LABELS);
        Loss loss = Losses.create(config.train().recipe().loss());
        OptionalInt outputs = outputs(loss);
        OptionalLong ignored = loss.ignored();
        Long same = null;
        BadSampleException bad = null;
        long failed = 0;
        long good = 0;
        boolean constant = true;
        long began = System.nanoTime();
        for (long from = 0; from < most && System.nanoTime() - began < ENOUGH_NANOS; from += AT_ONCE) {
            List<Long> indexes = LongStream.range(from, Math.min(most, from + AT_ONCE))
                    .map(place -> index(place, most, dataset.size()))
                    .boxed()
                    .toList();
            for (Labelled each : labels(dataset, indexes)) {
                if (each.bad() != null) {
                    bad = bad == null ? each.bad() : bad;
                    failed++;
                    continue;
                }
                if (outputs.isPresent() && !fits(each.label(), outputs.getAsInt(), ignored)) {
                    throw beyond(name, each, outputs.getAsInt());
                }
                constant &= same == null || same == each.label();
                same = each.label();
                good++;
            }
        }
        List<String> remarks = new ArrayList<>();
        if (dataset.classes().size() == 1) {
            remarks.add("the only class is '" + dataset.classes().get(0) + "', so there are no classes to learn");
        } else if (constant && good > 1) {
            remarks.add("all " + good
                    + (good == dataset.size() ? " labels" : " labels that were looked at, evenly over the dataset,")
                    + " are "
                    + same);
        }
        if (bad != null) {
            remarks.add(failed + " of " + (good + failed) + " labels that were looked at are bad, for example "
                    + bad.file() + ": " + bad.reason());
        }
        return remarks;
    }

    /** Returns the index of an inspected sample, by the multiplication of numbers up to 2^40 and 2^8. */
    private static long index(long place, long most, long size) {
        return place * size / most;
    }

    /** A label, or the reason why it is bad, in which case the run quarantines its sample. */
    private record Labelled(
            long index, long label, @Nullable BadSampleException bad) {}

    /** Returns the labels of samples, several of which are read at a time. */
    private static List<Labelled> labels(Dataset dataset, List<Long> indexes) throws IOException {
        return ParallelTasks.map(indexes, index -> {
            try {
                return new Labelled(index, dataset.label(index), null);
            } catch (BadSampleException e) {
                return new Labelled(index, 0, e);
            }
        });
    }

    /** Returns the number of classes that labels must be below; empty when the loss takes other numbers, or a model has one output. */
    private OptionalInt outputs(Loss loss) {
        if (!config.train().roles().target().equals(Roles.LABEL) || !loss.takesClasses()) {
            return OptionalInt.empty();
        }
        OptionalInt classes = Models.classes(model);
        return classes.isPresent() && classes.getAsInt() > 1 ? classes : OptionalInt.empty();
    }

    private static boolean fits(long label, int outputs, OptionalLong ignored) {
        return (label >= 0 && label < outputs) || (ignored.isPresent() && ignored.getAsLong() == label);
    }

    private PipelineException beyond(String name, Labelled sample, int outputs) {
        return new PipelineException("sample " + sample.index() + " of " + name + " has the label " + sample.label()
                + ", but the model " + model.name() + " has " + outputs + " outputs: expected labels from 0 to "
                + (outputs - 1)
                + (sample.label() < 0
                        ? ""
                        : ". Set train.model." + model.name() + ".classes to at least " + (sample.label() + 1)));
    }
}
