package io.millrace.dataset;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;

/**
 * A program that makes datasets of very many tiny files, to measure the start of a run. It needs nothing but a JDK:
 *
 * <pre>{@code
 * java operators/src/test/java/io/millrace/dataset/HugeDatasets.java folder OUT CLASSES FILES_PER_CLASS
 * java operators/src/test/java/io/millrace/dataset/HugeDatasets.java copies SHARD OUT COUNT
 * }</pre>
 *
 * The first command writes pictures of 8x8 in class folders, and the second command copies one shard many times. Both
 * commands use many inodes: check {@code df -i} before, and remove the files afterwards.
 */
final class HugeDatasets {
    private static final int EXTENT = 8;

    private HugeDatasets() {}

    /** Makes the dataset that the arguments describe. */
    public static void main(String[] arguments) throws IOException {
        if (arguments.length == 4 && arguments[0].equals("folder")) {
            folder(Path.of(arguments[1]), Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
        } else if (arguments.length == 4 && arguments[0].equals("copies")) {
            copies(Path.of(arguments[1]), Path.of(arguments[2]), Integer.parseInt(arguments[3]));
        } else {
            throw new IllegalArgumentException(
                    "expected: folder OUT CLASSES FILES_PER_CLASS, or: copies SHARD OUT COUNT");
        }
    }

    private static void folder(Path out, int classes, int files) throws IOException {
        byte[] picture = picture();
        for (int label = 0; label < classes; label++) {
            Path folder = Files.createDirectories(out.resolve(String.format(Locale.ROOT, "class-%04d", label)));
            IntStream.range(0, files)
                    .parallel()
                    .forEach(number ->
                            write(folder.resolve(String.format(Locale.ROOT, "picture-%08d.png", number)), picture));
        }
    }

    private static void copies(Path shard, Path out, int count) throws IOException {
        byte[] bytes = Files.readAllBytes(shard);
        String name = shard.getFileName().toString();
        String extension = name.substring(name.lastIndexOf('.'));
        Files.createDirectories(out);
        IntStream.range(0, count)
                .parallel()
                .forEach(number ->
                        write(out.resolve(String.format(Locale.ROOT, "shard-%05d%s", number, extension)), bytes));
    }

    private static void write(Path file, byte[] bytes) {
        try {
            Files.write(file, bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] picture() throws IOException {
        BufferedImage image = new BufferedImage(EXTENT, EXTENT, BufferedImage.TYPE_INT_RGB);
        for (int i = 0; i < EXTENT * EXTENT; i++) {
            image.setRGB(i % EXTENT, i / EXTENT, 0x010305 * i);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ImageIO.write(image, "png", bytes);
        return bytes.toByteArray();
    }
}
