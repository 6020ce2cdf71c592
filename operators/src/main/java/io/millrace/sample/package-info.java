/**
 * Samples, the values that flow through the stages of a pipeline, and their fields.
 *
 * <p>Read {@link io.millrace.sample.Sample} first: one training example with its index, key, label, position and named
 * fields. {@link io.millrace.sample.Field} is one value of a sample, {@link io.millrace.sample.FieldKind} its meaning,
 * and {@link io.millrace.sample.DType} the type of its elements. {@link io.millrace.sample.BadSample} is the reason
 * why a sample is quarantined. {@link io.millrace.sample.Halves} and {@link io.millrace.sample.BrainFloats} convert
 * floats to 16 bits and back.
 *
 * <p>{@link io.millrace.sample.SampleType} and {@link io.millrace.sample.SampleSerializer} define how Flink copies and
 * stores samples.
 *
 * <p>The package does not promise thread safety. A sample is mutable and belongs to one thread at a time; a stage that
 * passes it on keeps no reference to it.
 */
@NullMarked
package io.millrace.sample;

import org.jspecify.annotations.NullMarked;
