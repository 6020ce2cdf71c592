package io.millrace.dataset.folder;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.csv.CsvReader;
import io.millrace.dataset.fields.DecimalText;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.LabelCandidates;
import java.util.List;

/** The refusal of a column of decimals as labels, which are numbers to predict. Tested by {@code ListedFilesTest} and {@code LabelsFileTest}. */
final class DecimalLabels {
    /** Labels are decimals if at least one label in so many of the first rows is one. A few among whole numbers are bad samples. */
    private static final int LEAST = 10;

    private DecimalLabels() {}

    /**
     * Requires that the labels of the first rows are no decimals.
     *
     * @param csv the file's name for messages
     * @param column the name of the column
     * @param labels the labels of the first rows; those of rows without one are empty
     * @param sample the name of a sample's file
     * @throws DatasetException when they are; the message has the lines to add to the pipeline file
     */
    static void requireNone(String csv, String column, List<String> labels, String sample) throws DatasetException {
        List<String> values = labels.stream().filter(value -> !value.isEmpty()).toList();
        List<String> decimals = values.stream()
                .filter(value ->
                        DecimalText.isNumber(value) && DecimalText.whole(value).isEmpty())
                .filter(value -> !DecimalText.isDigits(value))
                .toList();
        boolean numbers = values.stream().allMatch(DecimalText::isNumber);
        if (!numbers || decimals.size() * LEAST < values.size() || decimals.isEmpty()) {
            return;
        }
        String name = column.replaceAll("\\W+", "_");
        // A field with the name label would be the label again.
        String field = name.equals(FieldSource.LABEL) ? "value" : name;
        throw new DatasetException(csv + ": expected whole numbers or names of classes in the column '" + column
                + "' of the labels, found decimals such as " + CsvReader.shown(decimals.get(0))
                + ". To predict them, read them as a field, dataset.fields: {"
                + (FolderScan.isSound(sample) ? "audio" : "image")
                + ": file, " + field + ": " + LabelCandidates.quoted(column)
                + "}, and where Millrace trains, set train.target: " + field);
    }
}
