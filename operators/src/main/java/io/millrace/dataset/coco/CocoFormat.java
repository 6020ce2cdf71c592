package io.millrace.dataset.coco;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.RemarkedDataset;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.FieldSource.As;
import io.millrace.dataset.fields.FieldSources;
import io.millrace.dataset.fields.FlipPairs;
import io.millrace.dataset.storage.Storage;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.sample.Annotation;
import io.millrace.sample.Annotation.Form;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The dataset format of pictures whose boxes, classes, keypoints and captions are in a JSON file as COCO has them.
 *
 * <p>Tested by {@code CocoDatasetTest}.
 */
public final class CocoFormat implements DatasetFormat {
    private static final Option<String> PATH = Option.of(
                    "path",
                    OptionType.PATH,
                    "The folder of the pictures, below which the file names in the JSON file are.")
            .decides(Identity.NOTHING);

    private static final Option<String> ANNOTATIONS = Option.of(
                    "annotations",
                    OptionType.PATH,
                    "The JSON file, plain or gzipped, for example annotations/instances_train2017.json.")
            .decides(Identity.NOTHING);

    private static final Option<Boolean> CROWDS = Option.of(
                    "crowds",
                    OptionType.BOOLEAN,
                    "Whether samples have the objects with iscrowd 1, whose boxes stand for groups of objects.")
            .orElse(true)
            .decides(Identity.BATCHES);

    private static final Option<Pairs> FLIP_PAIRS = Option.of(
                    "flip_pairs",
                    OptionType.of("names, or [[1, 2], ...]", Pairs::parse),
                    "The pairs of keypoints that a horizontal flip exchanges: those whose names differ in left and right (names), or"
                            + " their numbers from 0. Without it, a flip exchanges none.")
            .optional()
            .decides(Identity.BATCHES);

    private static final List<FieldSource> DEFAULTS = List.of(
            new FieldSource("image", "image", As.AUTO),
            new FieldSource("boxes", "boxes", As.AUTO),
            new FieldSource("labels", "labels", As.AUTO),
            new FieldSource("image_id", "image_id", As.AUTO));

    /**
     * A field of the samples.
     *
     * @param name the name in samples
     * @param form the form of boxes
     * @param annotation what the values mean for the geometry of pictures
     */
    record Choice(
            String name,
            CocoColumn column,
            Form form,
            @Nullable Annotation annotation) {
        /** Returns the same field, with pairs of points that change places if it has points. */
        Choice withFlipPairs(List<Integer> pairs) {
            return annotation == null || annotation.form() != Form.POINTS
                    ? this
                    : new Choice(name, column, form, annotation.withFlipPairs(pairs));
        }
    }

    /**
     * The value of the option {@code flip_pairs}.
     *
     * @param names whether the names of the keypoints decide
     * @param numbers the numbers of the pairs otherwise
     */
    private record Pairs(boolean names, List<Integer> numbers) {
        static Pairs parse(Object raw) {
            return raw.equals("names")
                    ? new Pairs(true, List.of())
                    : new Pairs(false, FlipPairs.parse(raw, "names, or"));
        }
    }

    @Override
    public String name() {
        return "coco";
    }

    @Override
    public String help() {
        return "A folder of pictures and a JSON file in the form of COCO's instances, person keypoints or captions. fields chooses among "
                + CocoColumn.names() + "; the default is image, boxes, labels and image_id.";
    }

    @Override
    public boolean filePerSample() {
        return true;
    }

    @Override
    public List<Option<?>> options() {
        return List.of(PATH, ANNOTATIONS, FieldSources.FIELDS, CROWDS, FLIP_PAIRS);
    }

    @Override
    public boolean annotates(OptionValues options) {
        return sources(options).stream()
                .flatMap(source -> CocoColumn.of(source.from()).stream())
                .anyMatch(CocoColumn::isMoved);
    }

    @Override
    public Dataset open(OptionValues options, StorageOptions storageOptions) throws IOException {
        List<Choice> fields = choices(sources(options));
        Set<CocoColumn> columns = EnumSet.noneOf(CocoColumn.class);
        fields.forEach(field -> columns.add(field.column()));
        Storage file = Storage.of(options.get(ANNOTATIONS), storageOptions);
        Storage pictures = Storage.of(options.get(PATH), storageOptions);
        CocoIndex index = CocoReader.read(file, pictures, columns, options.get(CROWDS));
        List<Integer> pairs = pairs(options, index);
        Dataset dataset = new CocoDataset(
                pictures,
                index,
                fields.stream().map(field -> field.withFlipPairs(pairs)).toList());
        boolean paired = columns.contains(CocoColumn.KEYPOINTS)
                && options.find(FLIP_PAIRS).isEmpty()
                && !FlipPairs.ofNames(index.pointNames()).isEmpty();
        return RemarkedDataset.of(
                dataset,
                paired
                        ? List.of(
                                "the keypoints of the categories have names with left and right, but a horizontal flip"
                                        + " exchanges them only with flip_pairs: names")
                        : List.of());
    }

    private static List<Integer> pairs(OptionValues options, CocoIndex index) throws DatasetException {
        Pairs chosen = options.find(FLIP_PAIRS).orElse(new Pairs(false, List.of()));
        if (!chosen.names()) {
            return chosen.numbers();
        }
        List<String> names = index.pointNames();
        List<Integer> pairs = FlipPairs.ofNames(names);
        if (pairs.isEmpty()) {
            throw new DatasetException(
                    "dataset.flip_pairs: expected categories with keypoints whose names differ in left and right, found "
                            + (names.isEmpty() ? "no names, or different ones in the categories" : names));
        }
        return pairs;
    }

    private static List<FieldSource> sources(OptionValues options) {
        return options.find(FieldSources.FIELDS).orElse(DEFAULTS);
    }

    private static List<Choice> choices(List<FieldSource> sources) throws DatasetException {
        String boxes = null;
        for (FieldSource source : sources) {
            boxes = boxes == null && source.from().equals(CocoColumn.BOXES.text()) ? source.name() : boxes;
        }
        List<Choice> choices = new ArrayList<>();
        for (FieldSource source : sources) {
            CocoColumn column = CocoColumn.of(source.from())
                    .orElseThrow(() -> new DatasetException("dataset.fields: expected one of " + CocoColumn.names()
                            + ", found '" + source.from() + "'"
                            + (source.from().equals(FieldSource.LABEL)
                                    ? "; a picture has no single label, and labels has the class of each box"
                                    : "")));
            if (source.name().equals(FieldSource.LABEL)) {
                throw new DatasetException("dataset.fields: expected another name than label for '" + source.from()
                        + "', because the label is one number for each picture");
            }
            Form form = form(source, column);
            choices.add(new Choice(source.name(), column, form, column.annotation(form, boxes)));
        }
        return choices;
    }

    /** Returns the form of boxes: COCO's own, or the one that the file asks for. */
    private static Form form(FieldSource source, CocoColumn column) throws DatasetException {
        Annotation asked = source.annotation();
        if (asked == null && source.as() == As.AUTO) {
            return Form.XYWH;
        }
        if (column != CocoColumn.BOXES || asked == null || !asked.form().isBoxes() || asked.normalized()) {
            throw new DatasetException("dataset.fields." + source.name()
                    + ": expected no as and no labels_of, because the format coco declares its fields itself; only boxes may have"
                    + " as: {boxes: xyxy}, {boxes: xywh} or {boxes: cxcywh}, in pixels");
        }
        return asked.form();
    }
}
