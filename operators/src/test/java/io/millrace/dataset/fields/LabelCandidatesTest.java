package io.millrace.dataset.fields;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.dataset.StoredLabels;
import io.millrace.dataset.StoredLabels.State;
import io.millrace.dataset.fields.FieldSource.As;
import io.millrace.dataset.fields.LabelCandidates.Kind;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LabelCandidatesTest {
    private static final FieldSelection IMAGES = new FieldSelection(
            List.of(new FieldSource("image", "jpg;png", As.AUTO), new FieldSource("depth", "far away", As.MASK)),
            Optional.empty(),
            false);

    @Test
    void classesWithNamesComeFirstThenUsualNamesThenNumbers() {
        StoredLabels labels = new LabelCandidates()
                .add("id", Kind.WHOLE_NUMBER)
                .add("title", Kind.TEXT)
                .add("breed", Kind.TEXT)
                .add("my-targets", Kind.WHOLE_NUMBER)
                .add("kind", Kind.NAMED_CLASSES)
                .without(IMAGES);

        assertThat(labels.isPresent()).isFalse();
        assertThat(labels.candidates())
                .containsExactly(
                        "'kind' (classes with names)",
                        "'my-targets' (whole numbers)",
                        "'breed' (text)",
                        "'id' (whole numbers)",
                        "'title' (text)");
        assertThat(labels.remark())
                .contains(
                        "the samples have no labels; 'kind' (classes with names), 'my-targets' (whole numbers), 'breed' (text), 'id'"
                                + " (whole numbers), 'title' (text) could be labels: set dataset.fields: {image: image, depth: {from:"
                                + " 'far away', as: mask}, label: kind}");
    }

    @Test
    void textNeedsTheNamesOfTheClasses() {
        StoredLabels labels =
                new LabelCandidates().add("dog's breed", Kind.TEXT).without(IMAGES);

        assertThat(labels.advice())
                .isEqualTo("'dog's breed' (text) could be the label: set dataset.fields: {image: image, depth: {from:"
                        + " 'far away', as: mask}, label: 'dog''s breed'}, and dataset.classes: [...] with the names in the"
                        + " order of their labels, because the values are text");
    }

    @Test
    void fieldsThatAreReadAlreadyAreNoCandidates() {
        StoredLabels labels = new LabelCandidates()
                .add("far away", Kind.WHOLE_NUMBER)
                .without(new FieldSelection(IMAGES.fields(), Optional.empty(), true));

        assertThat(labels.state()).isEqualTo(State.NOT_NAMED);
        assertThat(labels.advice()).isEqualTo("nothing in its files could be a label");
        assertThat(labels.remark()).isEmpty();
    }

    @Test
    void onlyAFewCandidatesAreShown() {
        LabelCandidates candidates = new LabelCandidates();
        IntStream.range(0, 50).forEach(i -> candidates.add("column" + i, Kind.WHOLE_NUMBER));

        assertThat(candidates.without(IMAGES).candidates()).hasSize(StoredLabels.MOST_CANDIDATES);
    }

    @Test
    void selectionWithALabelHasLabels() {
        FieldSelection labelled =
                new FieldSelection(List.of(), Optional.of(new FieldSource("label", "y", As.AUTO)), false);

        assertThat(LabelCandidates.of(labelled, new LabelCandidates())).isEqualTo(StoredLabels.PRESENT);
    }
}
