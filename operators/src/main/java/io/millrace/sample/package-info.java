/**
 * What flows through a pipeline: a {@link io.millrace.sample.Sample} with its named {@link io.millrace.sample.Field}s.
 *
 * <p>Values of the JDK alone; only {@link io.millrace.sample.SampleType} and its serializer know Flink. Nothing here is
 * thread-safe: a sample belongs to one thread at a time.
 */
@NullMarked
package io.millrace.sample;

import org.jspecify.annotations.NullMarked;
