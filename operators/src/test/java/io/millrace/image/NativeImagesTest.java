package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.image.codec.CheckedImage;
import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.sample.Field;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NativeImagesTest {
    private final Random random = new Random(1);
    private final ImageDecoder reference =
            new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE, ScalarKernels.INSTANCE);
    private @Nullable NativeImages created;

    @BeforeEach
    void create() {
        assumeTrue(NativeKernels.obstacle() == null, "no native kernels in this build");
        created = NativeImages.create();
        assumeTrue(created != null, "this build has no libdeflate");
    }

    private NativeImages images() {
        return Objects.requireNonNull(created);
    }

    /** Each colour type with each depth that PNG allows. */
    @ParameterizedTest
    @CsvSource({
        "0,1", "0,2", "0,4", "0,8", "0,16", "2,8", "2,16", "3,1", "3,2", "3,4", "3,8", "4,8", "4,16", "6,8", "6,16"
    })
    void decodesRectanglesOfPngsToThePixelsOfTheDecoderInJava(int color, int depth) throws Exception {
        for (int trial = 0; trial < 60; trial++) {
            Png png = new Png(color, depth, 1 + random.nextInt(40), 1 + random.nextInt(40));
            CheckedImage image = reference.check(png.bytes());
            Crop crop = crop(image);
            byte[] pixels = new byte[3 * crop.height() * crop.width()];
            assertThat(images().decode(image.encoded(), image.header(), crop, pixels))
                    .as("%s", png)
                    .isTrue();
            assertThat(pixels)
                    .as("%s", png)
                    .isEqualTo(reference.decode(image, crop, new byte[0]).data());
        }
        assertThat(images().decodes()).isEqualTo(60);
    }

    /** Whatever it accepts, the decoder in Java accepts with the same pixels; it does not accept less because of the rectangle. */
    @Test
    void leavesDamagedPngsToTheDecoderInJavaOrDecodesTheSamePixels() throws Exception {
        int[][] kinds = {{0, 8}, {0, 16}, {2, 8}, {3, 4}, {3, 8}, {6, 8}, {6, 16}};
        int accepted = 0;
        int refused = 0;
        for (int trial = 0; trial < 4000; trial++) {
            int[] kind = kinds[trial % kinds.length];
            Png png = new Png(kind[0], kind[1], 1 + random.nextInt(20), 1 + random.nextInt(20));
            png.damage();
            CheckedImage image;
            try {
                image = reference.check(png.bytes());
            } catch (MalformedImageException e) {
                continue; // no decoder sees it
            }
            Crop crop = crop(image);
            byte[] pixels = new byte[3 * crop.height() * crop.width()];
            if (images().decode(image.encoded(), image.header(), crop, pixels)) {
                accepted++;
                assertThat(pixels)
                        .as("%s", png)
                        .isEqualTo(reference.decode(image, crop, new byte[0]).data());
            } else {
                refused++;
            }
        }
        assertThat(accepted).isGreaterThan(200);
        assertThat(refused).isGreaterThan(200);
    }

    @Test
    void leavesInterlacedPngsToTheDecoderInJava() throws Exception {
        Png interlaced = new Png(2, 8, 8, 8);
        interlaced.interlacing = 1;
        CheckedImage image = reference.check(interlaced.bytes());
        assertThat(images().decode(image.encoded(), image.header(), Crop.whole(8, 8), new byte[3 * 64]))
                .isFalse();
    }

    /** A frame that disposes of its area made OpenCV write outside of its memory. */
    @Test
    void decodesTheDefaultImageOfAnimatedPngs() throws Exception {
        for (int trial = 0; trial < 200; trial++) {
            Png png = new Png(trial % 2 == 0 ? 0 : 6, 8, 1 + random.nextInt(20), 1 + random.nextInt(20));
            png.more = new String[] {};
            CheckedImage still = reference.check(png.bytes());
            Field expected = reference.decode(still, Crop.whole(still.height(), still.width()), new byte[0]);
            png.more = new String[] {"acTL", "fcTL"};
            CheckedImage animated = reference.check(png.bytes());
            byte[] pixels = new byte[3 * png.height * png.width];
            assertThat(images().decode(
                                    animated.encoded(), animated.header(), Crop.whole(png.height, png.width), pixels))
                    .isTrue();
            assertThat(pixels).as("%s", png).isEqualTo(expected.data());
            assertThat(reference.decode(png.bytes()).data()).as("%s", png).isEqualTo(expected.data());
        }
    }

    @Test
    void refusesAnArrayOfAnotherLength() throws Exception {
        CheckedImage image = reference.check(new Png(2, 8, 8, 8).bytes());
        assertThat(images().decode(image.encoded(), image.header(), Crop.whole(8, 8), new byte[3 * 64 - 1]))
                .isFalse();
        assertThat(images().decode(image.encoded(), image.header(), new Crop(1, 0, 8, 8), new byte[3 * 64]))
                .isFalse();
    }

    private Crop crop(CheckedImage image) {
        int height = 1 + random.nextInt(image.height());
        int width = 1 + random.nextInt(image.width());
        return new Crop(
                random.nextInt(image.height() - height + 1), random.nextInt(image.width() - width + 1), height, width);
    }

    /** A PNG of random bytes, with random filters, whose compressed data is split at random. */
    private final class Png {
        private final int color;
        private final int depth;
        private final int height;
        private final int width;
        private final long seed = random.nextLong();
        private final byte[] rows;
        private String[] more = {};
        private int interlacing;
        private int colors;
        private boolean damaged;

        Png(int color, int depth, int height, int width) {
            this.color = color;
            this.depth = depth;
            this.height = height;
            this.width = width;
            this.colors = 1 << Math.min(8, depth);
            int samples = new int[] {1, 0, 3, 1, 2, 0, 4}[color];
            int rowBytes = (width * samples * depth + 7) / 8;
            this.rows = new byte[height * (rowBytes + 1)];
            random.nextBytes(rows);
            for (int row = 0; row < height; row++) {
                rows[row * (rowBytes + 1)] = (byte) random.nextInt(5);
            }
            if (random.nextBoolean()) {
                more = new String[] {"tEXt", "gAMA"};
            }
        }

        /** Changes the rows, the palette, or the compressed data. The checksums of chunks stay right. */
        void damage() {
            switch (random.nextInt(4)) {
                case 0 -> rows[random.nextInt(rows.length)] = (byte) random.nextInt(256);
                case 1 -> colors = 1 + random.nextInt(colors);
                default -> damaged = true;
            }
        }

        byte[] bytes() {
            Random draw = new Random(seed);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            out.writeBytes(new byte[] {(byte) 0x89, 'P', 'N', 'G', 13, 10, 26, 10});
            ByteBuffer header = ByteBuffer.allocate(13).putInt(width).putInt(height);
            header.put((byte) depth)
                    .put((byte) color)
                    .put((byte) 0)
                    .put((byte) 0)
                    .put((byte) interlacing);
            chunk(out, "IHDR", header.array());
            for (String type : more) {
                switch (type) {
                    case "gAMA" -> chunk(out, type, new byte[] {0, 0, (byte) 0xb1, (byte) 0x8f});
                    case "fcTL" -> {
                        ByteBuffer frame = ByteBuffer.allocate(26).putInt(0).putInt(width);
                        frame.putInt(height)
                                .putInt(20, 1 << 16)
                                .put(24, (byte) 1)
                                .put(25, (byte) 1);
                        chunk(out, type, frame.array());
                    }
                    default -> chunk(out, type, new byte[8]);
                }
            }
            if (color == 3) {
                byte[] palette = new byte[3 * colors];
                draw.nextBytes(palette);
                chunk(out, "PLTE", palette);
                if (draw.nextBoolean()) {
                    chunk(out, "tRNS", new byte[] {0});
                }
            }
            byte[] data = compressed(draw);
            for (int at = 0; at < data.length; ) {
                int end = Math.min(data.length, at + draw.nextInt(200));
                chunk(out, "IDAT", Arrays.copyOfRange(data, at, end));
                at = end;
            }
            chunk(out, "IEND", new byte[0]);
            return out.toByteArray();
        }

        private byte[] compressed(Random draw) {
            Deflater deflater = new Deflater(draw.nextInt(10));
            deflater.setInput(rows);
            deflater.finish();
            byte[] data = new byte[2 * rows.length + 100];
            data = Arrays.copyOf(data, deflater.deflate(data));
            deflater.end();
            if (damaged) {
                for (int changes = 1 + draw.nextInt(2); changes > 0; changes--) {
                    // The first two bytes state the window, the last four are the checksum.
                    int at = draw.nextInt(3) == 0 ? draw.nextInt(2) : draw.nextInt(data.length);
                    data[at] ^= (byte) (1 << draw.nextInt(8));
                }
                data = draw.nextInt(4) == 0 ? Arrays.copyOf(data, data.length - 4 + draw.nextInt(8)) : data;
            }
            return data;
        }

        @Override
        public String toString() {
            return "PNG of colour type " + color + ", " + depth + " bits, " + width + "x" + height + ", seed " + seed
                    + (damaged ? ", damaged" : "");
        }
    }

    private static void chunk(ByteArrayOutputStream out, String type, byte[] body) {
        ByteBuffer chunk = ByteBuffer.allocate(12 + body.length).putInt(body.length);
        chunk.put(type.getBytes(StandardCharsets.US_ASCII)).put(body);
        CRC32 crc = new CRC32();
        crc.update(chunk.array(), 4, 4 + body.length);
        out.writeBytes(chunk.putInt((int) crc.getValue()).array());
    }
}
