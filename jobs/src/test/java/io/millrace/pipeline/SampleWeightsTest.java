package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.ConfigReader;
import io.millrace.order.DrawnOrder;
import io.millrace.order.WeightTable;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SampleWeightsTest {
    @TempDir
    Path folder;

    private Path csv;
    private String fields = ", quality: quality, word: word, label: label";

    @BeforeEach
    void writeData() throws Exception {
        csv = Files.writeString(
                folder.resolve("a.csv"), "a,quality,word,label\n1,0.5,x,0\n2,0,y,1\n3,2.5,z,1\n4,1,w,1\n");
    }

    private RunPlan plan(String order) throws Exception {
        String text = "train: { model: none, input: a }\ndataset: { format: csv, path: " + csv + ", fields: { a: a"
                + fields + " } }\nbatch: { size: 2 }\norder: " + order + "\n";
        return RunPlanner.plan(ConfigReader.read(Files.writeString(folder.resolve("run.yaml"), text), List.of()));
    }

    private static WeightTable table(RunPlan plan) {
        return ((DrawnOrder) plan.order()).weights();
    }

    private String file(String name, String content) throws Exception {
        return Files.writeString(folder.resolve(name), content).toString();
    }

    private String npy(String name, String descr, String shape, byte[] data) throws Exception {
        String header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
        String padded = header + " ".repeat(64 - (10 + header.length() + 1) % 64) + "\n";
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0});
        bytes.write(new byte[] {(byte) padded.length(), (byte) (padded.length() >> 8)});
        bytes.write(padded.getBytes(StandardCharsets.US_ASCII));
        bytes.write(data);
        return Files.write(folder.resolve(name), bytes.toByteArray()).toString();
    }

    private static byte[] doubles(double... values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Double.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asDoubleBuffer().put(values);
        return bytes.array();
    }

    @Test
    void weightsComeFromLinesAnArrayOrAField() throws Exception {
        WeightTable expected = WeightTable.of(new double[] {0.5, 0, 2.5, 1});

        assertThat(table(plan("{ weights: " + file("w.txt", "0.5\n 0 \n25e-1\n+1.\n") + " }")))
                .isEqualTo(expected);
        assertThat(table(plan("{ weights: " + npy("w.npy", "<f8", "(4,)", doubles(0.5, 0, 2.5, 1)) + " }")))
                .isEqualTo(expected);
        assertThat(table(plan("{ weights: { field: quality } }"))).isEqualTo(expected);
        assertThat(table(plan("{ weights: { field: a } }"))).isEqualTo(WeightTable.of(new double[] {1, 2, 3, 4}));
        assertThat(table(plan("{ weights: " + npy("i.npy", "|i1", "(4, 1)", new byte[] {4, 3, 2, 1}) + " }")))
                .isEqualTo(WeightTable.of(new double[] {4, 3, 2, 1}));
    }

    @Test
    void balancedClassesHaveTheReciprocalsOfTheirCounts() throws Exception {
        assertThat(table(plan("{ balance: classes }")))
                .isEqualTo(WeightTable.of(new double[] {1, 1.0 / 3, 1.0 / 3, 1.0 / 3}));
    }

    @Test
    void anEpochHasAsManyDrawsAsTheFileSays() throws Exception {
        assertThat(plan("{ balance: classes }").batches().size()).isEqualTo(4);
        assertThat(plan("{ balance: classes, draws: 11 }").batches().size()).isEqualTo(11);
        RunPlan plan = plan("{ balance: classes, draws: 11 }");
        assertThat(plan.sources().size()).isEqualTo(4);
        assertThat(plan.remarks())
                .contains(csv
                        + ": an epoch has 11 draws of 4 samples, by order.balance with replacement, so that it has some of"
                        + " them several times and others not at all");
    }

    @Test
    void theWeightsBelongToTheIdentityOfTheRun() throws Exception {
        RunPlan balanced = plan("{ balance: classes }");
        RunPlan weighted = plan("{ weights: " + file("w.txt", "3\n1\n1\n1\n") + " }");
        RunPlan same = plan("{ weights: " + file("other.txt", "1\n0.333\n0.333\n0.333\n") + " }");

        assertThat(identity(balanced)).isNotEqualTo(identity(weighted)).isNotEqualTo(identity(same));
        assertThat(identity(balanced)).isEqualTo(identity(plan("{ balance: classes }")));
    }

    private String identity(RunPlan plan) throws Exception {
        return String.valueOf(PositionSettings.served(ConfigReader.read(folder.resolve("run.yaml"), List.of()), plan)
                .get("order.weights"));
    }

    @Test
    void samplesWithoutAReadableLabelAreNeverDrawnAndReported() throws Exception {
        Files.writeString(csv, "a,label\n1,0\n2,1\n3,\n4,1\n");
        fields = ", label: label";
        RunPlan plan = plan("{ balance: classes }");

        assertThat(table(plan)).isEqualTo(WeightTable.of(new double[] {1, 0.5, 0, 0.5}));
        assertThat(plan.remarks())
                .anyMatch(remark -> remark.startsWith(
                        csv + ": 1 samples are never drawn, because they cannot be read, for example "));
    }

    @Test
    void whatAreNoWeightsOfTheDatasetIsRefused() throws Exception {
        assertRefused(
                "{ weights: " + file("w.txt", "1\n2\n") + " }",
                "run.yaml:4: order.weights: expected 4 numbers in " + folder.resolve("w.txt")
                        + ", one for each sample of " + csv + ", found 2");
        assertRefused(
                "{ weights: " + file("w.csv", "weight\n1\n2\n3\n4\n") + " }",
                "order.weights: expected a number in line 1 of " + folder.resolve("w.csv") + ", found 'weight'");
        assertRefused("{ weights: " + file("n.txt", "1\nnan\n1\n1\n") + " }", "in line 2 of ", "found 'nan'");
        assertRefused(
                "{ weights: " + npy("m.npy", "<f8", "(2, 2)", doubles(1, 1, 1, 1)) + " }",
                "expected an array of one dimension in ",
                "found one of 2");
        assertRefused(
                "{ weights: " + npy("inf.npy", "<f8", "(4,)", doubles(1, 1, Double.POSITIVE_INFINITY, 1)) + " }",
                "expected finite weights of 0 or more, found Infinity for sample 2");
        assertRefused("{ weights: " + file("broken.npy", "text") + " }", "broken.npy, offset 0: ");
        assertRefused("{ weights: " + file("neg.txt", "1\n-2\n1\n1\n") + " }", "found -2.0 for sample 1");
        assertRefused("{ weights: " + file("zero.txt", "0\n0\n0\n0\n") + " }", "found 0 for all 4 samples");
        assertRefused(
                "{ weights: missing.txt }", "order.weights: ", "missing.txt cannot be read: there is no such file");
        assertRefused(
                "{ weights: { field: weight } }",
                "order.weights: expected one of the fields ",
                "quality",
                "found 'weight'");
        assertRefused("{ weights: { field: word } }", "expected one number in the field 'word' of sample 0");
    }

    @Test
    void datasetsWithoutLabelsAreNotBalanced() throws Exception {
        Files.writeString(csv, "a,b\n1,0\n2,1\n");
        fields = "";
        assertRefused("{ balance: classes }", "order.balance: expected samples with labels, and those of " + csv);
    }

    @Test
    void keysThatExcludeEachOtherAreRefused() throws Exception {
        assertRefused("{ balance: classes, weights: w.npy }", "expected either weights or balance, found both");
        assertRefused("{ draws: 5 }", "expected weights or balance, by which samples are drawn, found neither");
        assertRefused("{ balance: classes, draws: 0 }", "order.draws");
        assertRefused("{ balance: sizes }", "order.balance: expected one of classes, found 'sizes'");
        assertRefused("{ weights: 3 }", "expected the path of a file, or a field such as {field: quality}, found");
        assertRefused(
                "{ balance: classes, shuffle: none }",
                "order.shuffle: expected no shuffle with balance, whose draws replace it; remove this key");
    }

    private void assertRefused(String order, String... parts) {
        assertThatThrownBy(() -> plan(order)).message().contains(parts);
    }
}
