package io.millrace.dataset.coco;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.storage.Storage;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A reader of annotation files. It keeps one value at a time in memory and what {@link CocoBuilder} collects, so that files of some
 * gigabytes can be read. Values that samples do not need are skipped.
 *
 * <p>Tested by {@code CocoDatasetTest}.
 */
final class CocoReader {
    private static final int BUFFER_BYTES = 1 << 20;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build();

    private final String file;
    private final JsonParser json;
    private final Set<CocoColumn> columns;
    private final CocoBuilder builder;

    private CocoReader(String file, JsonParser json, Set<CocoColumn> columns, boolean crowds) {
        this.file = file;
        this.json = json;
        this.columns = columns;
        this.builder = new CocoBuilder(file, columns, crowds);
    }

    /**
     * Reads a file.
     *
     * @param columns the columns that samples have
     * @param crowds whether samples have crowds
     * @throws DatasetException when the file does not exist, is no JSON, or contradicts itself
     */
    static CocoIndex read(Storage storage, Set<CocoColumn> columns, boolean crowds) throws IOException {
        String file = storage.display("");
        if (storage.kind("") == Storage.Kind.DIRECTORY) {
            throw new DatasetException("dataset.annotations: expected a JSON file, found the folder " + file);
        }
        try (InputStream stream = new BufferedInputStream(storage.open(""), BUFFER_BYTES);
                JsonParser json = FACTORY.createParser(stream)) {
            return new CocoReader(file, json, columns, crowds).read();
        } catch (NoSuchFileException | java.io.FileNotFoundException e) {
            throw new DatasetException("dataset.annotations: expected a JSON file, found no file " + file, e);
        } catch (JsonEOFException e) {
            throw new DatasetException(
                    file + ": expected JSON, found the end of the file within a value; is the file cut off?", e);
        } catch (JsonProcessingException e) {
            throw new DatasetException(file + ": expected JSON, found something else" + at(e.getLocation()), e);
        }
    }

    private static String at(JsonLocation location) {
        return location == null || location.getLineNr() < 0
                ? ""
                : " in line " + location.getLineNr() + ", column " + location.getColumnNr();
    }

    private DatasetException bad(String message) {
        return new DatasetException(file + ": " + message + at(json.currentTokenLocation()));
    }

