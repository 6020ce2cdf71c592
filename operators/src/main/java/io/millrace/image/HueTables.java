package io.millrace.image;

/** The tables for turning a hue on the device, which computes the same pixels as the kernels here. Stateless. */
public final class HueTables {
    /**
     * The number of tables: the sign, the first and the second addend by the order of channels; the largest and the
     * middle channel by the sector.
     */
    public static final int TABLES = 5;

    /** The length of each table; the last number may be unused. */
    public static final int LENGTH = 8;

    private HueTables() {}

    /** Returns all tables, one after another. */
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
