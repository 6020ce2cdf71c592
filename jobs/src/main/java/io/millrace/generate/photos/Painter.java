package io.millrace.generate.photos;

import io.millrace.generate.GeneratorRandom;
import java.util.Arrays;

/**
 * A painter of the parts of scenes: sky, clouds, ridges, ground, trees, houses. Not thread-safe.
 *
 * <p>Positions are shares of the image's width and height, so that a scene looks the same at every size.
 *
 * <p>Tested by {@code PhotosGeneratorTest}.
 */
final class Painter {
    final Canvas canvas;
    private final Noise noise;
    private final float[] plane;
    private final float[] edge;
    private GeneratorRandom random = new GeneratorRandom(0, 0, 0);

    Painter(int width, int height) {
        canvas = new Canvas(width, height);
        noise = new Noise(width, height);
        plane = new float[width * height];
        edge = new float[width];
    }

    /** Begins the next image with its random numbers. */
    void start(GeneratorRandom numbers) {
        this.random = numbers;
    }

    GeneratorRandom random() {
        return random;
    }

    double uniform(double from, double to) {
        return random.uniform(from, to);
    }

    /** Returns the pixels from the left for a share of the width. */
    double x(double share) {
        return share * canvas.width;
    }

    /** Returns the pixels from the top for a share of the height. */
    double y(double share) {
        return share * canvas.height;
    }

    /** Returns this image's variation of a colour. */
    Colour tint(int rgb) {
        return Colour.of(rgb).varied(12, random);
    }

    /** Returns noise whose feature sizes are shares of the width, in a plane that the next call overwrites. */
    float[] noise(double width, double height, double gain) {
        noise.fill(plane, new Spectrum(x(width), x(height), gain), random);
        return plane;
    }

    /** Returns a horizontal edge at this share of the height; the next edge overwrites it. */
    float[] level(double at) {
        Arrays.fill(edge, (float) y(at));
        return edge;
    }

    /**
     * Returns a skyline of hills, made by midpoint displacement; the next edge overwrites it.
     *
     * @param at the mean height, as a share of the image's height
     * @param swing the amplitude of the largest hills
     * @param gain the strength of an octave relative to the one before: 0.3 for dunes, 0.6 for rock
     */
    float[] ridge(double at, double swing, double gain) {
        level(at);
        double amplitude = y(swing);
        for (double length = x(uniform(0.3, 0.6)); length > 2 && amplitude > 0.2; length /= 2, amplitude *= gain) {
            double start = uniform(0, 1);
            double left = amplitude * random.normal();
            double right = amplitude * random.normal();
            int cell = 0;
            for (int i = 0; i < edge.length; i++) {
                double along = start + i / length;
                while (cell < (int) along) {
                    left = right;
                    right = amplitude * random.normal();
                    cell++;
                }
                double t = along - cell;
                edge[i] += (float) (left + t * t * (3 - 2 * t) * (right - left));
            }
        }
        return edge;
    }

    /** Paints a sky down to this share of the height, with a cloud cover from 0 (none) to 1 (overcast), and haze below. */
    void sky(double horizon, Colour top, Colour bottom, double cover, Colour cloud) {
        int end = (int) y(horizon) + 1;
        canvas.gradient(0, end, top, bottom);
        // Ridges may leave gaps below the horizon, which show haze and not the previous image.
        canvas.gradient(end, canvas.height, bottom, bottom);
        if (cover > 0) {
            canvas.veil(0, end, noise(uniform(0.25, 0.5), uniform(0.08, 0.16), 0.55), 1.3 - 2.2 * cover, 1.6, cloud);
        }
    }

    /** Paints ground or water below an edge. */
    void ground(float[] top, float[] texture, Colour dark, Colour light, double contrast, double perspective) {
        canvas.surface(top, texture, dark, light, contrast, perspective);
    }

    /** Paints a row of houses that stand on the bottom line, with windows, some of them lit. */
    void houses(double bottom, double tallest, Colour wall, double lit, Colour light, Colour dark) {
        float[] plaster = noise(0.05, 0.1, 0.6);
        double at = uniform(-0.1, 0);
        while (at < 1) {
            double wide = uniform(0.07, 0.2);
            double top = bottom - tallest * uniform(0.35, 1);
            Colour colour = wall.varied(22, random);
            canvas.rectangle(x(at), y(top), x(at + wide), y(bottom), colour, plaster, 7);
            windows(at, top, at + wide, bottom, lit, light, dark.mix(colour, 0.3), plaster);
            at += wide + (random.chance(0.3) ? uniform(0, 0.05) : 0);
        }
    }

    private void windows(
            double left,
            double top,
            double right,
            double bottom,
            double lit,
            Colour light,
            Colour dark,
            float[] glass) {
        double stepX = uniform(0.012, 0.026);
        double stepY = uniform(0.025, 0.05);
        double fillX = uniform(0.4, 0.75);
        double fillY = uniform(0.4, 0.75);
        for (double row = top + stepY / 2; row < bottom - stepY; row += stepY) {
            for (double column = left + stepX / 2; column < right - stepX; column += stepX) {
                Colour pane = random.chance(lit) ? light.varied(15, random) : dark.varied(10, random);
                canvas.rectangle(x(column), y(row), x(column + stepX * fillX), y(row + stepY * fillY), pane, glass, 4);
            }
        }
    }

    /** Paints an upright trunk with bark, which is lighter on one side. */
    void trunk(double centre, double wide, double top, double bottom, Colour bark, float[] texture) {
        int slices = 5;
        for (int i = 0; i < slices; i++) {
            double left = centre + wide * ((double) i / slices - 0.5);
            Colour lit = bark.times(0.6 + 0.2 * i);
            canvas.rectangle(x(left), y(top), x(left + wide / slices) + 1, y(bottom), lit, texture, 11);
        }
    }

    /** Paints many round spots of foliage, stones or light. */
    void spots(int count, double fromY, double toY, double smallest, double largest, Colour colour, double stray) {
        for (int i = 0; i < count; i++) {
            double at = uniform(fromY, toY);
            double radius = x(uniform(smallest, largest));
            canvas.ellipse(
                    x(uniform(0, 1)), y(at), radius, radius * uniform(0.6, 1), colour.varied(stray, random), 0.3);
        }
    }

    /** Paints a flower seen from above: petals around a centre. */
    void flower(double centreX, double centreY, double radius, Colour petal, Colour heart) {
        int petals = 5 + random.below(4);
        double turn = uniform(0, 6.28);
        double tilt = uniform(0.55, 1);
        double reach = x(radius);
        for (int i = 0; i < petals; i++) {
            double angle = turn + i * 6.2832 / petals;
            canvas.ellipse(
                    x(centreX) + 0.6 * reach * StrictMath.cos(angle),
                    y(centreY) + 0.6 * reach * tilt * StrictMath.sin(angle),
                    0.5 * reach,
                    0.5 * reach * tilt,
                    petal.varied(10, random),
                    0.35);
        }
        canvas.ellipse(x(centreX), y(centreY), 0.28 * reach, 0.28 * reach * tilt, heart.varied(8, random), 0.3);
    }
}
