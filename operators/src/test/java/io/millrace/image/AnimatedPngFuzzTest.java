package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.dataset.Mutation;
import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.image.codec.MalformedImageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

/**
 * Tests with {@link Mutation#CASES} PNGs that get the chunks of an animation, with random contents, in random places. In half of the
 * cases other chunks are damaged, too. All checksums are right. The image is refused, or its pixels are those of the same file without
 * the chunks of the animation, with all kernels.
 */
class AnimatedPngFuzzTest {
    private static final Path IMAGES = Path.of("src/test/resources/vectors/image/decode");
    private static final DecodeLimits LIMITS = new DecodeLimits(1_000_000, 1_000_000);
    private static final int SIGNATURE_BYTES = 8;
    private static final List<String> ANIMATION = List.of("acTL", "fcTL", "fdAT");
    private static final String REFUSED = "";

    private static final class Chunk {
        private final String type;
        private final byte[] content;

        Chunk(String type, byte[] content) {
            this.type = type;
            this.content = content;
        }

        boolean animates() {
            return ANIMATION.contains(type);
        }

        byte[] bytes() {
            ByteBuffer to = ByteBuffer.allocate(12 + content.length).putInt(content.length);
            to.put(type.getBytes(StandardCharsets.ISO_8859_1)).put(content);
            CRC32 crc = new CRC32();
            crc.update(to.array(), 4, 4 + content.length);
            return to.putInt((int) crc.getValue()).array();
        }
    }

    private static List<Path> files() throws IOException {
        try (Stream<Path> found = Files.list(IMAGES)) {
            return found.filter(file -> file.toString().endsWith(".png"))
                    .sorted()
                    .toList();
        }
    }

    private static List<Chunk> chunks(byte[] file) {
        List<Chunk> chunks = new ArrayList<>();
        ByteBuffer from = ByteBuffer.wrap(file).position(SIGNATURE_BYTES);
        while (from.remaining() >= 12) {
            byte[] content = new byte[from.getInt()];
            byte[] type = new byte[4];
            from.get(type).get(content).getInt();
            chunks.add(new Chunk(new String(type, StandardCharsets.ISO_8859_1), content));
        }
        return chunks;
    }

    private static byte[] png(byte[] original, List<Chunk> chunks) {
        byte[][] all = chunks.stream().map(Chunk::bytes).toArray(byte[][]::new);
        ByteBuffer to = ByteBuffer.allocate(SIGNATURE_BYTES
                + Arrays.stream(all).mapToInt(chunk -> chunk.length).sum());
        to.put(original, 0, SIGNATURE_BYTES);
        Arrays.stream(all).forEach(to::put);
        return to.array();
    }

    private static void animate(List<Chunk> chunks, Random random) {
        byte[] header = chunks.get(0).content;
        int width = ByteBuffer.wrap(header).getInt();
        int height = ByteBuffer.wrap(header).getInt(4);
        byte[] pixels = chunks.stream()
                .filter(chunk -> chunk.type.equals("IDAT"))
                .findFirst()
                .orElseThrow()
                .content;
        int frames = 1 + random.nextInt(4);
        insert(
                chunks,
                random,
                "acTL",
                ByteBuffer.allocate(8).putInt(few(random, frames)).array());
        for (int sequence = 0; sequence < 2 * frames; sequence++) {
            ByteBuffer control = ByteBuffer.allocate(26);
            control.putInt(few(random, sequence)).putInt(few(random, width)).putInt(few(random, height));
            control.putInt(random.nextInt(4))
                    .putInt(random.nextInt(4))
                    .putShort((short) 1)
                    .putShort((short) 10);
            control.put((byte) random.nextInt(4)).put((byte) random.nextInt(3));
            insert(chunks, random, "fcTL", control.array());
            ByteBuffer frame = ByteBuffer.allocate(4 + pixels.length);
            frame.putInt(few(random, sequence)).put(pixels);
            insert(chunks, random, "fdAT", frame.array());
        }
    }

    /** Returns a number that is mostly the expected one. */
    private static int few(Random random, int expected) {
        return random.nextInt(4) > 0 ? expected : random.nextInt(8) == 0 ? random.nextInt() : random.nextInt(100);
    }

    /** Inserts a chunk behind the header: at the place where encoders write it, or anywhere. */
    private static void insert(List<Chunk> chunks, Random random, String type, byte[] content) {
        int usual = type.equals("acTL") ? 1 : chunks.size() - 1;
        int place = random.nextInt(3) > 0 ? usual : 1 + random.nextInt(chunks.size() - 1);
        chunks.add(place, new Chunk(type, content));
    }

    private static void damage(List<Chunk> chunks, Random random) {
        int at = random.nextInt(chunks.size());
        Chunk chunk = chunks.get(at);
        switch (random.nextInt(4)) {
            case 0 -> chunks.remove(at);
            case 1 -> chunks.add(random.nextInt(chunks.size()), chunk);
            default -> chunks.set(at, new Chunk(chunk.type, Mutation.mutate(chunk.content, random)));
        }
    }

    @Test
    void chunksOfAnAnimationChangeNoPixel() throws Exception {
        List<Path> files = files();
        List<ImageDecoder> decoders = new ArrayList<>();
        for (Kernels kernels : KernelChoice.available()) {
            decoders.add(new ImageDecoder(LIMITS, ImageIntegrity.STRUCTURE, kernels));
        }
        int decoded = 0;
        for (int seed = 0; seed < Mutation.CASES; seed++) {
            Random random = new Random(seed);
            Path file = files.get(seed % files.size());
            byte[] original = Files.readAllBytes(file);
            List<Chunk> chunks = chunks(original);
            animate(chunks, random);
            if (random.nextBoolean()) {
                damage(chunks, random);
            }
            byte[] animated = png(original, chunks);
            String expected = outcome(
                    decoders.get(0),
                    png(
                            original,
                            chunks.stream().filter(chunk -> !chunk.animates()).toList()));
            String first = outcome(decoders.get(0), animated);
            for (ImageDecoder decoder : decoders) {
                assertThat(outcome(decoder, animated))
                        .as("%s, seed %d", file, seed)
                        .isEqualTo(first);
            }
            assertThat(first).as("%s, seed %d", file, seed).isIn(REFUSED, expected);
            decoded += first.equals(REFUSED) ? 0 : 1;
        }
        decoders.forEach(ImageDecoder::close);
        assertThat(decoded).as("decoded images").isGreaterThan(Mutation.CASES / 3);
    }

    /** Returns the digest of the pixels, or {@link #REFUSED}. */
    private static String outcome(ImageDecoder decoder, byte[] encoded) {
        try {
            return ImageVectors.sha256(decoder.decode(encoded));
        } catch (MalformedImageException e) {
            assertThat(e.reason()).isNotBlank();
            return REFUSED;
        }
    }
}
