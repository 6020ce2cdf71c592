package io.millrace.transform;

import java.util.List;

/** The effect of a transform on the size of pictures, which {@link TransformFactory#outputSize} declares. */
public enum OutputSize {
    /** Pictures that have one size before the transform have one size behind it. */
    SAME,
    /** All pictures have one size behind the transform, whatever their size was. */
    FIXED,
    /** Pictures may differ in size behind the transform: the size depends on the picture or on random numbers. */
    VARYING;

    /**
     * Returns whether all pictures have one size behind a list of transforms. Pictures of a dataset that needs no decoding
     * have one size at the beginning, because they would not fit into a batch otherwise.
     */
    public static boolean isOneBehind(List<TransformSpec> transforms) {
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
