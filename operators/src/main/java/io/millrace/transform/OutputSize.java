package io.millrace.transform;

import java.util.List;

/** The effect of a transform on the size of pictures, which {@link TransformFactory#outputSize} declares. */
public enum OutputSize {
    /** Pictures that have one size before the transform have one size after it. */
    SAME,
    /** All pictures have one size after the transform, whatever their size was before. */
    FIXED,
    /** Pictures may differ in size after the transform: the size depends on the picture or on random numbers. */
    VARYING;

    /**
     * Returns whether all pictures have one size after a list of transforms. The pictures of a dataset that needs no decoding
     * have one size before all transforms, because otherwise they would not fit into a batch.
     */
    public static boolean isOneSizeAfter(List<TransformSpec> transforms) {
        boolean one = true;
        for (TransformSpec transform : transforms) {
            one = switch (transform.outputSize()) {
                case SAME -> one;
                case FIXED -> true;
                case VARYING -> false;
            };
        }
        return one;
    }
}
