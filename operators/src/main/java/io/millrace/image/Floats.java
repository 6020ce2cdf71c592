package io.millrace.image;

import java.util.List;

/** Arrays of floats for loops. */
final class Floats {
    private Floats() {}

    static float[] of(List<Float> numbers) {
        float[] floats = new float[numbers.size()];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = numbers.get(i);
        }
        return floats;
    }

    /** Returns an array that repeats the numbers. */
    static float[] repeated(List<Float> numbers, int length) {
        float[] floats = new float[length];
        for (int i = 0; i < length; i++) {
            floats[i] = numbers.get(i % numbers.size());
        }
        return floats;
    }
}
