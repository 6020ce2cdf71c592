package io.millrace.generate.digits;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A stroke, which the pen draws without being lifted: the control points of lines and cubic Bezier curves.
 *
 * <p>Digits are about 1.2 wide and 2 high around (0, 0); y grows downwards.
 */
final class Stroke {
    private static final Pattern TOKEN = Pattern.compile("([MLC])|(-?[0-9.]+)");

    /** The control points: the start and the points of all pieces. The pen reads them and never writes them. */
    final float[] x;

    final float[] y;
    private final boolean[] cubic;

    private Stroke(float[] x, float[] y, boolean[] cubic) {
        this.x = x;
        this.y = y;
        this.cubic = cubic;
    }

    /** Returns whether a piece of the stroke is a cubic curve, which has three further points; a line has one. */
    boolean isCubic(int piece) {
        return cubic[piece];
    }

    int pieces() {
        return cubic.length;
    }

    /** Parses strokes from the letters M (start of a stroke), L (line to) and C (cubic curve to), with their points. */
    static List<Stroke> parse(String path) {
        List<Stroke> strokes = new ArrayList<>();
        List<Float> numbers = new ArrayList<>();
        List<Boolean> pieces = new ArrayList<>();
        Matcher tokens = TOKEN.matcher(path);
        while (tokens.find()) {
            String letter = tokens.group(1);
            if (letter == null) {
                numbers.add(Float.valueOf(tokens.group(2)));
            } else if (!letter.equals("M")) {
                pieces.add(letter.equals("C"));
            } else if (!pieces.isEmpty()) {
                strokes.add(of(numbers, pieces));
                numbers.clear();
                pieces.clear();
            }
        }
        strokes.add(of(numbers, pieces));
        return List.copyOf(strokes);
    }

    private static Stroke of(List<Float> numbers, List<Boolean> pieces) {
        int points = 1 + pieces.stream().mapToInt(cubic -> cubic ? 3 : 1).sum();
        if (numbers.size() != 2 * points) {
            throw new IllegalArgumentException("expected " + points + " points, found " + numbers);
        }
        float[] x = new float[points];
        float[] y = new float[points];
        for (int i = 0; i < points; i++) {
            x[i] = numbers.get(2 * i);
            y[i] = numbers.get(2 * i + 1);
        }
        boolean[] cubic = new boolean[pieces.size()];
        for (int i = 0; i < cubic.length; i++) {
            cubic[i] = pieces.get(i);
        }
        return new Stroke(x, y, cubic);
    }
}
