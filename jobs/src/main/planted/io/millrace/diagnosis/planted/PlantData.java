package io.millrace.diagnosis.planted;

import java.awt.image.BufferedImage;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import javax.imageio.ImageIO;

/** Small datasets for planted bottlenecks. All images are square, have random colours, and belong to one class. */
final class PlantData {
    private static final String CLASS = "a";

    private PlantData() {}

    /** Writes uncompressed images, which cost almost no time to decode. */
    static void images(Path folder, int count, int edge) throws IOException {
        for (int i = 0; i < count; i++) {
            image(folder, i, edge);
        }
    }

    /** Writes one uncompressed image. */
    static void image(Path folder, int number, int edge) throws IOException {
        Path file = Files.createDirectories(folder.resolve(CLASS)).resolve(number + ".ppm");
        Files.write(file, ppm(number, edge));
    }

    /** Returns an uncompressed image as a PPM file, whose colours follow from the number. */
    static byte[] ppm(int number, int edge) {
        byte[] head = ("P6\n" + edge + " " + edge + "\n255\n").getBytes(StandardCharsets.US_ASCII);
        byte[] pixels = new byte[edge * edge * 3];
        new Random(number).nextBytes(pixels);
        return ByteBuffer.allocate(head.length + pixels.length)
                .put(head)
                .put(pixels)
                .array();
    }

    /** The edge of the square that is repeated in JPEGs, so that large and small ones cost the same for each pixel. */
    private static final int TILE = 400;

    /** Writes JPEGs. */
    static void jpegs(Path folder, int count, int edge) throws IOException {
        Path images = Files.createDirectories(folder.resolve(CLASS));
        for (int i = 0; i < count; i++) {
            jpeg(images.resolve(i + ".jpg"), edge);
        }
    }

    private static void jpeg(Path file, int edge) throws IOException {
        BufferedImage image = new BufferedImage(edge, edge, BufferedImage.TYPE_INT_RGB);
        Random random = new Random(1);
        int base = random.nextInt(1 << 24);
        for (int y = 0; y < edge; y++) {
            for (int x = 0; x < edge; x++) {
                image.setRGB(x, y, base ^ (x % TILE * 7 ^ y % TILE * 3) ^ random.nextInt(16));
            }
        }
        if (!ImageIO.write(image, "jpg", file.toFile())) {
            throw new IOException("this Java installation cannot write JPEG files");
        }
    }

    /** Writes black and white images as 0 and 255, in NumPy's format. */
    static void blackAndWhite(Path folder, int count, int edge) throws IOException {
        Files.createDirectories(folder);
        Random random = new Random(1);
        byte[] row = new byte[edge];
        try (OutputStream out = npy(folder.resolve("images.npy"), "|u1", count + ", " + edge + ", " + edge + ", 1")) {
            for (int i = 0; i < count * edge; i++) {
                random.nextBytes(row);
                for (int x = 0; x < edge; x++) {
                    row[x] = (byte) (row[x] >> 7);
                }
                out.write(row);
            }
        }
        try (OutputStream out = npy(folder.resolve("labels.npy"), "<i8", count + ",")) {
            out.write(new byte[count * Long.BYTES]);
        }
    }

    /** Opens an NPY file and writes its header: version 1, padded to 64 bytes. */
    private static OutputStream npy(Path file, String type, String shape) throws IOException {
        String header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
        int length = (header.length() + 1 + 10 + 63) / 64 * 64 - 10;
        ByteBuffer start = ByteBuffer.allocate(10 + length).order(ByteOrder.LITTLE_ENDIAN);
        start.put((byte) 0x93)
                .put("NUMPY".getBytes(StandardCharsets.US_ASCII))
                .put((byte) 1)
                .put((byte) 0);
        start.putShort((short) length).put(header.getBytes(StandardCharsets.US_ASCII));
        while (start.position() < start.limit() - 1) {
            start.put((byte) ' ');
        }
        start.put((byte) '\n');
        OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20);
        out.write(start.array());
        return out;
    }
}
