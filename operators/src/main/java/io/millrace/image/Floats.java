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
}
