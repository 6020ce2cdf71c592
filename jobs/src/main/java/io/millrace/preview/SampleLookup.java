package io.millrace.preview;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.packed.PackedDataset;
import io.millrace.order.Sources;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The search for a training sample by the text with which a user names it: {@code 15}, its index, which for a mixture is the one among
 * all datasets; {@code code:15}, the dataset of a mixture and the index in it; {@code cat/3.jpg} or {@code code:cat/3.jpg}, the name that the
 * format stores. If the samples are packs, it is a document that a number names, because the number of a pack differs from epoch to epoch.
 *
 * <p>Tested by {@code WhichCommandTest}.
 *
 * @param sources the datasets of the run
 * @param datasets the opened datasets, in the same order
 */
public record SampleLookup(Sources sources, List<Dataset> datasets) {
    public SampleLookup {
        datasets = List.copyOf(datasets);
    }

    /**
     * Returns the dataset of a sample, and its index in the dataset or the part of it that the run trains on.
     *
     * @throws IllegalArgumentException when there is no such sample; the message is a sentence
     */
    public Sources.Place find(String text) throws IOException {
        if (isNumber(text)) {
            return ofRun(number(text), text);
        }
        for (int source = 0; source < sources.count(); source++) {
            String prefix = sources.get(source).name() + ":";
            if (prefix.length() > 1 && text.startsWith(prefix)) {
                String rest = text.substring(prefix.length());
                return isNumber(rest) ? inDataset(source, rest, text) : named(source, source + 1, rest, text);
            }
        }
        return named(0, sources.count(), text, text);
    }

    private static boolean isNumber(String text) {
        return text.matches("\\d+");
    }

    private Sources.Place ofRun(long index, String text) {
        if (datasets.get(0) instanceof PackedDataset) {
            if (sources.count() == 1) {
                return document(0, index, text);
            }
            throw new IllegalArgumentException("expected a dataset and the index of a document in it, such as "
                    + sources.get(0).name() + ":15, found " + text);
        }
        long indexes =
                sources.list().stream().mapToLong(Sources.Source::indexes).sum();
        if (index >= indexes) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "expected an index from 0 to %d, found %s", indexes - 1, text));
        }
        Sources.Place place = sources.place(index);
        return trained(place.source(), place.index(), text);
    }

    /** Returns a number, or for one with many digits a number that is larger than any index. */
    private static long number(String digits) {
        return digits.length() > 18 ? Long.MAX_VALUE : Long.parseLong(digits);
    }

    private Sources.Place inDataset(int source, String digits, String text) {
        Sources.Source dataset = sources.get(source);
        long index = number(digits);
        if (datasets.get(source) instanceof PackedDataset) {
            return document(source, index, text);
        }
        if (index >= dataset.indexes()) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "expected an index from 0 to %d in '%s', found %s",
                    dataset.indexes() - 1,
                    dataset.name(),
                    text));
        }
        return trained(source, index, text);
    }

    private Sources.Place document(int source, long index, String text) {
        long documents = ((PackedDataset) datasets.get(source)).documents();
        if (index >= documents) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT, "expected the index of a document, 0 to %d, found %s", documents - 1, text));
        }
        return new Sources.Place(source, index);
    }

    /** Returns the sample with an index in the whole dataset, of which the run may train on a part. */
    private Sources.Place trained(int source, long index, String text) {
        Dataset dataset = datasets.get(source);
        long low = 0;
        long high = dataset.size() - 1;
        while (low < high) { // the samples of a part are in the order of the dataset
            long middle = (low + high + 1) >>> 1;
            if (dataset.indexInWhole(middle) <= index) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        if (dataset.indexInWhole(low) != index) {
            throw new IllegalArgumentException("the run does not train on sample " + text
                    + ": it is not in the part of the dataset that the run uses");
        }
        return new Sources.Place(source, low);
    }

    private Sources.Place named(int from, int to, String name, String text) throws IOException {
        for (int source = from; source < to; source++) {
            Dataset dataset = datasets.get(source);
            for (long i = 0; i < dataset.size() && (i > 0 || name(dataset, 0) != null); i++) {
                if (name.equals(name(dataset, i))) {
                    return new Sources.Place(source, i);
                }
            }
        }
        boolean names = false;
        for (int source = from; source < to; source++) {
            names |= name(datasets.get(source), 0) != null;
        }
        throw new IllegalArgumentException("no sample of the run has the name '" + text + "': expected "
                + (names ? "the name of a sample as 'which --step' prints it, or " : "")
                + "its index"
                + (sources.count() > 1
                        ? " among all datasets, or a dataset and the index in it, such as "
                                + sources.get(0).name() + ":15"
                        : "")
                + (names
                        ? ""
                        : datasets.get(from) instanceof PackedDataset
                                ? "; documents of sequences are known by their indexes"
                                : "; the format of the dataset stores no names"));
    }

    private static @Nullable String name(Dataset dataset, long index) throws IOException {
        try {
            return dataset.nameOf(index);
        } catch (BadSampleException e) {
            return e.file(); // its name cannot be read, so that messages name its file
        }
    }
}
