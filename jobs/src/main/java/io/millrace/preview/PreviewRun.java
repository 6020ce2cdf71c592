package io.millrace.preview;

import io.millrace.config.PipelineConfig;
import io.millrace.dataset.Dataset;
import io.millrace.lifecycle.Handles;
import io.millrace.pipeline.Pipeline;
import io.millrace.pipeline.RunPlan;
import io.millrace.preview.SampleView.StageImage;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.ImagePart;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.source.PositionReader;
import io.millrace.transform.PlacedTransform;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The samples of one epoch, and of the steps of a run, as the run reads and transforms them. One thread uses and closes the object. */
public final class PreviewRun implements Closeable {
    private static final String READ = "read";

    private final PositionReader reader;
    private final StepRows rows;
    private final List<PlacedTransform> transforms;
    private final ShownObjects.Classes classes;
    private final boolean labelled;
    private final long firstPosition;
    private final long samples;

    private PreviewRun(
            PositionReader reader,
            StepRows rows,
            List<PlacedTransform> transforms,
            ShownObjects.Classes classes,
            boolean labelled,
            long firstPosition,
            long samples) {
        this.reader = reader;
        this.rows = rows;
        this.transforms = transforms;
        this.classes = classes;
        this.labelled = labelled;
        this.firstPosition = firstPosition;
        this.samples = samples;
    }

    /**
     * Opens the datasets.
     *
     * @param epoch the epoch, at least 0; for evaluation samples, an epoch after which the run evaluates
     * @throws IllegalArgumentException when the run has no such epoch, or does not evaluate after it
     */
    public static PreviewRun open(PipelineConfig config, RunPlan plan, Split split, int epoch) throws IOException {
        long firstPosition = plan.batches().firstPosition(epoch, split);
        long samples = split == Split.TRAIN
                ? plan.batches().trainSamples()
                : plan.batches().evaluationSize();
        PositionReader reader = PositionReader.open(plan.data(config));
        try {
            Dataset dataset = reader.dataset(split, 0);
            return new PreviewRun(
                    reader,
                    StepRows.of(config, plan, reader),
                    Pipeline.transforms(config, split),
                    new ShownObjects.Classes(dataset.classesOfObjects(), plan.classes()),
                    dataset.labels().isPresent(),
                    firstPosition,
                    samples);
        } catch (IOException | RuntimeException e) {
            Handles.closeAfter(e, reader);
            throw e;
        }
    }

    /** Returns the number of samples in the epoch. */
    public long samples() {
        return samples;
    }

    /** Returns the stages of a sample, beginning with {@code read}. */
    public List<String> stages() {
        List<String> stages = new ArrayList<>();
        stages.add(READ);
        transforms.forEach(transform -> stages.add(transform.stage()));
        return stages;
    }

    /**
     * Reads and transforms one sample. A bad sample is returned as quarantined.
     *
     * @param i the place in the epoch's order, 0 to {@code samples() - 1}
     * @throws IOException when reading fails for a reason other than a bad sample
     */
    public SampleView view(long i) throws IOException {
        return at(firstPosition + Objects.checkIndex(i, samples));
    }

    /** Returns the rows of the training steps of the whole run. */
    public StepRows rows() {
        return rows;
    }

    /**
     * Reads and transforms a sample as {@link #view} does.
     *
     * @param position a position of the whole run that belongs to the split of this object
     */
    public SampleView at(long position) throws IOException {
        Sample sample = reader.read(position);
        Long label = labelled && sample.badSample() == null ? Long.valueOf(sample.label()) : null;
        List<StageImage> images = new ArrayList<>();
        Map<String, List<String>> values = new LinkedHashMap<>();
        keep(images, values, READ, "", sample);
        for (PlacedTransform transform : transforms) {
            if (sample.badSample() == null && transform.appliesTo(sample) && transform.apply(sample)) {
                keep(images, values, transform.stage(), transform.drawn(), sample);
            }
        }
        return new SampleView(sample, label, label == null ? null : className(label), images, values);
    }

    /**
     * Adds copies of the images and masks, in the order of the fields, because later stages may overwrite the originals. Of a sample
     * without images, adds the values.
     */
    private void keep(
            List<StageImage> images, Map<String, List<String>> values, String stage, String drawn, Sample sample) {
        if (sample.badSample() == null && sample.fieldNames().stream().noneMatch(name -> isPicture(sample, name))) {
            values.put(stage, FieldText.lines(sample));
            return;
        }
        Iterator<ImagePart> parts = ImagePart.of(sample).iterator();
        for (String name : sample.fieldNames()) {
            Field field = sample.field(name);
            boolean picture = field.kind() == FieldKind.IMAGE || field.kind() == FieldKind.MASK;
            ImagePart part = picture && parts.hasNext() ? parts.next() : null;
            if ((picture || name.equals(Sample.IMAGE)) && field.dtype() != DType.ENCODED) {
                Field copy = Field.of(
                                field.dtype(),
                                field.shape().clone(),
                                field.data().clone())
                        .as(field.kind());
                images.add(new StageImage(stage, name, drawn, copy, objects(sample, copy, part)));
            }
        }
    }

    private static boolean isPicture(Sample sample, String name) {
        Field field = sample.field(name);
        return field.kind() == FieldKind.IMAGE
                || field.kind() == FieldKind.MASK
                || field.dtype() == DType.ENCODED
                || name.equals(Sample.IMAGE);
    }

    private ShownObjects objects(Sample sample, Field picture, @Nullable ImagePart part) {
        return picture.shape().length == 3 ? ShownObjects.of(sample, picture, part, classes) : ShownObjects.NONE;
    }

    private @Nullable String className(long label) {
        List<String> names = classes.names();
        return label >= 0 && label < names.size() ? names.get((int) label) : null;
    }

    @Override
    public void close() throws IOException {
        transforms.forEach(PlacedTransform::close);
        reader.close();
    }
}
