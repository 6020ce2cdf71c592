/** The one place that wires stages into a Flink graph. */
@NullMarked
package io.millrace.pipeline;

import org.jspecify.annotations.NullMarked;
