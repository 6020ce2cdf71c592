/**
 * The training step: models, losses, optimizers and the device's transforms on DJL's PyTorch engine.
 *
 * <p>The only package that imports {@code ai.djl}. One trainer belongs to one thread; several trainers may live in one
 * JVM.
 */
@NullMarked
package io.millrace.train;

import org.jspecify.annotations.NullMarked;
