package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;

/** A transform that changes all images of a sample or none, with a given probability. */
final class RandomChange implements Transform {
    private final ImageFields images;
    private final double probability;
    private final ImageFields.Change change;
    private final String name;
    private String drawn = "";

    /**
     * Creates the transform.
     *
     * @param transform the name of the transform, for messages
     * @param name the description of the change, for display
     * @param probability the probability of the change, 0 to 1
     * @param change the change of one image
     */
    RandomChange(String transform, String name, double probability, ImageFields.Change change) {
        this.images = new ImageFields(transform);
        this.name = name;
        this.probability = probability;
        this.change = change;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        boolean happens = random.nextDouble() < probability;
        drawn = happens ? name : "as is";
        if (happens) {
            images.changeImages(sample, change);
        }
    }

    @Override
    public String drawn() {
        return drawn;
    }
}
