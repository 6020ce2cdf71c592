/**
 * Flink's remote procedure calls without a class loader of their own, so that processes start faster.
 *
 * <p>Read {@link io.millrace.rpc.ClassPathRpcLoader}, the only class.
 *
 * <p>The package does not promise that the classes are on the class path: without them, Flink loads its own copy.
 */
@NullMarked
package io.millrace.rpc;

import org.jspecify.annotations.NullMarked;
