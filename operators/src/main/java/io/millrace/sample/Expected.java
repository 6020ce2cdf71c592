package io.millrace.sample;

/** The content that the bytes of a field should have, if they begin like nothing that {@code decode} decodes. */
public enum Expected {
    /** An encoded image, by the name of the field or of its source. */
    IMAGE,
    /** An encoded sound, by the name of the source. */
    SOUND,
    /** Any bytes: an image or a sound only if the sample has no other one. */
    ANY
}
