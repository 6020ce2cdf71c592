package io.millrace.dataset.columns;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.Mutation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Cases that read a real file with random damage. Each case must end within seconds, in samples or in an {@link
 * IOException}. {@code -Dmillrace.fuzz.cases=100000} sets the number of cases instead of a few hundred.
 */
public final class DamagedFiles {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final long[] NUMBERS = {
        0, 1, -1, 7, 8, 255, 256, 65_535, Integer.MAX_VALUE, Integer.MIN_VALUE, 1L << 32, Long.MAX_VALUE, Long.MIN_VALUE
    };

    /** Opens the damaged file. */
    @FunctionalInterface
    public interface Open {
        Dataset open(Path file) throws IOException;
    }

    /** The outcomes of the cases. A test in which no file is damaged or every file is refused proves nothing. */
    public record Outcomes(int refused, int badSamples, int whole) {}

    private DamagedFiles() {}

    /**
     * Runs the cases.
     *
     * @param scratch the path to which the damaged file is written
     */
    public static Outcomes read(Path file, Path scratch, Open open) throws IOException {
        return read(file, scratch, open, IntStream.range(0, Mutation.CASES));
    }

    /** Runs the cases of these numbers, for example one that has failed in a long run. */
    public static Outcomes read(Path file, Path scratch, Open open, IntStream numbers) throws IOException {
        byte[] sound = Files.readAllBytes(file);
        int[] outcomes = new int[3];
        for (int number : numbers.toArray()) {
            Files.write(scratch, damaged(sound, new SplittableRandom(number)));
            int outcome;
            try {
                outcome = assertTimeoutPreemptively(LIMIT, () -> outcome(scratch, open));
            } catch (Throwable e) {
                throw new AssertionError("case " + number + " of " + file, e);
            }
            outcomes[outcome]++;
        }
        return new Outcomes(outcomes[0], outcomes[1], outcomes[2]);
    }

    private static int outcome(Path file, Open open) throws IOException {
        try (Dataset dataset = open.open(file)) {
            boolean bad = false;
            // A damaged file may state more rows than a test can read.
            for (long i = 0; i < Math.min(dataset.size(), 50); i++) {
                try {
                    dataset.read(i);
                } catch (BadSampleException e) {
                    bad = true;
                }
            }
            return bad ? 1 : 2;
        } catch (DatasetException e) {
            return 0;
        }
    }

    /** Returns the bytes with one to four random changes. */
    public static byte[] damaged(byte[] sound, SplittableRandom random) {
        byte[] bytes = sound.clone();
        int changes = random.nextInt(1, 5);
        for (int i = 0; i < changes && bytes.length > 0; i++) {
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(8)) {
                case 0 -> bytes = Arrays.copyOf(bytes, at);
                case 1, 2 -> bytes[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
                case 3 -> bytes[at] = (byte) random.nextInt();
                case 4 -> put(bytes, at, Integer.BYTES, random);
                case 5 -> put(bytes, at, Long.BYTES, random);
                case 6 -> Arrays.fill(bytes, at, Math.min(bytes.length, at + random.nextInt(1, 64)), (byte) 0);
                default -> {
                    int from = random.nextInt(bytes.length);
                    int count = Math.min(random.nextInt(1, 64), bytes.length - Math.max(at, from));
                    System.arraycopy(sound, Math.min(from, sound.length - count), bytes, at, count);
                }
            }
        }
        return bytes;
    }

    private static void put(byte[] bytes, int at, int width, SplittableRandom random) {
        long number = random.nextInt(4) == 0 ? random.nextLong() : NUMBERS[random.nextInt(NUMBERS.length)];
        byte[] little = ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(number)
                .array();
        // Most numbers in files are aligned.
        int aligned = at / Integer.BYTES * Integer.BYTES;
        System.arraycopy(little, 0, bytes, aligned, Math.min(width, bytes.length - aligned));
    }
}
