package io.millrace.config;

/** What a run draws equally often. */
public enum Balance {
    /** The classes: a sample's weight is the reciprocal of the number of samples with its label. */
    CLASSES
}
