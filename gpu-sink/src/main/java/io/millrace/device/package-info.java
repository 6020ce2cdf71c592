/**
 * Where batches live while they are trained on: preallocated memory of the device, filled row by row.
 *
 * <p>{@link io.millrace.device.HostDevice} is the twin that needs no GPU. Knows nothing of Flink.
 */
@NullMarked
package io.millrace.device;

import org.jspecify.annotations.NullMarked;
