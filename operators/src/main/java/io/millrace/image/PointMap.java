package io.millrace.image;

/** A map of places in one image to places in another one. */
@FunctionalInterface
public interface PointMap {
    /** Returns the place to which a place is mapped. Numbers that are not finite stand for no place. */
    Point at(double x, double y);
}
