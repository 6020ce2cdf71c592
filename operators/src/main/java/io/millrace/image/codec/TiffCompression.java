package io.millrace.image.codec;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The compressions of TIFFs that are decoded. */
record TiffCompression(Method method, long number) {
    enum Method {
        NONE,
        FAX,
        LZW,
        JPEG,
        DEFLATE,
        PACK_BITS,
        ZSTD,
        OTHER
    }

    private static final Map<Long, String> NAMES = Map.ofEntries(
            Map.entry(6L, "old-style JPEG"),
            Map.entry(9L, "JBIG"),
            Map.entry(10L, "JBIG"),
            Map.entry(32766L, "NeXT"),
            Map.entry(32771L, "CCITT RLE with words"),
            Map.entry(32809L, "ThunderScan"),
            Map.entry(32909L, "PixarLog"),
            Map.entry(33003L, "JPEG 2000"),
            Map.entry(33005L, "JPEG 2000"),
            Map.entry(34661L, "JBIG"),
            Map.entry(34676L, "SGI LogLuv"),
            Map.entry(34677L, "SGI LogLuv"),
            Map.entry(34712L, "JPEG 2000"),
            Map.entry(34887L, "LERC"),
            Map.entry(34892L, "lossy JPEG of DNG"),
            Map.entry(34925L, "LZMA"),
            Map.entry(34933L, "PNG"),
            Map.entry(34934L, "JPEG XR"),
            Map.entry(22610L, "JPEG XR"),
            Map.entry(50001L, "WebP"),
            Map.entry(50002L, "JPEG XL"),
            Map.entry(52546L, "JPEG XL"));

    static TiffCompression of(long number) {
        Method method =
                switch ((int) Math.min(number, Integer.MAX_VALUE)) {
                    case 1 -> Method.NONE;
                    case TiffFax.HUFFMAN, TiffFax.GROUP3, TiffFax.GROUP4 -> Method.FAX;
                    case 5 -> Method.LZW;
                    case 7 -> Method.JPEG;
                    case 8, 32946 -> Method.DEFLATE;
                    case 32773 -> Method.PACK_BITS;
                    case 50000 -> Method.ZSTD;
                    default -> Method.OTHER;
                };
        return new TiffCompression(method, number);
    }

    /** Returns whether the samples may be stored as differences. Other compressions ignore the tag. */
    boolean predicts() {
        return method == Method.LZW || method == Method.DEFLATE || method == Method.ZSTD;
    }

    /** Returns why an image with this compression cannot be decoded; null when it can be, if its samples are supported. */
    @Nullable
    String obstacle(TiffHeader header) {
        return switch (method) {
            case OTHER -> {
                String name = NAMES.get(number);
                yield "a TIFF with compression " + number + (name == null ? "" : " (" + name + ")")
                        + ", which is not supported";
            }
            case FAX ->
                header.depth == 1 && header.stored == 1
                        ? null
                        : "a TIFF of " + header.stored + " samples of " + header.depth + " bits with fax compression";
            case JPEG ->
                header.depth == Byte.SIZE && (header.together() == 1 || header.together() == 3)
                        ? null
                        : "a TIFF of " + header.stored + " samples of " + header.depth
                                + " bits with JPEG compression, which is not supported";
            default -> null;
        };
    }
}
