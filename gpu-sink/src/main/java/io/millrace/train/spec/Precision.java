package io.millrace.train.spec;

/** The numbers that layers compute in. Parameters, gradients, moments and losses are float32 in every precision. */
public enum Precision {
    /** Layers compute with the float32 values that are stored. */
    FLOAT32,
    /**
     * PyTorch's autocast: matrix products and convolutions round their inputs to bfloat16, which has 8 significant bits, and
     * accumulate in more. Operations that need more stay in float32.
     */
    BFLOAT16,
    /** CUDA only: matrix products and convolutions round their inputs to 11 significant bits. */
    TF32
}
