/**
 * Pipelines with a known culprit, to see whether the diagnosis finds it: {@link io.millrace.diagnosis.planted.Plants} lists
 * them, {@link io.millrace.diagnosis.planted.SelfTest} runs each as it is and with its culprit fixed.
 *
 * <p>What is planted waits where it can (a sleep, a throttle) and computes only where computing is the point, so that a busy
 * machine disturbs little.
 */
@NullMarked
package io.millrace.diagnosis.planted;

import org.jspecify.annotations.NullMarked;
