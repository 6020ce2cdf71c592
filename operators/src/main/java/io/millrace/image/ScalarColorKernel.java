package io.millrace.image;

/**
 * The colour changes in plain Java. They are fast on CPUs with {@code fma}, which are all x86-64 CPUs since 2013 and
 * all ARM64 CPUs.
 */
final class ScalarColorKernel implements ColorKernel {
    private static final int BYTES = 256;

    private final byte[] table = new byte[BYTES];
    private final float[] scaled = new float[BYTES];

    @Override
    public void blend(byte[] pixels, float other, float ratio, float rest) {
        for (int value = 0; value < BYTES; value++) {
            table[value] = (byte) level(Math.fma(other, rest, value * ratio));
        }
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = table[pixels[i] & 0xff];
        }
    }

    @Override
    public long graySum(byte[] pixels) {
        long sum = 0;
        for (int at = 0; at < pixels.length; at += 3) {
            sum += gray(pixels[at] & 0xff, pixels[at + 1] & 0xff, pixels[at + 2] & 0xff);
        }
        return sum;
    }

    @Override
    public void grayscale(byte[] pixels) {
        for (int at = 0; at < pixels.length; at += 3) {
            byte gray = (byte) gray(pixels[at] & 0xff, pixels[at + 1] & 0xff, pixels[at + 2] & 0xff);
            pixels[at] = gray;
            pixels[at + 1] = gray;
            pixels[at + 2] = gray;
        }
    }

    @Override
    public void gray(byte[] pixels, byte[] result) {
        for (int i = 0, at = 0; i < result.length; i++, at += 3) {
            result[i] = (byte) gray(pixels[at] & 0xff, pixels[at + 1] & 0xff, pixels[at + 2] & 0xff);
        }
    }

    @Override
    public void saturate(byte[] pixels, float ratio, float rest) {
        for (int value = 0; value < BYTES; value++) {
            scaled[value] = value * ratio;
        }
        for (int at = 0; at < pixels.length; at += 3) {
            int red = pixels[at] & 0xff;
            int green = pixels[at + 1] & 0xff;
            int blue = pixels[at + 2] & 0xff;
            float gray = gray(red, green, blue);
            pixels[at] = (byte) level(Math.fma(gray, rest, scaled[red]));
            pixels[at + 1] = (byte) level(Math.fma(gray, rest, scaled[green]));
            pixels[at + 2] = (byte) level(Math.fma(gray, rest, scaled[blue]));
        }
    }

    @Override
    public void turnHue(byte[] pixels, float turn) {
        for (int at = 0; at < pixels.length; at += 3) {
            int red = pixels[at] & 0xff;
            int green = pixels[at + 1] & 0xff;
            int blue = pixels[at + 2] & 0xff;
            int largest = Math.max(Math.max(red, green), blue);
            int smallest = Math.min(Math.min(red, green), blue);
            if (largest == smallest) {
                continue;
            }
            int middle = red + green + blue - largest - smallest;
            // Comparisons use the sign bit of a difference, because the CPU would often mispredict branches.
            int order = ((green - red - 1) >>> 31) << 2 | ((blue - green - 1) >>> 31) << 1 | (red - blue) >>> 31;
            float value = Hue.UNIT[largest];
            float range = value - Hue.UNIT[smallest];
            float saturation = range / value;
            float ratio = (value - Hue.UNIT[middle]) / range;
            float hue = ((Hue.SIGN[order] * ratio + Hue.FIRST[order]) + Hue.SECOND[order]) * Hue.SIXTH + 1;
            float turned = (hue >= 1 ? hue - 1 : hue) + turn;
            if (turned >= 1) {
                turned -= 1;
            }
            if (turned < 0) {
                turned += 1;
            }
            float six = turned * 6;
            int sector = (int) six;
            float part = saturation * (six - sector);
            float mixed = ((sector & 1) == 0 ? part + (1 - saturation) : 1 - part) * value;
            pixels[at + Hue.LARGEST[sector]] = (byte) largest;
            pixels[at + Hue.MIDDLE[sector]] = (byte) (int) (Math.min(Math.max(mixed, 0), 1) * Hue.LEVELS);
            pixels[at + Hue.SMALLEST[sector]] = (byte) smallest;
        }
    }

    private static int gray(int red, int green, int blue) {
        return (int) Math.fma(blue, BLUE, Math.fma(green, GREEN, red * RED));
    }

    /** Truncates and clamps a value. The order of the two operations does not matter. */
    private static int level(float value) {
        return Math.min(Math.max((int) value, 0), 255);
    }
}
