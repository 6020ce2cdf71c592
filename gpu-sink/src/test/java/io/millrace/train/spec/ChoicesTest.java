package io.millrace.train.spec;

import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.batch.BatchSpec;
import io.millrace.option.Choice;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.sample.DType;
import io.millrace.train.TrainStep;
import io.millrace.train.TrainingFigures;
import io.millrace.train.input.DeviceTransforms;
import io.millrace.train.loss.Losses;
import io.millrace.train.network.Models;
import io.millrace.train.update.Optimizers;
import io.millrace.train.update.Schedules;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ChoicesTest {
    private static final BatchSpec GRAY =
            new BatchSpec(List.of(new BatchSpec.Column("image", DType.UINT8, List.of(28, 28, 1))));

    static Stream<List<Choice>> kinds() {
        return Stream.of(Models.all(), Losses.all(), Optimizers.all(), Schedules.all(), DeviceTransforms.all());
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void everyChoiceIsNamedOnceAndExplained(List<Choice> choices) {
        assertThat(choices).isNotEmpty().extracting(Choice::name).doesNotHaveDuplicates();
        for (Choice choice : choices) {
            assertThat(choice.help()).as(choice.name()).endsWith(".").doesNotContain("\n");
            assertThat(Option.keys(choice.options())).as(choice.name()).doesNotHaveDuplicates();
            assertThat(choice.options())
                    .allSatisfy(option -> assertThat(option.help()).endsWith("."));
        }
    }

    @Test
    void unknownOptimizerIsReportedWithTheKnownOnes() {
        TrainSpec spec = TrainingFigures.spec(
                GRAY,
                TrainingFigures.GRAY,
                part(Models.all(), "mlp", Map.of()),
                new Component("adagrad", OptionValues.none()));
        assertThatThrownBy(() -> TrainStep.open(spec, 4))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no optimizer 'adagrad'")
                .hasMessageContaining("[sgd, adam, adamw]");
    }

    @Test
    void componentsThatDoNotFitTogetherAreRefused() {
        TrainSpec squares = TrainingFigures.spec(
                GRAY,
                TrainingFigures.GRAY,
                part(Models.all(), "mlp", Map.of()),
                part(Losses.all(), "mean_squared_error", Map.of()),
                TrainingFigures.SGD);
        assertThatThrownBy(() -> TrainStep.open(squares, 4))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("classes: 1, found 10");
        TrainSpec looksAhead = TrainingFigures.spec(
                GRAY,
                TrainingFigures.GRAY,
                part(Models.all(), "mlp", Map.of()),
                part(Optimizers.all(), "sgd", Map.of("nesterov", true)));
        assertThatThrownBy(() -> TrainStep.open(looksAhead, 4))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nesterov needs a momentum");
    }
}
