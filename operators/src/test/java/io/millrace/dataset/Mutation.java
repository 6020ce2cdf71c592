package io.millrace.dataset;

import java.util.Arrays;
import java.util.Random;

/** Damage to real files for fuzzing. The same seed causes the same damage. */
public final class Mutation {
    /** The number of cases for each reader. Set {@code -Dmillrace.fuzz.cases=100000} for a long run. */
    public static final int CASES = Integer.getInteger("millrace.fuzz.cases", 300);

    private static final byte[] EDGES = {0, 1, (byte) 0x7F, (byte) 0x80, (byte) 0xFF, '0', '9', '/', '.', '{', '('};

    private Mutation() {}

    /** Makes one to four changes: bytes flipped or set, runs removed, doubled, filled, or cut off at the end. */
    public static byte[] mutate(byte[] original, Random random) {
        byte[] bytes = original.clone();
        for (int changes = 1 + random.nextInt(4); changes > 0 && bytes.length > 0; changes--) {
            int at = random.nextInt(bytes.length);
            int length = Math.min(bytes.length - at, 1 + random.nextInt(random.nextInt(10) == 0 ? 2000 : 12));
            switch (random.nextInt(8)) {
                case 0, 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 2 -> bytes[at] = EDGES[random.nextInt(EDGES.length)];
                case 3 -> bytes[at] = (byte) random.nextInt();
                case 4 -> Arrays.fill(bytes, at, at + length, EDGES[random.nextInt(EDGES.length)]);
                case 5 -> bytes = join(bytes, at, at + length);
                case 6 -> bytes = join(bytes, at + length, at);
                default -> bytes = random.nextInt(4) == 0 ? Arrays.copyOf(bytes, at) : bytes;
            }
        }
        return bytes;
    }

    /** Returns the bytes before {@code until} and those from {@code from} on, so that a run is missing or doubled. */
    private static byte[] join(byte[] bytes, int until, int from) {
        byte[] joined = Arrays.copyOf(bytes, until + bytes.length - from);
        System.arraycopy(bytes, from, joined, until, bytes.length - from);
        return joined;
    }
}
