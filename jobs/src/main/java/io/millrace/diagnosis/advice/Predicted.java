package io.millrace.diagnosis.advice;

import org.jspecify.annotations.Nullable;

/**
 * Advice with what it gives.
 *
 * @param samplesPerSecond null when the model cannot tell: worth a try
 */
public record Predicted(Advice advice, @Nullable Double samplesPerSecond) {}
