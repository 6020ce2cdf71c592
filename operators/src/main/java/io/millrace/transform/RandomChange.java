package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;

/** Changes the images of a sample, all or none of them, with a given probability. */
final class RandomChange implements Transform {
    private final ImageFields images;
    private final double probability;
    private final ImageFields.Change change;
    private final String name;
    private String drawn = "";

    /**
     * A change that happens or does not.
     *
     * @param transform its name, for messages
     * @param name what was done when it happened, for people
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
