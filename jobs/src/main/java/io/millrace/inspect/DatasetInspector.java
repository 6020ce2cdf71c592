package io.millrace.inspect;

import io.millrace.config.EvaluateConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.StoredLabels;
import io.millrace.inspect.DatasetSummary.BadEntry;
import io.millrace.inspect.DatasetSummary.ClassCount;
import io.millrace.inspect.DatasetSummary.FirstSample;
import io.millrace.lifecycle.Handles;
import io.millrace.pipeline.DatasetTypes;
import io.millrace.pipeline.Pipeline;
import io.millrace.sample.BadSample;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.sample.VisibleText;
import io.millrace.transform.PlacedTransform;
import io.millrace.transform.TransformSpec;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** An inspection of one of a pipeline's datasets. */
public final class DatasetInspector {
    /** The largest number of samples whose labels are counted. Counting 10 million labels takes about a second. */
    static final long MOST_COUNTED = 100_000_000;

    /**
     * The largest number of bad samples that are listed. Without a limit, their reasons could fill the memory when all
     * samples are bad.
     */
    private static final int MOST_BAD = 1000;

    /** The largest number of characters of a sample's text that are shown. */
    private static final int MOST_CHARACTERS = 80;

    private static final String DECODE = "decode";

    private final Dataset dataset;
    private final StoredLabels labels;
    private final PlacedTransform decode;
    /** The transforms of a sample of the dataset, which is a document if later ones join documents. */
    private final List<PlacedTransform> transforms;

    private final Optional<String> joining;
    private final Map<String, FieldShape> read = new LinkedHashMap<>();
    private final Map<String, FieldShape> transformed = new LinkedHashMap<>();
    private final RestartIntervals restarts = new RestartIntervals();
    private final List<FirstSample> first = new ArrayList<>();
    private final Map<Long, BadEntry> bad = new LinkedHashMap<>();

    private DatasetInspector(Dataset dataset, PlacedTransform decode, List<PlacedTransform> transforms)
            throws IOException {
        this.dataset = dataset;
        this.labels = dataset.labels();
        this.decode = decode;
        this.transforms =
                transforms.stream().takeWhile(each -> !each.joinsParts()).toList();
        this.joining = transforms.stream()
                .filter(PlacedTransform::joinsParts)
                .map(PlacedTransform::stage)
                .findFirst();
    }

    /**
     * Reads and decodes every sample of a split's dataset, on all CPUs.
     *
     * @param progress receives the number of finished samples from time to time, on any thread
     */
    public static DatasetScan scan(PipelineConfig config, Split split, LongConsumer progress)
            throws IOException, InterruptedException {
        DatasetSpec spec = datasetSpec(config, split);
        List<TransformSpec> specs = config.transforms(split);
        TransformSpec decode = decode(specs);
        try (Dataset dataset = DatasetTypes.open(config, split)) {
            return DatasetScan.of(
                    dataset,
                    () -> new PlacedTransform(
                            DECODE, decode, spec.path(), config.data().order().seed(), 0),
                    specs.contains(decode),
                    Runtime.getRuntime().availableProcessors(),
                    progress);
        }
    }

    private static DatasetSpec datasetSpec(PipelineConfig config, Split split) {
        return split == Split.TRAIN
                ? config.data().dataset().spec()
                : config.evaluate().map(EvaluateConfig::dataset).orElseThrow().spec();
    }

    /**
     * Opens the dataset of a split, counts the samples of each class, and applies the transforms to the first samples.
     *
     * @param firstSamples the number of samples to transform, at least 0
     * @throws DatasetException when there is no such dataset
     */
    public static DatasetSummary inspect(PipelineConfig config, Split split, long firstSamples) throws IOException {
        DatasetSpec spec = datasetSpec(config, split);
        List<TransformSpec> specs = config.transforms(split);
        PlacedTransform decode = new PlacedTransform(
                DECODE, decode(specs), spec.path(), config.data().order().seed(), 0);
        try (Dataset dataset = DatasetTypes.open(config, split);
                Handles open = new Handles()) {
            List<PlacedTransform> transforms = Pipeline.transforms(config, split);
            transforms.forEach(open::add);
            return new DatasetInspector(dataset, decode, transforms).summary(firstSamples);
        }
    }

