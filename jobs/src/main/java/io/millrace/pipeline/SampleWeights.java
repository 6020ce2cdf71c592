package io.millrace.pipeline;

import io.millrace.config.OrderConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.config.WeightSource;
import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.StoredLabels;
import io.millrace.dataset.files.ParallelTasks;
import io.millrace.dataset.npy.MalformedNpyException;
import io.millrace.dataset.npy.NpyArray;
import io.millrace.dataset.storage.Storage;
import io.millrace.order.WeightTable;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Numbers;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The weights with which the samples of the training dataset are drawn: from a file, from a field of the samples, or so that all classes
 * are drawn equally often. They are read once, by the process that plans the run.
 *
 * <p>Tested by {@code SampleWeightsTest}.
 */
final class SampleWeights {
    /** The samples that one task reads. */
    private static final int TOGETHER = 1 << 10;

    private static final Pattern NUMBER = Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?");

    private final PipelineConfig config;
    private final Dataset dataset;
    private final String path;
    private final int size;

    /** The number of samples that cannot be read, and one of them. */
    private final AtomicLong bad = new AtomicLong();

    private volatile @Nullable BadSampleException badSample;

    private SampleWeights(PipelineConfig config, Dataset dataset, int size) {
        this.config = config;
        this.dataset = dataset;
        this.path = config.data().dataset().spec().path();
        this.size = size;
    }

    /** A function that returns a number for a sample. */
    @FunctionalInterface
    private interface Value {
        double of(long index) throws IOException, PipelineException;
    }

    /**
     * Returns the table of a run's weights; empty when its samples are not drawn by weight.
     *
     * @param dataset the training dataset, whose samples have settled types
     * @param remarks gets a sentence on samples that cannot be read, and are therefore never drawn
     * @throws PipelineException when the file, the field or the labels are no weights; the message begins with the option
     */
    static Optional<WeightTable> of(PipelineConfig config, Dataset dataset, List<String> remarks)
            throws IOException, PipelineException {
        OrderConfig order = config.data().order();
        if (!order.isDrawn()) {
            return Optional.empty();
        }
        String option = order.weights().isPresent() ? "order.weights" : "order.balance";
        if (dataset.size() > Integer.MAX_VALUE - 8) {
            throw refused(config, option, "expected a dataset of less than 2^31 samples, found " + dataset.size());
        }
        SampleWeights weights = new SampleWeights(config, dataset, (int) dataset.size());
        try {
            WeightTable table = WeightTable.of(
                    order.weights().isPresent() ? weights.read(order.weights().get()) : weights.balanced());
            remarks.add(String.format(
                    Locale.ROOT,
                    "%s: an epoch has %,d draws of %,d samples, by %s with replacement, so that it has some of them several times and others"
                            + " not at all",
                    weights.path,
                    order.draws().orElse(weights.size),
                    weights.size,
                    option));
            weights.remark().ifPresent(remarks::add);
            return Optional.of(table);
        } catch (IllegalArgumentException e) {
            throw refused(config, option, String.valueOf(e.getMessage()));
        }
    }

    private static PipelineException refused(PipelineConfig config, String option, String sentence) {
        return new PipelineException(config.places().problem(option, sentence).orElse(option + ": " + sentence));
    }

    private PipelineException refused(String option, String sentence) {
        return refused(config, option, sentence);
    }

