/**
 * The guard before the REST interface and the web UI of a Flink in this process.
 *
 * <p>Read {@link io.millrace.pipeline.web.WebRules} first: it decides about each request. {@link
 * io.millrace.pipeline.web.WebGuard} applies the decision to Flink's HTTP server, and {@link
 * io.millrace.pipeline.web.OwnWeb} knows the secrets of the interfaces that this process has opened.
 *
 * <p>The package promises nothing about clusters of other processes: Flink loads the guard there too, but without a
 * secret in the configuration the guard is not used.
 */
@NullMarked
package io.millrace.pipeline.web;

import org.jspecify.annotations.NullMarked;
