package io.millrace.image.codec;

/** The restoration of samples that are stored as differences to the pixel on their left (TIFF 6.0, section 14). */
final class TiffPredictor {
    private static final int DIFFERENCES = 2;

    private final int predictor;
    private final int sampleBytes;
    private final int pixelBytes;
    private final boolean little;
    private final byte[] planes;

    TiffPredictor(TiffHeader header, int rowBytes) {
        predictor = header.predictor;
        sampleBytes = header.depth / Byte.SIZE;
        pixelBytes = sampleBytes * header.together();
        little = header.tags.little();
        planes = new byte[predictor > DIFFERENCES ? rowBytes : 0];
    }

    /** Restores the samples of a row, in the byte order of the file. */
    void restore(byte[] row, int bytes) {
        if (predictor == 1) {
            return;
        }
        if (predictor == DIFFERENCES && sampleBytes > 1) {
            restoreWords(row, bytes);
            return;
        }
        // The bytes of floats are stored plane by plane, and their differences are those of bytes.
        int distance = predictor == DIFFERENCES ? pixelBytes : pixelBytes / sampleBytes;
        if (distance == 3) {
            restoreColors(row, bytes);
        } else {
            for (int i = distance; i < bytes; i++) {
                row[i] += row[i - distance];
            }
        }
        if (predictor > DIFFERENCES) {
            System.arraycopy(row, 0, planes, 0, bytes);
            int samples = bytes / sampleBytes;
            for (int i = 0; i < bytes; i++) {
                int plane = i / samples;
                int place = little ? sampleBytes - 1 - plane : plane;
                row[i % samples * sampleBytes + place] = planes[i];
            }
        }
    }

    /** Restores bytes of three channels. Sums in variables are faster than sums that are read back from the row. */
    private static void restoreColors(byte[] row, int bytes) {
        byte first = 0;
        byte second = 0;
        byte third = 0;
        for (int i = 0; i + 2 < bytes; i += 3) {
            first += row[i];
            second += row[i + 1];
            third += row[i + 2];
            row[i] = first;
            row[i + 1] = second;
            row[i + 2] = third;
        }
    }

    private void restoreWords(byte[] row, int bytes) {
        for (int at = pixelBytes; at < bytes; at += sampleBytes) {
            int carry = 0;
            for (int i = 0; i < sampleBytes; i++) {
                int index = at + (little ? i : sampleBytes - 1 - i);
                int sum = (row[index] & 255) + (row[index - pixelBytes] & 255) + carry;
                row[index] = (byte) sum;
                carry = sum >> 8;
            }
        }
    }
}
