package io.millrace.generate.photos;

import io.millrace.generate.GeneratorRandom;

/** A colour with channels from 0 to 255; values outside of this range are clipped when the image is developed. */
record Colour(float red, float green, float blue) {
    /** Returns the colour of a number 0xRRGGBB. */
    static Colour of(int rgb) {
        return new Colour(rgb >> 16 & 0xff, rgb >> 8 & 0xff, rgb & 0xff);
    }

    /** Returns a mix of two colours: this colour for share 0, the other one for share 1. */
    Colour mix(Colour other, double share) {
        float s = (float) share;
        return new Colour(
                red + s * (other.red - red), green + s * (other.green - green), blue + s * (other.blue - blue));
    }

    Colour times(double factor) {
        float f = (float) factor;
        return new Colour(red * f, green * f, blue * f);
    }

    /** Returns a similar colour: brightness and each channel vary by about this many levels. */
    Colour varied(double levels, GeneratorRandom random) {
        double light = levels * random.normal();
        double each = levels / 2;
        return new Colour(
                (float) (red + light + each * random.normal()),
                (float) (green + light + each * random.normal()),
                (float) (blue + light + each * random.normal()));
    }
}
