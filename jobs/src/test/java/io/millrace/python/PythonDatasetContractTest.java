package io.millrace.python;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each sentence of docs/data/python-datasets.md on which users can rely has a test. */
class PythonDatasetContractTest {
    private static final String MAKING = "io.millrace.python.PythonDatasetMakingTest#";
    private static final String ITEMS = "io.millrace.python.PythonDatasetTest#";
    private static final String RUNS = "io.millrace.python.PythonDatasetITCase#";

    /** The tests by the beginnings of the sentences. */
    private static Map<String, String> tests() {
        Map<String, String> tests = new LinkedHashMap<>();
        String drawn = MAKING + "orderThatIsDrawnWhileTheDatasetIsMadeIsTheSameInAllWorkersAndAgain";
        String generators = MAKING + "generatorsThatTheDatasetMakesDrawOtherNumbersForEachItemAndTheSameInEachWorker";
        tests.put("The dataset is made once in each JVM", drawn);
        tests.put(
                "If that process has threads, connections or pipes",
                MAKING + "datasetThatCannotBeCopiedSeveralTimesIsMadeAgainWithTheSameNumbers");
        tests.put("`random`, numpy and torch are seeded before", drawn);
        tests.put(
                "`dataset` and `evaluate.dataset` get the same seed",
                RUNS + "trainingAndEvaluationDatasetsAreMadeWithTheSameNumbers");
        tests.put("The order of a set of texts", drawn);
        tests.put("Generators of your own", generators);
        tests.put("Each worker has its own place in a file", MAKING + "fileThatTheDatasetHasOpenedIsReadByAllWorkers");
        String counted = RUNS + "eachItemIsReadOnceInEachEpochAndSomeAtTheStart";
        tests.put("An item is read once in each epoch", counted);
        tests.put("When a run starts", counted);
        tests.put(
                "An item that differs in another process",
                MAKING + "datasetsOfTwoProcessesThatDifferAreRefusedWithTheIndex");
        tests.put(
                "An item that differs when it is read again",
                MAKING + "itemsThatDifferWhenTheyAreReadAgainAreNotCompared");
        tests.put("The order of the values in a dict", ITEMS + "fieldsAreFoundByNameInAnyOrder");
        tests.put("An item that lacks a field", ITEMS + "sampleThatLacksAFieldOfMostSamplesIsBadByName");
        tests.put("A field that at most half", ITEMS + "fieldOfFewSamplesIsLeftOutWithARemark");
        tests.put("If one item has a label", ITEMS + "labelThatSomeSamplesHaveIsRequiredOfAll");
        tests.put("Numbers of different types", ITEMS + "numbersOfOneFieldHaveTheTypeThatTorchPromotesThemTo");
        tests.put("An empty list in a field", ITEMS + "emptyListsHaveTheInnerExtentsOfTheOthers");
        tests.put("An item has at most 1 GiB", ITEMS + "itemLargerThanTheMemoryIsRefusedWithTheLimit");
        tests.put("The import and the making", MAKING + "setUpHasALimitOfItsOwn");
        return tests;
    }

    @Test
    void eachSentenceHasATest() throws Exception {
        String page = Files.readString(Path.of("../docs/data/python-datasets.md"));
        int begin = page.indexOf("## What can you rely on?");
        String section = page.substring(begin, page.indexOf("\n## ", begin + 1));
        List<String> sentences = new ArrayList<>(section.lines()
                .filter(line -> line.startsWith("- "))
                .map(line -> line.substring(2))
                .toList());
        for (Map.Entry<String, String> each : tests().entrySet()) {
            assertThat(sentences.removeIf(sentence -> sentence.startsWith(each.getKey())))
                    .as(each.getKey())
                    .isTrue();
            String[] test = each.getValue().split("#", 2);
            assertThat(Arrays.stream(Class.forName(test[0]).getDeclaredMethods())
                            .map(method -> method.getName()))
                    .as(each.getKey())
                    .contains(test[1]);
        }
        assertThat(sentences).as("sentences without a test").isEmpty();
    }
}
