package io.millrace.diagnosis.advice;

import org.jspecify.annotations.Nullable;

/**
 * Advice with its predicted speed.
 *
 * @param samplesPerSecond the speed after the change; null when the model cannot predict it
 */
public record Predicted(Advice advice, @Nullable Double samplesPerSecond) {}
