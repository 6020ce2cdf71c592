package io.millrace.dataset.coco;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.coco.CocoValues.Listed;
import io.millrace.dataset.shard.Compression;
import io.millrace.dataset.shard.GzipMembers;
import io.millrace.dataset.storage.Storage;
import io.millrace.file.HeapLimit;
import io.millrace.lifecycle.Handles;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.zip.ZipException;

/**
 * A reader of annotation files. It keeps one value at a time in memory and what {@link CocoBuilder} collects, so that files of some
 * gigabytes can be read. Values that samples do not need are skipped.
 *
 * <p>Tested by {@code CocoDatasetTest}.
 */
final class CocoReader {
    private static final int BUFFER_BYTES = 1 << 20;

    /** The bytes of a short polygon while it is read. */
    private static final long POLYGON_BYTES = 128;

    /** The longest text, such as the runs of a mask. Jackson keeps it in memory about three times. */
    private static final int LONGEST_TEXT = (int) Math.min(Integer.MAX_VALUE - 8, HeapLimit.bytes() / 4);

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(LONGEST_TEXT)
                    .maxNameLength(Math.min(LONGEST_TEXT, 1 << 16))
                    .maxNumberLength(1000)
                    .maxNestingDepth(1000)
                    .build())
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build();

    private final String file;
    private final JsonParser json;
    private final Set<CocoColumn> columns;
    private final CocoPaths paths;
    private final CocoValues values;
    private final CocoBuilder builder;

    private CocoReader(String file, JsonParser json, CocoPaths paths, Set<CocoColumn> columns, boolean crowds) {
        this.file = file;
        this.json = json;
        this.columns = columns;
        this.paths = paths;
        this.values = new CocoValues(file, json);
        this.builder = new CocoBuilder(file, columns, crowds);
    }

    /**
     * Reads a file.
     *
     * @param storage the file, which may be compressed with gzip
     * @param pictures the folder of the pictures
     * @param columns the columns that samples have
     * @param crowds whether samples have crowds
     * @throws DatasetException when the file does not exist, is no JSON, or contradicts itself
     */
    static CocoIndex read(Storage storage, Storage pictures, Set<CocoColumn> columns, boolean crowds)
            throws IOException {
        String file = storage.display("");
        if (storage.kind("") == Storage.Kind.DIRECTORY) {
            throw new DatasetException("dataset.annotations: expected a JSON file, found the folder " + file);
        }
        try (InputStream stream = unpacked(new BufferedInputStream(storage.open(""), BUFFER_BYTES));
                JsonParser json = FACTORY.createParser(stream)) {
            CocoReader reader = new CocoReader(file, json, new CocoPaths(pictures), columns, crowds);
            try {
                return reader.read();
            } catch (StreamConstraintsException e) {
                throw new DatasetException(
                        file + ": expected texts of at most " + LONGEST_TEXT
                                + " characters, numbers of at most 1000 digits, and lists and objects at most 1000 deep, found more"
                                + CocoValues.at(json.currentLocation()),
                        e);
            }
        } catch (NoSuchFileException | java.io.FileNotFoundException e) {
            throw new DatasetException("dataset.annotations: expected a JSON file, found no file " + file, e);
        } catch (ZipException | EOFException e) {
            throw new DatasetException(
                    file + ": expected a complete gzip file, found a damaged one; is the file cut off?", e);
        } catch (JsonEOFException e) {
            throw new DatasetException(
                    file + ": expected JSON, found the end of the file within a value; is the file cut off?", e);
        } catch (JsonProcessingException e) {
            throw new DatasetException(
                    file + ": expected JSON, found something else" + CocoValues.at(e.getLocation()), e);
        }
    }

    /** Returns the content of a file; the bytes themselves unless they begin as gzip does. */
    private static InputStream unpacked(BufferedInputStream file) throws IOException {
        try {
            return Compression.isGzip(file) ? GzipMembers.of(file) : file;
        } catch (IOException e) {
            Handles.closeAfter(e, file);
            throw e;
        }
    }

    private CocoIndex read() throws IOException {
        if (json.nextToken() != JsonToken.START_OBJECT) {
            throw values.bad("expected an object with images, annotations and categories, found "
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
            throw values.bad("expected one JSON value, found another one after it");
        }
        if (!images) {
            throw new DatasetException(file + ": expected the list images, found none");
        }
        return builder.build(paths.remarks());
    }

    /** Reads the value of one key of an object, or skips it. */
    @FunctionalInterface
    private interface Element {
        void read() throws IOException;
    }

    private void objects(String list, Element element) throws IOException {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            throw values.bad("expected a list as " + list + ", found something else");
        }
        while (json.nextToken() != JsonToken.END_ARRAY) {
            if (json.currentToken() != JsonToken.START_OBJECT) {
                throw values.bad("expected objects in the list " + list + ", found something else");
            }
            element.read();
        }
    }

    private void image() throws IOException {
        Long id = null;
        String path = null;
        String address = null;
        int height = 0;
        int width = 0;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            json.nextToken();
            switch (name) {
                case "id" -> id = values.id(builder.idsOfImages, "the id of an image");
                case "file_name" -> path = values.text("the file_name of an image");
                case "coco_url" -> address = values.name("the coco_url of an image");
                case "height" -> height = extent("the height of an image");
                case "width" -> width = extent("the width of an image");
                default -> json.skipChildren();
            }
        }
        if (path == null && address != null) {
            path = paths.ofAddress(address).orElse(null);
        }
        if (id == null || path == null) {
            throw values.bad("expected an image with " + (id == null ? "id" : "file_name") + ", found one without it");
        }
        builder.addImage(id, paths.of(path), height, width);
    }

    /** Returns a number of pixels, which only masks need; 0 for none. */
    private int extent(String what) throws IOException {
        if (!columns.contains(CocoColumn.MASKS) || json.currentToken() == JsonToken.VALUE_NULL) {
            json.skipChildren();
            return 0;
        }
        double extent = values.number();
        if (extent != (int) extent || extent < 0) {
            throw values.bad("expected a whole number of pixels as " + what + ", found " + values.found());
        }
        return (int) extent;
    }

    private void category() throws IOException {
        Long id = null;
        String title = null;
        List<String> points = List.of();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            json.nextToken();
            switch (name) {
                case "id" -> id = values.id(builder.idsOfCategories, "the id of a category");
                case "name" -> title = values.name("the name of a category");
                case "keypoints" -> points = pointNames();
                default -> json.skipChildren();
            }
        }
        if (id == null) {
            throw values.bad("expected a category with id, found one without it");
        }
        builder.addCategory(id, title, points);
    }

    private List<String> pointNames() throws IOException {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            json.skipChildren();
            return List.of();
        }
        List<String> names = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            values.require("names of keypoints", CocoMemory.TEXT * names.size());
            names.add(json.currentToken() == JsonToken.VALUE_STRING ? json.getText() : "");
            json.skipChildren();
        }
        return names;
    }

    private void annotation() throws IOException {
        CocoBuilder.Row row = builder.row();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            json.nextToken();
            switch (name) {
                case "id" -> row.id = values.id(builder.idsOfAnnotations, "the id of an annotation");
                case "image_id" -> row.image = values.id(builder.idsOfImages, "the image_id of an annotation");
                case "category_id" ->
                    row.category = values.id(builder.idsOfCategories, "the category_id of an annotation");
                case "iscrowd" -> crowd(row);
                case "area" -> row.area = values.number();
                case "bbox" -> row.box = columns.contains(CocoColumn.BOXES) ? values.numbers() : values.skipped();
                case "keypoints" ->
                    row.keypoints = columns.contains(CocoColumn.KEYPOINTS) ? values.numbers() : values.skipped();
                case "segmentation" -> {
                    if (columns.contains(CocoColumn.MASKS)) {
                        segmentation(row);
                    } else {
                        json.skipChildren();
                    }
                }
                case "caption" -> row.caption = values.text("the caption of an annotation");
                case "segments_info" ->
                    throw values.bad(
                            "expected annotations of objects or captions, found segments_info, as panoptic files"
                                    + " have it");
                default -> json.skipChildren();
            }
        }
        if (row.image == null) {
            throw values.bad("expected an annotation with image_id, found one without it");
        }
        if (row.category == null && row.caption == null) {
            throw values.bad("expected an annotation with category_id, or with caption, found one without them");
        }
        builder.add(row);
    }

    private void crowd(CocoBuilder.Row row) throws IOException {
        JsonToken token = json.currentToken();
        double number = values.number();
        row.crowd = token == JsonToken.VALUE_TRUE || number == 1;
        if (!row.crowd && number != 0 && token != JsonToken.VALUE_FALSE && token != JsonToken.VALUE_NULL) {
            row.problem = "expected 0 or 1 as iscrowd, found " + values.found();
        }
    }

    /** Reads polygons, or the runs of a mask. */
    private void segmentation(CocoBuilder.Row row) throws IOException {
        if (json.currentToken() == JsonToken.START_ARRAY) {
            List<Listed> polygons = new ArrayList<>();
            while (json.nextToken() != JsonToken.END_ARRAY) {
                Listed polygon = values.numbers();
                if (!polygon.isEmpty()) {
                    polygons.add(polygon);
                    values.require("polygons", POLYGON_BYTES * polygons.size());
                }
            }
            row.polygons = polygons;
        } else if (json.currentToken() == JsonToken.START_OBJECT) {
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                json.nextToken();
                switch (name) {
                    case "size" -> row.runsSize = values.numbers();
                    case "counts" -> {
                        row.hasRuns = true;
                        if (json.currentToken() == JsonToken.VALUE_STRING) {
                            row.packedRuns = json.getText();
                        } else {
                            row.runs = values.numbers();
                        }
                    }
                    default -> json.skipChildren();
                }
            }
            if (!row.hasRuns) {
                row.problem = "expected size and counts in the object segmentation, found no counts";
            }
        } else if (json.currentToken() != JsonToken.VALUE_NULL) {
            row.problem = "expected lists of coordinates, or size and counts as segmentation, found " + values.found();
        }
    }
}
