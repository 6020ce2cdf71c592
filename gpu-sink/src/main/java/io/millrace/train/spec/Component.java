package io.millrace.train.spec;

import io.millrace.option.OptionValues;
import java.io.Serializable;

/**
 * A named component with its options, such as {@code model: {mlp: {hidden: [128]}}}: a model, a loss, an optimizer, a
 * schedule, a generator or a transform of batches.
 */
public record Component(String name, OptionValues options) implements Serializable {}