    private CocoIndex read() throws IOException {
        if (json.nextToken() != JsonToken.START_OBJECT) {
            throw bad("expected an object with images, annotations and categories, found "
                    + (json.currentToken() == JsonToken.START_ARRAY
                            ? "a list, as files of results have it"
                            : json.currentToken() == null ? "an empty file" : "something else"));
        }
        boolean images = false;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            json.nextToken();
            switch (name) {
                case "images" -> {
                    images = true;
                    objects(name, this::image);
                }
                case "annotations" -> objects(name, this::annotation);
                case "categories" -> objects(name, this::category);
                default -> json.skipChildren();
            }
        }
        if (json.nextToken() != null) {
            throw bad("expected one JSON value, found another one after it");
        }
        if (!images) {
            throw new DatasetException(file + ": expected the list images, found none");
        }
        return builder.build();
    }

    /** Reads the value of one key of an object, or skips it. */
    @FunctionalInterface
    private interface Element {
        void read() throws IOException;
    }

    private void objects(String list, Element element) throws IOException {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            throw bad("expected a list as " + list + ", found something else");
        }
        while (json.nextToken() != JsonToken.END_ARRAY) {
            if (json.currentToken() != JsonToken.START_OBJECT) {
                throw bad("expected objects in the list " + list + ", found something else");
            }
            element.read();
        }
    }

    private void image() throws IOException {
        Long id = null;
        String path = null;
        double height = 0;
        double width = 0;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            json.nextToken();
            switch (name) {
                case "id" -> id = whole("the id of an image");
                case "file_name" -> path = text("the file_name of an image");
                case "height" -> height = number();
                case "width" -> width = number();
                default -> json.skipChildren();
            }
        }
        if (id == null || path == null) {
            throw bad("expected an image with " + (id == null ? "id" : "file_name") + ", found one without it");
        }
        builder.addImage(id, path, (int) height, (int) width);
    }

    private void category() throws IOException {
        Long id = null;
        String title = null;
        int points = 0;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            json.nextToken();
            switch (name) {
                case "id" -> id = whole("the id of a category");
                case "name" -> title = text("the name of a category");
                case "keypoints" -> points = countElements();
                default -> json.skipChildren();
            }
        }
        if (id == null) {
            throw bad("expected a category with id, found one without it");
        }
        builder.addCategory(id, title == null ? String.valueOf(id) : title, points);
    }

    private int countElements() throws IOException {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            json.skipChildren();
            return 0;
        }
        int count = 0;
        while (json.nextToken() != JsonToken.END_ARRAY) {
            json.skipChildren();
            count++;
        }
        return count;
    }

    private void annotation() throws IOException {
        CocoBuilder.Row row = builder.row();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            json.nextToken();
            switch (name) {
                case "id" -> row.id = whole("the id of an annotation");
                case "image_id" -> row.image = whole("the image_id of an annotation");
                case "category_id" -> row.category = whole("the category_id of an annotation");
                case "iscrowd" -> row.crowd = json.currentToken() == JsonToken.VALUE_TRUE || number() == 1;
                case "area" -> row.area = number();
                case "bbox" -> row.box = columns.contains(CocoColumn.BOXES) ? numbers() : skipped();
                case "keypoints" -> row.keypoints = columns.contains(CocoColumn.KEYPOINTS) ? numbers() : skipped();
                case "segmentation" -> {
                    if (columns.contains(CocoColumn.MASKS)) {
                        segmentation(row);
                    } else {
                        json.skipChildren();
                    }
                }
                case "caption" -> row.caption = text("the caption of an annotation");
                default -> json.skipChildren();
            }
        }
        if (row.image == null) {
            throw bad("expected an annotation with image_id, found one without it");
        }
        builder.add(row);
    }

    /** Reads polygons, or the runs of a mask. */
    private void segmentation(CocoBuilder.Row row) throws IOException {
        if (json.currentToken() == JsonToken.START_ARRAY) {
            List<double[]> polygons = new ArrayList<>();
            while (json.nextToken() != JsonToken.END_ARRAY) {
                double[] polygon = numbers();
                if (polygon.length > 0) {
                    polygons.add(polygon);
                }
            }
            row.polygons = polygons;
        } else if (json.currentToken() == JsonToken.START_OBJECT) {
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                json.nextToken();
                switch (name) {
                    case "size" -> row.runsSize = numbers();
                    case "counts" -> {
                        row.hasRuns = true;
                        if (json.currentToken() == JsonToken.VALUE_STRING) {
                            row.packedRuns = json.getText();
                        } else {
                            row.runs = numbers();
                        }
                    }
                    default -> json.skipChildren();
                }
            }
        } else {
            json.skipChildren();
        }
    }

    private double[] skipped() throws IOException {
        json.skipChildren();
        return CocoBuilder.NONE;
    }

    /** Returns a whole number, which some programs write as 139.0. */
    private long whole(String what) throws IOException {
        double number = json.currentToken().isNumeric() ? json.getDoubleValue() : Double.NaN;
        if (json.currentToken() == JsonToken.VALUE_NUMBER_INT && Math.abs(number) < 0x1p63) {
            return json.getLongValue();
        }
        if (number != Math.rint(number) || Math.abs(number) >= 0x1p53) {
            throw bad("expected a whole number as " + what + ", found '" + json.getText() + "'");
        }
        return (long) number;
    }

    private String text(String what) throws IOException {
        if (json.currentToken() != JsonToken.VALUE_STRING) {
            throw bad("expected text as " + what + ", found '" + json.getText() + "'");
        }
        return json.getText();
    }

    /** Returns a number; NaN for anything else, which is skipped. */
    private double number() throws IOException {
        if (json.currentToken().isNumeric()) {
            return json.getDoubleValue();
        }
        json.skipChildren();
        return Double.NaN;
    }

    /** Returns a list of numbers. Anything else in it is NaN. */
    private double[] numbers() throws IOException {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            json.skipChildren();
            return CocoBuilder.NONE;
        }
        double[] numbers = new double[4];
        int count = 0;
        while (json.nextToken() != JsonToken.END_ARRAY) {
            if (count == numbers.length) {
                numbers = java.util.Arrays.copyOf(numbers, 2 * count);
            }
            numbers[count++] = number();
        }
        return java.util.Arrays.copyOf(numbers, count);
    }
}
