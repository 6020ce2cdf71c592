/**
 * An S3 storage for tests: a real server on loopback, and a proxy that imitates an unreliable network.
 *
 * <p>Read {@link io.millrace.s3.S3Server} first. {@link io.millrace.s3.FaultyProxy} stands between a client and that server.
 * {@link io.millrace.s3.Upload} copies test data into a bucket.
 *
 * <p>The module {@code s3-testing} provides the jars of the server and Flink's plugin. The package imports no other package of
 * Millrace. It does not promise the behaviour of any particular S3 provider.
 */
@NullMarked
package io.millrace.s3;

import org.jspecify.annotations.NullMarked;
