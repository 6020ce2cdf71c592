/**
 * Models: functions of named tensors, and the memory that holds these tensors.
 *
 * <p>Read {@link io.millrace.train.network.Network} first. {@link io.millrace.train.network.ModelFactory} is the
 * service interface by which Millrace's own models and those of other jars are found; {@link
 * io.millrace.train.network.Models} finds them. {@link io.millrace.train.network.LayerNetwork} builds a network of
 * layers, and {@link io.millrace.train.network.TorchScriptNetwork} loads one from a file. {@link
 * io.millrace.train.network.FlatState} places weights, gradients and running statistics in one memory block each, so
 * that one call updates all weights and a copy of the blocks saves them.
 *
 * <p>A network belongs to the thread that created it. The package does not promise that a TorchScript file's running
 * statistics can be reached one by one: the engine has no access to them.
 */
@NullMarked
package io.millrace.train.network;

import org.jspecify.annotations.NullMarked;
