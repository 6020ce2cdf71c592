package io.millrace.image;

/** The tables by which a hue is turned, for whoever does it elsewhere with the same pixels. Stateless. */
public final class HueTables {
    /** The sign, what is added first and second, by the order of channels; the largest and the middle, by the sector. */
    public static final int TABLES = 5;

    /** Numbers of each; the last may stand for nothing. */
    public static final int LENGTH = 8;

    private HueTables() {}

    /** All tables, one after another. */
    public static float[] values() {
        float[] values = new float[TABLES * LENGTH];
        System.arraycopy(Hue.SIGN, 0, values, 0, Hue.SIGN.length);
        System.arraycopy(Hue.FIRST, 0, values, LENGTH, Hue.FIRST.length);
        System.arraycopy(Hue.SECOND, 0, values, 2 * LENGTH, Hue.SECOND.length);
        for (int sector = 0; sector < Hue.LARGEST.length; sector++) {
            values[3 * LENGTH + sector] = Hue.LARGEST[sector];
            values[4 * LENGTH + sector] = Hue.MIDDLE[sector];
        }
        return values;
    }
}
