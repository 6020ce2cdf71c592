package io.millrace.train.spec;

/** The precision in which layers compute. Parameters, gradients, moments and losses are float32 in every precision. */
public enum Precision {
    /** Layers compute with the float32 values that are stored. */
    FLOAT32,
    /**
     * PyTorch's autocast: matrix products and convolutions round their inputs to bfloat16, which has 8 significant
     * bits, and accumulate with more bits. Operations that need more precision stay in float32.
     */
    BFLOAT16,
    /** CUDA only: matrix products and convolutions round their inputs to 11 significant bits. */
    TF32
}
