package io.millrace.generate.photos;

import io.millrace.generate.GeneratorRandom;

/**
 * The image that is being painted: three planes of brightness, and the pixel loops of all brushes. Not thread-safe.
 *
 * <p>Coordinates are pixels from the top left; parts outside of the image are clipped.
 *
 * <p>Tested by {@code PhotosGeneratorTest}.
 */
final class Canvas {
    final int width;
    final int height;
    private final float[] red;
    private final float[] green;
    private final float[] blue;

    Canvas(int width, int height) {
        this.width = width;
        this.height = height;
        this.red = new float[width * height];
        this.green = new float[width * height];
        this.blue = new float[width * height];
    }

    /** Paints rows {@code fromY} (inclusive) to {@code toY} (exclusive) from one colour to another. */
    void gradient(int fromY, int toY, Colour top, Colour bottom) {
        for (int y = Math.max(0, fromY); y < Math.min(height, toY); y++) {
            Colour colour = top.mix(bottom, (y - fromY + 0.5) / (toY - fromY));
            for (int i = y * width; i < (y + 1) * width; i++) {
                set(i, colour);
            }
        }
    }

    /**
     * Paints a textured surface below an edge.
     *
     * @param edge the first row of the surface in each column
     * @param noise a value for each pixel, which mixes the colours: dark at -1 / contrast, light at 1 / contrast
     * @param perspective 0 for an upright surface; above 0, the texture of a horizontal surface is compressed towards the edge,
     *     strongly at 10
     */
    void surface(float[] edge, float[] noise, Colour dark, Colour light, double contrast, double perspective) {
        float half = (float) (contrast / 2);
        float redStep = light.red() - dark.red();
        float greenStep = light.green() - dark.green();
        float blueStep = light.blue() - dark.blue();
        float highest = height;
        for (float y : edge) {
            highest = Math.min(highest, y);
        }
        int first = Math.max(0, (int) highest);
        for (int y = first; y < height; y++) {
            int source = width * row(y, first, perspective);
            for (int x = 0; x < width; x++) {
                float cover = Math.min(1, y + 1 - edge[x]);
                if (cover > 0) {
                    int i = y * width + x;
                    float share = Math.max(-0.15f, Math.min(1.15f, 0.5f + half * noise[source + x]));
                    red[i] += cover * (dark.red() + share * redStep - red[i]);
                    green[i] += cover * (dark.green() + share * greenStep - green[i]);
                    blue[i] += cover * (dark.blue() + share * blueStep - blue[i]);
                }
            }
        }
    }

    /** Returns the row of the noise for row y of a surface; consecutive rows are further apart near the far edge. */
    private int row(int y, int first, double perspective) {
        if (perspective <= 0) {
            return y;
        }
        double depth = (double) (y - first) / (height - first);
        return (int) ((height - 1) * StrictMath.log1p(perspective * depth) / StrictMath.log1p(perspective));
    }

    /** Covers rows with a colour where the noise exceeds a threshold, completely where it exceeds {@code threshold + softness}. */
    void veil(int fromY, int toY, float[] noise, double threshold, double softness, Colour colour) {
        float start = (float) threshold;
        float slope = (float) (1 / softness);
        for (int i = Math.max(0, fromY) * width; i < Math.min(height, toY) * width; i++) {
            float cover = Math.min(1, (noise[i] - start) * slope);
            if (cover > 0) {
                blend(i, colour, cover);
            }
        }
    }

    /** Varies the brightness of rows by the noise; an {@code amount} of 0.1 means a tenth at one deviation. */
    void shade(int fromY, int toY, float[] noise, double amount) {
        for (int i = Math.max(0, fromY) * width; i < Math.min(height, toY) * width; i++) {
            float factor = 1 + (float) amount * noise[i];
            red[i] *= factor;
            green[i] *= factor;
            blue[i] *= factor;
        }
    }

    /** Paints an upright ellipse; {@code softness} is the share of its radius over which it fades. */
    void ellipse(double x, double y, double radiusX, double radiusY, Colour colour, double softness) {
        ellipse(x, y, radiusX, radiusY, colour, softness, 1);
    }

    /** Adds light around a point, which fades out at the radius. */
    void glow(double x, double y, double radius, Colour colour, double strength) {
        ellipse(x, y, radius, radius, colour, 1, strength);
    }

    private void ellipse(
            double x, double y, double radiusX, double radiusY, Colour colour, double softness, double strength) {
        double soft = Math.max(softness, 1 / Math.min(radiusX, radiusY));
        for (int row = Math.max(0, (int) (y - radiusY)); row < Math.min(height, y + radiusY + 1); row++) {
            double dy = (row - y) / radiusY;
            for (int column = Math.max(0, (int) (x - radiusX)); column < Math.min(width, x + radiusX + 1); column++) {
                double dx = (column - x) / radiusX;
                double cover = (1 - Math.sqrt(dx * dx + dy * dy)) / soft;
                if (cover > 0) {
                    blend(row * width + column, colour, (float) (strength * Math.min(1, cover)));
                }
            }
        }
    }

    /** Paints a rectangle with a texture of the noise; {@code contrast} is in levels at one deviation. */
    void rectangle(
            double left, double top, double right, double bottom, Colour colour, float[] noise, double contrast) {
        for (int y = Math.max(0, (int) top); y < Math.min(height, bottom); y++) {
            for (int x = Math.max(0, (int) left); x < Math.min(width, right); x++) {
                int i = y * width + x;
                float light = (float) contrast * noise[i];
                red[i] = colour.red() + light;
                green[i] = colour.green() + light;
                blue[i] = colour.blue() + light;
            }
        }
    }

    /**
     * Develops the image as a camera does: exposure and white balance, darker corners, grain, 8 bits.
     *
     * @param exposure the factor of each channel, about 1: brightness and colour of the light
     * @param grain the deviation of the sensor's noise, in levels
     * @param pixels receives blue, green and red of each pixel, row by row from the top
     */
    void develop(GeneratorRandom random, Colour exposure, double grain, byte[] pixels) {
        float[] column = new float[width];
        for (int x = 0; x < width; x++) {
            double dx = 2.0 * x / width - 1;
            column[x] = (float) (0.09 * dx * dx);
        }
        float scale = (float) (grain / 74);
        for (int y = 0; y < height; y++) {
            double dy = 2.0 * y / height - 1;
            float light = (float) (1 - 0.09 * dy * dy);
            long bits = 0;
            for (int x = 0; x < width; x++) {
                if ((x & 3) == 0) {
                    bits = random.nextLong();
                }
                // The sum of two bytes has a triangular distribution with a deviation of 104 levels / sqrt(2).
                float noise = scale * ((bits & 0xff) - (bits >>> 8 & 0xff));
                bits >>>= 16;
                int i = y * width + x;
                float factor = light - column[x];
                pixels[3 * i] = level(exposure.blue() * blue[i] * factor + noise);
                pixels[3 * i + 1] = level(exposure.green() * green[i] * factor + noise);
                pixels[3 * i + 2] = level(exposure.red() * red[i] * factor + noise);
            }
        }
    }

    private static byte level(float value) {
        return (byte) (int) Math.max(0, Math.min(255, value + 0.5f));
    }

    private void set(int i, Colour colour) {
        red[i] = colour.red();
        green[i] = colour.green();
        blue[i] = colour.blue();
    }

    private void blend(int i, Colour colour, float cover) {
        red[i] += cover * (colour.red() - red[i]);
        green[i] += cover * (colour.green() - green[i]);
        blue[i] += cover * (colour.blue() - blue[i]);
    }
}
