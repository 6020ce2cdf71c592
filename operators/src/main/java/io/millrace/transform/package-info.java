/**
 * What is done to each sample on the data servers, one class per transform, by torchvision's names and rules.
 *
 * <p>Transforms are pure: (sample, random numbers) to sample. Only {@link io.millrace.transform.TransformOperator}
 * knows Flink.
 */
@NullMarked
package io.millrace.transform;

import org.jspecify.annotations.NullMarked;