    private Optional<String> remark() {
        BadSampleException one = badSample;
        return one == null
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "%s: %,d samples are never drawn, because they cannot be read, for example %s: %s",
                        path,
                        bad.get(),
                        one.file(),
                        one.reason()));
    }

    private double[] read(WeightSource source) throws IOException, PipelineException {
        return source.isField() ? ofField(source.name()) : ofFile(source.name());
    }

    private double[] ofFile(String file) throws IOException, PipelineException {
        byte[] bytes;
        try {
            bytes = Storage.readFile(file, config.data().dataset().spec().storage());
        } catch (DatasetException e) {
            throw refused("order.weights", String.valueOf(e.getMessage()));
        }
        double[] weights = file.toLowerCase(Locale.ROOT).endsWith(".npy") ? array(file, bytes) : lines(file, bytes);
        if (weights.length != size) {
            throw refused(
                    "order.weights",
                    String.format(
                            Locale.ROOT,
                            "expected %,d numbers in %s, one for each sample of %s, found %,d",
                            size,
                            file,
                            path,
                            weights.length));
        }
        return weights;
    }

    private double[] array(String file, byte[] bytes) throws PipelineException {
        NpyArray array;
        try {
            array = NpyArray.parse(bytes);
        } catch (MalformedNpyException e) {
            throw refused("order.weights", file + ", offset " + e.offset() + ": " + e.reason());
        }
        int[] shape = array.shape();
        if (shape.length != 1 && !(shape.length == 2 && shape[1] == 1)) {
            throw refused(
                    "order.weights",
                    "expected an array of one dimension in " + file + ", found one of " + shape.length);
        }
        ByteBuffer values = ByteBuffer.wrap(array.data()).order(ByteOrder.LITTLE_ENDIAN);
        double[] weights = new double[shape[0]];
        for (int i = 0; i < weights.length; i++) {
            weights[i] = array.dtype().isFloat()
                    ? Numbers.real(values, array.dtype(), i)
                    : Numbers.whole(values, array.dtype(), i);
        }
        return weights;
    }

    private double[] lines(String file, byte[] bytes) throws PipelineException {
        List<String> lines = new String(bytes, StandardCharsets.UTF_8)
                .lines()
                .map(String::strip)
                .toList();
        double[] weights = new double[lines.size()];
        for (int i = 0; i < weights.length; i++) {
            String line = lines.get(i);
            if (!NUMBER.matcher(line).matches()) {
                throw refused(
                        "order.weights",
                        "expected a number in line " + (i + 1) + " of " + file + ", found '"
                                + (line.length() > 40 ? line.substring(0, 40) + "..." : line) + "'");
            }
            weights[i] = Double.parseDouble(line);
        }
        return weights;
    }

    private double[] ofField(String field) throws IOException, PipelineException {
        Dataset view = dataset.only(field);
        return each(0, index -> {
            Sample sample = view.read(index);
            if (!sample.fieldNames().contains(field)) {
                throw refused(
                        "order.weights",
                        "expected one of the fields "
                                + dataset.read(index).fieldNames() + " of " + path + ", found '" + field
                                + "'; the key fields of the dataset may name more of them");
            }
            Field value = sample.field(field);
            if (value.dtype() == DType.ENCODED
                    || value.kind().varies()
                    || value.bytes() != value.dtype().bytes()) {
                throw refused(
                        "order.weights",
                        "expected one number in the field '" + field + "' of sample " + index + " of " + path
                                + ", found " + value);
            }
            ByteBuffer number = ByteBuffer.wrap(value.data()).order(ByteOrder.LITTLE_ENDIAN);
            return value.dtype().isFloat()
                    ? Numbers.real(number, value.dtype(), 0)
                    : Numbers.whole(number, value.dtype(), 0);
        });
    }

    /** Returns weights by which each class is drawn equally often: the reciprocal of the number of its samples. */
    private double[] balanced() throws IOException, PipelineException {
        StoredLabels stored = dataset.labels();
        if (!stored.isPresent()) {
            throw refused(
                    "order.balance",
                    "expected samples with labels, and those of " + path + " have none: " + stored.advice());
        }
        if (dataset.classesOfObjects() != null) {
            throw refused(
                    "order.balance",
                    "expected samples with one label each, and those of " + path
                            + " have objects of several classes; set order.weights instead");
        }
        double[] labels = each(Double.NaN, index -> dataset.label(index));
        Map<Double, Integer> counts = new HashMap<>();
        for (double label : labels) {
            counts.merge(label, 1, Integer::sum);
        }
        for (int i = 0; i < labels.length; i++) {
            labels[i] = Double.isNaN(labels[i]) ? 0 : 1.0 / counts.getOrDefault(labels[i], 1);
        }
        return labels;
    }

    /** Returns the values of all samples, read by several threads; a bad sample has another value. */
    private double[] each(double ofBad, Value value) throws IOException, PipelineException {
        double[] values = new double[size];
        List<Integer> tasks =
                IntStream.range(0, (size + TOGETHER - 1) / TOGETHER).boxed().toList();
        try {
            ParallelTasks.map(tasks, task -> {
                for (int i = task * TOGETHER; i < Math.min(size, (task + 1L) * TOGETHER); i++) {
                    values[i] = valueOf(value, i, ofBad);
                }
                return task;
            });
        } catch (Refused e) {
            throw e.cause;
        }
        return values;
    }

    private double valueOf(Value value, int index, double ofBad) throws IOException {
        try {
            return value.of(index);
        } catch (BadSampleException e) {
            bad.incrementAndGet();
            badSample = e;
            return ofBad;
        } catch (PipelineException e) {
            throw new Refused(e);
        }
    }

    /** A refusal on its way through the threads that read. */
    private static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final PipelineException cause;

        Refused(PipelineException cause) {
            super(cause);
            this.cause = cause;
        }
    }
}