    /**
     * Returns the decode stage of the pipeline, with the pipeline's limits. If the pipeline has none, returns a decode
     * stage with the documented defaults.
     */
    private static TransformSpec decode(List<TransformSpec> specs) {
        return specs.stream()
                .filter(spec -> spec.name().equals(DECODE))
                .findFirst()
                .orElseGet(() -> TransformSpec.of(DECODE, Map.of()));
    }

    private DatasetSummary summary(long firstSamples) throws IOException {
        long samplesRead = Math.min(firstSamples, dataset.size());
        for (long number = 0; number < samplesRead; number++) {
            inspectSample(number);
        }
        List<ClassCount> classes = classes();
        var bytes = dataset.storedBytes();
        return new DatasetSummary(
                dataset.size(),
                classes,
                List.copyOf(read.values()),
                List.copyOf(transformed.values()),
                restarts.counts(),
                bytes.isPresent() ? Long.valueOf(bytes.getAsLong()) : null,
                remarks(),
                samplesRead,
                first,
                List.copyOf(bad.values()),
                null);
    }

    private List<String> remarks() throws IOException {
        List<String> remarks = new ArrayList<>(dataset.remarks());
        labels.remark().ifPresent(remarks::add);
        joining.ifPresent(stage -> remarks.add(
                "the samples are documents before " + stage + "; preview shows the sequences that it makes"));
        return remarks;
    }

    private void inspectSample(long number) throws IOException {
        long index = dataset.indexInWhole(number);
        Sample sample;
        try {
            sample = dataset.read(number).placeAt(index, 0, Split.TRAIN);
        } catch (BadSampleException e) {
            addBad(index, e.file(), e.offset(), e.reason());
            return;
        }
        FieldShape.merge(read, sample);
        restarts.add(sample);
        String text = text(sample); // before a transform takes its place
        String pixels = null;
        if (sample.fieldNames().contains(Sample.IMAGE) && sample.image().expected() == null) {
            Sample decoded = new Sample(index, sample.key(), sample.label())
                    .placeAt(index, 0, Split.TRAIN)
                    .put(Sample.IMAGE, sample.image());
            decode.apply(decoded);
            if (decoded.badSample() != null) {
                addBad(index, decoded.badSample());
                return;
            }
            pixels = sha256(decoded.image());
        }
        for (PlacedTransform transform : transforms) {
            if (sample.badSample() == null) {
                transform.apply(sample);
            }
        }
        BadSample badSample = sample.badSample();
        if (badSample != null) {
            addBad(index, badSample);
            return;
        }
        FieldShape.merge(transformed, sample);
        first.add(new FirstSample(index, sample.key(), labels.isPresent() ? sample.label() : null, text, pixels));
    }

    private static @Nullable String text(Sample sample) {
        return sample.fieldNames().stream()
                .map(sample::field)
                .filter(field -> field.kind() == FieldKind.TEXT)
                .findFirst()
                .map(field -> VisibleText.beginning(field.data(), MOST_CHARACTERS))
                .orElse(null);
    }

    private List<ClassCount> classes() throws IOException {
        List<String> names = dataset.classes();
        long[] counts = new long[names.size()];
        boolean counted = dataset.size() <= MOST_COUNTED;
        for (long number = 0; counted && !names.isEmpty() && number < dataset.size(); number++) {
            long index = dataset.indexInWhole(number);
            try {
                for (long label : dataset.shownClasses(number)) {
                    if (label >= 0 && label < counts.length) {
                        counts[(int) label]++;
                    } else {
                        addBad(
                                index,
                                "sample " + index,
                                -1,
                                "expected a label of 0 to " + (counts.length - 1) + ", found " + label);
                    }
                }
            } catch (BadSampleException e) {
                addBad(index, e.file(), e.offset(), e.reason());
            }
        }
        List<ClassCount> classes = new ArrayList<>();
        for (int label = 0; label < counts.length; label++) {
            classes.add(new ClassCount(names.get(label), label, counted ? Long.valueOf(counts[label]) : null));
        }
        return classes;
    }

    private void addBad(long index, BadSample why) {
        addBad(index, why.file(), why.offset(), why.reason());
    }

    private void addBad(long index, String file, long offset, String reason) {
        if (bad.size() < MOST_BAD) {
            bad.putIfAbsent(index, new BadEntry(index, file, offset < 0 ? null : Long.valueOf(offset), reason));
        }
    }

    private static @Nullable String sha256(Field image) {
        if (image.dtype() != DType.UINT8) {
            return null;
        }
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(image.data()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
