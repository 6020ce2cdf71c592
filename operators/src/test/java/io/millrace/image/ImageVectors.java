package io.millrace.image;

import io.millrace.sample.Field;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;

/**
 * The vectors that {@code src/test/python/image_vectors.py} made: tables and files, and the pixels that both sides
 * generate.
 */
public final class ImageVectors {
    private ImageVectors() {}

    /**
     * One line of a table.
     *
     * @param cells the cells by the name of their column
     */
    public record Row(Map<String, String> cells) {
        public String text(String column) {
            String cell = cells.get(column);
            if (cell == null) {
                throw new NoSuchElementException("no column " + column + " in " + cells);
            }
            return cell;
        }

        public int number(String column) {
            return Integer.parseInt(text(column));
        }

        public double real(String column) {
            return Double.parseDouble(text(column));
        }

        /** Returns the numbers of a cell, which spaces separate. */
        public double[] reals(String column) {
            return text(column).isEmpty()
                    ? new double[0]
                    : Arrays.stream(text(column).split(" ", -1))
                            .mapToDouble(Double::parseDouble)
                            .toArray();
        }

        @Override
        public String toString() {
            return String.join(",", cells.values());
        }
    }

    /** Returns a whole file. */
    public static byte[] file(String name) {
        return resource("/vectors/image/" + name);
    }

    private static byte[] resource(String path) {
        try (InputStream in = ImageVectors.class.getResourceAsStream(path)) {
            if (in == null) {
                throw new NoSuchElementException(path);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the lines of a table. No cell contains a comma. */
    public static List<Row> table(String name) {
        return tableAt("/vectors/image/" + name);
    }

    /** Returns the lines of a table in another folder. No cell contains a comma. */
    public static List<Row> tableAt(String path) {
        List<String> lines =
                new String(resource(path), StandardCharsets.UTF_8).lines().toList();
        String[] header = lines.get(0).split(",", -1);
        List<Row> rows = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            String[] cells = line.split(",", -1);
            Map<String, String> row = new LinkedHashMap<>();
            for (int i = 0; i < header.length; i++) {
                row.put(header[i], cells[i]);
            }
            rows.add(new Row(row));
        }
        return rows;
    }

    /** Returns the pixels of the script's {@code pixels(seed, kind, height, width, channels)}. */
    public static Field pixels(int seed, String kind, int height, int width, int channels) {
        byte[] pixels = new byte[height * width * channels];
        int state = seed;
        for (int i = 0; i < pixels.length; i++) {
            state = state * 1664525 + 1013904223;
            int noise = state >>> 24;
            pixels[i] = (byte)
                    switch (kind) {
                        case "noise" -> noise;
                        case "extremes" -> noise < 128 ? 0 : 255;
                        case "ramp" -> i / 7 + (noise & 7);
                        case "soft" -> 70 + noise / 2;
                        default -> throw new IllegalArgumentException(kind);
                    };
        }
        return Field.image(height, width, channels, pixels);
    }

    /** Returns the SHA-256 of the field's bytes. */
    public static String sha256(Field field) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(field.data()));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns whether the kernels of this machine decode parts of JPEGs. */
    public static boolean kernelsDecodeParts() {
        return Kernels.chosen().jpegs(EntryPoints.OFF) != null;
    }
}
