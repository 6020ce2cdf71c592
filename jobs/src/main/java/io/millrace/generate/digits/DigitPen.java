package io.millrace.generate.digits;

import io.millrace.generate.GeneratorRandom;
import java.util.Arrays;
import java.util.List;

/**
 * A pen that draws digits. It moves the control points of a digit's strokes as in hurried handwriting, maps them to the
 * grid with a slant, a stretch, a rotation and a shift, and inks each pixel depending on its distance to the nearest
 * piece of the line.
 *
 * <p>Not thread-safe; one pen draws any number of images.
 *
 * <p>Tested by {@code DigitsGeneratorTest}.
 */
final class DigitPen {
    /** The edge length of an image, in pixels. */
    static final int SIDE = 28;

    static final int PIXELS = SIDE * SIDE;

    /** The number of straight pieces that approximate a cubic curve. */
    private static final int STEPS = 9;

    /** The pixels from the middle to the top of an unstretched digit; MNIST's digits are 20 pixels high. */
    private static final double HALF_HEIGHT = 9.2;

    /** The largest displacement of control points, in half heights. */
    private static final double STRAY = 0.065;

    private final float[] ink = new float[PIXELS];

    // The affine map from shape to pixels, set per image.
    private double xx;
    private double xy;
    private double x0;
    private double yx;
    private double yy;
    private double y0;

    // The pen, set per image: the mean half width, its change along a stroke, and the wobble of the line.
    private double radius;
    private double pressure;
    private double wobble;
    private double wobblePhase;

    /** Draws the digit into 784 bytes of {@code pixels} from {@code offset}, row by row from the top; 0 is paper. */
    void draw(int digit, GeneratorRandom random, byte[] pixels, int offset) {
        Arrays.fill(ink, 0);
        place(random);
        List<List<Stroke>> hands = DigitShapes.of(digit);
        for (Stroke stroke : hands.get(random.below(hands.size()))) {
            draw(stroke, random);
        }
        develop(random, pixels, offset);
    }

    private void place(GeneratorRandom random) {
        double angle = 0.16 * random.normal();
        double shear = 0.18 * random.normal();
        double width = HALF_HEIGHT * random.uniform(0.72, 1.22);
        double height = HALF_HEIGHT * random.uniform(0.8, 1.08);
        double cos = StrictMath.cos(angle);
        double sin = StrictMath.sin(angle);
        xx = width * cos;
        xy = -height * (sin + shear * cos);
        yx = width * sin;
        yy = height * (cos - shear * sin);
        x0 = 13.5 + 1.2 * random.normal();
        y0 = 13.5 + 1.2 * random.normal();
        radius = random.uniform(0.55, 1.75);
        pressure = random.uniform(0, 0.35);
        wobble = random.uniform(0, 0.45);
        wobblePhase = random.uniform(0, 6.28);
    }

    private void draw(Stroke stroke, GeneratorRandom random) {
        double[] x = strayed(stroke.x, random);
        double[] y = strayed(stroke.y, random);
        double fromX = x[0];
        double fromY = y[0];
        int point = 0;
        for (int piece = 0; piece < stroke.pieces(); piece++) {
            boolean cubic = stroke.isCubic(piece);
            int last = point + (cubic ? 3 : 1);
            int steps = cubic ? STEPS : 3;
            for (int step = 1; step <= steps; step++) {
                double t = (double) step / steps;
                double toX = cubic ? bezier(x, point, t) : x[point] + t * (x[last] - x[point]);
                double toY = cubic ? bezier(y, point, t) : y[point] + t * (y[last] - y[point]);
                line(fromX, fromY, toX, toY);
                fromX = toX;
                fromY = toY;
            }
            point = last;
        }
    }

    private static double[] strayed(float[] coordinates, GeneratorRandom random) {
        double[] moved = new double[coordinates.length];
        for (int i = 0; i < moved.length; i++) {
            moved[i] = coordinates[i] + STRAY * random.normal();
        }
        return moved;
    }

    private static double bezier(double[] p, int i, double t) {
        double s = 1 - t;
        return s * s * s * p[i] + 3 * s * s * t * p[i + 1] + 3 * s * t * t * p[i + 2] + t * t * t * p[i + 3];
    }

    /** Inks a straight piece in shape coordinates; wobble and pressure of the pen depend on the position in the stroke. */
    private void line(double fromX, double fromY, double toX, double toY) {
        double ax = pixelX(fromX, fromY);
        double ay = pixelY(fromX, fromY);
        double bx = pixelX(toX, toY);
        double by = pixelY(toX, toY);
        double r = radius * (1 + pressure * StrictMath.sin(wobblePhase + 2 * toY));
        double reach = r + 0.5;
        double dx = bx - ax;
        double dy = by - ay;
        double length = dx * dx + dy * dy + 1e-9;
        int left = Math.max(0, (int) Math.ceil(Math.min(ax, bx) - reach));
        int right = Math.min(SIDE - 1, (int) Math.floor(Math.max(ax, bx) + reach));
        int top = Math.max(0, (int) Math.ceil(Math.min(ay, by) - reach));
        int bottom = Math.min(SIDE - 1, (int) Math.floor(Math.max(ay, by) + reach));
        for (int y = top; y <= bottom; y++) {
            for (int x = left; x <= right; x++) {
                double along = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / length));
                double offX = x - ax - along * dx;
                double offY = y - ay - along * dy;
                double cover = reach - Math.sqrt(offX * offX + offY * offY);
                int i = y * SIDE + x;
                ink[i] = Math.max(ink[i], (float) Math.min(1, cover));
            }
        }
    }

    private double pixelX(double x, double y) {
        return x0 + xx * x + xy * y + wobble * StrictMath.sin(wobblePhase + 3.1 * y);
    }

    private double pixelY(double x, double y) {
        return y0 + yx * x + yy * y + wobble * StrictMath.sin(wobblePhase + 2.3 * x);
    }

    /** Converts ink to bytes, with uneven ink and, in some images, speckled paper. */
    private void develop(GeneratorRandom random, byte[] pixels, int offset) {
        double strength = random.uniform(190, 262);
        double grain = random.uniform(0, 26);
        double speckles = random.chance(0.3) ? random.uniform(0, 0.03) : 0;
        for (int i = 0; i < PIXELS; i++) {
            double value = 0;
            if (ink[i] > 0) {
                value = ink[i] * strength + ink[i] * grain * random.normal();
            }
            if (speckles > 0 && random.chance(speckles)) {
                value += random.uniform(0, 160);
            }
            pixels[offset + i] = (byte) (int) Math.max(0, Math.min(255, value));
        }
    }
}
